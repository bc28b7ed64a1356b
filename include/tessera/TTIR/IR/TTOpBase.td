//===- TTOpBase.td - what every tt op definition includes ------*- tablegen -*-//
#ifndef TESSERA_TTIR_TTOPBASE_TD
#define TESSERA_TTIR_TTOPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tessera/TTIR/IR/TTAttrs.td"
include "tessera/TTIR/IR/TTDialect.td"
include "tessera/TTIR/IR/TTTraits.td"
include "tessera/TTIR/IR/TTTypes.td"

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<TT_Dialect, mnemonic,
         !listconcat([TensorSize, VerifyTensorLayouts], traits)>;

// An op that computes each result element from the operands' elements at the same index, without
// effects.
class TT_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat(traits, [Elementwise, SameOperandsAndResultShape,
                                           SameOperandsAndResultEncoding, Pure])>;

// An i32 attribute that is read as a signed number (printed without a sign type).
def TT_SignedI32Attr : TypedSignlessIntegerAttrBase<I32, "int32_t", "32-bit integer"> {
  let returnType = "int32_t";
  let convertFromStorage = "static_cast<int32_t>($_self.getValue().getSExtValue())";
}


defvar TT_CacheAttr = DefaultValuedAttr<TT_CacheModifier, "::tessera::tt::CacheModifier::None">;
defvar TT_EvictAttr =
    DefaultValuedAttr<TT_EvictionPolicy, "::tessera::tt::EvictionPolicy::Normal">;
defvar TT_BoundaryCheckAttr = DefaultValuedAttr<DenseI32ArrayAttr, "{}">;

// The types of masks and values follow from the pointer's type; only that is printed.
class TT_MaskMatches<string ptr, string mask>
    : OptionalTypesMatchWith<"mask has the shape of the pointers, in i1", ptr, mask,
                             "::tessera::tt::getMaskType($_self)">;
class TT_ValueMatches<string ptr, string value>
    : TypesMatchWith<value # " has the type that the pointers point to", ptr, value,
                     "::tessera::tt::getPointeeLike($_self)">;
class TT_OptionalValueMatches<string ptr, string value>
    : OptionalTypesMatchWith<value # " has the type that the pointers point to", ptr, value,
                             "::tessera::tt::getPointeeLike($_self)">;

#endif // TESSERA_TTIR_TTOPBASE_TD
