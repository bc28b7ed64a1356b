//===- PackBytes.h - pack bytes of several words by v_perm ----------------===//
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tessera::amd {

/// Builds the bytes that are stored to shared memory, and that come from several words, by
/// v_perm_b32. Runs on optimized IR.
void packBytes(llvm::Module &module);

} // namespace tessera::amd
