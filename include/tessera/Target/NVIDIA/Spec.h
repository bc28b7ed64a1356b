//===- Spec.h - the features of each NVIDIA chip --------------------------===//
// The table has one row per chip and one name per feature. Passes and lowerings ask
// `spec.hasAsyncCopy()`; compute capabilities are compared only where Spec.cpp fills the table.
//
//   const NvidiaSpec *spec = NvidiaSpec::find(90);
//   spec->chip;               // "sm_90a"
//   spec->hasWarpGroupMMA();  // true
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::nvidia {

/// The features that not all chips have (Features.def): bits of NvidiaSpec::features.
enum class FeatureIndex : uint32_t {
#define FEATURE(name) name,
#include "tessera/Target/NVIDIA/Features.def"
};
enum Feature : uint32_t {
#define FEATURE(name) name = uint32_t(1) << uint32_t(FeatureIndex::name),
#include "tessera/Target/NVIDIA/Features.def"
};

struct NvidiaSpec {
  /// Major * 10 + minor: the number after "cuda:".
  unsigned capability;
  /// The chip's name in LLVM and ptxas. The `a` of sm_90a enables wgmma and setmaxnreg.
  llvm::StringLiteral chip;
  llvm::StringLiteral products;
  /// The lowest PTX ISA version (80 is 8.0) that has all instructions which are emitted for the
  /// chip: more drivers load an older version.
  unsigned ptxVersion;
  /// The largest shared memory of one CTA.
  unsigned maxSharedBytes;
  uint32_t features;

  /// The same on every chip of the table.
  static constexpr unsigned threadsPerWarp = 32;
  static constexpr unsigned maxWarps = 32;
  static constexpr unsigned maxRegistersPerThread = 255;
  static constexpr unsigned registersPerSM =
      65536; // CUDA C++ Programming Guide, compute capabilities 8.0 to 9.0
  /// The largest number of CTAs of a cluster, on chips with clusters: 8 are always possible, and 16
  /// with a function attribute.
  static constexpr unsigned maxClusterBlocks = 16;
  /// The widest access of one thread to global memory.
  static constexpr unsigned maxVectorBits = 128;
  /// The newest PTX ISA version that the code generator can write.
  static constexpr unsigned newestPtxVersion = 90;
  /// The version for kernels that make tensor maps. The instructions exist since 8.3, but
  /// assemblers of then take strides in another unit (LowerTensorMaps.cpp), which the text cannot
  /// say.
  static constexpr unsigned tensorMapPtxVersion = 86;

  bool has(Feature feature) const { return features & feature; }
#define FEATURE(name)                                                                              \
  bool has##name() const { return has(name); }
#include "tessera/Target/NVIDIA/Features.def"

  /// The row of a capability, or null.
  static const NvidiaSpec *find(unsigned capability);
  /// The row of "cuda:90", or null.
  static const NvidiaSpec *parse(llvm::StringRef target);
  static llvm::ArrayRef<NvidiaSpec> all();
  /// The names of its features, in the table's order.
  std::vector<std::string> featureNames() const;
};

} // namespace tessera::nvidia
