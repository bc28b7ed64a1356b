//===- UnitScope.h - what a statement of a module's top level sees --------===//
#pragma once

#include "ModuleScope.h"

namespace tessera {

/// While the unit runs: the names it has bound, then those bound before it. Once it
/// is done (a lambda that it made is called): the module's.
class ModuleScope::UnitScope : public Environment {
public:
  UnitScope(ModuleScope &module, size_t unit) : module(module), unit(unit) {}

  std::optional<Value> lookup(llvm::StringRef name) override { return module.lookup(name); }
  std::optional<Value> lookupHost(llvm::StringRef name) override;

private:
  ModuleScope &module;
  size_t unit;
};

/// Returns true if a path names triton.jit.
bool isJitPath(llvm::StringRef path);

} // namespace tessera
