//===- Backend.cpp - asking LLVM for code without risking the process -----===//
// See Backend.h.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Backend.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace llvm;

const Target *tessera::findBackend(const Triple &triple, function_ref<void()> add,
                                   std::string &error) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  if (const Target *target = TargetRegistry::lookupTarget(triple, error))
    return target;
  add();
  return TargetRegistry::lookupTarget(triple, error);
}

namespace {
class Collector : public DiagnosticHandler {
public:
  explicit Collector(SmallVectorImpl<std::string> &messages) : messages(messages) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream stream(messages.emplace_back());
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true; // Nothing may reach LLVM's default, which exits.
  }

private:
  SmallVectorImpl<std::string> &messages;
};

/// Keeps the code generator from running passes that cost more than they give.
class PassFilter : public OptPassGate {
public:
  PassFilter(LLVMContext &context, ArrayRef<StringRef> skip)
      : context(context), previous(context.getOptPassGate()), skip(skip) {
    context.setOptPassGate(*this);
  }
  ~PassFilter() override { context.setOptPassGate(previous); }

  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    // Straight-line strength reduction compares every address with every earlier
    // one: 0.8 s of the 0.85 s that a vector add of 512 elements per thread took.
    // Reassociation (Optimize.cpp) gave such addresses a common base already; the
    // code is the same without it.
    return pass != "slsr" && !is_contained(skip, pass);
  }

private:
  LLVMContext &context;
  OptPassGate &previous;
  ArrayRef<StringRef> skip;
};
} // namespace

tessera::BackendErrors::BackendErrors(LLVMContext &context)
    : context(context), previous(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Collector>(messages));
}

tessera::BackendErrors::~BackendErrors() { context.setDiagnosticHandler(std::move(previous)); }

Error tessera::BackendErrors::take() {
  if (messages.empty())
    return Error::success();
  std::string all = join(messages, "\n");
  messages.clear();
  return createStringError(all);
}

Error tessera::runPasses(Module &module, TargetMachine &machine,
                         function_ref<void(ModulePassManager &, PassBuilder &)> build) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  BackendErrors errors(module.getContext());
  ModulePassManager pipeline;
  build(pipeline, builder);
  pipeline.run(module, modules);
  return errors.take();
}

Expected<std::string> tessera::generateCode(Module &module, TargetMachine &machine,
                                            CodeGenFileType kind, ArrayRef<StringRef> skip) {
  BackendErrors errors(module.getContext());
  PassFilter filter(module.getContext(), skip);
  SmallString<0> code;
  raw_svector_ostream stream(code);
  legacy::PassManager passes;
  // Ours is the only producer of this IR and it was verified before.
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return createStringError("the code generator cannot write this kind of file");
  passes.run(module);
  if (Error error = errors.take())
    return std::move(error);
  return std::string(code);
}
