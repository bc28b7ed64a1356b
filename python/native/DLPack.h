//===- DLPack.h - the parts of DLPack that the extension uses -------------===//
// Declared from DLPack's public documentation (dmlc.github.io/dlpack): the
// tensors in capsules, and the table of C functions that types offer as
// `__dlpack_c_exchange_api__` since version 1.2. Its functions describe a tensor
// and return the current stream without creating Python objects:
//
//   const DLPackExchange *torch = exchangeOf(torch.Tensor);
//   DLTensor found;
//   if (torch && torch->describeTensor(tensor, &found) == 0) ... found.data ...
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// The tensor of version 0.x, which is also the first member of 1.x's managed tensor.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceNumber;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
enum : int32_t { kDLHost = 1, kDLCuda = 2, kDLCudaHost = 3, kDLRocm = 10, kDLCudaManaged = 13 };

inline bool isOnGPU(const DLTensor &tensor) {
  return tensor.deviceType == kDLCuda || tensor.deviceType == kDLRocm;
}

/// Major version 1. The functions return 0, or -1 with an exception set.
struct DLPackExchange {
  uint32_t majorVersion, minorVersion;
  const DLPackExchange *older;
  void (*allocate)(), (*toCapsule)(), (*fromCapsule)(); // unused
  /// Describes a tensor of the type that offers the table; the tensor owns the shape and strides.
  int (*describeTensor)(void *tensor, DLTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t deviceNumber, void **stream); // may be null
};

/// The table of a type; null without an exception if it has none of a known version.
const DLPackExchange *exchangeOf(PyObject *type);

} // namespace tessera::python
