//===- Operators.cpp - + - * / and their kin on any values ----------------===//
// Two compile-time operands are folded with Python's semantics; otherwise both
// become tensors of one type and shape and one arith op is emitted
// (docs/language.md#arithmetic).
//===----------------------------------------------------------------------===//
#include "Promotion.h"
#include "Semantics.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tessera;
namespace arith = mlir::arith;

static bool isDivision(BinaryOp op) {
  return op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}
static bool isBitwise(BinaryOp op) {
  return op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor ||
         op == BinaryOp::LShift || op == BinaryOp::RShift;
}

static LogicalResult refuse(Emitter &emit, llvm::StringRef op, const Value &lhs, const Value &rhs,
                            const llvm::Twine &hint = "") {
  return emit.error("operator '" + op + "' does not take " + lhs.describe() + " and " +
                    rhs.describe() + hint);
}

/// ptr + int, int + ptr, ptr - int: an offset in elements.
static FailureOr<Value> offsetPointer(Emitter &emit, BinaryOp op, const Value &lhs,
                                      const Value &rhs) {
  const Tensor *left = lhs.get<Tensor>();
  bool pointerIsLeft = left && left->type.isPointer();
  const Value &offsetValue = pointerIsLeft ? rhs : lhs;
  const Tensor *moved = (pointerIsLeft ? lhs : rhs).get<Tensor>();
  if (moved->type.isBlockPointer())
    return refuse(emit, spelling(op), lhs, rhs, "; tl.advance moves a block pointer");
  FailureOr<Tensor> offset = toTensor(emit, offsetValue);
  if (failed(offset))
    return llvm::failure();
  bool isSum = op == BinaryOp::Add, isDifference = op == BinaryOp::Sub && pointerIsLeft;
  if (!offset->type.isInt() || (!isSum && !isDifference))
    return refuse(emit, spelling(op), lhs, rhs,
                  !offset->type.isPointer() && offset->type.scalar.isFloat()
                      ? "; offsets are integers: // divides them, .to(tl.int32) rounds"
                      : "; a pointer takes + and - with an integer; tl.load reads what it points "
                        "to, .to(tl.int64) gives its address");
  if (isDifference) {
    FailureOr<Value> negated = unary(emit, UnaryOp::Neg, Value(*offset));
    if (failed(negated))
      return llvm::failure();
    offset = *negated->get<Tensor>();
  }
  // addptr extends by sign; an unsigned offset must be widened by zeros first.
  if (offset->type.scalar.isUnsigned() && offset->type.scalar.bits() < 64) {
    offset = castTo(emit, *offset, DType::Int64);
    if (failed(offset))
      return llvm::failure();
  }
  Tensor pointer = pointerIsLeft ? *left : *rhs.get<Tensor>();
  auto shape = commonShape(emit, pointer.type.shape, offset->type.shape);
  if (failed(shape))
    return llvm::failure();
  FailureOr<Tensor> base = broadcastTo(emit, pointer, *shape);
  FailureOr<Tensor> index = failed(base) ? base : broadcastTo(emit, *offset, *shape);
  if (failed(base) || failed(index))
    return llvm::failure();
  auto sum = tt::AddPtrOp::create(emit.builder, emit.location(), base->handle.getType(),
                                  base->handle, index->handle);
  return Value(Tensor{sum, base->type});
}

static mlir::Value emitFloat(Emitter &emit, BinaryOp op, mlir::Value a, mlir::Value b) {
  mlir::OpBuilder &builder = emit.builder;
  mlir::Location loc = emit.location();
  switch (op) {
  case BinaryOp::Add:
    return arith::AddFOp::create(builder, loc, a, b);
  case BinaryOp::Sub:
    return arith::SubFOp::create(builder, loc, a, b);
  case BinaryOp::Mul:
    return arith::MulFOp::create(builder, loc, a, b);
  case BinaryOp::TrueDiv:
    return arith::DivFOp::create(builder, loc, a, b);
  default:
    return arith::RemFOp::create(builder, loc, a, b);
  }
}

static mlir::Value emitInt(Emitter &emit, BinaryOp op, mlir::Value a, mlir::Value b, bool isSigned,
                           bool shiftsSign) {
  mlir::OpBuilder &builder = emit.builder;
  mlir::Location loc = emit.location();
  switch (op) {
  case BinaryOp::Add:
    return arith::AddIOp::create(builder, loc, a, b);
  case BinaryOp::Sub:
    return arith::SubIOp::create(builder, loc, a, b);
  case BinaryOp::Mul:
    return arith::MulIOp::create(builder, loc, a, b);
  case BinaryOp::FloorDiv:
    return isSigned ? arith::DivSIOp::create(builder, loc, a, b).getResult()
                    : arith::DivUIOp::create(builder, loc, a, b).getResult();
  case BinaryOp::Mod:
    return isSigned ? arith::RemSIOp::create(builder, loc, a, b).getResult()
                    : arith::RemUIOp::create(builder, loc, a, b).getResult();
  case BinaryOp::LShift:
    return arith::ShLIOp::create(builder, loc, a, b);
  case BinaryOp::RShift:
    return shiftsSign ? arith::ShRSIOp::create(builder, loc, a, b).getResult()
                      : arith::ShRUIOp::create(builder, loc, a, b).getResult();
  case BinaryOp::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case BinaryOp::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  default:
    return arith::XOrIOp::create(builder, loc, a, b);
  }
}

/// The name that messages and reports use; empty for what cannot overflow.
static llvm::StringRef overflowName(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "add";
  case BinaryOp::Sub:
    return "sub";
  case BinaryOp::Mul:
    return "mul";
  default:
    return "";
  }
}

/// Debug mode: computes in 64 bits as well and asserts that the narrow type holds
/// the result.
static LogicalResult assertNoOverflow(Emitter &emit, BinaryOp op, const TensorPair &pair) {
  DType type = pair.lhs.type.scalar;
  bool isChecked = emit.target && emit.target->isDebug && emit.target->checksOverflow;
  if (!isChecked || !type.isInt() || type.bits() >= 64 || overflowName(op).empty())
    return llvm::success();
  FailureOr<Tensor> a = castTo(emit, pair.lhs, DType::Int64);
  FailureOr<Tensor> b = failed(a) ? a : castTo(emit, pair.rhs, DType::Int64);
  if (failed(a) || failed(b))
    return llvm::failure();
  mlir::Value wide = emitInt(emit, op, a->handle, b->handle, /*isSigned=*/true, false);
  unsigned valueBits = type.isSigned() ? type.bits() - 1 : type.bits();
  int64_t largest = (int64_t(1) << valueBits) - 1, smallest = type.isSigned() ? -largest - 1 : 0;
  FailureOr<Value> isBelow =
      compare(emit, CompareOp::Le, Value(Tensor{wide, a->type}), Value(PythonInt(largest)));
  FailureOr<Value> isAbove =
      failed(isBelow)
          ? isBelow
          : compare(emit, CompareOp::Ge, Value(Tensor{wide, a->type}), Value(PythonInt(smallest)));
  FailureOr<Value> fits =
      failed(isAbove) ? isAbove : binary(emit, BinaryOp::And, *isBelow, *isAbove);
  if (failed(fits))
    return llvm::failure();
  std::string message =
      ("int" + llvm::Twine(type.bits()) + " overflow detected for operation " + overflowName(op))
          .str();
  tt::AssertOp::create(emit.builder, emit.location(), fits->get<Tensor>()->handle, message);
  return llvm::success();
}

/// The bits of a constant shift amount that exceeds the width are undefined.
static void warnOfLongShift(Emitter &emit, const Value &lhs, const Value &rhs) {
  const Tensor *shifted = lhs.get<Tensor>();
  std::optional<PythonInt> amount = rhs.asInt();
  if (!shifted || !amount || amount->compare(PythonInt(shifted->type.scalar.bits())) < 0)
    return;
  emit.warnAt(emit.range, "a shift by " + amount->str() + " of " + shifted->type.str() +
                              ", which has " + std::to_string(shifted->type.scalar.bits()) +
                              " bits, is undefined");
}

/// `>>` keeps the sign iff the left tensor's own dtype is signed, before any
/// promotion; for `number >> tensor` the tensor decides.
static bool shiftKeepsSign(const Value &lhs, const Value &rhs) {
  const Tensor *tensor = lhs.get<Tensor>() ? lhs.get<Tensor>() : rhs.get<Tensor>();
  return tensor->type.scalar.isSigned();
}

FailureOr<Value> tessera::binary(Emitter &emit, BinaryOp op, const Value &lhs, const Value &rhs,
                                 bool checksOverflow) {
  const Tensor *left = lhs.get<Tensor>(), *right = rhs.get<Tensor>();
  if (!left && !right)
    return foldBinary(emit, op, lhs, rhs);
  bool leftFits = left || lhs.isNumber(), rightFits = right || rhs.isNumber();
  if (!leftFits || !rightFits)
    return refuse(emit, spelling(op), lhs, rhs,
                  lhs.is<std::string>() ? "; tl.device_print(\"x\", x) prints a tensor" : "");
  if (op == BinaryOp::Pow)
    return refuse(emit, "**", lhs, rhs,
                  "; it is for compile-time values only: write x * x, or tl.exp2(y * tl.log2(x))");
  if (op == BinaryOp::MatMul)
    return refuse(emit, "@", lhs, rhs, "; use tl.dot");
  bool leftIsPointer = left && left->type.isPointer(),
       rightIsPointer = right && right->type.isPointer();
  if (leftIsPointer && rightIsPointer)
    return refuse(emit, spelling(op), lhs, rhs,
                  "; tl.load reads what a pointer points to, .to(tl.int64) gives its address");
  if (leftIsPointer || rightIsPointer)
    return offsetPointer(emit, op, lhs, rhs);

  FailureOr<TensorPair> pair = unify(emit, lhs, rhs, isDivision(op));
  if (failed(pair))
    return llvm::failure();
  DType type = pair->lhs.type.scalar;
  if (type == DType::FP8E4B15)
    return refuse(emit, spelling(op), lhs, rhs, "; fp8e4b15 is for storage, convert with .to(...)");
  if (checksOverflow && failed(assertNoOverflow(emit, op, *pair)))
    return llvm::failure();
  if (op == BinaryOp::LShift || op == BinaryOp::RShift)
    warnOfLongShift(emit, lhs, rhs);
  if (type.isFloat() && isBitwise(op))
    return refuse(emit, spelling(op), lhs, rhs, "; it is for integers");
  if (type.isFloat() && op == BinaryOp::FloorDiv)
    return refuse(emit, "//", lhs, rhs, "; use tl.floor(x / y)");
  if (type.isInt() && op == BinaryOp::TrueDiv) {
    // Integers divide in fp32, i64 too.
    FailureOr<Tensor> a = castTo(emit, pair->lhs, DType::FP32);
    FailureOr<Tensor> b = failed(a) ? a : castTo(emit, pair->rhs, DType::FP32);
    if (failed(a) || failed(b))
      return llvm::failure();
    pair = TensorPair{*a, *b};
    type = DType::FP32;
  }
  mlir::Value result = type.isFloat()
                           ? emitFloat(emit, op, pair->lhs.handle, pair->rhs.handle)
                           : emitInt(emit, op, pair->lhs.handle, pair->rhs.handle, type.isSigned(),
                                     op == BinaryOp::RShift && shiftKeepsSign(lhs, rhs));
  return Value(Tensor{result, pair->lhs.type});
}

static arith::CmpFPredicate floatPredicate(CompareOp op) {
  switch (op) {
  case CompareOp::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOp::Le:
    return arith::CmpFPredicate::OLE;
  case CompareOp::Gt:
    return arith::CmpFPredicate::OGT;
  case CompareOp::Ge:
    return arith::CmpFPredicate::OGE;
  case CompareOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOp::Ne: // true on NaN, as IEEE and Python have it
    return arith::CmpFPredicate::UNE;
  }
  return arith::CmpFPredicate::UNE;
}

static arith::CmpIPredicate intPredicate(CompareOp op, bool isSigned) {
  switch (op) {
  case CompareOp::Lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareOp::Le:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareOp::Gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  case CompareOp::Ge:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  case CompareOp::Eq:
    return arith::CmpIPredicate::eq;
  case CompareOp::Ne:
    return arith::CmpIPredicate::ne;
  }
  return arith::CmpIPredicate::ne;
}

FailureOr<Value> tessera::compare(Emitter &emit, CompareOp op, const Value &lhs, const Value &rhs) {
  if (!lhs.isTensor() && !rhs.isTensor()) {
    llvm::SmallVector<mlir::Value> handles;
    flatten(lhs, handles);
    const Value &first = handles.empty() ? rhs : lhs;
    flatten(rhs, handles);
    if (!handles.empty())
      return emit.error("tuples are compared at compile time, and " + typeText(first) +
                        " holds run-time values; compare the elements");
    return foldCompare(emit, op, lhs, rhs);
  }
  if (lhs.isNone() || rhs.isNone())
    return emit.error("operator '" + spelling(op) + "' does not take " + lhs.describe() + " and " +
                      rhs.describe() + "; 'is None' asks whether an argument was given");
  // A number becomes a tensor of its own type first: weak typing does not apply.
  FailureOr<Tensor> left = toTensor(emit, lhs), right = failed(left) ? left : toTensor(emit, rhs);
  if (failed(left) || failed(right))
    return llvm::failure();
  if (left->type.isPointer() || right->type.isPointer())
    return refuse(emit, spelling(op), lhs, rhs,
                  "; tl.load reads what a pointer points to, .to(tl.int64) gives its address");
  FailureOr<TensorPair> pair = unify(emit, Value(*left), Value(*right), /*isDivision=*/false);
  if (failed(pair))
    return llvm::failure();
  DType type = pair->lhs.type.scalar;
  if (type == DType::FP8E4B15)
    return refuse(emit, spelling(op), lhs, rhs, "; fp8e4b15 is for storage, convert with .to(...)");
  KernelType resultType = pair->lhs.type.withScalar(DType::Int1);
  mlir::Location loc = emit.location();
  if (type.isFloat())
    return Value(Tensor{arith::CmpFOp::create(emit.builder, loc, floatPredicate(op),
                                              pair->lhs.handle, pair->rhs.handle),
                        resultType});
  return Value(Tensor{arith::CmpIOp::create(emit.builder, loc, intPredicate(op, type.isSigned()),
                                            pair->lhs.handle, pair->rhs.handle),
                      resultType});
}

FailureOr<Value> tessera::unary(Emitter &emit, UnaryOp op, const Value &operand) {
  const Tensor *tensor = operand.get<Tensor>();
  if (!tensor)
    return foldUnary(emit, op, operand);
  if (op == UnaryOp::Pos || tensor->type.isPointer()) {
    llvm::StringRef sign = op == UnaryOp::Pos      ? "'+'"
                           : op == UnaryOp::Neg    ? "'-'"
                           : op == UnaryOp::Invert ? "'~'"
                                                   : "'not'";
    return emit.error("unary " + sign + " does not take " + operand.describe());
  }
  DType type = tensor->type.scalar;
  if (type == DType::FP8E4B15)
    return emit.error("fp8e4b15 is for storage, not for arithmetic; convert with .to(...)");
  if (op == UnaryOp::Neg) {
    FailureOr<Tensor> zero = constantOfType(emit, Value(PythonInt(0)), type);
    return failed(zero) ? FailureOr<Value>(llvm::failure())
                        : binary(emit, BinaryOp::Sub, Value(*zero), operand);
  }
  if (op == UnaryOp::Not && !type.isBool())
    return emit.error("'not' takes a bool, not " + operand.describe() + "; compare with 0");
  if (!type.isInt())
    return emit.error("'~' takes integers, not " + operand.describe());
  auto irType = llvm::cast<mlir::IntegerType>(toIR(type, emit.context()));
  auto ones = mlir::IntegerAttr::get(irType, llvm::APInt::getAllOnes(type.bits()));
  KernelType scalar;
  scalar.scalar = type;
  Tensor mask{arith::ConstantOp::create(emit.builder, emit.constantLocation(), ones), scalar};
  return binary(emit, BinaryOp::Xor, operand, Value(mask));
}
