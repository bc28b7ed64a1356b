//===- ROCDLOps.h - instructions in Triton's TTGIR ------------------------===//
// The ops of MLIR's rocdl dialect that Triton 3.6.0 writes into TTGIR. They are read, and
// amd-replace-triton-ops removes them.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tessera/Target/AMD/IR/ROCDLDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/AMD/IR/ROCDLOps.h.inc"
