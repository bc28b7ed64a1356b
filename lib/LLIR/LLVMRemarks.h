//===- LLVMRemarks.h - remarks of LLVM passes -----------------------------===//
// LLVM IR has no MLIR locations. This class makes one from an instruction's debug location, so that
// remarks of LLVM passes (Support/Remarks.h) name the Python line like those of MLIR passes:
//
//   remarks.decided(load, "llir-sink-shared-loads", "order").says("...").because("...");
//
// Cost: without a listener, a test of one flag.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Remarks.h"
#include "llvm/IR/Instruction.h"
#include <optional>

namespace tessera {

class LLVMRemarks {
public:
  /// `kernel` is the location of remarks about instructions without a debug location, and has the
  /// context whose listener gets the remarks. Without it there are no remarks.
  explicit LLVMRemarks(std::optional<mlir::Location> kernel);

  /// Returns whether anybody listens.
  explicit operator bool() const { return kernel.has_value(); }

  PassRemark decided(const llvm::Instruction &at, llvm::StringLiteral pass,
                     llvm::StringLiteral name) const;
  PassRemark declined(const llvm::Instruction &at, llvm::StringLiteral pass,
                      llvm::StringLiteral name) const;

private:
  mlir::Location locate(const llvm::Instruction &at) const;

  std::optional<mlir::Location> kernel; // nothing if nobody listens
};

} // namespace tessera
