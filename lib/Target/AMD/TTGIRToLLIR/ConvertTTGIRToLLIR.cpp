//===- ConvertTTGIRToLLIR.cpp - lower tiles to scalar code for AMD --------===//
// The generic lowering with this vendor's answers. See
// tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h for what it requires and ensures.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/Target/AMD/Passes.h"
#include "tessera/Target/AMD/TargetInfo.h"

using namespace mlir;

namespace tessera::amd {
#define GEN_PASS_DEF_AMDCONVERTTTGIRTOLLIR
#include "tessera/Target/AMD/Passes.h.inc"
} // namespace tessera::amd

using namespace tessera;

namespace {
struct ConvertTTGIRToLLIR : amd::impl::AmdConvertTTGIRToLLIRBase<ConvertTTGIRToLLIR> {
  using AmdConvertTTGIRToLLIRBase::AmdConvertTTGIRToLLIRBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringRef target = ttg::getTargetName(module);
    const amd::AmdSpec *spec = amd::AmdSpec::parse(target);
    if (!spec) {
      module.emitError() << "module is for target '" << target << "', which is no AMD GPU we know";
      return signalPassFailure();
    }
    amd::AmdTargetInfo info(*spec, flushDenormals);
    if (failed(convertTTGIRToLLIR(module, info, {.printEveryThread = printEveryThread})))
      signalPassFailure();
  }
};
} // namespace
