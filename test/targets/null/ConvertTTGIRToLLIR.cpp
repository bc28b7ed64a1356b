//===- ConvertTTGIRToLLIR.cpp - the generic lowering with null's answers --===//
// See include/tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h for what it requires and ensures.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h"
#include "null/Passes.h"
#include "null/TargetInfo.h"

using namespace mlir;

namespace tessera::null {
#define GEN_PASS_DEF_NULLCONVERTTTGIRTOLLIR
#include "null/Passes.h.inc"
} // namespace tessera::null

using namespace tessera;

namespace {
struct ConvertTTGIRToLLIR : null::impl::NullConvertTTGIRToLLIRBase<ConvertTTGIRToLLIR> {
  using NullConvertTTGIRToLLIRBase::NullConvertTTGIRToLLIRBase;

  void runOnOperation() override {
    null::NullTargetInfo info;
    if (failed(convertTTGIRToLLIR(getOperation(), info, {.printEveryThread = printEveryThread})))
      signalPassFailure();
  }
};
} // namespace
