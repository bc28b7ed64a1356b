//===- CheckKernel.cpp - what the frontend promises of its answers --------===//
#include "CheckKernel.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;

void fuzz::finding(const llvm::Twine &what) {
  llvm::errs() << "finding: " << what << "\n";
  __builtin_trap();
}

/// Attributes and types stay in a context forever: a fresh one now and then keeps
/// the memory bounded, one for each input would cost more than the input.
static mlir::MLIRContext &contextForOneInput() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (context && ++uses % 1000)
    return *context;
  context.reset();
  context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                       mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect,
                       mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect>();
  return *context;
}

static void checkPrinted(mlir::ModuleOp module, mlir::MLIRContext &context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    problem = diagnostic.str();
    return llvm::success();
  });
  if (!mlir::parseSourceString<mlir::ModuleOp>(text, &context))
    fuzz::finding("the TTIR does not parse: " + problem + "\n" + text);
}

void fuzz::checkKernel(const std::string &name, const Translate &translate, unsigned variant,
                       const std::function<bool()> &mayAsk) {
  mlir::MLIRContext &context = contextForOneInput();
  DiagnosticEngine diagnostics;
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      problem = diagnostic.str();
    return llvm::success();
  });
  bool keepsDescriptors = variant & 2;
  LanguageTarget target;
  target.backend = "cuda";
  target.capability = 90;
  target.isDebug = variant & 1;
  target.hasDescriptorReduceOfHalves = keepsDescriptors;
  std::unique_ptr<TranslatedKernel> kernel = translate(context, diagnostics, target);
  (void)diagnostics.render({.color = true, .noteExcerpts = true});
  for (const Diagnostic &diagnostic : diagnostics.diagnostics())
    if (diagnostic.kind == DiagnosticKind::Internal)
      finding("'" + name + "' is an internal error: " + diagnostic.message);
  if (!kernel && !diagnostics.hasErrors() && !mayAsk())
    finding("'" + name + "' fails without an error to show: " + problem);
  if (!kernel)
    return;

  mlir::PassManager manager(&context);
  buildTTIRPipeline(manager, {.keepDescriptors = keepsDescriptors});
  if (failed(manager.run(*kernel->module))) {
    if (!llvm::StringRef(problem).starts_with(kUnsupportedPrefix))
      finding("make_ttir fails on '" + name + "': " + problem);
    return;
  }
  checkPrinted(*kernel->module, context);
}
