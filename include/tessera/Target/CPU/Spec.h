//===- Spec.h - the features of a processor ------------------------------===//
// The processor for which a kernel is compiled, and the features that the lowering depends on. Only
// Spec.cpp reads feature names.
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
  /// The width of the vectors that the lowering uses.
  unsigned vectorBits = 128;
  unsigned vectorRegisters = 16;
  bool wordDot = false;           // adds two products of i16 to an i32 in one or two instructions
  bool byteDot = false;           // adds four products of u8 and i8 to an i32 in one instruction
  bool halfConversions = false;   // has instructions for f16 <-> f32
  bool vectorMathLibrary = false; // glibc's libmvec supports this architecture
  bool streamingStores = false;   // has non-temporal stores and a fence for them
  /// Launches that write more than this use non-temporal stores, because the caches would not hold
  /// the data until it is read.
  uint64_t streamingBytes = 32u << 20;

  /// Finds a processor by name: empty or "native" is this machine, "portable" its oldest version.
  /// The error lists the valid names.
  static llvm::Expected<CPUSpec> find(llvm::StringRef name);

  /// Returns the processors for which code for `name` has a version, oldest first. Only "portable"
  /// has several.
  static llvm::SmallVector<std::string> versions(llvm::StringRef name);

  /// Returns all fields in one line: part of the cache key.
  std::string text() const;

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine() const;
};

} // namespace tessera::cpu
