//===- TTVerifyRegions.cpp - dots, and ops that take a region -------------===//
// The rules of tt.dot, tt.dot_scaled, tt.reduce, tt.scan and tt.map_elementwise; for the ids see
// TTVerify.cpp.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::tt;

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Checks the sizes of a (batched) matrix product: [.., M, K] x [.., K, N] -> [.., M, N].
static LogicalResult verifyProduct(Operation *op, ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                   ArrayRef<int64_t> c) {
  // [tt.dot.C1] matrices, or batches of them
  if (a.size() != b.size() || a.size() != c.size() || a.size() < 2 || a.size() > 3)
    return op->emitOpError() << "needs three tensors of rank 2 or 3, but got ranks " << a.size()
                             << ", " << b.size() << " and " << c.size();
  // [tt.dot.C2] inner sizes agree
  size_t row = a.size() - 2, column = a.size() - 1;
  if (a[column] != b[row])
    return op->emitOpError() << "inner sizes differ: " << a[column] << " and " << b[row];
  // [tt.dot.C3] outer sizes agree
  if (a[row] != c[row] || b[column] != c[column])
    return op->emitOpError() << "adds a product of size " << a[row] << "x" << b[column]
                             << " to one of size " << c[row] << "x" << c[column];
  // [tt.dot.C4] batches agree
  if (a.size() == 3 && (a[0] != b[0] || a[0] != c[0]))
    return op->emitOpError() << "batch sizes differ: " << a[0] << ", " << b[0] << " and " << c[0];
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  if (failed(verifyProduct(*this, a.getShape(), b.getShape(), c.getShape())))
    return failure();
  // [tt.dot.C5] operands are equally wide
  if (getElementBits(a) != getElementBits(b))
    return emitOpError() << "operands have elements of " << getElementBits(a) << " and "
                         << getElementBits(b) << " bits";
  // [tt.dot.C6] all operands are laid out, or none
  bool laidOut = bool(c.getEncoding());
  if (bool(a.getEncoding()) != laidOut || bool(b.getEncoding()) != laidOut)
    return emitOpError() << "needs encodings on all operands or on none";
  if (!laidOut)
    return success();
  // [tt.dot.C7] the layouts fit together
  auto emitError = [&] { return emitOpError(); };
  const LayoutInterface *layouts = LayoutInterface::of(c.getEncoding(), emitError);
  return success(layouts && succeeded(layouts->verifyDot(a, b, c, emitError)));
}

/// Returns the operand's shape with packed pairs counted as two elements. `inner` is its K
/// dimension.
static SmallVector<int64_t> unpackedShape(RankedTensorType type, ScaleDotElemType element,
                                          bool packedAlongK, unsigned inner, unsigned outer) {
  SmallVector<int64_t> shape(type.getShape());
  if (element == ScaleDotElemType::E2M1)
    shape[packedAlongK ? inner : outer] *= 2;
  return shape;
}

/// Checks that `scale` has the shape [.., outer, K / f].
static LogicalResult verifyScale(Operation *op, StringRef name, Value scale, int64_t outer,
                                 int64_t inner) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  int64_t group = isa<Float8E4M3FNType>(type.getElementType()) ? 16 : 32;
  // [tt.dot_scaled.C3] one scale for each group along K
  if (type.getRank() < 2 ||
      type.getShape().drop_front(type.getRank() - 2) != ArrayRef<int64_t>({outer, inner / group}))
    return op->emitOpError() << name << " should be " << outer << "x" << inner / group
                             << ", but is " << type;
  return success();
}

LogicalResult DotScaledOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  // [tt.dot_scaled.C1] pairs of e2m1 come in bytes
  for (auto [type, element] : {std::pair(a, getAElemType()), std::pair(b, getBElemType())})
    if (element == ScaleDotElemType::E2M1 && !type.getElementType().isInteger(8))
      return emitOpError() << "e2m1 operands are i8, but got " << type;
  // [tt.dot_scaled.C2] the sizes are those of a product, packed pairs counted as two
  unsigned rank = c.getRank();
  if (a.getRank() != rank || b.getRank() != rank || rank < 2 || !a.hasStaticShape() ||
      !b.hasStaticShape())
    return emitOpError() << "needs three tensors of rank 2 or 3, but got " << a << ", " << b
                         << " and " << c;
  SmallVector<int64_t> left = unpackedShape(a, getAElemType(), getLhsKPack(), rank - 1, rank - 2);
  SmallVector<int64_t> right = unpackedShape(b, getBElemType(), getRhsKPack(), rank - 2, rank - 1);
  if (failed(verifyProduct(*this, left, right, c.getShape())))
    return failure();
  int64_t inner = left[rank - 1];
  if (failed(verifyScale(*this, "a's scale", getAScale(), left[rank - 2], inner)))
    return failure();
  return verifyScale(*this, "b's scale", getBScale(), right[rank - 1], inner);
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// [tt.reduce.C2] [tt.scan.C2] the block takes two tuples of elements
/// [tt.reduce.C3] [tt.scan.C3] and returns one
static LogicalResult verifyCombiner(Operation *op, Block &block, TypeRange operands) {
  SmallVector<Type> tuple;
  for (Type type : operands)
    tuple.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> both(tuple);
  llvm::append_range(both, tuple);
  if (block.getArgumentTypes() != TypeRange(both))
    return op->emitOpError() << "region takes (" << block.getArgumentTypes()
                             << "), but should take (" << both << ")";
  Operation *last = block.getTerminator();
  if (TypeRange(last->getOperandTypes()) != TypeRange(tuple)) {
    InFlightDiagnostic diag = op->emitOpError() << "region returns (" << last->getOperandTypes()
                                                << "), but should return (" << tuple << ")";
    diag.attachNote(last->getLoc()) << "returned here";
    return diag;
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombiner(*this, getCombineOp().front(), getOperandTypes());
}

LogicalResult ScanOp::verifyRegions() {
  // [tt.scan.C1] the dimension is one of the operands'
  int64_t rank = cast<RankedTensorType>(getSrcs().front().getType()).getRank();
  if (getAxis() < 0 || getAxis() >= rank)
    return emitOpError() << "axis " << getAxis() << " is not in [0, " << rank << ")";
  return verifyCombiner(*this, getCombineOp().front(), getOperandTypes());
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

LogicalResult MapElementwiseOp::verify() {
  // [tt.map_elementwise.C1] groups are of powers of two
  if (getPack() < 1 || !llvm::isPowerOf2_32(getPack()))
    return emitOpError() << "pack is " << getPack() << ", but must be a power of two";
  return success();
}

/// Returns each type repeated `pack` times.
static SmallVector<Type> packElements(TypeRange types, int32_t pack) {
  SmallVector<Type> elements;
  for (Type type : types)
    elements.append(pack, getElementTypeOrSelf(type));
  return elements;
}

LogicalResult MapElementwiseOp::verifyRegions() {
  // The region needs an argument for each element, so a large pack is rejected before the list is
  // built.
  size_t numArguments = getScalarOp().getNumArguments();
  // [tt.map_elementwise.C2] the region takes a group of each operand
  if (numArguments != getNumOperands() * size_t(getPack()))
    return emitOpError() << "region takes " << numArguments << " values, but should take "
                         << getNumOperands() * size_t(getPack());
  SmallVector<Type> arguments = packElements(getOperandTypes(), getPack());
  if (getScalarOp().getArgumentTypes() != TypeRange(arguments))
    return emitOpError() << "region takes (" << getScalarOp().getArgumentTypes()
                         << "), but should take (" << arguments << ")";
  // [tt.map_elementwise.C3] and returns one of each result
  SmallVector<Type> results = packElements(getResultTypes(), getPack());
  for (Block &block : getScalarOp())
    if (auto last = dyn_cast<MapElementwiseReturnOp>(block.getTerminator()))
      if (TypeRange(last.getOperandTypes()) != TypeRange(results))
        return last.emitOpError() << "returns (" << last.getOperandTypes()
                                  << "), but should return (" << results << ")";
  // [tt.map_elementwise.C4] the region writes no memory, because it is not defined how often it
  // runs. Assertions are allowed (debug mode inserts them beside sums): they may run any number of
  // times.
  WalkResult walk = getScalarOp().walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || isa<AssertOp>(op) || !effects.hasEffect<MemoryEffects::Write>())
      return WalkResult::advance();
    // The frontend sees only the call; what the callee does is known after inlining.
    mlir::InFlightDiagnostic error = emitUnsupported(getLoc());
    error << "map_elementwise of a function whose region writes memory; how often it runs is not "
             "said";
    error.attachNote(op->getLoc()) << "written here";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
