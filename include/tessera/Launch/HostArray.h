//===- HostArray.h - a tensor in host memory ------------------------------===//
// Row-major elements of one type, and what `--arg` can fill them with.
//
// The generator (docs/abi.md, "Generated data") is counter-based: element i is
// a function of (seed, stream, i) alone. Results are equal on every machine
// and with any number of threads.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/ScalarEncoding.h"
#include "tessera/Support/HostMemory.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tessera {

class ThreadPool;

struct HostArray {
  DType type = DType::FP32;
  llvm::SmallVector<uint64_t, 4> shape;
  HostBuffer buffer;

  uint64_t count() const;
  uint64_t bytes() const { return count() * type.bytesInMemory(); }
  void *at(uint64_t index) { return buffer.data() + index * type.bytesInMemory(); }
  const void *at(uint64_t index) const { return buffer.data() + index * type.bytesInMemory(); }

  /// Zeroed; fails politely on shapes that overflow or exceed the memory there is.
  static llvm::Expected<HostArray> create(DType type, llvm::ArrayRef<uint64_t> shape);
};

/// Selects the random numbers: `seed` is --seed, `stream` distinguishes arguments.
struct RandomSource {
  uint64_t seed = 0;
  uint64_t stream = 0;
};

/// The stream of an argument: a hash of its name.
uint64_t randomStream(llvm::StringRef argumentName);

/// Standard normal values; float types only.
void fillNormal(HostArray &array, RandomSource source, ThreadPool &pool);
/// Uniform in [0, 1); float types only.
void fillUniform(HostArray &array, RandomSource source, ThreadPool &pool);
/// Uniform integers in [low, high), which the type must hold.
void fillIntegers(HostArray &array, int64_t low, int64_t high, RandomSource source,
                  ThreadPool &pool);
/// 0, 1, 2, ... in row-major order, which the type must hold.
void fillSequence(HostArray &array, ThreadPool &pool);

} // namespace tessera
