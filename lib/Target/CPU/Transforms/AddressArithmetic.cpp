//===- AddressArithmetic.cpp - the arithmetic that computes an address -===//
// See AddressArithmetic.h. The search follows only integers and pointers, stops at loads and at
// values of control flow (except for a loop's initial values and increments), and changes nothing.
// Cost: linear in the ops that compute the address.
//===----------------------------------------------------------------------===//
#include "AddressArithmetic.h"
#include "tessera/Support/AccessSite.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

static bool isShapeOp(Operation *op) {
  return isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp>(op);
}

static unsigned bitsOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return isa<IntegerType>(element) ? element.getIntOrFloatBitWidth() : 64;
}

/// Returns whether the value is a constant of the program or a result of tl.arange, which are
/// small.
static bool isSmall(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::ConstantOp, tt::MakeRangeOp>(op))
      return true;
    if (!isShapeOp(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

static bool canWrap(Operation *op) {
  if (auto narrowing = dyn_cast<arith::TruncIOp>(op))
    return bitsOf(narrowing.getOut()) >= 8;
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return false;
  unsigned bits = bitsOf(op->getResult(0));
  return bits >= 8 && bits < 64 && !llvm::all_of(op->getOperands(), isSmall);
}

/// Returns the operands of `op` from which its result is computed as a number.
static SmallVector<Value> numbersOf(Operation *op) {
  if (isa<arith::SelectOp>(op))
    return {op->getOperand(1), op->getOperand(2)};
  if (isShapeOp(op) ||
      isa<tt::AddPtrOp, tt::BitcastOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
          arith::ShRSIOp, arith::ShRUIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
          arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp>(op))
    return SmallVector<Value>(op->getOperands());
  return {};
}

/// Returns the increment of `argument` in each iteration of `loop` if it is loop-invariant, and
/// sets the op that adds it.
static Value findPace(scf::ForOp loop, BlockArgument argument, Operation *&addition) {
  Value next = loop.getBody()->getTerminator()->getOperand(argument.getArgNumber() - 1);
  auto sum = next.getDefiningOp<arith::AddIOp>();
  if (!sum || bitsOf(argument) >= 64 || (sum.getLhs() != argument && sum.getRhs() != argument))
    return {};
  addition = sum;
  Value pace = sum.getLhs() == argument ? sum.getRhs() : sum.getLhs();
  if (auto splat = pace.getDefiningOp<tt::SplatOp>())
    pace = splat.getSrc();
  return loop.isDefinedOutsideOfLoop(pace) ? pace : Value();
}

SmallVector<AddressStep> tessera::cpu::findAddressSteps(Value pointer, size_t limit) {
  SmallVector<AddressStep> work, steps;
  llvm::SmallPtrSet<Operation *, 16> seen;
  llvm::SmallPtrSet<void *, 4> carried;
  // Loop-carried values are followed to their initial values.
  auto push = [&](Value value, const AddressStep &user, bool isUnsigned) {
    while (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() == 0)
        return;
      value = loop.getInitArgs()[argument.getArgNumber() - 1];
      Operation *addition = nullptr;
      Value pace = findPace(loop, argument, addition);
      if (pace && carried.insert(argument.getAsOpaquePointer()).second)
        work.push_back({addition, isUnsigned, loop, value, pace, user.path});
    }
    Operation *op = value.getDefiningOp();
    if (op && seen.insert(op).second)
      work.push_back({op, isUnsigned, {}, {}, {}, user.path});
  };
  push(pointer, {}, false);
  // The search is breadth first, so nearer steps come first, and reversing gives program order.
  for (size_t i = 0; i < work.size() && steps.size() < limit; ++i) {
    AddressStep step = work[i];
    if (step.loop) {
      steps.push_back(step);
      continue;
    }
    if (canWrap(step.op))
      steps.push_back(step);
    if (isShapeOp(step.op))
      step.path.push_back(step.op);
    bool isUnsigned = step.isUnsigned;
    if (isa<arith::ExtUIOp>(step.op))
      isUnsigned = true;
    else if (isa<arith::ExtSIOp, tt::AddPtrOp>(step.op))
      isUnsigned = false;
    for (Value number : numbersOf(step.op))
      push(number, step, isUnsigned);
  }
  auto programOrder = [](const AddressStep &a, const AddressStep &b) {
    return a.op->getBlock() == b.op->getBlock() && a.op->isBeforeInBlock(b.op);
  };
  std::reverse(steps.begin(), steps.end());
  // Sorts the steps of each block in its order; blocks keep their order, outer ones first.
  for (size_t i = 1; i < steps.size(); ++i)
    for (size_t j = i; j > 0 && programOrder(steps[j], steps[j - 1]); --j)
      std::swap(steps[j], steps[j - 1]);
  return steps;
}

//===----------------------------------------------------------------------===//
// Explaining
//===----------------------------------------------------------------------===//

namespace {

using Indices = SmallVector<Value, 4>;

class Explainer {
public:
  Explainer(OpBuilder &builder, Value suspect) : builder(builder), suspect(suspect) {}

  void explain(const AddressStep &step, ArrayRef<int64_t> shape) {
    loc = step.op->getLoc();
    Indices indices;
    if (isa<RankedTensorType>(step.op->getResult(0).getType())) {
      indices = split(suspect, shape);
      for (Operation *op : step.path)
        indices = throughShapeOp(op, indices);
    }
    auto number = [&](Value value) { return widen(element(value, indices), step.isUnsigned); };
    Value left, right;
    uint32_t operation = operationOf(step.op);
    if (step.loop) {
      operation = WrapSite::Accumulate;
      left = number(step.start);
      right = arith::MulIOp::create(builder, loc, iterations(step.loop), number(step.pace));
    } else {
      left = number(step.op->getOperand(0));
      right = operation == WrapSite::Truncate ? constant(0) : number(step.op->getOperand(1));
    }
    ttc::ExplainWrapOp::create(builder, loc, suspect, left, right, operation,
                               bitsOf(step.op->getResult(0)), step.isUnsigned);
  }

private:
  static uint32_t operationOf(Operation *op) {
    return llvm::TypeSwitch<Operation *, uint32_t>(op)
        .Case([](arith::AddIOp) { return WrapSite::Add; })
        .Case([](arith::SubIOp) { return WrapSite::Subtract; })
        .Case([](arith::MulIOp) { return WrapSite::Multiply; })
        .Case([](arith::ShLIOp) { return WrapSite::ShiftLeft; })
        .Default([](Operation *) { return WrapSite::Truncate; });
  }

  /// Returns the number of iterations before the current one.
  Value iterations(scf::ForOp loop) {
    bool isUnsigned = loop.getUnsignedCmp();
    Value begin = widen(loop.getLowerBound(), isUnsigned);
    Value now = widen(loop.getInductionVar(), isUnsigned);
    Value gone = arith::SubIOp::create(builder, loc, now, begin);
    return arith::DivSIOp::create(builder, loc, gone, widen(loop.getStep(), isUnsigned));
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }

  /// Returns the indices of a row-major position.
  Indices split(Value position, ArrayRef<int64_t> shape) {
    Indices indices(shape.size());
    for (size_t dim = shape.size(); dim-- > 0;) {
      Value extent = constant(shape[dim]);
      indices[dim] = arith::RemUIOp::create(builder, loc, position, extent);
      if (dim > 0)
        position = arith::DivUIOp::create(builder, loc, position, extent);
    }
    return indices;
  }

  Value join(ArrayRef<Value> indices, ArrayRef<int64_t> shape) {
    Value position = constant(0);
    for (auto [index, extent] : llvm::zip(indices, shape)) {
      position = arith::MulIOp::create(builder, loc, position, constant(extent));
      position = arith::AddIOp::create(builder, loc, position, index);
    }
    return position;
  }

  /// Returns the indices of a shape op's operand for its result at `indices`.
  Indices throughShapeOp(Operation *op, Indices indices) {
    auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    if (!source)
      return {};
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
      indices.erase(indices.begin() + expand.getAxis());
    } else if (auto transpose = dyn_cast<tt::TransOp>(op)) {
      Indices before(indices.size());
      for (auto [to, from] : llvm::enumerate(transpose.getOrder()))
        before[from] = indices[to];
      indices = before;
    } else if (isa<tt::ReshapeOp>(op)) {
      indices = split(join(indices, result.getShape()), source.getShape());
    } else {
      for (auto [dim, extent] : llvm::enumerate(source.getShape()))
        if (extent == 1)
          indices[dim] = constant(0);
    }
    return indices;
  }

  Value element(Value value, ArrayRef<Value> indices) {
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    return ttc::ExtractOp::create(builder, loc, value, indices);
  }

  Value widen(Value value, bool isUnsigned) {
    Type i64 = builder.getI64Type();
    if (value.getType() == i64)
      return value;
    if (isUnsigned)
      return arith::ExtUIOp::create(builder, loc, i64, value);
    return arith::ExtSIOp::create(builder, loc, i64, value);
  }

  OpBuilder &builder;
  Value suspect;
  Location loc = builder.getUnknownLoc();
};

} // namespace

void tessera::cpu::emitExplanations(OpBuilder &builder, ArrayRef<AddressStep> steps, Value pointer,
                                    Value suspect) {
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  Explainer explainer(builder, suspect);
  for (const AddressStep &step : steps)
    explainer.explain(step, type ? type.getShape() : ArrayRef<int64_t>());
}
