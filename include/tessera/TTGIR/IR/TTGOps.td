//===- TTGOps.td - every op of the ttg dialect -----------------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGOPS_TD
#define TESSERA_TTGIR_TTGOPS_TD

include "tessera/TTGIR/IR/TTGOpBase.td"

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tensor, spread over threads in another way";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TESSERA_TTGIR_TTGOPS_TD
