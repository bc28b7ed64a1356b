//===- Mma.cpp - the warp's matrix instruction, mma.sync ------------------===//
// Source: PTX ISA, "Warp-level matrix instructions: mma", tables of types and
// fragments.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Mma.h"
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

/// The fragments of one instruction: see Mma.h. The bits of g are rows or columns, those of t
/// words along K.
static MatrixTile tileOf(const MmaShape &shape) {
  int64_t perWord = shape.elementsPerWord();
  SmallVector<BasisVector> a, b, d = {{0, 1}};
  for (int64_t k = 1; k < perWord; k *= 2) { // within a word
    a.push_back({0, k});
    b.push_back({k, 0});
  }
  if (shape.rows == 16) {
    a.push_back({8, 0});
    d.push_back({8, 0});
  }
  for (int64_t k = 4 * perWord; k < shape.inner; k *= 2) { // words
    a.push_back({0, k});
    b.push_back({k, 0});
  }
  return {matrixTileMap(a, {{0, perWord}, {0, 2 * perWord}, {1, 0}, {2, 0}, {4, 0}}),
          matrixTileMap(b, {{perWord, 0}, {2 * perWord, 0}, {0, 1}, {0, 2}, {0, 4}}),
          matrixTileMap(d, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}})};
}

std::optional<SmallVector<MmaStep>> nvidia::planMma(const LinearLayout &a, const LinearLayout &b,
                                                    const LinearLayout &d, const MmaShape &shape) {
  return planMatrix(a, b, d, tileOf(shape));
}
