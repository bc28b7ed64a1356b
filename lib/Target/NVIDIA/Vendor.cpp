//===- Vendor.cpp - NVIDIA in the registry of targets ---------------------===//
#include "tessera/Target/Vendor.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/Toolkit.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::nvidia;

/// What most users of Triton kernels have: Hopper.
static constexpr unsigned kDefaultCapability = 90;

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

  SmallVector<ToolRole> tools() const override { return nvidia::listTools(); }
  SmallVector<FoundTool> findTools(const ToolPlaces &places) const override {
    return nvidia::findTools(places);
  }
  void chooseTools(ArrayRef<FoundTool> found, ToolPaths &paths) const override {
    nvidia::chooseTools(found, paths);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::NVVM::NVVMDialect>();
  }
  void registerPasses(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::NVVM::NVVMDialect, ttng::TTNGDialect>();
    registerNVIDIAPasses();
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
