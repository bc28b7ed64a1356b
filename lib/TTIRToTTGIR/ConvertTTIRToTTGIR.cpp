//===- ConvertTTIRToTTGIR.cpp - give every tensor a layout ----------------===//
// Every tensor gets the default blocked layout of its shape, so that elementwise ops agree. For ops
// between tensors of different shapes, the layout of one implies the layout of the other: either
// the operand is converted to the layout that the result's default implies, or the result gets the
// layout that the operand's implies and is converted to its default.
//
//   before: %c = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
//   after:  %s = ttg.convert_layout %r : #blocked1d -> #ttg.slice<{dim = 1, parent = #blocked2d}>
//           %c = tt.expand_dims %s {axis = 1 : i32} : ... -> tensor<128x1xi32, #blocked2d>
//
//   expand_dims   the operand becomes a slice of the result's default layout
//   broadcast     the operand gets the result's layout
//   split         the operand has both halves in one thread
//   dot           the result is blocked in squares; the operands are dot operands of it
//   reduce, trans, reshape, join, split, cat    the result's layout follows from the operand's
//
// Types are changed in place: no op is recreated, and locations and attributes stay. The regions of
// reduce, scan and map_elementwise work on scalars and are left alone.
//
// Requires: TTIR without encodings, calls, block pointers and descriptors. Ensures: every tensor
// has an encoding; the module has the attributes for warps, threads, CTAs and target. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIRToTTGIR/Passes.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_CONVERTTTIRTOTTGIR
#include "tessera/TTIRToTTGIR/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {

/// The smallest number of rows or columns of a matrix unit's tile.
constexpr unsigned kSmallestTile = 16;

/// The numbers of threads, warps and CTAs that tensors are distributed over.
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
  /// Returns a layout in which a thread holds both elements of a last dimension of size two.
  Attribute pairsPerThread(RankedTensorType type) const {
    SmallVector<unsigned> sizes(type.getRank(), 1);
    sizes.back() = 2;
    return minorLastBlocked(type, sizes, sizes);
  }
  /// Returns a layout in which each thread computes a square of the product: n * n products need
  /// only 2 * n operands.
  Attribute squaresPerThread(RankedTensorType type) const {
    int64_t share = type.getNumElements() / (int64_t(numWarps) * threadsPerWarp);
    unsigned side = share >= 16 ? 4 : share >= 4 ? 2 : 1;
    SmallVector<unsigned> sizes(type.getRank(), 1);
    sizes[type.getRank() - 1] = sizes[type.getRank() - 2] = side;
    // The CTAs of a cluster split a dimension as long as each has whole tiles of matrix units.
    SmallVector<unsigned> least(type.getRank(), 1);
    least[type.getRank() - 1] = least[type.getRank() - 2] = kSmallestTile;
    return minorLastBlocked(type, sizes, least);
  }
  Attribute minorLastBlocked(RankedTensorType type, ArrayRef<unsigned> sizePerThread,
                             ArrayRef<unsigned> leastPerBlock) const {
    SmallVector<unsigned> order =
        llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, type.getRank())));
    return ttg::BlockedEncodingAttr::get(
        type.getContext(),
        blockedForShape(type.getShape(), sizePerThread, order, {numWarps, threadsPerWarp},
                        defaultCga(type.getShape(), leastPerBlock, order, numCTAs)));
  }
};

struct ConvertTTIRToTTGIR : tessera::impl::ConvertTTIRToTTGIRBase<ConvertTTIRToTTGIR> {
  using ConvertTTIRToTTGIRBase::ConvertTTIRToTTGIRBase;
  void runOnOperation() override;
};

} // namespace

/// Returns whether the op may have tensor operands: elementwise ops, ops whose layouts this pass
/// relates, ops that accept any layouts, and control flow, which carries any type.
static bool isKnown(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<arith::ConstantOp, ub::PoisonOp, tt::FuncOp, tt::ReturnOp, tt::MakeRangeOp,
             tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::UnsplatOp, tt::ReshapeOp,
             tt::TransOp, tt::JoinOp, tt::SplitOp, tt::CatOp, tt::LoadOp, tt::StoreOp,
             tt::AtomicRMWOp, tt::AtomicCASOp, tt::DotOp, tt::DotScaledOp, tt::ReduceOp, tt::ScanOp,
             tt::GatherOp, tt::HistogramOp, tt::PrintOp, tt::AssertOp, ttg::Fp4ToFpOp>(op) ||
         isa_and_nonnull<scf::SCFDialect, cf::ControlFlowDialect>(op->getDialect());
}

/// Layouts halve dimensions, so each size must be a power of two.
static bool canBeLaidOut(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || (tensor.getRank() > 0 && llvm::all_of(tensor.getShape(), [](int64_t size) {
                       return size > 0 && llvm::isPowerOf2_64(size);
                     }));
}

static LogicalResult checkOp(Operation *op, StringRef target) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  bool hasTensors = false;
  for (Type type : types) {
    hasTensors |= isa<RankedTensorType>(type);
    if (!canBeLaidOut(type))
      return emitUnsupported(op) << "tensor shape " << type
                                 << "; every dimension has to be a power of two";
  }
  if (hasTensors && !isKnown(op))
    return emitUnsupported(op) << "'" << op->getName() << "' is not implemented for " << target;
  return success();
}

static LogicalResult checkOps(ModuleOp module, StringRef target) {
  WalkResult result = module.walk([&](Operation *op) {
    return failed(checkOp(op, target)) ? WalkResult::interrupt() : WalkResult::advance();
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

/// Updates types that are stored in attributes: constants and function signatures.
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

static void convertResult(Operation *op, unsigned index, Attribute encoding) {
  Value result = op->getResult(index);
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getEncoding() == encoding)
    return;
  result.setType(type.cloneWithEncoding(encoding));
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto back = ttg::ConvertLayoutOp::create(b, op->getLoc(), type, result);
  result.replaceAllUsesExcept(back, back);
}

/// Gives A and B the layouts of dot operands for a result that is blocked in squares.
static void convertDot(tt::DotOp op, const Machine &machine) {
  Attribute squares = machine.squaresPerThread(cast<RankedTensorType>(op.getType()));
  auto operand = [&](unsigned index) {
    return ttg::DotOperandEncodingAttr::get(
        op.getContext(), index, cast<ttg::DistributedEncodingAttr>(squares), /*kWidth=*/0);
  };
  convertOperand(op, 0, operand(0));
  convertOperand(op, 1, operand(1));
  convertOperand(op, 2, squares);
  convertResult(op, 0, squares);
}

static void convertOperands(ModuleOp module, const Machine &machine) {
  module.walk([](tt::ExpandDimsOp op) {
    auto parent = cast<ttg::DistributedEncodingAttr>(op.getType().getEncoding());
    convertOperand(op, 0, ttg::SliceEncodingAttr::get(op.getContext(), op.getAxis(), parent));
  });
  module.walk([](tt::BroadcastOp op) { convertOperand(op, 0, op.getType().getEncoding()); });
  module.walk([&](tt::SplitOp op) {
    convertOperand(op, 0, machine.pairsPerThread(op.getSrc().getType()));
  });
  module.walk([&](tt::DotOp op) { convertDot(op, machine); });
}

/// Returns the layout that the operand implies for the result, for ops that move no data.
static FailureOr<Attribute> impliedEncoding(Operation *op) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto emitError = [&] { return emitUnsupported(op); };
  const tt::LayoutInterface *layouts = tt::LayoutInterface::of(source.getEncoding(), emitError);
  if (!layouts)
    return failure();
  if (auto trans = dyn_cast<tt::TransOp>(op))
    return layouts->inferTrans(source.getEncoding(), source.getShape(), trans.getOrder(),
                               emitError);
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return layouts->inferReshape(source.getEncoding(), source.getShape(),
                                 reshape.getType().getShape(), emitError);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return layouts->inferReduce(source.getEncoding(), reduce.getAxis(), emitError);
  if (isa<tt::JoinOp>(op))
    return layouts->inferJoin(source.getEncoding(), source.getShape(), emitError);
  if (auto cat = dyn_cast<tt::CatOp>(op))
    return ttg::inferCatEncoding(source, cast<RankedTensorType>(cat.getType()).getShape(),
                                 emitError);
  if (auto pairs = dyn_cast<ttg::Fp4ToFpOp>(op)) {
    FailureOr<LinearLayout> layout = ttg::inferFp4ToFpLayout(
        source.getEncoding(), source.getShape(), pairs.getAxis(), emitError);
    if (failed(layout))
      return failure();
    return Attribute(ttg::toLinearEncoding(op->getContext(), *layout));
  }
  return layouts->inferSplit(source.getEncoding(), source.getShape(), emitError);
}

static LogicalResult convertResults(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    if (!isa<tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp, tt::CatOp, tt::ReduceOp,
             ttg::Fp4ToFpOp>(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return WalkResult::advance();
    FailureOr<Attribute> encoding = impliedEncoding(op);
    if (failed(encoding))
      return WalkResult::interrupt();
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      convertResult(op, i, *encoding);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void ConvertTTIRToTTGIR::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkOps(module, target)))
    return signalPassFailure();
  ttg::setNumWarps(module, numWarps);
  ttg::setThreadsPerWarp(module, threadsPerWarp);
  ttg::setNumCTAs(module, numCTAs);
  ttg::setTargetName(module, target);

  Machine machine{numWarps, threadsPerWarp, numCTAs};
  layOutValues(module, machine);
  layOutAttributes(module, machine);
  convertOperands(module, machine);
  if (failed(convertResults(module)))
    signalPassFailure();
}
