//===- MathLibrary.h - math functions for AMD GPUs ------------------------===//
// The functions of Debian's libclc (LLVM's library of OpenCL C) are embedded as LLVM bitcode when
// Tessera is built, so that nothing of ROCm is needed. Those that a kernel calls are linked and
// inlined (make_llir). f32 exponentials and logarithms are LLVM's own; tanh and erf of f32 are
// polynomials and an exponential.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/MathLibrary.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tessera::amd {

class AmdMathLibrary : public MathLibrary {
public:
  mlir::Value call(LaneBuilder &b, llvm::StringRef function, llvm::ArrayRef<mlir::Value> args,
                   mlir::Type result = {}) override;
  mlir::Value integerPower(LaneBuilder &b, mlir::Value x, mlir::Value n) override;
  mlir::Value rounded(LaneBuilder &b, RoundedOp op, Direction direction,
                      llvm::ArrayRef<mlir::Value> args, mlir::Type result) override;
};

/// Emits a call of a function of another library, which is linked later; null if the kernel calls
/// it with other types already.
mlir::Value emitLibraryCall(LaneBuilder &b, llvm::StringRef symbol, mlir::Type result,
                            mlir::ValueRange args);

/// Marks the functions of libraries that were linked to be inlined, and removes their metadata.
void inlineLibraryFunctions(llvm::Module &module);

/// Links the embedded functions that `module` calls and marks them to be inlined. Functions that it
/// lacks stay undefined.
llvm::Error linkMathLibrary(llvm::Module &module);

} // namespace tessera::amd
