//===- Fp8e4b15.cpp - an 8-bit float without an IR type -------------------===//
// fp8e4b15 has a sign, four exponent bits with the bias 15 of half precision, and
// three mantissa bits; it has no NaN and no infinity. Its bytes are i8 in the IR,
// and a byte is half precision's upper part, moved by one bit of exponent:
//
//   half   s eeeee mmmmmmmmmm       fp8e4b15   s eeee mmm
//
// so that both conversions are a few integer operations on every target. (The
// reference has PTX here.) Values above 1.75, and NaN, become 1.75.
//===----------------------------------------------------------------------===//
#include "Semantics.h"
#include "tessera/Kernel/ScalarEncoding.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tessera;
namespace arith = mlir::arith;

/// 1.75 in half precision: the largest value there is.
static constexpr uint16_t kLargestHalf = 0x3F00;
static constexpr uint16_t kSign = 0x8000, kMagnitude = 0x7FFF;

/// The operations both ways, on 16-bit integers of the value's shape.
namespace {
class HalfWords {
public:
  HalfWords(Emitter &emit, const KernelType &shaped)
      : emit(emit), words(shaped.withScalar(DType::Int16)) {}

  mlir::Type type() { return toIR(words, emit.context()); }
  mlir::Value constant(uint16_t bits) {
    auto number =
        mlir::IntegerAttr::get(mlir::IntegerType::get(emit.context(), 16), llvm::APInt(16, bits));
    mlir::Value scalar =
        arith::ConstantOp::create(emit.builder, emit.constantLocation(), number).getResult();
    return words.isBlock() ? tt::SplatOp::create(emit.builder, emit.location(), type(), scalar)
                           : scalar;
  }
  template <typename Op> mlir::Value apply(mlir::Value value, uint16_t bits) {
    return Op::create(emit.builder, emit.location(), value, constant(bits));
  }
  mlir::Value join(mlir::Value a, mlir::Value b) {
    return arith::OrIOp::create(emit.builder, emit.location(), a, b);
  }

private:
  Emitter &emit;
  KernelType words;
};
} // namespace

FailureOr<Tensor> tessera::fp8e4b15ToHalf(Emitter &emit, const Tensor &value) {
  HalfWords words(emit, value.type);
  mlir::Value byte =
      arith::ExtUIOp::create(emit.builder, emit.location(), words.type(), value.handle);
  mlir::Value magnitude = words.apply<arith::ShLIOp>(words.apply<arith::AndIOp>(byte, 0x7F), 7);
  mlir::Value sign = words.apply<arith::ShLIOp>(words.apply<arith::AndIOp>(byte, 0x80), 8);
  KernelType half = value.type.withScalar(DType::FP16);
  return Tensor{tt::BitcastOp::create(emit.builder, emit.location(), toIR(half, emit.context()),
                                      words.join(magnitude, sign)),
                half};
}

FailureOr<Tensor> tessera::halfToFp8e4b15(Emitter &emit, const Tensor &value) {
  HalfWords words(emit, value.type);
  mlir::Value bits =
      tt::BitcastOp::create(emit.builder, emit.location(), words.type(), value.handle);
  // Magnitudes order as integers do, NaN above all.
  mlir::Value magnitude =
      words.apply<arith::MinUIOp>(words.apply<arith::AndIOp>(bits, kMagnitude), kLargestHalf);
  // The upper byte after a shift by one, rounded to nearest.
  mlir::Value rounded = words.apply<arith::AddIOp>(words.apply<arith::ShLIOp>(magnitude, 1), 0x80);
  mlir::Value joined = words.join(rounded, words.apply<arith::AndIOp>(bits, kSign));
  KernelType result = value.type.withScalar(DType::FP8E4B15);
  return Tensor{arith::TruncIOp::create(emit.builder, emit.location(), toIR(result, emit.context()),
                                        words.apply<arith::ShRUIOp>(joined, 8)),
                result};
}

uint8_t tessera::encodeFp8e4b15(double value) {
  uint8_t byte = 0;
  encodeFloat(DType::FP8E4B15, value, &byte);
  return byte;
}
