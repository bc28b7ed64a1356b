//===- LowerMbarriers.h - barriers in shared memory -----------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

namespace tessera::nvidia {

/// ttng's barriers in shared memory (mbarrier), and the two halves of a cluster's barrier.
void populateMbarrierPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                              const NvidiaTargetInfo &target);

/// The address in shared memory of a buffer that is no part of another; i32.
mlir::Value emitSharedAddress(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange buffer);

/// Emits whether this is the thread of the CTA that acts for all of them, and `predicate` (i1, or
/// null) holds.
mlir::Value emitIsIssuer(mlir::OpBuilder &b, mlir::Operation *op, const TargetInfo &target,
                         mlir::Value predicate = {});

/// Emits whether this thread is in the warp of that thread.
mlir::Value emitIsIssuingWarp(mlir::OpBuilder &b, mlir::Operation *op, const TargetInfo &target);

} // namespace tessera::nvidia
