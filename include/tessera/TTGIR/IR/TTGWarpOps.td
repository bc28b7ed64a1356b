//===- TTGWarpOps.td - warps with code of their own ------------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGWARPOPS_TD
#define TESSERA_TTGIR_TTGWARPOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tessera/TTGIR/IR/TTGOpBase.td"

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "groups of warps that run different code at the same time";
  let description = [{
    The first region is for the warps that reach the op, sees all values above it
    and yields the results. The second holds `ttg.warp_specialize.partitions`,
    whose regions are for further warps; they see the captured operands alone,
    as block arguments.

    ```mlir
    %r = ttg.warp_specialize(%i, %buf) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield %y : i32
    }
    partition0(%a0: i32, %a1: !ttg.memdesc<...>) num_warps(4) {
      ttg.warp_return
    } : (i32, !ttg.memdesc<...>) -> i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$explicitCaptures, DenseI32ArrayAttr:$partitionNumWarps,
                       OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let extraClassDeclaration = [{
    /// Returns the op that contains the partitions' regions.
    WarpSpecializePartitionsOp getPartitionOp();
    ::mlir::MutableArrayRef<::mlir::Region> getPartitionRegions();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [
    IsolatedFromAbove, RecursiveMemoryEffects, Terminator, HasParent<"WarpSpecializeOp">]> {
  let summary = "the regions of further warps";
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [
    Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let summary = "the results of the default region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [
    Pure, Terminator, HasParent<"WarpSpecializePartitionsOp">]> {
  let summary = "the end of a partition";
  let assemblyFormat = "attr-dict";
}

#endif // TESSERA_TTGIR_TTGWARPOPS_TD
