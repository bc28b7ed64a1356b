//===- Spec.h - the numbers of a machine that nobody built ----------------===//
// They differ from those of real GPUs where that could show a number that generic
// code does not take from the target.
//===----------------------------------------------------------------------===//
#pragma once

namespace tessera::null {

struct NullSpec {
  static constexpr const char *name = "null";
  static constexpr unsigned threadsPerWarp = 64;
  static constexpr unsigned maxWarps = 16;
  /// The widest access of one thread.
  static constexpr unsigned maxVectorBits = 128;
  static constexpr unsigned maxSharedBytes = 64 * 1024;
  static constexpr unsigned banks = 16, bankBytes = 4;
  /// LLVM's number for memory that the threads of a block share.
  static constexpr unsigned sharedAddressSpace = 3;
};

} // namespace tessera::null
