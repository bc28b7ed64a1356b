//===- Vendor.cpp - null as the registry of targets would see it ----------===//
#include "tessera/TTGIR/IR/Machines.h"
#include "null/NullTarget.h"
#include "null/Spec.h"

using namespace llvm;
using namespace tessera;

static std::optional<MachineModel> findMachine(StringRef target) {
  if (target != null::NullSpec::name)
    return std::nullopt;
  MachineModel machine;
  machine.maxVectorBits = null::NullSpec::maxVectorBits;
  machine.banks = {.laneBits = Log2_32(null::NullSpec::threadsPerWarp),
                   .banks = null::NullSpec::banks,
                   .bankBytes = null::NullSpec::bankBytes};
  machine.moves.wantedScratchBytes = null::NullSpec::maxSharedBytes / 4;
  return machine;
}

namespace {
class NullVendor : public Vendor {
public:
  std::unique_ptr<tessera::Target> create(StringRef text, const ToolPaths &) const override {
    return text == null::NullSpec::name ? null::createNullTarget() : nullptr;
  }
  SmallVector<TargetDescription> list() const override {
    return {{null::NullSpec::name, "a machine that nobody built", "", {}}};
  }
  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.addExtension(+[](mlir::MLIRContext *, ttg::TTGDialect *dialect) {
      ttg::addMachines(*dialect, findMachine);
    });
  }
};
} // namespace

const Vendor &tessera::getNullVendor() {
  static const NullVendor vendor;
  return vendor;
}
