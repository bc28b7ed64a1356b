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

namespace tessera::nvidia {

/// What a chip has that another may lack. Bits of NvidiaSpec::features.
enum Feature : uint32_t {
  AsyncCopy = 1 << 0,          // cp.async: global to shared without registers
  CachePolicy = 1 << 1,        // createpolicy and .L2::cache_hint
  NanMinMax = 1 << 2,          // min.NaN and max.NaN
  PackedFP8Convert = 1 << 3,   // cvt.rn.satfinite.e4m3x2 and its inverse
  NativeBF16 = 1 << 4,         // bf16 add, sub, mul (not only fma)
  TensorMemoryAccess = 1 << 5, // TMA: cp.async.bulk.tensor
  WarpGroupMMA = 1 << 6,       // wgmma
  Clusters = 1 << 7,           // thread-block clusters
  MatrixStores = 1 << 9,       // stmatrix
  WideAtomics = 1 << 8,        // atom.add of bf16, and of vectors of f32, f16 and bf16
  FP8MMA = 1 << 12,            // mma.sync of fp8 in hardware (Hopper has it in wgmma only)
  FP64MMA = 1 << 10,           // mma.sync of fp64 at more than the rate of fma
  WideFP64MMA = 1 << 11,       // ... and of 16 rows
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
  bool hasAsyncCopy() const { return has(AsyncCopy); }
  bool hasCachePolicy() const { return has(CachePolicy); }
  bool hasNanMinMax() const { return has(NanMinMax); }
  bool hasPackedFP8Convert() const { return has(PackedFP8Convert); }
  bool hasNativeBF16() const { return has(NativeBF16); }
  bool hasTensorMemoryAccess() const { return has(TensorMemoryAccess); }
  bool hasWarpGroupMMA() const { return has(WarpGroupMMA); }
  bool hasClusters() const { return has(Clusters); }
  bool hasMatrixStores() const { return has(MatrixStores); }
  bool hasWideAtomics() const { return has(WideAtomics); }
  bool hasFP8MMA() const { return has(FP8MMA); }
  bool hasFP64MMA() const { return has(FP64MMA); }
  bool hasWideFP64MMA() const { return has(WideFP64MMA); }

  /// The row of a capability, or null.
  static const NvidiaSpec *find(unsigned capability);
  /// The row of "cuda:90", or null.
  static const NvidiaSpec *parse(llvm::StringRef target);
  static llvm::ArrayRef<NvidiaSpec> all();
};

} // namespace tessera::nvidia
