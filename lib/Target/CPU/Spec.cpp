//===- Spec.cpp - what a processor can do ---------------------------------===//
// See Spec.h. Cost: microseconds; the host is asked by cpuid.
//===----------------------------------------------------------------------===//
#include "tessera/Target/CPU/Spec.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <algorithm>
#include <unistd.h>

using namespace llvm;
using namespace tessera;
using namespace tessera::cpu;

/// Registers LLVM's back end for this architecture, once per process.
static void initializeBackend() {
  static const bool done = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

static std::string hostFeatures() {
  SmallVector<std::string> enabled;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (feature.second)
      enabled.push_back("+" + feature.first().str());
  llvm::sort(enabled); // The map's order is not stable, and the cache key needs one.
  return join(enabled, ",");
}

/// What all programs may fill of the last cache before streaming pays. glibc's
/// memcpy uses the same three quarters.
static uint64_t streamingThreshold() {
  long bytes = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return bytes > 0 ? static_cast<uint64_t>(bytes) / 4 * 3 : CPUSpec().streamingBytes;
}

static const llvm::Target *lookupTarget(const CPUSpec &spec, std::string &error) {
  return TargetRegistry::lookupTarget(Triple(spec.triple), error);
}

static Error describe(CPUSpec &spec) {
  std::string message;
  const llvm::Target *target = lookupTarget(spec, message);
  if (!target)
    return makeError(message);
  Triple triple(spec.triple);
  // LLVM prints a warning for names it does not know; ask without one first.
  std::unique_ptr<MCSubtargetInfo> generic(target->createMCSubtargetInfo(triple, "", ""));
  if (!generic->isCPUStringValid(spec.name)) {
    SmallVector<StringRef> known;
    for (const SubtargetSubTypeKV &row : generic->getAllProcessorDescriptions())
      known.push_back(row.Key);
    return makeError("no processor is called '" + spec.name + "'; known are " + join(known, ", "));
  }
  if (!triple.isX86())
    return Error::success();
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, spec.name, spec.features));
  auto has = [&](StringRef feature) { return info->checkFeatures("+" + feature.str()); };
  spec.vectorBits = has("avx512bw") && has("avx512vl") ? 512 : has("avx2") ? 256 : 128;
  spec.halfConversions = has("f16c");
  spec.vectorMathLibrary = triple.isOSLinux() && triple.isGNUEnvironment();
  spec.streamingStores = true;
  return Error::success();
}

Expected<CPUSpec> CPUSpec::find(StringRef name) {
  initializeBackend();
  CPUSpec spec;
  spec.triple = sys::getProcessTriple();
  spec.streamingBytes = streamingThreshold();
  bool host = name.empty() || name == "native";
  spec.name = host ? sys::getHostCPUName().str() : name.str();
  spec.features = host ? hostFeatures() : "";
  if (Error error = describe(spec))
    return std::move(error);
  return spec;
}

std::string CPUSpec::text() const {
  return triple + " " + name + " " + features + " stream>" + std::to_string(streamingBytes);
}

Expected<std::unique_ptr<TargetMachine>> CPUSpec::createMachine() const {
  initializeBackend();
  std::string message;
  const llvm::Target *target = lookupTarget(*this, message);
  if (!target)
    return makeError(message);
  TargetOptions options;
  // Contraction is decided per operation, by its `contract` flag.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(Triple(triple), name, features, options, Reloc::PIC_,
                                  CodeModel::Small, CodeGenOptLevel::Default));
  if (!machine)
    return makeError("LLVM cannot generate code for " + triple);
  return machine;
}
