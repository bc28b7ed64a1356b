//===- Vendor.cpp - the CPU in the registry of targets --------------------===//
#include "tessera/Target/Vendor.h"
#include "tessera/Target/CPU/CPUTarget.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "tessera/Target/CPU/Passes.h"

using namespace llvm;
using namespace tessera;

namespace {
class CPUVendor : public Vendor {
public:
  std::unique_ptr<tessera::Target> create(StringRef text, const ToolPaths &) const override {
    return text == "cpu" ? cpu::createCPUTarget() : nullptr;
  }
  SmallVector<TargetDescription> list() const override {
    return {{"cpu", "this machine's processor", "", {}}};
  }
  SmallVector<StringRef> options() const override {
    return {
#define COMPILE_OPTION(type, field, value, flag, help) flag,
#define OPTION_VALUE(flag, word)
#include "tessera/Target/CPU/Options.def"
#undef OPTION_VALUE
#undef COMPILE_OPTION
    };
  }
  void registerPasses(mlir::DialectRegistry &registry) const override {
    registry.insert<ttc::TTCDialect>();
    cpu::registerCPUPasses();
  }
};
} // namespace

namespace tessera {
const Vendor &getCPUVendor() {
  static const CPUVendor vendor;
  return vendor;
}
} // namespace tessera
