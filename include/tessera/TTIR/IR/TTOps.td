//===- TTOps.td - every op of the tt dialect -------------------*- tablegen -*-//
// Assembly formats follow Triton 3.6.0's textual form; each file groups ops by what they access.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTIR_TTOPS_TD
#define TESSERA_TTIR_TTOPS_TD

include "tessera/TTIR/IR/TTContractionOps.td"
include "tessera/TTIR/IR/TTDescriptorOps.td"
include "tessera/TTIR/IR/TTElementwiseOps.td"
include "tessera/TTIR/IR/TTMemoryOps.td"
include "tessera/TTIR/IR/TTProgramOps.td"
include "tessera/TTIR/IR/TTShapeOps.td"

#endif // TESSERA_TTIR_TTOPS_TD
