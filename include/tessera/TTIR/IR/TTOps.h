//===- TTOps.h - the ops of the tt dialect --------------------------------===//
// The one header that users of the dialect include.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTAttrs.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/TTIR/IR/TTLayoutInterface.h"
#include "tessera/TTIR/IR/TTTraits.h"
#include "tessera/TTIR/IR/TTTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tessera/TTIR/IR/TTOps.h.inc"
