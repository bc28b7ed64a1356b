//===- Casts.cpp - conversions that the chip has instructions for ---------===//
// Everything else is LLVM's or integer arithmetic (TTGIRToLLIR/Casts.h).
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/AMD/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

SmallVector<Value> AmdTargetInfo::convertFloats(OpBuilder &, Location, ValueRange, Type, Type,
                                                Rounding) const {
  return {};
}

Value AmdTargetInfo::convertIntToFloat(OpBuilder &, Location, Value, Type, bool) const {
  return {};
}

Value AmdTargetInfo::convertFloatToInt(OpBuilder &, Location, Value, Type, bool) const {
  return {};
}
