//===- PythonAPI.h - the stable ABI of CPython, with owners ---------------===//
// The extension uses the limited API of CPython 3.9, so that one build serves
// every later version. Ref owns a reference. Borrowed references are plain
// pointers; they are never kept across a call that may run Python code, unless
// an object that we own keeps them alive.
//
//   Ref name = Ref::take(PyUnicode_FromString("x"));   // a new reference
//   if (!name) return nullptr;                         // an exception is set
//   return name.release();
//===----------------------------------------------------------------------===//
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <structmember.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

// Documented as stable from 3.10 on; 3.7 to 3.9 have the same flag and convention.
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

// Documented as stable from 3.12 on; 3.9 to 3.11 have the same flags, member and convention.
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
#ifndef PY_VECTORCALL_ARGUMENTS_OFFSET
#define PY_VECTORCALL_ARGUMENTS_OFFSET (size_t(1) << (8 * sizeof(size_t) - 1))
#endif

namespace tessera::python {

using FastFunction = PyObject *(*)(PyObject * self, PyObject *const *args, Py_ssize_t count,
                                   PyObject *names);

/// Casts a method, which is declared with its real type, to the type of the method table.
template <typename F> PyCFunction asMethod(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// Owns a reference.
class Ref {
public:
  Ref() = default;
  Ref(Ref &&other) : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) {
    PyObject *old = std::exchange(object, std::exchange(other.object, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  static Ref take(PyObject *made) { return Ref(made); }
  static Ref share(PyObject *borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  explicit Ref(PyObject *made) : object(made) {}
  PyObject *object = nullptr;
};

/// A str encoded as UTF-8; null with an exception set if it cannot be encoded.
class Text {
public:
  explicit Text(PyObject *str) : bytes(Ref::take(PyUnicode_AsUTF8String(str))) {}
  const char *get() const { return bytes ? PyBytes_AsString(bytes.get()) : nullptr; }

private:
  Ref bytes;
};

/// Releases the GIL while it lives.
class WithoutGIL {
public:
  WithoutGIL() : state(PyEval_SaveThread()) {}
  ~WithoutGIL() { PyEval_RestoreThread(state); }
  WithoutGIL(const WithoutGIL &) = delete;
  WithoutGIL &operator=(const WithoutGIL &) = delete;

private:
  PyThreadState *state;
};

/// A growing array of trivially copyable items that uses the heap only above N items.
template <typename T, size_t N> class Buffer {
public:
  Buffer() = default;
  ~Buffer() {
    if (items != inlineItems)
      std::free(items);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  void push(T item) {
    if (count == room)
      grow();
    items[count++] = item;
  }
  /// The address for more items; the caller writes some and then calls endAt.
  T *reserve(size_t more) {
    while (room - count < more)
      grow();
    return items + count;
  }
  void endAt(const T *end) { count = size_t(end - items); }
  /// Appends items that the caller fills in.
  T *extend(size_t more) {
    T *begin = reserve(more);
    count += more;
    return begin;
  }
  T *data() { return items; }
  const T *data() const { return items; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }

private:
  [[gnu::noinline]] void grow() {
    room *= 2;
    auto *larger = static_cast<T *>(std::malloc(room * sizeof(T)));
    if (!larger)
      Py_FatalError("tessera: out of memory");
    std::memcpy(static_cast<void *>(larger), items, count * sizeof(T));
    if (items != inlineItems)
      std::free(items);
    items = larger;
  }

  // These come before the items, so that few items take few cache lines.
  T *items = inlineItems;
  size_t count = 0, room = N;
  T inlineItems[N];
};

/// Frees an instance of a heap type, and the reference to the type that it owns.
inline void freeInstance(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  auto *release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(type);
}

} // namespace tessera::python
