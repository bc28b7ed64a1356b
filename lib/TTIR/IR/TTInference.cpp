//===- TTInference.cpp - result types that follow from operands -----------===//
// Shapes are inferred here; encodings are inferred by the dialect that owns them.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;
using namespace tessera::tt;

/// Returns a diagnostic at `loc`, or an inactive one if `loc` is empty.
static InFlightDiagnostic optionalError(std::optional<Location> loc) {
  return loc ? mlir::emitError(*loc) : InFlightDiagnostic();
}

/// Returns whether `order` contains each of 0 to rank - 1 once.
static bool isPermutation(ArrayRef<int32_t> order, int64_t rank) {
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<int32_t>(0, rank));
}

/// Applies `infer` to an encoding; a null encoding stays null.
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

/// Returns whether the types are equal, where encodings count as equal if they place elements
/// alike.
static bool sameUpToLayout(TypeRange as, TypeRange bs) {
  auto same = [](Type a, Type b) {
    if (a == b)
      return true;
    auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
    if (!x || !y || x.getShape() != y.getShape() || x.getElementType() != y.getElementType() ||
        !x.getEncoding() || !y.getEncoding())
      return false;
    const LayoutInterface *layouts =
        LayoutInterface::of(x.getEncoding(), [] { return InFlightDiagnostic(); });
    return layouts && layouts->denoteSameLayout(x.getShape(), x.getEncoding(), y.getEncoding());
  };
  return as.size() == bs.size() && llvm::all_of(llvm::zip(as, bs), [&](auto pair) {
           return same(std::get<0>(pair), std::get<1>(pair));
         });
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

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

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto emitError = [&] { return optionalError(loc) << "'tt.trans' op "; };
  auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
  ArrayRef<int32_t> order = adaptor.getOrder();
  // [tt.trans.C1] order is a permutation of the dimensions
  if (!isPermutation(order, source.getRank()))
    return emitError() << "order [" << order << "] is not a permutation of " << source.getRank()
                       << " dimensions";
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(source.getDimSize(dim));
  // [tt.trans.C2] the result's encoding is the source's, permuted
  FailureOr<Attribute> encoding =
      inferEncoding(source.getEncoding(), emitError, [&](const LayoutInterface &layouts) {
        return layouts.inferTrans(source.getEncoding(), source.getShape(), order, emitError);
      });
  if (failed(encoding))
    return failure();
  results.push_back(RankedTensorType::get(shape, source.getElementType(), *encoding));
  return success();
}

bool TransOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return sameUpToLayout(inferred, actual);
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  auto emitError = [&] { return optionalError(loc) << "'tt.join' op "; };
  auto source = cast<RankedTensorType>(adaptor.getLhs().getType());
  SmallVector<int64_t> shape(source.getShape());
  shape.push_back(2);
  // [tt.join.C1] the encoding holds both halves in one thread
  FailureOr<Attribute> encoding =
      inferEncoding(source.getEncoding(), emitError, [&](const LayoutInterface &layouts) {
        return layouts.inferJoin(source.getEncoding(), source.getShape(), emitError);
      });
  if (failed(encoding))
    return failure();
  results.push_back(RankedTensorType::get(shape, source.getElementType(), *encoding));
  return success();
}

/// The inferred result has the two halves in a thread's lowest register bit. Every other register
/// bit is accepted too, because splitting the result then still gives the operands.
bool JoinOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  if (sameUpToLayout(inferred, actual))
    return true;
  if (inferred.size() != 1 || actual.size() != 1)
    return false;
  auto ours = dyn_cast<RankedTensorType>(inferred[0]),
       theirs = dyn_cast<RankedTensorType>(actual[0]);
  if (!ours || !theirs || ours.getShape() != theirs.getShape() ||
      ours.getElementType() != theirs.getElementType() || !ours.getEncoding() ||
      !theirs.getEncoding())
    return false;
  auto quiet = [] { return InFlightDiagnostic(); };
  const LayoutInterface *layouts = LayoutInterface::of(theirs.getEncoding(), quiet);
  if (!layouts)
    return false;
  auto ourHalf = layouts->inferSplit(ours.getEncoding(), ours.getShape(), quiet);
  auto theirHalf = layouts->inferSplit(theirs.getEncoding(), theirs.getShape(), quiet);
  return succeeded(ourHalf) && succeeded(theirHalf) &&
         layouts->denoteSameLayout(ours.getShape().drop_back(), *ourHalf, *theirHalf);
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto emitError = [&] { return optionalError(loc) << "'tt.split' op "; };
  auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
  // [tt.split.C1] there are two halves
  if (source.getRank() == 0 || source.getShape().back() != 2)
    return emitError() << "needs a last dimension of size 2, but got " << source;
  // [tt.split.C2] a thread holds both
  FailureOr<Attribute> encoding =
      inferEncoding(source.getEncoding(), emitError, [&](const LayoutInterface &layouts) {
        return layouts.inferSplit(source.getEncoding(), source.getShape(), emitError);
      });
  if (failed(encoding))
    return failure();
  auto half =
      RankedTensorType::get(source.getShape().drop_back(), source.getElementType(), *encoding);
  results.assign(2, half);
  return success();
}

bool SplitOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return sameUpToLayout(inferred, actual);
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  results.push_back(indices.clone(source.getElementType()));
  return success();
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, ArrayRef<int64_t> shape, Value src,
                      bool allowReorder) {
  auto source = cast<RankedTensorType>(src.getType());
  auto quiet = [] { return InFlightDiagnostic(); };
  FailureOr<Attribute> encoding =
      inferEncoding(source.getEncoding(), quiet, [&](const LayoutInterface &layouts) {
        return layouts.inferReshape(source.getEncoding(), source.getShape(), shape, quiet);
      });
  // If the reshaped layout has no encoding, the type stays without one and the verifier rejects it.
  auto type = RankedTensorType::get(shape, source.getElementType(),
                                    succeeded(encoding) ? *encoding : Attribute());
  build(builder, state, type, src, allowReorder, /*efficient_layout=*/false);
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto emitError = [&] { return optionalError(loc) << "'tt.reduce' op "; };
  int32_t axis = adaptor.getAxis();
  for (Value operand : adaptor.getSrcs()) {
    auto source = cast<RankedTensorType>(operand.getType());
    // [tt.reduce.C1] the dimension is one of the operands'
    if (axis < 0 || axis >= source.getRank())
      return emitError() << "axis " << axis << " is not in [0, " << source.getRank() << ")";
    if (source.getRank() == 1) {
      results.push_back(source.getElementType());
      continue;
    }
    SmallVector<int64_t> shape(source.getShape());
    shape.erase(shape.begin() + axis);
    // Every encoding of two or more dimensions can be sliced.
    FailureOr<Attribute> encoding =
        inferEncoding(source.getEncoding(), emitError, [&](const LayoutInterface &layouts) {
          return layouts.inferReduce(source.getEncoding(), axis, emitError);
        });
    if (failed(encoding))
      return failure();
    results.push_back(RankedTensorType::get(shape, source.getElementType(), *encoding));
  }
  return success();
}

bool ReduceOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return sameUpToLayout(inferred, actual);
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  llvm::append_range(results, adaptor.getSrcs().getTypes());
  return success();
}
