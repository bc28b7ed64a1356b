//===- TTTypes.td - pointers, descriptors, type constraints ----*- tablegen -*-//
// `!tt.ptr<T>`, `!tt.tensordesc<tensor<...>>`, and the type constraints that op definitions use.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTIR_TTTYPES_TD
#define TESSERA_TTIR_TTTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tessera/TTIR/IR/TTDialect.td"

class TT_TypeDef<string name, string typeMnemonic>
    : TypeDef<TT_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TT_PtrType : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "a 64-bit address of a scalar, or a block pointer";
  let description = [{
    `!tt.ptr<f32>` points to global memory, address space 1, which is not
    printed; `!tt.ptr<f32, 3>` to space 3. `!tt.ptr<tensor<32x64xf16>>` is a
    block pointer, made by `tt.make_tensor_ptr`.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType,
                        DefaultValuedParameter<"int32_t", "1">:$addressSpace);
  let builders = [TypeBuilderWithInferredContext<
      (ins "::mlir::Type":$pointeeType, CArg<"int32_t", "1">:$addressSpace),
      [{ return $_get(pointeeType.getContext(), pointeeType, addressSpace); }]>];
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDescType : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "a descriptor of a tensor in global memory, read block by block";
  let description = [{
    Names the block one access moves. Integer elements may be signed or
    unsigned here (the hardware's padding and reductions care); the values
    loaded are signless.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [TypeBuilderWithInferredContext<
      (ins "::mlir::RankedTensorType":$blockType),
      [{ return $_get(blockType.getContext(), blockType); }]>];
  let assemblyFormat = "`<` $blockType `>`";
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the block type with signless integers, which values have.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                         "floating-point">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;

class TT_PtrOf<Pred pointee, string what>
    : Type<And<[CPred<"::llvm::isa<::tessera::tt::PointerType>($_self)">,
                SubstLeaves<"$_self",
                    "::llvm::cast<::tessera::tt::PointerType>($_self).getPointeeType()",
                    pointee>]>,
           what, "::tessera::tt::PointerType">;

// A pointer to one value; the pointee may again be a pointer.
def TT_Ptr : TT_PtrOf<CPred<"!::llvm::isa<::mlir::RankedTensorType>($_self)">, "pointer">;
def TT_TensorPtr
    : TT_PtrOf<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "block pointer">;

// Atomics work on global memory only.
def TT_GlobalPtr : Type<And<[
    TT_Ptr.predicate,
    CPred<"::llvm::cast<::tessera::tt::PointerType>($_self).getAddressSpace() == "
          "::tessera::tt::kGlobalAddressSpace">]>,
  "pointer to global memory">;

//===----------------------------------------------------------------------===//
// Tensors and "one or many"
//===----------------------------------------------------------------------===//

def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_I32Tensor : RankedTensorOf<[I32]>;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;

def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;
def TT_GlobalPtrLike : AnyTypeOf<[TT_GlobalPtr, RankedTensorOf<[TT_GlobalPtr]>]>;

def TT_Scalar : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_Value : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TT_TensorPtr,
                          TT_TensorDescType]>;

#endif // TESSERA_TTIR_TTTYPES_TD
