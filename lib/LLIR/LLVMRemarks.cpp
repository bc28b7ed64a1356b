//===- LLVMRemarks.cpp - remarks of LLVM passes ---------------------------===//
// Debug locations become MLIR locations only if somebody listens.
//===----------------------------------------------------------------------===//
#include "LLVMRemarks.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace tessera;

LLVMRemarks::LLVMRemarks(std::optional<mlir::Location> kernel) {
  if (kernel && kernel->getContext()->getRemarkEngine())
    this->kernel = kernel;
}

/// Returns the debug location with the calls that it was inlined through. Call only if somebody
/// listens.
mlir::Location LLVMRemarks::locate(const llvm::Instruction &at) const {
  std::optional<mlir::Location> location;
  for (const llvm::DILocation *place = at.getDebugLoc(); place; place = place->getInlinedAt()) {
    mlir::Location line = mlir::FileLineColLoc::get(kernel->getContext(), place->getFilename(),
                                                    place->getLine(), place->getColumn());
    location = location ? mlir::Location(mlir::CallSiteLoc::get(*location, line)) : line;
  }
  return location.value_or(*kernel);
}

PassRemark LLVMRemarks::decided(const llvm::Instruction &at, llvm::StringLiteral pass,
                                llvm::StringLiteral name) const {
  return kernel ? tessera::decided(locate(at), pass, name) : PassRemark({});
}

PassRemark LLVMRemarks::declined(const llvm::Instruction &at, llvm::StringLiteral pass,
                                 llvm::StringLiteral name) const {
  return kernel ? tessera::declined(locate(at), pass, name) : PassRemark({});
}
