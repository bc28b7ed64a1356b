//===- Passes.h - passes for AMD GPUs -------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/Target/AMD/IR/AMDGOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tessera::amd {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Target/AMD/Passes.h.inc"

} // namespace tessera::amd
