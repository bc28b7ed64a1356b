//===- DirectedRounding.cpp - arithmetic rounded down, up or to zero ------===//
// See DirectedRounding.h. On x86 bits 13 and 14 of MXCSR are the rounding mode; on other processors
// LLVM's intrinsics set it.
//===----------------------------------------------------------------------===//
#include "DirectedRounding.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

static std::string nameOf(RoundedOp op, StringRef suffix, LLVM::LLVMFunctionType type) {
  static constexpr StringLiteral ops[] = {"add", "sub",    "mul",    "div",     "sqrt",
                                          "fma", "narrow", "signed", "unsigned"};
  std::string name;
  llvm::raw_string_ostream text(name);
  text << "tessera." << ops[static_cast<unsigned>(op)] << "." << suffix;
  for (Type part : {type.getReturnType(), type.getParamType(0)})
    text << "." << laneType(part) << "x" << lanesOf(part);
  return name;
}

/// Creates a private function with an entry block, and moves the builder to its start.
static LLVM::LLVMFuncOp createFunction(LaneBuilder &b, ModuleOp module, StringRef name,
                                       LLVM::LLVMFunctionType type,
                                       ArrayRef<StringRef> attributes) {
  b.builder.setInsertionPointToEnd(module.getBody());
  auto function =
      LLVM::LLVMFuncOp::create(b.builder, module.getLoc(), name, type, LLVM::Linkage::Internal);
  function.setPassthroughAttr(b.builder.getStrArrayAttr(attributes));
  b.builder.setInsertionPointToStart(function.addEntryBlock(b.builder));
  return function;
}

LLVM::LLVMFuncOp DirectedRounding::operation(LaneBuilder &b, RoundedOp op,
                                             LLVM::LLVMFunctionType type, StringRef name) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b.builder);
  // The function is not optimised, so that LLVM deduces nothing about it and assumes that it reads
  // the register which the caller sets.
  auto function = createFunction(b, module, name, type, {"noinline", "optnone"});
  LaneBuilder inner(b.builder, module.getLoc());
  Value result = emitRounded(inner, op, function.getArguments(), type.getReturnType());
  LLVM::ReturnOp::create(b.builder, module.getLoc(), result);
  return function;
}

static void control(LaneBuilder &b, StringRef intrinsic, Value value) {
  LLVM::CallIntrinsicOp::create(b.builder, b.loc, b.builder.getStringAttr(intrinsic), value);
}

/// Sets the mode and returns the previous one: the address of MXCSR's bits, or LLVM's number.
static Value setMode(LaneBuilder &b, Direction direction, bool isX86) {
  Type i32 = b.builder.getI32Type();
  if (!isX86) {
    Value before = b.intrinsic("llvm.get.rounding", i32, {});
    int64_t mode = direction == Direction::TowardZero ? 0 : direction == Direction::Up ? 2 : 3;
    control(b, "llvm.set.rounding", b.integer(i32, mode));
    return before;
  }
  Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext());
  Value one = b.integer(i32, int64_t(1));
  Value before = LLVM::AllocaOp::create(b.builder, b.loc, pointer, i32, one);
  Value during = LLVM::AllocaOp::create(b.builder, b.loc, pointer, i32, one);
  control(b, "llvm.x86.sse.stmxcsr", before);
  int64_t mode = direction == Direction::Down ? 1 : direction == Direction::Up ? 2 : 3;
  Value bits = LLVM::LoadOp::create(b.builder, b.loc, i32, before);
  bits = b.bitOr(b.bitAnd(bits, ~int64_t(0x6000)), mode << 13);
  LLVM::StoreOp::create(b.builder, b.loc, bits, during);
  control(b, "llvm.x86.sse.ldmxcsr", during);
  return before;
}

LLVM::LLVMFuncOp DirectedRounding::wrapper(LaneBuilder &b, RoundedOp op, Direction direction,
                                           LLVM::LLVMFunctionType type) {
  static constexpr StringLiteral suffixes[] = {"rn", "rz", "rd", "ru"};
  std::string name = nameOf(op, suffixes[static_cast<unsigned>(direction)], type);
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  LLVM::LLVMFuncOp callee = operation(b, op, type, nameOf(op, "op", type));
  OpBuilder::InsertionGuard guard(b.builder);
  auto function = createFunction(b, module, name, type, {"noinline", "nounwind"});
  LaneBuilder inner(b.builder, module.getLoc());
  Value before = setMode(inner, direction, llvm::Triple(spec.triple).isX86());
  Value result =
      LLVM::CallOp::create(b.builder, inner.loc, callee, function.getArguments()).getResult();
  control(inner,
          isa<LLVM::LLVMPointerType>(before.getType()) ? "llvm.x86.sse.ldmxcsr"
                                                       : "llvm.set.rounding",
          before);
  LLVM::ReturnOp::create(b.builder, inner.loc, result);
  return function;
}

Value DirectedRounding::apply(LaneBuilder &b, RoundedOp op, Direction direction,
                              ArrayRef<Value> args, Type result) {
  Type type = withLanes(result, lanesOf(args[0]));
  if (direction == Direction::Nearest)
    return emitRounded(b, op, args, type);
  SmallVector<Type> types = llvm::to_vector(ValueRange(args).getTypes());
  LLVM::LLVMFuncOp function = wrapper(b, op, direction, LLVM::LLVMFunctionType::get(type, types));
  Value number = LLVM::CallOp::create(b.builder, b.loc, function, args).getResult();
  if (isa<FloatType>(laneType(args[0])))
    return number;
  // Zero results from a subtraction if there is no conversion instruction, which is -0.0 when
  // rounding down.
  return b.select(b.compare(Int::eq, args[0], 0), b.zero(type), number);
}
