//===- ArgumentSpecTest.cpp - what `--arg NAME=SPEC` means ----------------===//
#include "tessera/Launch/ArgumentSpec.h"
#include "tessera/Launch/NpyFile.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/ThreadPool.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tessera;

namespace {

ThreadPool &pool() {
  static ThreadPool one(1);
  return one;
}

HostArgument make(llvm::StringRef type, llvm::StringRef spec) {
  ArgumentSpec parsed = llvm::cantFail(parseArgumentSpec("x", type, spec));
  return llvm::cantFail(makeHostArgument(parsed, 0, pool()));
}

int64_t intOf(llvm::StringRef type, llvm::StringRef spec) {
  HostArgument argument = make(type, spec);
  return decodeInt(argument.type.scalar, argument.scalar);
}

double floatOf(llvm::StringRef type, llvm::StringRef spec) {
  HostArgument argument = make(type, spec);
  return decodeFloat(argument.type.scalar, argument.scalar);
}

/// The message without its "--arg x: ".
std::string error(llvm::StringRef type, llvm::StringRef spec) {
  std::string text = llvm::toString(parseArgumentSpec("x", type, spec).takeError());
  llvm::StringRef rest = text;
  EXPECT_TRUE(rest.consume_front("--arg x: ")) << type.str() << " " << spec.str() << ": " << text;
  return rest.str();
}

TEST(ArgumentSpec, Types) {
  auto parse = [](llvm::StringRef text) { return llvm::cantFail(parseArgumentType(text)); };
  EXPECT_TRUE(parse("*fp32").isPointer());
  EXPECT_EQ(DType::FP32, parse("*fp32:16").scalar);
  EXPECT_TRUE(parse("*kbf16").pointsToConst);
  EXPECT_EQ(DType::BF16, parse("*kbf16").scalar);
  EXPECT_FALSE(parse("i64:16").isPointer());
  EXPECT_EQ(DType::Int1, parse("u1").scalar);
  for (DType::Kind kind : DType::all())
    EXPECT_EQ(kind, parse(DType(kind).name()).scalar);
  for (llvm::StringRef bad : {"", "*", "fp31", "**i8", "constexpr", "tensordesc<fp16[4]>", "64"})
    EXPECT_FALSE(bool(llvm::expectedToOptional(parseArgumentType(bad)))) << bad.str();
}

TEST(ArgumentSpec, Integers) {
  EXPECT_EQ(123, intOf("i32", "123"));
  EXPECT_EQ(-1, intOf("i64:16", "-1"));
  EXPECT_EQ(255, intOf("u8", "0xff"));
  EXPECT_EQ(-128, intOf("i8", "-128"));
  EXPECT_EQ(INT64_MIN, intOf("i64", "-9223372036854775808"));
  EXPECT_EQ(-1, intOf("u64", "18446744073709551615"));
  EXPECT_EQ(1, intOf("i1", "true"));
  EXPECT_EQ(0, intOf("u1", "False"));
  EXPECT_EQ(0, intOf("u32", "-0"));
}

TEST(ArgumentSpec, IntegersOutOfRange) {
  EXPECT_EQ("2147483648 does not fit i32 (-2147483648 to 2147483647)", error("i32", "2147483648"));
  EXPECT_EQ("-1 does not fit u8 (0 to 255)", error("u8", "-1"));
  EXPECT_EQ("2 does not fit u1 (0 to 1)", error("i1", "2"));
  EXPECT_EQ("99999999999999999999 does not fit u64 (0 to 18446744073709551615)",
            error("u64", "99999999999999999999"));
  for (llvm::StringRef bad : {"", "1.5", "12x", "--1", "0x", "1_000", "1e3", "١"})
    EXPECT_EQ("'" + bad.str() + "' is not an integer, which i32 needs", error("i32", bad));
}

TEST(ArgumentSpec, Floats) {
  EXPECT_EQ(1.5, floatOf("fp32", "1.5"));
  EXPECT_EQ(double(0.1f), floatOf("fp32", "0.1"));
  EXPECT_EQ(0.1, floatOf("fp64", "0.1"));
  EXPECT_EQ(-3, floatOf("bf16", "-3"));
  EXPECT_EQ(65504, floatOf("fp16", "65519.99")); // still rounds down
  EXPECT_EQ(448, floatOf("fp8e4nv", "448"));
  EXPECT_TRUE(std::isinf(floatOf("fp32", "inf")));
  EXPECT_TRUE(std::isinf(floatOf("fp16", "-inf")));
  EXPECT_TRUE(std::isnan(floatOf("fp32", "nan")));
  EXPECT_EQ(1e-45f, floatOf("fp32", "1e-45"));
  EXPECT_EQ(0, floatOf("fp32", "1e-400"));
}

TEST(ArgumentSpec, FloatsOutOfRange) {
  EXPECT_EQ("65520 does not fit fp16 (largest 65504)", error("fp16", "65520"));
  EXPECT_EQ("1e400 does not fit fp64 (largest 1.79769e+308)", error("fp64", "1e400"));
  EXPECT_EQ("480 does not fit fp8e4nv (largest 448)", error("fp8e4nv", "480"));
  EXPECT_EQ("'abc' is not a number", error("fp32", "abc"));
  EXPECT_EQ("'' is not a number", error("fp32", ""));
}

TEST(ArgumentSpec, Arrays) {
  HostArgument zeros = make("*fp32", "zeros:4x64x28");
  EXPECT_EQ(7168u, zeros.array.count());
  EXPECT_EQ(3u, zeros.array.shape.size());
  HostArgument sequence = make("*i64:16", "arange:10");
  EXPECT_EQ(9, decodeInt(DType::Int64, sequence.array.at(9)));
  EXPECT_NE(0, decodeFloat(DType::FP16, make("*fp16", "randn:10").array.at(3)));
  EXPECT_LT(decodeFloat(DType::FP32, make("*fp32", "rand:10").array.at(3)), 1);
  HostArgument integers = make("*i8", "randint:-3:4:1000");
  for (uint64_t i = 0; i < 1000; ++i) {
    int64_t value = decodeInt(DType::Int8, integers.array.at(i));
    EXPECT_TRUE(value >= -3 && value < 4);
  }
  EXPECT_EQ(0u, make("*fp32", "zeros:0").array.count());
}

TEST(ArgumentSpec, EmptyArraysLookWrong) {
  HostArgument floats = make("*fp32", "empty:4x5");
  EXPECT_EQ(20u, floats.array.count());
  EXPECT_FALSE(floats.isInitialized);
  EXPECT_TRUE(std::isnan(decodeFloat(DType::FP32, floats.array.at(19))));
  EXPECT_EQ(-1, decodeInt(DType::Int16, make("*i16", "empty:3").array.at(2)));
  EXPECT_EQ(1, *static_cast<char *>(make("*i1", "empty:3").array.at(2)));
  EXPECT_EQ(0u, make("*fp32", "empty:0").array.count());
  EXPECT_TRUE(make("*fp32", "zeros:3").isInitialized);
}

TEST(ArgumentSpec, Files) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  HostArray array = llvm::cantFail(HostArray::create(DType::FP32, {2, 3}));
  llvm::cantFail(writeNpy(folder.file("a:b.npy"), array));
  EXPECT_EQ(6u, make("*fp32", "@" + folder.file("a:b.npy")).array.count());
  ArgumentSpec missing = llvm::cantFail(parseArgumentSpec("x", "*fp32", "@/nonexistent.npy"));
  EXPECT_EQ("--arg x: cannot read '/nonexistent.npy': there is no such file",
            llvm::toString(makeHostArgument(missing, 0, pool()).takeError()));
}

TEST(ArgumentSpec, ArrayErrors) {
  EXPECT_EQ("'123' is no array; a pointer takes zeros:SHAPE, empty:SHAPE, arange:SHAPE, "
            "rand:SHAPE, randn:SHAPE, randint:LO:HI:SHAPE or @file.npy",
            error("*fp32", "123"));
  EXPECT_EQ("'' is not a shape such as 4096 or 4x64x28", error("*fp32", "zeros"));
  for (llvm::StringRef bad : {"", "4x", "x4", "4xx4", "-4", "4.0", "4,5", "4 x 5"})
    EXPECT_EQ("'" + bad.str() + "' is not a shape such as 4096 or 4x64x28",
              error("*fp32", "zeros:" + bad.str()));
  EXPECT_EQ("the shape 9999999999x9999999999 has too many elements",
            error("*fp32", "zeros:9999999999x9999999999"));
  EXPECT_EQ("'@' needs a file's name after it", error("*fp32", "@"));
  EXPECT_EQ("randn makes fractions, which *i32 cannot hold; use randint:LO:HI:SHAPE",
            error("*i32", "randn:4"));
  EXPECT_EQ("arange counts to 128, which *i8 cannot hold", error("*i8", "arange:129"));
  EXPECT_EQ("arange counts to 65536, which *fp16 cannot hold", error("*fp16", "arange:65537"));
  EXPECT_EQ("randint draws from LO <= value < HI, and 4:4 is empty",
            error("*i32", "randint:4:4:8"));
  EXPECT_EQ("randint from -1 to 8 does not fit *u8", error("*u8", "randint:-1:9:8"));
  EXPECT_EQ("'randint:a:2:8' is not randint:LO:HI:SHAPE, with 64-bit integers LO and HI",
            error("*i32", "randint:a:2:8"));
  EXPECT_EQ("'' is not a shape such as 4096 or 4x64x28", error("*i32", "randint:1:2"));
  EXPECT_EQ("'zeros:4' is an array, and i32 is a single value", error("i32", "zeros:4"));
  EXPECT_EQ("'@x.npy' is an array, and fp32 is a single value", error("fp32", "@x.npy"));
  ArgumentSpec huge = llvm::cantFail(parseArgumentSpec("x", "*fp64", "zeros:1125899906842624"));
  std::string text = llvm::toString(makeHostArgument(huge, 0, pool()).takeError());
  EXPECT_TRUE(llvm::StringRef(text).starts_with(
      "--arg x: an array of shape 1125899906842624: not enough memory: 8.0 PiB are needed and "))
      << text;
}

TEST(ArgumentSpec, NamedValues) {
  auto pair = llvm::cantFail(splitNamedValue("--arg", "x_ptr=@a=b.npy"));
  EXPECT_EQ("x_ptr", pair.first);
  EXPECT_EQ("@a=b.npy", pair.second);
  EXPECT_EQ("--arg: 'x_ptr' is not NAME=SPEC",
            llvm::toString(splitNamedValue("--arg", "x_ptr").takeError()));
  EXPECT_EQ("--save: '=x' is not NAME=FILE.npy",
            llvm::toString(splitNamedValue("--save", "=x").takeError()));
}

} // namespace
