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

def TT_UnsplatOp : TT_Op<"unsplat", [
    Pure, TypesMatchWith<"result is the element", "src", "result",
                         "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "the element of a tensor that has one";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the same elements in another shape";
  let description = [{
    Elements keep their row-major order, unless `allow_reorder` lets them take
    any. `efficient_layout` says that the result's encoding was chosen on
    purpose: keep it.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let builders = [
    // The encoding follows from the source's. Requires the same number of elements.
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src,
                   CArg<"bool", "false">:$allowReorder)>];
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_TransOp : TT_Op<"trans", [
    Pure, SameOperandsAndResultElementType, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "permute dimensions: the result's i is the source's order[i]";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_JoinOp : TT_Op<"join", [
    Pure, SameTypeOperands, SameOperandsAndResultElementType,
    InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "two tensors along a new last dimension";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def TT_SplitOp : TT_Op<"split", [
    Pure, AllTypesMatch<["outLHS", "outRHS"]>, InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the two halves of a last dimension of size two";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasFolder = 1;
}

// The op is not pure: each instance may order its elements differently, so two must not be merged.
def TT_CatOp : TT_Op<"cat", [
    NoMemoryEffect, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "the elements of two tensors, in any order";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure, InferTypeOpAdaptor]> {
  let summary = "elements of a tensor by their index along one dimension";
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, TT_SignedI32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_Op<"histogram", [
    Pure, OptionalTypesMatchWith<"mask has the shape of the source, in i1", "src", "mask",
        "::tessera::tt::getTypeOfShape($_self, ::mlir::IntegerType::get($_ctxt, 1))">]> {
  let summary = "how often each of 0, 1, ..., length - 1 occurs";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolLike>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TESSERA_TTIR_TTSHAPEOPS_TD
