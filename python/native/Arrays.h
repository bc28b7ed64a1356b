//===- Arrays.h - read the memory of array arguments ----------------------===//
// The kind of an argument depends on its type; it is found once for each type
// and then cached. The address, element type and device of an array are read in
// the fastest way that its type offers:
//
//   torch.Tensor, Parameter         one call of DLPack's C exchange API (torch 2.11 and later)
//   older torch, and subclasses     data_ptr(), dtype, is_cuda
//   other objects with data_ptr()   the same; `device` if is_cuda is missing
//   numpy.ndarray                   __array_struct__: a C struct in a capsule
//   __cuda_array_interface__, __array_interface__, __dlpack__ in this order
//
// Cost: 0.05 us for a tensor of torch 2.11 or later, 0.1 us for one of an older torch or for a
// NumPy array.
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
  Tensor, // exactly torch.Tensor or Parameter
  Torch,  // a subclass that inherits data_ptr()
  NumPy,
  Pointer,        // has data_ptr() and dtype
  CudaInterface,  // __cuda_array_interface__
  ArrayInterface, // __array_interface__
  DLPack,
  Tuple,
  Descriptor,
  Constexpr, // a constexpr object
  Function,  // a jit function
  Dtype,     // a torch.dtype; in a warm-up it stands for a tensor
  Other,
};

/// The kind of an argument, by its type; never fails.
Kind kindOf(PyObject *argument);
/// The same, but also finds attributes that only the instance has, which is slow.
Kind arrayKindOf(PyObject *argument);
/// Returns whether arguments of the kind are passed as pointers.
inline bool isArray(Kind kind) { return kind >= Kind::Tensor && kind <= Kind::DLPack; }

/// Registers the kind of the instances of a type and of its subclasses.
void registerKind(PyTypeObject *type, Kind kind);

enum class Place : uint32_t { Host, GPU, Unknown };

struct Location {
  uint64_t address = 0;
  Element element = Element::None;
  Place place = Place::Unknown;
  int gpu = -1; // the number of the GPU, if known
};

struct Memory : Location {
  bool isReadOnly = false;
  Ref keeper; // an object that must live until the launch has been queued
};

/// Reads an array. False: an exception is set, which does not name the argument.
bool readMemory(PyObject *array, Kind kind, Memory &memory);
/// The same for Kind::Tensor.
bool readTensor(PyObject *tensor, Location &memory);

/// Returns whether the memory that a tensor is part of has less than 2 GiB; false if that is not
/// known. Asks torch's untyped_storage(), and objects without one for ptr_range().
bool isSmallTensor(PyObject *tensor);

/// torch.Tensor and its DLPack table, once a tensor has been seen.
struct QuickTensors {
  PyTypeObject *type = nullptr;
  const DLPackExchange *exchange = nullptr; // null if and only if `type` is
};

/// The element type of a tensor that DLPack has described; None, without an exception, if kernels
/// do not support it.
Element elementOfTensor(PyObject *tensor, const DLTensor &description);
/// Returns whether DLPack's description is enough to tell the type: it describes narrower types as
/// i8 or u8.
inline bool isDescribed(Element element) {
  return element != Element::Int8 && element != Element::UInt8;
}

/// The element type of a dtype object; None with an exception set on failure.
Element elementOf(PyObject *dtype);

} // namespace tessera::python
