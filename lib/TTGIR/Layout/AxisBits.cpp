//===- AxisBits.cpp - the bits of an index along one dimension ------------===//
#include "tessera/TTGIR/Layout/AxisBits.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

bool tessera::splitsAxisBetweenBlocks(const LinearLayout &layout, unsigned axis) {
  for (unsigned bit = 0; bit < layout.inBits(Dim::block()); ++bit)
    if (layout.basis(Dim::block(), bit, Dim::axis(axis)) != 0)
      return true;
  return false;
}

static void addReplica(AxisBits &bits, Dim level, unsigned bit) {
  if (level == Dim::reg())
    bits.replicatedRegisters |= uint64_t(1) << bit;
  else
    bits.replicatedThreads |= bits.threadMask({level, bit, 0});
}

std::optional<AxisBits> tessera::classifyBits(const LinearLayout &layout, unsigned axis) {
  if (splitsAxisBetweenBlocks(layout, axis))
    return std::nullopt;
  AxisBits bits;
  bits.numRegisters = layout.inSize(Dim::reg());
  bits.laneBits = layout.inBits(Dim::lane());
  uint64_t alongAxis = 0, alongOthers = 0;
  // The elements of a row are in adjacent lanes, then registers.
  for (Dim level : {Dim::lane(), Dim::reg(), Dim::warp()})
    for (unsigned bit = 0; bit < layout.inBits(level); ++bit) {
      uint64_t flat = layout.flatBasis(level, bit);
      uint64_t step = layout.basis(level, bit, Dim::axis(axis));
      if (flat == 0) {
        addReplica(bits, level, bit);
        continue;
      }
      if (!llvm::isPowerOf2_64(flat) || (flat & alongOthers))
        return std::nullopt;
      if (step != 0) {
        if (step & alongAxis)
          return std::nullopt;
        alongAxis |= step;
        bits.axis.push_back({level, bit, llvm::Log2_64(step)});
      } else {
        alongOthers |= flat;
        bits.others.push_back({level, bit, static_cast<unsigned>(bits.others.size())});
      }
    }
  llvm::sort(bits.axis, [](const AxisBit &x, const AxisBit &y) { return x.position < y.position; });
  return bits;
}

LinearLayout tessera::offsetLayout(const LinearLayout &like, ArrayRef<OffsetBit> bits,
                                   unsigned size) {
  SmallVector<DimBits> ins;
  SmallVector<uint64_t> columns;
  for (Dim level : {Dim::reg(), Dim::lane(), Dim::warp()}) {
    ins.push_back({level, like.inBits(level)});
    for (unsigned bit = 0; bit < like.inBits(level); ++bit) {
      uint64_t column = 0;
      for (const OffsetBit &offset : bits)
        if (offset.bit.level == level && offset.bit.bit == bit)
          column = uint64_t(1) << offset.position;
      columns.push_back(column);
    }
  }
  unsigned rows = llvm::Log2_32_Ceil(size);
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, rows), ins,
                                  DimBits{Dim::offset(), rows});
}
