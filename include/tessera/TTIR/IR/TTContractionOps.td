//===- TTContractionOps.td - dots, reductions, scans -----------*- tablegen -*-//
#ifndef TESSERA_TTIR_TTCONTRACTIONOPS_TD
#define TESSERA_TTIR_TTCONTRACTIONOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tessera/TTIR/IR/TTOpBase.td"

def TT_DotOp : TT_Op<"dot", [
    Pure, TypesMatchWith<"result has c's type", "d", "c", "$_self">]> {
  let summary = "a * b + c, of matrices or batches of them";
  let description = [{
    `inputPrecision` says how f32 operands may be read; `maxNumImpreciseAcc` how
    many products of fp8 may be added at low precision.
    `%d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x128xf32> *
     tensor<128x64xf32> -> tensor<64x64xf32>`
  }];
  let arguments = (ins AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>:$a,
      AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>:$b, AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>:$c,
      DefaultValuedAttr<TT_InputPrecision, "::tessera::tt::InputPrecision::IEEE">:$inputPrecision,
      DefaultValuedAttr<TT_SignedI32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [
    Pure, AttrSizedOperandSegments, TypesMatchWith<"result has c's type", "d", "c", "$_self">]> {
  let summary = "a * b + c, where groups of elements along K share a scale";
  let description = [{
    e2m1 elements come two in an i8, along K where `lhs_k_pack` (`rhs_k_pack`)
    holds and along M (N) otherwise. Scales are [.., M, K / f] and [.., N, K / f],
    f = 16 for f8E4M3FN and 32 for exponents in i8.
  }];
  let arguments = (ins AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>:$a,
      AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>:$b, TT_FloatTensor:$c,
      Optional<AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>>:$a_scale,
      Optional<AnyTypeOf<[TT_FloatTensor, TT_IntTensor]>>:$b_scale,
      TT_ScaleDotElemType:$a_elem_type, TT_ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
      DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
      DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict `:`
    type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_ReduceOp : TT_Op<"reduce", [
    Pure, SameOperandsShape, SameOperandsEncoding, SingleBlock,
    InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "combine the elements along one dimension";
  let description = [{
    The region takes a tuple of the left and one of the right, and returns their
    combination, which must be associative and commutative. The dimension goes;
    of a tensor of rank 1 a scalar is left.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, TT_SignedI32Attr:$axis);
  let results = (outs Variadic<AnyTypeOf<[TT_Scalar, TT_Tensor]>>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasRegionVerifier = 1;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [
    HasParent<"ReduceOp">, Pure, Terminator, ReturnLike]> {
  let summary = "the combination of two tuples";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan", [
    Pure, SameOperandsAndResultEncoding, SameOperandsAndResultShape, SingleBlock,
    InferTypeOpAdaptor]> {
  let summary = "combine each element along one dimension with all before it";
  let description = "As tt.reduce; the combination need only be associative.";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, TT_SignedI32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [
    HasParent<"ScanOp">, Pure, Terminator, ReturnLike]> {
  let summary = "the combination of two tuples";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

#endif // TESSERA_TTIR_TTCONTRACTIONOPS_TD
