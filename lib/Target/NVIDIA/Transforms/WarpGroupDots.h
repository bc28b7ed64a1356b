//===- WarpGroupDots.h - which dots wgmma computes, and how ---------------===//
// A part of nvidia-accelerate-matmul: decides whether a dot becomes a
// ttng.warp_group_dot, with which instruction, and where its operands lie.
//===----------------------------------------------------------------------===//
#pragma once

#include "WarpGroupLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"

namespace tessera::nvidia {

struct WarpGroupDotPlan {
  /// The layout of the result; null where wgmma does not compute the dot.
  mlir::Attribute layout;
  WarpGroupProduct product = {};
  WarpGroupTiling tiling = {};
  unsigned inner = 0; // K of one instruction
  /// The layout of the operand of the instruction's rows, where registers hold it.
  mlir::Attribute rowLayout;
  /// Why wgmma does not compute the dot.
  llvm::StringRef reason;
};

WarpGroupDotPlan planWarpGroupDot(tt::DotOp dot, const NvidiaSpec &spec, unsigned numWarps,
                                  unsigned maxRegisters);

/// Replaces the dot. Requires: plan.layout.
void replaceByWarpGroupDot(tt::DotOp dot, const WarpGroupDotPlan &plan);

} // namespace tessera::nvidia
