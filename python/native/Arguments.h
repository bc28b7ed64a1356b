//===- Arguments.h - what a call's arguments mean to the compiler ---------===//
// Each argument is classified (spec of the language, 2.7) into words, which
// tell one compiled variant from another, and slots, which a launch passes:
//
//   add[grid](x, y, out, n=4096, BLOCK=1024)
//   words:  pointer fp32 D, pointer fp32 D, pointer fp32 D, scalar i32 D, constexpr
//   values: 1024                        what the constexpr word stands for
//   slots:  x.data_ptr(), y.data_ptr(), out.data_ptr(), 4096
//
// A tuple is its elements between a begin and an end; a tensor descriptor is
// one word with its block's extents after it, and 1 + 2 * rank slots.
//===----------------------------------------------------------------------===//
#pragma once

#include "Arrays.h"
#include "Parameters.h"
#include "ProcessState.h"

namespace tessera::python {

/// What a word says; together with its element type and key it fits 32 bits.
enum class Role : uint32_t {
  Scalar,
  Pointer,
  ConstPointer,
  Constexpr,  // the next of `values`
  TupleBegin, // the tuple's class is the next of `values`
  TupleEnd,
  Descriptor, // `extra`: its rank, plus kPadsWithNaN; the extents of its block follow as they are
  Forced,     // the parameter's annotated type
};

/// Beside the rank of a descriptor, which is at most 5.
inline constexpr uint32_t kPadsWithNaN = 8;

/// The second half of a specialization: None, "", "D" or 1.
enum class Key : uint32_t { None, Empty, Divisible, One };

/// 5 bits element, 3 bits role, 2 bits key, the rest `extra`.
struct Word {
  Element element;
  Role role;
  Key key;
  uint32_t extra;
  static constexpr uint32_t kMostExtra = (1u << 22) - 1;

  static uint32_t pack(Role role, Element element = Element::None, Key key = Key::None,
                       uint32_t extra = 0) {
    return uint32_t(element) | uint32_t(role) << 5 | uint32_t(key) << 8 | extra << 10;
  }
  static Word unpack(uint32_t bits) {
    return {Element(bits & 31), Role(bits >> 5 & 7), Key(bits >> 8 & 3), bits >> 10};
  }
};

/// An array that has to be looked at again once the kernel and its device are known.
struct Doubt {
  size_t parameter;
  size_t slot;
  PyTypeObject *type; // of the array, for messages; borrowed from it
  int gpu;            // that it is on, or -1
  bool lacksMemory;   // it has elements, and they are nowhere
};

struct Arguments {
  Buffer<uint32_t, 128> words;
  Buffer<PyObject *, 32> values; // borrowed from the call, or kept by `owned`
  Buffer<uint64_t, 128> slots;
  Buffer<Doubt, 8> doubts; // arrays that are read-only, which the kernel may write to, or nowhere
  Buffer<PyObject *, 8> owned;
  uint32_t places = 0; // of its arrays; a bit for each Place
  int gpu = -1;        // of the first array that says which
  bool mixesGPUs = false;
  bool takesDtypes = false; // a torch.dtype stands for a tensor of it, as in a warm-up
  // A second look: the doubts are then the arrays that `device` may not reach.
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

/// Classifies what a call bound. False: an exception is set that names the kernel and the argument.
bool classify(const Parameters &parameters, const Binding &binding, Arguments &arguments);

/// Where a call with these arguments runs; kNoDevice with an exception set on failure.
DeviceNumber chooseDevice(const Arguments &arguments);

/// [(type, key), ...], one for each parameter: what _make_variant gets.
Ref specializationOf(const Parameters &parameters, const Arguments &arguments);

/// The words and values of arguments that have such a specialization; no slots. False: an exception
/// is set.
bool readSpecialization(const Parameters &parameters, PyObject *list, Arguments &arguments);

/// How each slot is stored, in order.
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

/// Puts "argument 'x' of kernel 'add': " before the message of the exception that is set.
void nameArgument(PyObject *kernel, PyObject *argument);

} // namespace tessera::python
