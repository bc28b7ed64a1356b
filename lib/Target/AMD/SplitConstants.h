//===- SplitConstants.h - 64-bit constants in scalar registers ------------===//
#pragma once

namespace llvm {
class Pass;
} // namespace llvm

namespace tessera::amd {

/// The pass of LLVM's back end behind which createSplitConstants() runs: after register allocation,
/// before postrapseudos.
inline constexpr char kFrameLayout[] = "prologepilog";

/// Loads 64-bit constants that no instruction can hold in two halves.
llvm::Pass *createSplitConstants();

} // namespace tessera::amd
