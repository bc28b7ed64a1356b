//===- Vendor.cpp - AMD in the registry of targets ------------------------===//
#include "tessera/Target/Vendor.h"
#include "OcmlLibrary.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/Target/AMD/AmdTarget.h"
#include "tessera/Target/AMD/IR/AMDGOps.h"
#include "tessera/Target/AMD/IR/ROCDLOps.h"
#include "tessera/Target/AMD/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

/// The numbers that layouts are chosen by: estimates from the instruction set guides, not yet
/// measured on a chip.
static std::optional<MachineModel> findMachine(StringRef target) {
  const AmdSpec *spec = AmdSpec::parse(target);
  if (!spec)
    return std::nullopt;
  MachineModel machine;
  machine.maxVectorBits = AmdSpec::maxVectorBits;
  machine.banks = {.laneBits = Log2_32(spec->threadsPerWarp),
                   .banks = spec->sharedBanks,
                   .bankBytes = AmdSpec::bankBytes};
  machine.matrixLoads = spec->matrixLoads();
  // CDNA serves reads of 16 bytes in groups {0-3, 20-23}, {4-7, 16-19}, {8-11, 28-31}, ... of lanes
  // (documentation of AMD's Composable Kernel, "LDS bank conflicts").
  if (spec->hasMFMA() && spec->sharedBanks == 32)
    machine.banks.widestLoadLanes = {1, 2, 20, 4, 8, 32};
  // A quarter of the shared memory: several CTAs still fit.
  machine.moves.wantedScratchBytes = 16 * 1024;
  machine.moves.maxScratchBytes = spec->maxSharedBytes / 4;
  return machine;
}

static void addMachines(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, ttg::TTGDialect *dialect) {
    ttg::addMachines(*dialect, findMachine);
  });
}

namespace {
class AmdVendor : public Vendor {
public:
  std::unique_ptr<tessera::Target> create(StringRef text, const ToolPaths &tools) const override {
    const AmdSpec *spec = AmdSpec::parse(text);
    return spec ? createAmdTarget(*spec, tools) : nullptr;
  }

  SmallVector<TargetDescription> list() const override {
    SmallVector<TargetDescription> targets;
    for (const AmdSpec &spec : AmdSpec::all())
      targets.push_back({spec.name(), formatv("AMD {0} ({1})", spec.chip, spec.products),
                         spec.chip.str(), spec.featureNames()});
    return targets;
  }

  SmallVector<StringRef> options() const override {
    return {
#define COMPILE_OPTION(type, field, value, flag, help) flag,
#define OPTION_VALUE(flag, word)
#include "tessera/Target/AMD/Options.def"
#undef OPTION_VALUE
#undef COMPILE_OPTION
    };
  }

  SmallVector<ToolRole> tools() const override {
    return {{.name = kOcmlRole.str(), .label = "ocml", .missing = "not found", .help = ""}};
  }
  SmallVector<FoundTool> findTools(const ToolPlaces &places) const override {
    return {{kOcmlRole.str(), findOcml(places)}};
  }
  void chooseTools(ArrayRef<FoundTool> found, ToolPaths &paths) const override {
    for (const FoundTool &tool : found)
      if (tool.name == kOcmlRole)
        paths.paths[kOcmlRole.str()] = tool.path;
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<amdg::AMDGDialect, rocdl::ROCDLDialect>();
    addMachines(registry);
  }
  void registerPasses(mlir::DialectRegistry &registry) const override {
    registry.insert<amdg::AMDGDialect, rocdl::ROCDLDialect>();
    addMachines(registry);
    registerAMDPasses();
    registerPipelines();
  }
  bool needsLayouts(StringRef pass) const override { return pass.starts_with("amd-"); }
};
} // namespace

namespace tessera {
const Vendor &getAMDVendor() {
  static const AmdVendor vendor;
  return vendor;
}
} // namespace tessera
