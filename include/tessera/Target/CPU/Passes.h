//===- Passes.h - the CPU target's passes ---------------------------------===//
// Declared in Passes.td; `registerCPUPasses()` is for tessera-opt.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace tessera::cpu {

#define GEN_PASS_DECL
#include "tessera/Target/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tessera/Target/CPU/Passes.h.inc"

/// Returns the variable whose value `op` computes, if MarkVariables marked it.
mlir::StringAttr findAssignedVariable(mlir::Operation &op);

} // namespace tessera::cpu
