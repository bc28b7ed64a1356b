//===- Backend.cpp - run LLVM's code generator without risking the process -===//
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
  Collector(SmallVectorImpl<std::string> &messages, tessera::OnResourceUsage onUsage)
      : messages(messages), onUsage(std::move(onUsage)) {}

  bool isAnalysisRemarkEnabled(StringRef pass) const override { return onUsage && pass == kUsage; }
  bool isAnyRemarkEnabled() const override { return bool(onUsage); }

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream stream(messages.emplace_back());
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&info);
    if (onUsage && remark && remark->getPassName() == kUsage)
      for (const DiagnosticInfoOptimizationBase::Argument &argument : remark->getArgs())
        onUsage(argument.Key, argument.Val);
    return true; // No diagnostic may reach LLVM's default handler, which exits.
  }

private:
  static constexpr StringLiteral kUsage = "kernel-resource-usage";
  SmallVectorImpl<std::string> &messages;
  tessera::OnResourceUsage onUsage;
};

/// A pass manager that leaves out passes which cost more than they gain, and the analyses that only
/// they require.
class SelectivePassManager : public legacy::PassManager {
public:
  SelectivePassManager(const Module &module, ArrayRef<tessera::SkippedPass> skip,
                       tessera::PassAfter passAfter)
      : skip(skip), passAfter(passAfter),
        hasVariables(any_of(module.debug_compile_units(), [](const DICompileUnit *unit) {
          return unit->getEmissionKind() == DICompileUnit::FullDebug;
        })) {}

  void add(Pass *pass) override {
    if (isSkipped(*pass)) {
      delete pass; // the pass manager owns passes that are added to it
      return;
    }
    const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    legacy::PassManager::add(pass);
    if (passAfter && info)
      if (Pass *next = passAfter(info->getPassArgument()))
        legacy::PassManager::add(next);
  }

private:
  bool isSkipped(const Pass &pass) {
    const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(pass.getPassID());
    if (!info)
      return false;
    // Straight-line strength reduction compares every address with every earlier one: 0.8 s of the
    // 0.85 s that a vector add of 512 elements per thread took. Reassociation (Optimize.cpp) has
    // already given such addresses a common base, so the code is the same without it.
    StringRef name = info->getPassArgument();
    if (name == "slsr")
      return true;
    const auto *found =
        find_if(skip, [&](const tessera::SkippedPass &one) { return one.name == name; });
    if (found != skip.end() && !(found->onlyFirst && is_contained(seen, found))) {
      seen.push_back(found);
      return true;
    }
    // LiveDebugValues tracks variables in registers, and this code has none: a fourteenth of the
    // compile time of an attention kernel for the CPU.
    return name == "livedebugvalues" && !hasVariables;
  }

  ArrayRef<tessera::SkippedPass> skip;
  SmallVector<const tessera::SkippedPass *> seen; // those that were left out
  tessera::PassAfter passAfter;
  bool hasVariables; // whether the module has variables for debuggers
};
} // namespace

tessera::BackendErrors::BackendErrors(LLVMContext &context, OnResourceUsage onUsage)
    : context(context), previous(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Collector>(messages, std::move(onUsage)));
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
                         function_ref<void(ModulePassManager &, PassBuilder &)> build,
                         const InstrumentLLVM &instrument) {
  PassInstrumentationCallbacks callbacks;
  if (instrument)
    instrument(callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, PipelineTuningOptions(), /*PGOOpt=*/std::nullopt,
                      instrument ? &callbacks : nullptr);
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
                                            CodeGenFileType kind,
                                            ArrayRef<tessera::SkippedPass> skip,
                                            PassAfter passAfter, const OnResourceUsage &onUsage) {
  BackendErrors errors(module.getContext(), onUsage);
  SmallString<0> code;
  raw_svector_ostream stream(code);
  SelectivePassManager passes(module, skip, passAfter);
  // Tessera is the only producer of this IR, and it was verified before.
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return createStringError("the code generator cannot write this kind of file");
  passes.run(module);
  if (Error error = errors.take())
    return std::move(error);
  return std::string(code);
}
