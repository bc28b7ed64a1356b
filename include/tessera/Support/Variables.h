//===- Variables.h - environment variables, passed as a value -------------===//
// lib/ does not read the environment. Programs read it once, at the edge, and hand
// it to the rules that ask for variables (tools, cache folder), so that two sessions
// may differ and tests need not change their process.
//
//   Variables variables({"HOME=/root", "PATH=/usr/bin"});
//   variables.get("HOME")                            "/root"
//   variables.firstOf({"TESSERA_CACHE_DIR", "HOME"}) "/root"
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera {

class Variables {
public:
  Variables() = default;
  /// "NAME=value" each, as currentEnvironment() gives them; of two with one name the first counts.
  explicit Variables(llvm::ArrayRef<std::string> assignments);

  /// The value; empty for a variable that is not set.
  std::string get(llvm::StringRef name) const { return values.lookup(name); }
  /// The value of the first of these that is set and not empty.
  std::string firstOf(llvm::ArrayRef<llvm::StringRef> names) const;

private:
  llvm::StringMap<std::string> values;
};

} // namespace tessera
