//===- TTDialect.td - the tt dialect ---------------------------*- tablegen -*-//
// Programs over tensors without layouts. Textual form, names and semantics are those of Triton 3.6.0, so
// that each compiler reads the other's dumps.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTIR_TTDIALECT_TD
#define TESSERA_TTIR_TTDIALECT_TD

include "mlir/IR/DialectBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tessera::tt";
  let summary = "Programs over tiles, before anything is said about threads";
  let description = [{
    One program of the grid is a function over scalars, pointers and tensors of
    static shape. A tensor may carry an encoding; its dialect answers for it
    through `LayoutInterface`, and this dialect never looks inside.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"
  ];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerOperations();
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

#endif // TESSERA_TTIR_TTDIALECT_TD
