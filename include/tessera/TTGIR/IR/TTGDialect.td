//===- TTGDialect.td - the ttg dialect -------------------------*- tablegen -*-//
// Tensors whose encodings determine which thread holds which element, and buffers in shared memory. The
// textual form is that of Triton 3.6.0.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTGIR_TTGDIALECT_TD
#define TESSERA_TTGIR_TTGDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tessera::ttg";
  let summary = "Layouts of tensors over threads, shared memory, asynchronous copies";
  let dependentDialects = ["::tessera::tt::TTDialect", "::mlir::gpu::GPUDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOperations();
    void registerInterfaces();
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class TTG_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TTG_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // TESSERA_TTGIR_TTGDIALECT_TD
