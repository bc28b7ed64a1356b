//===- Registration.cpp - what tessera-opt knows --------------------------===//
// Add a dialect or a library's passes here, one line each.
//===----------------------------------------------------------------------===//
#include "Registration.h"
#include "null/NullTarget.h"
#include "null/Passes.h"

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "tessera/TTIRToTTGIR/Passes.h"
#include "tessera/Target/Target.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tessera::registerDialects(DialectRegistry &registry) {
  registry.insert<tt::TTDialect, ttg::TTGDialect>();
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, ub::UBDialect>();
}

void tessera::registerPasses(DialectRegistry &registry) {
  registerTransformsPasses(); // canonicalize, cse, inline, symbol-dce, loop-invariant-code-motion
  registerPass([] { return createSCFToControlFlowPass(); }); // convert-scf-to-cf
  registerTTIRPasses();
  registerTTIRPipelines();
  registerTTIRToTTGIRPasses();
  registerTTGIRPasses();
  registerTestAxisInfoPass();
  registerTargetPasses(registry);
  null::registerNullPasses();
  getNullVendor().registerDialects(registry);
}
