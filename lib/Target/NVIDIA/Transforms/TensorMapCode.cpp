//===- TensorMapCode.cpp - descriptors and coordinates of a plan, as code -===//
// See TensorMapCode.h.
//===----------------------------------------------------------------------===//
#include "TensorMapCode.h"
#include "tessera/TTGIR/Transforms/DeadCarriedValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;
using Kind = AddressSymbol::Kind;
using Symbol = Polynomial::Symbol;
using Dimension = TensorMapPlan::Dimension;

namespace {
/// Writes the polynomials of a plan as code.
class Emitter {
public:
  /// `repeatsValues`: values are computed again from the kernel's arguments.
  Emitter(OpBuilder &b, Location loc, const BlockAddresses &addresses, bool repeatsValues)
      : b(b), loc(loc), addresses(addresses), repeatsValues(repeatsValues) {}
  Value emit(const Polynomial &polynomial, Type type);
  Value emitExtent(const std::optional<Polynomial> &extent);
  Value emitConstant(int64_t value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  /// Returns the value, or repeats its computation.
  Value emitValue(Value value) { return repeatsValues ? repeat(value) : value; }

private:
  /// Repeats the computation of a value that is known at launch.
  Value repeat(Value value);
  Value emitTerm(const Polynomial::Product &product, int64_t coefficient, Type type);
  Value emitIteration(scf::ForOp loop, int64_t &coefficient, Type type);
  Value castTo(Value value, Type type);

  OpBuilder &b;
  Location loc;
  const BlockAddresses &addresses;
  bool repeatsValues;
};
} // namespace

Value Emitter::castTo(Value value, Type type) {
  unsigned from = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  if (from == type.getIntOrFloatBitWidth())
    return value;
  if (from > type.getIntOrFloatBitWidth())
    return b.createOrFold<arith::TruncIOp>(loc, type, value);
  return b.createOrFold<arith::ExtSIOp>(loc, type, value);
}

Value Emitter::repeat(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  // A cast to the same type carries a hint.
  if (auto cast = dyn_cast<tt::BitcastOp>(op); cast && cast.getType() == cast.getSrc().getType())
    return repeat(cast.getSrc());
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, repeat(operand));
  return b.clone(*op, operands)->getResult(0);
}

/// Returns the number of the loop's iteration, times a part of the coefficient.
Value Emitter::emitIteration(scf::ForOp loop, int64_t &coefficient, Type type) {
  Value first = loop.getLowerBound();
  Value index = castTo(loop.getInductionVar(), type);
  if (!matchPattern(first, m_Zero()))
    index = arith::SubIOp::create(b, loc, index, castTo(first, type));
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isStrictlyPositive() &&
      step.getSignificantBits() <= 32 && coefficient % step.getSExtValue() == 0) {
    coefficient /= step.getSExtValue();
    return index;
  }
  return arith::DivSIOp::create(b, loc, index, castTo(loop.getStep(), type));
}

Value Emitter::emitTerm(const Polynomial::Product &product, int64_t coefficient, Type type) {
  Value result;
  auto multiply = [&](Value factor) {
    result = result ? arith::MulIOp::create(b, loc, result, factor).getResult() : factor;
  };
  for (Symbol symbol : product) {
    const AddressSymbol &s = addresses[symbol];
    if (s.kind == Kind::Iteration)
      multiply(emitIteration(s.loop, coefficient, type));
    else
      multiply(castTo(emitValue(s.value), type));
  }
  if (coefficient != 1 || !result)
    multiply(emitConstant(coefficient, type));
  return result;
}

Value Emitter::emit(const Polynomial &polynomial, Type type) {
  Value sum;
  for (const auto &[product, coefficient] : polynomial.terms()) {
    Value term = emitTerm(product, coefficient, type);
    sum = sum ? arith::AddIOp::create(b, loc, sum, term).getResult() : term;
  }
  return sum ? sum : emitConstant(0, type);
}

/// Extents that are larger than coordinates can be are no bounds.
Value Emitter::emitExtent(const std::optional<Polynomial> &extent) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  Type narrow = b.getI32Type(), wide = b.getI64Type();
  if (!extent)
    return emitConstant(most, narrow);
  if (extent->terms().size() == 1 && extent->terms().begin()->second == 1 &&
      extent->terms().begin()->first.size() == 1)
    if (Value value = addresses[extent->terms().begin()->first.front()].value;
        value.getType() == narrow)
      return emitValue(value);
  Value value = arith::MinSIOp::create(b, loc, emit(*extent, wide), emitConstant(most, wide));
  return arith::TruncIOp::create(b, loc, narrow, value);
}

//===----------------------------------------------------------------------===//
// Where the kernel makes a map
//===----------------------------------------------------------------------===//

/// Returns the values of which the kernel makes the map.
static SmallVector<Value> partsOf(const TensorMapPlan &plan, const BlockAddresses &addresses) {
  SmallVector<Value> parts{plan.base};
  auto add = [&](const Polynomial &polynomial) {
    for (const auto &[product, coefficient] : polynomial.terms())
      for (Polynomial::Symbol symbol : product)
        parts.push_back(addresses[symbol].value);
  };
  for (const Dimension &dimension : plan.dims) {
    add(dimension.stride);
    add(*dimension.extent);
  }
  return parts;
}

Value nvidia::findLastPart(const TensorMapPlan &plan, const BlockAddresses &addresses) {
  DominanceInfo dominance;
  Value last = plan.base;
  for (Value value : partsOf(plan, addresses)) {
    Operation *op = value.getDefiningOp();
    if (dominance.dominates(last, op ? op : &value.getParentBlock()->front()))
      last = value;
  }
  return last;
}

bool nvidia::isUsedInLoop(Value value, Operation *op) {
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (!loop->isAncestor(value.getParentBlock()->getParentOp()))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Descriptors and coordinates
//===----------------------------------------------------------------------===//

tt::TensorDescType nvidia::descriptorType(const TensorMapPlan &plan, RankedTensorType tile,
                                          ttg::NvmmaSharedEncodingAttr buffer) {
  SmallVector<int64_t> shape(plan.dims.size() - tile.getRank(), 1);
  llvm::append_range(shape, tile.getShape());
  auto cga = ttg::CGALayoutAttr::getTrivial(tile.getContext(), shape.size());
  auto encoding = ttg::NvmmaSharedEncodingAttr::get(
      tile.getContext(), buffer.getSwizzlingByteWidth(), /*transposed=*/false,
      buffer.getElementBitWidth(), /*fp4Padded=*/false, cga);
  return tt::TensorDescType::get(RankedTensorType::get(shape, tile.getElementType(), encoding));
}

Value nvidia::emitDescriptor(OpBuilder &b, Location loc, const TensorMapPlan &plan, MapMaker maker,
                             tt::TensorDescType type, const BlockAddresses &addresses) {
  Emitter code(b, loc, addresses, /*repeatsValues=*/maker == MapMaker::Launcher);
  Value base = code.emitValue(plan.base);
  if (!plan.offset.isZero())
    base =
        tt::AddPtrOp::create(b, loc, base.getType(), base, code.emit(plan.offset, b.getI64Type()));
  SmallVector<Value> shape, strides;
  for (const Dimension &dimension : plan.dims) {
    Value extent = code.emitExtent(dimension.extent);
    if (maker == MapMaker::Kernel)
      extent = b.createOrFold<arith::MaxSIOp>(loc, extent, code.emitConstant(1, b.getI32Type()));
    shape.push_back(extent);
    strides.push_back(code.emit(dimension.stride, b.getI64Type()));
  }
  return tt::MakeTensorDescOp::create(b, loc, type, base, shape, strides, tt::PaddingOption::Zero);
}

SmallVector<Value> nvidia::emitCoordinates(OpBuilder &b, Location loc, const TensorMapPlan &plan,
                                           const BlockAddresses &addresses) {
  Emitter code(b, loc, addresses, /*repeatsValues=*/false);
  SmallVector<Value> coordinates;
  for (const Dimension &dimension : plan.dims)
    coordinates.push_back(code.emit(dimension.coordinate, b.getI32Type()));
  return coordinates;
}

Value nvidia::emitExtent(OpBuilder &b, Location loc, const Dimension &dimension,
                         const BlockAddresses &addresses) {
  return Emitter(b, loc, addresses, /*repeatsValues=*/false).emitExtent(dimension.extent);
}

Value nvidia::emitHasElements(OpBuilder &b, Location loc, const TensorMapPlan &plan,
                              const BlockAddresses &addresses) {
  Value all = arith::ConstantIntOp::create(b, loc, 1, 1);
  for (const Dimension &dimension : plan.dims) {
    Value positive = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt,
                                                   emitExtent(b, loc, dimension, addresses),
                                                   arith::ConstantIntOp::create(b, loc, 0, 32));
    all = b.createOrFold<arith::AndIOp>(loc, all, positive);
  }
  return all;
}

void nvidia::removeDeadPointers(tt::FuncOp kernel) {
  kernel->walk([](scf::ForOp loop) { freezeDeadCarriedValues(loop); });
  RewritePatternSet patterns(kernel.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  (void)applyPatternsGreedily(kernel, std::move(patterns));
}
