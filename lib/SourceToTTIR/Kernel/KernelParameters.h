//===- KernelParameters.h - what each parameter of a kernel becomes -------===//
// Joins a kernel's `def` with a signature: each parameter is a constant, or one or
// more arguments of the IR function (several for a tuple or a descriptor).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/Signature.h"
#include "tessera/SourceToTTIR/Frontend.h"
#include "../Evaluator/Evaluator.h"

namespace tessera {

struct KernelParameter {
  const ast::Arg *node;
  bool isConstexpr;                   // annotated tl.constexpr
  SignatureEntry entry = {};          // what the signature says
  std::optional<Value> fallback = {}; // the default, where the signature says nothing
};

/// The parameters with their entries; an error if the two do not fit. A signature may
/// leave out the last parameters if they have defaults, which are then compiled in.
FailureOr<std::vector<KernelParameter>> kernelParameters(Emitter &emit, const JitFunction &kernel,
                                                         llvm::ArrayRef<SignatureEntry> signature);

/// The kernel's function with its arguments, named `symbol`; the translator gets every
/// parameter bound, and the builder stands at the start of the body.
void createKernelFunction(Emitter &emit, llvm::StringRef symbol,
                          llvm::ArrayRef<KernelParameter> parameters, Evaluator &translator);

/// The name that `@triton.jit(repr=...)` gives the kernel for these constants; its own
/// name without one.
std::string kernelSymbol(Emitter &emit, const JitFunction &kernel,
                         llvm::ArrayRef<KernelParameter> parameters);

/// The arguments of a launch and the constants, in order: tuples are flattened, and
/// descriptors are their parts (docs/abi.md).
std::vector<KernelArgument> describeParameters(llvm::ArrayRef<KernelParameter> parameters);

} // namespace tessera
