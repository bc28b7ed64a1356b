//===- MarkVariables.cpp - mark the values of the program's variables ----===//
// The frontend names every op of `n = a * b + c` after n. Only the last of them is the value of n,
// and after other passes have moved and removed ops this cannot be told any more. This pass runs
// before all others and marks the value, for debuggers:
//
//   before: %0 = muli ... loc("n"("k.py":3:9))   %1 = addi ... loc("n"("k.py":3:9))
//   after:  %0 = muli ... loc("n"("k.py":3:9))   %1 = addi ...
//   loc("n"(fused<"variable">["k.py":3:9]))
//
// Requires: TTIR as the frontend created it. Ensures: values unchanged; a marked value is its
// variable's value at that place, whatever later passes do. A variable may have no value left.
// Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/Passes.h"

namespace tessera::cpu {
#define GEN_PASS_DEF_CPUMARKVARIABLES
#include "tessera/Target/CPU/Passes.h.inc"
} // namespace tessera::cpu

using namespace mlir;
using namespace tessera;

static constexpr llvm::StringLiteral kVariable = "variable";

static StringAttr nameOf(Operation *op) {
  auto named = dyn_cast<NameLoc>(op->getLoc());
  return named ? named.getName() : StringAttr();
}

StringAttr cpu::findAssignedVariable(Operation &op) {
  LocationAttr location = op.getLoc();
  // An op that replaced several others computes the value of the first of them, the pattern's root.
  if (auto several = dyn_cast<FusedLoc>(location); several && !several.getLocations().empty())
    location = several.getLocations().front();
  auto named = dyn_cast<NameLoc>(location);
  auto fused = named ? dyn_cast<FusedLoc>(named.getChildLoc()) : FusedLoc();
  auto mark = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata()) : StringAttr();
  return mark && mark.getValue() == kVariable ? named.getName() : StringAttr();
}

/// A sequence of ops with one name is an assignment, and the last op its value. Constants may be
/// between them, with or without a name.
static void markBlock(Block &block) {
  auto isConstant = [](Operation *op) { return op && op->hasTrait<OpTrait::ConstantLike>(); };
  for (Operation &op : block) {
    StringAttr name = nameOf(&op);
    Operation *next = op.getNextNode();
    while (isConstant(next))
      next = next->getNextNode();
    if (!name || isConstant(&op) || (next && nameOf(next) == name) || op.getNumResults() != 1)
      continue;
    auto named = cast<NameLoc>(op.getLoc());
    auto mark = StringAttr::get(op.getContext(), kVariable);
    op.setLoc(NameLoc::get(name, FusedLoc::get(op.getContext(), {named.getChildLoc()}, mark)));
  }
}

namespace {
struct MarkVariables : cpu::impl::CPUMarkVariablesBase<MarkVariables> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { markBlock(*block); });
  }
};
} // namespace
