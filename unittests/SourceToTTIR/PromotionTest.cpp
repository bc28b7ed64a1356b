//===- PromotionTest.cpp - the executed rows of the reference -------------===//
// Each row was read off the reference compiler (spec language.md 3.2).
//===----------------------------------------------------------------------===//
#include "Operators/Promotion.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

std::string promoted(llvm::StringRef lhs, llvm::StringRef rhs, bool isDivision = false) {
  PromotionResult result = promoteTensors(*DType::parse(lhs), *DType::parse(rhs), isDivision);
  if (const DType *type = std::get_if<DType>(&result))
    return type->name().str();
  return "refused";
}

std::string withNumber(llvm::StringRef tensor, Value number, bool isDivision = false) {
  PromotionResult result = promoteWithNumber(*DType::parse(tensor), number, isDivision);
  if (const DType *type = std::get_if<DType>(&result))
    return type->name().str();
  return "refused";
}

TEST(Promotion, TensorWithTensor) {
  EXPECT_EQ(promoted("fp16", "i64"), "fp16");
  EXPECT_EQ(promoted("bf16", "i32"), "fp32");
  EXPECT_EQ(promoted("fp8e5", "fp16"), "fp16");
  EXPECT_EQ(promoted("fp8e5", "bf16"), "fp32");
  EXPECT_EQ(promoted("fp16", "bf16"), "fp16");
  EXPECT_EQ(promoted("bf16", "bf16"), "bf16");
  EXPECT_EQ(promoted("fp16", "fp16", /*isDivision=*/true), "fp32");
  EXPECT_EQ(promoted("bf16", "bf16", /*isDivision=*/true), "fp32");
  EXPECT_EQ(promoted("fp64", "i32"), "fp64");
  EXPECT_EQ(promoted("fp8e5", "fp8e5"), "fp8e5");
  EXPECT_EQ(promoted("fp8e5", "fp8e4nv"), "fp16");
  EXPECT_EQ(promoted("fp8e5", "i32"), "refused");
  EXPECT_EQ(promoted("u1", "u1"), "u1");
  EXPECT_EQ(promoted("u1", "i8"), "i8");
  EXPECT_EQ(promoted("u8", "i8"), "u8");
  EXPECT_EQ(promoted("u32", "i64"), "i64");
  EXPECT_EQ(promoted("i64", "u64"), "u64");
  EXPECT_EQ(promoted("i32", "u32", /*isDivision=*/true), "refused");
}

TEST(Promotion, IsSymmetric) {
  for (DType::Kind a : DType::all())
    for (DType::Kind b : DType::all())
      for (bool isDivision : {false, true})
        EXPECT_EQ(promoted(DType(a).name(), DType(b).name(), isDivision),
                  promoted(DType(b).name(), DType(a).name(), isDivision));
}

TEST(Promotion, NumbersAreWeak) {
  EXPECT_EQ(withNumber("i8", Value(PythonInt(5))), "i8");
  EXPECT_EQ(withNumber("i8", Value(5.0)), "fp32");
  EXPECT_EQ(withNumber("u1", Value(PythonInt(1))), "i32");
  EXPECT_EQ(withNumber("i8", Value(true)), "i8");
  EXPECT_EQ(withNumber("fp16", Value(2.0)), "fp16");
  EXPECT_EQ(withNumber("fp16", Value(PythonInt(2)), /*isDivision=*/true), "fp32");
  EXPECT_EQ(withNumber("bf16", Value(2.0), /*isDivision=*/true), "fp32");
  EXPECT_EQ(withNumber("fp32", Value(1e300)), "fp32");
  EXPECT_EQ(withNumber("i32", Value(2.0)), "fp32");
  EXPECT_EQ(withNumber("i32", Value(1e300)), "fp64");
}

TEST(Promotion, NaturalTypes) {
  EXPECT_EQ(naturalType(Value(true))->name(), "u1");
  EXPECT_EQ(naturalType(Value(PythonInt(-1)))->name(), "i32");
  EXPECT_EQ(naturalType(Value(PythonInt(int64_t(1) << 31)))->name(), "u32");
  EXPECT_EQ(naturalType(Value(PythonInt(int64_t(1) << 32)))->name(), "i64");
  EXPECT_EQ(naturalType(Value(*PythonInt(2).pow(PythonInt(63))))->name(), "u64");
  EXPECT_FALSE(naturalType(Value(*PythonInt(2).pow(PythonInt(64)))));
  EXPECT_EQ(naturalType(Value(1e-45))->name(), "fp64");
  EXPECT_EQ(naturalType(Value(0.0))->name(), "fp32");
}

} // namespace
