//===- TTNGOps.td - the ttng dialect ---------------------------*- tablegen -*-//
// What Hopper has beyond tiles in layouts: products by warp groups, barriers in
// shared memory, copies by tensor maps, clusters. Text is that of Triton 3.6.0.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TARGET_NVIDIA_TTNGOPS_TD
#define TESSERA_TARGET_NVIDIA_TTNGOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tessera/TTGIR/IR/TTGOpBase.td"
include "tessera/TTGIR/IR/TTGOpInterfaces.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::tessera::ttng";
  let extraClassDeclaration = "void registerTileCopies();";
  let summary = "NVIDIA's asynchronous engines: wgmma, mbarriers, tensor maps, clusters";
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

class TTNG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTNG_Dialect, mnemonic, !listconcat([TensorSize, VerifyTensorLayouts], traits)>;

/// An op about barriers in shared memory or copies of whole tiles; `methods` are those of the
/// interface that it implements.
class TTNG_AsyncOp<string mnemonic, list<Trait> traits = [],
                   list<string> methods = ["getAsyncUse"]>
    : TTNG_Op<mnemonic, !listconcat(
          [DeclareOpInterfaceMethods<TTG_AsyncAccessOpInterface, methods>], traits)>;

def TTNG_Barrier : Type<
    And<[TTG_MemDescType.predicate,
         CPred<"::llvm::cast<::tessera::ttg::MemDescType>($_self).getElementType().isInteger(64)">,
         CPred<"::llvm::cast<::tessera::ttg::MemDescType>($_self).getNumElements() == 1">,
         CPred<"::llvm::cast<::tessera::ttg::MemDescType>($_self).getMutableMemory()">]>,
    "a barrier (one mutable i64 in shared memory)", "::tessera::ttg::MemDescType">;

defvar TTNG_WrittenBarrier =
    Arg<TTNG_Barrier, "", [MemRead<SharedMemory>, MemWrite<SharedMemory>]>;
defvar TTNG_ReadBuffer = Arg<TTG_MemDescType, "", [MemRead<SharedMemory>]>;
defvar TTNG_WrittenBuffer = Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>;
defvar TTNG_ReadDesc = Arg<TT_TensorDescType, "", [MemRead<GlobalMemory>]>;
defvar TTNG_WrittenDesc =
    Arg<TT_TensorDescType, "", [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;

//===----------------------------------------------------------------------===//
// Products by warp groups
//===----------------------------------------------------------------------===//

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TTG_BufferedDotOpInterface>, AllTypesMatch<["c", "d"]>]> {
  let summary = "a * b + c by groups of four warps";
  let description = [{
    `b`, and `a` unless it is a tensor, lie in shared memory. An asynchronous
    product's result may only be the `c` of another, or wait.

    A `swapped` dot is computed as the transpose of b^T * a^T: `a` lies in shared memory, `b`
    may be a tensor, and instructions have rows along N and columns along M. `instrColumns` is
    the number of columns of an instruction, for results whose encoding does not say it
    (swapped ones, batches).
  }];
  let arguments = (ins AnyTypeOf<[TTG_MemDescType, TT_Tensor]>:$a,
      AnyTypeOf<[TTG_MemDescType, TT_Tensor]>:$b,
      TT_Tensor:$c, Optional<I1>:$useC,
      DefaultValuedAttr<TT_InputPrecision, "::tessera::tt::InputPrecision::IEEE">:$inputPrecision,
      DefaultValuedAttr<TT_SignedI32Attr, "0">:$maxNumImpreciseAcc,
      DefaultValuedAttr<BoolAttr, "false">:$isAsync, UnitAttr:$swapped,
      OptionalAttr<TT_SignedI32Attr>:$instrColumns);
  let results = (outs TT_Tensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let extraClassDeclaration = [{
    /// The operands of the instruction's rows and columns.
    ::mlir::Value getRowOperand() { return getSwapped() ? getB() : getA(); }
    ::mlir::Value getColumnOperand() { return getSwapped() ? getA() : getB(); }
    /// The columns of one instruction.
    unsigned getInstructionColumns();
  }];
  let hasVerifier = 1;
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [
    DeclareOpInterfaceMethods<TTG_BufferedDotWaitOpInterface>,
    AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "wait until at most `pendings` products are under way";
  let description = "Hands its operands on; buffers among them stay in use until then.";
  let arguments = (ins Variadic<AnyTypeOf<[TTG_MemDescType, TT_Tensor]>>:$inputs,
                       TT_SignedI32Attr:$pendings);
  let results = (outs Variadic<AnyTypeOf<[TTG_MemDescType, TT_Tensor]>>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared"> {
  let summary = "earlier accesses to shared memory are seen by the asynchronous engines";
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceAsyncGlobalOp : TTNG_Op<"fence_async_global"> {
  let summary = "earlier accesses to global memory come before those of the asynchronous engines";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

def TTNG_InitBarrierOp : TTNG_AsyncOp<"init_barrier"> {
  let summary = "a barrier that `count` arrivals complete";
  let description = "The barrier keeps its memory until the kernel ends.";
  let arguments = (ins TTNG_WrittenBarrier:$alloc, TT_SignedI32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_InvalBarrierOp : TTNG_AsyncOp<"inval_barrier"> {
  let summary = "the memory of a barrier may be used for something else";
  let arguments = (ins TTNG_WrittenBarrier:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
}

def TTNG_BarrierExpectOp : TTNG_AsyncOp<"barrier_expect", [],
                                        ["getAsyncUse", "addPredicate"]> {
  let summary = "arrive, and expect so many bytes of copies";
  let arguments = (ins TTNG_WrittenBarrier:$alloc, TT_SignedI32Attr:$size, I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_WaitBarrierOp : TTNG_AsyncOp<"wait_barrier", [AttrSizedOperandSegments]> {
  let summary = "wait for the phase of a barrier to complete";
  let description = "`deps` are the buffers that are written until then.";
  let arguments = (ins TTNG_WrittenBarrier:$alloc, I32:$phase, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$deps);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:`
    qualified(type($alloc)) (`,` qualified(type($deps))^)?
  }];
}

def TTNG_ArriveBarrierOp : TTNG_AsyncOp<"arrive_barrier", [], ["getAsyncUse", "isArrival"]> {
  let summary = "arrive `count` times";
  let arguments = (ins TTNG_WrittenBarrier:$alloc, TT_SignedI32Attr:$count, Optional<I1>:$pred);
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_ReleaseSlotOp : TTNG_AsyncOp<"release_slot"> {
  let summary = "each warp arrives: its accesses to the buffers are over";
  let description = [{
    The barrier of a slot of `buffers` is made for as many arrivals as there are warps. The warp
    that fills the slot again waits at it (ttng.acquire_slot), all others go on.
  }];
  let arguments = (ins TTNG_WrittenBarrier:$barrier, Variadic<TTG_MemDescType>:$buffers);
  let assemblyFormat = [{
    $barrier `of` $buffers attr-dict `:` qualified(type($barrier)) `,` qualified(type($buffers))
  }];
}

def TTNG_AcquireSlotOp : TTNG_AsyncOp<"acquire_slot"> {
  let summary = "the warp that fills buffers waits until all warps have released the slot";
  let arguments = (ins TTNG_WrittenBarrier:$barrier, I32:$phase,
                       Variadic<TTG_MemDescType>:$buffers);
  let assemblyFormat = [{
    $barrier `,` $phase `of` $buffers attr-dict `:`
    qualified(type($barrier)) `,` qualified(type($buffers))
  }];
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_AsyncOp<"async_copy_mbarrier_arrive"> {
  let summary = "arrive when this thread's copies so far have landed";
  let arguments = (ins TTNG_WrittenBarrier:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

//===----------------------------------------------------------------------===//
// Copies by tensor maps
//===----------------------------------------------------------------------===//

def TTNG_AsyncTMACopyGlobalToLocalOp
    : TTNG_AsyncOp<"async_tma_copy_global_to_local", [], ["getAsyncUse", "addPredicate"]> {
  let summary = "copy a block into a buffer, and count its bytes on a barrier";
  let arguments = (ins TTNG_ReadDesc:$desc, Variadic<I32>:$coord, TTNG_WrittenBarrier:$barrier,
                       TTNG_WrittenBuffer:$result, I1:$pred, TT_CacheAttr:$cache,
                       TT_EvictAttr:$evict, DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let assemblyFormat = [{
    $desc `[` $coord `]` $result `,` $barrier `,` $pred
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMACopyLocalToGlobalOp
    : TTNG_AsyncOp<"async_tma_copy_local_to_global", [AttrSizedOperandSegments]> {
  let summary = "copy a buffer to where a block lies";
  let description = "Counts as a copy for waits whether `pred` holds or not.";
  let arguments = (ins TTNG_WrittenDesc:$desc, Variadic<I32>:$coord, TTNG_ReadBuffer:$src,
                       Optional<I1>:$pred);
  let assemblyFormat = [{
    $desc `[` $coord `]` $src (`,` $pred^)? attr-dict `:`
    qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAReduceOp : TTNG_AsyncOp<"async_tma_reduce"> {
  let summary = "combine a buffer with what memory holds";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TTNG_WrittenDesc:$desc,
                       Variadic<I32>:$coord, TTNG_ReadBuffer:$src);
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src attr-dict `:`
    qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAGatherOp : TTNG_AsyncOp<"async_tma_gather"> {
  let summary = "copy rows by their numbers into a buffer";
  let arguments = (ins TTNG_ReadDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_WrittenBarrier:$barrier, TTNG_WrittenBuffer:$result, I1:$pred);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:`
    type(operands)
  }];
}

def TTNG_AsyncTMAScatterOp : TTNG_AsyncOp<"async_tma_scatter"> {
  let summary = "copy a buffer to rows by their numbers";
  let arguments = (ins TTNG_WrittenDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_ReadBuffer:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)
  }];
}

def TTNG_TMAStoreWaitOp : TTNG_AsyncOp<"async_tma_store_wait", [], ["getDrainsUnderWay"]> {
  let summary = "wait until at most `pendings` stores still read their buffers";
  let description = [{
    With `written`, until at most so many have not written all of global memory yet: the thread that
    started the others sees what they wrote.
  }];
  let arguments = (ins TT_SignedI32Attr:$pendings, UnitAttr:$written);
  let assemblyFormat = "attr-dict";
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "read memory as a tensor map";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))
  }];
}

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<TTG_WarpScratchOpInterface>, MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let summary = "write a tensor map";
  let description = "Codes are those of PTX's tensormap.replace.";
  let arguments = (ins TT_Ptr:$desc_ptr, TT_Ptr:$global_address, Variadic<I32>:$box_dim,
                       Variadic<I32>:$global_dim, Variadic<I64>:$global_stride,
                       Variadic<I32>:$element_stride, TT_SignedI32Attr:$elem_type,
                       TT_SignedI32Attr:$interleave_layout, TT_SignedI32Attr:$swizzle_mode,
                       TT_SignedI32Attr:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,`
    `[` $global_stride `]` `,` `[` $element_stride `]` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [
    MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let summary = "later copies see a tensor map that was written";
  let arguments = (ins TT_Ptr:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

//===----------------------------------------------------------------------===//
// Warps with code of their own
//===----------------------------------------------------------------------===//

def TTNG_WarpNumberOp : TTNG_Op<"warp_number", [Pure]> {
  let summary = "the number of this thread's warp in the CTA";
  let results = (outs I32:$number);
  let assemblyFormat = "attr-dict";
}

def TTNG_SetMaxRegistersOp : TTNG_Op<"set_max_registers"> {
  let summary = "give up registers of this warp group, or wait for more";
  let description = [{
    `count` is what each thread has afterwards. A group that gives registers up (`release`) lets
    others go on that wait for more. All warps of the group execute it.
  }];
  let arguments = (ins TT_SignedI32Attr:$count, UnitAttr:$release);
  let assemblyFormat = "$count (`release` $release^)? attr-dict";
  let hasVerifier = 1;
}

def TTNG_AwaitTurnOp : TTNG_Op<"await_turn"> {
  let summary = "wait until the other of two warp groups passes the turn";
  let assemblyFormat = "attr-dict";
}

def TTNG_PassTurnOp : TTNG_Op<"pass_turn"> {
  let summary = "let the other of two warp groups go on that awaits its turn";
  let description = "With `group`, only this warp group passes it.";
  let arguments = (ins OptionalAttr<I32Attr>:$group);
  let assemblyFormat = "(`by` $group^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

def TTNG_ClusterArriveOp : TTNG_Op<"cluster_arrive"> {
  let summary = "tell the cluster that this block is here";
  let arguments = (ins BoolAttr:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterWaitOp : TTNG_Op<"cluster_wait"> {
  let summary = "wait for all blocks of the cluster";
  let assemblyFormat = "attr-dict";
}

#endif // TESSERA_TARGET_NVIDIA_TTNGOPS_TD
