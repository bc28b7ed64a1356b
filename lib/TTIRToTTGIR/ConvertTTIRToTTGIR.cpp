//===- ConvertTTIRToTTGIR.cpp - give every tensor a layout ----------------===//
// Every tensor gets the default blocked layout of its shape, so ops on tensors
// of one shape agree. Two ops relate tensors of different shapes; their operand
// is converted to the layout that the default one of the result implies:
//
//   before: %c = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
//   after:  %s = ttg.convert_layout %r : #blocked1d -> #ttg.slice<{dim = 1, parent = #blocked2d}>
//           %c = tt.expand_dims %s {axis = 1 : i32} : ... -> tensor<128x1xi32, #blocked2d>
//
// Types are changed in place: no op is rebuilt, locations and attributes stay.
//
// Requires: TTIR without encodings. Ensures: every tensor has one; the module
// says warps, threads, CTAs and target. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIRToTTGIR/Passes.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_CONVERTTTIRTOTTGIR
#include "tessera/TTIRToTTGIR/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {

/// The threads that tensors are spread over.
struct Machine {
  unsigned numWarps, threadsPerWarp, numCTAs;

  RankedTensorType layOut(RankedTensorType type) const {
    auto encoding = ttg::BlockedEncodingAttr::getDefault(type.getContext(), type.getShape(),
                                                         numWarps, threadsPerWarp, numCTAs);
    return type.cloneWithEncoding(encoding);
  }
  Type layOut(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.getEncoding() ? layOut(tensor) : type;
  }
};

struct ConvertTTIRToTTGIR : tessera::impl::ConvertTTIRToTTGIRBase<ConvertTTIRToTTGIR> {
  using ConvertTTIRToTTGIRBase::ConvertTTIRToTTGIRBase;
  void runOnOperation() override;
};

} // namespace

/// Tensors whose dims are no powers of two cannot be spread over threads.
static LogicalResult checkShapes(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor &&
          !llvm::all_of(tensor.getShape(), [](int64_t n) { return llvm::isPowerOf2_64(n); })) {
        emitUnsupported(op) << "tensor shape " << tensor
                            << "; every dimension has to be a power of two";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static void layOutValues(ModuleOp module, const Machine &machine) {
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(machine.layOut(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(machine.layOut(argument.getType()));
  });
}

/// Types that ops carry in attributes: constants and function signatures.
static void layOutAttributes(ModuleOp module, const Machine &machine) {
  module.walk([&](arith::ConstantOp op) {
    if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue()))
      op.setValueAttr(elements.reshape(cast<ShapedType>(op.getType())));
  });
  module.walk([&](tt::FuncOp op) {
    auto convertAll = [&](ArrayRef<Type> types) {
      return llvm::map_to_vector(types, [&](Type type) { return machine.layOut(type); });
    };
    FunctionType type = op.getFunctionType();
    op.setFunctionType(FunctionType::get(op.getContext(), convertAll(type.getInputs()),
                                         convertAll(type.getResults())));
  });
}

static void convertOperand(Operation *op, unsigned index, Attribute encoding) {
  Value operand = op->getOperand(index);
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getEncoding() == encoding)
    return;
  OpBuilder b(op);
  op->setOperand(index, ttg::ConvertLayoutOp::create(b, op->getLoc(),
                                                     type.cloneWithEncoding(encoding), operand));
}

static void convertOperands(ModuleOp module) {
  module.walk([](tt::ExpandDimsOp op) {
    auto parent = cast<ttg::DistributedEncodingAttr>(op.getType().getEncoding());
    convertOperand(op, 0, ttg::SliceEncodingAttr::get(op.getContext(), op.getAxis(), parent));
  });
  module.walk([](tt::BroadcastOp op) { convertOperand(op, 0, op.getType().getEncoding()); });
}

void ConvertTTIRToTTGIR::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkShapes(module)))
    return signalPassFailure();
  ttg::setNumWarps(module, numWarps);
  ttg::setThreadsPerWarp(module, threadsPerWarp);
  ttg::setNumCTAs(module, numCTAs);
  ttg::setTargetName(module, target);

  Machine machine{numWarps, threadsPerWarp, numCTAs};
  layOutValues(module, machine);
  layOutAttributes(module, machine);
  convertOperands(module);
}
