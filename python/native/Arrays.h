//===- Arrays.h - what an argument is, and where its memory lies ----------===//
// Arguments are told apart by their type, which is looked into once and then
// remembered. Memory is found by the cheapest way that its owner offers:
//
//   torch.Tensor, Parameter         one call of DLPack's C exchange API (torch 2.11 and later)
//   torch's before, and subclasses  data_ptr(), dtype, is_cuda
//   other objects with data_ptr()   the same; `device` where is_cuda is missing
//   numpy.ndarray                   __array_struct__: a C struct in a capsule
//   __cuda_array_interface__, __array_interface__, __dlpack__ in this order
//
// Cost: 0.05 us for a tensor of a new torch, 0.1 us for one of an old torch or a NumPy array.
//===----------------------------------------------------------------------===//
#pragma once

#include "DLPack.h"
#include "Storage.h"

namespace tessera::python {

enum class Kind : uint32_t {
  Unknown,
  None,
  Bool,
  Int,
  Float,
  Tensor, // a torch.Tensor or Parameter itself, which overrides nothing
  Torch,  // one derived from them, with torch's data_ptr()
  NumPy,
  Pointer,        // has data_ptr() and dtype
  CudaInterface,  // __cuda_array_interface__
  ArrayInterface, // __array_interface__
  DLPack,
  Tuple,
  Descriptor,
  Constexpr, // a constexpr object, with its value
  Function,  // a jit function, with its cache key
  Dtype,     // a torch.dtype, which warm-ups take for a tensor of it
  Other,
};

/// The kind of an argument, by its type; never fails.
Kind kindOf(PyObject *argument);
/// The same, but looks also at what an instance offers and its type does not; slow for such.
Kind arrayKindOf(PyObject *argument);
/// Whether arguments of the kind are passed as pointers.
inline bool isArray(Kind kind) { return kind >= Kind::Tensor && kind <= Kind::DLPack; }

/// Makes instances of a type, and of types derived from it, of a kind.
void registerKind(PyTypeObject *type, Kind kind);

enum class Place : uint32_t { Host, GPU, Unknown };

struct Location {
  uint64_t address = 0;
  Element element = Element::None;
  Place place = Place::Unknown;
  int gpu = -1; // its number, where it is known
};

struct Memory : Location {
  bool isReadOnly = false;
  Ref keeper; // what must live until the launch has happened
};

/// Asks an array. False: an exception is set, which does not name the argument.
bool readMemory(PyObject *array, Kind kind, Memory &memory);
/// The same for Kind::Tensor.
bool readTensor(PyObject *tensor, Location &memory);

/// torch.Tensor, where its type has been seen and has DLPack's table: all that most tensors need.
struct QuickTensors {
  PyTypeObject *type = nullptr;
  const DLPackExchange *exchange = nullptr; // not null where the type is not
};

/// The type of a tensor's elements, after its description; None, without an exception, if kernels
/// do not know it.
Element elementOfTensor(PyObject *tensor, const DLTensor &description);
/// Whether the description alone tells it: types of fewer bits are described as these.
inline bool isDescribed(Element element) {
  return element != Element::Int8 && element != Element::UInt8;
}

/// The element type that a dtype object stands for; None with an exception set on failure.
Element elementOf(PyObject *dtype);

} // namespace tessera::python
