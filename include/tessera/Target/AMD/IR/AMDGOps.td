//===- AMDGOps.td - the amdg dialect ---------------------------*- tablegen -*-//
// What AMD GPUs have beyond tiles in layouts: accesses by buffer descriptors. Text is that of
// Triton 3.6.0. Ops that only Triton makes are replaced by amd-replace-triton-ops.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TARGET_AMD_AMDGOPS_TD
#define TESSERA_TARGET_AMD_AMDGOPS_TD

include "tessera/TTGIR/IR/TTGOpBase.td"
include "tessera/TTGIR/IR/TTGOpInterfaces.td"

def AMDG_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::tessera::amdg";
  let summary = "accesses of AMD GPUs by buffer descriptors";
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

class AMDG_Op<string mnemonic, list<Trait> traits = []>
    : Op<AMDG_Dialect, mnemonic, !listconcat([TensorSize, VerifyTensorLayouts], traits)>;

// The types of pointer, offsets and mask follow from that of the elements; only that is printed.
class AMDG_PointerMatches<string value>
    : TypesMatchWith<"ptr points to the elements", value, "ptr",
                     "::tessera::amdg::getPointerTo($_self)">;
class AMDG_OffsetsMatch<string value>
    : TypesMatchWith<"offsets have the shape of the elements, in i32", value, "offsets",
                     "::tessera::amdg::getOffsetsOf($_self)">;
class AMDG_MaskMatches<string value>
    : OptionalTypesMatchWith<"mask has the shape of the elements, in i1", value, "mask",
                             "::tessera::amdg::getMaskOf($_self)">;
class AMDG_ValueMatches<string value, string other>
    : TypesMatchWith<other # " has the type of the elements", value, other, "$_self">;
class AMDG_OptionalValueMatches<string value, string other>
    : OptionalTypesMatchWith<other # " has the type of the elements", value, other, "$_self">;

defvar AMDG_ReadPtr = Arg<TT_Ptr, "", [MemRead<GlobalMemory>]>;
defvar AMDG_WrittenPtr = Arg<TT_Ptr, "", [MemWrite<GlobalMemory>]>;
defvar AMDG_AtomicPtr = Arg<TT_Ptr, "", [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def AMDG_BufferLoadOp : AMDG_Op<"buffer_load", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<TTG_OffsetAccessOpInterface, ["isStore"]>,
    AMDG_PointerMatches<"result">, AMDG_OffsetsMatch<"result">, AMDG_MaskMatches<"result">,
    AMDG_OptionalValueMatches<"result", "other">]> {
  let summary = "read memory at offsets from one pointer";
  let description = [{
    Reads the elements at `ptr + offsets`. An offset times the size of an element, in bytes and
    modulo 2^32, is less than 2^31. Elements whose mask is false are not read: they are `other`,
    or undefined if there is none. `stride` is a hint for the cache, which is not used.
    `%v = amdg.buffer_load %x[%offsets], %m, %z cacheModifier = cg : tensor<128xf32>`
  }];
  let arguments = (ins AMDG_ReadPtr:$ptr, TT_Tensor:$offsets, Optional<I32>:$stride,
                       TT_CacheAttr:$cache, Optional<TT_Tensor>:$mask, Optional<TT_Tensor>:$other);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `stride` `=` $stride) attr-dict `:` type($result)
  }];
}

def AMDG_BufferStoreOp : AMDG_Op<"buffer_store", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<TTG_OffsetAccessOpInterface, ["isStore"]>,
    AMDG_PointerMatches<"value">, AMDG_OffsetsMatch<"value">, AMDG_MaskMatches<"value">]> {
  let summary = "write memory at offsets from one pointer";
  let description = "As amdg.buffer_load; elements whose mask is false are not written.";
  let arguments = (ins TT_Tensor:$value, AMDG_WrittenPtr:$ptr, TT_Tensor:$offsets,
                       Optional<I32>:$stride, TT_CacheAttr:$cache, Optional<TT_Tensor>:$mask);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `stride` `=` $stride) attr-dict `:` type($value)
  }];
}

def AMDG_BufferAtomicRMWOp : AMDG_Op<"buffer_atomic_rmw", [
    AttrSizedOperandSegments, AMDG_PointerMatches<"result">, AMDG_OffsetsMatch<"result">,
    AMDG_MaskMatches<"result">, AMDG_ValueMatches<"result", "value">]> {
  let summary = "read, modify, write, in one step, at offsets from one pointer";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, AMDG_AtomicPtr:$ptr, TT_Tensor:$offsets,
                       TT_Tensor:$value, Optional<I32>:$stride, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope, Optional<TT_Tensor>:$mask);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    (`stride` `=` $stride^)? attr-dict `:` type($result)
  }];
}

def AMDG_BufferAtomicCASOp : AMDG_Op<"buffer_atomic_cas", [
    AMDG_PointerMatches<"result">, AMDG_OffsetsMatch<"result">, AMDG_ValueMatches<"result", "cmp">,
    AMDG_ValueMatches<"result", "val">]> {
  let summary = "write where memory holds what is expected, at offsets from one pointer";
  let arguments = (ins AMDG_AtomicPtr:$ptr, TT_Tensor:$offsets, TT_Tensor:$cmp, TT_Tensor:$val,
                       Optional<I32>:$stride, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)?
    attr-dict `:` type($result)
  }];
}

def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [
    AttrSizedOperandSegments, AMDG_MaskMatches<"offsets">]> {
  let summary = "start a copy from offsets from one pointer to shared memory";
  let description = [{
    As ttg.async_copy_global_to_local. `%t = amdg.buffer_load_to_local %x[%o] mask = %m into %b
    {contiguity = 8 : i32} : <f16>[tensor<64x64xi32, #l>] -> <64x64xf16, #shared, #smem, mutable>`
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$dest, AMDG_ReadPtr:$ptr,
                       TT_Tensor:$offsets, Optional<TT_Tensor>:$mask, Optional<TT_Tensor>:$other,
                       Optional<I32>:$stride, TT_CacheAttr:$cache,
                       DefaultValuedAttr<TT_SignedI32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)?
    oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict `:`
    type($ptr) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def AMDG_CondBarrierOp : AMDG_Op<"cond_barrier"> {
  let summary = "a barrier of those warps for which the condition is true";
  let description = [{
    Triton puts half of the warps one barrier behind the others with one in front of a loop, and
    lets them catch up with another behind it.
  }];
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}

def AMDG_MemoryCounterWaitOp : AMDG_Op<"memory_counter_wait"> {
  let summary = "wait until at most so many accesses of each kind are under way";
  let arguments = (ins OptionalAttr<TT_SignedI32Attr>:$load, OptionalAttr<TT_SignedI32Attr>:$store,
                       OptionalAttr<TT_SignedI32Attr>:$ds);
  let assemblyFormat = [{
    oilist(`load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)`) attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

def AMDG_InThreadTransposeOp : AMDG_Op<"in_thread_transpose", [Pure]> {
  let summary = "change the order of a thread's registers";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def AMDG_ExtractSliceOp : AMDG_Op<"extract_slice", [Pure]> {
  let summary = "a part of a tensor, at constant offsets";
  let arguments = (ins TT_Tensor:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $source $static_offsets attr-dict `:` type($source) `to` type($result)
  }];
}

#endif // TESSERA_TARGET_AMD_AMDGOPS_TD
