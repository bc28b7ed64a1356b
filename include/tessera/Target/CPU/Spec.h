//===- Spec.h - what a processor can do -----------------------------------===//
// The processor a kernel is compiled for and the abilities that lowering asks
// about. The only place that reads feature names is Spec.cpp.
//
//   llvm::Expected<CPUSpec> spec = CPUSpec::find("");        // this machine's
//   llvm::Expected<CPUSpec> old = CPUSpec::find("x86-64-v3"); // a named one
//   CPUSpec::versions("portable");   // {"x86-64-v2", "x86-64-v3", "x86-64-v4"}
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
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
  unsigned vectorRegisters = 16;
  bool wordDot = false;           // two products of i16 added to an i32, in one or two instructions
  bool byteDot = false;           // four products of u8 and i8 added to an i32, in one
  bool halfConversions = false;   // f16 <-> f32 in hardware
  bool vectorMathLibrary = false; // glibc's libmvec has this architecture
  bool streamingStores = false;   // stores that bypass the caches, and a fence for them
  /// Launches that write more than this bypass the caches: what they write
  /// would not be there any more when somebody reads it.
  uint64_t streamingBytes = 32u << 20;

  /// Empty or "native" for the machine this runs on, "portable" for its oldest
  /// version. The error lists what would work.
  static llvm::Expected<CPUSpec> find(llvm::StringRef name);

  /// The processors that code for `name` has a version for, oldest first. All but
  /// "portable" are themselves alone.
  static llvm::SmallVector<std::string> versions(llvm::StringRef name);

  /// All of it, one line: part of the cache key.
  std::string text() const;

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine() const;
};

} // namespace tessera::cpu
