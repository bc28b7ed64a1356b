//===- TTGMemoryAttrs.td - memory spaces and clusters ----------*- tablegen -*-//
// Declared before the interfaces of encodings, which refer to them.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTGIR_TTGMEMORYATTRS_TD
#define TESSERA_TTGIR_TTGMEMORYATTRS_TD

include "tessera/TTGIR/IR/TTGDialect.td"

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "the memory space of a buffer that a CTA's threads share";
}

def TTG_CGALayout : TTG_Attr<"CGALayout", "cga_layout"> {
  let summary = "how the CTAs of a cluster share a tensor";
  let description = [{
    One basis vector per bit of the CTA's index, in units of one CTA's part;
    none for a single CTA. Written inside encodings as `CGALayout = [[1, 0]]`,
    and alone as `#ttg.cga_layout<{rank = 2, CGALayout = [[1, 0]]}>`.
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"unsigned", "flattened">:$flatBases);
  let builders = [
    AttrBuilder<(ins "unsigned":$rank, "const ::tessera::CgaBases &":$bases)>];
  let extraClassDeclaration = [{
    /// A single CTA.
    static CGALayoutAttr getTrivial(::mlir::MLIRContext *context, unsigned rank);
    bool isTrivial() const { return getFlatBases().empty(); }
    unsigned getNumBlocks() const;
    ::tessera::CgaBases getBases() const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // TESSERA_TTGIR_TTGMEMORYATTRS_TD
