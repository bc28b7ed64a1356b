//===- ModuleLoader.cpp - the modules that a kernel's file reaches --------===//
#include "ModuleLoader.h"
#include "Stdlib/Stdlib.h"

using namespace tessera;

ModuleLoader::ModuleLoader() = default;
ModuleLoader::~ModuleLoader() = default;

std::optional<Value> ModuleLoader::languageFunction(llvm::StringRef name) {
  const StdlibFunction *function = findStdlibFunction(name);
  if (!function)
    return std::nullopt;
  std::unique_ptr<ModuleScope> &scope = stdlib[function->file];
  if (!scope) {
    const ParsedStdlibFile *parsed = parsedStdlibFile(function->file);
    if (!parsed)
      return std::nullopt;
    scope = std::make_unique<ModuleScope>(*parsed->file, *parsed->module, *this);
  }
  return scope->lookup(name);
}

const JitFunction *ModuleLoader::languageMethod(llvm::StringRef name) {
  const StdlibFunction *function = findStdlibFunction(name);
  if (!function || !function->isMethod)
    return nullptr;
  std::optional<Value> value = languageFunction(name);
  const JitObject *object = value ? value->get<JitObject>() : nullptr;
  return object ? object->function : nullptr;
}
