//===- AotNames.cpp - the names in a generated C file ---------------------===//
// See AotNames.h.
//===----------------------------------------------------------------------===//
#include "AotNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace tessera;

llvm::StringRef aot::scalarType(llvm::StringRef type) {
  return llvm::StringSwitch<llvm::StringRef>(type)
      .Cases({"u1", "u8", "fp8e5", "fp8e4nv", "fp8e4b15", "fp8e4b8", "fp8e5b16"}, "uint8_t")
      .Cases({"u16", "fp16", "bf16"}, "uint16_t")
      .Case("i1", "int8_t")
      .Case("i8", "int8_t")
      .Case("i16", "int16_t")
      .Case("i32", "int32_t")
      .Case("i64", "int64_t")
      .Case("u32", "uint32_t")
      .Case("u64", "uint64_t")
      .Case("fp32", "float")
      .Default("double");
}

bool aot::isReservedInC(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "alignas",   "alignof",   "asm",       "auto",     "bool",      "case",     "catch",
      "char",      "char16_t",  "char32_t",  "char8_t",  "compl",     "concept",  "const",
      "constexpr", "consteval", "constinit", "co_await", "co_return", "co_yield", "decltype",
      "default",   "delete",    "do",        "double",   "enum",      "explicit", "export",
      "extern",    "false",     "float",     "friend",   "goto",      "inline",   "int",
      "long",      "mutable",   "namespace", "new",      "noexcept",  "nullptr",  "operator",
      "private",   "protected", "public",    "register", "requires",  "restrict", "short",
      "signed",    "sizeof",    "static",    "struct",   "switch",    "template", "this",
      "throw",     "true",      "typedef",   "typeid",   "typename",  "typeof",   "union",
      "unsigned",  "using",     "virtual",   "void",     "volatile",  "and_eq",   "bitand",
      "bitor",     "not_eq",    "or_eq",     "xor",      "xor_eq",    "NULL",     "EOF",
      "stdin",     "stdout",    "stderr",    "linux",    "unix",      "errno"};
  return llvm::is_contained(words, name) || name.starts_with("CU") || name.starts_with("cu") ||
         name.starts_with("__") || name.ends_with("_t") ||
         (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

/// "t_0" for the part "t.0" of a tuple: what people write for it in C.
static std::string plainName(const KernelArgument &argument) {
  std::string name = argument.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<std::string> aot::parameterNames(const KernelMetadata &metadata) {
  llvm::StringSet<> taken;
  for (const KernelArgument &argument : metadata.arguments)
    taken.insert(argument.name);
  std::vector<std::string> names;
  for (const KernelArgument &argument : metadata.arguments) {
    std::string name = plainName(argument);
    bool isFree = name == argument.name || taken.insert(name).second;
    if (isReservedInC(name) || !isFree)
      for (name = "arg_" + name; !taken.insert(name).second;)
        name += '_';
    names.push_back(name);
  }
  return names;
}

std::string aot::freshName(llvm::StringRef wanted, const KernelMetadata &metadata) {
  std::vector<std::string> names = parameterNames(metadata);
  std::string name = wanted.str();
  while (llvm::is_contained(names, name))
    name += '_';
  return name;
}

std::string aot::renameParameters(llvm::StringRef expression, const KernelMetadata &metadata,
                                  llvm::ArrayRef<std::string> names) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string result;
  while (!expression.empty()) {
    llvm::StringRef word = expression.take_while(isWord);
    if (word.empty()) {
      result += expression.front();
      expression = expression.drop_front();
      continue;
    }
    expression = expression.drop_front(word.size());
    auto match = llvm::find_if(metadata.arguments,
                               [&](const KernelArgument &each) { return plainName(each) == word; });
    int64_t number;
    if (match == metadata.arguments.end())
      result += word;
    else if (match->constant && !llvm::StringRef(*match->constant).getAsInteger(10, number))
      result += *match->constant;
    else
      result += names[match - metadata.arguments.begin()];
  }
  return result;
}
