//===- AnnotateModule.h - facts that only LLVM IR can hold ----------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "tessera/Target/AMD/Spec.h"
#include "llvm/IR/Module.h"

namespace tessera::amd {

/// Adds the metadata with which LLVM chooses instructions for atomics. MLIR's atomics have no
/// place for it.
void annotateAtomics(llvm::Module &module);

/// Allows a * b + c of the kernel's own code to be rounded once. LLVM's global setting would also
/// fuse operations within its own expansions of functions, and in libraries, which correct for the
/// rounding of each.
void allowContraction(llvm::Module &module);

/// Computes remainders of bf16 in f32: LLVM's back end ends the process on frem of bf16 for chips
/// with instructions of bf16. Runs on optimized IR, because LLVM makes frem of bf16 out of one of
/// f32 between conversions. The remainder of two such numbers is one as well.
void widenRemainders(llvm::Module &module);

/// Removes selects by its own mask from what a masked store stores: where the mask is false nothing
/// is stored. Masked loads leave such selects.
void dropMaskedSelects(llvm::Module &module);

/// Keeps LLVM from moving a constant out of a thread's offset into a buffer instruction where the
/// rest may be negative. The hardware does not wrap the sum of both (a comment in LLVM's
/// splitBufferOffsets says so): it would be out of range.
void protectBufferOffsets(llvm::Module &module);

/// Tells LLVM which inputs of a kernel the finished code does not use, so that it gets no registers
/// and no hidden arguments for them; and the version of the code object.
void annotateKernels(llvm::Module &module, const AmdSpec &spec, const CompileOptions &options);

} // namespace tessera::amd
