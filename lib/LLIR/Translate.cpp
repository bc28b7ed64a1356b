//===- Translate.cpp - from MLIR's LLVM dialect to LLVM IR ----------------===//
// See Translate.h. Cost: linear in the program.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Translate.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"

using namespace mlir;

std::unique_ptr<llvm::Module> tessera::translateToLLVMIR(ModuleOp module,
                                                         llvm::LLVMContext &context,
                                                         const llvm::TargetMachine &machine) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  StringRef name = module.getName().value_or("kernel");
  // The MLIR module was verified after its last pass; verifying the result of
  // a mechanical translation again would cost as much as the translation.
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, name, /*disableVerification=*/true);
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  return result;
}
