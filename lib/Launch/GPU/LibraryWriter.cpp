//===- LibraryWriter.cpp - GPUs' binaries in a library of kernels ----------===//
// The rows of struct tessera_rt_binary (LibraryDriver.c), which the library's
// source holds for each binary of a GPU.
//===----------------------------------------------------------------------===//
#include "TensorMapSource.h"
#include "tessera/Launch/KernelLibrary.h"
#include "llvm/Support/FormatVariadic.h"
#include "../AotLaunchers.h"

using namespace tessera;

/// The driver that launches a binary, and its chip.
static std::pair<const aot::LibraryDriver *, aot::LibraryDriver::Chip>
driverOf(const LibraryBinary &binary) {
  const aot::LibraryDriver *driver = aot::findLibraryDriver(binary.record.target);
  return {driver, driver->readChip(binary.chip)};
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
  auto [driver, chip] = driverOf(binary);
  return llvm::formatv(
      "{{{0}, \"{1}\", &tessera_rt_{2}, {3}, {4}, {5}, {6}, {7}, {8}, {{{9}, {10}, {11}}, {12}, "
      "{13}, {14}, {15}, 0, {16}}",
      binary.symbol, record.symbolInBinary(), driver->kind, chip.number, unsigned(chip.isExact),
      unsigned(binary.isAssembly), record.threadsPerBlock(), record.sharedBytes, record.numCTAs,
      record.cluster[0], record.cluster[1], record.cluster[2], unsigned(record.cooperative),
      unsigned(record.dependentLaunch), record.hiddenArguments.size() - record.tensorMaps.size(),
      record.globalScratch.bytes, writeMaps(binary, declared));
}

bool tessera::servesLaterChips(llvm::StringRef target, llvm::StringRef chip) {
  const aot::LibraryDriver *driver = aot::findLibraryDriver(target);
  return driver && driver->servesLaterChips && !driver->readChip(chip).isExact;
}

const aot::LibraryDriver *aot::findLibraryDriver(llvm::StringRef target) {
  for (const LibraryDriver &driver : listLibraryDrivers())
    if (driver.kind == target.split(':').first)
      return &driver;
  return nullptr;
}

std::string aot::writeGPURuntime(size_t mostMaps, llvm::ArrayRef<const LibraryDriver *> drivers) {
  std::string text = llvm::formatv("#define TESSERA_RT_MAPS {0}\n", std::max<size_t>(mostMaps, 1));
  // The driver's function, if it has it.
  text +=
      R"(static int (*tessera_rt_encode_tiled)(void *map, int type, uint32_t rank, void *address,
                                      const uint64_t *extents, const uint64_t *strides,
                                      const uint32_t *box, const uint32_t *steps, int interleave,
                                      int swizzle, int promotion, int fill);

)";
  text += runtimeText("GPU/TensorMapRuntime.c") + runtimeText("GPU/LibraryDriver.c");
  std::string list;
  for (const LibraryDriver *driver : drivers) {
    text += runtimeText(driver->text);
    list += ("&tessera_rt_" + driver->kind + ", ").str();
  }
  text += "static struct tessera_rt_driver *const tessera_rt_drivers[] = {" + list + "0};\n\n";
  return text + runtimeText("GPU/LibraryRuntime.c");
}
