//===- TTGTensorOps.td - tensors, scratch, pipelining ----------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGTENSOROPS_TD
#define TESSERA_TTGIR_TTGTENSOROPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tessera/TTGIR/IR/TTGOpBase.td"

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tensor, spread over threads in another way";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure]> {
  let summary = "two floats from each byte, the low nibble first";
  let arguments = (ins RankedTensorOf<[I8]>:$src, TT_SignedI32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc"> {
  let summary = "global memory of this CTA's own";
  let arguments = (ins TT_SignedI32Attr:$nbytes, TT_SignedI32Attr:$alignment);
  let results = (outs Res<TT_Ptr, "", [MemAlloc<GlobalMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_PredicateStageOp : TTG_Op<"predicate_stage", [
    Pure, AllTypesMatch<["iv", "ub", "step"]>]> {
  let summary = "whether a pipelined loop runs a stage in this iteration";
  let description = "`ttg.predicate_stage %iv, %ub, %st maxStage 2 stage 1 : i32 -> i1`";
  let arguments = (ins AnySignlessIntegerOrIndex:$iv, AnySignlessIntegerOrIndex:$ub,
                       AnySignlessIntegerOrIndex:$step, TT_SignedI32Attr:$maxStage,
                       TT_SignedI32Attr:$stage);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:`
    type($iv) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_MaskOp : TTG_Op<"mask", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "run a region where a predicate holds";
  let arguments = (ins I1:$pred);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$region);
  let hasRegionVerifier = 1;
}

def TTG_MaskReturnOp : TTG_Op<"mask.return", [
    HasParent<"MaskOp">, Pure, Terminator, ReturnLike]> {
  let summary = "the region's results";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

#endif // TESSERA_TTGIR_TTGTENSOROPS_TD
