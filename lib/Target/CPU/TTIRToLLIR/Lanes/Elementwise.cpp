//===- Elementwise.cpp - arith, math and tt arithmetic on lanes -----------===//
// See Elementwise.h. Dispatches an op to its family; ops on pointers are lowered here.
//===----------------------------------------------------------------------===//
#include "Elementwise.h"
#include "SmallFloat.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

Type tessera::cpu::convertElement(Type type) {
  MLIRContext *context = type.getContext();
  if (isSmallFloat(type))
    return IntegerType::get(context, type.getIntOrFloatBitWidth());
  if (type.isF32() || type.isF64())
    return type;
  if (type.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth()) ? type
                                                                                     : Type();
  if (isa<tt::PointerType>(type) && !tt::isTensorPointer(type))
    return LLVM::LLVMPointerType::get(context);
  return {};
}

unsigned tessera::cpu::elementBytes(Type type) {
  return isa<tt::PointerType>(type) ? 8 : std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

static bool isPointerOp(Operation *op) {
  return isa<tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(op);
}

static bool isLibdeviceCall(tt::ExternElementwiseOp call) {
  SmallVector<Type, 4> types;
  for (Type type : call->getOperandTypes())
    types.push_back(getElementTypeOrSelf(type));
  return call.getPure() &&
         DeviceMath::has(call.getSymbol(), types, getElementTypeOrSelf(call.getResult()));
}

bool Elementwise::handles(Operation *op) {
  if (auto call = dyn_cast<tt::ExternElementwiseOp>(op))
    return isLibdeviceCall(call);
  return isIntegerOp(op) || isFloatOp(op) || isCastOp(op) || isPointerOp(op);
}

std::string Elementwise::explainUnsupported(Operation *op) {
  if (isa<tt::ElementwiseInlineAsmOp>(op))
    return "inline assembly is for GPUs: the CPU target has no PTX; write it in the language, or "
           "keep this kernel on a GPU";
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  if (!call || isLibdeviceCall(call))
    return "";
  std::string name = ("'" + call.getSymbol() + "'").str();
  if (!DeviceMath::hasName(call.getSymbol()))
    return "the CPU target has no function " + name + "; it has those of tl.extra.libdevice";
  if (!call.getPure())
    return "the CPU target calls " + name + " as a pure function only; leave is_pure true";
  return "the CPU target has " + name + " with other types than these; tl.extra.libdevice has them";
}

Value Elementwise::lower(LaneBuilder &b, Operation *op, ArrayRef<Value> operands) {
  SmallVector<Value, 4> args(operands);
  if (!isa<arith::SelectOp>(op))
    b.unify(args);
  if (auto call = dyn_cast<tt::ExternElementwiseOp>(op))
    return libdevice.lower(b, call.getSymbol(), args);
  if (isIntegerOp(op))
    return lowerIntegerOp(b, op, args);
  if (isFloatOp(op))
    return lowerFloat(b, op, args);
  if (isCastOp(op))
    return lowerCastOp(b, op, args[0], spec);
  return lowerPointer(b, op, args);
}

Value Elementwise::lowerFloat(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  SmallVector<Value, 3> wide;
  for (Value arg : args)
    wide.push_back(widenFloat(b, arg, element, spec));
  StringRef function = libraryName(op);
  Value result =
      function.empty() ? lowerFloatOp(b, op, wide, contract) : functions.call(b, function, wide);
  if (isa<arith::CmpFOp>(op))
    return result;
  return narrowFloat(b, result, element, Rounding::NearestEven, spec);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

Value Elementwise::lowerPointer(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type to = convertElement(element);
  Type type = withLanes(to, lanesOf(args[0]));
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tt::AddPtrOp) {
        Value offset = b.resizeSigned(args[1], b.builder.getI64Type());
        Type pointee = cast<tt::PointerType>(element).getPointeeType();
        return b.offset(args[0], b.mul(offset, elementBytes(pointee)));
      })
      .Case([&](tt::BitcastOp) -> Value {
        return isa<LLVM::LLVMPointerType>(to) ? args[0] : b.bitcast(args[0], to);
      })
      .Case(
          [&](tt::IntToPtrOp) { return LLVM::IntToPtrOp::create(b.builder, b.loc, type, args[0]); })
      .Case([&](tt::PtrToIntOp) { return b.addressOf(args[0]); })
      .Default([](Operation *) { return Value(); });
}
