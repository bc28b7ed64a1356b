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
