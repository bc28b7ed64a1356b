//===- TTGLayouts.h - from encodings to linear layouts and back -----------===//
// The one place where a pass turns an attribute into the map it denotes. After
// that nothing asks which encoding it was:
//
//   LinearLayout layout = toLinearLayout(cast<RankedTensorType>(v.getType()));
//
// Requires a verified type or encoding: every dimension a power of two, of the
// encoding's rank. Cost: microseconds; keep the result rather than asking in a loop.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::ttg {

/// (register, lane, warp, block) -> dims of a distributed encoding, (offset, block) ->
/// dims of a shared one. For padded buffers this is the linear part; the padding is
/// added to the offset (paddedOffset).
LinearLayout toLinearLayout(mlir::Attribute encoding, llvm::ArrayRef<int64_t> shape);
LinearLayout toLinearLayout(mlir::RankedTensorType type);
/// Of the whole buffer, in the dimensions that the encoding lays out.
LinearLayout toLinearLayout(MemDescType type);

/// `layout` as an encoding: (register, lane, warp, block), or (offset, block).
/// Requires a basis to move in at most one dimension for tensors.
LinearEncodingAttr toLinearEncoding(mlir::MLIRContext *context, const LinearLayout &layout);
SharedLinearEncodingAttr toSharedLinearEncoding(mlir::MLIRContext *context,
                                                const LinearLayout &layout, unsigned alignment);

} // namespace tessera::ttg
