//===- SignatureTest.cpp - what each parameter of a kernel is -------------===//
#include "tessera/SourceToTTIR/Signature.h"
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
