//===- TTInference.cpp - result types that follow from operands -----------===//
// Shapes are decided here; encodings by the dialect that owns them.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;
using namespace tessera::tt;

/// A diagnostic at `loc`, or an inactive one when inference is only tried.
static InFlightDiagnostic optionalError(std::optional<Location> loc) {
  return loc ? mlir::emitError(*loc) : InFlightDiagnostic();
}

/// What `infer` makes of an encoding; none stays none.
static FailureOr<Attribute>
inferEncoding(Attribute source, ErrorEmitter emitError,
              function_ref<FailureOr<Attribute>(const LayoutInterface &)> infer) {
  if (!source)
    return Attribute();
  const LayoutInterface *layouts = LayoutInterface::of(source, emitError);
  if (!layouts)
    return failure();
  return infer(*layouts);
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                             Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto emitError = [&] { return optionalError(loc) << "'tt.expand_dims' op "; };
  auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
  int32_t axis = adaptor.getAxis();
  // [tt.expand_dims.C1] the new dimension is among the result's
  if (axis < 0 || axis > source.getRank())
    return emitError() << "axis " << axis << " is not in [0, " << source.getRank() << "]";
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  // [tt.expand_dims.C2] the encoding has room for the new dimension
  FailureOr<Attribute> encoding =
      inferEncoding(source.getEncoding(), emitError, [&](const LayoutInterface &layouts) {
        return layouts.inferExpandDims(source.getEncoding(), axis, emitError);
      });
  if (failed(encoding))
    return failure();
  results.push_back(RankedTensorType::get(shape, source.getElementType(), *encoding));
  return success();
}
