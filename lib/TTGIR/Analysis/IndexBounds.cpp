//===- IndexBounds.cpp - a mask as bounds of indices ----------------------===//
// See IndexBounds.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/IndexBounds.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;

namespace {
/// Collects the comparisons of a mask.
class MaskReader {
public:
  MaskReader(unsigned rank, BlockAddresses &addresses) : bounds(rank), addresses(addresses) {}
  bool read(Value mask, SmallVector<unsigned> dims);
  SmallVector<IndexBounds> bounds;

private:
  bool readComparison(arith::CmpIOp compare, ArrayRef<unsigned> dims);
  bool setUnsigned(unsigned dim, const Polynomial &start, const Polynomial &bound);
  static bool set(std::optional<Polynomial> &bound, const Polynomial &value) {
    if (bound && !(*bound == value))
      return false;
    bound = value;
    return true;
  }
  BlockAddresses &addresses;
};
} // namespace

bool MaskReader::read(Value mask, SmallVector<unsigned> dims) {
  if (matchPattern(mask, m_One()))
    return true;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::AndIOp>(op))
    return read(op->getOperand(0), dims) && read(op->getOperand(1), dims);
  if (isa<tt::BroadcastOp, ttg::ConvertLayoutOp>(op))
    return read(op->getOperand(0), dims);
  if (auto wider = dyn_cast<tt::ExpandDimsOp>(op)) {
    dims.erase(dims.begin() + wider.getAxis());
    return read(wider.getSrc(), dims);
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare && readComparison(compare, dims);
}

/// start + index < bound, as unsigned numbers: the sum is not negative either, if the bound is not.
bool MaskReader::setUnsigned(unsigned dim, const Polynomial &start, const Polynomial &bound) {
  return set(bounds[dim].first, Polynomial() - start) && set(bounds[dim].end, bound - start) &&
         set(bounds[dim].unsignedEnd, bound);
}

/// Brings the comparison into the form difference < 0, where the difference has an index once.
bool MaskReader::readComparison(arith::CmpIOp compare, ArrayRef<unsigned> dims) {
  std::optional<Polynomial> left = addresses.expand(compare.getLhs(), dims);
  std::optional<Polynomial> right = addresses.expand(compare.getRhs(), dims);
  if (!left || !right)
    return false;
  Polynomial one = Polynomial::constant(1), difference;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::ult:
    for (unsigned dim : dims)
      if (Polynomial start = *left - Polynomial::symbol(addresses.indexAlong(dim));
          addresses.isUniform(start) && addresses.isUniform(*right))
        return setUnsigned(dim, start, *right);
    return false;
  case arith::CmpIPredicate::slt:
    difference = *left - *right;
    break;
  case arith::CmpIPredicate::sle:
    difference = *left - *right - one;
    break;
  case arith::CmpIPredicate::sgt:
    difference = *right - *left;
    break;
  case arith::CmpIPredicate::sge:
    difference = *right - *left - one;
    break;
  default:
    return false;
  }
  for (unsigned dim : dims) {
    Polynomial index = Polynomial::symbol(addresses.indexAlong(dim));
    if (Polynomial rest = difference - index; addresses.isUniform(rest))
      return set(bounds[dim].end, Polynomial() - rest);
    if (Polynomial rest = difference + index; addresses.isUniform(rest))
      return set(bounds[dim].first, rest + one);
  }
  return false;
}

std::optional<SmallVector<IndexBounds>> tessera::findBounds(Value mask, unsigned rank,
                                                            BlockAddresses &addresses) {
  MaskReader reader(rank, addresses);
  if (mask && !reader.read(mask, llvm::to_vector(llvm::seq<unsigned>(0, rank))))
    return std::nullopt;
  return std::move(reader.bounds);
}
