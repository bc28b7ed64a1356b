//===- Spec.cpp - the table of AMD chips ----------------------------------===//
// Sources: AMD's instruction set guides of CDNA2, CDNA3, CDNA4, RDNA3 and RDNA4; LLVM's
// AMDGPU usage guide ("Processors"); its GCNSubtarget (registers and waves per SIMD).
//
// CDNA counts vector and accumulation registers together: 512 for a lane, of which one
// wave can name 256 of each kind. RDNA's 1536 registers are those of 32 lanes.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Spec.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera::amd;

static constexpr uint32_t cdna2 =
    MFMA | PackedF32 | DPPRowBroadcast | KernargPreload | IEEEMode | DirectToLDS | PackedF16Atomics;
static constexpr uint32_t cdna3 = cdna2 | XF32 | FP8Matrix | FP8Fnuz | PackedBF16Atomics;
static constexpr uint32_t cdna4 = cdna2 | WideMFMA | FP8Matrix | FP8Ocp | BF16Convert |
                                  PermLaneSwap | WideDirectToLDS | TransposingLDSRead |
                                  PackedBF16Atomics;
static constexpr uint32_t rdna3 = WMMA | DPPRowXmask | PermLaneX16 | IEEEMode;
static constexpr uint32_t rdna4 = WMMA | PackedWMMA | FP8Matrix | FP8Ocp | DPPRowXmask |
                                  PermLaneX16 | PackedF16Atomics | PackedBF16Atomics;

// A descriptor's data format is 32 bits; RDNA also chooses the check of raw buffers. The bits of
// cache policies are those that LLVM sets for accesses with !nontemporal: glc slc, nt, slc dlc and
// TH_NT.
static constexpr uint32_t cdnaFlags = 0x27000, rdnaFlags = 0x31027000;
static constexpr AmdSpec::Buffers cdna2Buffers = {cdnaFlags, 3, 3},
                                  cdna3Buffers = {cdnaFlags, 2, 2},
                                  rdna3Buffers = {rdnaFlags, 6, 7},
                                  rdna4Buffers = {rdnaFlags, 1, 1};

static constexpr unsigned KiB = 1024;
static constexpr AmdSpec table[] = {
    {"gfx90a", "MI210, MI250", 64, 64 * KiB, 32, 512, 512, 8, cdna2, cdna2Buffers},
    {"gfx942", "MI300A, MI300X, MI325X", 64, 64 * KiB, 32, 512, 512, 8, cdna3, cdna3Buffers},
    {"gfx950", "MI350X, MI355X", 64, 160 * KiB, 64, 512, 512, 8, cdna4, cdna3Buffers},
    {"gfx1100", "RX 7900, W7900", 32, 64 * KiB, 32, 1536, 256, 16, rdna3, rdna3Buffers},
    {"gfx1101", "RX 7800, RX 7700", 32, 64 * KiB, 32, 1536, 256, 16, rdna3, rdna3Buffers},
    {"gfx1102", "RX 7600", 32, 64 * KiB, 32, 1024, 256, 16, rdna3, rdna3Buffers},
    {"gfx1200", "RX 9060", 32, 64 * KiB, 32, 1536, 256, 16, rdna4, rdna4Buffers},
    {"gfx1201", "RX 9070", 32, 64 * KiB, 32, 1536, 256, 16, rdna4, rdna4Buffers},
};

llvm::ArrayRef<AmdSpec> AmdSpec::all() { return table; }

const AmdSpec *AmdSpec::find(llvm::StringRef chip) {
  const AmdSpec *row = llvm::find_if(table, [&](const AmdSpec &s) { return s.chip == chip; });
  return row == std::end(table) ? nullptr : row;
}

const AmdSpec *AmdSpec::parse(llvm::StringRef target) {
  if (!target.consume_front("hip:"))
    return nullptr;
  // Drivers append features ("gfx942:sramecc+:xnack-"), and Triton the size of a warp.
  auto [chip, rest] = target.split(':');
  const AmdSpec *spec = find(chip);
  unsigned lanes = 0;
  bool isOtherSize = spec && !rest.getAsInteger(10, lanes) && lanes != spec->threadsPerWarp;
  return isOtherSize ? nullptr : spec;
}

std::vector<std::string> AmdSpec::featureNames() const {
  std::vector<std::string> names;
#define FEATURE(name)                                                                              \
  if (has##name())                                                                                 \
    names.push_back(#name);
#include "tessera/Target/AMD/Features.def"
  return names;
}
