//===- TTGInterfaces.td - what all encodings can be asked ------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGINTERFACES_TD
#define TESSERA_TTGIR_TTGINTERFACES_TD

include "mlir/IR/OpBase.td"

def LayoutEncodingAttr : AttrInterface<"LayoutEncodingAttr"> {
  let cppNamespace = "::tessera::ttg";
  let description = "A place for each element of a tensor or a buffer.";
  let methods = [
    InterfaceMethod<"Dimensions of what it lays out.", "unsigned", "getRank">,
    InterfaceMethod<"How the CTAs of a cluster share it.",
                    "::tessera::ttg::CGALayoutAttr", "getCGALayout">
  ];
}

def DistributedEncodingAttr
    : AttrInterface<"DistributedEncodingAttr", [LayoutEncodingAttr]> {
  let cppNamespace = "::tessera::ttg";
  let description = "Spreads a tensor over threads: the encodings a tensor may carry.";
  let methods = [
    InterfaceMethod<"Threads of a warp that it counts.", "unsigned", "getNumLanes">,
    InterfaceMethod<"Warps of a CTA that it counts.", "unsigned", "getNumWarps">
  ];
}

def SharedEncodingAttr : AttrInterface<"SharedEncodingAttr", [LayoutEncodingAttr]> {
  let cppNamespace = "::tessera::ttg";
  let description = "Places elements in a buffer of shared memory.";
  let methods = [
    InterfaceMethod<"Bytes that the buffer's start is a multiple of.", "unsigned", "getAlignment">
  ];
}

#endif // TESSERA_TTGIR_TTGINTERFACES_TD
