//===- TTGOps.h - the ops of the ttg dialect ------------------------------===//
// The one header a user of the dialect includes.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTIR/IR/TTOps.h"

#define GET_OP_CLASSES
#include "tessera/TTGIR/IR/TTGOps.h.inc"
