//===- Broadcasts.cpp - bringing operands to one shape --------------------===//
// NumPy's rule with size-1 axes prepended: a scalar is splatted, a block gets
// expand_dims in front until the ranks agree, then its size-1 axes grow.
//===----------------------------------------------------------------------===//
#include "Promotion.h"
#include "Semantics.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using Shape = llvm::SmallVector<int64_t, 4>;

static std::string text(llvm::ArrayRef<int64_t> shape) {
  std::string result = "[";
  for (size_t axis = 0; axis < shape.size(); ++axis)
    result += (axis ? ", " : "") + std::to_string(shape[axis]);
  return result + "]";
}

FailureOr<Shape> tessera::commonShape(Emitter &emit, llvm::ArrayRef<int64_t> lhs,
                                      llvm::ArrayRef<int64_t> rhs) {
  size_t rank = std::max(lhs.size(), rhs.size());
  Shape result(rank, 1);
  for (size_t axis = 0; axis < rank; ++axis) {
    // Axes count from the end; the missing front ones are 1.
    int64_t a = axis + lhs.size() >= rank ? lhs[axis + lhs.size() - rank] : 1;
    int64_t b = axis + rhs.size() >= rank ? rhs[axis + rhs.size() - rank] : 1;
    if (a != b && a != 1 && b != 1)
      return emit.error("shapes " + text(lhs) + " and " + text(rhs) + " do not broadcast: axis " +
                        llvm::Twine(axis) + " has sizes " + llvm::Twine(a) + " and " +
                        llvm::Twine(b));
    result[axis] = a == 1 ? b : a;
  }
  if (failed(checkBlockShape(emit, result)))
    return llvm::failure();
  return result;
}

/// A scalar in each place of a block; its own type has no shape.
static FailureOr<Tensor> repeatScalar(Emitter &emit, const Tensor &value, const KernelType &type) {
  if (value.type.isBlockPointer())
    return emit.error("a block pointer " + value.type.str() +
                      " has no shape to change; tl.load gives the block");
  return Tensor{
      tt::SplatOp::create(emit.builder, emit.location(), toIR(type, emit.context()), value.handle),
      type};
}

FailureOr<Tensor> tessera::expandDims(Emitter &emit, Tensor value, int64_t axis) {
  KernelType type = value.type;
  type.shape.insert(type.shape.begin() + axis, 1);
  if (!value.type.isBlock())
    return repeatScalar(emit, value, type);
  mlir::Type irType = toIR(type, emit.context());
  return Tensor{tt::ExpandDimsOp::create(emit.builder, emit.location(), irType, value.handle,
                                         static_cast<uint32_t>(axis)),
                type};
}

FailureOr<Tensor> tessera::broadcastTo(Emitter &emit, Tensor value, llvm::ArrayRef<int64_t> shape) {
  if (llvm::ArrayRef<int64_t>(value.type.shape) == shape)
    return value;
  KernelType type = value.type.withShape(shape);
  if (!value.type.isBlock())
    return repeatScalar(emit, value, type);
  mlir::Type irType = toIR(type, emit.context());
  FailureOr<Shape> common = commonShape(emit, value.type.shape, shape);
  if (failed(common))
    return llvm::failure();
  if (llvm::ArrayRef<int64_t>(*common) != shape)
    return emit.error("a block of shape " + text(value.type.shape) + " cannot be broadcast to " +
                      text(shape));
  while (value.type.shape.size() < shape.size()) {
    FailureOr<Tensor> expanded = expandDims(emit, value, 0);
    if (failed(expanded))
      return llvm::failure();
    value = *expanded;
  }
  if (llvm::ArrayRef<int64_t>(value.type.shape) == shape)
    return value;
  return Tensor{tt::BroadcastOp::create(emit.builder, emit.location(), irType, value.handle), type};
}

LogicalResult tessera::broadcastTogether(Emitter &emit, llvm::MutableArrayRef<Tensor> operands) {
  Shape shape;
  for (const Tensor &operand : operands) {
    FailureOr<Shape> common = commonShape(emit, shape, operand.type.shape);
    if (failed(common))
      return llvm::failure();
    shape = *common;
  }
  for (Tensor &operand : operands) {
    FailureOr<Tensor> broadcast = broadcastTo(emit, operand, shape);
    if (failed(broadcast))
      return llvm::failure();
    operand = *broadcast;
  }
  return llvm::success();
}

LogicalResult tessera::checkBlockShape(Emitter &emit, llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] <= 0 || !llvm::isPowerOf2_64(shape[axis]))
      return emit.error("a block's extents are powers of two; axis " + llvm::Twine(axis) + " of " +
                        text(shape) + " has " + llvm::Twine(shape[axis]));
    if (shape[axis] > kMaxBlockElements || count * shape[axis] > kMaxBlockElements)
      return emit.error("a block has at most " + llvm::Twine(kMaxBlockElements) +
                        " elements; shape " + text(shape) + " has more");
    count *= shape[axis];
  }
  return llvm::success();
}

FailureOr<Shape> tessera::blockShape(Emitter &emit, const Value &value) {
  Shape shape;
  auto add = [&](const Value &extent) -> LogicalResult {
    std::optional<PythonInt> number = extent.asInt();
    if (!number || extent.is<bool>())
      return emit.error("a shape is made of compile-time ints, not of " + extent.describe() +
                        (extent.isTensor() ? "; make it a tl.constexpr parameter" : ""));
    shape.push_back(number->fitsSigned(32) ? number->toInt64() : kMaxBlockElements * 2);
    return llvm::success();
  };
  if (const TupleObject *tuple = value.get<TupleObject>()) {
    for (const Value &extent : *tuple->elements)
      if (failed(add(extent)))
        return llvm::failure();
  } else if (failed(add(value))) {
    return llvm::failure();
  }
  if (failed(checkBlockShape(emit, shape)))
    return llvm::failure();
  return shape;
}

FailureOr<TensorPair> tessera::unify(Emitter &emit, const Value &lhs, const Value &rhs,
                                     bool isDivision) {
  const Tensor *left = lhs.get<Tensor>(), *right = rhs.get<Tensor>();
  PromotionResult promoted = DType(DType::Void);
  if (left && right)
    promoted = promoteTensors(left->type.scalar, right->type.scalar, isDivision);
  else if (left)
    promoted = promoteWithNumber(left->type.scalar, rhs, isDivision);
  else if (right)
    promoted = promoteWithNumber(right->type.scalar, lhs, isDivision);
  else if (std::optional<DType> a = naturalType(lhs), b = naturalType(rhs); a && b)
    promoted = promoteTensors(*a, *b, isDivision);
  if (auto *problem = std::get_if<PromotionError>(&promoted))
    return emit.error(problem->message);
  DType type = std::get<DType>(promoted);

  auto convert = [&](const Value &value) -> FailureOr<Tensor> {
    if (const Tensor *tensor = value.get<Tensor>())
      return castTo(emit, *tensor, type);
    return constantOfType(emit, value, type);
  };
  FailureOr<Tensor> a = convert(lhs), b = failed(a) ? a : convert(rhs);
  if (failed(a) || failed(b))
    return llvm::failure();
  FailureOr<Shape> shape = commonShape(emit, a->type.shape, b->type.shape);
  if (failed(shape))
    return llvm::failure();
  a = broadcastTo(emit, *a, *shape);
  b = failed(a) ? a : broadcastTo(emit, *b, *shape);
  if (failed(a) || failed(b))
    return llvm::failure();
  return TensorPair{*a, *b};
}
