//===- BufferUse.h - how a tensor's buffer in shared memory is used --------===//
// The question that Layout/SharedChoice.h answers, for a buffer that one tensor fills and that is
// read in the layouts of others.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera {

SharedBufferUse bufferUse(mlir::RankedTensorType written,
                          llvm::ArrayRef<mlir::RankedTensorType> read, const MachineModel &machine);

/// Returns the encoding of a buffer for `written` with this swizzle.
mlir::Attribute swizzledEncoding(mlir::RankedTensorType written,
                                 const SwizzledSharedParams &params);

} // namespace tessera
