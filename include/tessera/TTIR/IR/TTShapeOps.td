//===- TTShapeOps.td - making and rearranging tensors ----------*- tablegen -*-//
#ifndef TESSERA_TTIR_TTSHAPEOPS_TD
#define TESSERA_TTIR_TTSHAPEOPS_TD

include "tessera/TTIR/IR/TTOpBase.td"

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "the integers start, start + 1, ..., end - 1";
  let arguments = (ins TT_SignedI32Attr:$start, TT_SignedI32Attr:$end);
  let results = (outs TT_I32Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_SplatOp : TT_Op<"splat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "a tensor whose elements are all one scalar";
  let arguments = (ins TT_Scalar:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [
    Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let summary = "insert a dimension of size one";
  let arguments = (ins TT_Tensor:$src, TT_SignedI32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", [
    Pure, SameOperandsAndResultElementType, SameOperandsAndResultEncoding]> {
  let summary = "repeat along dimensions of size one";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // TESSERA_TTIR_TTSHAPEOPS_TD
