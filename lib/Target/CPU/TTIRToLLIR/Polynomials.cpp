//===- Polynomials.cpp - exp, log, tanh and erf of f32, in line -----------===//
// See Polynomials.h. The coefficients are minimax fits (Lawson's iteration, 40
// digits) of the function named beside them, rounded to f32.
//
//   exp, exp2   x = n + f: 2^n · p(f). n comes from adding 1.5·2^23, whose sum
//               holds n in its low bits; the scaling by 2^n rounds once.
//   log, log2   x = 2^e · (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
//   tanh, erf   x · P(x²) / Q(x²) up to where the result is 1.
// Cost, in instructions per vector: 12, 18, 15 and one division.
//===----------------------------------------------------------------------===//
#include "Polynomials.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tessera::cpu;
using Float = LLVM::FCmpPredicate;
using Int = LLVM::ICmpPredicate;

/// coefficients[0] + x · coefficients[1] + ...
static Value evaluate(LaneBuilder &b, Value x, ArrayRef<double> coefficients) {
  Value sum = b.real(x.getType(), coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = b.mulAdd(sum, x, coefficient);
  return sum;
}

/// Within [low, high]; NaN stays.
static Value clamp(LaneBuilder &b, Value x, double low, double high) {
  Value least = b.real(x.getType(), low), most = b.real(x.getType(), high);
  x = b.select(b.compare(Float::ogt, least, x), least, x);
  return b.select(b.compare(Float::olt, most, x), most, x);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Adding it to a small number rounds that to an integer, kept in the low bits.
static constexpr double kRounder = 12582912.0; // 1.5 · 2^23
static constexpr int64_t kRounderBits = 0x4b400000;

/// value · 2^n for n = rounder - kRounder, |n| <= 252.
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
      if (piece == 16) // the rounding mode in force
        args.push_back(b.integer(i32, int64_t(4)));
      parts.push_back(b.intrinsic(name, part.getType(), args));
    }
    return b.concat(parts);
  }
  // In two steps, of which only the second can round: each power is a normal number.
  Value n = b.sub(b.bitcast(rounder, i32), kRounderBits);
  Value half = b.signedShiftRight(n, 1);
  auto power = [&](Value exponent) {
    return b.bitcast(b.shiftLeft(b.add(exponent, 127), 23), f32);
  };
  return b.mulFloat(b.mulFloat(value, power(half)), power(b.sub(n, half)));
}

static Value emitExp2(LaneBuilder &b, Value x, const CPUSpec &spec) {
  x = clamp(b, x, -160, 130);
  Value rounder = b.addFloat(x, kRounder);
  Value f = b.subFloat(x, b.subFloat(rounder, kRounder)); // exact
  // (2^f - 1) / f on [-1/2, 1/2]
  Value p = evaluate(b, f,
                     {0.693147187927, 0.240226497945, 0.0555035743387, 0.00961823757306,
                      0.00133907353827, 0.000154034873059});
  return scaleByPower(b, b.mulAdd(f, p, 1.0), rounder, spec);
}

static Value emitExp(LaneBuilder &b, Value x, const CPUSpec &spec) {
  x = clamp(b, x, -110, 90);
  Type type = x.getType();
  Value rounder = b.mulAdd(x, b.real(type, 1.44269504088896), kRounder);
  Value n = b.subFloat(rounder, kRounder);
  // ln 2 in two pieces; n times the first is exact.
  Value r = b.mulAdd(n, b.real(type, -0.693359375), x);
  r = b.mulAdd(n, b.real(type, 2.12194440054690583e-4), r);
  // (e^r - 1 - r) / r² on [-ln 2 / 2, ln 2 / 2]
  Value p = evaluate(
      b, r, {0.499999995524, 0.166665773202, 0.0416668536211, 0.00836314034332, 0.00139012620863});
  Value tail = b.mulAdd(b.mulFloat(r, r), p, r);
  return scaleByPower(b, b.addFloat(tail, 1.0), rounder, spec);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
struct Decomposed {
  Value exponent, fraction; // x = 2^exponent · (1 + fraction), both f32
};
} // namespace

/// For positive finite x.
static Decomposed decompose(LaneBuilder &b, Value x) {
  Type i32 = b.builder.getI32Type(), f32 = b.builder.getF32Type();
  Value subnormal = b.compare(Float::olt, x, 0x1p-126);
  Value normal = b.select(subnormal, b.mulFloat(x, 0x1p24), x);
  // Counted from sqrt(1/2), so that 1 + fraction lies around 1.
  Value bits = b.sub(b.bitcast(normal, i32), 0x3f3504f3);
  Value exponent = b.signedShiftRight(bits, 23);
  Value mantissa = b.add(b.bitAnd(bits, 0x7fffff), 0x3f3504f3);
  Type floats = withLanes(f32, lanesOf(x));
  Value number = LLVM::SIToFPOp::create(b.builder, b.loc, floats, exponent);
  number = b.select(subnormal, b.subFloat(number, 24.0), number);
  return {number, b.subFloat(b.bitcast(mantissa, f32), 1.0)};
}

/// `result` where x is positive and finite, what C says elsewhere.
static Value fixLogarithm(LaneBuilder &b, Value x, Value result) {
  Type type = x.getType();
  Value infinity = b.real(type, INFINITY);
  result = b.select(b.compare(Float::oeq, x, infinity), infinity, result);
  result = b.select(b.compare(Float::oeq, x, 0.0), b.real(type, -INFINITY), result);
  return b.select(b.compare(Float::ult, x, 0.0), b.real(type, NAN), result); // NaN too
}

static Value emitLog(LaneBuilder &b, Value x, const CPUSpec &) {
  auto [e, f] = decompose(b, x);
  // (log(1 + f) - f + f²/2) / f³
  Value p = evaluate(b, f,
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
  Value p =
      evaluate(b, f,
               {-0.72134748646, 0.480898232227, -0.360684995119, 0.288562582612, -0.239878202675,
                0.204807775642, -0.189196766658, 0.1843337152, -0.11220485311});
  Type type = x.getType();
  // log2 e in two pieces, so that only the last product's rounding counts.
  Value low = b.mulAdd(b.mulFloat(f, f), p, b.mulFloat(f, 1.925963033500011e-8));
  Value fraction = b.mulAdd(f, b.real(type, 1.44269502162933), low);
  return fixLogarithm(b, x, b.addFloat(e, fraction));
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

/// x · P(x²) / Q(x²) below `end`, the sign of x from there on.
static Value emitRational(LaneBuilder &b, Value x, double end, ArrayRef<double> numerator,
                          ArrayRef<double> denominator) {
  Value inside = clamp(b, x, -end, end);
  Value square = b.mulFloat(inside, inside);
  Value over = b.mulFloat(inside, evaluate(b, square, numerator));
  Value quotient = b.divFloat(over, evaluate(b, square, denominator));
  Value one = b.real(x.getType(), 1.0);
  Value limit = LLVM::CopySignOp::create(b.builder, b.loc, one, x);
  // Not less than: NaN takes the quotient, which is NaN.
  return b.select(b.compare(Float::oge, b.absFloat(x), end), limit, quotient);
}

static Value emitTanh(LaneBuilder &b, Value x, const CPUSpec &) {
  return emitRational(b, x, 9.02,
                      {1.0, 0.136798730331, 0.00386827457385, 2.80063618721e-5, 3.05823194696e-8,
                       -1.22014325499e-11},
                      {1.0, 0.470132051037, 0.0272456454606, 0.000393853642979, 1.28728896327e-6});
}

static Value emitErf(LaneBuilder &b, Value x, const CPUSpec &) {
  return emitRational(
      b, x, 3.925,
      {1.12837914605, 0.190574650402, 0.0527664774294, 0.00377165553552, 0.000284811154457,
       2.04601147871e-6},
      {1.0, 0.502225121675, 0.114174560551, 0.0149814086458, 0.00116361837802, 3.80459201265e-5});
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
