//===- CheckKernel.h - what the frontend promises of its answers ----------===//
// Shared by the fuzzers of modules and of programs. A finding is a crash, a hang, a
// sanitizer's report, and also what a user would see as exit status 70: a failure
// without an error, an error of our own, a kernel that the frontend accepts and the
// verifier or make_ttir does not, and TTIR that does not parse when it is printed.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/SourceToTTIR/Frontend.h"
#include "llvm/ADT/Twine.h"
#include <functional>

namespace tessera::fuzz {

/// Says what is wrong and ends the process, so that libFuzzer keeps the input.
[[noreturn]] void finding(const llvm::Twine &what);

/// Translates with one of four targets, chosen by `variant`, runs make_ttir on the result and
/// checks all of it. `translate` may return null without errors if `mayAsk()` holds then.
using Translate = std::function<std::unique_ptr<TranslatedKernel>(
    mlir::MLIRContext &, DiagnosticEngine &, const LanguageTarget &)>;
void checkKernel(
    const std::string &name, const Translate &translate, unsigned variant,
    const std::function<bool()> &mayAsk = [] { return false; });

} // namespace tessera::fuzz
