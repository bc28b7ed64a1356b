//===- DriverTable.cpp - the functions of a GPU's driver ------------------===//
#include "DriverTable.h"
#include <dlfcn.h>

using namespace tessera::gpu;

const char *DriverTable::findFunctions(void *handle) {
  for (size_t i = 0; i < face.symbolCount; ++i) {
    const DriverSymbol &symbol = face.symbols[i];
    void *found = ::dlsym(handle, symbol.name);
    if (!found && !symbol.isOptional)
      return symbol.name;
    switch (symbol.call) {
#define TESSERA_SET(name, parameters)                                                              \
  case Call::name:                                                                                 \
    name = reinterpret_cast<Result(*) parameters>(found);                                          \
    break;
      TESSERA_DRIVER_FUNCTIONS(TESSERA_SET)
#undef TESSERA_SET
    }
  }
  return nullptr;
}

std::string_view DriverTable::nameOf(Call call) const {
  constexpr std::string_view kSuffix = "_v2";
  for (size_t i = 0; i < face.symbolCount; ++i) {
    if (face.symbols[i].call != call)
      continue;
    std::string_view name = face.symbols[i].name;
    if (name.ends_with(kSuffix))
      name.remove_suffix(kSuffix.size());
    return name;
  }
  return "the driver";
}
