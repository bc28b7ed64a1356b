//===- DLPack.h - the part of DLPack that we read -------------------------===//
// Declared from DLPack's public description (dmlc.github.io/dlpack): tensors as
// capsules carry them, and the table of C functions that types of version 1.2
// and later offer as `__dlpack_c_exchange_api__`. It describes a tensor, and
// tells the current stream, without making Python objects:
//
//   const DLPackExchange *torch = exchangeOf(torch.Tensor);
//   DLTensor found;
//   if (torch && torch->describeTensor(tensor, &found) == 0) ... found.data ...
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// Version 0.x, and the beginning of 1.x's managed tensor.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceNumber;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
enum : int32_t { kDLHost = 1, kDLCuda = 2, kDLCudaHost = 3, kDLCudaManaged = 13 };

/// Major version 1. The functions return 0, or -1 with an exception set.
struct DLPackExchange {
  uint32_t majorVersion, minorVersion;
  const DLPackExchange *older;
  void (*allocate)(), (*toCapsule)(), (*fromCapsule)(); // not called by us
  /// What it fills in belongs to the tensor, of the type that the table is from.
  int (*describeTensor)(void *tensor, DLTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t deviceNumber, void **stream); // may be null
};

/// The table of a type; null without an exception if it has none that we know.
const DLPackExchange *exchangeOf(PyObject *type);

} // namespace tessera::python
