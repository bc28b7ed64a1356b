//===- Arguments.h - classify a call's arguments --------------------------===//
// Each argument is classified (docs/python.md#specialization) into words, which
// identify the compiled variant, and slots, whose values the launch passes:
//
//   add[grid](x, y, out, n=4096, BLOCK=1024)
//   words:  pointer fp32 D, pointer fp32 D, pointer fp32 D, scalar i32 D, constexpr
//   values: 1024                        the value of the constexpr word
//   slots:  x.data_ptr(), y.data_ptr(), out.data_ptr(), 4096
//
// A tuple is a TupleBegin word, its elements' words and a TupleEnd word. A
// tensor descriptor is one word followed by its block's extents, and has
// 1 + 2 * rank slots.
//===----------------------------------------------------------------------===//
#pragma once

#include "Arrays.h"
#include "Parameters.h"
#include "ProcessState.h"

namespace tessera::python {

/// The kind of a word; together with its element type and key it fits 32 bits.
enum class Role : uint32_t {
  Scalar,
  Pointer,
  ConstPointer,
  Constexpr,  // its value is the next one in `values`
  TupleBegin, // the tuple's class is the next one in `values`
  TupleEnd,
  Descriptor, // `extra`: its rank, plus kPadsWithNaN; the extents of its block follow as they are
  Forced,     // the parameter's annotated type
};

/// A flag in `extra`, above the rank of a descriptor, which is at most 5.
inline constexpr uint32_t kPadsWithNaN = 8;

/// The second half of a specialization: None, "", "D", 1, "S" or "DS".
enum class Key : uint32_t { None, Empty, Divisible, One, Small, DivisibleSmall };

/// 5 bits element, 3 bits role, 3 bits key, the rest `extra`.
struct Word {
  Element element;
  Role role;
  Key key;
  uint32_t extra;
  static constexpr uint32_t kMostExtra = (1u << 21) - 1;

  static uint32_t pack(Role role, Element element = Element::None, Key key = Key::None,
                       uint32_t extra = 0) {
    return uint32_t(element) | uint32_t(role) << 5 | uint32_t(key) << 8 | extra << 11;
  }
  static Word unpack(uint32_t bits) {
    return {Element(bits & 31), Role(bits >> 5 & 7), Key(bits >> 8 & 7), bits >> 11};
  }
};

/// An array that has to be checked once the kernel and its device are known (ArrayChecks.cpp).
struct Doubt {
  size_t parameter;
  size_t slot;
  PyTypeObject *type; // of the array, for messages; borrowed from it
  int gpu;            // the number of its GPU, or -1
  bool lacksMemory;   // it has elements but no address, as on torch's meta device
};

struct Arguments {
  Buffer<uint32_t, 128> words;
  Buffer<PyObject *, 32> values; // borrowed from the call, or kept by `owned`
  Buffer<uint64_t, 128> slots;
  Buffer<Doubt, 8> doubts; // arrays that are read-only or have no memory
  Buffer<PyObject *, 8> owned;
  uint32_t places = 0; // the places of its arrays; a bit for each Place
  int gpu = -1;        // the GPU of the first array that knows its GPU
  bool mixesGPUs = false;
  bool takesDtypes = false; // a torch.dtype stands for a tensor of it, as in a warm-up
  // If true, `doubts` collects the arrays that `device` may not be able to access.
  bool notesElsewhere = false;
  DeviceNumber device = kNoDevice;

  Arguments() = default;
  ~Arguments() {
    for (PyObject *object : owned)
      Py_DECREF(object);
  }
  void own(Ref object) { owned.push(object.release()); }
  bool sees(Place place) const { return places >> uint32_t(place) & 1; }
  void see(Place place, int onGPU) {
    places |= 1u << uint32_t(place);
    if (onGPU == gpu || onGPU < 0)
      return;
    mixesGPUs |= gpu >= 0;
    gpu = gpu < 0 ? onGPU : gpu;
  }
};

/// Classifies the bound arguments. False: an exception is set that names the kernel and the
/// argument.
bool classify(const Parameters &parameters, const Binding &binding, Arguments &arguments);

/// The device that a call with these arguments runs on; kNoDevice with an exception set on failure.
DeviceNumber chooseDevice(const Arguments &arguments);

/// The specialization that _make_variant gets: [(type, key), ...], one for each parameter.
Ref specializationOf(const Parameters &parameters, const Arguments &arguments);

/// The inverse: fills in the words and values of arguments with this specialization, but no slots.
/// False: an exception is set.
bool readSpecialization(const Parameters &parameters, PyObject *list, Arguments &arguments);

/// The storage of each slot, in order.
void storagesOf(const Parameters &parameters, const Arguments &arguments,
                Buffer<Storage, 128> &storages);

/// The parts that a tensor descriptor is passed as.
struct DescriptorParts {
  static constexpr size_t kMostDimensions = 5;
  Ref base;
  size_t rank = 0;
  int64_t shape[kMostDimensions], strides[kMostDimensions];
  uint32_t block[kMostDimensions];
  bool padsWithNaN = false;
};
/// False: an exception is set.
bool readDescriptor(PyObject *descriptor, DescriptorParts &parts);

/// Prepends "argument 'x' of kernel 'add': " to the message of the current exception.
void nameArgument(PyObject *kernel, PyObject *argument);

} // namespace tessera::python
