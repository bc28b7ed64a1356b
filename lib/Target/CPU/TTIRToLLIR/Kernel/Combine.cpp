//===- Combine.cpp - the function of a reduction or scan ------------------===//
// See Combine.h.
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "../Plan/TileIndex.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

namespace {
class CombineBuilder {
public:
  CombineBuilder(KernelContext &context, LaneBuilder &b, unsigned lanes)
      : context(context), b(b), lanes(lanes) {}

  /// Returns the operands of the block's terminator.
  SmallVector<Value> apply(Block &block);
  DenseMap<Value, Value> values;

private:
  Value lookUp(Value value) {
    Value known = values.lookup(value);
    return known ? known : context.scalar(value);
  }

  KernelContext &context;
  LaneBuilder &b;
  unsigned lanes;
};
} // namespace

SmallVector<Value> CombineBuilder::apply(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto conditional = dyn_cast<scf::IfOp>(op)) {
      SmallVector<Value> yes = apply(conditional.getThenRegion().front());
      if (conditional.getElseRegion().empty())
        continue;
      SmallVector<Value> no = apply(conditional.getElseRegion().front());
      for (auto [result, x, y] : llvm::zip(op.getResults(), yes, no)) {
        Value sides[] = {lookUp(conditional.getCondition()), x, y};
        b.unify(sides);
        values[result] = b.select(sides[0], sides[1], sides[2]);
      }
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      values[constant] = context.constant(b, constant.getValue());
    } else if (isa<ub::PoisonOp>(op)) {
      values[op.getResult(0)] = b.zero(convertElement(op.getResult(0).getType()));
    } else {
      SmallVector<Value> operands;
      for (Value operand : op.getOperands())
        operands.push_back(lookUp(operand));
      values[op.getResult(0)] = context.elementwise.lower(b, &op, operands);
    }
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(b.splat(lookUp(value), lanes));
  return results;
}

SmallVector<Value> tessera::cpu::applyToLanes(KernelContext &context, LaneBuilder &b,
                                              Region &function, ArrayRef<Value> arguments) {
  CombineBuilder builder(context, b, lanesOf(arguments.front()));
  for (auto [argument, value] : llvm::zip_equal(function.getArguments(), arguments))
    builder.values[argument] = value;
  return builder.apply(function.front());
}

SmallVector<Value> tessera::cpu::applyCombine(KernelContext &context, LaneBuilder &b,
                                              Region &combine, ArrayRef<Value> left,
                                              ArrayRef<Value> right) {
  SmallVector<Value> both(left);
  llvm::append_range(both, right);
  return applyToLanes(context, b, combine, both);
}

SmallVector<Value> tessera::cpu::applyToScalars(KernelContext &context,
                                                ScalarBlockLowering &scalarBlocks, Region &combine,
                                                ArrayRef<Value> left, ArrayRef<Value> right) {
  Block &block = combine.front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    context.setScalar(argument, i < left.size() ? left[i] : right[i - left.size()]);
  scalarBlocks.lowerScalarBlock(block);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return context.scalar(value); });
}
