//===- Passes.h - passes of the null target -------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::null {

#define GEN_PASS_DECL
#include "null/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "null/Passes.h.inc"

} // namespace tessera::null
