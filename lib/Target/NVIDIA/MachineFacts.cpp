//===- MachineFacts.cpp - how a kernel uses a chip ------------------------===//
// Sources: CUDA C++ Programming Guide, "Compute Capabilities" (what an SM holds; registers are
// given to warps in units of 256, and each CTA takes 1 KiB of shared memory for the system); the
// products' data sheets (rates, of dense products of 16-bit floats).
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::nvidia;

namespace {
struct ProcessorLimits {
  unsigned capability;
  unsigned warps, blocks, sharedBytes; // on one SM
  llvm::StringLiteral chip;
  double bytesPerSecond, flopsPerSecond;
};
} // namespace

static constexpr ProcessorLimits table[] = {
    {80, 64, 32, 164 * 1024, "A100 SXM 80 GB", 2.039e12, 312e12},
    {86, 48, 16, 100 * 1024, "A40", 0.696e12, 149.7e12},
    {89, 48, 24, 100 * 1024, "L40", 0.864e12, 181e12},
    {90, 64, 32, 228 * 1024, "H100 SXM", 3.35e12, 989e12},
};

std::optional<MachineFacts> nvidia::machineFacts(const NvidiaSpec &spec,
                                                 const KernelRecord &record) {
  const ProcessorLimits *limits = llvm::find_if(
      table, [&](const ProcessorLimits &row) { return row.capability == spec.capability; });
  if (limits == std::end(table))
    return std::nullopt;
  MachineFacts facts;
  facts.chip = limits->chip.str();
  facts.bytesPerSecond = limits->bytesPerSecond;
  facts.flopsPerSecond = limits->flopsPerSecond;
  facts.banks = 32;
  facts.bankBytes = 4;
  facts.maxWarps = limits->warps;
  if (record.numWarps == 0)
    return facts;
  facts.limits = {{"warps", limits->warps / record.numWarps}, {"CTAs", limits->blocks}};
  if (record.registers > 0) {
    constexpr unsigned unit = 256; // registers
    unsigned perWarp = llvm::alignTo(unsigned(record.registers) * NvidiaSpec::threadsPerWarp, unit);
    unsigned warps = NvidiaSpec::registersPerSM / perWarp;
    facts.limits.emplace_back("registers", warps / record.numWarps);
  }
  constexpr unsigned systemBytes = 1024;
  facts.limits.emplace_back("shared memory",
                            limits->sharedBytes / (record.sharedBytes + systemBytes));
  unsigned blocks = ~0u;
  for (const auto &[name, count] : facts.limits)
    blocks = std::min(blocks, count);
  facts.warps = blocks * record.numWarps;
  return facts;
}
