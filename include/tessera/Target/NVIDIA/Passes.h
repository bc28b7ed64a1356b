//===- Passes.h - passes for NVIDIA GPUs ----------------------------------===//
#pragma once

#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tessera::nvidia {

/// An attribute of the module: the reason why a kernel cannot have the roles that its rings of
/// tiles were made for (nvidia-specialize-warps).
inline constexpr llvm::StringLiteral kRolesMissingAttr = "ttng.roles_missing";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Target/NVIDIA/Passes.h.inc"

} // namespace tessera::nvidia
