//===- MathLibrary.cpp - operations that can be rounded in a direction ----===//
#include "tessera/LLIR/MathLibrary.h"

using namespace mlir;
using namespace tessera;

Value tessera::emitRounded(LaneBuilder &b, RoundedOp op, ValueRange args, Type type) {
  switch (op) {
  case RoundedOp::Add:
    return b.addFloat(args[0], args[1]);
  case RoundedOp::Sub:
    return b.subFloat(args[0], args[1]);
  case RoundedOp::Mul:
    return b.mulFloat(args[0], args[1]);
  case RoundedOp::Div:
    return b.divFloat(args[0], args[1]);
  case RoundedOp::Sqrt:
    return b.squareRoot(args[0]);
  case RoundedOp::Fma:
    return LLVM::FMAOp::create(b.builder, b.loc, args[0], args[1], args[2]);
  case RoundedOp::Narrow:
    return LLVM::FPTruncOp::create(b.builder, b.loc, type, args[0]);
  case RoundedOp::FromSigned:
  case RoundedOp::FromUnsigned:
    break;
  }
  if (op == RoundedOp::FromSigned)
    return LLVM::SIToFPOp::create(b.builder, b.loc, type, args[0]);
  return LLVM::UIToFPOp::create(b.builder, b.loc, type, args[0]);
}
