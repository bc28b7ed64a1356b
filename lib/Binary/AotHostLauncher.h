//===- AotHostLauncher.h - a CPU kernel as a C function -------------------===//
// The .h and .c that make typed functions of the one function of a CPU object
// (docs/abi.md, "From C"): all programs on the caller, a range of them, all of
// them on several threads. They need the object and the C library, nothing of
// ours.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/AotLauncher.h"

namespace tessera {

llvm::Expected<AotSources> writeHostSources(const KernelRecord &record, const AotRequest &request,
                                            llvm::StringRef headerName);

} // namespace tessera
