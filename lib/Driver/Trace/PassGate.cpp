//===- PassGate.cpp - runs only some passes of a compilation --------------===//
#include "PassGate.h"
#include "WrongPass.h"
#include "mlir/IR/Action.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace tessera;

PassGate::PassGate(mlir::MLIRContext &context, const PassControl &control, const Target &target)
    : context(context), control(control), target(target) {
  context.registerActionHandler(
      [this](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        execute(run, action);
      });
}

bool PassGate::isLeftOut(llvm::StringRef name) {
  // A pipeline may depend on the program, so passes that ran before may be missing now.
  auto found = llvm::find(llvm::drop_begin(control.done, next), name);
  if (found != control.done.end()) {
    next = std::distance(control.done.begin(), found) + 1;
    return true;
  }
  switch (control.leaveOut) {
  case LeaveOut::Nothing:
    return false;
  case LeaveOut::Optional:
    return target.needOf(name) == PassNeed::Optional;
  case LeaveOut::NeededBySome:
    return target.needOf(name) != PassNeed::Always;
  }
  return false;
}

void PassGate::execute(llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
  auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
  // Adaptors, which run the passes of nested ops, have no name.
  llvm::StringRef name = execution ? execution->getPass().getArgument() : "";
  if (name.empty())
    return run();
  if (isLeftOut(name))
    return;
  run();
  if (name == control.wrongPass)
    makeWrong(execution->getOp());
}

void PassGate::instrument(llvm::PassInstrumentationCallbacks &callbacks) const {
  // Passes over whole modules inline what was linked; the others only make code better.
  if (control.leaveOut != LeaveOut::Nothing)
    callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef, llvm::Any unit) {
      return llvm::any_cast<const llvm::Module *>(&unit) != nullptr;
    });
  if (control.wrongPass.empty())
    return;
  callbacks.registerAfterPassCallback([this, &callbacks](llvm::StringRef name, llvm::Any unit,
                                                         const llvm::PreservedAnalyses &kept) {
    auto *function = llvm::any_cast<const llvm::Function *>(&unit);
    // A pass that changed nothing would not be looked at.
    if (function && !kept.areAllPreserved() &&
        callbacks.getPassNameForClassName(name) == control.wrongPass)
      makeWrong(const_cast<llvm::Function &>(**function));
  });
}
