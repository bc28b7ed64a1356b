//===- KeepWaits.h - waits for memory at barriers in loops ----------------===//
#pragma once

namespace llvm {
class Pass;
} // namespace llvm

namespace tessera::amd {

/// The pass of LLVM's back end behind which createKeepWaits() runs.
inline constexpr char kMemoryLegalizer[] = "si-memory-legalizer";

/// Makes waits of fences in loops obligatory.
llvm::Pass *createKeepWaits();

} // namespace tessera::amd
