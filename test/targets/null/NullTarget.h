//===- NullTarget.h - the smallest GPU target -----------------------------===//
// Stages: make_ttir, make_ttgir, make_llir. The LLVM IR is the end; it is for no real
// machine, and calls functions `null.*` where hardware would have instructions.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"
#include "tessera/Target/Vendor.h"

namespace tessera::null {

std::unique_ptr<Target> createNullTarget();

/// The passes of make_ttgir and of the MLIR part of make_llir.
void buildTTGIRPipeline(mlir::OpPassManager &pm, const CompileOptions &options);
void buildLLIRPipeline(mlir::OpPassManager &pm);

} // namespace tessera::null

namespace tessera {
const Vendor &getNullVendor();
} // namespace tessera
