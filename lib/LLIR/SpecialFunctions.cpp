//===- SpecialFunctions.cpp - functions that libm lacks -------------------===//
// See SpecialFunctions.h. The polynomials interpolate the functions in the comments beside them at
// Chebyshev nodes (60 digits).
//===----------------------------------------------------------------------===//
#include "SpecialFunctions.h"
#include <numbers>

using namespace mlir;
using namespace tessera;
using Float = LLVM::FCmpPredicate;
using Int = LLVM::ICmpPredicate;

namespace {
/// The arguments of one function, and the operations in which all functions are written.
class Special {
public:
  Special(LaneBuilder &b, ArrayRef<Value> args, MathLibrary &library)
      : b(b), args(args), library(library), type(args[0].getType()) {}

  Value sinpi();
  Value cospi();
  Value norm(bool isReciprocal);
  Value reciprocalCubeRoot() { return b.divFloat(real(1.0), call("cbrt", args[0])); }
  Value erfinv();
  Value erfcinv(Value y);
  Value normcdfinv() { return b.mulFloat(erfcinv(b.mulFloat(args[0], 2.0)), -std::numbers::sqrt2); }
  Value normcdf();
  Value erfcx(Value x);
  Value besselI0();
  Value besselI1();

private:
  Value real(double value) { return b.real(type, value); }
  Value call(StringRef function, Value x) { return library.call(b, function, x); }
  Value fma(Value x, Value y, Value z) { return LLVM::FMAOp::create(b.builder, b.loc, x, y, z); }
  Value negate(Value x) { return LLVM::FNegOp::create(b.builder, b.loc, x); }
  Value withSign(Value magnitude, Value sign) {
    return LLVM::CopySignOp::create(b.builder, b.loc, magnitude, sign);
  }
  /// Both clamps keep NaN.
  Value atMost(Value x, double bound) {
    return b.select(b.compare(Float::ogt, x, bound), real(bound), x);
  }
  Value atLeast(Value x, double bound) {
    return b.select(b.compare(Float::olt, x, bound), real(bound), x);
  }
  Value evaluate(Value x, ArrayRef<double> coefficients) {
    Value sum = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = b.mulAdd(sum, x, coefficient);
    return sum;
  }
  Value foldHalfTurns(Value a);
  Value solve(Value z, Value y, Value isCentral);
  Value growExponentially(Value a, Value factor);

  LaneBuilder &b;
  ArrayRef<Value> args;
  MathLibrary &library;
  Type type;
};
} // namespace

//===----------------------------------------------------------------------===//
// sin and cos of half turns
//===----------------------------------------------------------------------===//

/// Returns a >= 0 minus the nearest even integer, which is exact and in [-1, 1]; NaN for infinity.
Value Special::foldHalfTurns(Value a) {
  Value turns = LLVM::RoundEvenOp::create(b.builder, b.loc, b.mulFloat(a, 0.5));
  return fma(turns, real(-2.0), a);
}

Value Special::sinpi() {
  Value rest = foldHalfTurns(b.absFloat(args[0]));
  // sin(π(1 - r)) = sin(πr): near 1 the difference is exact and small.
  Value size = b.absFloat(rest);
  Value folded = b.select(b.compare(Float::ogt, size, 0.5), b.subFloat(real(1.0), size), size);
  Value sine = withSign(call("sin", b.mulFloat(folded, std::numbers::pi)), rest);
  Value negative = b.compare(Int::slt, b.bitcast(args[0], b.builder.getI64Type()), 0);
  return b.select(negative, negate(sine), sine);
}

Value Special::cospi() {
  Value size = b.absFloat(foldHalfTurns(b.absFloat(args[0])));
  return call("sin", b.mulFloat(b.subFloat(real(0.5), size), std::numbers::pi));
}

//===----------------------------------------------------------------------===//
// Lengths
//===----------------------------------------------------------------------===//

/// Returns sqrt(Σ x²) or its reciprocal. All x are scaled by a power of two such that the largest
/// is in [1, 2), so that no square overflows or underflows.
Value Special::norm(bool isReciprocal) {
  Value largest = b.absFloat(args[0]);
  for (Value arg : args.drop_front())
    largest = LLVM::MaxNumOp::create(b.builder, b.loc, largest, b.absFloat(arg));
  Type i64 = b.builder.getI64Type();
  Value exponent = b.bitAnd(b.bitcast(largest, i64), 0x7ff0000000000000);
  Value reversed = b.sub(b.integer(exponent.getType(), int64_t(0x7fe0000000000000)), exponent);
  Value scale = b.bitcast(b.signedMax(reversed, 0x0010000000000000), laneType(type));
  Value sum = real(0.0);
  for (Value arg : args) {
    Value scaled = b.mulFloat(arg, scale);
    sum = b.mulAdd(scaled, scaled, sum);
  }
  Value length = b.squareRoot(sum);
  // An infinite length takes precedence over NaN.
  Value infinite = b.compare(Float::oeq, largest, INFINITY);
  Value result = isReciprocal ? b.divFloat(scale, length) : b.divFloat(length, scale);
  return b.select(infinite, real(isReciprocal ? 0.0 : INFINITY), result);
}

//===----------------------------------------------------------------------===//
// The error function's relatives
//===----------------------------------------------------------------------===//

/// Returns x with erf(x) = z if `isCentral` (0 <= z <= 1/2), and with erfc(x) = y otherwise (0 < y
/// <= 1/2): an initial value with an error of 2·10^-6, and two of Halley's steps.
Value Special::solve(Value z, Value y, Value isCentral) {
  // erfinv(z) / z in z²
  Value central =
      b.mulFloat(z, evaluate(b.mulFloat(z, z), {0.886227220917, 0.231960563406, 0.129059616288,
                                                0.0720162956567, 0.118788071576}));
  // erfcinv(exp(-s²)) / s, down to the smallest number
  Value square = negate(call("log", y)), s = b.squareRoot(square);
  Value over = evaluate(s, {0.0395583634626, 0.651108412412, 1.58816374758, 0.267698626903});
  Value under = evaluate(s, {1.0, 1.13799594821, 1.59382925449, 0.267643256016});
  Value x = b.select(isCentral, central, b.mulFloat(s, b.divFloat(over, under)));
  constexpr double slope = 2 * std::numbers::inv_sqrtpi; // the derivative of erf, times exp(x²)
  for (int step = 0; step < 2; ++step) {
    Value xx = b.mulFloat(x, x);
    // In the tail y and erfc(x) are tiny or subnormal, so both are multiplied by exp(x²).
    Value tail = b.subFloat(call("exp", b.subFloat(xx, square)), erfcx(x));
    Value middle = b.mulFloat(b.subFloat(call("erf", x), z), call("exp", xx));
    Value newton = b.mulFloat(b.select(isCentral, middle, tail), 1 / slope);
    x = b.subFloat(x, b.divFloat(newton, b.mulAdd(x, newton, 1.0)));
  }
  return x;
}

Value Special::erfinv() {
  Value size = b.absFloat(args[0]);
  Value x = solve(size, b.subFloat(real(1.0), size), b.compare(Float::ole, size, 0.5));
  x = b.select(b.compare(Float::oeq, size, 1.0), real(INFINITY), x);
  x = b.select(b.compare(Float::ole, size, 1.0), x, real(NAN));
  return withSign(x, args[0]);
}

Value Special::erfcinv(Value y) {
  Value z = b.subFloat(real(1.0), y), other = b.subFloat(real(2.0), y);
  Value isNegative = b.compare(Float::olt, z, 0.0);
  Value size = b.absFloat(z), rest = b.select(isNegative, other, y);
  Value x = solve(size, rest, b.compare(Float::ole, size, 0.5));
  x = b.select(b.compare(Float::oeq, rest, 0.0), real(INFINITY), x);
  x = b.select(b.compare(Float::oge, rest, 0.0), x, real(NAN));
  return b.select(isNegative, negate(x), x);
}

/// Returns erfc(-x/√2) / 2. The tail magnifies the rounding error of the argument by x², so the
/// error is corrected with the derivative of erfc.
Value Special::normcdf() {
  Value x = atMost(atLeast(args[0], -40.0), 40.0);
  constexpr double high = 0.70710678118654757, low = -4.8336466567264567e-17; // 1/√2
  Value t = b.mulFloat(x, -high);
  Value lost = fma(x, real(-high), negate(t));
  lost = b.mulAdd(x, real(-low), lost);
  Value slope = b.mulFloat(call("exp", negate(b.mulFloat(t, t))), -2 * std::numbers::inv_sqrtpi);
  return b.mulFloat(b.mulAdd(slope, lost, call("erfc", t)), 0.5);
}

/// Returns exp(x²) · erfc(x).
Value Special::erfcx(Value x) {
  // If erfc is not too small: x² is split into two parts, because exp magnifies its rounding error.
  Value small = atMost(atLeast(x, -27.5), 10.0);
  Value square = b.mulFloat(small, small);
  Value lost = fma(small, small, negate(square));
  Value product = b.mulFloat(call("exp", square), call("erfc", small));
  product = b.mulFloat(product, b.addFloat(lost, 1.0));
  // For x >= 10: (1 - 1u + 1·3u² - 1·3·5u³ + ...) / (x√π), u = 1/(2x²).
  Value large = atLeast(x, 10.0);
  Value u = b.divFloat(real(0.5), b.mulFloat(large, large));
  SmallVector<double> series = {1.0};
  for (int k = 1; k <= 13; ++k)
    series.push_back(-series.back() * (2 * k - 1));
  Value tail = b.mulFloat(evaluate(u, series), std::numbers::inv_sqrtpi);
  return b.select(b.compare(Float::oge, x, 10.0), b.divFloat(tail, large), product);
}

//===----------------------------------------------------------------------===//
// Modified Bessel functions
//===----------------------------------------------------------------------===//

/// Returns factor · e^a / √a, which may be finite even if e^a is not.
Value Special::growExponentially(Value a, Value factor) {
  Value root = call("exp", b.mulFloat(a, 0.5));
  return b.mulFloat(b.mulFloat(root, b.divFloat(factor, b.squareRoot(a))), root);
}

Value Special::besselI0() {
  Value a = atMost(b.absFloat(args[0]), 720.0);
  Value small = atMost(a, 8.0), large = atLeast(a, 8.0);
  // (I0(2√t) - 1) / t
  Value t = b.mulFloat(b.mulFloat(small, small), 0.25);
  Value series =
      evaluate(t, {1.0, 0.24999999999999978, 0.02777777777777875, 0.0017361111111093212,
                   6.944444444616768e-05, 1.9290123446808463e-06, 3.936759926835679e-08,
                   6.151186352073215e-10, 7.594076203674035e-12, 7.593826261486644e-14,
                   6.2782596125899935e-16, 4.3438583592285594e-18, 2.6459481729049967e-20,
                   1.1142728859197163e-22, 9.319037302519698e-25});
  // I0(1/u) · exp(-1/u) / √u
  Value u = b.divFloat(real(1.0), large);
  Value factor =
      evaluate(u, {0.3989422804014327,     0.04986778505008109,    0.028050629215767054,
                   0.029219337983596626,   0.04476187837353773,    0.08703854811155086,
                   0.6636552456557397,     -37.10937819344926,     2425.736864049336,
                   -117750.48179902606,    4418937.913902838,      -129681311.72298598,
                   3000292658.6665063,     -54937007839.73818,     796186682454.9246,
                   -9097871943589.068,     81289396151488.55,      -560069265652319.44,
                   2910817768319865.5,     -1.101972882944239e+16, 2.8649112842606204e+16,
                   -4.570801857671013e+16, 3.3732388502882256e+16});
  return b.select(b.compare(Float::ogt, a, 8.0), growExponentially(large, factor),
                  b.mulAdd(t, series, 1.0));
}

Value Special::besselI1() {
  Value a = atMost(b.absFloat(args[0]), 720.0);
  Value small = atMost(a, 8.0), large = atLeast(a, 8.0);
  // (I1(2√t) / √t - 1) / t
  Value t = b.mulFloat(b.mulFloat(small, small), 0.25);
  Value series = evaluate(t, {0.5, 0.08333333333333331, 0.0069444444444445004,
                              0.0003472222222221193, 1.1574074074173187e-05, 2.7557319218244207e-07,
                              4.9209498831124465e-09, 6.834652024432265e-11, 7.594068659611249e-13,
                              6.903555797446423e-15, 5.231322675888681e-17, 3.3442300506385306e-19,
                              1.880771354951542e-21, 7.606752944827284e-24, 5.669579277854459e-26});
  // I1(1/u) · exp(-1/u) / √u
  Value u = b.divFloat(real(1.0), large);
  Value factor =
      evaluate(u, {0.39894228040143265,    -0.14960335515043063,   -0.046751048620525044,
                   -0.040907094288395736,  -0.057547037046641436,  -0.10687685241083718,
                   -0.7403180090539273,    39.96079219270133,      -2609.203886303321,
                   126321.01757563381,     -4727999.722293958,     138379932.60817662,
                   -3193033848.2057023,    58313631188.629005,     -842978380857.9808,
                   9608967150334.432,      -85654585261957.83,     588825506870294.5,
                   -3053787794852133.5,    1.1537874221829954e+16, -2.9939833668959156e+16,
                   4.7683195252148536e+16, -3.5132140750658396e+16});
  Value half = b.mulFloat(small, 0.5);
  Value result = b.select(b.compare(Float::ogt, a, 8.0), growExponentially(large, factor),
                          b.mulAdd(b.mulFloat(t, series), half, half));
  return withSign(result, args[0]);
}

static Value emitInLine(LaneBuilder &b, StringRef name, ArrayRef<Value> args,
                        MathLibrary &library) {
  Special f(b, args, library);
  if (name == "sinpi")
    return f.sinpi();
  if (name == "cospi")
    return f.cospi();
  if (name == "norm3d" || name == "norm4d")
    return f.norm(/*isReciprocal=*/false);
  if (name == "rhypot" || name == "rnorm3d" || name == "rnorm4d")
    return f.norm(/*isReciprocal=*/true);
  if (name == "rcbrt")
    return f.reciprocalCubeRoot();
  if (name == "erfinv")
    return f.erfinv();
  if (name == "erfcinv")
    return f.erfcinv(args[0]);
  if (name == "normcdfinv")
    return f.normcdfinv();
  if (name == "normcdf")
    return f.normcdf();
  if (name == "erfcx")
    return f.erfcx(args[0]);
  if (name == "cyl_bessel_i0")
    return f.besselI0();
  if (name == "cyl_bessel_i1")
    return f.besselI1();
  return {};
}

Value tessera::emitSpecialFunction(LaneBuilder &b, StringRef name, ArrayRef<Value> args,
                                   MathLibrary &library) {
  return library.outline(b, name, args, laneType(args[0]),
                         [&](LaneBuilder &inner, ArrayRef<Value> parameters) {
                           return emitInLine(inner, name, parameters, library);
                         });
}
