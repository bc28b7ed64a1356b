//===- KernelRecordTest.cpp - all that is known about a kernel ------------===//
#include "tessera/Kernel/KernelRecord.h"
#include "../Binary/SampleKernel.h"
#include "gtest/gtest.h"

using namespace tessera;

static std::string parseError(llvm::StringRef text) {
  return llvm::toString(KernelRecord::parse(text).takeError());
}

/// The sample's JSON with one field replaced, or removed when `value` is null.
static std::string with(llvm::StringRef field, std::optional<llvm::json::Value> value) {
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(makeSampleKernel().record.toText()));
  if (value)
    (*json.getAsObject())[field] = *value;
  else
    json.getAsObject()->erase(field);
  std::string text;
  llvm::raw_string_ostream(text) << json;
  return text;
}

TEST(KernelRecord, RoundTrip) {
  KernelRecord record = makeSampleKernel().record;
  auto again = KernelRecord::parse(record.toText());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(record, *again);
  EXPECT_EQ(record.toText(), again->toText());
  KernelRecord empty;
  EXPECT_EQ(empty, llvm::cantFail(KernelRecord::parse(empty.toText())));
}

TEST(KernelRecord, OptionalFields) {
  KernelRecord record = makeSampleKernel().record;
  EXPECT_EQ("add_kernel", record.symbolInBinary());
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("symbol"));
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("read_only"));
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("descriptor"));
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("writes_only"));
  for (llvm::StringRef field :
       {"accumulator_registers", "scalar_registers", "stack_bytes", "dynamic_shared"})
    EXPECT_FALSE(llvm::StringRef(record.toText()).contains(field)) << field.str();
  EXPECT_EQ(record.sharedBytes, record.dynamicSharedBytes());
  record.symbol = "add_programs";
  record.accumulatorRegisters = 0;
  record.scalarRegisters = 32;
  record.stackBytes = 16;
  record.sharedIsStatic = true;
  EXPECT_EQ(0u, record.dynamicSharedBytes());
  record.arguments[0].isReadOnly = record.writesOnlyArguments = true;
  record.arguments[0].descriptor = "tensordesc<fp32[64, 32]>";
  auto again = KernelRecord::parse(record.toText());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(record, *again);
  EXPECT_EQ("add_programs", again->symbolInBinary());
  EXPECT_EQ("4", again->option("num-warps"));
  EXPECT_EQ("", again->option("nothing"));
}

TEST(KernelRecord, Writes) {
  KernelRecord record = makeSampleKernel().record;
  record.setWrites({true, false}, /*throughArgumentsOnly=*/true);
  EXPECT_TRUE(record.arguments[0].isReadOnly);
  EXPECT_TRUE(record.writesOnlyArguments);
  record.setWrites({true, false, false}, true); // not one per passed argument: unknown
  EXPECT_FALSE(record.arguments[0].isReadOnly);
  EXPECT_FALSE(record.writesOnlyArguments);
  record.setWrites({true, false}, true);
  record.forgetWrites();
  EXPECT_EQ(record, makeSampleKernel().record);
}

TEST(KernelRecord, PassedArgumentsAreThoseWithoutAValue) {
  KernelRecord record = makeSampleKernel().record;
  auto passed = record.passedArguments();
  ASSERT_EQ(2u, passed.size());
  EXPECT_EQ("x_ptr", passed[0]->name);
  EXPECT_TRUE(passed[0]->isPointer());
  EXPECT_EQ("n", passed[1]->name);
  EXPECT_EQ(128u, record.threadsPerBlock());
}

TEST(KernelRecord, UnknownFieldsAreIgnored) {
  EXPECT_EQ("", parseError(with("from_the_future", 1)));
}

TEST(KernelRecord, DamageIsNamed) {
  EXPECT_EQ("kernel metadata: 'shared' is missing", parseError(with("shared", std::nullopt)));
  EXPECT_EQ("kernel metadata: 'shared' is not a number in range", parseError(with("shared", -1)));
  EXPECT_EQ("kernel metadata: 'shared' is not a number in range",
            parseError(with("shared", int64_t(1) << 33)));
  EXPECT_EQ("kernel metadata: 'name' is not a string", parseError(with("name", 5)));
  EXPECT_EQ("kernel metadata: 'cooperative' is not true or false",
            parseError(with("cooperative", "yes")));
  EXPECT_EQ("kernel metadata: 'cluster' is not three positive numbers",
            parseError(with("cluster", llvm::json::Array{1, 1, 1, 1})));
  EXPECT_EQ("kernel metadata: 'hidden_arguments' holds an unknown hidden argument",
            parseError(with("hidden_arguments", llvm::json::Array{"secret"})));
  EXPECT_EQ("kernel metadata: 'arguments' an argument: 'type' is missing",
            parseError(with("arguments", llvm::json::Array{llvm::json::Object{{"name", "x"}}})));
  EXPECT_EQ("kernel metadata: ABI version 3, and this Tessera reads versions 1 to 2",
            parseError(with("abi_version", 3)));
  EXPECT_EQ("kernel metadata: not a JSON object", parseError("[]"));
  EXPECT_TRUE(
      llvm::StringRef(parseError("{")).starts_with("kernel metadata: no JSON, at byte 1: "));
}

TEST(KernelRecord, AdoptsOptions) {
  CompileOptions options;
  options.numCTAs = 4;
  options.symbol = "a=b\n\\";
  KernelRecord record;
  record.adopt(options);
  EXPECT_EQ(-1, record.spillBytes);
  EXPECT_EQ(4u, record.numCTAs);
  EXPECT_EQ((std::array<uint32_t, 3>{4, 1, 1}), record.cluster);
  EXPECT_EQ((std::pair<std::string, std::string>("num-warps", "4")), record.options.front());
  EXPECT_EQ("a=b\\n\\\\", record.option("symbol"));
}

TEST(KernelRecord, FileNamesNeedNotBeUnicode) {
  KernelRecord record;
  record.sourceFile = "a\xff.py";
  EXPECT_EQ("a\xef\xbf\xbd.py", llvm::cantFail(KernelRecord::parse(record.toText())).sourceFile);
}
