//===- DescribeTest.cpp - what the library says about itself --------------===//
#include "tessera/Driver/Describe.h"
#include "tessera/Kernel/DType.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace tessera;
namespace json = llvm::json;

namespace {

json::Object read(llvm::StringRef text) { return *llvm::cantFail(json::parse(text)).getAsObject(); }

json::Object describe(llvm::StringRef target) {
  return read(llvm::cantFail(describeTarget(target)));
}

std::vector<std::string> extensions(const json::Object &description) {
  std::vector<std::string> found;
  for (const json::Value &stage : *description.getArray("stages"))
    found.push_back(stage.getAsObject()->getString("extension")->str());
  return found;
}

TEST(Describe, EveryTarget) {
  for (const TargetDescription &target : listTargets()) {
    json::Object description = describe(target.name);
    EXPECT_EQ(target.name, *description.getString("target"));
    EXPECT_GE(extensions(description).size(), 3u);
    EXPECT_EQ(target.features.size(), description.getArray("features")->size());
    EXPECT_FALSE(description.getObject("language")->getArray("dot_precisions")->empty());
  }
  EXPECT_EQ(extensions(describe("cuda:90")),
            (std::vector<std::string>{"ttir", "ttgir", "llir", "ptx", "cubin", "sass"}));
  EXPECT_EQ("sm_90a", *describe("cuda:90:32").getString("chip"));
}

TEST(Describe, TablesAreWhole) {
  json::Object description = read(describeLibrary({}));
  EXPECT_FALSE(description.get("stages"));
  EXPECT_EQ(DType::all().size(), description.getArray("scalar_types")->size());
  EXPECT_EQ(listTargets().size(), description.getArray("targets")->size());
  size_t hashed = 0;
  for (const json::Value &option : *description.getArray("options"))
    hashed += *option.getAsObject()->getBoolean("hashed");
  EXPECT_EQ(CompileOptions().flagsAndValues().size(), hashed);
  const json::Object &first = *(*description.getArray("options"))[0].getAsObject();
  EXPECT_EQ("num-warps", *first.getString("name"));
  EXPECT_EQ(4, *first.getInteger("default"));
}

TEST(Describe, UnknownTargets) {
  for (llvm::StringRef name : {"cuda:1", "tpu", "hip:gfx1"})
    EXPECT_FALSE(bool(llvm::expectedToOptional(describeTarget(name)))) << name.str();
}

TEST(Describe, PathsMayBeAnyBytes) {
  std::string folder = "/\xff\xc3\xa4\"\xe9";
  std::string text = describeLibrary({Variables({"TESSERA_CACHE_DIR=" + folder})});
  EXPECT_NE(text.find(R"("cache_folder":"/\udcffä\"\udce9")"), std::string::npos) << text;
}

} // namespace
