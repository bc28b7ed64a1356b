//===- FitToShape.cpp - fit a tile to the shape of a tensor ---------------===//
#include "FitToShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

bool tessera::isPowerOfTwo(uint64_t value) { return std::has_single_bit(value); }

unsigned tessera::log2Exact(uint64_t powerOfTwo) { return std::countr_zero(powerOfTwo); }

SmallVector<unsigned> tessera::minorLast(unsigned rank) {
  SmallVector<unsigned> order;
  for (unsigned d = rank; d-- > 0;)
    order.push_back(d);
  return order;
}

LinearLayout tessera::unitTile(ArrayRef<Dim> ins, unsigned rank) {
  SmallVector<DimBits> inputs, outputs;
  for (Dim in : ins)
    inputs.push_back({in, 0});
  for (unsigned d = 0; d < rank; ++d)
    outputs.push_back({Dim::axis(d), 0});
  return LinearLayout::zeros(inputs, outputs);
}

LinearLayout tessera::identityInOrder(Dim in, ArrayRef<unsigned> sizes, ArrayRef<unsigned> order) {
  LinearLayout result = unitTile({in}, sizes.size());
  for (unsigned d : order)
    result *= LinearLayout::identity(sizes[d], in, Dim::axis(d));
  return result;
}

LinearLayout tessera::cgaLayout(ArrayRef<int64_t> shape, const CgaBases &cga) {
  SmallVector<Dim> outs;
  for (unsigned d = 0; d < shape.size(); ++d)
    outs.push_back(Dim::axis(d));
  DimBases block{Dim::block(), {}};
  llvm::append_range(block.bases, cga);
  LinearLayout result =
      LinearLayout::fromBases(block, outs).value_or(unitTile({Dim::block()}, shape.size()));
  for (unsigned d = 0; d < shape.size(); ++d)
    if (result.outSize(outs[d]) > uint64_t(shape[d]))
      result = result.resizeOut(outs[d], shape[d]);
  return result;
}

SmallVector<int64_t> tessera::shapePerCTA(ArrayRef<int64_t> shape, const CgaBases &cga) {
  LinearLayout split = cgaLayout(shape, cga);
  SmallVector<int64_t> result;
  for (unsigned d = 0; d < shape.size(); ++d)
    result.push_back(shape[d] / split.outSize(Dim::axis(d)));
  return result;
}

LinearLayout tessera::fitToShape(LinearLayout tile, ArrayRef<int64_t> shape, const CgaBases &cga,
                                 ArrayRef<unsigned> repOrder, Dim first) {
  SmallVector<int64_t> perCTA = shapePerCTA(shape, cga);
  for (unsigned d : repOrder) {
    Dim dim = Dim::axis(d);
    uint64_t size = perCTA[d];
    if (tile.outSize(dim) < size)
      tile *= LinearLayout::identity(size / tile.outSize(dim), first, dim);
  }
  for (unsigned d = 0; d < shape.size(); ++d)
    if (tile.outSize(Dim::axis(d)) > uint64_t(perCTA[d]))
      tile = tile.resizeOut(Dim::axis(d), perCTA[d]);
  return tile * cgaLayout(shape, cga);
}

CgaBases tessera::cgaFromSplit(ArrayRef<unsigned> ctasPerCGA, ArrayRef<unsigned> ctaSplitNum,
                               ArrayRef<unsigned> ctaOrder) {
  LinearLayout layout = unitTile({Dim::block()}, ctaOrder.size());
  for (unsigned d : ctaOrder) {
    layout *= LinearLayout::identity(ctaSplitNum[d], Dim::block(), Dim::axis(d));
    layout *= LinearLayout::zeros(ctasPerCGA[d] / ctaSplitNum[d], Dim::block(), Dim::axis(d));
  }
  CgaBases bases;
  for (unsigned bit = 0; bit < layout.inBits(Dim::block()); ++bit)
    bases.push_back(layout.basis(Dim::block(), bit));
  return bases;
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

std::optional<std::string> tessera::whyInvalidShape(ArrayRef<int64_t> shape) {
  constexpr unsigned maxElementBits = 40;
  if (shape.empty())
    return "a layout needs a tensor of rank 1 or more";
  if (shape.size() > Dim::maxRank)
    return llvm::formatv("rank {0} is above {1}", shape.size(), Dim::maxRank).str();
  unsigned bits = 0;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size < 1 || !isPowerOfTwo(size))
      return llvm::formatv("size {0} of dimension {1} is not a power of two", size, d).str();
    bits += log2Exact(size);
  }
  if (bits > maxElementBits)
    return llvm::formatv("2^{0} elements are more than 2^{1}", bits, maxElementBits).str();
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidShape(ArrayRef<int64_t> shape, unsigned rank) {
  if (auto why = whyInvalidShape(shape))
    return why;
  if (shape.size() != rank)
    return llvm::formatv("the layout has rank {0} and the tensor rank {1}", rank, shape.size())
        .str();
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidOrder(ArrayRef<unsigned> order, unsigned rank) {
  if (order.size() != rank)
    return llvm::formatv("order has {0} entries for rank {1}", order.size(), rank).str();
  SmallVector<bool> seen(rank, false);
  for (unsigned d : order) {
    if (d >= rank || seen[d])
      return llvm::formatv("order [{0:$[, ]}] is not a permutation of 0 to {1}",
                           llvm::make_range(order.begin(), order.end()), rank - 1)
          .str();
    seen[d] = true;
  }
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidCga(const CgaBases &cga, unsigned rank) {
  constexpr unsigned maxClusterBits = 10;
  if (cga.size() > maxClusterBits)
    return llvm::formatv("2^{0} CTAs in a cluster are more than 2^{1}", cga.size(), maxClusterBits)
        .str();
  SmallVector<Dim> outs;
  for (unsigned d = 0; d < rank; ++d)
    outs.push_back(Dim::axis(d));
  DimBases block{Dim::block(), {}};
  for (const BasisVector &basis : cga) {
    if (basis.size() != rank)
      return llvm::formatv("a CGALayout basis has {0} entries for rank {1}", basis.size(), rank)
          .str();
    for (int64_t component : basis)
      if (component < 0 || component >= int64_t(1) << maxClusterBits)
        return llvm::formatv("CGALayout component {0} is out of range", component).str();
    block.bases.push_back(basis);
  }
  std::optional<LinearLayout> layout = LinearLayout::fromBases(block, outs);
  if (!layout || !layout->isSurjective())
    return "CGALayout leaves out some parts of the tensor";
  return std::nullopt;
}
