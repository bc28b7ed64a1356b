//===- TTGOps.td - every op of the ttg dialect -----------------*- tablegen -*-//
// Assembly formats follow Triton 3.6.0's textual form; each file groups ops by what they access.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTGIR_TTGOPS_TD
#define TESSERA_TTGIR_TTGOPS_TD

include "tessera/TTGIR/IR/TTGBufferOps.td"
include "tessera/TTGIR/IR/TTGTensorOps.td"
include "tessera/TTGIR/IR/TTGWarpOps.td"

#endif // TESSERA_TTGIR_TTGOPS_TD
