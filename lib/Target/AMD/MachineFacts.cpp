//===- MachineFacts.cpp - how a kernel uses a chip ------------------------===//
// Sources: LLVM's AMDGPU usage guide and GCNSubtarget (what a SIMD unit holds, and the units in
// which registers are given to waves); AMD's instruction set guides (LDS of a compute unit, and
// of RDNA's workgroup processor, which runs a CTA on two of them); the products' data sheets
// (rates, of dense products of 16-bit floats).
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/AmdTarget.h"
#include "tessera/Target/AMD/Spec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::amd;

namespace {
struct Rates {
  llvm::StringLiteral chip, product;
  double bytesPerSecond, flopsPerSecond;
};
} // namespace

static constexpr Rates table[] = {
    {"gfx90a", "MI210", 1.638e12, 181e12},         {"gfx942", "MI300X", 5.3e12, 1307.4e12},
    {"gfx950", "MI355X", 8e12, 2516.6e12},         {"gfx1100", "RX 7900 XTX", 0.96e12, 122.8e12},
    {"gfx1101", "RX 7800 XT", 0.624e12, 74.7e12},  {"gfx1102", "RX 7600", 0.288e12, 43.5e12},
    {"gfx1200", "RX 9060 XT", 0.322e12, 102.6e12}, {"gfx1201", "RX 9070 XT", 0.64e12, 194.6e12},
};

std::optional<MachineFacts> amd::machineFacts(const AmdSpec &spec, const KernelRecord &record) {
  const Rates *rates =
      llvm::find_if(table, [&](const Rates &row) { return row.chip == spec.chip; });
  if (rates == std::end(table))
    return std::nullopt;
  constexpr unsigned simds = 4; // of a compute unit of CDNA, and of a workgroup processor of RDNA
  MachineFacts facts;
  facts.chip = rates->product.str();
  facts.bytesPerSecond = rates->bytesPerSecond;
  facts.flopsPerSecond = rates->flopsPerSecond;
  facts.banks = spec.sharedBanks;
  facts.bankBytes = AmdSpec::bankBytes;
  facts.maxWarps = simds * spec.maxWarpsPerSIMD;
  if (record.numWarps == 0)
    return facts;
  facts.limits = {{"waves", facts.maxWarps / record.numWarps}};
  if (record.registers > 0) {
    unsigned perWave = llvm::alignTo(unsigned(record.registers), spec.registerUnit());
    unsigned waves = std::min(spec.registersPerSIMD / perWave, spec.maxWarpsPerSIMD) * simds;
    facts.limits.emplace_back("registers", waves / record.numWarps);
  }
  if (record.sharedBytes > 0) {
    // A CTA of RDNA has at most half of its processor's.
    unsigned sharedBytes = spec.maxSharedBytes * (spec.threadsPerWarp == 64 ? 1 : 2);
    facts.limits.emplace_back("shared memory", sharedBytes / record.sharedBytes);
  }
  unsigned blocks = ~0u;
  for (const auto &[name, count] : facts.limits)
    blocks = std::min(blocks, count);
  facts.warps = blocks * record.numWarps;
  return facts;
}

std::vector<GridStation> amd::gridStations(const KernelRecord &record) {
  GridStation layout{
      "the workgroup's layout in TTGIR",
      llvm::formatv("a program is one workgroup of {0} waves with {1} lanes each; "
                    "layouts spread a tensor over these, and the grid is not in them",
                    record.numWarps, record.threadsPerWarp),
      "ttgir",
      {"module attributes", "#ttg.blocked<"}};
  GridStation ids{"program ids in LLVM IR",
                  "tl.program_id(i) reads the workgroup's position in the grid, and "
                  "tl.num_programs(i) the number of workgroups, which the runtime writes behind "
                  "the kernel's arguments",
                  "llir",
                  {"amdgcn.workgroup.id", "amdgcn.implicitarg.ptr"}};
  GridStation registers{"scalar registers in AMDGCN",
                        "the hardware sets them for each workgroup before the kernel starts",
                        "amdgcn",
                        {".amdhsa_system_sgpr_workgroup_id", "ttmp9", "ttmp7"}};
  GridStation bounds{"launch bounds",
                     llvm::formatv("the compiler assigns registers for {0} work-items per "
                                   "workgroup{1}, and HIP refuses a launch with more",
                                   record.threadsPerBlock(),
                                   record.registers >= 0
                                       ? llvm::formatv(", {0} each", record.registers).str()
                                       : ""),
                     "amdgcn",
                     {".amdhsa_next_free_vgpr", ".max_flat_workgroup_size", ".wavefront_size"}};
  GridStation launch{"the launch",
                     llvm::formatv("hipModuleLaunchKernel with the grid in workgroups, and "
                                   "workgroups of {0} work-items",
                                   record.threadsPerBlock()),
                     "",
                     {}};
  return {layout, ids, registers, bounds, launch};
}
