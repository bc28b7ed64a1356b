//===- LinearLayoutAlgebra.cpp - products, inverses, and renaming of dims -===//
// Each operation builds the new dimension lists first, then moves every column
// into them by name (DimLists.h). Only the inverses need linear algebra.
//===----------------------------------------------------------------------===//
#include "DimLists.h"
#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <bit>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Product and composition
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &rhs) const {
  auto sum = [](unsigned a, unsigned b) { return a + b; };
  LinearLayout result;
  result.inputs = mergeDims(inputs, rhs.inputs, sum);
  result.outputs = mergeDims(outputs, rhs.outputs, sum);

  auto raise = [&](uint64_t column) {
    uint64_t raised = 0;
    for (const DimBits &out : rhs.outputs)
      if (out.bits != 0)
        raised |= place(component(column, rhs.outputs, out.dim) << outBits(out.dim), result.outputs,
                        out.dim);
    return raised;
  };
  for (const DimBits &in : result.inputs) {
    for (unsigned bit = 0; bit < inBits(in.dim); ++bit)
      result.columns.push_back(regroup(flatBasis(in.dim, bit), outputs, result.outputs));
    for (unsigned bit = 0; bit < rhs.inBits(in.dim); ++bit)
      result.columns.push_back(raise(rhs.flatBasis(in.dim, bit)));
  }
  return result;
}

LinearLayout LinearLayout::compose(const LinearLayout &next) const {
  LinearLayout result;
  result.inputs = inputs;
  result.outputs = next.outputs;
  for (uint64_t column : columns)
    result.columns.push_back(next.applyFlat(regroup(column, outputs, next.inputs)));
  return result;
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

std::optional<LinearLayout> LinearLayout::invert() const {
  if (totalInBits() != totalOutBits())
    return std::nullopt;
  std::optional<F2Matrix> inverse = matrix().inverse();
  if (!inverse)
    return std::nullopt;
  return fromMatrix(*inverse, outputs, inputs);
}

std::optional<LinearLayout> LinearLayout::pseudoinvert() const {
  std::optional<F2Matrix> inverse = matrix().solve(F2Matrix::identity(totalOutBits()));
  if (!inverse)
    return std::nullopt;
  return fromMatrix(*inverse, outputs, inputs);
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  SmallVector<DimBits, 4> room =
      mergeDims(outputs, outer.outputs, [](unsigned a, unsigned b) { return std::max(a, b); });
  SmallVector<uint64_t> wanted, offered;
  for (uint64_t column : columns)
    wanted.push_back(regroup(column, outputs, room));
  for (uint64_t column : outer.columns)
    offered.push_back(regroup(column, outer.outputs, room));

  unsigned rows = totalBits(room);
  std::optional<F2Matrix> solution =
      F2Matrix::fromColumns(offered, rows).solve(F2Matrix::fromColumns(wanted, rows));
  if (!solution)
    return std::nullopt;
  LinearLayout result = fromMatrix(*solution, inputs, outer.inputs);

  // The solver maps every replica to the first copy. A bit that has the same meaning on both sides
  // keeps its value instead.
  for (const DimBits &in : inputs) {
    unsigned ours = startOf(inputs, in.dim), theirs = startOf(outer.inputs, in.dim);
    for (unsigned bit = 0; bit < std::min(in.bits, outer.inBits(in.dim)); ++bit)
      if (wanted[ours + bit] == offered[theirs + bit])
        result.columns[ours + bit] = uint64_t(1) << (theirs + bit);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Returns `dims` minus the bits of `divisor`; nothing if it has more.
static std::optional<SmallVector<DimBits, 4>> subtractDims(ArrayRef<DimBits> dims,
                                                           ArrayRef<DimBits> divisor) {
  for (const DimBits &d : divisor)
    if (!findDim(dims, d.dim) || bitsOf(dims, d.dim) < d.bits)
      return std::nullopt;
  SmallVector<DimBits, 4> rest(dims);
  for (DimBits &d : rest)
    d.bits -= bitsOf(divisor, d.dim);
  return rest;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &divisor) const {
  auto restIns = subtractDims(inputs, divisor.inputs);
  auto restOuts = subtractDims(outputs, divisor.outputs);
  if (!restIns || !restOuts)
    return std::nullopt;
  LinearLayout quotient = zeros(*restIns, *restOuts);
  unsigned next = 0;
  for (const DimBits &in : inputs) {
    unsigned used = divisor.inBits(in.dim);
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t column = flatBasis(in.dim, bit);
      if (bit < used) {
        if (column != regroup(divisor.flatBasis(in.dim, bit), divisor.outputs, outputs))
          return std::nullopt;
        continue;
      }
      uint64_t lowered = 0;
      for (const DimBits &out : outputs) {
        uint64_t value = component(column, outputs, out.dim);
        unsigned shift = divisor.outBits(out.dim);
        if ((value & lowBits(shift)) != 0)
          return std::nullopt;
        lowered |= place(value >> shift, *restOuts, out.dim);
      }
      quotient.columns[next++] = lowered;
    }
  }
  return quotient;
}

std::optional<LinearLayout> LinearLayout::divideRight(const LinearLayout &divisor) const {
  auto restIns = subtractDims(inputs, divisor.inputs);
  auto restOuts = subtractDims(outputs, divisor.outputs);
  if (!restIns || !restOuts)
    return std::nullopt;
  LinearLayout quotient = zeros(*restIns, *restOuts);
  unsigned next = 0;
  for (const DimBits &in : inputs) {
    unsigned kept = bitsOf(*restIns, in.dim);
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t column = flatBasis(in.dim, bit);
      if (bit < kept) {
        uint64_t cut = regroup(column, outputs, *restOuts);
        if (regroup(cut, *restOuts, outputs) != column)
          return std::nullopt; // it overlaps the divisor's part
        quotient.columns[next++] = cut;
        continue;
      }
      for (const DimBits &out : outputs)
        if (component(column, outputs, out.dim) != divisor.basis(in.dim, bit - kept, out.dim)
                                                       << bitsOf(*restOuts, out.dim))
          return std::nullopt;
    }
  }
  return quotient;
}

std::optional<LinearLayout> LinearLayout::quotient(ArrayRef<Dim> dims) const {
  if (!isTrivialOver(dims))
    return std::nullopt;
  auto isKept = [&](Dim dim) { return !llvm::is_contained(dims, dim); };
  return sublayout(llvm::filter_to_vector(inDims(), isKept),
                   llvm::filter_to_vector(outDims(), isKept));
}

//===----------------------------------------------------------------------===//
// Selecting, reordering, reshaping
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::sublayout(ArrayRef<Dim> ins, ArrayRef<Dim> outs) const {
  LinearLayout result;
  for (const DimBits &out : outputs)
    if (llvm::is_contained(outs, out.dim))
      result.outputs.push_back(out);
  for (const DimBits &in : inputs) {
    if (!llvm::is_contained(ins, in.dim))
      continue;
    result.inputs.push_back(in);
    for (unsigned bit = 0; bit < in.bits; ++bit)
      result.columns.push_back(regroup(flatBasis(in.dim, bit), outputs, result.outputs));
  }
  return result;
}

/// Returns `dims` in the order of `names`; nothing unless these are all names, once each.
static std::optional<SmallVector<DimBits, 4>> reorder(ArrayRef<DimBits> dims, ArrayRef<Dim> names) {
  SmallVector<DimBits, 4> result;
  for (Dim name : names) {
    const DimBits *found = findDim(dims, name);
    if (!found)
      return std::nullopt;
    result.push_back(*found);
  }
  if (result.size() != dims.size() || hasRepeatedDim(result))
    return std::nullopt;
  return result;
}

std::optional<LinearLayout> LinearLayout::transposeIns(ArrayRef<Dim> order) const {
  auto newInputs = reorder(inputs, order);
  if (!newInputs)
    return std::nullopt;
  LinearLayout result;
  result.inputs = *newInputs;
  result.outputs = outputs;
  for (const DimBits &in : *newInputs)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      result.columns.push_back(flatBasis(in.dim, bit));
  return result;
}

std::optional<LinearLayout> LinearLayout::transposeOuts(ArrayRef<Dim> order) const {
  auto newOutputs = reorder(outputs, order);
  if (!newOutputs)
    return std::nullopt;
  LinearLayout result = *this;
  result.outputs = *newOutputs;
  for (uint64_t &column : result.columns)
    column = regroup(column, outputs, result.outputs);
  return result;
}

std::optional<LinearLayout> LinearLayout::reshapeIns(ArrayRef<DimBits> dims) const {
  if (totalBits(dims) != totalInBits() || hasRepeatedDim(dims))
    return std::nullopt;
  LinearLayout result = *this;
  result.inputs.assign(dims.begin(), dims.end());
  return result;
}

std::optional<LinearLayout> LinearLayout::reshapeOuts(ArrayRef<DimBits> dims) const {
  if (totalBits(dims) != totalOutBits() || hasRepeatedDim(dims))
    return std::nullopt;
  LinearLayout result = *this;
  result.outputs.assign(dims.begin(), dims.end());
  return result;
}

LinearLayout LinearLayout::flattenIns(Dim dim) const {
  LinearLayout result = *this;
  result.inputs = {{dim, totalInBits()}};
  return result;
}

LinearLayout LinearLayout::flattenOuts(Dim dim) const {
  LinearLayout result = *this;
  result.outputs = {{dim, totalOutBits()}};
  return result;
}

/// Returns the bits of `dims` under other names.
static std::optional<SmallVector<DimBits, 4>> rename(ArrayRef<DimBits> dims, ArrayRef<Dim> names) {
  if (dims.size() != names.size())
    return std::nullopt;
  SmallVector<DimBits, 4> result;
  for (auto [d, name] : llvm::zip_equal(dims, names))
    result.push_back({name, d.bits});
  if (hasRepeatedDim(result))
    return std::nullopt;
  return result;
}

std::optional<LinearLayout> LinearLayout::renameIns(ArrayRef<Dim> names) const {
  auto dims = rename(inputs, names);
  return dims ? reshapeIns(*dims) : std::nullopt;
}

std::optional<LinearLayout> LinearLayout::renameOuts(ArrayRef<Dim> names) const {
  auto dims = rename(outputs, names);
  return dims ? reshapeOuts(*dims) : std::nullopt;
}

std::optional<LinearLayout> LinearLayout::concatIns(const LinearLayout &other) const {
  if (outDims() != other.outDims())
    return std::nullopt;
  LinearLayout result;
  result.inputs = inputs;
  llvm::append_range(result.inputs, other.inputs);
  if (hasRepeatedDim(result.inputs))
    return std::nullopt;
  result.outputs =
      mergeDims(outputs, other.outputs, [](unsigned a, unsigned b) { return std::max(a, b); });
  for (uint64_t column : columns)
    result.columns.push_back(regroup(column, outputs, result.outputs));
  for (uint64_t column : other.columns)
    result.columns.push_back(regroup(column, other.outputs, result.outputs));
  return result;
}

std::optional<LinearLayout> LinearLayout::concatOuts(const LinearLayout &other) const {
  if (inputs != other.inputs)
    return std::nullopt;
  LinearLayout result;
  result.inputs = inputs;
  result.outputs = outputs;
  llvm::append_range(result.outputs, other.outputs);
  if (hasRepeatedDim(result.outputs))
    return std::nullopt;
  for (auto [ours, theirs] : llvm::zip_equal(columns, other.columns))
    result.columns.push_back(regroup(ours, outputs, result.outputs) |
                             regroup(theirs, other.outputs, result.outputs));
  return result;
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::unsqueezeIn(Dim dim) const {
  LinearLayout result = *this;
  if (!hasIn(dim))
    result.inputs.push_back({dim, 0});
  return result;
}

LinearLayout LinearLayout::unsqueezeOut(Dim dim) const {
  LinearLayout result = *this;
  if (!hasOut(dim))
    result.outputs.push_back({dim, 0});
  return result;
}

LinearLayout LinearLayout::resizeIn(Dim dim, uint64_t size) const {
  LinearLayout result;
  result.outputs = outputs;
  for (const DimBits &in : inputs) {
    unsigned bits = in.dim == dim ? unsigned(std::countr_zero(size)) : in.bits;
    result.inputs.push_back({in.dim, bits});
    for (unsigned bit = 0; bit < bits; ++bit)
      result.columns.push_back(bit < in.bits ? flatBasis(in.dim, bit) : 0);
  }
  return result;
}

LinearLayout LinearLayout::resizeOut(Dim dim, uint64_t size) const {
  LinearLayout result = *this;
  for (DimBits &out : result.outputs)
    if (out.dim == dim)
      out.bits = std::countr_zero(size);
  for (uint64_t &column : result.columns) {
    uint64_t value = component(column, outputs, dim);
    if (value >= size)
      column &= ~place(value, outputs, dim);
    column = regroup(column, outputs, result.outputs);
  }
  return result;
}

LinearLayout LinearLayout::zeroOut(Dim in) const {
  return resizeIn(in, 1).resizeIn(in, inSize(in));
}

LinearLayout LinearLayout::removeZeroBases(Dim in) const {
  SmallVector<unsigned> kept;
  for (unsigned bit = 0; bit < inBits(in); ++bit)
    if (flatBasis(in, bit) != 0)
      kept.push_back(bit);
  return selectInBits(in, kept);
}

LinearLayout LinearLayout::selectInBits(Dim dim, ArrayRef<unsigned> bits) const {
  LinearLayout result;
  result.outputs = outputs;
  for (const DimBits &in : inputs) {
    if (in.dim != dim) {
      result.inputs.push_back(in);
      for (unsigned bit = 0; bit < in.bits; ++bit)
        result.columns.push_back(flatBasis(in.dim, bit));
      continue;
    }
    result.inputs.push_back({dim, unsigned(bits.size())});
    for (unsigned bit : bits)
      result.columns.push_back(flatBasis(dim, bit));
  }
  return result;
}
