//===- TTGOpInterfaces.td - what passes ask of targets' ops ----*- tablegen -*-//
// Generic passes know no vendor. A target whose matrix unit reads operands from shared
// memory, or whose engines copy tiles, gives its ops these interfaces; the pipeliner,
// ttg-insert-barriers and the allocation of shared memory ask them.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTGIR_TTGOPINTERFACES_TD
#define TESSERA_TTGIR_TTGOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def TTG_BufferedDotOpInterface : OpInterface<"BufferedDotOpInterface"> {
  let cppNamespace = "::tessera::ttg";
  let description = [{
    A dot whose unit reads at least one operand from shared memory. The reads of an
    asynchronous dot go on until a wait (BufferedDotWaitOpInterface) ends them; each such
    dot is a group of its own.
  }];
  let methods = [
    InterfaceMethod<"The operand of M rows: a tensor or a buffer.", "::mlir::Value", "getLeft",
                    (ins), "", [{ return $_op.getA(); }]>,
    InterfaceMethod<"The operand of N columns: a tensor or a buffer.", "::mlir::Value",
                    "getRight", (ins), "", [{ return $_op.getB(); }]>,
    InterfaceMethod<"Returns whether its reads of shared memory go on after it.", "bool",
                    "readsAsynchronously">,
    InterfaceMethod<[{
      Returns whether a later pass may let it run into the loop's next iteration: copies must then
      refill its buffers at the end of an iteration, when the dot of the one before is over.
    }], "bool", "mayOutliveIteration">
  ];
}

def TTG_BufferedDotWaitOpInterface : OpInterface<"BufferedDotWaitOpInterface"> {
  let cppNamespace = "::tessera::ttg";
  let description = "Waits for asynchronous dots, in the order in which they were issued.";
  let methods = [
    InterfaceMethod<"How many of the newest dots may still read.", "int32_t", "getUnderWay">
  ];
}

def TTG_AsyncAccessOpInterface : OpInterface<"AsyncAccessOpInterface"> {
  let cppNamespace = "::tessera::ttg";
  let description = [{
    An op about barriers in shared memory, or about an engine that copies whole tiles into
    shared memory, where the copies complete on a barrier, or out of it. ttg-insert-barriers
    and the allocation of shared memory ask it.
  }];
  let methods = [
    InterfaceMethod<"How the op uses a buffer among its operands.", "::tessera::ttg::AsyncUse",
                    "getAsyncUse", (ins "::mlir::Value":$buffer), "",
                    [{ return ::tessera::ttg::AsyncUse::None; }]>,
    InterfaceMethod<[{
      Waits until at most so many of the newest ops that drain a buffer still read it; negative: it
      does not wait.
    }], "int32_t", "getDrainsUnderWay", (ins), "", [{ return -1; }]>,
    InterfaceMethod<[{
      Returns whether one thread tells others, at a barrier in shared memory, that all accesses of
      the CTA before the op are over.
    }], "bool", "isArrival", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Makes the op do nothing if `predicate`, an i1, is false; returns false if the op cannot.
    }], "bool", "addPredicate", (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$predicate),
                    "", [{ return false; }]>
  ];
}

def TTG_WarpScratchOpInterface : OpInterface<"WarpScratchOpInterface"> {
  let cppNamespace = "::tessera::ttg";
  let description = "An op for which one warp needs bytes of shared memory while it runs.";
  let methods = [
    InterfaceMethod<"The number of bytes, which is also their alignment.", "unsigned",
                    "getWarpScratchBytes">
  ];
}

def TTG_OffsetAccessOpInterface : OpInterface<"OffsetAccessOpInterface"> {
  let cppNamespace = "::tessera::ttg";
  let description = [{
    A load or store of global memory through one pointer, which is equal for all threads, and a
    tensor of offsets from it, in elements. ttg-assign-access-width asks it.
  }];
  let methods = [
    InterfaceMethod<"The pointer.", "::mlir::Value", "getBase", (ins), "",
                    [{ return $_op.getPtr(); }]>,
    InterfaceMethod<"The tensor of offsets, i32.", "::mlir::Value", "getAccessOffsets", (ins), "",
                    [{ return $_op.getOffsets(); }]>,
    InterfaceMethod<"The mask, or null.", "::mlir::Value", "getAccessMask", (ins), "",
                    [{ return $_op.getMask(); }]>,
    InterfaceMethod<"Returns whether it stores.", "bool", "isStore">
  ];
}

#endif // TESSERA_TTGIR_TTGOPINTERFACES_TD
