//===- Optimize.h - the chosen LLVM passes --------------------------------===//
// Instead of O3, this runs the passes that pay off on code generated from tiles, in an order in
// which each profits from the previous ones. Optimize.cpp gives the reason for each.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/Backend.h"
#include "mlir/IR/Location.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <optional>

namespace tessera {

/// The choices in which another attempt to compile a kernel may differ from the default.
struct LLIRChoices {
  /// Moves shared memory loads down to their uses, which takes fewer registers.
  bool sinkSharedLoads = true;
  /// Moves arithmetic down with them, such as addresses.
  bool sinkArithmetic = false;
  /// The target's own LLVM passes over functions of its device library that were linked, as a
  /// pipeline string; null for none. The target machine registers them.
  const char *libraryPasses = nullptr;
  /// Combines equal operations on adjacent elements into vector operations, where the target's cost
  /// model says that an instruction computes several.
  bool packArithmetic = false;
  /// Keeps memory that a loop loads and stores at one address in a register.
  bool promoteMemory = true;
};

/// Runs the passes. Cost: about a millisecond for a kernel of a hundred instructions. Fails only on
/// invalid IR. Remarks of the passes go to the listener of the kernel's MLIR context, if there is
/// one.
llvm::Error optimizeLLVMIR(llvm::Module &module, llvm::TargetMachine &machine,
                           const LLIRChoices &choices = {},
                           std::optional<mlir::Location> kernel = std::nullopt,
                           const InstrumentLLVM &instrument = {});

} // namespace tessera
