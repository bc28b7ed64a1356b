//===- AMDGOps.h - the amdg dialect ---------------------------------------===//
// Buffer instructions and rearrangements of AMD GPUs, as Triton 3.6.0 writes them. The README of
// lib/Target/AMD/IR lists which ops are lowered.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGOps.h"

#include "tessera/Target/AMD/IR/AMDGDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/AMD/IR/AMDGOps.h.inc"
