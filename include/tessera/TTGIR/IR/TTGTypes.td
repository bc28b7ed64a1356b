//===- TTGTypes.td - buffers and tokens ------------------------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGTYPES_TD
#define TESSERA_TTGIR_TTGTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tessera/TTGIR/IR/TTGDialect.td"

def TTG_MemDescType : TypeDef<TTG_Dialect, "MemDesc", [
    DeclareTypeInterfaceMethods<ShapedTypeInterface>]> {
  let mnemonic = "memdesc";
  let summary = "a buffer in shared memory, or a view of a part of one";
  let description = [{
    `!ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>`. The encoding lays out
    the trailing dimensions; one leading dimension may count buffers that lie
    behind each other. A view of a part carries the shape of the whole at the
    end: `!ttg.memdesc<64x16xf16, #shared, #smem, mutable, 64x32>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
                        "bool":$mutableMemory, ArrayRefParameter<"int64_t">:$allocShape);
  let builders = [
    TypeBuilderWithInferredContext<
      (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
           "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
           CArg<"bool", "false">:$mutableMemory), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace,
                   mutableMemory, shape);
    }]>,
    TypeBuilderWithInferredContext<
      (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
           "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
           "bool":$mutableMemory, "::llvm::ArrayRef<int64_t>":$allocShape), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace,
                   mutableMemory, allocShape);
    }]>];
  let extraClassDeclaration = [{
    /// Returns whether this is a view of a part of a buffer.
    bool isSubview() const { return getShape() != getAllocShape(); }
    /// Returns the dimensions of the whole buffer to which the encoding refers.
    ::llvm::ArrayRef<int64_t> getLayoutShape() const;
  }];
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

def TTG_AsyncTokenType : TypeDef<TTG_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
  let summary = "orders an asynchronous copy before what waits for it";
}

#endif // TESSERA_TTGIR_TTGTYPES_TD
