//===- TTAttrs.h - the tt dialect's enumerations --------------------------===//
// CacheModifier, EvictionPolicy, PaddingOption, MemSemantic, MemSyncScope,
// RMWOp, DescriptorReduceKind, ProgramIDDim, RoundingMode, PropagateNan,
// InputPrecision, ScaleDotElemType; and the names of discardable attributes.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"

#include "tessera/TTIR/IR/TTEnums.h.inc"

namespace tessera::tt {

/// A hint about an argument or a value: pointers are aligned to, and integers are multiples of,
/// this number.
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tt.divisibility";
/// A hint: sequences of this length hold consecutive values.
inline constexpr llvm::StringLiteral kContiguityAttr = "tt.contiguity";
/// A hint: sequences of this length hold equal values.
inline constexpr llvm::StringLiteral kConstancyAttr = "tt.constancy";
/// Attribute of a tt.func: it is not inlined.
inline constexpr llvm::StringLiteral kNoInlineAttr = "noinline";
/// Attributes of loops.
inline constexpr llvm::StringLiteral kNumStagesAttr = "tt.num_stages";
inline constexpr llvm::StringLiteral kLoopUnrollFactorAttr = "tt.loop_unroll_factor";
inline constexpr llvm::StringLiteral kFlattenAttr = "tt.flatten";
inline constexpr llvm::StringLiteral kWarpSpecializeAttr = "tt.warp_specialize";
inline constexpr llvm::StringLiteral kDisallowAccMultiBufferAttr = "tt.disallow_acc_multi_buffer";
/// Attribute of loops, an LLVM::LoopAnnotationAttr: the form of `disable_licm`.
inline constexpr llvm::StringLiteral kLoopAnnotationAttr = "llvm.loop_annotation";

} // namespace tessera::tt
