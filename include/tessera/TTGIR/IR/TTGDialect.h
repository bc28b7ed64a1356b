//===- TTGDialect.h - the ttg dialect, and what a module says -------------===//
// A module in TTGIR says for which machine it is laid out:
//
//   module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32,
//                      ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
//
// Read and write these through the functions below, never by name.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include <optional>

#include "tessera/TTGIR/IR/TTGDialect.h.inc"

namespace tessera::ttg {

inline constexpr llvm::StringLiteral kNumWarpsAttr = "ttg.num-warps";
inline constexpr llvm::StringLiteral kNumCTAsAttr = "ttg.num-ctas";
inline constexpr llvm::StringLiteral kThreadsPerWarpAttr = "ttg.threads-per-warp";
inline constexpr llvm::StringLiteral kTargetAttr = "ttg.target";
inline constexpr llvm::StringLiteral kMaxRegistersAttr = "ttg.maxnreg";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "ttg.shared";
inline constexpr llvm::StringLiteral kTotalNumWarpsAttr = "ttg.total-num-warps";
inline constexpr llvm::StringLiteral kGlobalScratchBytesAttr = "ttg.global_scratch_memory_size";
inline constexpr llvm::StringLiteral kGlobalScratchAlignAttr =
    "ttg.global_scratch_memory_alignment";
inline constexpr llvm::StringLiteral kGlobalScratchOffsetAttr = "ttg.global_scratch_memory_offset";
inline constexpr llvm::StringLiteral kAllocationOffsetAttr = "allocation.offset";

/// Warps of one CTA, outside specialised partitions. A module that does not say
/// counts as one for 4 warps, 1 CTA and 32 threads a warp.
unsigned getNumWarps(mlir::ModuleOp module);
unsigned getNumCTAs(mlir::ModuleOp module);
unsigned getThreadsPerWarp(mlir::ModuleOp module);
/// "cuda:90"; empty when the module does not say.
llvm::StringRef getTargetName(mlir::ModuleOp module);
/// The user's cap on registers per thread.
std::optional<unsigned> getMaxRegisters(mlir::ModuleOp module);
/// Bytes of shared memory, once allocated; 0 before.
unsigned getSharedBytes(mlir::ModuleOp module);
/// Warps to launch: num-warps and those of all partitions.
unsigned getTotalNumWarps(mlir::ModuleOp module);
/// Scratch in global memory that each CTA gets, and its alignment.
unsigned getGlobalScratchBytes(mlir::ModuleOp module);
unsigned getGlobalScratchAlign(mlir::ModuleOp module);

void setNumWarps(mlir::ModuleOp module, unsigned value);
void setNumCTAs(mlir::ModuleOp module, unsigned value);
void setThreadsPerWarp(mlir::ModuleOp module, unsigned value);
void setTargetName(mlir::ModuleOp module, llvm::StringRef value);
void setMaxRegisters(mlir::ModuleOp module, unsigned value);
void setSharedBytes(mlir::ModuleOp module, unsigned value);
void setGlobalScratch(mlir::ModuleOp module, unsigned bytes, unsigned alignment);

/// The warps that run `op`: of its partition, else of its function, else of its
/// module; nothing when none of them says.
std::optional<unsigned> lookupNumWarps(mlir::Operation *op);
std::optional<unsigned> lookupNumWarps(mlir::Region *region);
/// The same of the enclosing module, with getX's defaults.
unsigned lookupNumCTAs(mlir::Operation *op);
unsigned lookupThreadsPerWarp(mlir::Operation *op);

} // namespace tessera::ttg
