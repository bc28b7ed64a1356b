//===- MatrixInstructions.cpp - MFMA and WMMA -----------------------------===//
// Sources: AMD's instruction set guides of CDNA2, CDNA3, CDNA4, RDNA3 and RDNA4 (tables of matrix
// instructions); AMD's amd_matrix_instruction_calculator (places of elements); LLVM's
// IntrinsicsAMDGPU.td (names and types).
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/MatrixInstructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

namespace {
enum class Kind { F16, BF16, F32, XF32, F64, I8, FP8 };

/// One instruction: the features that a chip must have and must not have.
struct Row {
  uint32_t needs, lacks;
  Kind kind;
  unsigned size, inner, perLane;
  llvm::StringLiteral name; // {0}, {1}: fp8 or bf8
  OperandWord word;
};
} // namespace

using enum OperandWord;
// Instructions with a larger K come first.
static constexpr Row table[] = {
    {WideMFMA, 0, Kind::F16, 32, 16, 8, "mfma.f32.32x32x16.f16", Elements},
    {WideMFMA, 0, Kind::F16, 16, 32, 8, "mfma.f32.16x16x32.f16", Elements},
    {MFMA, 0, Kind::F16, 32, 8, 4, "mfma.f32.32x32x8f16", Elements},
    {MFMA, 0, Kind::F16, 16, 16, 4, "mfma.f32.16x16x16f16", Elements},
    {MFMA, 0, Kind::F16, 4, 64, 4, "mfma.f32.4x4x4f16", Elements},
    {WideMFMA, 0, Kind::BF16, 32, 16, 8, "mfma.f32.32x32x16.bf16", Elements},
    {WideMFMA, 0, Kind::BF16, 16, 32, 8, "mfma.f32.16x16x32.bf16", Elements},
    {MFMA, 0, Kind::BF16, 32, 8, 4, "mfma.f32.32x32x8bf16.1k", Shorts},
    {MFMA, 0, Kind::BF16, 16, 16, 4, "mfma.f32.16x16x16bf16.1k", Shorts},
    {MFMA, 0, Kind::BF16, 4, 64, 4, "mfma.f32.4x4x4bf16.1k", Shorts},
    {WideMFMA, 0, Kind::I8, 32, 32, 16, "mfma.i32.32x32x32.i8", Words},
    {WideMFMA, 0, Kind::I8, 16, 64, 16, "mfma.i32.16x16x64.i8", Words},
    {MFMA | FP8Matrix, 0, Kind::I8, 32, 16, 8, "mfma.i32.32x32x16.i8", Integer},
    {MFMA | FP8Matrix, 0, Kind::I8, 16, 32, 8, "mfma.i32.16x16x32.i8", Integer},
    {MFMA, FP8Matrix, Kind::I8, 32, 8, 4, "mfma.i32.32x32x8i8", Integer},
    {MFMA, FP8Matrix, Kind::I8, 16, 16, 4, "mfma.i32.16x16x16i8", Integer},
    {MFMA, 0, Kind::I8, 4, 64, 4, "mfma.i32.4x4x4i8", Integer},
    {WideMFMA, 0, Kind::FP8, 32, 64, 32, "mfma.scale.f32.32x32x64.f8f6f4", Words},
    {WideMFMA, 0, Kind::FP8, 16, 128, 32, "mfma.scale.f32.16x16x128.f8f6f4", Words},
    {MFMA | FP8Matrix, 0, Kind::FP8, 32, 16, 8, "mfma.f32.32x32x16.{0}.{1}", Integer},
    {MFMA | FP8Matrix, 0, Kind::FP8, 16, 32, 8, "mfma.f32.16x16x32.{0}.{1}", Integer},
    {XF32, 0, Kind::XF32, 32, 4, 2, "mfma.f32.32x32x4.xf32", Elements},
    {XF32, 0, Kind::XF32, 16, 8, 2, "mfma.f32.16x16x8.xf32", Elements},
    {MFMA, 0, Kind::F32, 32, 2, 1, "mfma.f32.32x32x2f32", Elements},
    {MFMA, 0, Kind::F32, 16, 4, 1, "mfma.f32.16x16x4f32", Elements},
    {MFMA, 0, Kind::F32, 4, 16, 1, "mfma.f32.4x4x1f32", Elements},
    {MFMA, 0, Kind::F64, 16, 4, 1, "mfma.f64.16x16x4f64", Elements},
    {WMMA, PackedWMMA, Kind::F16, 16, 16, 16, "wmma.f32.16x16x16.f16", Elements},
    {WMMA, PackedWMMA, Kind::BF16, 16, 16, 16, "wmma.f32.16x16x16.bf16", Shorts},
    {WMMA, PackedWMMA, Kind::I8, 16, 16, 16, "wmma.i32.16x16x16.iu8", Words},
    {PackedWMMA, 0, Kind::F16, 16, 16, 8, "wmma.f32.16x16x16.f16", Elements},
    {PackedWMMA, 0, Kind::BF16, 16, 16, 8, "wmma.f32.16x16x16.bf16", Shorts},
    {PackedWMMA, 0, Kind::I8, 16, 16, 8, "wmma.i32.16x16x16.iu8", Words},
    {PackedWMMA | FP8Matrix, 0, Kind::FP8, 16, 16, 8, "wmma.f32.16x16x16.{0}.{1}", Words},
};

/// AMD's name of an 8-bit float type that the chip's matrix instructions take, else empty.
static StringRef nameOfFP8(const AmdSpec &spec, Type type) {
  if (!spec.hasFP8Matrix())
    return "";
  if (spec.hasFP8Fnuz() ? isa<Float8E4M3FNUZType>(type) : isa<Float8E4M3FNType>(type))
    return "fp8";
  bool isWide = spec.hasFP8Fnuz() ? isa<Float8E5M2FNUZType>(type) : isa<Float8E5M2Type>(type);
  return isWide ? "bf8" : "";
}

bool amd::takesFP8(const AmdSpec &spec, Type type) { return !nameOfFP8(spec, type).empty(); }

static std::optional<Kind> kindOf(const AmdSpec &spec, Type a, Type b, Type d,
                                  tt::InputPrecision precision) {
  if (d.isF32() && takesFP8(spec, a) && takesFP8(spec, b))
    return Kind::FP8;
  if (a != b)
    return std::nullopt;
  if (a.isF16() && d.isF32())
    return Kind::F16;
  if (a.isBF16() && d.isF32())
    return Kind::BF16;
  if (a.isInteger(8) && d.isInteger(32))
    return Kind::I8;
  if (a.isF64() && d.isF64())
    return Kind::F64;
  if (a.isF32() && d.isF32())
    return precision == tt::InputPrecision::TF32 && spec.hasXF32() ? Kind::XF32 : Kind::F32;
  return std::nullopt;
}

std::optional<MatrixInstruction> amd::findMatrixInstruction(const AmdSpec &spec, unsigned size,
                                                            Type a, Type b, Type d,
                                                            tt::InputPrecision precision,
                                                            int64_t maxInner) {
  std::optional<Kind> kind = kindOf(spec, a, b, d, precision);
  if (!kind)
    return std::nullopt;
  for (const Row &row : table) {
    bool isThere = (spec.features & row.needs) == row.needs && (spec.features & row.lacks) == 0;
    if (!isThere || row.kind != *kind || row.size != size || row.inner > maxInner)
      continue;
    MatrixInstruction found{row.size, row.inner, row.perLane, "", row.word};
    found.intrinsic =
        row.kind == Kind::FP8
            ? llvm::formatv(row.name.data(), nameOfFP8(spec, a), nameOfFP8(spec, b)).str()
            : row.name.str();
    found.isDouble = row.kind == Kind::F64;
    found.isWMMA = spec.hasWMMA();
    found.repeatsOperands = found.isWMMA && !spec.hasPackedWMMA();
    found.isScaled = StringRef(found.intrinsic).starts_with("mfma.scale");
    return found;
  }
  return std::nullopt;
}

std::optional<MatrixInstruction> amd::findScaledInstruction(const AmdSpec &spec, unsigned size,
                                                            int64_t maxInner) {
  for (const Row &row : table) {
    bool isThere = (spec.features & row.needs) == row.needs && row.name.starts_with("mfma.scale");
    if (!isThere || row.size != size || row.inner > maxInner)
      continue;
    MatrixInstruction found{row.size, row.inner, row.perLane, row.name.str(), row.word};
    found.isScaled = true;
    return found;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// {1, 0}, {2, 0}, {4, 0}, ... below `size`, times `unit`; or along the second dimension.
static void appendSteps(SmallVectorImpl<BasisVector> &bases, int64_t size, bool alongSecond,
                        int64_t unit = 1) {
  for (int64_t step = 1; step < size; step *= 2)
    bases.push_back(alongSecond ? BasisVector{0, step * unit} : BasisVector{step * unit, 0});
}

MatrixTile MatrixInstruction::tile() const {
  SmallVector<BasisVector> aRegs, bRegs, dRegs, aLanes, bLanes, dLanes;
  appendSteps(aRegs, perLane, /*alongSecond=*/true);
  appendSteps(bRegs, perLane, /*alongSecond=*/false);
  appendSteps(aLanes, rows(), false);
  appendSteps(bLanes, columns(), true);
  appendSteps(dLanes, columns(), true);
  if (size == 4) {
    appendSteps(aLanes, 16, true, perLane); // 16 groups of 4 lanes divide K
    appendSteps(dRegs, 4, false);
    return {matrixTileMap(aRegs, aLanes), matrixTileMap(bRegs, bLanes),
            matrixTileMap(dRegs, dLanes), /*groupLanes=*/0b111100};
  }
  if (repeatsOperands) {
    aLanes.push_back({0, 0});
    bLanes.push_back({0, 0});
  } else {
    appendSteps(aLanes, innerLanes(), true, perLane);
    appendSteps(bLanes, innerLanes(), false, perLane);
  }
  if (isWMMA) {
    // The upper lanes have the odd rows (RDNA3), or the lower eight (RDNA4).
    appendSteps(dRegs, 8, false, repeatsOperands ? 2 : 1);
    dLanes.push_back({repeatsOperands ? 1 : 8, 0});
  } else if (isDouble) {
    appendSteps(dLanes, 4, false);
    appendSteps(dRegs, 4, false, 4);
  } else {
    // Four neighbouring rows; then the other lanes; then further registers.
    appendSteps(dRegs, 4, false);
    appendSteps(dLanes, innerLanes(), false, 4);
    appendSteps(dRegs, size / (4 * innerLanes()), false, 4 * innerLanes());
  }
  return {matrixTileMap(aRegs, aLanes), matrixTileMap(bRegs, bLanes), matrixTileMap(dRegs, dLanes)};
}

/// A lane has 16 bytes, and of elements of 8 bits another 16 in the second half of K: they lie as
/// in two instructions of half the depth.
static SmallVector<BasisVector> registersAlongK(const MatrixInstruction &instruction, bool isPacked,
                                                bool alongSecond) {
  SmallVector<BasisVector> bases;
  appendSteps(bases, kScaledBytes, alongSecond);
  if (!isPacked)
    appendSteps(bases, 2, alongSecond, instruction.inner / 2);
  return bases;
}

MatrixTile MatrixInstruction::scaledTile(bool isPackedA, bool isPackedB) const {
  SmallVector<BasisVector> aLanes, bLanes;
  appendSteps(aLanes, rows(), false);
  appendSteps(aLanes, innerLanes(), true, kScaledBytes);
  appendSteps(bLanes, columns(), true);
  appendSteps(bLanes, innerLanes(), false, kScaledBytes);
  MatrixTile result = tile();
  result.a = matrixTileMap(registersAlongK(*this, isPackedA, true), aLanes);
  result.b = matrixTileMap(registersAlongK(*this, isPackedB, false), bLanes);
  result.isExact = true;
  return result;
}

LinearLayout amd::scaleLayout(const MatrixInstruction &instruction, const LinearLayout &operand,
                              Dim k, Dim outer, bool isPacked) {
  unsigned perGroup = isPacked ? kScaleGroup / 2 : kScaleGroup; // bytes
  unsigned bytes = instruction.inner / kScaleGroup * perGroup;  // of one instruction
  SmallVector<BasisVector> registers, rows, lanes, warps, blocks;
  for (unsigned bit = 0; bit < operand.inBits(Dim::reg()); ++bit) {
    int64_t along = operand.basis(Dim::reg(), bit, k);
    int64_t across = operand.basis(Dim::reg(), bit, outer);
    if (along >= bytes)
      registers.push_back({0, along / perGroup});
    if (across != 0)
      rows.push_back({across, 0});
  }
  // Neighbours along K are bytes of one word.
  llvm::append_range(registers, rows);
  int64_t group = 1;
  for (unsigned bit = 0; bit < operand.inBits(Dim::lane()); ++bit) {
    bool isInner = operand.basis(Dim::lane(), bit, k) != 0;
    lanes.push_back({int64_t(operand.basis(Dim::lane(), bit, outer)), isInner ? group : 0});
    group <<= isInner ? 1 : 0;
  }
  for (unsigned bit = 0; bit < operand.inBits(Dim::warp()); ++bit)
    warps.push_back({int64_t(operand.basis(Dim::warp(), bit, outer)), 0});
  for (unsigned bit = 0; bit < operand.inBits(Dim::block()); ++bit)
    blocks.push_back({int64_t(operand.basis(Dim::block(), bit, outer)), 0});
  DimBases ins[] = {
      {Dim::reg(), registers}, {Dim::lane(), lanes}, {Dim::warp(), warps}, {Dim::block(), blocks}};
  return LinearLayout::fromBases(ins, {Dim::axis(0), Dim::axis(1)}).value_or(LinearLayout());
}
