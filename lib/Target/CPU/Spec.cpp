//===- Spec.cpp - the features of a processor ----------------------------===//
// See Spec.h. Cost: a millisecond for the host, once; cpuid gives its features.
//===----------------------------------------------------------------------===//
#include "tessera/Target/CPU/Spec.h"
#include "tessera/LLIR/Backend.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Suggest.h"
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

/// Returns LLVM's back end for this architecture.
static const llvm::Target *findNative(StringRef triple, std::string &error) {
  return findBackend(
      Triple(triple),
      [] {
        InitializeNativeTarget();
        InitializeNativeTargetAsmPrinter();
        InitializeNativeTargetAsmParser();
      },
      error);
}

/// Returns the differences of this machine from the processor that LLVM names: hypervisors hide
/// features, and code that used them would crash.
static std::string hostFeatures(StringRef name) {
  std::string triple = sys::getProcessTriple(), message;
  const llvm::Target *target = findNative(triple, message);
  if (!target)
    return "";
  std::unique_ptr<MCSubtargetInfo> usual(target->createMCSubtargetInfo(Triple(triple), name, ""));
  SmallVector<std::string> differences;
  for (const auto &feature : sys::getHostCPUFeatures()) {
    bool isUsual = usual->checkFeatures("+" + feature.first().str());
    if (feature.second != isUsual)
      differences.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  llvm::sort(differences); // The map's order is not deterministic, but the cache key must be.
  return join(differences, ",");
}

/// Returns the bytes that all programs may write before non-temporal stores pay off: three quarters
/// of the last-level cache, as in glibc's memcpy.
static uint64_t streamingThreshold() {
  long bytes = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return bytes > 0 ? static_cast<uint64_t>(bytes) / 4 * 3 : CPUSpec().streamingBytes;
}

/// Returns whether the processor has 64-bit code; LLVM exits if it does not.
static bool canRun(const llvm::Target &target, const Triple &triple, StringRef name) {
  if (!triple.isX86())
    return true;
  std::unique_ptr<MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, name, ""));
  return info->checkFeatures("+64bit");
}

/// Rejects names of processors for which no code can be generated.
static Error checkName(const llvm::Target &target, const Triple &triple, StringRef name) {
  // LLVM prints a warning for unknown names, so the name is looked up in a table first.
  std::unique_ptr<MCSubtargetInfo> generic(target.createMCSubtargetInfo(triple, "", ""));
  if (generic->isCPUStringValid(name) && canRun(target, triple, name))
    return Error::success();
  SmallVector<StringRef> known = {"native"};
  if (CPUSpec::versions("portable").size() > 1)
    known.push_back("portable");
  for (const SubtargetSubTypeKV &row : generic->getAllProcessorDescriptions())
    if (!StringRef(row.Key).contains('_') &&
        canRun(target, triple, row.Key)) // names with '_' are duplicates
      known.push_back(row.Key);
  std::string closest = suggest(name, known);
  return makeError("no processor '" + name + "' for " + triple.str() + " code" +
                   (closest.empty() ? "; there are " + join(known, ", ") : closest));
}

static Error describe(CPUSpec &spec) {
  std::string message;
  const llvm::Target *target = findNative(spec.triple, message);
  if (!target)
    return makeError(message);
  Triple triple(spec.triple);
  if (Error error = checkName(*target, triple, spec.name))
    return error;
  if (!triple.isX86())
    return Error::success();
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, spec.name, spec.features));
  auto has = [&](StringRef feature) { return info->checkFeatures("+" + feature.str()); };
  spec.vectorBits = has("avx512bw") && has("avx512vl") ? 512 : has("avx2") ? 256 : 128;
  spec.vectorRegisters = spec.vectorBits == 512 ? 32 : 16;
  spec.wordDot = true;
  spec.byteDot = spec.vectorBits == 512 ? has("avx512vnni") : has("avx2") && has("avxvnni");
  spec.halfConversions = has("f16c");
  spec.vectorMathLibrary = triple.isOSLinux() && triple.isGNUEnvironment();
  spec.streamingStores = true;
  return Error::success();
}

namespace {
/// This machine, or the reason why it cannot be described.
struct Host {
  Host() {
    spec.triple = sys::getProcessTriple();
    spec.name = sys::getHostCPUName().str();
    spec.features = hostFeatures(spec.name);
    spec.streamingBytes = streamingThreshold();
    if (Error error = describe(spec))
      problem = toString(std::move(error));
  }
  CPUSpec spec;
  std::string problem;
};
} // namespace

Expected<CPUSpec> CPUSpec::find(StringRef name) {
  if (name.empty() || name == "native") {
    // The host is queried once: in a virtual machine every cpuid exits to the hypervisor, which
    // took a tenth of the compile time of a vector add.
    static const Host host;
    if (!host.problem.empty())
      return makeError(host.problem);
    return host.spec;
  }
  // The cache of another machine is unknown, so a typical server's is assumed.
  CPUSpec spec;
  spec.triple = sys::getProcessTriple();
  spec.name = versions(name).front();
  if (Error error = describe(spec))
    return std::move(error);
  return spec;
}

SmallVector<std::string> CPUSpec::versions(StringRef name) {
  // The levels of the x86-64 psABI: SSE4.2 (2008), AVX2 with FMA (2013), AVX-512 (2017).
  if (name == "portable" && Triple(sys::getProcessTriple()).getArch() == Triple::x86_64)
    return {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return {name.str()};
}

std::string CPUSpec::text() const {
  return triple + " " + name + " " + features + " stream>" + std::to_string(streamingBytes);
}

Expected<std::unique_ptr<TargetMachine>> CPUSpec::createMachine() const {
  std::string message;
  const llvm::Target *target = findNative(triple, message);
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
