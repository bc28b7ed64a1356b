//===- TTNGOps.h - the ttng dialect ---------------------------------------===//
// Hopper's asynchronous engines, as Triton 3.6.0 writes them. Programs that use
// them can be read, checked and written; nothing lowers them yet.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGOps.h"

#include "tessera/Target/NVIDIA/IR/TTNGDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/NVIDIA/IR/TTNGOps.h.inc"
