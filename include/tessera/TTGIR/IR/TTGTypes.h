//===- TTGTypes.h - buffers and tokens ------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "tessera/TTGIR/IR/TTGTypes.h.inc"
