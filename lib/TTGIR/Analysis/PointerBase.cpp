//===- PointerBase.cpp - the memory that a pointer leads to ---------------===//
// A walk from the pointer back to arguments of the kernel.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/PointerBase.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tessera;

/// Returns the pointer without ops that add offsets or change its shape or layout.
static Value withoutOffsets(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
             tt::TransOp, tt::BitcastOp, ttg::ConvertLayoutOp>(op))
      break;
    pointer = op->getOperand(0);
  }
  return pointer;
}

/// Returns the values that a loop-carried value, a branch's result or a select may be; nothing for
/// other values.
static SmallVector<Value> sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    return {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()};
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return {select.getTrueValue(), select.getFalseValue()};
  return {};
}

/// Returns the base of a value that has one source.
static PointerBase baseOfSource(Value value) {
  auto cast = value.getDefiningOp<tt::IntToPtrOp>();
  if (auto load = (cast ? cast.getSrc() : value).getDefiningOp<tt::LoadOp>()) {
    PointerBase table = findPointerBase(load.getPtr());
    return table && !table.isLoaded ? PointerBase{table.argument, /*isLoaded=*/true}
                                    : PointerBase();
  }
  auto argument = dyn_cast<BlockArgument>(value);
  bool isOfKernel = argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp());
  return isOfKernel ? PointerBase{argument} : PointerBase();
}

PointerBase tessera::findPointerBase(Value pointer) {
  SmallVector<Value> work{pointer};
  DenseSet<Value> seen;
  PointerBase base;
  while (!work.empty()) {
    Value value = withoutOffsets(work.pop_back_val());
    if (value.getDefiningOp<ub::PoisonOp>() || !seen.insert(value).second)
      continue;
    if (SmallVector<Value> sources = sourcesOf(value); !sources.empty()) {
      llvm::append_range(work, sources);
      continue;
    }
    PointerBase found = baseOfSource(value);
    if (!found || (base && !(base == found)))
      return {};
    base = found;
  }
  return base;
}
