//===- ModuleLoader.h - the modules that a kernel's file reaches ----------===//
// The standard library (Stdlib/) and the Python files beside the kernel's. A
// module is read and indexed when something in it is first asked for. The syntax
// trees of the standard library are shared by the process; what a kernel's
// translation evaluates of them is its own.
//===----------------------------------------------------------------------===//
#pragma once

#include "ModuleScope.h"
#include <map>

namespace tessera {

class ModuleLoader {
public:
  ModuleLoader();
  ~ModuleLoader();

  /// A function of triton.language that is written in the language: tl.sum. Names
  /// that start with '_' belong to tl.standard and tl.random only.
  std::optional<Value> languageFunction(llvm::StringRef name);
  /// The same, as a method of tensors: x.sum(axis).
  const JitFunction *languageMethod(llvm::StringRef name);

private:
  std::map<unsigned, std::unique_ptr<ModuleScope>> stdlib; // by file
};

} // namespace tessera
