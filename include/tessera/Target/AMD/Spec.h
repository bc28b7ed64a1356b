//===- Spec.h - the features of each AMD chip -----------------------------===//
// The table has one row per chip and one name per feature. Passes and lowerings ask
// `spec.hasMFMA()`; names of chips are compared only where Spec.cpp fills the table.
//
//   const AmdSpec *spec = AmdSpec::find("gfx942");
//   spec->threadsPerWarp;   // 64
//   spec->hasMFMA();        // true
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/MachineModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::amd {

/// The features that not all chips have (Features.def): bits of AmdSpec::features.
enum class FeatureIndex : uint32_t {
#define FEATURE(name) name,
#include "tessera/Target/AMD/Features.def"
};
enum Feature : uint32_t {
#define FEATURE(name) name = uint32_t(1) << uint32_t(FeatureIndex::name),
#include "tessera/Target/AMD/Features.def"
};

struct AmdSpec {
  /// The chip's name in LLVM, and after "hip:".
  llvm::StringLiteral chip;
  llvm::StringLiteral products;
  /// The lanes of a wave.
  unsigned threadsPerWarp;
  /// The largest shared memory (LDS) of one CTA, and its banks of 4 bytes.
  unsigned maxSharedBytes;
  unsigned sharedBanks;
  /// The vector registers of one lane on a SIMD unit that its waves share, the most that one wave
  /// can have, and the most waves.
  unsigned registersPerSIMD;
  unsigned maxRegistersPerThread;
  unsigned maxWarpsPerSIMD;
  uint32_t features;
  /// How buffer instructions are told.
  struct Buffers {
    /// The last word of a descriptor of plain bytes that checks offsets against their number.
    uint32_t flags;
    /// The cache policy of loads and stores of data that is not used again soon.
    uint8_t streamingLoad, streamingStore;
  } buffers;

  /// The same on every chip of the table.
  static constexpr unsigned maxThreads = 1024; // of a CTA
  static constexpr unsigned bankBytes = 4;
  /// The widest access of one thread to global memory.
  static constexpr unsigned maxVectorBits = 128;
  /// LLVM's address spaces: AMDGPU usage guide, "Address Spaces".
  static constexpr unsigned globalSpace = 1, sharedSpace = 3, constantSpace = 4, bufferSpace = 8;

  /// The unit in which a SIMD unit gives registers to waves.
  unsigned registerUnit() const {
    return threadsPerWarp == 64 ? 8 : registersPerSIMD == 1536 ? 24 : 16;
  }
  unsigned maxWarps() const { return maxThreads / threadsPerWarp; }
  /// "hip:gfx942"
  std::string name() const { return ("hip:" + chip).str(); }

  bool has(Feature feature) const { return features & feature; }
#define FEATURE(name)                                                                              \
  bool has##name() const { return has(name); }
#include "tessera/Target/AMD/Features.def"

  /// How lanes read shared memory for each other.
  MatrixMoves matrixLoads() const {
    return hasTransposingLDSRead() ? MatrixMoves::Columns : MatrixMoves::None;
  }

  /// The row of "gfx942", or null.
  static const AmdSpec *find(llvm::StringRef chip);
  /// The row of "hip:gfx942", or null.
  static const AmdSpec *parse(llvm::StringRef target);
  static llvm::ArrayRef<AmdSpec> all();
  /// The names of its features, in the table's order.
  std::vector<std::string> featureNames() const;
};

} // namespace tessera::amd
