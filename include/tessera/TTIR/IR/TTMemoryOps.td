//===- TTMemoryOps.td - memory through pointers ----------------*- tablegen -*-//
#ifndef TESSERA_TTIR_TTMEMORYOPS_TD
#define TESSERA_TTIR_TTMEMORYOPS_TD

include "tessera/TTIR/IR/TTOpBase.td"

def TT_LoadOp : TT_Op<"load", [
    SameOperandsAndResultEncoding, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TT_ValueMatches<"ptr", "result">, TT_MaskMatches<"ptr", "mask">,
    TT_OptionalValueMatches<"ptr", "other">]> {
  let summary = "read memory, one element per pointer, or a block";
  let description = [{
    Elements whose mask is false are not read: they are `other`, or undefined
    when there is none.
    `%b = tt.load %p, %m, %z cacheModifier = cg evictionPolicy = evict_first
     {isVolatile = true} : tensor<128x!tt.ptr<f32>>`
  }];
  let arguments = (ins AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr, Optional<TT_BoolLike>:$mask,
                       Optional<AnyTypeOf<[TT_Scalar, TT_Tensor]>>:$other,
                       TT_BoundaryCheckAttr:$boundaryCheck, OptionalAttr<TT_PaddingOption>:$padding,
                       TT_CacheAttr:$cache, TT_EvictAttr:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyTypeOf<[TT_Scalar, TT_Tensor]>:$result);
  let builders = [
    // `mask` and `other` may be null.
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask, "::mlir::Value":$other,
                   CArg<"CacheModifier", "CacheModifier::None">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict,
                   CArg<"bool", "false">:$isVolatile), [{
      build($_builder, $_state, getPointeeLike(ptr.getType()), ptr, mask, other,
            ::llvm::ArrayRef<int32_t>{}, PaddingOptionAttr(), cache, evict, isVolatile);
    }]>,
    // For a block pointer.
    OpBuilder<(ins "::mlir::Value":$ptr, "::llvm::ArrayRef<int32_t>":$boundaryCheck,
                   "std::optional<PaddingOption>":$padding,
                   CArg<"CacheModifier", "CacheModifier::None">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict,
                   CArg<"bool", "false">:$isVolatile), [{
      build($_builder, $_state, getPointeeLike(ptr.getType()), ptr, ::mlir::Value(),
            ::mlir::Value(), boundaryCheck,
            padding ? PaddingOptionAttr::get($_builder.getContext(), *padding)
                    : PaddingOptionAttr(),
            cache, evict, isVolatile);
    }]>];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_StoreOp : TT_Op<"store", [
    SameOperandsEncoding, TT_ValueMatches<"ptr", "value">, TT_MaskMatches<"ptr", "mask">]> {
  let summary = "write memory, one element per pointer, or a block";
  let description = [{
    Elements whose mask is false are left alone.
    `tt.store %p, %v, %m cacheModifier = wt : tensor<128x!tt.ptr<f32>>`
  }];
  let arguments = (ins
      Arg<AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>, "", [MemWrite<GlobalMemory>]>:$ptr,
      AnyTypeOf<[TT_Scalar, TT_Tensor]>:$value, Optional<TT_BoolLike>:$mask,
      TT_BoundaryCheckAttr:$boundaryCheck, TT_CacheAttr:$cache, TT_EvictAttr:$evict);
  let builders = [
    // `mask` may be null.
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, "::mlir::Value":$mask,
                   CArg<"CacheModifier", "CacheModifier::None">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict), [{
      build($_builder, $_state, ptr, value, mask, ::llvm::ArrayRef<int32_t>{}, cache, evict);
    }]>,
    // For a block pointer.
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value,
                   "::llvm::ArrayRef<int32_t>":$boundaryCheck,
                   CArg<"CacheModifier", "CacheModifier::None">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::Normal">:$evict), [{
      build($_builder, $_state, ptr, value, ::mlir::Value(), boundaryCheck, cache, evict);
    }]>];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

defvar TT_AtomicPtr =
    Arg<TT_GlobalPtrLike, "", [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [
    SameOperandsAndResultShape, SameOperandsAndResultEncoding,
    TT_ValueMatches<"ptr", "val">, TT_ValueMatches<"ptr", "result">,
    TT_MaskMatches<"ptr", "mask">]> {
  let summary = "read, modify, write, in one step";
  let description = [{
    Yields what was there before; undefined where the mask is false.
    `%o = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (...) -> tensor<128xf32>`
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_AtomicPtr:$ptr,
                       AnyTypeOf<[TT_Scalar, TT_Tensor]>:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs AnyTypeOf<[TT_Scalar, TT_Tensor]>:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [
    SameOperandsAndResultShape, SameOperandsAndResultEncoding,
    TT_ValueMatches<"ptr", "cmp">, TT_ValueMatches<"ptr", "val">,
    TT_ValueMatches<"ptr", "result">]> {
  let summary = "write where memory holds what is expected, in one step";
  let arguments = (ins TT_AtomicPtr:$ptr, AnyTypeOf<[TT_Scalar, TT_Tensor]>:$cmp,
                       AnyTypeOf<[TT_Scalar, TT_Tensor]>:$val, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs AnyTypeOf<[TT_Scalar, TT_Tensor]>:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize,
    TypesMatchWith<"base points to the block's elements", "result", "base",
                   "::tessera::tt::getElementPointerType($_self)">]> {
  let summary = "a pointer to a block of a tensor in memory";
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
                       Variadic<I32>:$offsets, DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [
    Pure, TypesMatchWith<"result has the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "move a block pointer by an offset in each dimension";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TESSERA_TTIR_TTMEMORYOPS_TD
