//===- Main.cpp - tessera-opt ---------------------------------------------===//
// mlir-opt with Tessera's dialects and passes:
//
//   tessera-opt --canonicalize --cse kernel.ttir
//===----------------------------------------------------------------------===//
#include "Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tessera::registerDialects(registry);
  tessera::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tessera's optimizer driver\n", registry));
}
