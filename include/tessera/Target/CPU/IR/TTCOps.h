//===- TTCOps.h - the ttc dialect -----------------------------------------===//
// Ops that watch a kernel while it runs on a processor (docs/sanitizer.md), and
// what its lowering does better in one piece than TTIR can say.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

#include "tessera/Target/CPU/IR/TTCDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/CPU/IR/TTCOps.h.inc"
