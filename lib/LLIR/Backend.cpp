//===- Backend.cpp - asking LLVM for code without risking the process -----===//
// See Backend.h.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Backend.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
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

/// Leaves out passes that cost more than they give, and with them the analyses that only
/// they ask for.
class SelectivePassManager : public legacy::PassManager {
public:
  SelectivePassManager(const Module &module, ArrayRef<StringRef> skip)
      : skip(skip),
        hasVariables(any_of(module.debug_compile_units(), [](const DICompileUnit *unit) {
          return unit->getEmissionKind() == DICompileUnit::FullDebug;
        })) {}

  void add(Pass *pass) override {
    if (!isSkipped(*pass))
      return legacy::PassManager::add(pass);
    delete pass; // which was ours by now
  }

private:
  bool isSkipped(const Pass &pass) const {
    const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(pass.getPassID());
    if (!info)
      return false;
    // Straight-line strength reduction compares every address with every earlier
    // one: 0.8 s of the 0.85 s that a vector add of 512 elements per thread took.
    // Reassociation (Optimize.cpp) gave such addresses a common base already; the
    // code is the same without it.
    StringRef name = info->getPassArgument();
    if (name == "slsr" || is_contained(skip, name))
      return true;
    // It follows variables through registers, of which there are none to follow: a
    // fourteenth of an attention kernel's compilation for the CPU.
    return name == "livedebugvalues" && !hasVariables;
  }

  ArrayRef<StringRef> skip;
  bool hasVariables; // for debuggers
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
  SmallString<0> code;
  raw_svector_ostream stream(code);
  SelectivePassManager passes(module, skip);
  // Ours is the only producer of this IR and it was verified before.
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return createStringError("the code generator cannot write this kind of file");
  passes.run(module);
  if (Error error = errors.take())
    return std::move(error);
  return std::string(code);
}
