//===- TTAttrs.h - the tt dialect's enumerations --------------------------===//
// CacheModifier, EvictionPolicy, PaddingOption, MemSemantic, MemSyncScope,
// RMWOp, DescriptorReduceKind, ProgramIDDim, RoundingMode, PropagateNan,
// InputPrecision, ScaleDotElemType; and the names of discardable attributes.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"

#include "tessera/TTIR/IR/TTEnums.h.inc"

namespace tessera::tt {

/// What a caller promises of an argument, or a program of a value: pointers are
/// aligned to, integers are multiples of, this many bytes or units.
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tt.divisibility";
/// Runs of this length hold consecutive values.
inline constexpr llvm::StringLiteral kContiguityAttr = "tt.contiguity";
/// Runs of this length hold one value.
inline constexpr llvm::StringLiteral kConstancyAttr = "tt.constancy";
/// On a tt.func: keep it as a device function of its own.
inline constexpr llvm::StringLiteral kNoInlineAttr = "noinline";
/// On loops.
inline constexpr llvm::StringLiteral kNumStagesAttr = "tt.num_stages";
inline constexpr llvm::StringLiteral kLoopUnrollFactorAttr = "tt.loop_unroll_factor";
inline constexpr llvm::StringLiteral kFlattenAttr = "tt.flatten";
inline constexpr llvm::StringLiteral kWarpSpecializeAttr = "tt.warp_specialize";
inline constexpr llvm::StringLiteral kDisallowAccMultiBufferAttr = "tt.disallow_acc_multi_buffer";
/// On loops, an LLVM::LoopAnnotationAttr: what `disable_licm` becomes.
inline constexpr llvm::StringLiteral kLoopAnnotationAttr = "llvm.loop_annotation";

} // namespace tessera::tt
