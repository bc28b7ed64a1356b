//===- Arc4Random.cpp - random words on an older glibc --------------------===//
// LLVM names temporary files with arc4random, which glibc has since 2.36. This
// definition, hidden in our library, is all that keeps it from running on 2.35.
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <sys/random.h>

extern "C" uint32_t arc4random(void) {
  uint32_t word = 0;
  // A word is never interrupted or split once the pool is initialised.
  while (getrandom(&word, sizeof(word), 0) != sizeof(word)) {
  }
  return word;
}
