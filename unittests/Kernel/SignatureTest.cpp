//===- SignatureTest.cpp - what each parameter of a kernel is -------------===//
#include "tessera/Kernel/Signature.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

std::string errorOf(llvm::StringRef text) {
  auto result = parseSignature(text);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(Signature, ReadsTypesHintsAndConstants) {
  auto result = parseSignature("*fp32:16, *kfp16 ,i32:16,i32:1, 64,-1.5,True,None,'a,b', 0x10");
  ASSERT_TRUE(bool(result));
  ASSERT_EQ(result->size(), 10u);
  EXPECT_EQ((*result)[0].type.str(), "*fp32");
  EXPECT_EQ((*result)[0].divisibility, 16u);
  EXPECT_TRUE((*result)[1].type.pointsToConst);
  EXPECT_EQ((*result)[2].divisibility, 16u);
  EXPECT_FALSE((*result)[2].isConstant);
  EXPECT_TRUE((*result)[3].isFixedToOne);
  for (int i = 4; i < 10; ++i)
    EXPECT_TRUE((*result)[i].isConstant) << i;
  EXPECT_EQ((*result)[8].text, "'a,b'");
}

TEST(Signature, ReadsTuplesDescriptorsAndDtypes) {
  auto result =
      parseSignature("(i32, *fp16:16, (4, None)), tensordesc<bf16[64, 32]>, tl.float16, (1, 2)");
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->size(), 4u);
  const SignatureEntry &tuple = (*result)[0];
  EXPECT_TRUE(tuple.isTuple);
  EXPECT_FALSE(tuple.isConstant);
  ASSERT_EQ(tuple.elements.size(), 3u);
  EXPECT_EQ(tuple.elements[1].divisibility, 16u);
  EXPECT_TRUE(tuple.elements[2].isConstant);
  EXPECT_TRUE((*result)[1].isDescriptor);
  EXPECT_EQ((*result)[1].type.str(), "bf16[64, 32]");
  EXPECT_EQ((*result)[1].divisibility, 0u);
  EXPECT_TRUE((*result)[2].isConstant);
  EXPECT_TRUE((*result)[3].isConstant && (*result)[3].isTuple);
  for (llvm::StringRef bad :
       {"tensordesc<fp16>", "tensordesc<fp16[]>", "tensordesc<fp16[3]>", "tensordesc<*fp16[4]>",
        "tensordesc<fp16[1,1,1,1,1,1]>", "tensordesc<fp16[1048576,2]>", "tensordesc<fp16[4]>:1",
        "tensordesc<fp16[4]>:8", "tensordesc<i32[4],nan>", "tensordesc<fp16[4],zero>",
        "tensordesc<fp16[4]>:16:16", "tensordesc<:16", "(i32", "(float)", "tl.float", "tl.i32"})
    EXPECT_NE(errorOf(bad).find("entry 1"), std::string::npos) << bad.str();
}

TEST(Signature, ReadsPromisesOfDescriptors) {
  auto result = parseSignature(
      "tensordesc<bf16[64, 32]>:16, (4, tensordesc<i8[16]>:16), tensordesc<fp16[8], nan>:16");
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE((*result)[0].isDescriptor);
  EXPECT_EQ((*result)[0].type.str(), "bf16[64, 32]");
  EXPECT_EQ((*result)[0].divisibility, 16u);
  EXPECT_FALSE((*result)[1].isConstant);
  EXPECT_TRUE((*result)[1].elements[1].isDescriptor);
  EXPECT_EQ((*result)[1].elements[1].divisibility, 16u);
  EXPECT_FALSE((*result)[0].padsWithNaN);
  EXPECT_TRUE((*result)[2].padsWithNaN);
  EXPECT_EQ((*result)[2].type.str(), "fp16[8]");
}

TEST(Signature, SplitsOutsideBrackets) {
  std::vector<llvm::StringRef> entries = splitSignature("(a,b), 'x,y', tensordesc<f[1,2]> ,c");
  EXPECT_EQ(entries, (std::vector<llvm::StringRef>{"(a,b)", "'x,y'", "tensordesc<f[1,2]>", "c"}));
}

TEST(Signature, EmptyIsNoParameters) {
  auto result = parseSignature("  ");
  ASSERT_TRUE(bool(result));
  EXPECT_TRUE(result->empty());
}

TEST(Signature, NamesTheBadEntry) {
  EXPECT_NE(errorOf("*fp32,float,i32").find("entry 2 'float'"), std::string::npos);
  EXPECT_NE(errorOf("*fp32:8").find("entry 1 '*fp32:8'"), std::string::npos);
  EXPECT_NE(errorOf("*fp32:1").find("the hint after ':'"), std::string::npos);
  EXPECT_NE(errorOf("i32,").find("entry 2 ''"), std::string::npos);
  EXPECT_NE(errorOf("inf").find("entry 1"), std::string::npos);
  EXPECT_NE(errorOf("*********fp32").find("entry 1"), std::string::npos);
}

TEST(KernelType, RoundTripsThroughText) {
  for (DType::Kind kind : DType::all())
    for (std::string stars : {"", "*", "**", "*k"}) {
      std::string text = stars + DType(kind).name().str();
      auto type = KernelType::parse(text);
      ASSERT_TRUE(type) << text;
      EXPECT_EQ(type->str(), text);
    }
  EXPECT_FALSE(KernelType::parse("kfp32"));
  EXPECT_FALSE(KernelType::parse(""));
  EXPECT_FALSE(KernelType::parse("*"));
}

} // namespace
