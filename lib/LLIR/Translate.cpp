//===- Translate.cpp - from MLIR's LLVM dialect to LLVM IR ----------------===//
// See Translate.h. Cost: linear in the program.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Translate.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/Verifier.h"

using namespace mlir;

std::unique_ptr<llvm::Module> tessera::translateToLLVMIR(ModuleOp module,
                                                         llvm::LLVMContext &context,
                                                         const llvm::TargetMachine &machine) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  StringRef name = module.getName().value_or("kernel");
  // MLIR's own verification would print to standard error.
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, name, /*disableVerification=*/true);
  if (!result)
    return nullptr;
  // MLIR does not verify intrinsics and assembly as LLVM does, and LLVM's passes and back ends exit
  // on invalid IR. The verification takes 2 % of the time to PTX.
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*result, &stream)) {
    module.emitError("the kernel became invalid LLVM IR: ") << StringRef(problem).rtrim();
    return nullptr;
  }
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  return result;
}
