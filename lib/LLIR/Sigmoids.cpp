//===- Sigmoids.cpp - polynomials of tanh and erf for f32 -----------------===//
// See Sigmoids.h.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Sigmoids.h"

using namespace mlir;
using namespace tessera;

Value tessera::evaluatePolynomial(LaneBuilder &b, Value x, ArrayRef<double> coefficients) {
  Value sum = b.real(x.getType(), coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = b.mulAdd(sum, x, coefficient);
  return sum;
}

Value tessera::emitTanhNearZero(LaneBuilder &b, Value x) {
  Value square = b.mulFloat(x, x);
  // (tanh(x) - x) / x³
  Value p = evaluatePolynomial(b, square,
                               {-0.333333151243, 0.133326940962, -0.0538927254414, 0.0214520382165,
                                -0.00765726159763, 0.00173693959661});
  return b.mulAdd(b.mulFloat(x, square), p, x);
}

Value tessera::emitErfNearZero(LaneBuilder &b, Value x) {
  // erf(x) / x - 9/8: this is small, so its rounding error hardly matters.
  Value p = evaluatePolynomial(b, b.mulFloat(x, x),
                               {0.00337915388, -0.376125234795, 0.112821422037, -0.0267789478621,
                                0.00501201057127, -0.000609057315091});
  return b.mulAdd(x, b.real(x.getType(), 1.125), b.mulFloat(x, p));
}

Value tessera::emitLogOfErfc(LaneBuilder &b, Value x) {
  return evaluatePolynomial(b, x,
                            {-0.000220448453669, -1.62715024819, -0.918820564644, -0.150330565772,
                             0.0322558084998, -0.00443827280907, 0.000287591886956});
}

Value tessera::joinAt(LaneBuilder &b, Value x, double cut, Value small, Value large) {
  Value inside = b.compare(LLVM::FCmpPredicate::ult, b.absFloat(x), cut);
  return LLVM::CopySignOp::create(b.builder, b.loc, b.select(inside, small, large), x);
}
