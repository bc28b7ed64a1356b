//===- NpyFile.h - NumPy's array files ------------------------------------===//
// Reads format versions 1 to 3 and writes 1 (or 2 for a long header).
//
//   type          in the file          type          in the file
//   i8 ... i64    <i1 ... <i8          fp16 .. fp64  <f2 <f4 <f8
//   u8 ... u64    <u1 ... <u8          bf16          <u2, the bits (also read: |V2)
//   i1            |b1                  fp8e4nv fp8e5 |u1, the bits (also read: |V1)
//
// Arrays in Fortran order, of the other byte order, or of another type are
// rejected with the NumPy expression that converts them.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/HostArray.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tessera {

/// The file must hold elements of `type`; its shape becomes the array's.
llvm::Expected<HostArray> readNpy(llvm::StringRef path, DType type);

/// All or nothing, as Support/Files.h writes.
llvm::Error writeNpy(llvm::StringRef path, const HostArray &array);

} // namespace tessera
