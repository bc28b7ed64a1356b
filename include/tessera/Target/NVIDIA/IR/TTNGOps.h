//===- TTNGOps.h - the ttng dialect ---------------------------------------===//
// Hopper's asynchronous engines, as Triton 3.6.0 writes them. Products by warp groups, their
// waits and the proxy fence are lowered; programs with the other ops can be read, checked
// and written.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGOps.h"

#include "tessera/Target/NVIDIA/IR/TTNGDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/NVIDIA/IR/TTNGOps.h.inc"
