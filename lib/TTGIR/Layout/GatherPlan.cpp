//===- GatherPlan.cpp - plan a gather along one dimension ----------------===//
// See GatherPlan.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/GatherPlan.h"

using namespace tessera;
using llvm::SmallVector;

/// Returns `layout`'s coordinates as offsets in a row-major tensor of the source's sizes; the axis
/// is included only for the source itself.
static LinearLayout toOffsets(const LinearLayout &layout, const LinearLayout &source,
                              std::optional<unsigned> without) {
  SmallVector<unsigned> shifts(source.outs().size());
  unsigned rows = 0;
  for (unsigned dim = source.outs().size(); dim-- > 0;) {
    shifts[dim] = rows;
    rows += source.outBits(Dim::axis(dim));
  }
  SmallVector<DimBits> ins;
  SmallVector<uint64_t> columns;
  for (Dim level : {Dim::reg(), Dim::lane(), Dim::warp()}) {
    ins.push_back({level, layout.inBits(level)});
    for (unsigned bit = 0; bit < layout.inBits(level); ++bit) {
      uint64_t column = 0;
      for (unsigned dim = 0; dim < shifts.size(); ++dim)
        if (dim != without)
          column ^= layout.basis(level, bit, Dim::axis(dim)) << shifts[dim];
      columns.push_back(column);
    }
  }
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, rows), ins,
                                  DimBits{Dim::offset(), rows});
}

/// Returns whether the members of `level` hold the same complete rows in both layouts.
static bool sharesRows(const LinearLayout &source, const LinearLayout &result, unsigned axis,
                       Dim level) {
  for (unsigned bit = 0; bit < std::max(source.inBits(level), result.inBits(level)); ++bit)
    for (const DimBits &out : source.outs()) {
      uint64_t from = bit < source.inBits(level) ? source.basis(level, bit, out.dim) : 0;
      uint64_t to = bit < result.inBits(level) ? result.basis(level, bit, out.dim) : 0;
      if (out.dim == Dim::axis(axis) ? from != 0 : from != to)
        return false;
    }
  return true;
}

std::optional<GatherPlan> tessera::planGather(const LinearLayout &source,
                                              const LinearLayout &result, unsigned axis) {
  if (!sharesRows(source, result, axis, Dim::block()))
    return std::nullopt;
  GatherPlan plan;
  plan.stores = toOffsets(source, source, std::nullopt);
  plan.rows = toOffsets(result, source, axis);
  plan.extent = source.outSize(Dim::axis(axis));
  plan.size = plan.extent;
  for (const DimBits &out : source.outs()) {
    if (out.dim.axisIndex() > axis)
      plan.stride *= out.size();
    if (out.dim != Dim::axis(axis))
      plan.size *= out.size();
  }
  // Warps that hold the same rows would write the same bytes.
  bool hasRowsOfItsOwn = source.inBits(Dim::warp()) == result.inBits(Dim::warp());
  for (unsigned bit = 0; bit < source.inBits(Dim::warp()); ++bit)
    hasRowsOfItsOwn &= source.flatBasis(Dim::warp(), bit) != 0;
  plan.withinWarp = hasRowsOfItsOwn && sharesRows(source, result, axis, Dim::warp());
  return plan;
}
