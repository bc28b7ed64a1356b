//===- KeepLaneMoves.h - lane moves that are parts of wider registers -----===//
#pragma once

namespace llvm {
class Pass;
} // namespace llvm

namespace tessera::amd {

/// The pass of LLVM's back end behind which createKeepLaneMoves() runs: the one before
/// gcn-dpp-combine.
inline constexpr char kBeforeDPPCombine[] = "si-fold-operands";

/// Keeps moves between lanes whose results are also parts of wider registers.
llvm::Pass *createKeepLaneMoves();

} // namespace tessera::amd
