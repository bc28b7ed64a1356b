//===- TTTraits.td - what many tt ops have in common -----------*- tablegen -*-//
#ifndef TESSERA_TTIR_TTTRAITS_TD
#define TESSERA_TTIR_TTTRAITS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TT_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::tessera::tt::OpTrait";
}

// Tensors have a static shape whose element count is a power of two, at most 2^20.
def TensorSize : TT_Trait<"TensorSize">;
// Every encoded tensor is shown to the dialect of its encoding.
def VerifyTensorLayouts : TT_Trait<"VerifyTensorLayouts">;
// All encodings among operands (and results) are the same attribute.
def SameOperandsEncoding : TT_Trait<"SameOperandsEncoding">;
def SameOperandsAndResultEncoding : TT_Trait<"SameOperandsAndResultEncoding">;

// What loads, stores, atomics, prints and assertions touch.
def GlobalMemory : Resource<"::tessera::tt::GlobalMemory">;

#endif // TESSERA_TTIR_TTTRAITS_TD
