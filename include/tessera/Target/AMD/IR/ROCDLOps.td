//===- ROCDLOps.td - instructions in Triton's TTGIR ------------*- tablegen -*-//
// The few ops of MLIR's rocdl dialect that Triton 3.6.0 writes into TTGIR, for loops in which one
// half of the warps loads while the other multiplies. MLIR's own dialect would add its archive of
// 25 MB. amd-replace-triton-ops removes them.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TARGET_AMD_ROCDLOPS_TD
#define TESSERA_TARGET_AMD_ROCDLOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ROCDL_Dialect : Dialect {
  let name = "rocdl";
  let cppNamespace = "::tessera::rocdl";
  let summary = "instructions of AMD GPUs in Triton's TTGIR";
}

class ROCDL_Op<string mnemonic, list<Trait> traits = []> : Op<ROCDL_Dialect, mnemonic, traits>;

def ROCDL_ThreadIdOp : ROCDL_Op<"workitem.id.x", [Pure]> {
  let summary = "the number of the thread";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def ROCDL_SetPriorityOp : ROCDL_Op<"s.setprio"> {
  let summary = "the priority of the warp";
  let arguments = (ins I16Attr:$priority);
  let assemblyFormat = "$priority attr-dict";
}

def ROCDL_ScheduleBarrierOp : ROCDL_Op<"sched.barrier"> {
  let summary = "the kinds of instructions that may be scheduled across";
  let arguments = (ins I32Attr:$mask);
  let assemblyFormat = "$mask attr-dict";
}

def ROCDL_ScheduleGroupOp : ROCDL_Op<"sched.group.barrier"> {
  let summary = "a group of instructions that are scheduled together";
  let arguments = (ins I32Attr:$mask, I32Attr:$size, I32Attr:$groupId);
  let assemblyFormat = "$mask `,` $size `,` $groupId attr-dict";
}

def ROCDL_BarrierOp : ROCDL_Op<"s.barrier"> {
  let summary = "wait for the other warps";
  let assemblyFormat = "attr-dict";
}

#endif // TESSERA_TARGET_AMD_ROCDLOPS_TD
