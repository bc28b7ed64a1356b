//===- Variables.cpp - environment variables, passed as a value -----------===//
#include "tessera/Support/Variables.h"

using namespace tessera;

Variables::Variables(llvm::ArrayRef<std::string> assignments) {
  for (llvm::StringRef assignment : assignments) {
    auto [name, value] = assignment.split('=');
    values.try_emplace(name, value.str());
  }
}

std::string Variables::firstOf(llvm::ArrayRef<llvm::StringRef> names) const {
  for (llvm::StringRef name : names)
    if (std::string value = get(name); !value.empty())
      return value;
  return "";
}
