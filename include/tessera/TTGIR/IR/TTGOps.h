//===- TTGOps.h - the ops of the ttg dialect ------------------------------===//
// The one header a user of the dialect includes.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tessera::ttg {

/// The memory that the threads of a CTA share.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

/// How an op uses a buffer beside what the threads do (AsyncAccessOpInterface).
enum class AsyncUse : uint32_t {
  None,
  /// The buffer becomes a barrier, or is one no longer.
  BarrierSetup,
  /// A barrier is used by an atomic instruction.
  Barrier,
  /// An engine writes the buffer after the op; threads that wait at the barrier see it.
  Fill,
  /// An engine reads the buffer until a wait of the thread that started it.
  Drain,
  /// Each warp says, at a barrier in shared memory, that its accesses to the buffer so far are
  /// over.
  Release,
  /// The thread that fills the buffer waits until all warps have said so.
  Acquire,
};

} // namespace tessera::ttg

#include "tessera/TTGIR/IR/TTGOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tessera/TTGIR/IR/TTGOps.h.inc"
