//===- TTCOps.h - the ttc dialect -----------------------------------------===//
// Ops that check a kernel's accesses while it runs on a processor (docs/sanitizer.md), and a sort,
// which is lowered better as one op than as TTIR's steps.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

#include "tessera/Target/CPU/IR/TTCDialect.h.inc"

#define GET_OP_CLASSES
#include "tessera/Target/CPU/IR/TTCOps.h.inc"
