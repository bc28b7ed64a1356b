//===- CompileStages.h - drive the NVIDIA stages from a test --------------===//
// Parses TTIR (or any MLIR stage's text) and runs a target's stages in order.
//
//   Compiled kernel = compileStages(text, {.last = "ptx"});
//   ASSERT_TRUE(kernel.ok()) << kernel.diagnostics;
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"
#include <map>
#include <string>

namespace tessera::nvidia {

struct CompileRequest {
  std::string target = "cuda:90";
  std::string first = "ttir"; // the stage that reads the text
  std::string last = "ptx";   // the stage whose output is wanted
  CompileOptions options = {};
  ToolPaths tools = {};
};

struct Compiled {
  std::string diagnostics; // one line each; empty when all went well
  std::string assembly;
  std::string binary;
  std::string llir;
  KernelRecord record;
  std::map<std::string, double> milliseconds; // per stage
  bool ok() const { return diagnostics.empty(); }
};

Compiled compileStages(llvm::StringRef text, const CompileRequest &request = {});

} // namespace tessera::nvidia
