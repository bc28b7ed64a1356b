//===- Vendor.cpp - NVIDIA in the registry of targets ---------------------===//
#include "tessera/Target/Vendor.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/Toolkit.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::nvidia;

/// The default target is Hopper, which most users of Triton kernels have.
static constexpr unsigned kDefaultCapability = 90;

/// The numbers that layouts are chosen by. Costs were measured on H200; they fit the others too.
static std::optional<MachineModel> findMachine(StringRef target) {
  if (!NvidiaSpec::parse(target))
    return std::nullopt;
  MachineModel machine;
  machine.maxVectorBits = NvidiaSpec::maxVectorBits;
  // CUDA C++ Programming Guide, shared memory: 32 banks of 32 bits.
  machine.banks = {.laneBits = Log2_32(NvidiaSpec::threadsPerWarp), .banks = 32, .bankBytes = 4};
  // Each cycle, a multiprocessor issues four instructions, and executes one shuffle or wavefront
  // and two selects (CUDA C++ Programming Guide, throughput of native arithmetic instructions).
  machine.moves = {.wantedScratchBytes = 32 * 1024,
                   .shuffle = 1.25,
                   .select = 0.75,
                   .sharedLatency = 12,
                   .throughShared = 32,
                   .throughCluster = 256,
                   .sharedWord = 8,
                   .clusterWord = 32,
                   .shuffledWord = 4,
                   .cachedAccess = 8};
  // A shuffle has a quarter of the throughput of simple instructions; lanes read 16 bytes of f32.
  machine.reduces = {
      .shuffle = 4, .select = 1, .combine = 1, .store = 4, .readAlone = 8, .readEach = 4};
  return machine;
}

static void addMachines(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, ttg::TTGDialect *dialect) {
    ttg::addMachines(*dialect, findMachine);
  });
}

namespace {
class NvidiaVendor : public Vendor {
public:
  std::unique_ptr<tessera::Target> create(StringRef text, const ToolPaths &tools) const override {
    const NvidiaSpec *spec = NvidiaSpec::parse(text);
    return spec ? createNvidiaTarget(*spec, tools) : nullptr;
  }

  SmallVector<TargetDescription> list() const override {
    SmallVector<TargetDescription> targets;
    for (const NvidiaSpec &spec : NvidiaSpec::all())
      targets.push_back({formatv("cuda:{0}", spec.capability),
                         formatv("NVIDIA {0} ({1})", spec.chip, spec.products), spec.chip.str(),
                         spec.featureNames(), spec.capability == kDefaultCapability});
    return targets;
  }

  SmallVector<StringRef> options() const override {
    return {
#define COMPILE_OPTION(type, field, value, flag, help) flag,
#define OPTION_VALUE(flag, word)
#include "tessera/Target/NVIDIA/Options.def"
#undef OPTION_VALUE
#undef COMPILE_OPTION
    };
  }
  SmallVector<ToolRole> tools() const override { return nvidia::listTools(); }
  SmallVector<FoundTool> findTools(const ToolPlaces &places) const override {
    return nvidia::findTools(places);
  }
  void chooseTools(ArrayRef<FoundTool> found, ToolPaths &paths) const override {
    nvidia::chooseTools(found, paths);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::NVVM::NVVMDialect, ttng::TTNGDialect>();
    addMachines(registry);
  }
  void registerPasses(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::NVVM::NVVMDialect, ttng::TTNGDialect>();
    addMachines(registry);
    registerNVIDIAPasses();
    registerPipelines();
  }
  bool needsLayouts(StringRef pass) const override { return pass.starts_with("nvidia-"); }
};
} // namespace

namespace tessera {
const Vendor &getNVIDIAVendor() {
  static const NvidiaVendor vendor;
  return vendor;
}
} // namespace tessera
