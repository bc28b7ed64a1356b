//===- StdlibTest.cpp - the embedded library is complete and parses -------===//
#include "Stdlib/Stdlib.h"
#include "tessera/Source/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "gtest/gtest.h"
#include <set>
#include <string>
#include <thread>

using namespace tessera;

static std::set<std::string> namesWhere(llvm::function_ref<bool(const StdlibFunction &)> holds) {
  std::set<std::string> names;
  for (const StdlibFunction &function : stdlibFunctions())
    if (holds(function))
      names.insert(function.name.str());
  return names;
}

// The names that the language exports (language reference, sections 4.2 to 4.5 and 4.9).
TEST(Stdlib, PublicNames) {
  std::set<std::string> expected = {"argmax",
                                    "argmin",
                                    "bitonic_merge",
                                    "cdiv",
                                    "cumprod",
                                    "cumsum",
                                    "flip",
                                    "interleave",
                                    "max",
                                    "min",
                                    "pair_uniform_to_normal",
                                    "philox",
                                    "philox_impl",
                                    "rand",
                                    "rand4x",
                                    "randint",
                                    "randint4x",
                                    "randn",
                                    "randn4x",
                                    "ravel",
                                    "reduce_or",
                                    "sigmoid",
                                    "softmax",
                                    "sort",
                                    "sort_impl",
                                    "squeeze",
                                    "sum",
                                    "swizzle2d",
                                    "topk",
                                    "uint_to_uniform_float",
                                    "unsqueeze",
                                    "xor_sum",
                                    "zeros",
                                    "zeros_like"};
  EXPECT_EQ(namesWhere([](const StdlibFunction &function) { return function.isPublic(); }),
            expected);
}

TEST(Stdlib, Methods) {
  std::set<std::string> expected = {"argmax", "argmin",  "cdiv",  "cumprod",   "cumsum",  "flip",
                                    "max",    "min",     "ravel", "reduce_or", "sigmoid", "softmax",
                                    "sort",   "squeeze", "sum",   "unsqueeze", "xor_sum"};
  EXPECT_EQ(namesWhere([](const StdlibFunction &function) { return function.isMethod; }), expected);
}

TEST(Stdlib, LookupFindsEveryFunctionAndNothingElse) {
  for (const StdlibFunction &function : stdlibFunctions())
    EXPECT_EQ(findStdlibFunction(function.name), &function) << function.name.str();
  for (llvm::StringRef name : {"", "sum_", "su", "summ", "zzz", "_", "A", "load"})
    EXPECT_EQ(findStdlibFunction(name), nullptr) << name.str();
}

TEST(Stdlib, NamesAreSortedAndUnique) {
  llvm::ArrayRef<StdlibFunction> all = stdlibFunctions();
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_LT(all[i - 1].name, all[i].name);
}

/// "jit" for `@triton.jit`; empty for anything else.
static llvm::StringRef tritonDecorator(const ast::FunctionDef &definition) {
  if (definition.decorator_list.size() != 1)
    return "";
  auto *attribute = llvm::dyn_cast<ast::Attribute>(definition.decorator_list[0]);
  return attribute ? llvm::StringRef(attribute->attr) : "";
}

// The table is made by a regular expression; the parser has the last word.
TEST(Stdlib, TableAgreesWithTheTrees) {
  std::set<std::string> listed;
  for (const StdlibFunction &function : stdlibFunctions())
    listed.insert((stdlibFiles()[function.file].name + ":" + function.name).str() +
                  (function.isJit ? "" : " at compile time"));
  std::set<std::string> defined;
  for (auto [index, file] : llvm::enumerate(stdlibFiles())) {
    const ParsedStdlibFile *parsed = parsedStdlibFile(index);
    ASSERT_NE(parsed, nullptr) << file.name.str();
    EXPECT_EQ(parsed->file->path(), ("tessera/stdlib/" + file.name).str());
    for (const ast::Stmt *statement : parsed->module->body)
      if (auto *definition = llvm::dyn_cast<ast::FunctionDef>(statement)) {
        llvm::StringRef decorator = tritonDecorator(*definition);
        EXPECT_TRUE(decorator == "jit" || decorator == "constexpr_function")
            << std::string(definition->name);
        defined.insert(file.name.str() + ":" + std::string(definition->name) +
                       (decorator == "jit" ? "" : " at compile time"));
      }
  }
  EXPECT_EQ(listed, defined);
}

TEST(Stdlib, ParsesOnceForAllThreads) {
  const unsigned last = stdlibFiles().size() - 1;
  std::array<const ParsedStdlibFile *, 8> seen = {};
  std::vector<std::thread> threads;
  for (const ParsedStdlibFile *&slot : seen)
    threads.emplace_back([&slot, last] { slot = parsedStdlibFile(last); });
  for (std::thread &thread : threads)
    thread.join();
  for (const ParsedStdlibFile *parsed : seen)
    EXPECT_EQ(parsed, seen[0]);
  EXPECT_NE(seen[0], nullptr);
  EXPECT_EQ(parsedStdlibFile(last + 1), nullptr);
}
