//===- LoopRegisters.h - vector registers in loops of products ------------===//
#pragma once

#include "tessera/Target/AMD/Spec.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tessera::amd {

/// The attribute of kernels for which emitAssembly tries a limit of vector registers: their number.
inline constexpr llvm::StringLiteral kRegisterGoal = "tessera-register-goal";

/// Keeps LLVM from splitting what the offsets of a loop start at. Runs on optimized IR.
void freezeCarriedOffsets(llvm::Module &module);

/// Where WMMA instructions use most registers of a wave: computes addresses of stores in the
/// iteration that stores, and sets kRegisterGoal. Runs on optimized IR.
void saveLoopRegisters(llvm::Module &module, const AmdSpec &spec);

} // namespace tessera::amd
