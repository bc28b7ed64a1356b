//===- AffineForm.cpp - addresses and masks as affine functions ----------===//
// See AffineForm.h. One recursive walk; each case either combines forms, or is a point at which
// overflow matters, which calls widen(). Cost: linear in the ops above the address, once per nest.
//===----------------------------------------------------------------------===//
#include "AffineForm.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "../Lanes/Elementwise.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// Coefficients
//===----------------------------------------------------------------------===//

/// Returns `value` as a signed number of `bits` bits.
static int64_t wrap(int64_t value, unsigned bits) {
  return APInt(64, static_cast<uint64_t>(value)).trunc(bits).getSExtValue();
}

static int64_t wrappingSum(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
}

static int64_t wrappingProduct(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

Value AffineBuilder::materialize(const Coefficient &coefficient, unsigned bits) {
  if (coefficient.scalar)
    return coefficient.scalar;
  return b->integer(b->builder.getIntegerType(bits), coefficient.constant);
}

static unsigned bitsOf(const Coefficient &a) {
  return a.scalar ? a.scalar.getType().getIntOrFloatBitWidth() : 64;
}

Coefficient AffineBuilder::combine(const Coefficient &a, const Coefficient &c, bool subtract) {
  if (c.isZero())
    return a;
  if (a.isZero() && !subtract)
    return c;
  if (!a.scalar && !c.scalar)
    return {wrappingSum(a.constant, subtract ? wrappingProduct(c.constant, -1) : c.constant), {}};
  if (!b)
    return {0, a.scalar ? a.scalar : c.scalar};
  unsigned bits = a.scalar ? bitsOf(a) : bitsOf(c);
  Value left = materialize(a, bits), right = materialize(c, bits);
  return {0, subtract ? b->sub(left, right) : b->add(left, right)};
}

Coefficient AffineBuilder::scale(const Coefficient &a, const Coefficient &factor) {
  if (a.isZero() || factor.isZero())
    return {};
  if (a.isConstant(1))
    return factor;
  if (factor.isConstant(1))
    return a;
  if (!a.scalar && !factor.scalar)
    return {wrappingProduct(a.constant, factor.constant), {}};
  if (!b)
    return {0, a.scalar ? a.scalar : factor.scalar};
  unsigned bits = a.scalar ? bitsOf(a) : bitsOf(factor);
  return {0, b->mul(materialize(a, bits), materialize(factor, bits))};
}

AffineForm AffineBuilder::uniform(Value base, unsigned bits) const {
  AffineForm form;
  form.base = base;
  form.bits = bits;
  form.coefficients.resize(extents.size());
  return form;
}

//===----------------------------------------------------------------------===//
// Leaving the wrapping arithmetic
//===----------------------------------------------------------------------===//

/// Returns whether all numbers are constants, as for a bare tt.make_range, and no value overflows.
static bool isKnownToFit(const AffineForm &form, const AffineForm &wide, ArrayRef<int64_t> extents,
                         bool isSigned) {
  auto constant = form.base.getDefiningOp<LLVM::ConstantOp>();
  auto base = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  if (!base)
    return false;
  int64_t low = isSigned ? base.getValue().getSExtValue()
                         : static_cast<int64_t>(base.getValue().getZExtValue());
  int64_t high = low;
  for (auto [coefficient, extent] : llvm::zip(wide.coefficients, extents)) {
    if (coefficient.scalar)
      return false;
    (coefficient.constant < 0 ? low : high) += coefficient.constant * (extent - 1);
  }
  if (isSigned)
    return llvm::isIntN(form.bits, low) && llvm::isIntN(form.bits, high);
  return low >= 0 && llvm::isUIntN(form.bits, high);
}

AffineForm AffineBuilder::widen(AffineForm form, bool isSigned) {
  if (form.bits == 64)
    return form;
  AffineForm wide = uniform({}, 64);
  // Modulo 2^bits every representative of a coefficient is correct; the signed one is used.
  for (auto [to, from] : llvm::zip(wide.coefficients, form.coefficients)) {
    if (!from.scalar)
      to.constant = wrap(from.constant, form.bits);
    else
      to.scalar = b ? b->resizeSigned(from.scalar, b->builder.getI64Type()) : from.scalar;
  }
  if (!b)
    return wide;
  Type i64 = b->builder.getI64Type();
  wide.base = isSigned ? b->resizeSigned(form.base, i64) : b->resizeUnsigned(form.base, i64);

  if (isKnownToFit(form, wide, extents, isSigned))
    return wide;
  auto [low, high] = rangeOf(wide);
  APInt largest = isSigned ? APInt::getSignedMaxValue(form.bits).zext(64)
                           : APInt::getMaxValue(form.bits).zext(64);
  APInt smallest = isSigned ? APInt::getSignedMinValue(form.bits).sext(64) : APInt(64, 0);
  if (high != wide.base)
    collected.push_back(b->compare(Int::sle, high, b->integer(i64, largest)));
  if (low != wide.base)
    collected.push_back(b->compare(Int::sge, low, b->integer(i64, smallest)));
  return wide;
}

/// Returns the least and the greatest value over the whole tile. For numbers that were narrower
/// than 64 bits, |base| < 2^32, |coefficient| < 2^31 and index < 2^20, so nothing overflows.
std::pair<Value, Value> AffineBuilder::rangeOf(const AffineForm &wide) {
  Value low = wide.base, high = wide.base;
  for (auto [coefficient, extent] : llvm::zip(wide.coefficients, extents)) {
    if (coefficient.isZero())
      continue;
    if (!coefficient.scalar) {
      int64_t last = coefficient.constant * (extent - 1);
      (last < 0 ? low : high) = b->add(last < 0 ? low : high, last);
      continue;
    }
    Value last = b->mul(coefficient.scalar, extent - 1);
    low = b->add(low, b->signedMin(last, 0));
    high = b->add(high, b->signedMax(last, 0));
  }
  return {low, high};
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Returns whether the op's form follows from the forms of its operands.
static bool hasForm(Operation *op) {
  return isRenaming(op) ||
         isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::RemSIOp, arith::RemUIOp,
             arith::ExtSIOp, arith::ExtUIOp, tt::AddPtrOp, tt::BitcastOp>(op);
}

std::optional<AffineForm> AffineBuilder::form(Value value, ArrayRef<int8_t> index) {
  TileElement root{value, TileIndex(index)};
  auto isKnown = [&](const TileElement &element) { return known.contains(element); };
  auto operandsOf = [](const TileElement &element) {
    Operation *op = element.value.getDefiningOp();
    return op && hasForm(op) ? tensorOperands(element) : SmallVector<TileElement>();
  };
  forOperandsFirst(root, isKnown, operandsOf, [&](const TileElement &element) {
    std::optional<AffineForm> result = compute(element.value, element.index);
    known[element] = std::move(result);
  });
  return known.lookup(root);
}

std::optional<AffineForm> AffineBuilder::compute(Value value, ArrayRef<int8_t> index) {
  Type element = getElementTypeOrSelf(value.getType());
  bool pointer = isa<tt::PointerType>(element);
  if (!pointer && (!element.isSignlessInteger() || element.isInteger(1)))
    return std::nullopt;
  unsigned bits = pointer ? 64 : element.getIntOrFloatBitWidth();
  if (!isTensor(value))
    return uniform(b ? scalars(value) : Value(), bits);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto splat = dyn_cast<tt::SplatOp>(op))
    return uniform(b ? scalars(splat.getSrc()) : Value(), bits);
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    AffineForm form =
        uniform(b ? b->integer(b->builder.getI32Type(), int64_t(range.getStart())) : Value(), bits);
    if (index[0] < 0 && b)
      form.base = b->add(form.base, fixedIndex(index[0]));
    if (index[0] >= 0)
      form.coefficients[index[0]].constant = 1;
    return form;
  }
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (!constant.isSplat())
      return std::nullopt;
    return uniform(b ? b->integer(element, constant.getSplatValue<APInt>()) : Value(), bits);
  }
  if (isRenaming(op))
    return form(op->getOperand(0), operandIndex(value, index));
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<AffineForm> left = form(op->getOperand(0), index);
    std::optional<AffineForm> right = left ? form(op->getOperand(1), index) : std::nullopt;
    if (!right)
      return std::nullopt;
    bool subtract = isa<arith::SubIOp>(op);
    AffineForm sum = uniform({}, bits);
    if (b)
      sum.base = subtract ? b->sub(left->base, right->base) : b->add(left->base, right->base);
    for (auto [to, x, y] : llvm::zip(sum.coefficients, left->coefficients, right->coefficients))
      to = combine(x, y, subtract);
    return sum;
  }
  if (isa<arith::MulIOp>(op))
    return computeProduct(op, index);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return computeRemainder(op, index);
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && bits == 64) {
    std::optional<AffineForm> narrow = form(op->getOperand(0), index);
    if (!narrow)
      return std::nullopt;
    return widen(*narrow, isa<arith::ExtSIOp>(op));
  }
  if (pointer)
    return computeAddress(op, index);
  return std::nullopt;
}

static bool isUniform(const AffineForm &form) {
  return llvm::all_of(form.coefficients, [](const Coefficient &c) { return c.isZero(); });
}

/// Returns the value of a uniform tensor if it is constant, such as strides of 1 and block sizes.
static std::optional<int64_t> constantOf(Value value) {
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return integer.getSExtValue();
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    return constantOf(splat.getSrc());
  if (Operation *op = value.getDefiningOp(); op && isRenaming(op))
    return constantOf(op->getOperand(0));
  return std::nullopt;
}

std::optional<AffineForm> AffineBuilder::computeProduct(Operation *op, ArrayRef<int8_t> index) {
  std::optional<AffineForm> left = form(op->getOperand(0), index);
  std::optional<AffineForm> right = left ? form(op->getOperand(1), index) : std::nullopt;
  if (!right || (!isUniform(*left) && !isUniform(*right)))
    return std::nullopt;
  Value factorValue = op->getOperand(1);
  if (isUniform(*left) && !isUniform(*right)) {
    std::swap(left, right);
    factorValue = op->getOperand(0);
  }
  Coefficient factor;
  if (std::optional<int64_t> constant = constantOf(factorValue))
    factor.constant = *constant;
  else
    factor.scalar = b ? right->base : factorValue;
  AffineForm product = uniform({}, left->bits);
  if (b)
    product.base = b->mul(left->base, right->base);
  for (auto [to, from] : llvm::zip(product.coefficients, left->coefficients))
    to = scale(from, factor);
  return product;
}

/// `offset % n`, which maps rows beyond the end to the first ones, does nothing in tiles within
/// bounds: a guard checks that, and the remainder is left out.
std::optional<AffineForm> AffineBuilder::computeRemainder(Operation *op, ArrayRef<int8_t> index) {
  std::optional<AffineForm> number = form(op->getOperand(0), index);
  std::optional<AffineForm> modulus = number ? form(op->getOperand(1), index) : std::nullopt;
  if (!modulus || !isUniform(*modulus) || isUniform(*number) || number->bits == 64)
    return std::nullopt;
  if (!b)
    return number;
  bool isSigned = isa<arith::RemSIOp>(op);
  auto [low, high] = rangeOf(widen(*number, isSigned));
  Value limit = widen(*modulus, isSigned).base;
  collected.push_back(b->compare(Int::sge, low, 0));
  collected.push_back(b->compare(Int::slt, high, limit));
  sawRemainder = true;
  return number;
}

std::optional<AffineForm> AffineBuilder::computeAddress(Operation *op, ArrayRef<int8_t> index) {
  if (isa<tt::BitcastOp>(op))
    return form(op->getOperand(0), index);
  auto add = dyn_cast<tt::AddPtrOp>(op);
  if (!add)
    return std::nullopt;
  std::optional<AffineForm> pointer = form(add.getPtr(), index);
  std::optional<AffineForm> offset = pointer ? form(add.getOffset(), index) : std::nullopt;
  if (!offset)
    return std::nullopt;
  AffineForm wide = widen(*offset, /*isSigned=*/true);
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(add.getPtr().getType()));
  int64_t bytes = elementBytes(type.getPointeeType());
  AffineForm sum = uniform({}, 64);
  if (b)
    sum.base = b->offset(pointer->base, b->mul(wide.base, bytes));
  for (auto [to, x, y] : llvm::zip(sum.coefficients, pointer->coefficients, wide.coefficients))
    to = combine(x, scale(y, {bytes, {}}), /*subtract=*/false);
  return sum;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

MaskForm AffineBuilder::mask(Value mask, ArrayRef<int8_t> index) {
  MaskForm result;
  if (!mask)
    return result;
  SmallVector<TileElement> work = {{mask, TileIndex(index)}};
  while (!work.empty()) {
    TileElement part = work.pop_back_val();
    Operation *op = part.value.getDefiningOp();
    DenseElementsAttr constant;
    if (!op) {
      result.rest.push_back(part);
    } else if (isa<arith::AndIOp>(op)) {
      work.push_back({op->getOperand(1), part.index});
      work.push_back({op->getOperand(0), part.index});
    } else if (isRenaming(op)) {
      work.push_back({op->getOperand(0), operandIndex(part.value, part.index)});
    } else if (auto splat = dyn_cast<tt::SplatOp>(op)) {
      result.conditions.push_back(b ? scalars(splat.getSrc()) : Value());
    } else if (matchPattern(op, m_Constant(&constant)) && constant.isSplat()) {
      if (!constant.getSplatValue<bool>())
        result.conditions.push_back(b ? b->i1(false) : Value());
    } else if (!isa<arith::CmpIOp>(op) || !computeBound(op, part.index, result)) {
      result.rest.push_back(part);
    }
  }
  return result;
}

/// Expresses a comparison as `difference < 0` or its negation, possibly with swapped sides: a <= b
/// is not (b - a < 0).
static bool normalize(arith::CmpIPredicate predicate, bool &swap, bool &negate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    swap = false, negate = false;
    return true;
  case arith::CmpIPredicate::sgt:
    swap = true, negate = false;
    return true;
  case arith::CmpIPredicate::sge:
    swap = false, negate = true;
    return true;
  case arith::CmpIPredicate::sle:
    swap = true, negate = true;
    return true;
  default:
    return false;
  }
}

bool AffineBuilder::computeBound(Operation *op, ArrayRef<int8_t> index, MaskForm &result) {
  auto compare = cast<arith::CmpIOp>(op);
  bool swap, negate;
  if (!normalize(compare.getPredicate(), swap, negate))
    return false;
  AffineBuilder trial(nullptr, scalars, extents);
  std::optional<AffineForm> left = trial.form(compare.getLhs(), index);
  std::optional<AffineForm> right = trial.form(compare.getRhs(), index);
  if (!left || !right)
    return false;
  std::optional<unsigned> loop;
  int64_t step = 0;
  for (unsigned i = 0; i < extents.size(); ++i) {
    if (left->coefficients[i].isZero() && right->coefficients[i].isZero())
      continue;
    if (loop || left->coefficients[i].scalar || right->coefficients[i].scalar)
      return false;
    loop = i;
    step = wrappingSum(left->coefficients[i].constant,
                       wrappingProduct(right->coefficients[i].constant, -1));
  }
  if (swap)
    step = wrappingProduct(step, -1);
  if (loop && step != 1 && step != -1)
    return false;
  if (!b) {
    loop ? result.bounds.push_back({*loop, {}, {}}) : result.conditions.push_back({});
    return true;
  }

  AffineForm wideLeft = widen(*form(compare.getLhs(), index), true);
  AffineForm wideRight = widen(*form(compare.getRhs(), index), true);
  if (left->bits == 64) {
    // The differences below cannot overflow if the numbers are below 2^61.
    for (Value side : {wideLeft.base, wideRight.base})
      collected.push_back(b->compare(Int::ult, b->add(side, int64_t(1) << 61), int64_t(1) << 62));
  }
  // difference(i) = start + step * i, and the mask is difference(i) < 0 or its negation.
  Value start =
      swap ? b->sub(wideRight.base, wideLeft.base) : b->sub(wideLeft.base, wideRight.base);
  if (!loop) {
    result.conditions.push_back(b->compare(negate ? Int::sge : Int::slt, start, 0));
    return true;
  }
  int64_t extent = extents[*loop];
  auto clamp = [&](Value value) { return b->signedMin(b->signedMax(value, 0), extent); };
  Value zero = b->i64(0), last = b->i64(extent);
  // For step 1 it is negative exactly for i < -start; for step -1, exactly for i > start.
  Value turn = clamp(step > 0 ? b->sub(zero, start) : b->add(start, 1));
  bool prefix = (step > 0) != negate;
  result.bounds.push_back({*loop, prefix ? zero : turn, prefix ? turn : last});
  return true;
}
