//===- Spec.h - what each NVIDIA chip can do ------------------------------===//
// One row per chip, one name per ability. Passes and lowerings ask
// `spec.hasAsyncCopy()`; the only comparisons of compute capabilities are the
// ones that fill the table in Spec.cpp.
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

/// What a chip has that another may lack (Features.def). Bits of NvidiaSpec::features.
enum class FeatureIndex : uint32_t {
#define FEATURE(name) name,
#include "tessera/Target/NVIDIA/Features.def"
};
enum Feature : uint32_t {
#define FEATURE(name) name = uint32_t(1) << uint32_t(FeatureIndex::name),
#include "tessera/Target/NVIDIA/Features.def"
};

struct NvidiaSpec {
  /// Major * 10 + minor: what follows "cuda:".
  unsigned capability;
  /// What LLVM and ptxas call it. The `a` of sm_90a unlocks wgmma and setmaxnreg.
  llvm::StringLiteral chip;
  llvm::StringLiteral products;
  /// PTX ISA version (80 is 8.0) that knows every instruction we emit for the
  /// chip. The lowest such: the older the version, the more drivers load it.
  unsigned ptxVersion;
  /// Shared memory one thread block may ask for.
  unsigned maxSharedBytes;
  uint32_t features;

  /// The same on every chip of the table.
  static constexpr unsigned threadsPerWarp = 32;
  static constexpr unsigned maxWarps = 32;
  static constexpr unsigned maxRegistersPerThread = 255;
  static constexpr unsigned registersPerSM =
      65536; // CUDA C++ Programming Guide, compute capabilities 8.0 to 9.0
  /// Thread blocks of a cluster, where there are clusters. 8 everywhere; 16 on request.
  static constexpr unsigned maxClusterBlocks = 16;
  /// The widest access of one thread to global memory.
  static constexpr unsigned maxVectorBits = 128;
  /// The newest PTX ISA version that the code generator can write.
  static constexpr unsigned newestPtxVersion = 90;

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
