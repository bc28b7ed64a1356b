//===- CacheKey.cpp - what makes two compilations the same ----------------===//
#include "tessera/Binary/CacheKey.h"
#include "tessera/Support/Hashing.h"

namespace tessera {

std::string computeCacheKey(const CacheKeyInputs &inputs) {
  FieldHasher hasher;
  hasher.add("tessera cache key 1").add(inputs.buildIdentity);
  hasher.add(inputs.targetName).add(inputs.targetText);
  hasher.add(inputs.options.canonicalText());
  hasher.add(inputs.options.lineInfo ? inputs.sourcePath : "");
  hasher.add(inputs.kernelName);
  hasher.add(uint64_t(inputs.signature.size()));
  for (llvm::StringRef entry : inputs.signature)
    hasher.add(entry);
  hasher.add(uint64_t(inputs.sources.size()));
  for (llvm::StringRef source : inputs.sources)
    hasher.add(source);
  return toHex(hasher.finish());
}

} // namespace tessera
