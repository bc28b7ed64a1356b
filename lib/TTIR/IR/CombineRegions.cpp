//===- CombineRegions.cpp - properties of combine functions --------------===//
// See CombineRegions.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/CombineRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

Operation *tt::singleOperation(Region &combine) {
  Block &block = combine.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block.begin(), block.end(), 2))
    return nullptr;
  Operation &op = block.front();
  if (op.getNumResults() != 1 || block.getTerminator()->getOperand(0) != op.getResult(0) ||
      op.getNumOperands() != 2)
    return nullptr;
  Value x = block.getArgument(0), y = block.getArgument(1);
  bool straight = op.getOperand(0) == x && op.getOperand(1) == y;
  bool swapped = op.getOperand(0) == y && op.getOperand(1) == x;
  return straight || swapped ? &op : nullptr;
}

TypedAttr tt::identityOf(Region &combine) {
  Operation *single = singleOperation(combine);
  if (!single)
    return {};
  Operation &op = *single;
  Type type = combine.front().getArgument(0).getType();
  auto real = [&](APFloat value) -> TypedAttr { return FloatAttr::get(type, value); };
  auto integer = [&](APInt value) -> TypedAttr { return IntegerAttr::get(type, value); };
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    return llvm::TypeSwitch<Operation *, TypedAttr>(&op)
        .Case([&](arith::AddFOp) { return real(APFloat::getZero(semantics, /*Negative=*/true)); })
        .Case([&](arith::MulFOp) { return real(APFloat(semantics, 1)); })
        // maxnum and minnum return the number if one operand is NaN, so NaN is neutral.
        .Case<arith::MaxNumFOp, arith::MinNumFOp>(
            [&](Operation *) { return real(APFloat::getNaN(semantics)); })
        .Default([](Operation *) { return TypedAttr(); });
  }
  if (!type.isInteger())
    return {};
  unsigned bits = type.getIntOrFloatBitWidth();
  return llvm::TypeSwitch<Operation *, TypedAttr>(&op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](Operation *) { return integer(APInt::getZero(bits)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](Operation *) { return integer(APInt::getAllOnes(bits)); })
      .Case([&](arith::MulIOp) { return integer(APInt(bits, 1)); })
      .Case([&](arith::MaxSIOp) { return integer(APInt::getSignedMinValue(bits)); })
      .Case([&](arith::MinSIOp) { return integer(APInt::getSignedMaxValue(bits)); })
      .Default([](Operation *) { return TypedAttr(); });
}

//===----------------------------------------------------------------------===//
// Which side comes first
//===----------------------------------------------------------------------===//

/// Returns whether the function only compares a left element with the right element of the same
/// tuple position (or a value with itself) and selects by these comparisons. Then its result
/// depends on nothing but the order of each pair.
static bool choosesByOrder(Region &combine) {
  Block &block = combine.front();
  unsigned count = block.getNumArguments() / 2;
  auto place = [&](Value value) -> int {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? static_cast<int>(argument.getArgNumber() % count) : -1;
  };
  for (Operation &op : block.without_terminator()) {
    bool compares = isa<arith::CmpIOp, arith::CmpFOp>(op) && place(op.getOperand(0)) >= 0 &&
                    place(op.getOperand(0)) == place(op.getOperand(1));
    bool combines = isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) &&
                    op.getResult(0).getType().isInteger(1);
    if (!compares && !combines && !isa<arith::SelectOp>(op))
      return false;
  }
  return true;
}

/// Evaluates the function on constants; the result is empty if it does not fold.
static SmallVector<Attribute> fold(Region &combine, ArrayRef<Attribute> arguments) {
  Block &block = combine.front();
  DenseMap<Value, Attribute> known;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    known[argument] = value;
  for (Operation &op : block.without_terminator()) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    if (auto select = dyn_cast<arith::SelectOp>(op)) { // folds to an operand, not to a constant
      auto condition = dyn_cast_or_null<IntegerAttr>(operands[0]);
      if (!condition)
        return {};
      known[select] = condition.getValue().isZero() ? operands[2] : operands[1];
      continue;
    }
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1)
      return {};
    auto constant = dyn_cast<Attribute>(results[0]);
    known[op.getResult(0)] = constant ? constant : known.lookup(cast<Value>(results[0]));
  }
  SmallVector<Attribute> values;
  for (Value value : block.getTerminator()->getOperands())
    values.push_back(known.lookup(value));
  return llvm::is_contained(values, Attribute()) ? SmallVector<Attribute>() : values;
}

/// Constants that stand for every order that two values of a type can have.
static SmallVector<Attribute> representatives(Type type, bool withNaN) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    SmallVector<Attribute> values = {FloatAttr::get(type, APFloat(semantics, 0)),
                                     FloatAttr::get(type, APFloat(semantics, 1))};
    if (withNaN)
      values.push_back(FloatAttr::get(type, APFloat::getNaN(semantics)));
    return values;
  }
  if (!type.isInteger())
    return {};
  return {IntegerAttr::get(type, 0), IntegerAttr::get(type, 1)};
}

bool tt::isCommutative(Region &combine, bool ignoreNaN) {
  if (identityOf(combine) ||
      isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(singleOperation(combine)))
    return true;
  Block &block = combine.front();
  unsigned count = block.getNumArguments() / 2;
  if (count > 2 || !choosesByOrder(combine))
    return false;
  // All pairs of tuples are tried: 4 for one integer, 36 for a float and its index.
  SmallVector<SmallVector<Attribute>> tuples = {{}};
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<SmallVector<Attribute>> longer;
    for (const auto &tuple : tuples)
      for (Attribute value : representatives(block.getArgument(i).getType(), !ignoreNaN)) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    tuples = std::move(longer);
  }
  for (const auto &x : tuples)
    for (const auto &y : tuples) {
      SmallVector<Attribute> straight(x), swapped(y);
      llvm::append_range(straight, y);
      llvm::append_range(swapped, x);
      SmallVector<Attribute> one = fold(combine, straight), other = fold(combine, swapped);
      if (one.empty() || one != other)
        return false;
    }
  return !tuples.empty();
}
