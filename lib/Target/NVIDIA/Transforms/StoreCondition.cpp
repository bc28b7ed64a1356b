//===- StoreCondition.cpp - when a tensor copy does what a store does -----===//
// See StoreCondition.h.
//===----------------------------------------------------------------------===//
#include "StoreCondition.h"
#include "TensorMapCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;
using Dimension = TensorMapPlan::Dimension;
using Predicate = arith::CmpIPredicate;

StoreCondition::StoreCondition(const TensorMapPlan &plan, MapMaker maker, RankedTensorType tile,
                               const PlanFacts &facts)
    : isMadeByKernel(maker == MapMaker::Kernel) {
  constexpr int64_t step = 16; // bytes
  unit = step / (tile.getElementTypeBitWidth() / 8);
  for (auto [index, dimension] : llvm::enumerate(plan.dims)) {
    if (facts.isNonNegative(dimension.coordinate))
      continue;
    if (std::optional<int64_t> start = dimension.coordinate.asConstant(); start && *start < 0)
      never = "a start is negative";
    negative.push_back(index);
    int64_t size = dimension.tileDim ? tile.getDimSize(*dimension.tileDim) : 1;
    mayBeginOutside |= facts.divisorOf(dimension.coordinate) % size != 0;
  }
  const Dimension &contiguous = plan.dims.back();
  width = tile.getDimSize(*contiguous.tileDim);
  // Without a bound, tiles lie inside: their widths and starts are multiples of 16 bytes.
  if (!contiguous.extent || facts.divisorOf(*contiguous.extent) % unit == 0)
    return;
  // So is a stride, which often is the number of columns.
  auto isExtent = [&](const Dimension &dimension) {
    return facts.areSame(dimension.stride, *contiguous.extent);
  };
  if (llvm::any_of(ArrayRef(plan.dims).drop_back(), isExtent))
    return;
  mayEndInside = true;
  if (std::optional<int64_t> extent = contiguous.extent->asConstant(); extent && *extent < width)
    never = "its rows end inside of 16 bytes";
}

Value StoreCondition::emit(OpBuilder &b, Location loc, const TensorMapPlan &plan,
                           ValueRange coordinates, const BlockAddresses &addresses) const {
  Value all;
  auto require = [&](Value condition) {
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, condition) : condition;
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  auto compare = [&](Predicate predicate, Value left, Value right) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, left, right);
  };
  for (unsigned index : negative)
    require(compare(Predicate::sge, coordinates[index], constant(0)));
  if (isMadeByKernel)
    require(emitHasElements(b, loc, plan, addresses));
  if (mayEndInside) {
    Value extent = emitExtent(b, loc, plan.dims.back(), addresses);
    Value rest = b.createOrFold<arith::AndIOp>(loc, extent, constant(unit - 1));
    Value last = b.createOrFold<arith::SubIOp>(loc, extent, constant(width));
    Value isWhole = compare(Predicate::eq, rest, constant(0));
    Value endsInside = compare(Predicate::sle, coordinates.back(), last);
    require(b.createOrFold<arith::OrIOp>(loc, isWhole, endsInside));
  }
  return all && matchPattern(all, m_One()) ? Value() : all;
}
