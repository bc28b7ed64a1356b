//===- Mma.cpp - the warp's matrix instruction, mma.sync ------------------===//
// Source: PTX ISA, "Warp-level matrix instructions: mma", tables of types and
// fragments.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Mma.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

StringRef nvidia::nameOfFP8(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  return isa<Float8E5M2Type>(type) ? "e5m2" : "";
}

std::optional<MmaInstruction> nvidia::findMma(const NvidiaSpec &spec, Type a, Type b, Type d,
                                              tt::InputPrecision precision) {
  auto named = [](MmaShape shape, const llvm::Twine &types) {
    return MmaInstruction{shape, llvm::formatv("llvm.nvvm.mma.m{0}n8k{1}.row.col.{2}", shape.rows,
                                               shape.inner, types)};
  };
  StringRef sum = d.isF16() ? "f16" : "f32";
  bool isHalfOrSingle = d.isF16() || d.isF32();
  // Sums in f16 need PTX 8.7; products of fp8 widened to f16 do not.
  if (spec.hasFP8MMA() && d.isF32() && !nameOfFP8(a).empty() && !nameOfFP8(b).empty())
    return named({16, 32, 8}, "f32." + nameOfFP8(a) + "." + nameOfFP8(b) + ".f32");
  if (a != b)
    return std::nullopt;
  if (a.isF16() && isHalfOrSingle)
    return named({16, 16, 16}, sum + "." + sum);
  if (a.isBF16() && d.isF32())
    return named({16, 16, 16}, "bf16");
  // The unit reads the upper 19 bits of each float and leaves the rest.
  if (a.isF32() && d.isF32() && precision == tt::InputPrecision::TF32)
    return named({16, 8, 32}, "tf32");
  if (a.isInteger(8) && d.isInteger(32))
    return named({16, 32, 8}, "s8");
  if (a.isF64() && d.isF64() && spec.hasFP64MMA())
    return spec.hasWideFP64MMA() ? named({16, 8, 64}, "f64") : named({8, 4, 64}, "f64");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions of a product, and the checks that its layouts are fragments.
class FragmentLayouts {
public:
  FragmentLayouts(const LinearLayout &a, const LinearLayout &b, const LinearLayout &d)
      : a(a), b(b), d(d), rank(d.outs().size()), row(Dim::axis(rank - 2)),
        column(Dim::axis(rank - 1)) {
    for (unsigned batch = 0; batch + 2 < rank; ++batch)
      batches.push_back(Dim::axis(batch));
  }
  bool areFragments() const { return warpsAgree() && lanesAgree(); }
  /// Returns the distances along K of A's registers, in their order; nothing unless registers and
  /// lanes cover K once.
  std::optional<SmallVector<uint64_t>> innerOffsets() const;

  const LinearLayout &a, &b, &d;
  unsigned rank;
  Dim row, column; // of D; A's columns and B's rows are K
  SmallVector<Dim> batches;

private:
  bool warpsAgree() const;
  bool lanesAgree() const;
  bool laneMoves(const LinearLayout &layout, unsigned bit, Dim dim, uint64_t distance) const;
};
} // namespace

/// Warps and blocks share rows and columns among them, and never K.
bool FragmentLayouts::warpsAgree() const {
  SmallVector<Dim> rows = batches, columns = batches;
  rows.push_back(row);
  columns.push_back(column);
  return llvm::all_of(ArrayRef({Dim::warp(), Dim::block()}), [&](Dim in) {
    return moveAlike(a, d, in, rows) && moveAlike(b, d, in, columns) && a.isZero({in}, {column}) &&
           b.isZero({in}, {row});
  });
}

/// Returns whether lane bit `bit` moves by `distance` along `dim` and not along other dimensions.
/// If the tensor is smaller than the fragment, rows (columns) beyond it repeat those in it.
bool FragmentLayouts::laneMoves(const LinearLayout &layout, unsigned bit, Dim dim,
                                uint64_t distance) const {
  for (Dim other : layout.outDims())
    if (layout.basis(Dim::lane(), bit, other) !=
        (other == dim ? distance & (layout.outSize(dim) - 1) : 0))
      return false;
  return true;
}

bool FragmentLayouts::lanesAgree() const {
  for (const LinearLayout *layout : {&a, &b, &d})
    if (layout->inBits(Dim::lane()) != 5)
      return false;
  for (unsigned bit = 0; bit < 2; ++bit) { // t
    uint64_t k = a.basis(Dim::lane(), bit, column);
    if (!laneMoves(a, bit, column, k) || !laneMoves(b, bit, row, k) ||
        !laneMoves(d, bit, column, uint64_t(2) << bit))
      return false;
  }
  for (unsigned bit = 2; bit < 5; ++bit) { // g
    uint64_t distance = uint64_t(1) << (bit - 2);
    if (!laneMoves(a, bit, row, distance) || !laneMoves(b, bit, column, distance) ||
        !laneMoves(d, bit, row, distance))
      return false;
  }
  return true;
}

std::optional<SmallVector<uint64_t>> FragmentLayouts::innerOffsets() const {
  SmallVector<uint64_t> offsets = {0}, bases;
  for (unsigned bit = 0; bit < a.inBits(Dim::reg()); ++bit) {
    uint64_t k = a.basis(Dim::reg(), bit, column);
    if (k == 0)
      continue;
    bases.push_back(k);
    for (unsigned i = 0, n = offsets.size(); i < n; ++i)
      offsets.push_back(offsets[i] ^ k);
  }
  for (unsigned bit = 0; bit < 2; ++bit)
    bases.push_back(a.basis(Dim::lane(), bit, column));
  unsigned bits = a.outBits(column);
  if (bases.size() != bits || F2Matrix::fromColumns(bases, bits).rank() != bits)
    return std::nullopt;
  return offsets;
}

namespace {
/// Looks registers up; remembers whether one was missing.
struct Finder {
  explicit Finder(const LinearLayout &layout) : layout(layout), lookup(layout) {}
  unsigned at(SmallVector<uint64_t, 4> index) {
    for (auto [coordinate, out] : llvm::zip_equal(index, layout.outs()))
      coordinate &= out.size() - 1; // beyond a small tensor it repeats
    std::optional<unsigned> reg = lookup.find(index);
    complete &= reg.has_value();
    return reg.value_or(0);
  }
  const LinearLayout &layout;
  RegisterLookup lookup;
  bool complete = true;
};
} // namespace

std::optional<SmallVector<MmaStep>> nvidia::planMma(const LinearLayout &a, const LinearLayout &b,
                                                    const LinearLayout &d, const MmaShape &shape) {
  FragmentLayouts layouts(a, b, d);
  if (!layouts.areFragments())
    return std::nullopt;
  std::optional<SmallVector<uint64_t>> offsets = layouts.innerOffsets();
  unsigned perThread = shape.innerPerThread(), perWord = shape.elementsPerWord();
  if (!offsets || offsets->size() % perThread != 0)
    return std::nullopt;

  // An instruction for each register of D that holds a fragment's first element.
  unsigned rank = layouts.rank;
  SmallVector<SmallVector<uint64_t, 4>> corners;
  Finder inA(a), inB(b), inD(d);
  for (unsigned reg = 0; reg < d.inSize(Dim::reg()); ++reg) {
    SmallVector<uint64_t, 4> index = registerIndex(d, reg);
    bool isCorner = (index[rank - 1] & 1) == 0 && (shape.rows == 8 || (index[rank - 2] & 8) == 0);
    if (isCorner && inD.at(index) == reg)
      corners.push_back(index);
  }

  SmallVector<MmaStep> steps;
  for (unsigned first = 0; first < offsets->size(); first += perThread)
    for (const SmallVector<uint64_t, 4> &corner : corners) {
      MmaStep &step = steps.emplace_back();
      for (unsigned k = first; k < first + perThread; k += perWord) {
        SmallVector<uint64_t, 4> left = corner, right = corner;
        for (unsigned half = 0; half < shape.rows; half += 8)
          for (unsigned i = 0; i < perWord; ++i) {
            left[rank - 2] = corner[rank - 2] ^ half;
            left[rank - 1] = (*offsets)[k + i];
            step.a.push_back(inA.at(left));
          }
        for (unsigned i = 0; i < perWord; ++i) {
          right[rank - 2] = (*offsets)[k + i];
          step.b.push_back(inB.at(right));
        }
      }
      for (unsigned half = 0; half < shape.rows; half += 8)
        for (unsigned i = 0; i < 2; ++i) {
          SmallVector<uint64_t, 4> place = corner;
          place[rank - 2] ^= half;
          place[rank - 1] ^= i;
          step.d.push_back(inD.at(place));
        }
    }
  if (!inA.complete || !inB.complete || !inD.complete)
    return std::nullopt;
  return steps;
}
