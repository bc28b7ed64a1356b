//===- DeviceFunctions.cpp - libdevice functions that need no library ----===//
// See DeviceFunctions.h. The table has a row for each symbol: its types and the function that emits
// it.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/DeviceFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace tessera;
using Float = LLVM::FCmpPredicate;
using Int = LLVM::ICmpPredicate;

namespace {
struct Call {
  LaneBuilder &b;
  ArrayRef<Value> args;
  Type result; // the type of one lane

  Type i32() const { return b.builder.getI32Type(); }
  Type i64() const { return b.builder.getI64Type(); }
  Type f64() const { return b.builder.getF64Type(); }
  Value x() const { return args[0]; }
  Value y() const { return args[1]; }
};

using Lowering = Value (*)(const Call &);
struct Row : DeviceFunction {
  Lowering lower;
};
} // namespace

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename Op> static Value lowerUnary(const Call &call) {
  return Op::create(call.b.builder, call.b.loc, call.x());
}

template <typename Op> static Value lowerBinary(const Call &call) {
  return Op::create(call.b.builder, call.b.loc, call.x(), call.y());
}

static Value lowerSaturate(const Call &call) {
  Value zero = call.b.zero(call.x().getType()), one = call.b.real(call.x().getType(), 1.0);
  Value positive = call.b.select(call.b.compare(Float::ogt, call.x(), zero), call.x(), zero);
  return call.b.select(call.b.compare(Float::olt, positive, one), positive, one);
}

/// Returns x - y if that is positive, else 0; NaN stays NaN.
static Value lowerPositiveDifference(const Call &call) {
  Value larger = call.b.compare(Float::ugt, call.x(), call.y());
  return call.b.select(larger, call.b.subFloat(call.x(), call.y()),
                       call.b.zero(call.x().getType()));
}

static Value asInt(const Call &call, Value condition) {
  return call.b.resizeUnsigned(condition, call.i32());
}

static Value lowerIsNan(const Call &call) {
  return asInt(call, call.b.compare(Float::uno, call.x(), call.x()));
}

static Value lowerIsInfinite(const Call &call) {
  return asInt(call, call.b.compare(Float::oeq, call.b.absFloat(call.x()), INFINITY));
}

static Value lowerIsFinite(const Call &call) {
  return asInt(call, call.b.compare(Float::olt, call.b.absFloat(call.x()), INFINITY));
}

static Value lowerSignBit(const Call &call) {
  unsigned bits = laneType(call.x()).getIntOrFloatBitWidth();
  Value integer = call.b.bitcast(call.x(), call.b.builder.getIntegerType(bits));
  return call.b.resizeSigned(call.b.shiftRight(integer, bits - 1), call.i32());
}

static Value lowerBitcast(const Call &call) { return call.b.bitcast(call.x(), call.result); }

static Value lowerLowWord(const Call &call) {
  return call.b.resizeSigned(call.b.bitcast(call.x(), call.i64()), call.i32());
}

static Value lowerHighWord(const Call &call) {
  Value words = call.b.shiftRight(call.b.bitcast(call.x(), call.i64()), 32);
  return call.b.resizeSigned(words, call.i32());
}

static Value lowerFromWords(const Call &call) {
  Value high = call.b.shiftLeft(call.b.resizeUnsigned(call.x(), call.i64()), 32);
  Value low = call.b.resizeUnsigned(call.y(), call.i64());
  return call.b.bitcast(call.b.bitOr(high, low), call.f64());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value lowerLeadingZeros(const Call &call) {
  Value count = LLVM::CountLeadingZerosOp::create(call.b.builder, call.b.loc, call.x().getType(),
                                                  call.x(), /*is_zero_poison=*/false);
  return call.b.resizeSigned(count, call.i32());
}

static Value lowerFindFirstSet(const Call &call) {
  Value zeros = LLVM::CountTrailingZerosOp::create(call.b.builder, call.b.loc, call.x().getType(),
                                                   call.x(), /*is_zero_poison=*/false);
  Value index = call.b.resizeSigned(call.b.add(zeros, 1), call.i32());
  return call.b.select(call.b.compare(Int::eq, call.x(), 0), call.b.zero(index.getType()), index);
}

static Value lowerCountOnes(const Call &call) {
  return call.b.resizeSigned(lowerUnary<LLVM::CtPopOp>(call), call.i32());
}

static Value lowerAbsolute(const Call &call) {
  return LLVM::AbsOp::create(call.b.builder, call.b.loc, call.x().getType(), call.x(),
                             /*is_int_min_poison=*/false);
}

template <bool isSigned> static Value lowerHighProduct(const Call &call) {
  return call.b.highProduct(call.x(), call.y(), isSigned);
}

template <bool isSigned> static Value lowerProduct24(const Call &call) {
  auto low = [&](Value value) {
    Value up = call.b.shiftLeft(value, 8);
    return isSigned ? call.b.signedShiftRight(up, 8) : call.b.shiftRight(up, 8);
  };
  return call.b.mul(low(call.x()), low(call.y()));
}

template <bool isSigned> static Value lowerAbsoluteDifference(const Call &call) {
  LaneBuilder &b = call.b;
  Value larger = b.compare(isSigned ? Int::sgt : Int::ugt, call.x(), call.y());
  Value difference = b.select(larger, b.sub(call.x(), call.y()), b.sub(call.y(), call.x()));
  return b.add(difference, call.args[2]);
}

/// Returns the average without overflow: the common bits plus half of the differing bits, rounded
/// down or up.
template <bool isSigned, bool roundsUp> static Value lowerAverage(const Call &call) {
  LaneBuilder &b = call.b;
  Value differing = b.bitXor(call.x(), call.y());
  Value half = isSigned ? b.signedShiftRight(differing, 1) : b.shiftRight(differing, 1);
  return roundsUp ? b.sub(b.bitOr(call.x(), call.y()), half)
                  : b.add(b.bitAnd(call.x(), call.y()), half);
}

/// Byte i of the result is byte (z >> 4i) & 7 of y:x.
static Value lowerBytePermutation(const Call &call) {
  LaneBuilder &b = call.b;
  Value bytes = b.bitOr(b.resizeUnsigned(call.x(), call.i64()),
                        b.shiftLeft(b.resizeUnsigned(call.y(), call.i64()), 32));
  Value selector = b.resizeUnsigned(call.args[2], call.i64());
  Value result = b.zero(bytes.getType());
  for (int64_t i = 0; i < 4; ++i) {
    // The three bits of the nibble, times eight.
    Value shift = i == 0 ? b.shiftLeft(selector, 3) : b.shiftRight(selector, 4 * i - 3);
    Value byte = b.bitAnd(b.shiftRight(bytes, b.bitAnd(shift, 0x38)), 0xff);
    result = b.bitOr(result, b.shiftLeft(byte, 8 * i));
  }
  return b.resizeSigned(result, call.i32());
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Row kRows[] = {
    {{"fabs", "dd"}, lowerUnary<LLVM::FAbsOp>},
    {{"fabsf", "ff"}, lowerUnary<LLVM::FAbsOp>},
    {{"floor", "dd"}, lowerUnary<LLVM::FFloorOp>},
    {{"floorf", "ff"}, lowerUnary<LLVM::FFloorOp>},
    {{"ceil", "dd"}, lowerUnary<LLVM::FCeilOp>},
    {{"ceilf", "ff"}, lowerUnary<LLVM::FCeilOp>},
    {{"trunc", "dd"}, lowerUnary<LLVM::FTruncOp>},
    {{"truncf", "ff"}, lowerUnary<LLVM::FTruncOp>},
    {{"round", "dd"}, lowerUnary<LLVM::RoundOp>},
    {{"roundf", "ff"}, lowerUnary<LLVM::RoundOp>},
    {{"rint", "dd"}, lowerUnary<LLVM::RoundEvenOp>},
    {{"rintf", "ff"}, lowerUnary<LLVM::RoundEvenOp>},
    {{"nearbyint", "dd"}, lowerUnary<LLVM::RoundEvenOp>},
    {{"nearbyintf", "ff"}, lowerUnary<LLVM::RoundEvenOp>},
    {{"sqrt", "dd"}, lowerUnary<LLVM::SqrtOp>},
    {{"sqrtf", "ff"}, lowerUnary<LLVM::SqrtOp>},
    {{"copysign", "ddd"}, lowerBinary<LLVM::CopySignOp>},
    {{"copysignf", "fff"}, lowerBinary<LLVM::CopySignOp>},
    {{"fmax", "ddd"}, lowerBinary<LLVM::MaxNumOp>},
    {{"fmaxf", "fff"}, lowerBinary<LLVM::MaxNumOp>},
    {{"fmin", "ddd"}, lowerBinary<LLVM::MinNumOp>},
    {{"fminf", "fff"}, lowerBinary<LLVM::MinNumOp>},
    {{"fdim", "ddd"}, lowerPositiveDifference},
    {{"fdimf", "fff"}, lowerPositiveDifference},
    {{"fast_fdividef", "fff"}, lowerBinary<LLVM::FDivOp>},
    {{"saturatef", "ff"}, lowerSaturate},
    {{"isnanf", "if"}, lowerIsNan},
    {{"isnand", "id"}, lowerIsNan},
    {{"isinff", "if"}, lowerIsInfinite},
    {{"isinfd", "id"}, lowerIsInfinite},
    {{"signbitf", "if"}, lowerSignBit},
    {{"signbitd", "id"}, lowerSignBit},
    {{"finitef", "if"}, lowerIsFinite},
    {{"isfinited", "id"}, lowerIsFinite},
    {{"int_as_float", "fi"}, lowerBitcast},
    {{"uint_as_float", "fi"}, lowerBitcast},
    {{"float_as_int", "if"}, lowerBitcast},
    {{"float_as_uint", "if"}, lowerBitcast},
    {{"longlong_as_double", "dl"}, lowerBitcast},
    {{"double_as_longlong", "ld"}, lowerBitcast},
    {{"double2loint", "id"}, lowerLowWord},
    {{"double2hiint", "id"}, lowerHighWord},
    {{"hiloint2double", "dii"}, lowerFromWords},
    {{"clz", "ii"}, lowerLeadingZeros},
    {{"clzll", "il"}, lowerLeadingZeros},
    {{"popc", "ii"}, lowerCountOnes},
    {{"popcll", "il"}, lowerCountOnes},
    {{"ffs", "ii"}, lowerFindFirstSet},
    {{"ffsll", "il"}, lowerFindFirstSet},
    {{"brev", "ii"}, lowerUnary<LLVM::BitReverseOp>},
    {{"brevll", "ll"}, lowerUnary<LLVM::BitReverseOp>},
    {{"abs", "ii"}, lowerAbsolute},
    {{"llabs", "ll"}, lowerAbsolute},
    {{"byte_perm", "iiii"}, lowerBytePermutation},
    {{"mulhi", "iii"}, lowerHighProduct<true>},
    {{"umulhi", "iii"}, lowerHighProduct<false>},
    {{"mul64hi", "lll"}, lowerHighProduct<true>},
    {{"umul64hi", "lll"}, lowerHighProduct<false>},
    {{"mul24", "iii"}, lowerProduct24<true>},
    {{"umul24", "iii"}, lowerProduct24<false>},
    {{"sad", "iiii"}, lowerAbsoluteDifference<true>},
    {{"usad", "iiii"}, lowerAbsoluteDifference<false>},
    {{"hadd", "iii"}, lowerAverage<true, false>},
    {{"uhadd", "iii"}, lowerAverage<false, false>},
    {{"rhadd", "iii"}, lowerAverage<true, true>},
    {{"urhadd", "iii"}, lowerAverage<false, true>},
};

llvm::SmallVector<DeviceFunction> tessera::plainDeviceFunctions() {
  return SmallVector<DeviceFunction>(std::begin(kRows), std::end(kRows));
}

Value tessera::emitDeviceFunction(LaneBuilder &b, StringRef name, ArrayRef<Value> args,
                                  Type result) {
  const Row *row = llvm::find_if(kRows, [&](const Row &r) { return r.name == name; });
  if (row == std::end(kRows) || row->types.size() != args.size() + 1 ||
      deviceType(row->types[0], b.builder.getContext()) != result)
    return {};
  for (auto [code, arg] : llvm::zip(row->types.drop_front(), args))
    if (deviceType(code, b.builder.getContext()) != laneType(arg))
      return {};
  return row->lower({b, args, result});
}

Type tessera::deviceType(char code, MLIRContext *context) {
  Builder builder(context);
  switch (code) {
  case 'i':
    return builder.getI32Type();
  case 'l':
    return builder.getI64Type();
  case 'f':
    return builder.getF32Type();
  default:
    return builder.getF64Type();
  }
}

StringRef tessera::mathFunctionName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::Log2Op>([](auto) { return "log2"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::SqrtOp>([](auto) { return "sqrt"; })
      .Case<math::RsqrtOp>([](auto) { return "rsqrt"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<math::TanOp>([](auto) { return "tan"; })
      .Case<math::AtanOp>([](auto) { return "atan"; })
      .Case<math::Atan2Op>([](auto) { return "atan2"; })
      .Case<math::AsinOp>([](auto) { return "asin"; })
      .Case<math::AcosOp>([](auto) { return "acos"; })
      .Case<math::SinhOp>([](auto) { return "sinh"; })
      .Case<math::CoshOp>([](auto) { return "cosh"; })
      .Case<math::Log10Op>([](auto) { return "log10"; })
      .Case<math::Log1pOp>([](auto) { return "log1p"; })
      .Case<math::ExpM1Op>([](auto) { return "expm1"; })
      .Case<math::CbrtOp>([](auto) { return "cbrt"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Default([](auto) { return ""; });
}
