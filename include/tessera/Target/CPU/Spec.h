//===- Spec.h - what a processor can do -----------------------------------===//
// The processor a kernel is compiled for and the abilities that lowering asks
// about. The only place that reads feature names is Spec.cpp.
//
//   llvm::Expected<CPUSpec> spec = CPUSpec::find("");        // this machine's
//   llvm::Expected<CPUSpec> old = CPUSpec::find("x86-64-v3"); // a named one
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdint>
#include <memory>
#include <string>

namespace tessera::cpu {

struct CPUSpec {
  std::string triple;   // "x86_64-unknown-linux-gnu"
  std::string name;     // what LLVM calls it: "icelake-server"
  std::string features; // "+avx2,+f16c,...": as the code generator takes them
  /// Width of the vectors that lowering builds its loops from.
  unsigned vectorBits = 128;
  bool halfConversions = false;   // f16 <-> f32 in hardware
  bool vectorMathLibrary = false; // glibc's libmvec has this architecture
  bool streamingStores = false;   // stores that bypass the caches, and a fence for them
  /// Launches that write more than this bypass the caches: what they write
  /// would not be there any more when somebody reads it.
  uint64_t streamingBytes = 32u << 20;

  /// Empty for the machine this runs on. The error lists what LLVM knows.
  static llvm::Expected<CPUSpec> find(llvm::StringRef name);

  /// All of it, one line: part of the cache key.
  std::string text() const;

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine() const;
};

} // namespace tessera::cpu
