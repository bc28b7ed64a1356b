//===- ConstantFold.cpp - integer ops on two known numbers ----------------===//
#include "ConstantFold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

static std::optional<APInt> fold(Operation *op, const APInt &l, const APInt &r) {
  unsigned bits = l.getBitWidth();
  bool dividesSafely = !r.isZero() && !(l.isMinSignedValue() && r.isAllOnes());
  bool shiftsSafely = r.ult(bits);
  auto when = [](bool defined, auto compute) -> std::optional<APInt> {
    if (!defined)
      return std::nullopt;
    return compute();
  };
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case<arith::AddIOp>([&](auto) { return l + r; })
      .Case<arith::SubIOp>([&](auto) { return l - r; })
      .Case<arith::MulIOp>([&](auto) { return l * r; })
      .Case<arith::AndIOp>([&](auto) { return l & r; })
      .Case<arith::OrIOp>([&](auto) { return l | r; })
      .Case<arith::XOrIOp>([&](auto) { return l ^ r; })
      .Case<arith::MinSIOp>([&](auto) { return llvm::APIntOps::smin(l, r); })
      .Case<arith::MaxSIOp>([&](auto) { return llvm::APIntOps::smax(l, r); })
      .Case<arith::MinUIOp>([&](auto) { return llvm::APIntOps::umin(l, r); })
      .Case<arith::MaxUIOp>([&](auto) { return llvm::APIntOps::umax(l, r); })
      .Case<arith::DivSIOp>([&](auto) { return when(dividesSafely, [&] { return l.sdiv(r); }); })
      .Case<arith::RemSIOp>([&](auto) { return when(dividesSafely, [&] { return l.srem(r); }); })
      .Case<arith::DivUIOp>([&](auto) { return when(!r.isZero(), [&] { return l.udiv(r); }); })
      .Case<arith::RemUIOp>([&](auto) { return when(!r.isZero(), [&] { return l.urem(r); }); })
      .Case<arith::ShLIOp>([&](auto) { return when(shiftsSafely, [&] { return l.shl(r); }); })
      .Case<arith::ShRSIOp>([&](auto) { return when(shiftsSafely, [&] { return l.ashr(r); }); })
      .Case<arith::ShRUIOp>([&](auto) { return when(shiftsSafely, [&] { return l.lshr(r); }); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp cmp) {
        return APInt(1, arith::applyCmpPredicate(cmp.getPredicate(), l, r));
      })
      .Default(std::nullopt);
}

std::optional<int64_t> tessera::foldInteger(Operation *op, int64_t lhs, int64_t rhs,
                                            unsigned bits) {
  if (bits == 0 || bits > 64)
    return std::nullopt;
  std::optional<APInt> result =
      fold(op, APInt(64, lhs, true).trunc(bits), APInt(64, rhs, true).trunc(bits));
  if (!result)
    return std::nullopt;
  return result->getSExtValue();
}

std::optional<int64_t> tessera::castConstant(int64_t value, unsigned fromBits, unsigned toBits,
                                             bool zeroExtends) {
  if (fromBits == 0 || fromBits > 64 || toBits == 0 || toBits > 64)
    return std::nullopt;
  APInt from = APInt(64, value, true).trunc(fromBits);
  return (zeroExtends ? from.zextOrTrunc(toBits) : from.sextOrTrunc(toBits)).getSExtValue();
}
