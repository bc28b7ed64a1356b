//===- Backend.cpp - asking LLVM for code without risking the process -----===//
// See Backend.h.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Backend.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

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

Expected<std::string> tessera::generateCode(Module &module, TargetMachine &machine,
                                            CodeGenFileType kind) {
  BackendErrors errors(module.getContext());
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
