//===- KernelMetadataTest.cpp - the record every launcher reads -----------===//
#include "tessera/Binary/KernelMetadata.h"
#include "SampleKernel.h"
#include "tessera/Target/Target.h"
#include "gtest/gtest.h"

using namespace tessera;

static std::string parseError(llvm::StringRef text) {
  return llvm::toString(KernelMetadata::parse(text).takeError());
}

/// The sample's JSON with one field replaced, or removed when `value` is null.
static std::string with(llvm::StringRef field, std::optional<llvm::json::Value> value) {
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(makeSampleKernel().metadata.toText()));
  if (value)
    (*json.getAsObject())[field] = *value;
  else
    json.getAsObject()->erase(field);
  std::string text;
  llvm::raw_string_ostream(text) << json;
  return text;
}

TEST(KernelMetadata, RoundTrip) {
  KernelMetadata record = makeSampleKernel().metadata;
  auto again = KernelMetadata::parse(record.toText());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(record, *again);
  EXPECT_EQ(record.toText(), again->toText());
  KernelMetadata empty;
  EXPECT_EQ(empty, llvm::cantFail(KernelMetadata::parse(empty.toText())));
}

TEST(KernelMetadata, OptionalFields) {
  KernelMetadata record = makeSampleKernel().metadata;
  EXPECT_EQ("add_kernel", record.symbolInBinary());
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("symbol"));
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("read_only"));
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("descriptor"));
  EXPECT_FALSE(llvm::StringRef(record.toText()).contains("writes_only"));
  record.symbol = "add_programs";
  record.arguments[0].isReadOnly = record.writesOnlyArguments = true;
  record.arguments[0].descriptor = "tensordesc<fp32[64, 32]>";
  auto again = KernelMetadata::parse(record.toText());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(record, *again);
  EXPECT_EQ("add_programs", again->symbolInBinary());
  EXPECT_EQ("4", again->option("num-warps"));
  EXPECT_EQ("", again->option("nothing"));
}

TEST(KernelMetadata, FactsOfATarget) {
  KernelMetadata record = makeSampleKernel().metadata;
  KernelFacts facts;
  facts.kernelName = facts.symbol = "add_kernel";
  facts.readOnlyArguments = {true, false};
  facts.writesOnlyArguments = true;
  record.adopt(facts);
  EXPECT_EQ("", record.symbol);
  EXPECT_TRUE(record.arguments[0].isReadOnly);
  EXPECT_TRUE(record.writesOnlyArguments);
  facts.symbol = "other";
  facts.readOnlyArguments = {true, false, false}; // not one per passed argument: unknown
  record.arguments[0].isReadOnly = record.writesOnlyArguments = false;
  record.adopt(facts);
  EXPECT_EQ("other", record.symbol);
  EXPECT_FALSE(record.arguments[0].isReadOnly);
  EXPECT_FALSE(record.writesOnlyArguments);
}

TEST(KernelMetadata, PassedArgumentsAreThoseWithoutAValue) {
  KernelMetadata record = makeSampleKernel().metadata;
  auto passed = record.passedArguments();
  ASSERT_EQ(2u, passed.size());
  EXPECT_EQ("x_ptr", passed[0]->name);
  EXPECT_TRUE(passed[0]->isPointer());
  EXPECT_EQ("n", passed[1]->name);
  EXPECT_EQ(128u, record.threadsPerBlock());
}

TEST(KernelMetadata, UnknownFieldsAreIgnored) {
  EXPECT_EQ("", parseError(with("from_the_future", 1)));
}

TEST(KernelMetadata, DamageIsNamed) {
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
  EXPECT_EQ("kernel metadata: ABI version 2, and this Tessera reads version 1",
            parseError(with("abi_version", 2)));
  EXPECT_EQ("kernel metadata: not a JSON object", parseError("[]"));
  EXPECT_TRUE(llvm::StringRef(parseError("{")).starts_with("kernel metadata: ["));
}

TEST(KernelMetadata, AdoptsFactsAndOptions) {
  KernelFacts facts;
  facts.kernelName = "k";
  facts.numWarps = 8;
  facts.threadsPerWarp = 32;
  facts.sharedBytes = 1024;
  facts.globalScratchBytes = 256;
  facts.globalScratchAlign = 128;
  facts.registers = 40;
  facts.assembler = "ptxas 13.0";
  CompileOptions options;
  options.numCTAs = 4;
  KernelMetadata record;
  record.adopt(facts);
  record.adopt(options);
  EXPECT_EQ("k", record.kernelName);
  EXPECT_EQ(256u, record.threadsPerBlock());
  EXPECT_EQ(1024u, record.sharedBytes);
  EXPECT_EQ((ScratchSize{256, 128}), record.globalScratch);
  EXPECT_EQ(40, record.registers);
  EXPECT_EQ(-1, record.spillBytes);
  EXPECT_EQ(4u, record.numCTAs);
  EXPECT_EQ((std::array<uint32_t, 3>{4, 1, 1}), record.cluster);
  EXPECT_EQ((std::pair<std::string, std::string>("num-warps", "4")), record.options.front());
}

TEST(KernelMetadata, FileNamesNeedNotBeUnicode) {
  KernelMetadata record;
  record.sourceFile = "a\xff.py";
  EXPECT_EQ("a\xef\xbf\xbd.py", llvm::cantFail(KernelMetadata::parse(record.toText())).sourceFile);
}
