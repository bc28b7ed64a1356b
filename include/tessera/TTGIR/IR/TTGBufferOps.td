//===- TTGBufferOps.td - buffers in shared memory --------------*- tablegen -*-//
// Allocation, access, views, asynchronous copies.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTGIR_TTGBUFFEROPS_TD
#define TESSERA_TTGIR_TTGBUFFEROPS_TD

include "mlir/Interfaces/ViewLikeInterface.td"
include "tessera/TTGIR/IR/TTGOpBase.td"

//===----------------------------------------------------------------------===//
// Allocation and access
//===----------------------------------------------------------------------===//

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer in shared memory, with a tensor's elements or without";
  let description = [{
    An immutable buffer is a value: it may be copied and removed like one, until
    allocation gives it an offset.
  }];
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<TT_SignedI32Attr>:$alignment);
  let results = (outs TTG_MemDescType:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result), [{
      build($_builder, $_state, result, ::mlir::Value(), ::mlir::IntegerAttr());
    }]>,
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
      build($_builder, $_state, result, src, ::mlir::IntegerAttr());
    }]>];
  let extraClassDeclaration = [{
    /// Returns the alignment in bytes: the requested one, or that of the encoding.
    unsigned getAlignmentOrDefault();
  }];
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let summary = "the buffer is not used any more";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemFree<SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load"> {
  let summary = "a tensor from a buffer";
  let description = "A token orders it after the copy that fills the buffer.";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<SharedMemory>]>:$src,
                       Optional<TTG_AsyncTokenType>:$token);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
    build($_builder, $_state, result, src, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store"> {
  let summary = "a tensor into a buffer";
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

// Orders all earlier accesses of a CTA's threads (of a partition's, inside one) before all later
// ones. With `allWarps`, the threads of all partitions wait for each other. It declares no effects,
// so that nothing moves across it.
def TTG_LocalBarrierOp : TTG_Op<"local_barrier"> {
  let summary = "wait for the other threads";
  let arguments = (ins UnitAttr:$allWarps);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

class TTG_ViewOp<string mnemonic, list<Trait> traits = []>
    : TTG_Op<mnemonic, !listconcat(traits, [
        Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewSource"]>])> {
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::getViewSource() { return getSrc(); }
  }];
}

def TTG_MemDescIndexOp : TTG_ViewOp<"memdesc_index"> {
  let summary = "one of several buffers";
  let arguments = (ins TTG_MemDescType:$src, I32:$index);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTG_MemDescSubsliceOp : TTG_ViewOp<"memdesc_subslice"> {
  let summary = "a part of a buffer, at a fixed place";
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src `` $offsets attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTG_MemDescTransOp : TTG_ViewOp<"memdesc_trans"> {
  let summary = "a buffer with its dimensions permuted: the result's i is the source's order[i]";
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TTG_MemDescReshapeOp : TTG_ViewOp<"memdesc_reshape"> {
  let summary = "a buffer's elements in another shape";
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TTG_MemDescReinterpretOp : TTG_ViewOp<"memdesc_reinterpret"> {
  let summary = "a buffer's bytes as another buffer";
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [
    AttrSizedOperandSegments, TT_MaskMatches<"src", "mask">,
    TT_OptionalValueMatches<"src", "other">]> {
  let summary = "start a copy from global to shared memory";
  let description = [{
    `contiguity` elements lie next to each other and may be copied at once.
    `%t = ttg.async_copy_global_to_local %p, %m mask %k other %o cacheModifier = cg
     {contiguity = 8 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked> ->
     <64x32xf16, #shared, #smem, mutable>`
  }];
  let arguments = (ins Arg<TT_PtrTensor, "", [MemRead<GlobalMemory>]>:$src,
      Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$result, Optional<TT_BoolTensor>:$mask,
      Optional<TT_Tensor>:$other, TT_CacheAttr:$cache, TT_EvictAttr:$evict,
      DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
      DefaultValuedAttr<TT_SignedI32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group"> {
  let summary = "the copies started so far are one group";
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$inputTokens);
  let results = (outs TTG_AsyncTokenType:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait"> {
  let summary = "wait until at most num groups are under way";
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, TT_SignedI32Attr:$num);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
  let hasVerifier = 1;
}

#endif // TESSERA_TTGIR_TTGBUFFEROPS_TD
