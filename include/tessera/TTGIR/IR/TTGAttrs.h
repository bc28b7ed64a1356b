//===- TTGAttrs.h - the encodings -----------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

// The interfaces of encodings refer to cluster attributes, which are therefore declared first.
#define GET_ATTRDEF_CLASSES
#include "tessera/TTGIR/IR/TTGMemoryAttrs.h.inc"

#include "tessera/TTGIR/IR/TTGInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/TTGIR/IR/TTGEncodings.h.inc"
