//===- ConvertTTGIRToLLIR.cpp - lower tiles to scalar code for NVIDIA -----===//
// The generic lowering with this vendor's answers. See
// tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h for what it requires and ensures.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIACONVERTTTGIRTOLLIR
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;

namespace {
struct ConvertTTGIRToLLIR : nvidia::impl::NvidiaConvertTTGIRToLLIRBase<ConvertTTGIRToLLIR> {
  using NvidiaConvertTTGIRToLLIRBase::NvidiaConvertTTGIRToLLIRBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringRef target = ttg::getTargetName(module);
    const nvidia::NvidiaSpec *spec = nvidia::NvidiaSpec::parse(target);
    if (!spec) {
      module.emitError() << "module is for target '" << target
                         << "', which is no NVIDIA GPU we know";
      return signalPassFailure();
    }
    unsigned numWarps = ttg::getNumWarps(module),
             otherWarps = ttg::getTotalNumWarps(module) - numWarps;
    nvidia::NvidiaTargetInfo info(*spec, ttg::getNumCTAs(module), numWarps * spec->threadsPerWarp,
                                  otherWarps * spec->threadsPerWarp);
    if (failed(convertTTGIRToLLIR(module, info, {.printEveryThread = printEveryThread})))
      signalPassFailure();
  }
};
} // namespace
