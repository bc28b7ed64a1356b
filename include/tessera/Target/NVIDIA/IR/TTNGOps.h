//===- TTNGOps.h - the ttng dialect ---------------------------------------===//
// Hopper's asynchronous engines, as Triton 3.6.0 writes them. The README of lib/Target/NVIDIA/IR
// lists which ops are lowered.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGOps.h"

#include "tessera/Target/NVIDIA/IR/TTNGDialect.h.inc"

namespace tessera::ttng {
/// The number of the warp that acts for its role, on ops that one thread or warp of the CTA
/// executes for all; without it, warp 0 does.
inline constexpr llvm::StringLiteral kFirstWarpAttr = "ttng.first_warp";
} // namespace tessera::ttng

#define GET_OP_CLASSES
#include "tessera/Target/NVIDIA/IR/TTNGOps.h.inc"
