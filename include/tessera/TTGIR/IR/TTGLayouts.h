//===- TTGLayouts.h - from encodings to linear layouts and back -----------===//
// The only place where an attribute is converted to the map that it denotes. Code that uses the map
// does not ask which encoding it came from:
//
//   LinearLayout layout = toLinearLayout(cast<RankedTensorType>(v.getType()));
//
// Requires a verified type or encoding: every dimension is a power of two, and the rank is the
// encoding's. Cost: microseconds; keep the result instead of calling this in a loop.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::ttg {

/// Returns (register, lane, warp, block) -> dims for a distributed encoding, and (offset, block) ->
/// dims for a shared one. For padded buffers this is the linear part; the padding is added to the
/// offset (paddedOffset).
LinearLayout toLinearLayout(mlir::Attribute encoding, llvm::ArrayRef<int64_t> shape);
LinearLayout toLinearLayout(mlir::RankedTensorType type);
/// Returns the layout of the whole buffer, in the dimensions of the encoding.
LinearLayout toLinearLayout(MemDescType type);

/// Returns `layout` as an encoding: (register, lane, warp, block), or (offset, block). For tensors,
/// a basis must move along at most one dimension.
LinearEncodingAttr toLinearEncoding(mlir::MLIRContext *context, const LinearLayout &layout);
SharedLinearEncodingAttr toSharedLinearEncoding(mlir::MLIRContext *context,
                                                const LinearLayout &layout, unsigned alignment);

} // namespace tessera::ttg
