//===- Polynomials.cpp - inline exp, log, tanh, erf and pow of f32 -------===//
// See Polynomials.h. The coefficients are minimax fits (Lawson's iteration, 40 digits) of the
// function in the comment beside them, rounded to f32.
//
//   exp, exp2   x = n + f: 2^n · p(f). n comes from adding 1.5·2^23, whose sum
//               holds n in its low bits; the scaling by 2^n rounds once.
//   log, log2   x = 2^e · (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
//   tanh        x + x³ · p(x²), and 1 - 2 / (e^2x + 1) from 3/4 on.
//   erf         x · p(x²), and 1 - 2^q(x) from 0.9 on; with AVX-512 15 pieces.
//   pow         2^(y · log2 x), the logarithm and the product in f64.
// Cost, in instructions per vector: 15, 25, 30 (and a division), 35 (18), 90.
//===----------------------------------------------------------------------===//
#include "Polynomials.h"
#include "tessera/LLIR/Sigmoids.h"
#include "llvm/ADT/StringSwitch.h"
#include <array>

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Float = LLVM::FCmpPredicate;
using Int = LLVM::ICmpPredicate;

/// Clamps x to [low, high]; NaN stays NaN.
static Value clamp(LaneBuilder &b, Value x, double low, double high) {
  Value least = b.real(x.getType(), low), most = b.real(x.getType(), high);
  x = b.select(b.compare(Float::ogt, least, x), least, x);
  return b.select(b.compare(Float::olt, most, x), most, x);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Adding this to a small number rounds it to an integer, which is in the low bits of the sum.
static constexpr double kRounder = 12582912.0; // 1.5 · 2^23
static constexpr int64_t kRounderBits = 0x4b400000;

/// Returns value · 2^n for n = rounder - kRounder, |n| <= 252.
static Value scaleByPower(LaneBuilder &b, Value value, Value rounder, const CPUSpec &spec) {
  unsigned lanes = lanesOf(value), piece = std::min(lanes, 16u);
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  if (spec.vectorBits == 512 && piece >= 4) {
    Value power = b.subFloat(rounder, kRounder);
    std::string name = "llvm.x86.avx512.mask.scalef.ps." + std::to_string(32 * piece);
    Type maskType = b.builder.getIntegerType(std::max(8u, piece));
    SmallVector<Value> parts;
    for (unsigned begin = 0; begin < lanes; begin += piece) {
      Value part = b.slice(value, begin, piece);
      SmallVector<Value> args = {part, b.slice(power, begin, piece), part,
                                 b.integer(maskType, int64_t(-1))};
      if (piece == 16) // uses the current rounding mode
        args.push_back(b.integer(i32, int64_t(4)));
      parts.push_back(b.intrinsic(name, part.getType(), args));
    }
    return b.concat(parts);
  }
  // The scaling takes two steps, of which only the second can round, because each power is normal.
  Value n = b.sub(b.bitcast(rounder, i32), kRounderBits);
  Value half = b.signedShiftRight(n, 1);
  auto power = [&](Value exponent) {
    return b.bitcast(b.shiftLeft(b.add(exponent, 127), 23), f32);
  };
  return b.mulFloat(b.mulFloat(value, power(half)), power(b.sub(n, half)));
}

namespace {
struct Power {
  Value mantissa, rounder; // mantissa · 2^n, n = rounder - kRounder
};
} // namespace

/// Returns 2^f for f in [-1/2, 1/2].
static Value powerOfFraction(LaneBuilder &b, Value f) {
  // (2^f - 1) / f
  Value p = evaluatePolynomial(b, f,
                               {0.693147187927, 0.240226497945, 0.0555035743387, 0.00961823757306,
                                0.00133907353827, 0.000154034873059});
  return b.mulAdd(f, p, 1.0);
}

/// Splits 2^x for |x| < 2^22.
static Power splitExp2(LaneBuilder &b, Value x) {
  Value rounder = b.addFloat(x, kRounder);
  Value f = b.subFloat(x, b.subFloat(rounder, kRounder)); // exact
  return {powerOfFraction(b, f), rounder};
}

/// Splits e^x for |x| < 2^14.
static Power splitExp(LaneBuilder &b, Value x) {
  Type type = x.getType();
  Value rounder = b.mulAdd(x, b.real(type, 1.44269504088896), kRounder);
  Value n = b.subFloat(rounder, kRounder);
  // ln 2 is split into two parts; n times the first is exact.
  Value r = b.mulAdd(n, b.real(type, -0.693359375), x);
  r = b.mulAdd(n, b.real(type, 2.12194440054690583e-4), r);
  // (e^r - 1 - r) / r² on [-ln 2 / 2, ln 2 / 2]
  Value p = evaluatePolynomial(
      b, r, {0.499999995524, 0.166665773202, 0.0416668536211, 0.00836314034332, 0.00139012620863});
  Value tail = b.mulAdd(b.mulFloat(r, r), p, r);
  return {b.addFloat(tail, 1.0), rounder};
}

/// Returns the product if it is known to be normal: n is added to the exponent.
static Value joinNormal(LaneBuilder &b, Power power) {
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  Value n = b.shiftLeft(b.bitcast(power.rounder, i32), 23); // kRounder's own bits are shifted out
  return b.bitcast(b.add(b.bitcast(power.mantissa, i32), n), f32);
}

/// Returns the function that `emit` computes for x >= `low`, and 0 below. Arguments whose result is
/// 0 are not passed to `emit`: an underflow takes over a hundred cycles, and masked attention often
/// computes exp(-inf).
template <typename Emit>
static Value vanishBelow(LaneBuilder &b, Value x, double low, double high, Emit emit) {
  Value vanishes = b.compare(Float::olt, x, low);
  Value inside = b.select(vanishes, b.zero(x.getType()), x);
  Value most = b.real(x.getType(), high);
  inside = b.select(b.compare(Float::olt, most, inside), most, inside); // NaN stays NaN
  Value result = emit(inside);
  return b.select(vanishes, b.zero(result.getType()), result);
}

static Value emitExp2(LaneBuilder &b, Value x, const CPUSpec &spec) {
  return vanishBelow(b, x, -150, 130, [&](Value inside) {
    Power power = splitExp2(b, inside);
    return scaleByPower(b, power.mantissa, power.rounder, spec);
  });
}

static Value emitExp(LaneBuilder &b, Value x, const CPUSpec &spec) {
  return vanishBelow(b, x, -103.98, 90, [&](Value inside) {
    Power power = splitExp(b, inside);
    return scaleByPower(b, power.mantissa, power.rounder, spec);
  });
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
struct Decomposed {
  Value exponent, fraction; // x = 2^exponent · (1 + fraction), both f32
};
} // namespace

/// Decomposes a positive finite x.
static Decomposed decompose(LaneBuilder &b, Value x) {
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  Value subnormal = b.compare(Float::olt, x, 0x1p-126);
  Value normal = b.select(subnormal, b.mulFloat(x, 0x1p24), x);
  // The exponent is relative to sqrt(1/2), so that 1 + fraction is around 1.
  Value bits = b.sub(b.bitcast(normal, i32), 0x3f3504f3);
  Value exponent = b.signedShiftRight(bits, 23);
  Value mantissa = b.add(b.bitAnd(bits, 0x7fffff), 0x3f3504f3);
  Type floats = withLanes(f32, lanesOf(x));
  Value number = LLVM::SIToFPOp::create(b.builder, b.loc, floats, exponent);
  number = b.select(subnormal, b.subFloat(number, 24.0), number);
  return {number, b.subFloat(b.bitcast(mantissa, f32), 1.0)};
}

/// Returns `result` if x is positive and finite, and C's result otherwise.
static Value fixLogarithm(LaneBuilder &b, Value x, Value result) {
  Type type = x.getType();
  Value infinity = b.real(type, INFINITY);
  result = b.select(b.compare(Float::oeq, x, infinity), infinity, result);
  result = b.select(b.compare(Float::oeq, x, 0.0), b.real(type, -INFINITY), result);
  return b.select(b.compare(Float::ult, x, 0.0), b.real(type, NAN), result); // also for NaN
}

static Value emitLog(LaneBuilder &b, Value x, const CPUSpec &) {
  auto [e, f] = decompose(b, x);
  // (log(1 + f) - f + f²/2) / f³
  Value p = evaluatePolynomial(b, f,
                               {0.333333299503, -0.250003039576, 0.200011996957, -0.166415783781,
                                0.142099827082, -0.129893581966, 0.126554279686, -0.0797360804433});
  Type type = x.getType();
  Value square = b.mulFloat(f, f);
  Value low = b.mulFloat(b.mulFloat(square, f), p);
  low = b.mulAdd(e, b.real(type, -2.12194440054690583e-4), low);
  low = b.mulAdd(square, b.real(type, -0.5), low);
  Value result = b.mulAdd(e, b.real(type, 0.693359375), b.addFloat(low, f));
  return fixLogarithm(b, x, result);
}

static Value emitLog2(LaneBuilder &b, Value x, const CPUSpec &) {
  auto [e, f] = decompose(b, x);
  // (log2(1 + f) - f · log2 e) / f²
  Value p = evaluatePolynomial(b, f,
                               {-0.72134748646, 0.480898232227, -0.360684995119, 0.288562582612,
                                -0.239878202675, 0.204807775642, -0.189196766658, 0.1843337152,
                                -0.11220485311});
  Type type = x.getType();
  // log2 e is split into two parts, so that only the last product is rounded.
  Value low = b.mulAdd(b.mulFloat(f, f), p, b.mulFloat(f, 1.925963033500011e-8));
  Value fraction = b.mulAdd(f, b.real(type, 1.44269502162933), low);
  return fixLogarithm(b, x, b.addFloat(e, fraction));
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

static Value emitTanh(LaneBuilder &b, Value x, const CPUSpec &) {
  Value small = emitTanhNearZero(b, x);
  // 1 - 2 / (e^2x + 1) rounds to 1 for x >= 9.02.
  Value twice = clamp(b, b.mulFloat(b.absFloat(x), 2.0), 0, 18.04);
  Value power = b.addFloat(joinNormal(b, splitExp(b, twice)), 1.0);
  Value one = b.real(x.getType(), 1.0);
  Value large = b.subFloat(one, b.divFloat(b.real(x.getType(), 2.0), power));
  return joinAt(b, x, kTanhCut, small, large);
}

/// This erf is for AVX-512, where a table of 16 numbers is one register and a lookup one
/// instruction. It is a polynomial of degree 5 on each of 15 pieces of [0, 3.92]; beyond, erf
/// rounds to 1. It takes half as many instructions as the two polynomials and the power below.
namespace {
constexpr unsigned kPieces = 16;
using Table = std::array<double, kPieces>;
constexpr double kErfEnd = 3.92;
constexpr double kPiecesPerUnit = 3.82653069; // (kPieces - 1) / kErfEnd
/// The middles of the pieces, shifted slightly to numbers whose erf is nearly an f32, so that the
/// constant terms have small rounding errors. Piece 0 is around 0 and is a polynomial of erf(x) -
/// x.
constexpr Table kErfMiddle = {0,          0.261245281, 0.522494376, 0.783842683,
                              1.04497683, 1.30631125,  1.56770098,  1.82898033,
                              2.09002995, 2.35133171,  2.61271524,  2.87415385,
                              3.13549662, 3.3974359,   3.65795135,  3.92071509};
constexpr Table kErfTerms[] = {
    {0, 0.288212597, 0.540043592, 0.732363105, 0.860544145, 0.935311258, 0.973381281, 0.990306318,
     0.996880889, 0.999116719, 0.999780059, 0.999951899, 0.999990761, 0.99999845, 0.999999762, 1},
    {0.128379166, 1.05393755, 0.858801067, 0.610408366, 0.378630579, 0.204811171, 0.0966263115,
     0.039780166, 0.0143007524, 0.0044806879, 0.00122416217, 0.000291643781, 6.06399917e-05,
     1.09541907e-05, 1.74313402e-06, 9.78142634e-06},
    {2.42817663e-07, -0.275330991, -0.448712558, -0.478461325, -0.395661294, -0.267549932,
     -0.151483268, -0.0727578402, -0.0298888478, -0.0105352215, -0.00319806882, -0.000838102191,
     -0.000190114297, -3.72492686e-05, -2.56715748e-06, 0.000560129527},
    {-0.376140624, -0.303381741, -0.129999474, 0.0465521105, 0.149422482, 0.164728373, 0.126110643,
     0.075455673, 0.036879804, 0.0150217358, 0.00516285002, 0.00150881358, 0.000377189252,
     8.06244861e-05, 1.46466791e-05, 0.0117772026},
    {0.000276185368, 0.130417168, 0.182366595, 0.140709624, 0.0540272817, -0.0178839955,
     -0.0479586311, -0.0446135141, -0.0286065564, -0.0142210945, -0.00573466625, -0.00191538082,
     -0.000536692678, -0.000124903905, -0.000248461671, 0.101541787},
    {0.110998005, 0.0780233145, 0.00232316204, -0.0576547608, -0.0668648854, -0.0397116765,
     -0.00766669353, 0.00993750244, 0.0127469143, 0.00878806785, 0.0043995278, 0.00173267443,
     0.000555589795, 0.000147754356, 7.03169499e-05, 0.307466537}};
} // namespace

/// Computes erf of 16 lanes.
static Value emitErfByPieces(LaneBuilder &b, Value x) {
  Type type = x.getType(), i32 = b.builder.getI32Type();
  Value most = b.real(type, kErfEnd), size = b.absFloat(x);
  size = b.select(b.compare(Float::olt, most, size), most, size); // NaN stays NaN
  Value rounder = b.mulAdd(size, b.real(type, kPiecesPerUnit), kRounder);
  Value piece = b.bitcast(rounder, i32); // only the low bits are used
  auto lookUp = [&](const Table &table) {
    SmallVector<float> numbers(table.begin(), table.end());
    auto attr = DenseElementsAttr::get(cast<VectorType>(type), ArrayRef<float>(numbers));
    Value constant = LLVM::ConstantOp::create(b.builder, b.loc, type, attr);
    return b.intrinsic("llvm.x86.avx512.permvar.sf.512", type, {constant, piece});
  };
  Value t = b.subFloat(size, lookUp(kErfMiddle));
  Value sum = lookUp(kErfTerms[std::size(kErfTerms) - 1]);
  for (unsigned power = std::size(kErfTerms) - 2; power > 0; --power)
    sum = b.mulAdd(sum, t, lookUp(kErfTerms[power]));
  Value isFirst = b.compare(Float::oeq, rounder, kRounder);
  sum = b.mulAdd(sum, t, b.select(isFirst, size, lookUp(kErfTerms[0])));
  return LLVM::CopySignOp::create(b.builder, b.loc, sum, x);
}

/// Computes erf of any number of lanes, 16 at a time. Fewer lanes are repeated to fill a register.
static Value emitErfByPiecesOfLanes(LaneBuilder &b, Value x) {
  unsigned lanes = lanesOf(x);
  if (lanes == 0)
    return b.extract(emitErfByPieces(b, b.splat(x, kPieces)), 0);
  if (lanes < kPieces) {
    SmallVector<int32_t> mask;
    for (unsigned lane = 0; lane < kPieces; ++lane)
      mask.push_back(lane % lanes);
    Value filled = LLVM::ShuffleVectorOp::create(b.builder, b.loc, x, x, mask);
    return b.slice(emitErfByPieces(b, filled), 0, lanes);
  }
  SmallVector<Value> parts;
  for (unsigned begin = 0; begin < lanes; begin += kPieces)
    parts.push_back(emitErfByPieces(b, b.slice(x, begin, kPieces)));
  return b.concat(parts);
}

static Value emitErf(LaneBuilder &b, Value x, const CPUSpec &spec) {
  if (spec.vectorBits == 512)
    return emitErfByPiecesOfLanes(b, x);
  Value small = emitErfNearZero(b, x);
  Value logarithm = emitLogOfErfc(b, clamp(b, b.absFloat(x), 0, 4));
  Value one = b.real(x.getType(), 1.0);
  Value large = b.subFloat(one, joinNormal(b, splitExp2(b, logarithm)));
  return joinAt(b, x, kErfCut, small, large);
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

/// Returns log2 of x >= 0 in f64 with 36 correct bits: enough for the product with any y for which
/// the power is finite.
static Value log2InDouble(LaneBuilder &b, Value x) {
  Type f64 = b.builder.getF64Type();
  auto [e, f] = decompose(b, x);
  Value wide = b.resizeFloat(f, f64);
  // log2(1 + f) / f, with even and odd powers separated to halve the dependency chain.
  Value square = b.mulFloat(wide, wide);
  Value even = evaluatePolynomial(b, square,
                                  {1.44269504086870906, 0.480898361393384551, 0.288537293645451966,
                                   0.20617535526840259, 0.158769815258350556, 0.144748973099554621,
                                   0.0773662653686622994});
  Value odd =
      evaluatePolynomial(b, square,
                         {-0.721347520868986326, -0.360673674782275739, -0.240453168265834217,
                          -0.180300535262019565, -0.143157193569241175, -0.142836311997460375});
  Value p = b.mulAdd(odd, wide, even);
  Value result = b.mulAdd(wide, p, b.resizeFloat(e, f64));
  result = b.select(b.compare(Float::oeq, x, 0.0), b.real(result.getType(), -INFINITY), result);
  return b.select(b.compare(Float::olt, x, INFINITY), result,
                  b.resizeFloat(x, f64)); // also for NaN
}

namespace {
struct Exponent {
  Value number;           // f64
  Value isInteger, isOdd; // i1
};
} // namespace

static Value emitPowerOf(LaneBuilder &b, Value x, Exponent y, const CPUSpec &spec) {
  constexpr double rounder = 0x1.8p52;
  Type type = x.getType(), f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  Value size = b.absFloat(x);
  Value product = b.mulFloat(y.number, log2InDouble(b, size));
  // The power is 1 whatever the other operand is, also NaN.
  Value isOne = b.bitOr(b.compare(Float::oeq, size, 1.0), b.compare(Float::oeq, y.number, 0.0));
  product = b.select(isOne, b.zero(product.getType()), product);
  Value result = vanishBelow(b, product, -150, 130, [&](Value inside) {
    Value n = b.subFloat(b.addFloat(inside, rounder), rounder);
    Value fraction = b.resizeFloat(b.subFloat(inside, n), f32);
    Value whole = b.addFloat(b.resizeFloat(n, f32), kRounder);
    return scaleByPower(b, powerOfFraction(b, fraction), whole, spec);
  });
  // The sign of x if y is odd; NaN if y is no integer, unless x is zero or infinite.
  Value sign = b.bitAnd(b.bitcast(x, i32), int64_t(0x80000000));
  Value kept = b.select(y.isOdd, sign, b.zero(sign.getType()));
  result = b.bitcast(b.bitOr(b.bitcast(result, i32), kept), f32);
  Value isNegative = b.bitAnd(b.compare(Float::olt, x, 0.0), b.compare(Float::ogt, x, -INFINITY));
  Value noPower = b.bitAnd(isNegative, b.logicalNot(y.isInteger));
  return b.select(noPower, b.real(type, NAN), result);
}

Value tessera::cpu::emitPower(LaneBuilder &b, Value x, Value y, const CPUSpec &spec) {
  auto isWhole = [&](Value value) {
    return b.compare(Float::oeq, value, LLVM::FTruncOp::create(b.builder, b.loc, value));
  };
  Value isInteger = isWhole(y);
  Value isOdd = b.bitAnd(isInteger, b.logicalNot(isWhole(b.mulFloat(y, 0.5))));
  return emitPowerOf(b, x, {b.resizeFloat(y, b.builder.getF64Type()), isInteger, isOdd}, spec);
}

Value tessera::cpu::emitIntegerPower(LaneBuilder &b, Value x, Value n, const CPUSpec &spec) {
  Type wide = withLanes(b.builder.getF64Type(), lanesOf(n));
  Value number = LLVM::SIToFPOp::create(b.builder, b.loc, wide, n);
  Value isOdd = b.compare(Int::ne, b.bitAnd(n, 1), 0);
  Value always = b.splat(b.i1(true), lanesOf(n));
  return emitPowerOf(b, x, {number, always, isOdd}, spec);
}

Value tessera::cpu::emitPolynomial(LaneBuilder &b, StringRef function, Value x,
                                   const CPUSpec &spec) {
  using Emit = Value (*)(LaneBuilder &, Value, const CPUSpec &);
  Emit emit = llvm::StringSwitch<Emit>(function)
                  .Case("exp", emitExp)
                  .Case("exp2", emitExp2)
                  .Case("log", emitLog)
                  .Case("log2", emitLog2)
                  .Case("tanh", emitTanh)
                  .Case("erf", emitErf)
                  .Default(nullptr);
  return emit ? emit(b, x, spec) : Value();
}
