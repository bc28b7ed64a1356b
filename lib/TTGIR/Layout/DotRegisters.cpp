//===- DotRegisters.cpp - match the registers of a dot --------------------===//
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

RegisterLookup::RegisterLookup(const LinearLayout &layout) {
  unsigned shift = 0;
  for (const DimBits &out : layout.outs()) {
    shifts.push_back(shift);
    shift += out.bits;
  }
  // Register bits are looked up by name, because they need not be the lowest of the flat input.
  LinearLayout own = layout.sublayout({Dim::reg()}, layout.outDims());
  for (uint64_t reg = 0; reg < layout.inSize(Dim::reg()); ++reg)
    registers.try_emplace(own.applyFlat(reg), reg);
}

std::optional<unsigned> RegisterLookup::find(ArrayRef<uint64_t> index) const {
  uint64_t flat = 0;
  for (auto [coordinate, shift] : llvm::zip_equal(index, shifts))
    flat |= coordinate << shift;
  auto found = registers.find(flat);
  return found == registers.end() ? std::nullopt : std::optional(found->second);
}

SmallVector<uint64_t, 4> tessera::registerIndex(const LinearLayout &layout, unsigned reg) {
  SmallVector<uint64_t, 4> index;
  for (const DimIndex &coordinate : layout.apply({{Dim::reg(), reg}}))
    index.push_back(coordinate.index);
  return index;
}

bool tessera::moveAlike(const LinearLayout &x, const LinearLayout &y, Dim in, ArrayRef<Dim> dims) {
  if (x.inBits(in) != y.inBits(in))
    return false;
  for (unsigned bit = 0; bit < x.inBits(in); ++bit)
    for (Dim dim : dims)
      if (x.basis(in, bit, dim) != y.basis(in, bit, dim))
        return false;
  return true;
}

std::optional<FmaPlan> tessera::planFma(const LinearLayout &a, const LinearLayout &b,
                                        const LinearLayout &d) {
  unsigned rank = d.outs().size();
  Dim row = Dim::axis(rank - 2),
      column = Dim::axis(rank - 1); // the dimensions of d; K is the operand's other dimension
  SmallVector<Dim> rows, columns;
  for (unsigned batch = 0; batch + 2 < rank; ++batch) {
    rows.push_back(Dim::axis(batch));
    columns.push_back(Dim::axis(batch));
  }
  rows.push_back(row);
  columns.push_back(column);
  for (Dim in : {Dim::lane(), Dim::warp(), Dim::block()})
    if (!moveAlike(a, d, in, rows) || !moveAlike(b, d, in, columns) || !a.isZero({in}, {column}) ||
        !b.isZero({in}, {row}))
      return std::nullopt;

  FmaPlan plan;
  plan.inner = a.outSize(column);
  RegisterLookup inA(a), inB(b), inD(d);
  llvm::DenseMap<unsigned, unsigned> position;
  for (unsigned reg = 0; reg < d.inSize(Dim::reg()); ++reg) {
    SmallVector<uint64_t, 4> index = registerIndex(d, reg);
    unsigned first = *inD.find(index);
    auto [slot, isNew] = position.try_emplace(first, plan.results.size());
    plan.holder.push_back(slot->second);
    if (!isNew)
      continue;
    plan.results.push_back(first);
    SmallVector<uint64_t, 4> left = index, right = index;
    for (uint64_t k = 0; k < plan.inner; ++k) {
      left[rank - 1] = right[rank - 2] = k;
      std::optional<unsigned> fromA = inA.find(left), fromB = inB.find(right);
      if (!fromA || !fromB)
        return std::nullopt;
      plan.a.push_back(*fromA);
      plan.b.push_back(*fromB);
    }
  }
  return plan;
}
