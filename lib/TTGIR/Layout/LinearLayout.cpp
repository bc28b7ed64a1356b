//===- LinearLayout.cpp - construction and queries of linear layouts -----===//
// A layout is stored as a list of flat columns: column c is the flat output of
// flat input bit c. The algebra is in LinearLayoutAlgebra.cpp.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "DimLists.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <bit>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::identity(uint64_t size, Dim in, Dim out) {
  return strided(size, 1, in, out);
}

LinearLayout LinearLayout::strided(uint64_t size, uint64_t stride, Dim in, Dim out) {
  unsigned bits = std::countr_zero(size), shift = std::countr_zero(stride);
  LinearLayout result;
  result.inputs = {{in, bits}};
  result.outputs = {{out, bits + shift}};
  for (unsigned i = 0; i < bits; ++i)
    result.columns.push_back(uint64_t(1) << (i + shift));
  return result;
}

LinearLayout LinearLayout::zeros(uint64_t size, Dim in, Dim out, uint64_t outSize) {
  return zeros({{in, unsigned(std::countr_zero(size))}},
               {{out, unsigned(std::countr_zero(outSize))}});
}

LinearLayout LinearLayout::zeros(ArrayRef<DimBits> ins, ArrayRef<DimBits> outs) {
  LinearLayout result;
  result.inputs.assign(ins.begin(), ins.end());
  result.outputs.assign(outs.begin(), outs.end());
  result.columns.assign(totalBits(ins), 0);
  return result;
}

/// The limit for layouts that are read from IR; the sum of two such layouts still fits 64 bits.
static constexpr unsigned maxBits = 62;

std::optional<LinearLayout> LinearLayout::fromBases(ArrayRef<DimBases> ins, ArrayRef<Dim> outs) {
  SmallVector<DimBits, 4> sizedOuts;
  for (auto [i, out] : llvm::enumerate(outs)) {
    uint64_t all = 0;
    for (const DimBases &in : ins)
      for (const BasisVector &basis : in.bases)
        if (i < basis.size() && basis[i] > 0)
          all |= basis[i];
    sizedOuts.push_back({out, unsigned(std::bit_width(all))});
  }
  return fromBases(ins, sizedOuts);
}

std::optional<LinearLayout> LinearLayout::fromBases(ArrayRef<DimBases> ins,
                                                    ArrayRef<DimBits> outs) {
  LinearLayout result;
  result.outputs.assign(outs.begin(), outs.end());
  for (const DimBases &in : ins) {
    result.inputs.push_back({in.dim, unsigned(in.bases.size())});
    for (const BasisVector &basis : in.bases) {
      if (basis.size() != outs.size())
        return std::nullopt;
      uint64_t flat = 0;
      for (auto [component, out] : llvm::zip_equal(basis, outs)) {
        if (component < 0 || (uint64_t(component) & ~lowBits(out.bits)) != 0)
          return std::nullopt;
        flat |= place(component, outs, out.dim);
      }
      result.columns.push_back(flat);
    }
  }
  if (hasRepeatedDim(result.inputs) || hasRepeatedDim(outs) || totalBits(result.inputs) > maxBits ||
      totalBits(outs) > maxBits)
    return std::nullopt;
  return result;
}

LinearLayout LinearLayout::fromMatrix(const F2Matrix &matrix, ArrayRef<DimBits> ins,
                                      ArrayRef<DimBits> outs) {
  LinearLayout result = zeros(ins, outs);
  for (unsigned c = 0; c < result.columns.size(); ++c)
    result.columns[c] = matrix.column(c);
  return result;
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static SmallVector<Dim, 4> namesOf(ArrayRef<DimBits> dims) {
  SmallVector<Dim, 4> names;
  for (const DimBits &d : dims)
    names.push_back(d.dim);
  return names;
}

SmallVector<Dim, 4> LinearLayout::inDims() const { return namesOf(inputs); }
SmallVector<Dim, 4> LinearLayout::outDims() const { return namesOf(outputs); }
bool LinearLayout::hasIn(Dim dim) const { return findDim(inputs, dim); }
bool LinearLayout::hasOut(Dim dim) const { return findDim(outputs, dim); }
unsigned LinearLayout::inBits(Dim dim) const { return bitsOf(inputs, dim); }
unsigned LinearLayout::outBits(Dim dim) const { return bitsOf(outputs, dim); }
unsigned LinearLayout::totalOutBits() const { return totalBits(outputs); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

uint64_t LinearLayout::applyFlat(uint64_t input) const {
  uint64_t result = 0;
  for (unsigned c = 0; c < columns.size(); ++c)
    if (input >> c & 1)
      result ^= columns[c];
  return result;
}

static uint64_t flatten(ArrayRef<DimIndex> point, ArrayRef<DimBits> dims) {
  uint64_t flat = 0;
  for (const DimIndex &coordinate : point)
    flat |= place(coordinate.index, dims, coordinate.dim);
  return flat;
}

Point LinearLayout::apply(ArrayRef<DimIndex> point) const {
  uint64_t flat = applyFlat(flatten(point, inputs));
  Point result;
  for (const DimBits &out : outputs)
    result.push_back({out.dim, component(flat, outputs, out.dim)});
  return result;
}

uint64_t LinearLayout::apply(ArrayRef<DimIndex> point, Dim out) const {
  return component(applyFlat(flatten(point, inputs)), outputs, out);
}

uint64_t LinearLayout::flatBasis(Dim in, unsigned bit) const {
  return columns[startOf(inputs, in) + bit];
}

uint64_t LinearLayout::basis(Dim in, unsigned bit, Dim out) const {
  return component(flatBasis(in, bit), outputs, out);
}

BasisVector LinearLayout::basis(Dim in, unsigned bit) const {
  BasisVector result;
  for (const DimBits &out : outputs)
    result.push_back(basis(in, bit, out.dim));
  return result;
}

F2Matrix LinearLayout::matrix() const { return F2Matrix::fromColumns(columns, totalOutBits()); }

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

bool LinearLayout::isSurjective() const { return matrix().rank() == totalOutBits(); }
bool LinearLayout::isInjective() const { return matrix().rank() == totalInBits(); }

bool LinearLayout::isTrivialOver(ArrayRef<Dim> dims) const {
  for (Dim dim : dims) {
    if (!hasIn(dim) || !hasOut(dim) || inBits(dim) != outBits(dim))
      return false;
    unsigned start = startOf(inputs, dim), outStart = startOf(outputs, dim);
    uint64_t ownMask = lowBits(outBits(dim)) << (outBits(dim) ? outStart : 0);
    for (unsigned c = 0; c < columns.size(); ++c) {
      bool ours = c >= start && c < start + inBits(dim);
      if (ours ? columns[c] != uint64_t(1) << (outStart + c - start) : (columns[c] & ownMask) != 0)
        return false;
    }
  }
  return true;
}

bool LinearLayout::isZero(ArrayRef<Dim> ins, ArrayRef<Dim> outs) const {
  return llvm::all_of(sublayout(ins, outs).columns, [](uint64_t column) { return column == 0; });
}

uint64_t LinearLayout::numConsecutive() const {
  unsigned run = 0;
  while (run < columns.size() && columns[run] == uint64_t(1) << run)
    ++run;
  // A later basis that overlaps the run would reverse or misalign it.
  uint64_t others = 0;
  for (unsigned c = run; c < columns.size(); ++c)
    others |= columns[c];
  if (others != 0)
    run = std::min<unsigned>(run, std::countr_zero(others));
  return uint64_t(1) << run;
}

Point LinearLayout::freeVariableMasks() const {
  uint64_t free = lowBits(totalInBits());
  for (unsigned pivot : matrix().pivotColumns())
    free &= ~(uint64_t(1) << pivot);
  Point masks;
  for (const DimBits &in : inputs)
    masks.push_back({in.dim, component(free, inputs, in.dim)});
  return masks;
}

//===----------------------------------------------------------------------===//
// Comparing and printing
//===----------------------------------------------------------------------===//

bool LinearLayout::equalIgnoringOutSizes(const LinearLayout &other) const {
  if (inputs != other.inputs || outDims() != other.outDims())
    return false;
  for (auto [ours, theirs] : llvm::zip_equal(columns, other.columns))
    for (const DimBits &out : outputs)
      if (component(ours, outputs, out.dim) != component(theirs, other.outputs, out.dim))
        return false;
  return true;
}

llvm::hash_code tessera::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.columns.begin(), layout.columns.end());
  for (ArrayRef<DimBits> dims : {ArrayRef(layout.inputs), ArrayRef(layout.outputs)})
    for (const DimBits &d : dims)
      hash = llvm::hash_combine(hash, d.dim, d.bits);
  return hash;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  for (const DimBits &in : inputs) {
    if (in.bits == 0) {
      os << in.dim.name() << " has size 1\n";
      continue;
    }
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      os << (bit ? ", " : "") << in.dim.name() << '=' << (uint64_t(1) << bit) << " -> (";
      llvm::interleave(basis(in.dim, bit), os, ",");
      os << ')';
    }
    os << '\n';
  }
  os << "outs: ";
  llvm::interleaveComma(outputs, os, [&](const DimBits &out) {
    os << out.dim.name() << " (size " << out.size() << ')';
  });
  os << '\n';
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream(text) << *this;
  return text;
}

llvm::raw_ostream &tessera::operator<<(llvm::raw_ostream &os, const LinearLayout &layout) {
  layout.print(os);
  return os;
}
