//===- Spec.cpp - the table of NVIDIA chips -------------------------------===//
// Sources: CUDA C++ Programming Guide, "Compute Capabilities" (shared memory
// per block); PTX ISA, "Target ISA Notes" of each instruction (features).
// PTX 8.1 is the first with atomics of vectors on sm_90a, and drivers of CUDA 12.1
// load it; 8.4 is the first with mma.sync of fp8 on sm_89. On sm_90 ptxas expands
// that instruction to conversions and mma.sync of f16: it is not a feature there.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Spec.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera::nvidia;

static constexpr uint32_t ampere = AsyncCopy | CachePolicy | NanMinMax;
static constexpr uint32_t ada = ampere | PackedFP8Convert | FP8MMA;
static constexpr uint32_t hopper = ampere | PackedFP8Convert | NativeBF16 | TensorMemoryAccess |
                                   WarpGroupMMA | Clusters | WideAtomics | MatrixStores | FP64MMA |
                                   WideFP64MMA;

static constexpr NvidiaSpec table[] = {
    {80, "sm_80", "A100, A30", 80, 163 * 1024, ampere | FP64MMA},
    {86, "sm_86", "A10, A40, RTX 30", 80, 99 * 1024, ampere},
    {89, "sm_89", "L4, L40, RTX 40", 84, 99 * 1024, ada},
    {90, "sm_90a", "H100, H200, GH200", 81, 227 * 1024, hopper},
};

llvm::ArrayRef<NvidiaSpec> NvidiaSpec::all() { return table; }

const NvidiaSpec *NvidiaSpec::find(unsigned capability) {
  const NvidiaSpec *row =
      llvm::find_if(table, [&](const NvidiaSpec &s) { return s.capability == capability; });
  return row == std::end(table) ? nullptr : row;
}

const NvidiaSpec *NvidiaSpec::parse(llvm::StringRef target) {
  unsigned capability;
  if (!target.consume_front("cuda:"))
    return nullptr;
  target.consume_back(":32"); // Triton's backend:arch:warp-size
  if (target.getAsInteger(10, capability))
    return nullptr;
  return find(capability);
}

std::vector<std::string> NvidiaSpec::featureNames() const {
  std::vector<std::string> names;
#define FEATURE(name)                                                                              \
  if (has##name())                                                                                 \
    names.push_back(#name);
#include "tessera/Target/NVIDIA/Features.def"
  return names;
}
