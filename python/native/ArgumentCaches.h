//===- ArgumentCaches.h - what is remembered about types of arguments -----===//
// A launch looks each argument's type and dtype up here instead of asking the
// object again. Part of ProcessState; filled and read by Arrays.cpp.
//===----------------------------------------------------------------------===//
#pragma once

#include "Arrays.h"

namespace tessera::python {

/// Object → small number, by identity; owns its keys. Open addressing; when half full it forgets
/// everything, which costs a little time once.
class Memo {
public:
  /// 0 if the object is not known.
  uint32_t find(PyObject *key) const {
    for (size_t i = place(key);; i = (i + 1) % kSize)
      if (entries[i].key == key || !entries[i].key)
        return entries[i].value;
  }
  void remember(PyObject *key, uint32_t value) {
    if (count >= kSize / 2)
      clear();
    size_t i = place(key);
    while (entries[i].key && entries[i].key != key)
      i = (i + 1) % kSize;
    if (!entries[i].key) {
      Py_INCREF(key);
      entries[i].key = key;
      ++count;
    }
    entries[i].value = value;
  }
  void clear() {
    for (Entry &entry : entries) {
      PyObject *key = std::exchange(entry.key, nullptr);
      entry.value = 0;
      Py_XDECREF(key);
    }
    count = 0;
  }

private:
  static constexpr size_t kSize = 512;
  static size_t place(PyObject *key) {
    auto bits = reinterpret_cast<uintptr_t>(key);
    return ((bits >> 4) ^ (bits >> 13)) % kSize;
  }
  struct Entry {
    PyObject *key;
    uint32_t value;
  };
  Entry entries[kSize] = {};
  size_t count = 0;
};

/// The functions by which torch.Tensor itself is asked; kept for ever once a tensor was seen.
struct TensorFunctions {
  PyObject *dataPtr = nullptr; // torch.Tensor.data_ptr
  // Its C function; null where it is something else.
  PyCFunction quickDataPtr = nullptr;
  PyObject *dtype = nullptr; // torch.Tensor.dtype, a descriptor
  descrgetfunc quickDtype = nullptr;
};

/// The 2 MiB pages, which are the driver's own, in which GPU memory was seen, with the GPU's number.
/// The driver keeps such addresses to itself, so nothing else comes to lie there; if it did, a wrong
/// launch would fail on the GPU instead of in checkReach. Host memory is not remembered.
class GPUPages {
public:
  /// The GPU, or -1.
  int find(uint64_t address) const {
    const Page &page = pages[place(address)];
    return page.number == address >> 21 ? int(page.gpu) : -1;
  }
  void remember(uint64_t address, int gpu) { pages[place(address)] = {address >> 21, gpu}; }

private:
  static size_t place(uint64_t address) { return (address >> 21 ^ address >> 31) % 1024; }
  struct Page {
    uint64_t number; // 0 is nobody's
    int64_t gpu;
  };
  Page pages[1024] = {};
};

/// Types that Python has registered; there are few: constexpr, descriptor and function types.
struct RegisteredKinds {
  static constexpr size_t kMost = 16;
  struct Entry {
    PyTypeObject *type;
    Kind kind;
  };
  Entry entries[kMost] = {};
  size_t count = 0;
};

struct ArgumentCaches {
  QuickTensors quickTensors;
  Memo kinds;    // of types
  Memo elements; // of dtype objects; the value is 1 + the element
  RegisteredKinds registered;
  TensorFunctions tensors;
  GPUPages gpuPages;
};

} // namespace tessera::python
