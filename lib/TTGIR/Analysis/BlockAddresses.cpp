//===- BlockAddresses.cpp - addresses of a tile as polynomials ------------===//
// A walk from the value back to ranges, scalars and loop-carried values. `dims` says which
// dimension of the tile each dimension of the visited tensor is.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/BlockAddresses.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using Kind = AddressSymbol::Kind;

/// Ops that a walk visits at most.
static constexpr unsigned kMaxVisits = 4000;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

BlockAddresses::Symbol BlockAddresses::uniform(Value value) {
  auto [it, isNew] = uniforms.try_emplace(value, symbols.size());
  if (isNew)
    symbols.push_back({Kind::Uniform, value, 0, {}});
  return it->second;
}

BlockAddresses::Symbol BlockAddresses::iteration(scf::ForOp loop) {
  auto [it, isNew] = iterations.try_emplace(loop, symbols.size());
  if (isNew)
    symbols.push_back({Kind::Iteration, {}, 0, loop});
  return it->second;
}

BlockAddresses::Symbol BlockAddresses::indexAlong(unsigned dim) {
  auto [it, isNew] = indices.try_emplace(dim, symbols.size());
  if (isNew)
    symbols.push_back({Kind::Index, {}, dim, {}});
  return it->second;
}

BlockAddresses::Symbol BlockAddresses::bounded(unsigned dim, const Polynomial &start,
                                               const Polynomial &bound) {
  for (auto [symbol, s] : llvm::enumerate(symbols))
    if (s.kind == Kind::Bounded && s.dim == dim && s.start == start && s.bound == bound)
      return symbol;
  symbols.push_back({Kind::Bounded, {}, dim, {}, start, bound});
  return symbols.size() - 1;
}

bool BlockAddresses::isUniform(const Polynomial &polynomial) const {
  return polynomial.allSymbols([&](Symbol symbol) {
    return symbols[symbol].kind == Kind::Uniform || symbols[symbol].kind == Kind::Iteration;
  });
}

/// Returns whether the polynomial has the same value in all iterations of the loop, for all
/// elements of the tile.
bool BlockAddresses::isFixedIn(const Polynomial &polynomial, scf::ForOp loop) const {
  return polynomial.allSymbols([&](Symbol symbol) {
    const AddressSymbol &s = symbols[symbol];
    if (s.kind == Kind::Uniform)
      return loop.isDefinedOutsideOfLoop(s.value);
    return s.kind == Kind::Iteration && !loop->isAncestor(s.loop);
  });
}

/// A scalar is a symbol; a tensor has no polynomial.
std::optional<Polynomial> BlockAddresses::unknown(Value value) {
  if (isa<ShapedType>(value.getType()))
    return std::nullopt;
  return Polynomial::symbol(uniform(value));
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

std::optional<Polynomial> BlockAddresses::expand(Value value) {
  SmallVector<unsigned> dims;
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    llvm::append_range(dims, llvm::seq<unsigned>(0, tensor.getRank()));
  return expand(value, dims);
}

std::optional<Polynomial> BlockAddresses::expand(Value value, Dims dims) {
  visits = 0;
  std::optional<Polynomial> result = visit(value, dims);
  return result && result->isValid() ? result : std::nullopt;
}

std::optional<unsigned> BlockAddresses::unitDimension(Value pointer) {
  std::optional<Polynomial> address = expand(pointer);
  std::optional<unsigned> found;
  for (Symbol symbol = 0; address && symbol < symbols.size(); ++symbol) {
    bool isIndex = symbols[symbol].kind == Kind::Index || symbols[symbol].kind == Kind::Bounded;
    if (!isIndex || !address->contains(symbol) ||
        !(address->coefficientOf(symbol) == Polynomial::constant(1)))
      continue;
    if (found)
      return std::nullopt;
    found = symbols[symbol].dim;
  }
  return found;
}

std::optional<Polynomial> BlockAddresses::visit(Value value, Dims dims) {
  if (++visits > kMaxVisits)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return expandArgument(argument, dims);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return Polynomial::constant(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, tt::AddPtrOp>(op))
    return expandSum(op, dims);
  if (isa<arith::ExtSIOp>(op))
    return visit(op->getOperand(0), dims);
  // A cast to the same type carries a hint, which a scalar keeps.
  if (auto cast = dyn_cast<tt::BitcastOp>(op); cast && cast.getType() == cast.getSrc().getType())
    return isa<RankedTensorType>(cast.getType()) ? visit(cast.getSrc(), dims) : unknown(value);
  if (isa<RankedTensorType>(value.getType()))
    return expandTensor(op, dims);
  return unknown(value);
}

std::optional<Polynomial> BlockAddresses::expandSum(Operation *op, Dims dims) {
  std::optional<Polynomial> left = visit(op->getOperand(0), dims);
  std::optional<Polynomial> right = left ? visit(op->getOperand(1), dims) : std::nullopt;
  if (!left || !right)
    return unknown(op->getResult(0));
  if (isa<arith::MulIOp>(op))
    return *left * *right;
  return isa<arith::SubIOp>(op) ? *left - *right : *left + *right;
}

std::optional<Polynomial> BlockAddresses::expandTensor(Operation *op, Dims dims) {
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return Polynomial::symbol(indexAlong(dims[0])) + Polynomial::constant(range.getStart());
  if (isa<tt::SplatOp>(op))
    return visit(op->getOperand(0), {});
  if (isa<tt::BroadcastOp, ttg::ConvertLayoutOp>(op))
    return visit(op->getOperand(0), dims);
  if (auto wider = dyn_cast<tt::ExpandDimsOp>(op)) {
    SmallVector<unsigned> rest(dims);
    rest.erase(rest.begin() + wider.getAxis());
    return visit(wider.getSrc(), rest);
  }
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    SmallVector<unsigned> before(dims.size());
    for (auto [dim, from] : llvm::enumerate(trans.getOrder()))
      before[from] = dims[dim];
    return visit(trans.getSrc(), before);
  }
  return expandBounded(op, dims);
}

/// Returns the value that is less than the bound where the condition holds, and adds to the bound
/// what `<=` does.
static std::pair<Value, Value> smallerSide(Value condition, Polynomial &added) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (predicate == arith::CmpIPredicate::sle || predicate == arith::CmpIPredicate::sge)
    added = Polynomial::constant(1);
  if (predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sle)
    return {compare.getLhs(), compare.getRhs()};
  if (predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sge)
    return {compare.getRhs(), compare.getLhs()};
  return {};
}

/// A value that is start + index as long as that is less than a bound is a symbol.
std::optional<Polynomial> BlockAddresses::expandBounded(Operation *op, Dims dims) {
  Value index, limit;
  Polynomial added;
  if (isa<arith::RemSIOp, arith::MinSIOp>(op)) {
    index = op->getOperand(0), limit = op->getOperand(1);
    if (isa<arith::MinSIOp>(op))
      added = Polynomial::constant(1);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::tie(index, limit) = smallerSide(select.getCondition(), added);
  }
  std::optional<Polynomial> value = index ? visit(index, dims) : std::nullopt;
  std::optional<Polynomial> bound = value ? visit(limit, dims) : std::nullopt;
  if (bound && isa<arith::MinSIOp>(op) && !isUniform(*bound))
    std::swap(value, bound); // the order of a minimum's operands does not matter
  if (!bound || !isUniform(*bound))
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (std::optional<Polynomial> chosen = visit(select.getTrueValue(), dims);
        !chosen || !(*chosen == *value))
      return std::nullopt;
  for (unsigned dim : dims)
    if (Polynomial start = *value - Polynomial::symbol(indexAlong(dim)); isUniform(start))
      return Polynomial::symbol(bounded(dim, start, *bound + added));
  return std::nullopt;
}

std::optional<Polynomial> BlockAddresses::expandArgument(BlockArgument argument, Dims dims) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return unknown(argument);
  if (pending.contains(argument))
    return Polynomial::symbol(uniform(argument));
  if (argument != loop.getInductionVar())
    return expandCarried(argument, loop, dims);
  std::optional<Polynomial> first = visit(loop.getLowerBound(), {});
  std::optional<Polynomial> step = visit(loop.getStep(), {});
  if (!first || !step || !isFixedIn(*step, loop))
    return unknown(argument);
  return *first + Polynomial::symbol(iteration(loop)) * *step;
}

/// A carried value has a polynomial if each iteration adds the same to it.
std::optional<Polynomial> BlockAddresses::expandCarried(BlockArgument argument, scf::ForOp loop,
                                                        Dims dims) {
  pending.insert(argument);
  std::optional<Polynomial> next = visit(loop.getTiedLoopYieldedValue(argument)->get(), dims);
  pending.erase(argument);
  if (!next)
    return unknown(argument);
  Polynomial step = *next - Polynomial::symbol(uniform(argument));
  if (step.contains(uniform(argument)) || !isFixedIn(step, loop))
    return unknown(argument);
  std::optional<Polynomial> first = visit(loop.getTiedLoopInit(argument)->get(), dims);
  if (!first)
    return unknown(argument);
  return *first + Polynomial::symbol(iteration(loop)) * step;
}
