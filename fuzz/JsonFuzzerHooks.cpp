//===- JsonFuzzerHooks.cpp - libFuzzer mutates with JsonMutator -----------===//
#include "JsonMutator.h"
#include "ProgramMutator.h"
#include <cstdint>
#include <cstring>

using namespace tessera::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::string_view viewOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// A document that is cut off tests nothing: one that is too long is not taken.
static size_t copyTo(uint8_t *out, size_t maxSize, const std::optional<std::string> &text) {
  if (!text || text->size() > maxSize)
    return 0;
  std::memcpy(out, text->data(), text->size());
  return text->size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % kByteMutantsOneIn != 0)
    if (size_t length = copyTo(data, maxSize, JsonMutator(seed).mutate(viewOf(data, size))))
      return length;
  return LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  JsonMutator mutator(seed);
  return copyTo(out, maxSize, mutator.splice(viewOf(data1, size1), viewOf(data2, size2)));
}
