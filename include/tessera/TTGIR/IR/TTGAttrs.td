//===- TTGAttrs.td - every attribute of the ttg dialect --------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGATTRS_TD
#define TESSERA_TTGIR_TTGATTRS_TD

include "tessera/TTGIR/IR/TTGEncodings.td"
include "tessera/TTGIR/IR/TTGMemoryAttrs.td"

#endif // TESSERA_TTGIR_TTGATTRS_TD
