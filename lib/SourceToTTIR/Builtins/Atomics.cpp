//===- Atomics.cpp - tl.atomic_add and its family -------------------------===//
// Each reads memory, combines it with a value and writes it back in one step, and
// yields what was there before. The value is converted to the element's type and
// brought to the pointer's shape; atomic_cas converts nothing.
//
// There is no atomic maximum of floats. Of floats of one sign the bits compare as
// integers do, so the value's sign chooses one of two operations:
//
//   sign bit clear: signed max of the bits     sign bit set: unsigned min
//
// and dually for the minimum (docs/language.md#atomics).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "MemoryArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tessera;
namespace arith = mlir::arith;

static FailureOr<tt::MemSemantic> memorySemantic(Emitter &emit, const Value &value) {
  static constexpr Choice<tt::MemSemantic> choices[] = {
      {"acquire", tt::MemSemantic::Acquire},
      {"release", tt::MemSemantic::Release},
      {"acq_rel", tt::MemSemantic::AcquireRelease},
      {"relaxed", tt::MemSemantic::Relaxed}};
  return choose(emit, "sem", value, choices, tt::MemSemantic::AcquireRelease);
}

static FailureOr<tt::MemSyncScope> syncScope(Emitter &emit, const Value &value) {
  static constexpr Choice<tt::MemSyncScope> choices[] = {{"gpu", tt::MemSyncScope::GPU},
                                                         {"cta", tt::MemSyncScope::CTA},
                                                         {"sys", tt::MemSyncScope::System}};
  return choose(emit, "scope", value, choices, tt::MemSyncScope::GPU);
}

//===----------------------------------------------------------------------===//
// Read, modify, write
//===----------------------------------------------------------------------===//

namespace {
enum class Update { Add, Max, Min, And, Or, Xor, Exchange };

/// The operands of an atomic update, checked and converted. The mask is never null.
struct Operands {
  Tensor pointer, value, mask;
  tt::MemSemantic sem;
  tt::MemSyncScope scope;
};
} // namespace

static llvm::StringRef nameOf(Update update) {
  static constexpr llvm::StringLiteral names[] = {"atomic_add", "atomic_max", "atomic_min",
                                                  "atomic_and", "atomic_or",  "atomic_xor",
                                                  "atomic_xchg"};
  return names[static_cast<unsigned>(update)];
}

/// An element that the update works on; the error lists those there are.
static LogicalResult checkElement(Emitter &emit, Update update, const KernelType &pointer) {
  DType element = pointer.scalar;
  bool isWide = element.bits() == 32 || element.bits() == 64;
  bool accepted = isWide;
  llvm::StringRef known = "i32, i64, u32, u64, fp32 or fp64";
  switch (update) {
  case Update::Add:
    accepted = isWide || element == DType::FP16 || element == DType::BF16;
    known = "i32, i64, u32, u64, fp16, bf16, fp32 or fp64";
    break;
  case Update::And:
  case Update::Or:
  case Update::Xor:
    accepted = isWide && element.isInt();
    known = "i32, i64, u32 or u64";
    break;
  default:
    break;
  }
  if (accepted && pointer.pointerDepth == 1)
    return llvm::success();
  return emit.error(nameOf(update) + " takes a pointer to " + known + ", not " + pointer.str());
}

/// A pointer, or a block of them, that may be written through.
static FailureOr<Tensor> atomicPointer(Emitter &emit, llvm::StringRef function,
                                       const Value &value) {
  FailureOr<Tensor> pointer = pointerArgument(emit, function, value);
  if (failed(pointer))
    return llvm::failure();
  if (pointer->type.isBlockPointer())
    return emit.error(function + " takes a pointer or a block of pointers, not " +
                      value.describe());
  if (pointer->type.pointsToConst)
    return emit.error("cannot store through a pointer to const " + pointer->type.str());
  return pointer;
}

/// Brings an operand to the pointer's shape: scalars are repeated, axes of size 1
/// grow, and no axis is added.
static FailureOr<Tensor> toPointerShape(Emitter &emit, llvm::StringRef what, Tensor operand,
                                        const Tensor &pointer) {
  if (!operand.type.isBlock() || operand.type.shape.size() == pointer.type.shape.size())
    return broadcastTo(emit, operand, pointer.type.shape);
  if (!pointer.type.isBlock())
    return emit.error("the pointer is a scalar and the " + what + " a block " + operand.type.str() +
                      "; add an offset block to the pointer");
  return emit.error("the " + what + " " + operand.type.str() +
                    " does not have as many axes as the pointer " + pointer.type.str() +
                    "; add axes with [:, None]");
}

static FailureOr<Operands> updateOperands(Emitter &emit, Update update, BoundArguments args) {
  FailureOr<Tensor> pointer = atomicPointer(emit, nameOf(update), args[0]);
  if (failed(pointer) || failed(checkElement(emit, update, pointer->type)))
    return llvm::failure();
  FailureOr<tt::MemSemantic> sem = memorySemantic(emit, args[3]);
  if (failed(sem))
    return llvm::failure();
  FailureOr<tt::MemSyncScope> scope = syncScope(emit, args[4]);
  if (failed(scope))
    return llvm::failure();
  FailureOr<Tensor> value = toTensor(emit, args[1]);
  FailureOr<Tensor> mask = failed(value) ? value : maskArgument(emit, args[2]);
  if (succeeded(mask) && mask->handle)
    mask = toPointerShape(emit, "mask", *mask, *pointer);
  if (succeeded(mask))
    value = toPointerShape(emit, "value", *value, *pointer);
  if (failed(value) || failed(mask))
    return llvm::failure();
  value = castTo(emit, *value, pointer->type.scalar);
  if (succeeded(value) && !mask->handle) {
    mask = constantOfType(emit, Value(true), DType::Int1);
    if (succeeded(mask))
      mask = broadcastTo(emit, *mask, pointer->type.shape);
  }
  if (failed(value) || failed(mask))
    return llvm::failure();
  return Operands{*pointer, *value, *mask, *sem, *scope};
}

static Tensor emitUpdate(Emitter &emit, tt::RMWOp op, const Operands &operands) {
  const Tensor &value = operands.value;
  auto old = tt::AtomicRMWOp::create(emit.builder, emit.location(), value.handle.getType(), op,
                                     operands.pointer.handle, value.handle, operands.mask.handle,
                                     operands.sem, operands.scope);
  return Tensor{old, value.type};
}

/// The same operands with the mask narrowed to the elements where `choice` holds.
static FailureOr<Operands> narrowed(Emitter &emit, Operands operands, const Value &choice) {
  FailureOr<Value> both = binary(emit, BinaryOp::And, Value(operands.mask), choice);
  if (failed(both))
    return llvm::failure();
  operands.mask = *both->get<Tensor>();
  return operands;
}

static FailureOr<Value> floatExtremum(Emitter &emit, Update update, const Operands &operands) {
  KernelType floats = operands.value.type;
  unsigned width = floats.scalar.bits();
  DType integer = DType::integer(width, /*isSigned=*/true);
  KernelType pointerType = operands.pointer.type;
  pointerType.scalar = integer;
  FailureOr<Tensor> bits = bitcastTo(emit, operands.value, floats.withScalar(integer));
  if (failed(bits))
    return llvm::failure();
  FailureOr<Tensor> pointer = castPointer(emit, operands.pointer, pointerType);
  if (failed(pointer))
    return llvm::failure();
  // The sign bit, so that -0.0 counts as negative.
  Tensor word{bits->handle, floats.withScalar(DType::integer(width, /*isSigned=*/false))};
  FailureOr<Value> top = binary(emit, BinaryOp::RShift, Value(word), Value(PythonInt(width - 1)));
  if (failed(top))
    return llvm::failure();
  FailureOr<Tensor> isNegative = castTo(emit, *top->get<Tensor>(), DType::Int1);
  if (failed(isNegative))
    return llvm::failure();
  FailureOr<Value> isPositive = unary(emit, UnaryOp::Invert, Value(*isNegative));
  if (failed(isPositive))
    return llvm::failure();

  Operands integers{*pointer, *bits, operands.mask, operands.sem, operands.scope};
  bool isMax = update == Update::Max;
  FailureOr<Operands> positive = narrowed(emit, integers, *isPositive);
  if (failed(positive))
    return llvm::failure();
  Tensor above = emitUpdate(emit, isMax ? tt::RMWOp::Max : tt::RMWOp::Min, *positive);
  FailureOr<Operands> negative = narrowed(emit, integers, Value(*isNegative));
  if (failed(negative))
    return llvm::failure();
  Tensor below = emitUpdate(emit, isMax ? tt::RMWOp::UMin : tt::RMWOp::UMax, *negative);
  auto old = arith::SelectOp::create(emit.builder, emit.location(),
                                     isPositive->get<Tensor>()->handle, above.handle, below.handle);
  return asValue(bitcastTo(emit, Tensor{old, above.type}, floats));
}

static tt::RMWOp operationOf(Update update, DType element) {
  switch (update) {
  case Update::Add:
    return element.isFloat() ? tt::RMWOp::FAdd : tt::RMWOp::Add;
  case Update::Max:
    return element.isSigned() ? tt::RMWOp::Max : tt::RMWOp::UMax;
  case Update::Min:
    return element.isSigned() ? tt::RMWOp::Min : tt::RMWOp::UMin;
  case Update::And:
    return tt::RMWOp::And;
  case Update::Or:
    return tt::RMWOp::Or;
  case Update::Xor:
    return tt::RMWOp::Xor;
  case Update::Exchange:
    return tt::RMWOp::Exchange;
  }
  return tt::RMWOp::Exchange;
}

template <Update update>
static FailureOr<Value> readModifyWrite(Emitter &emit, BoundArguments args) {
  FailureOr<Operands> operands = updateOperands(emit, update, args);
  if (failed(operands))
    return llvm::failure();
  DType element = operands->value.type.scalar;
  if (element.isFloat() && (update == Update::Max || update == Update::Min))
    return floatExtremum(emit, update, *operands);
  return Value(emitUpdate(emit, operationOf(update, element), *operands));
}

//===----------------------------------------------------------------------===//
// Compare and swap
//===----------------------------------------------------------------------===//

/// `cmp` and `val` have the pointee's width, kind and shape; the IR has no sign.
static LogicalResult checkSwapOperand(Emitter &emit, llvm::StringRef parameter,
                                      const Tensor &operand, const Tensor &pointer) {
  KernelType pointee = pointer.type.pointee();
  if (operand.handle.getType() == toIR(pointee, emit.context()))
    return llvm::success();
  std::string remedy = operand.type.shape != pointee.shape
                           ? "; give it the pointer's shape"
                           : ("; write tl.full((), x, tl." + pointee.scalar.languageName() +
                              ") or convert with " + ".to(...)")
                                 .str();
  return emit.error("atomic_cas converts nothing: '" + parameter + "' is " + operand.type.str() +
                    " and the pointer " + pointer.type.str() + remedy);
}

static FailureOr<Value> compareAndSwap(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> pointer = atomicPointer(emit, "atomic_cas", args[0]);
  if (failed(pointer))
    return llvm::failure();
  if (pointer->type.pointerDepth != 1 || pointer->type.scalar.bits() < 16)
    return emit.error("atomic_cas takes a pointer to elements of 16, 32 or 64 bits, not " +
                      pointer->type.str());
  FailureOr<Tensor> expected = toTensor(emit, args[1]);
  FailureOr<Tensor> value = failed(expected) ? expected : toTensor(emit, args[2]);
  if (failed(value) || failed(checkSwapOperand(emit, "cmp", *expected, *pointer)) ||
      failed(checkSwapOperand(emit, "val", *value, *pointer)))
    return llvm::failure();
  FailureOr<tt::MemSemantic> sem = memorySemantic(emit, args[3]);
  if (failed(sem))
    return llvm::failure();
  FailureOr<tt::MemSyncScope> scope = syncScope(emit, args[4]);
  if (failed(scope))
    return llvm::failure();
  auto old =
      tt::AtomicCASOp::create(emit.builder, emit.location(), value->handle.getType(),
                              pointer->handle, expected->handle, value->handle, *sem, *scope);
  return Value(Tensor{old, value->type});
}

static constexpr Parameter kUpdate[] = {{"pointer"},
                                        {"val"},
                                        {"mask", Default::None},
                                        {"sem", Default::None},
                                        {"scope", Default::None}};
static constexpr Parameter kSwap[] = {
    {"pointer"}, {"cmp"}, {"val"}, {"sem", Default::None}, {"scope", Default::None}};

llvm::ArrayRef<Builtin> tessera::atomicBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.atomic_add", kUpdate, readModifyWrite<Update::Add>, true},
      {"triton.language.atomic_max", kUpdate, readModifyWrite<Update::Max>, true},
      {"triton.language.atomic_min", kUpdate, readModifyWrite<Update::Min>, true},
      {"triton.language.atomic_and", kUpdate, readModifyWrite<Update::And>, true},
      {"triton.language.atomic_or", kUpdate, readModifyWrite<Update::Or>, true},
      {"triton.language.atomic_xor", kUpdate, readModifyWrite<Update::Xor>, true},
      {"triton.language.atomic_xchg", kUpdate, readModifyWrite<Update::Exchange>, true},
      {"triton.language.atomic_cas", kSwap, compareAndSwap, true},
  };
  return rows;
}
