//===- SmallFloatTest.cpp - f16, bf16 and fp8 over all their bit patterns -===//
// Against LLVM's APFloat, on this machine's instructions and, through -mcpu,
// on none.
//===----------------------------------------------------------------------===//
#include "CompileAndLoad.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tessera;
using namespace tessera::cpu;
using llvm::APFloat;
using llvm::APInt;

namespace {
struct Format {
  const char *name;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};
} // namespace

static std::vector<Format> formats() {
  return {{"f16", APFloat::IEEEhalf(), 16},
          {"bf16", APFloat::BFloat(), 16},
          {"f8E5M2", APFloat::Float8E5M2(), 8},
          {"f8E4M3FN", APFloat::Float8E4M3FN(), 8},
          {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ(), 8},
          {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ(), 8}};
}

template <typename In, typename Out>
static std::vector<Out> convert(const std::string &in, const std::string &out,
                                const std::string &body, std::vector<In> values,
                                const CompileOptions &options) {
  Kernel kernel = Kernel::compile(elementwiseKernel(in, out, 256, body), options);
  EXPECT_TRUE(kernel.ok()) << kernel.error();
  std::vector<Out> result(values.size());
  if (kernel.ok())
    kernel.run({uint32_t(values.size() + 255) / 256, 1, 1}, values.data(), values.data(),
               result.data(), int(values.size()));
  return result;
}

template <typename Bits> static void checkWidening(const Format &format, const CompileOptions &o) {
  std::vector<Bits> patterns(size_t(1) << format.bits);
  for (size_t i = 0; i < patterns.size(); ++i)
    patterns[i] = Bits(i);
  auto result =
      convert<Bits, float>(format.name, "f32", "%r = tt.fp_to_fp %x : $T -> $O", patterns, o);
  for (size_t i = 0; i < patterns.size(); ++i) {
    APFloat expected(format.semantics, APInt(format.bits, i));
    bool lost;
    expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    float number = expected.convertToFloat();
    ASSERT_TRUE(std::isnan(number) ? std::isnan(result[i]) : memcmp(&number, &result[i], 4) == 0)
        << format.name << " " << i << ": " << result[i] << " for " << number;
  }
}

/// Numbers around every boundary of a format: each of its values, the middles
/// between neighbours, and a little to each side.
static std::vector<float> interesting(const Format &format) {
  std::vector<float> values = {INFINITY, -INFINITY, 3e38f, -3e38f, 1e-45f, -1e-45f, 1e-30f, 1e10f};
  for (uint64_t i = 0; i < (uint64_t(1) << format.bits); ++i) {
    APFloat number(format.semantics, APInt(format.bits, i));
    if (number.isNaN() || number.isInfinity())
      continue;
    APFloat next = number;
    next.next(false);
    bool lost;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    next.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    float a = number.convertToFloat(), b = next.convertToFloat();
    float middle = std::isfinite(b) ? a + (b - a) / 2 : a * 1.01f;
    for (float value : {a, middle, std::nextafter(middle, INFINITY),
                        std::nextafter(middle, -INFINITY), std::nextafter(a, INFINITY)})
      values.push_back(value);
  }
  return values;
}

template <typename Bits>
static void checkNarrowing(const Format &format, bool towardZero, const CompileOptions &o) {
  std::vector<float> values = interesting(format);
  values.push_back(NAN);
  std::string body = std::string("%r = tt.fp_to_fp %x, rounding = ") +
                     (towardZero ? "rtz" : "rtne") + " : $T -> $O";
  auto result = convert<float, Bits>("f32", format.name, body, values, o);
  for (size_t i = 0; i < values.size(); ++i) {
    APFloat expected(values[i]), largest = APFloat::getLargest(format.semantics);
    APFloat got(format.semantics, APInt(format.bits, result[i]));
    bool lost;
    expected.convert(format.semantics,
                     towardZero ? APFloat::rmTowardZero : APFloat::rmNearestTiesToEven, &lost);
    bool fp8 = format.bits == 8;
    if (fp8 && !std::isnan(values[i]) && (expected.isNaN() || expected.isInfinity())) {
      expected = largest; // fp8 saturates
      if (values[i] < 0)
        expected.changeSign();
    }
    if (std::isnan(values[i])) {
      ASSERT_TRUE(got.isNaN()) << format.name;
      continue;
    }
    ASSERT_TRUE(expected.bitcastToAPInt() == got.bitcastToAPInt())
        << format.name << " rtz " << towardZero << ": " << values[i] << " gives "
        << got.convertToDouble() << ", not " << expected.convertToDouble();
  }
}

static void checkAll(const CompileOptions &options) {
  for (const Format &format : formats()) {
    if (format.bits == 8) {
      checkWidening<uint8_t>(format, options);
      checkNarrowing<uint8_t>(format, false, options);
      checkNarrowing<uint8_t>(format, true, options);
    } else {
      checkWidening<uint16_t>(format, options);
      checkNarrowing<uint16_t>(format, false, options);
      checkNarrowing<uint16_t>(format, true, options);
    }
  }
}

TEST(SmallFloat, ThisMachine) { checkAll({}); }

TEST(SmallFloat, WithoutInstructionsForIt) {
  CompileOptions options;
  options.cpu = "x86-64-v2";
  checkAll(options);
}

TEST(SmallFloat, DoubleRoundsOnce) {
  for (const Format &format : formats()) {
    if (format.bits != 16)
      continue;
    std::vector<double> values;
    for (float value : interesting(format))
      for (double offset : {0.0, 1e-14, -1e-14}) // below what f32 can see
        values.push_back(value + value * offset);
    auto result = convert<double, uint16_t>(
        "f64", format.name, "%r = tt.fp_to_fp %x, rounding = rtne : $T -> $O", values, {});
    for (size_t i = 0; i < values.size(); ++i) {
      APFloat expected(values[i]);
      bool lost;
      expected.convert(format.semantics, APFloat::rmNearestTiesToEven, &lost);
      ASSERT_EQ(expected.bitcastToAPInt().getZExtValue(), result[i])
          << format.name << " " << values[i];
    }
  }
}

TEST(SmallFloat, ArithmeticRoundsEachOperation) {
  for (const Format &format : formats()) {
    if (format.bits != 16)
      continue;
    std::vector<uint16_t> x, y;
    for (int i = 0; i < 4096; ++i) {
      x.push_back(uint16_t(i * 40503u + 17));
      y.push_back(uint16_t(i * 26861u + 3));
    }
    Kernel kernel = Kernel::compile(elementwiseKernel(
        format.name, format.name, 128, "%p = arith.mulf %x, %y : $T\n%r = arith.addf %p, %x : $T"));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    std::vector<uint16_t> out(x.size());
    kernel.run({32, 1, 1}, x.data(), y.data(), out.data(), int(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      APFloat a(format.semantics, APInt(16, x[i])), b(format.semantics, APInt(16, y[i]));
      APFloat expected = a;
      expected.multiply(b, APFloat::rmNearestTiesToEven);
      expected.add(a, APFloat::rmNearestTiesToEven);
      APFloat got(format.semantics, APInt(16, out[i]));
      ASSERT_TRUE(expected.isNaN() ? got.isNaN()
                                   : expected.bitcastToAPInt() == got.bitcastToAPInt())
          << format.name << " " << i;
    }
  }
}
