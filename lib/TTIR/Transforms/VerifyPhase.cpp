//===- VerifyPhase.cpp - the postcondition of a pipeline's phase ----------===//
// A pipeline consists of phases, and the passes of a phase rely on what earlier ones removed. This
// pass checks it, so that a pass which leaves something behind is found at once, and not where a
// later pass or the lowering fails:
//
//   pm.addPass(createTTRewriteTensorPointer());
//   TTVerifyPhaseOptions done;
//   done.phase = "pointers";
//   done.forbiddenOps = {"tt.make_tensor_ptr", "tt.advance"};
//   pm.addPass(createTTVerifyPhase(done));
//
// The error is an internal one, with a reproducer, because no input may lead to it.
//
// Requires: nothing. Ensures: the IR is unchanged. Cost: one walk, some nanoseconds per op.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTVERIFYPHASE
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
using TypePredicate = bool (*)(Type);

struct VerifyPhase : tessera::impl::TTVerifyPhaseBase<VerifyPhase> {
  using TTVerifyPhaseBase::TTVerifyPhaseBase;
  void runOnOperation() override;

private:
  LogicalResult readOptions();
  LogicalResult verify(Operation *op) const;
  LogicalResult verifyTypes(Operation *op, TypeRange types) const;

  llvm::SmallDenseSet<OperationName, 8> names;
  llvm::SmallPtrSet<Dialect *, 8> allowed;
  SmallVector<TypePredicate> types;
};
} // namespace

/// Returns the test for a name of `forbidden-types`; null if there is no such name.
static TypePredicate predicateOf(StringRef name) {
  return llvm::StringSwitch<TypePredicate>(name)
      .Case("block-pointer", tt::isTensorPointer)
      .Case("descriptor", [](Type type) { return isa<tt::TensorDescType>(type); })
      .Case("tensor", [](Type type) { return isa<RankedTensorType>(type); })
      .Case("tensor-without-layout",
            [](Type type) {
              auto tensor = dyn_cast<RankedTensorType>(type);
              return tensor && !tensor.getEncoding();
            })
      .Default(nullptr);
}

LogicalResult VerifyPhase::readOptions() {
  names.clear();
  allowed.clear();
  types.clear();
  for (const std::string &name : forbiddenOps)
    names.insert(OperationName(name, &getContext()));
  for (const std::string &name : dialects)
    if (Dialect *dialect = getContext().getLoadedDialect(name))
      allowed.insert(dialect);
  for (const std::string &name : forbiddenTypes) {
    TypePredicate predicate = predicateOf(name);
    if (!predicate)
      return getOperation().emitError() << "forbidden-types: there is no kind '" << name << "'";
    types.push_back(predicate);
  }
  return success();
}

LogicalResult VerifyPhase::verifyTypes(Operation *op, TypeRange defined) const {
  for (Type type : defined)
    if (llvm::any_of(types, [&](TypePredicate isForbidden) { return isForbidden(type); }))
      return op->emitOpError() << "defines a value of type " << type << " after phase '" << phase
                               << "'";
  return success();
}

LogicalResult VerifyPhase::verify(Operation *op) const {
  if (names.contains(op->getName()))
    return op->emitOpError() << "is left after phase '" << phase << "'";
  if (!dialects.empty() && !allowed.contains(op->getDialect()))
    return op->emitOpError() << "is left after phase '" << phase
                             << "', which leaves only the dialects " << llvm::join(dialects, ", ");
  if (failed(verifyTypes(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(verifyTypes(op, block.getArgumentTypes())))
        return failure();
  return success();
}

void VerifyPhase::runOnOperation() {
  if (failed(readOptions()))
    return signalPassFailure();
  WalkResult walk = getOperation().walk([&](Operation *op) {
    return failed(verify(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return signalPassFailure();
  markAllAnalysesPreserved();
}
