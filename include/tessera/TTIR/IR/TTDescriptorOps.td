//===- TTDescriptorOps.td - memory through descriptors ---------*- tablegen -*-//
// A descriptor contains the base, shape and strides of a tensor in memory. Elements out of bounds read
// as padding and are not written.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTIR_TTDESCRIPTOROPS_TD
#define TESSERA_TTIR_TTDESCRIPTOROPS_TD

include "tessera/TTIR/IR/TTOpBase.td"

defvar TT_ReadDesc = Arg<TT_TensorDescType, "", [MemRead<GlobalMemory>]>;
defvar TT_WriteDesc =
    Arg<TT_TensorDescType, "", [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "describe a tensor in memory";
  let description = "Strides count elements; the last one is 1.";
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
      DefaultValuedAttr<TT_PaddingOption, "::tessera::tt::PaddingOption::Zero">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load"> {
  let summary = "read a block";
  let arguments = (ins TT_ReadDesc:$desc, Variadic<I32>:$indices, TT_CacheAttr:$cache,
                       TT_EvictAttr:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]`
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store"> {
  let summary = "write a block";
  let arguments = (ins TT_WriteDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce"> {
  let summary = "combine a block with what memory holds";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_WriteDesc:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather"> {
  let summary = "read rows by their numbers";
  let arguments = (ins TT_ReadDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter"> {
  let summary = "write rows by their numbers";
  let arguments = (ins TT_WriteDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

#endif // TESSERA_TTIR_TTDESCRIPTOROPS_TD
