//===- TTNGOps.h - the ttng dialect ---------------------------------------===//
// Hopper's asynchronous engines, as Triton 3.6.0 writes them. The README of lib/Target/NVIDIA/IR
// lists which ops are lowered.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGOps.h"

#include "tessera/Target/NVIDIA/IR/TTNGDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/NVIDIA/IR/TTNGOps.h.inc"
