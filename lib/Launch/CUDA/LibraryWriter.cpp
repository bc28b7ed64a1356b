//===- LibraryWriter.cpp - CUBINs in a library of kernels -----------------===//
// The rows of struct tessera_rt_binary (LibraryRuntime.c), which the library's
// source holds for each CUBIN.
//===----------------------------------------------------------------------===//
#include "TensorMapSource.h"
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

/// The last fields of a row: the tensor maps, the function that builds them, and the binary for
/// launches that have none.
static std::string writeMaps(const LibraryBinary &binary, std::string &declared) {
  const KernelRecord &record = binary.record;
  if (record.tensorMaps.empty())
    return "0, 0, 0";
  std::string builder = "tessera_rt_maps_" + binary.symbol, plain = "0";
  // planInterface has checked the recipes.
  declared += llvm::cantFail(aot::writeTensorMapFunction(record, builder));
  for (const LibraryBinary &other : binary.withoutMaps) {
    declared += "extern const unsigned char " + other.symbol + "[];\n";
    std::string row = aot::writeGPUBinary(other, declared);
    plain = "tessera_rt_plain_" + binary.symbol;
    declared += "static struct tessera_rt_binary " + plain + " = " + row + ";\n";
    plain = "&" + plain;
  }
  return llvm::formatv("{0}, {1}, {2}", record.tensorMaps.size(), builder, plain);
}

std::string aot::writeGPUBinary(const LibraryBinary &binary, std::string &declared) {
  const KernelRecord &record = binary.record;
  auto [capability, isExact] = readChip(binary.chip);
  return llvm::formatv(
      "{{{0}, \"{1}\", {2}, {3}, {14}, {4}, {5}, {6}, {{{7}, {8}, {9}}, {10}, "
      "{11}, {12}, {13}, 0, {15}}",
      binary.symbol, record.symbolInBinary(), capability, unsigned(isExact),
      record.threadsPerBlock(), record.sharedBytes, record.numCTAs, record.cluster[0],
      record.cluster[1], record.cluster[2], unsigned(record.cooperative),
      unsigned(record.dependentLaunch), record.hiddenArguments.size() - record.tensorMaps.size(),
      record.globalScratch.bytes, unsigned(binary.isAssembly), writeMaps(binary, declared));
}

bool tessera::servesLaterChips(llvm::StringRef chip) {
  auto [capability, isExact] = readChip(chip);
  return capability != 0 && !isExact;
}

std::string aot::writeGPURuntime(size_t mostMaps) {
  std::string text = llvm::formatv("#define TESSERA_RT_MAPS {0}\n", std::max<size_t>(mostMaps, 1));
  // The driver's function, if it has it: tensor maps came with CUDA 12.
  text +=
      R"(static int (*tessera_rt_encode_tiled)(void *map, int type, uint32_t rank, void *address,
                                      const uint64_t *extents, const uint64_t *strides,
                                      const uint32_t *box, const uint32_t *steps, int interleave,
                                      int swizzle, int promotion, int fill);

)";
  return text + runtimeText("CUDA/TensorMapRuntime.c") + runtimeText("CUDA/LibraryRuntime.c");
}
