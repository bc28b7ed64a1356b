//===- TTGLayouts.cpp - from encodings to linear layouts and back ---------===//
#include "tessera/TTGIR/IR/TTGLayouts.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

static LinearLayout sliceOf(SliceEncodingAttr slice, ArrayRef<int64_t> shape) {
  LinearLayout parent = toLinearLayout(slice.getParent(), sliceParentShape(shape, slice.getDim()));
  return sliceLayout(parent, slice.getDim());
}

static LinearLayout dotOperandOf(DotOperandEncodingAttr operand, ArrayRef<int64_t> shape) {
  if (auto blocked = dyn_cast<BlockedEncodingAttr>(operand.getParent()))
    return dotOperandLayout(shape, operand.getOpIdx(), blocked.getParams());
  if (auto mma = dyn_cast<NvidiaMmaEncodingAttr>(operand.getParent()))
    return dotOperandLayout(shape, operand.getOpIdx(), operand.getKWidth(), mma.getParams());
  if (auto mfma = dyn_cast<AmdMfmaEncodingAttr>(operand.getParent()))
    return dotOperandLayout(shape, operand.getOpIdx(), operand.getKWidth(), mfma.getParams());
  if (auto wmma = dyn_cast<AmdWmmaEncodingAttr>(operand.getParent()))
    return dotOperandLayout(shape, operand.getOpIdx(), operand.getKWidth(), wmma.getParams());
  return LinearLayout();
}

LinearLayout ttg::toLinearLayout(Attribute encoding, ArrayRef<int64_t> shape) {
  return llvm::TypeSwitch<Attribute, LinearLayout>(encoding)
      .Case([&](BlockedEncodingAttr e) { return blockedLayout(shape, e.getParams()); })
      .Case([&](SliceEncodingAttr e) { return sliceOf(e, shape); })
      .Case([&](LinearEncodingAttr e) { return linearLayout(shape, e.getLayout()); })
      .Case([&](NvidiaMmaEncodingAttr e) { return nvidiaMmaLayout(shape, e.getParams()); })
      .Case([&](AmdMfmaEncodingAttr e) { return amdMfmaLayout(shape, e.getParams()); })
      .Case([&](AmdWmmaEncodingAttr e) { return amdWmmaLayout(shape, e.getParams()); })
      .Case([&](DotOperandEncodingAttr e) { return dotOperandOf(e, shape); })
      .Case(
          [&](SwizzledSharedEncodingAttr e) { return swizzledSharedLayout(shape, e.getParams()); })
      .Case([&](AmdRotatingSharedEncodingAttr e) {
        return rotatingSharedLayout(shape, e.getParams());
      })
      .Case([&](NvmmaSharedEncodingAttr e) { return nvmmaSharedLayout(shape, e.getParams()); })
      .Case([&](SharedLinearEncodingAttr e) { return e.getLayout(); })
      .Case([&](PaddedSharedEncodingAttr e) { return e.getLayout(); })
      .Default([](Attribute) { return LinearLayout(); });
}

LinearLayout ttg::toLinearLayout(RankedTensorType type) {
  return toLinearLayout(type.getEncoding(), type.getShape());
}

LinearLayout ttg::toLinearLayout(MemDescType type) {
  return toLinearLayout(type.getEncoding(), type.getLayoutShape());
}

LinearEncodingAttr ttg::toLinearEncoding(MLIRContext *context, const LinearLayout &layout) {
  return LinearEncodingAttr::get(context, layout);
}

SharedLinearEncodingAttr
ttg::toSharedLinearEncoding(MLIRContext *context, const LinearLayout &layout, unsigned alignment) {
  return SharedLinearEncodingAttr::get(context, layout, alignment);
}
