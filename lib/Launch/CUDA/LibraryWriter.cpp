//===- LibraryWriter.cpp - CUBINs in a library of kernels -----------------===//
// The rows of struct tessera_rt_binary (LibraryRuntime.c), which the library's
// source holds for each CUBIN.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/KernelLibrary.h"
#include "llvm/Support/FormatVariadic.h"
#include "../AotLaunchers.h"

using namespace tessera;

/// "sm_90a" is 90, and runs on 9.0 alone: PTX ISA, "architecture-specific features".
static std::pair<unsigned, bool> readChip(llvm::StringRef chip) {
  unsigned capability = 0;
  chip.consume_front("sm_");
  bool isExact = chip.consume_back("a");
  chip.getAsInteger(10, capability);
  return {capability, isExact};
}

std::string aot::writeGPUBinary(const LibraryBinary &binary) {
  const KernelRecord &record = binary.record;
  auto [capability, isExact] = readChip(binary.chip);
  return llvm::formatv("{{{0}, \"{1}\", {2}, {3}, {14}, {4}, {5}, {6}, {{{7}, {8}, {9}}, {10}, "
                       "{11}, {12}, {13}, 0}",
                       binary.symbol, record.symbolInBinary(), capability, unsigned(isExact),
                       record.threadsPerBlock(), record.sharedBytes, record.numCTAs,
                       record.cluster[0], record.cluster[1], record.cluster[2],
                       unsigned(record.cooperative), unsigned(record.dependentLaunch),
                       record.hiddenArguments.size(), record.globalScratch.bytes,
                       unsigned(binary.isAssembly));
}

bool tessera::servesLaterChips(llvm::StringRef chip) {
  auto [capability, isExact] = readChip(chip);
  return capability != 0 && !isExact;
}

std::string aot::writeGPURuntime(
    llvm::function_ref<std::string(llvm::StringRef, llvm::StringRef)> runtimeText) {
  return runtimeText("CUDA/LibraryRuntime.c", "");
}
