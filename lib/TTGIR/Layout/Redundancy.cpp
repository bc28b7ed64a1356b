//===- Redundancy.cpp - choose one of several copies of an element --------===//
#include "tessera/TTGIR/Layout/Redundancy.h"

using namespace tessera;
using llvm::SmallVector;

OwnerMasks tessera::ownerMasks(const LinearLayout &layout) {
  OwnerMasks masks;
  for (const DimIndex &mask : layout.freeVariableMasks()) {
    if (mask.dim == Dim::reg())
      masks.registers = mask.index;
    else if (mask.dim == Dim::lane())
      masks.lanes = mask.index;
    else if (mask.dim == Dim::warp())
      masks.warps = mask.index;
    else if (mask.dim == Dim::block())
      masks.blocks = mask.index;
  }
  return masks;
}

UniqueRegisters tessera::uniqueRegisters(const LinearLayout &layout) {
  LinearLayout registers = layout.sublayout({Dim::reg()}, layout.outDims());
  SmallVector<unsigned> bits = registers.matrix().pivotColumns();
  LinearLayout unique = registers.selectInBits(Dim::reg(), bits);

  UniqueRegisters result;
  result.layout = layout.selectInBits(Dim::reg(), bits);
  for (uint64_t r = 0; r < unique.inSize(Dim::reg()); ++r) {
    unsigned old = 0;
    for (unsigned i = 0; i < bits.size(); ++i)
      old |= (r >> i & 1) << bits[i];
    result.kept.push_back(old);
  }
  // Every column is a combination of the pivot columns, so there is always a solution.
  F2Matrix source = unique.matrix()
                        .solve(registers.matrix())
                        .value_or(F2Matrix(bits.size(), registers.totalInBits()));
  for (uint64_t r = 0; r < registers.inSize(Dim::reg()); ++r)
    result.source.push_back(source.apply(r));
  return result;
}
