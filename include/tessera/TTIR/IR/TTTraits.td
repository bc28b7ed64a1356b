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
// Every tensor with an encoding is verified by the encoding's dialect.
def VerifyTensorLayouts : TT_Trait<"VerifyTensorLayouts">;
// All operands (and results) have the same encoding attribute.
def SameOperandsEncoding : TT_Trait<"SameOperandsEncoding">;
def SameOperandsAndResultEncoding : TT_Trait<"SameOperandsAndResultEncoding">;

// The memory that loads, stores, atomics, prints and assertions access.
def GlobalMemory : Resource<"::tessera::tt::GlobalMemory">;

#endif // TESSERA_TTIR_TTTRAITS_TD
