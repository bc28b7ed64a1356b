//===- WarpReduce.cpp - one instruction for all lanes; predicated stores --===//
// PTX ISA, redux.sync (sm_80): add, min, max of s32 and u32, and, or, xor of b32 over
// the lanes of a warp. Smaller integers are widened; the low bits come out right.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static std::optional<NVVM::ReduxKind> reductionOf(Operation *op) {
  using Kind = NVVM::ReduxKind;
  using Result = std::optional<Kind>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddIOp>([](auto) -> Result { return Kind::ADD; })
      .Case<arith::AndIOp>([](auto) -> Result { return Kind::AND; })
      .Case<arith::OrIOp>([](auto) -> Result { return Kind::OR; })
      .Case<arith::XOrIOp>([](auto) -> Result { return Kind::XOR; })
      .Case<arith::MaxSIOp>([](auto) -> Result { return Kind::MAX; })
      .Case<arith::MinSIOp>([](auto) -> Result { return Kind::MIN; })
      .Case<arith::MaxUIOp>([](auto) -> Result { return Kind::UMAX; })
      .Case<arith::MinUIOp>([](auto) -> Result { return Kind::UMIN; })
      .Default([](auto) -> Result { return std::nullopt; });
}

bool NvidiaTargetInfo::canCombineAllLanes(Operation *op) const {
  Type type = op->getResult(0).getType();
  return reductionOf(op) && type.isInteger() && type.getIntOrFloatBitWidth() <= 32;
}

Value NvidiaTargetInfo::combineAllLanes(OpBuilder &b, Location loc, Operation *op,
                                        Value value) const {
  Type type = value.getType(), word = b.getI32Type();
  if (!canCombineAllLanes(op))
    return {};
  bool isNarrow = type != word;
  if (isNarrow)
    value = isa<arith::MaxSIOp, arith::MinSIOp>(op)
                ? LLVM::SExtOp::create(b, loc, word, value).getRes()
                : LLVM::ZExtOp::create(b, loc, word, value).getRes();
  Value all = LLVM::ConstantOp::create(b, loc, word, -1);
  Value result = NVVM::ReduxOp::create(b, loc, word, value, *reductionOf(op), all);
  return isNarrow ? LLVM::TruncOp::create(b, loc, type, result).getRes() : result;
}

void NvidiaTargetInfo::storeShared(OpBuilder &b, Location loc, Value pointer, Value value,
                                   Value predicate) const {
  if (!predicate) {
    LLVM::StoreOp::create(b, loc, value, pointer);
    return;
  }
  Type type = value.getType();
  bool isPointer = isa<LLVM::LLVMPointerType>(type);
  unsigned bits = isPointer ? 64 : type.getIntOrFloatBitWidth();
  if (isPointer)
    value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  else if (!type.isInteger())
    value = LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), value);
  if (bits == 8) // PTX has no registers of 8 bits
    value = LLVM::ZExtOp::create(b, loc, b.getI16Type(), value);
  PTXStatement ptx;
  std::string guard = ptx.guard(predicate), address = ptx.input("r", pointer);
  std::string stored = ptx.input(bits == 64 ? "l" : bits == 32 ? "r" : "h", value);
  std::string text =
      guard + "st.shared.b" + std::to_string(bits) + " [" + address + "], " + stored + ";";
  (void)ptx.emit(b, loc, text, {}, Effects::Writes);
}
