//===- TTGDialect.h - the ttg dialect, and attributes of the module ------===//
// The attributes of a module in TTGIR name the machine for which it is laid out:
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

/// Returns the warps of one CTA, outside of specialised partitions. Without the attributes, a
/// module counts as one for 4 warps, 1 CTA and 32 threads per warp.
unsigned getNumWarps(mlir::ModuleOp module);
unsigned getNumCTAs(mlir::ModuleOp module);
unsigned getThreadsPerWarp(mlir::ModuleOp module);
/// Returns "cuda:90"; empty if the module does not name a target.
llvm::StringRef getTargetName(mlir::ModuleOp module);
/// Returns the user's limit on registers per thread.
std::optional<unsigned> getMaxRegisters(mlir::ModuleOp module);
/// Returns the bytes of shared memory after allocation; 0 before.
unsigned getSharedBytes(mlir::ModuleOp module);
/// Returns the warps to launch: num-warps and those of all partitions.
unsigned getTotalNumWarps(mlir::ModuleOp module);
/// Returns the global scratch memory of each CTA, and its alignment.
unsigned getGlobalScratchBytes(mlir::ModuleOp module);
unsigned getGlobalScratchAlign(mlir::ModuleOp module);

void setNumWarps(mlir::ModuleOp module, unsigned value);
void setNumCTAs(mlir::ModuleOp module, unsigned value);
void setThreadsPerWarp(mlir::ModuleOp module, unsigned value);
void setTargetName(mlir::ModuleOp module, llvm::StringRef value);
void setMaxRegisters(mlir::ModuleOp module, unsigned value);
void setSharedBytes(mlir::ModuleOp module, unsigned value);
void setTotalNumWarps(mlir::ModuleOp module, unsigned value);
void setGlobalScratch(mlir::ModuleOp module, unsigned bytes, unsigned alignment);

/// Returns the warps that run `op`: those of its partition, its function, or its module; nothing if
/// none of them has the attribute.
std::optional<unsigned> lookupNumWarps(mlir::Operation *op);
std::optional<unsigned> lookupNumWarps(mlir::Region *region);
/// Returns the enclosing module's numbers, with the defaults of getX.
unsigned lookupNumCTAs(mlir::Operation *op);
unsigned lookupThreadsPerWarp(mlir::Operation *op);

} // namespace tessera::ttg
