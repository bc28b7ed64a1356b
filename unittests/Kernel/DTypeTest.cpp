//===- DTypeTest.cpp - the table of scalar types --------------------------===//
#include "tessera/Kernel/DType.h"
#include "gtest/gtest.h"
#include <set>

using namespace tessera;

namespace {

TEST(DType, NamesAreReadBack) {
  std::set<std::string> names;
  for (DType::Kind kind : DType::all()) {
    DType type(kind);
    for (llvm::StringRef name : {type.name(), type.languageName()}) {
      EXPECT_TRUE(names.insert(name.str()).second) << name.str();
      ASSERT_TRUE(DType::parse(name)) << name.str();
      EXPECT_EQ(*DType::parse(name), type);
    }
  }
  for (llvm::StringRef boolean : {"u1", "i1", "B", "int1"})
    EXPECT_EQ(*DType::parse(boolean), DType(DType::Int1)) << boolean.str();
  EXPECT_EQ(DType(DType::Int1).name(), "u1"); // Triton's spelling
  // Names of the host are not read in signatures.
  for (llvm::StringRef none : {"", " ", "void", "int", "float", "half", "bool", "i1 B", "tl.int1"})
    EXPECT_FALSE(DType::parse(none)) << none.str();
}

TEST(DType, ColumnsAgree) {
  for (DType::Kind kind : DType::all()) {
    DType type(kind);
    EXPECT_EQ(type.isInt() + type.isFloat(), 1) << type.name().str();
    EXPECT_EQ(type.isFP8(), type.isFloat() && type.bits() == 8) << type.name().str();
    if (type.isFloat()) {
      FloatFormat format = type.floatFormat();
      EXPECT_EQ(1 + format.exponentBits + format.mantissaBits, type.bits()) << type.name().str();
    } else {
      EXPECT_EQ(DType::integer(type.bits(), type.isSigned()), type);
    }
  }
}

TEST(DType, InC) {
  EXPECT_EQ(DType(DType::Int1).cType(), "uint8_t");
  EXPECT_EQ(DType(DType::UInt64).cType(), "uint64_t");
  EXPECT_EQ(DType(DType::BF16).cType(), "uint16_t");
  EXPECT_EQ(DType(DType::FP32).cType(), "float");
}

} // namespace
