//===- ElementwiseTest.cpp - arithmetic against C++'s own -----------------===//
#include "CompileAndLoad.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <limits>

using namespace tessera;
using namespace tessera::cpu;

/// Runs `body` on all pairs of `values`, in blocks and as one element.
template <typename In, typename Out>
static void checkPairs(const std::string &in, const std::string &out, const std::string &body,
                       const std::vector<In> &values,
                       const std::function<bool(In, In, Out)> &isRight,
                       const CompileOptions &options = {}) {
  std::vector<In> x, y;
  for (In a : values)
    for (In b : values)
      x.push_back(a), y.push_back(b);
  int n = x.size();
  for (int block : {1, 64}) {
    Kernel kernel = Kernel::compile(elementwiseKernel(in, out, block, body), options);
    ASSERT_TRUE(kernel.ok()) << body << "\n" << kernel.error();
    std::vector<Out> result(n);
    kernel.run({uint32_t((n + block - 1) / block), 1, 1}, x.data(), y.data(), result.data(), n);
    for (int i = 0; i < n; ++i)
      ASSERT_TRUE(isRight(x[i], y[i], result[i])) << body << " block " << block << ": " << +x[i]
                                                  << ", " << +y[i] << " gives " << +result[i];
  }
}

template <typename T> static std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  return {T(0),  T(1),  T(-1), T(2),   T(-2),    T(3),     T(-7),           T(10),          T(31),
          T(32), T(63), T(64), T(100), L::max(), L::min(), T(L::max() - 1), T(L::min() + 1)};
}

template <typename S> static void checkIntegerOps(const std::string &type) {
  using U = std::make_unsigned_t<S>;
  using Check = std::function<bool(S, S, S)>;
  const S least = std::numeric_limits<S>::min();
  constexpr U bits = sizeof(S) * 8;
  auto op = [](const std::string &name) { return "%r = arith." + name + " %x, %y : $T"; };
  auto check = [&](const std::string &name, std::function<S(S, S)> expected) {
    checkPairs<S, S>(type, type, op(name), edges<S>(),
                     Check([=](S a, S b, S r) { return r == expected(a, b); }));
  };
  check("addi", [](S a, S b) { return S(U(a) + U(b)); });
  check("subi", [](S a, S b) { return S(U(a) - U(b)); });
  check("muli", [](S a, S b) { return S(uint64_t(a) * uint64_t(b)); });
  check("divsi", [=](S a, S b) { return b == 0 ? S(-1) : b == S(-1) ? S(U(0) - U(a)) : S(a / b); });
  check("remsi", [=](S a, S b) { return b == 0 ? a : (a == least && b == -1) ? S(0) : S(a % b); });
  check("divui", [](S a, S b) { return b == 0 ? S(-1) : S(U(a) / U(b)); });
  check("remui", [](S a, S b) { return b == 0 ? a : S(U(a) % U(b)); });
  check("andi", [](S a, S b) { return S(a & b); });
  check("ori", [](S a, S b) { return S(a | b); });
  check("xori", [](S a, S b) { return S(a ^ b); });
  check("shli", [](S a, S b) { return U(b) >= bits ? S(0) : S(uint64_t(a) << b); });
  check("shrui", [](S a, S b) { return U(b) >= bits ? S(0) : S(U(a) >> b); });
  check("shrsi", [](S a, S b) { return S(a >> (U(b) >= bits ? bits - 1 : U(b))); });
  check("maxsi", [](S a, S b) { return std::max(a, b); });
  check("minsi", [](S a, S b) { return std::min(a, b); });
  check("maxui", [](S a, S b) { return S(std::max(U(a), U(b))); });
  check("minui", [](S a, S b) { return S(std::min(U(a), U(b))); });
}

TEST(Elementwise, Integers8) { checkIntegerOps<int8_t>("i8"); }
TEST(Elementwise, Integers16) { checkIntegerOps<int16_t>("i16"); }
TEST(Elementwise, Integers32) { checkIntegerOps<int32_t>("i32"); }
TEST(Elementwise, Integers64) { checkIntegerOps<int64_t>("i64"); }

TEST(Elementwise, DivisionByConstants) {
  for (int divisor : {1, -1, 0, 3, -3, 7, 16, 1000}) {
    std::string c = "%c = arith.constant dense<" + std::to_string(divisor) + "> : $T\n";
    using Check = std::function<bool(int, int, int)>;
    checkPairs<int, int>(
        "i32", "i32", c + "%r = arith.divsi %x, %c : $T", edges<int>(),
        Check([=](int a, int, int r) {
          return r == (divisor == 0 ? -1 : divisor == -1 ? int(0u - unsigned(a)) : a / divisor);
        }));
    checkPairs<int, int>("i32", "i32", c + "%r = arith.remsi %x, %c : $T", edges<int>(),
                         Check([=](int a, int, int r) {
                           return r == (divisor == 0 ? a : divisor == -1 ? 0 : a % divisor);
                         }));
  }
}

static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

static const std::vector<float> floats = {
    0.0f,   -0.0f,    1.0f,          -1.0f,          0.5f,  3.25f,    -7.75f,    1e-40f, 1e30f,
    -1e38f, 65504.0f, 2147483648.0f, -2147483904.0f, 1e20f, INFINITY, -INFINITY, NAN};

TEST(Elementwise, Floats) {
  using Check = std::function<bool(float, float, float)>;
  auto check = [&](const std::string &body, std::function<float(float, float)> expected) {
    checkPairs<float, float>("f32", "f32", body, floats, Check([=](float a, float b, float r) {
                               return same(r, expected(a, b));
                             }));
  };
  check("%r = arith.subf %x, %y : $T", [](float a, float b) { return a - b; });
  check("%r = arith.mulf %x, %y : $T", [](float a, float b) { return a * b; });
  check("%r = arith.divf %x, %y : $T", [](float a, float b) { return a / b; });
  check("%r = arith.remf %x, %y : $T", [](float a, float b) { return std::fmod(a, b); });
  check("%r = arith.negf %x : $T", [](float a, float) { return -a; });
  check("%r = arith.maxnumf %x, %y : $T", [](float a, float b) { return std::fmax(a, b); });
  check("%r = arith.minnumf %x, %y : $T", [](float a, float b) { return std::fmin(a, b); });
  check("%r = arith.maximumf %x, %y : $T",
        [](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); });
  check("%r = math.sqrt %x : $T", [](float a, float) { return std::sqrt(a); });
  check("%r = math.floor %x : $T", [](float a, float) { return std::floor(a); });
  check("%r = math.ceil %x : $T", [](float a, float) { return std::ceil(a); });
  check("%r = math.absf %x : $T", [](float a, float) { return std::fabs(a); });
  check("%r = math.fma %x, %y, %x : $T", [](float a, float b) { return std::fma(a, b, a); });
  check("%c = arith.cmpf olt, %x, %y : $T\n %r = arith.select %c, %x, %y : tensor<$Bxi1>, $T",
        [](float a, float b) { return a < b ? a : b; });
}

TEST(Elementwise, ContractionIsAnOption) {
  std::string body = "%p = arith.mulf %x, %y : $T\n %r = arith.subf %p, %x : $T";
  std::vector<float> values = {1.0f + 0x1p-23f, 1.1f, 3.3f, 1e-3f};
  CompileOptions strict;
  strict.fpFusion = false;
  using Check = std::function<bool(float, float, float)>;
  checkPairs<float, float>("f32", "f32", body, values, Check([](float a, float b, float r) {
                             volatile float product = a * b;
                             return r == product - a;
                           }),
                           strict);
  checkPairs<float, float>("f32", "f32", body, values, Check([](float a, float b, float r) {
                             volatile float product = a * b;
                             return r == product - a || r == std::fma(a, b, -a);
                           }));
}

TEST(Elementwise, Conversions) {
  std::string narrow = "%r = arith.fptosi %x : $T to $O";
  checkPairs<float, int>("f32", "i32", narrow, floats,
                         std::function<bool(float, float, int)>([](float a, float, int r) {
                           return r == (std::isnan(a)         ? 0
                                        : a >= 2147483648.0f  ? INT32_MAX
                                        : a <= -2147483648.0f ? INT32_MIN
                                                              : int(a));
                         }));
  checkPairs<float, uint8_t>(
      "f32", "i8", "%r = arith.fptoui %x : $T to $O", floats,
      std::function<bool(float, float, uint8_t)>([](float a, float, uint8_t r) {
        return r == (!(a > 0) ? 0 : a >= 255 ? 255 : uint8_t(a));
      }));
  checkPairs<int64_t, float>("i64", "f32", "%r = arith.sitofp %x : $T to $O", edges<int64_t>(),
                             std::function<bool(int64_t, int64_t, float)>(
                                 [](int64_t a, int64_t, float r) { return r == float(a); }));
  checkPairs<int8_t, int64_t>("i8", "i64", "%r = arith.extui %x : $T to $O", edges<int8_t>(),
                              std::function<bool(int8_t, int8_t, int64_t)>(
                                  [](int8_t a, int8_t, int64_t r) { return r == uint8_t(a); }));
  checkPairs<float, int>("f32", "i32", "%r = arith.bitcast %x : $T to $O", floats,
                         std::function<bool(float, float, int)>([](float a, float, int r) {
                           int bits;
                           memcpy(&bits, &a, 4);
                           return r == bits;
                         }));
}

TEST(Elementwise, MathFunctions) {
  struct Row {
    const char *name;
    double (*function)(double);
  };
  const Row rows[] = {{"exp", std::exp},     {"exp2", std::exp2},  {"log", std::log},
                      {"log2", std::log2},   {"sin", std::sin},    {"cos", std::cos},
                      {"tanh", std::tanh},   {"erf", std::erf},    {"atan", std::atan},
                      {"log1p", std::log1p}, {"expm1", std::expm1}};
  std::vector<float> inputs;
  for (int i = 0; i < 30; ++i)
    inputs.push_back(0.01f + i * 0.37f);
  for (const Row &row : rows) {
    std::string body = std::string("%r = math.") + row.name + " %x : $T";
    checkPairs<float, float>("f32", "f32", body, inputs,
                             std::function<bool(float, float, float)>([&](float a, float, float r) {
                               double expected = row.function(a);
                               return std::fabs(r - expected) <=
                                      4e-7 * std::fmax(std::fabs(expected), 0.5);
                             }));
    std::vector<double> doubles(inputs.begin(), inputs.end());
    checkPairs<double, double>(
        "f64", "f64", body, doubles,
        std::function<bool(double, double, double)>([&](double a, double, double r) {
          double expected = row.function(a);
          return std::fabs(r - expected) <= 1e-15 * std::fmax(std::fabs(expected), 1.0);
        }));
  }
}

TEST(Elementwise, OpsOfTheDialect) {
  using Check = std::function<bool(float, float, float)>;
  std::string bounds =
      "%lo = arith.constant dense<-2.0> : $T\n%hi = arith.constant dense<3.0> : $T\n";
  checkPairs<float, float>("f32", "f32",
                           bounds + "%r = tt.clampf %x, %lo, %hi, propagateNan = none : $T", floats,
                           Check([](float a, float, float r) {
                             return r == (std::isnan(a) ? -2 : std::fmin(std::fmax(a, -2), 3));
                           }));
  checkPairs<float, float>(
      "f32", "f32", bounds + "%r = tt.clampf %x, %lo, %hi, propagateNan = all : $T", floats,
      Check([](float a, float, float r) {
        return std::isnan(a) ? std::isnan(r) : r == std::fmin(std::fmax(a, -2), 3);
      }));
  checkPairs<float, float>("f32", "f32", "%r = tt.precise_divf %x, %y : $T", floats,
                           Check([](float a, float b, float r) { return same(r, a / b); }));
  checkPairs<float, float>(
      "f32", "f32",
      "%r = tt.extern_elementwise %x {libname = \"libdevice\", libpath = \"\", pure = true, symbol "
      "= \"__nv_tanhf\"} : ($T) -> $T",
      floats, Check([](float a, float, float r) {
        return std::isnan(a) ? std::isnan(r) : std::fabs(r - std::tanh(a)) < 1e-6;
      }));
  checkPairs<uint32_t, uint32_t>(
      "i32", "i32", "%r = tt.mulhiui %x, %y : $T", edges<uint32_t>(),
      std::function<bool(uint32_t, uint32_t, uint32_t)>(
          [](uint32_t a, uint32_t b, uint32_t r) { return r == uint32_t(uint64_t(a) * b >> 32); }));
  checkPairs<uint64_t, uint64_t>(
      "i64", "i64", "%r = tt.mulhiui %x, %y : $T", edges<uint64_t>(),
      std::function<bool(uint64_t, uint64_t, uint64_t)>([](uint64_t a, uint64_t b, uint64_t r) {
        return r == uint64_t((unsigned __int128)a * b >> 64);
      }));
}

TEST(Elementwise, AnyNumberOfOps) { // nothing recurses over the length of a program
  std::string body = "%v0 = arith.addi %x, %y : $T\n";
  int count = 20000;
  for (int i = 1; i <= count; ++i)
    body += "%v" + std::to_string(i) + " = arith.xori %v" + std::to_string(i - 1) +
            (i % 2 ? ", %x : tensor<64xi32>\n" : ", %v0 : tensor<64xi32>\n");
  body += "%r = arith.addi %v" + std::to_string(count) + ", %x : $T";
  Kernel kernel = Kernel::compile(elementwiseKernel("i32", "i32", 64, body));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<int> x(64, 5), y(64, 9), out(64);
  kernel.run({1, 1, 1}, x.data(), y.data(), out.data(), 64);
  int expected = 14;
  for (int i = 1; i <= count; ++i)
    expected ^= i % 2 ? 5 : 14;
  EXPECT_EQ(out[63], expected + 5);
}
