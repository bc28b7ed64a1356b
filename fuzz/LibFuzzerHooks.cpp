//===- LibFuzzerHooks.cpp - libFuzzer mutates with ProgramMutator ---------===//
#include "ProgramMutator.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace tessera::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::string_view viewOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

static size_t copyTo(uint8_t *out, size_t maxSize, const std::string &text) {
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(out, text.data(), length);
  return length;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % kByteMutantsOneIn == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return copyTo(data, maxSize, ProgramMutator(seed).mutate(viewOf(data, size)));
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  ProgramMutator mutator(seed);
  return copyTo(out, maxSize, mutator.splice(viewOf(data1, size1), viewOf(data2, size2)));
}
