//===- WarpGroupDots.h - which dots wgmma computes, and how ---------------===//
// A part of nvidia-accelerate-matmul: decides whether a dot becomes a
// ttng.warp_group_dot, with which instruction, and where its operands lie.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/Target/NVIDIA/Wgmma.h"

namespace tessera::nvidia {

struct WarpGroupDotPlan {
  /// The layout of the result; null where wgmma does not compute the dot.
  ttg::NvidiaMmaEncodingAttr layout = nullptr;
  /// A is computed where the dot is, and comes from registers.
  bool leftInRegisters = false;
  unsigned columns = 0, inner = 0; // of one instruction
  /// Why wgmma does not compute the dot.
  llvm::StringRef reason;
};

WarpGroupDotPlan planWarpGroupDot(tt::DotOp dot, const NvidiaSpec &spec, unsigned numWarps,
                                  unsigned maxRegisters);

/// Replaces the dot. Requires: plan.layout.
void replaceByWarpGroupDot(tt::DotOp dot, const WarpGroupDotPlan &plan);

} // namespace tessera::nvidia
