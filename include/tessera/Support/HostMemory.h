//===- HostMemory.h - large blocks of memory that may fail politely -------===//
// Tensors can be larger than the machine. A request is compared with what is
// available before it is made, because Linux grants more than it has and
// kills the process later; the answer is an error, not an exception.
//
// Blocks come from mmap: zeroed, page-aligned, paid for when touched, and
// backed by huge pages where they are large.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Bytes this process can still use: the machine's and its control group's, the smaller.
uint64_t countAvailableMemory();

/// Lets malloc keep up to 16 MiB of freed memory for later requests, instead of returning it to the
/// system. A compilation frees a few MiB at its end, and would pay for each page again in the next
/// one (a quarter of the time of a vector add for AMD GPUs). glibc decides by the largest block
/// that was freed: after a program has freed an array of 8 MiB, this changes nothing.
void keepFreedMemory();

class HostBuffer {
public:
  HostBuffer() = default;
  /// Zeroed. The error says how much was asked for and how much there is.
  static llvm::Expected<HostBuffer> allocate(uint64_t bytes);
  HostBuffer(HostBuffer &&other) noexcept;
  HostBuffer &operator=(HostBuffer &&other) noexcept;
  ~HostBuffer();

  char *data() { return bytes; }
  const char *data() const { return bytes; }
  uint64_t size() const { return length; }
  /// Returns whether the rest of the last page, up to 64 bytes of it, is as it was made: a canary
  /// for writes past the end.
  bool isIntact() const;

private:
  char *bytes = nullptr;
  uint64_t length = 0;
};

} // namespace tessera
