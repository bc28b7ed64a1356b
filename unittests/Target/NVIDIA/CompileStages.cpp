//===- CompileStages.cpp - drive the NVIDIA stages from a test ------------===//
#include "CompileStages.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/KernelArguments.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "mlir/Parser/Parser.h"
#include <chrono>

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

Compiled nvidia::compileStages(llvm::StringRef text, const CompileRequest &request) {
  Compiled result;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<ttg::TTGDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    result.diagnostics += diagnostic.str() + "\n";
    return success();
  });
  StageState state{context, request.options};
  state.module = parseSourceString<ModuleOp>(text, &context);
  const NvidiaSpec *spec = NvidiaSpec::parse(request.target);
  if (!state.module || !spec) {
    result.diagnostics += "no module or no such target\n";
    return result;
  }
  for (tt::FuncOp kernel : tt::findKernels(*state.module))
    state.record.kernelName = kernel.getName().str();
  std::unique_ptr<Target> target = createNvidiaTarget(*spec, request.tools);
  bool started = false;
  for (const Stage &stage : target->stages()) {
    started |= stage.extension == request.first;
    if (!started)
      continue;
    auto begin = std::chrono::steady_clock::now();
    LogicalResult ran = stage.run(state);
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    result.milliseconds[stage.name] = elapsed.count();
    if (failed(ran)) {
      if (result.diagnostics.empty())
        result.diagnostics = stage.name + " failed without saying why\n";
      return result;
    }
    if (stage.form == ProgramForm::LLVM) {
      llvm::raw_string_ostream stream(result.llir);
      state.llvmModule->print(stream, nullptr);
    }
    if (stage.extension == request.last)
      break;
  }
  result.assembly = std::move(state.assembly);
  result.binary = std::move(state.binary);
  result.record = std::move(state.record);
  return result;
}
