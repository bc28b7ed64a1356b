//===- PassGate.h - runs only some passes of a compilation ----------------===//
#pragma once

#include "tessera/Driver/PassControl.h"
#include "tessera/Target/Target.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/PassInstrumentation.h"

namespace tessera {

/// Applies a PassControl to the pass managers of one context, as long as it lives. MLIR asks it
/// before each pass (tracing actions), LLVM before each pass that it may skip.
class PassGate {
public:
  PassGate(mlir::MLIRContext &context, const PassControl &control, const Target &target);
  ~PassGate() { context.registerActionHandler(nullptr); }
  PassGate(const PassGate &) = delete;

  /// Called before other listeners are added, which then see what a wrong pass did.
  void instrument(llvm::PassInstrumentationCallbacks &callbacks) const;

private:
  void execute(llvm::function_ref<void()> run, const mlir::tracing::Action &action);
  bool isLeftOut(llvm::StringRef name);

  mlir::MLIRContext &context;
  const PassControl &control;
  const Target &target;
  size_t next = 0; // in PassControl::done
};

} // namespace tessera
