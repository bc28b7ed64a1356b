//===- LowerTensorCopies.cpp - copies of tiles by tensor maps -------------===//
// One thread starts the copies of all boxes of a tile (planTensorCopy):
//
//   before: ttng.async_tma_copy_global_to_local %d[%i, %j] %tile, %barrier, %true
//   after:  @first cp.async.bulk.tensor.2d.shared::cluster.global.tile
//                  .mbarrier::complete_tx::bytes [tile], [d, {j, i}], [barrier];
//
// PTX counts dimensions from the innermost. Copies into shared memory complete on the barrier.
// Those of one op out of shared memory are a group of the thread that starts them; the wait is
// executed by all threads, and returns at once in those without groups.
//
// A descriptor is the generic address of a tensor map: of a parameter, or of global memory.
//===----------------------------------------------------------------------===//
#include "LowerTensorCopies.h"
#include "InlinePTX.h"
#include "LowerMbarriers.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

/// The boxes between a tensor and a buffer; fails with a diagnostic.
static FailureOr<TensorCopyPlan> planCopy(Operation *op, ttg::MemDescType buffer) {
  if (buffer.isSubview())
    return emitUnsupported(op) << "copy between a tensor and a part of a buffer, " << buffer;
  unsigned bits = buffer.getElementTypeBitWidth();
  std::optional<unsigned> swizzle;
  if (auto encoding = dyn_cast<ttg::NvmmaSharedEncodingAttr>(buffer.getEncoding()))
    swizzle = encoding.getSwizzlingByteWidth();
  std::optional<TensorCopyPlan> plan;
  if (bits % 8 == 0)
    plan = planTensorCopy(ttg::toLinearLayout(buffer), bits / 8, swizzle);
  if (!plan)
    return emitUnsupported(op) << "copy between a tensor and a buffer that lies as no tensor map "
                                  "can say: "
                               << buffer;
  return *plan;
}

namespace {
/// Emits the copies of one op, and holds the values that they share.
class BoxCopies {
public:
  BoxCopies(OpBuilder &b, Operation *op, const TargetInfo &target, Value predicate, Value map,
            ValueRange coordinates, ValueRange buffer)
      : b(b), loc(op->getLoc()), issuer(emitIsIssuer(b, op, target, predicate)),
        always(predicate ? emitIsIssuer(b, op, target) : issuer), map(map),
        coordinates(coordinates), start(emitSharedAddress(b, loc, buffer)) {}

  /// One instruction: `text` with {0} for the guard, {1} for the address in shared memory, {2} for
  /// "map, {x, y}", and {3} for `last`, an address, if there is one.
  void emit(const TensorCopyPlan::Part &part, const std::string &text, Value last = {}) {
    PTXStatement ptx;
    std::string address = ptx.input("r", plus(start, part.bytes));
    std::string place = ptx.input("l", map) + ", {";
    // The buffer may lack leading dimensions of size one.
    unsigned more = coordinates.size() - part.first.size();
    for (unsigned dim = coordinates.size(); dim-- > 0;) {
      int64_t first = dim < more ? 0 : part.first[dim - more];
      place += ptx.input("r", plus(coordinates[dim], first)) + (dim ? ", " : "}");
    }
    std::string end = last ? ptx.input("r", last) : "";
    std::string guard = ptx.guard(issuer);
    ptx.emit(b, loc, llvm::formatv(text.c_str(), guard, address, place, end).str(), {},
             Effects::Writes);
  }
  /// One instruction without operands, also where the predicate does not hold.
  void emitAlone(const std::string &text) {
    PTXStatement ptx;
    ptx.emit(b, loc, ptx.guard(always) + text, {}, Effects::Writes);
  }

private:
  Value plus(Value value, int64_t constant) {
    if (constant == 0)
      return value;
    return LLVM::AddOp::create(
        b, loc, value,
        LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(constant)));
  }

  OpBuilder &b;
  Location loc;
  Value issuer, always, map;
  ValueRange coordinates;
  Value start;
};

static SmallVector<Value> flatten(ArrayRef<ValueRange> values) {
  SmallVector<Value> result;
  for (ValueRange range : values)
    result.append(range.begin(), range.end());
  return result;
}

struct GlobalToLocalLowering : Lowering<ttng::AsyncTMACopyGlobalToLocalOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::AsyncTMACopyGlobalToLocalOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    FailureOr<TensorCopyPlan> plan = planCopy(op, op.getResult().getType());
    if (failed(plan))
      return failure();
    SmallVector<Value> coordinates = flatten(operands.getCoord());
    BoxCopies copies(b, op, target, operands.getPred()[0], operands.getDesc()[0], coordinates,
                     operands.getResult());
    Value barrier = emitSharedAddress(b, op.getLoc(), operands.getBarrier());
    std::string text = llvm::formatv("{{0}cp.async.bulk.tensor.{0}d.shared::cluster.global.tile."
                                     "mbarrier::complete_tx::bytes [{{1}], [{{2}], [{{3}];",
                                     coordinates.size());
    for (const TensorCopyPlan::Part &part : plan->parts)
      copies.emit(part, text, barrier);
    b.eraseOp(op);
    return success();
  }
};

/// Copies out of shared memory: `cp.async.bulk` or `cp.reduce.async.bulk` with an operation.
static void emitDrain(BoxCopies &copies, const TensorCopyPlan &plan, unsigned rank,
                      StringRef reduction) {
  std::string text = llvm::formatv(
      "{{0}cp.{0}async.bulk.tensor.{1}d.global.shared::cta{2}.tile.bulk_group [{{2}], [{{1}];",
      reduction.empty() ? "" : "reduce.", rank, reduction.empty() ? "" : "." + reduction.str());
  for (const TensorCopyPlan::Part &part : plan.parts)
    copies.emit(part, text);
  copies.emitAlone("cp.async.bulk.commit_group;");
}

/// Returns the condition of a copy; null if it has none.
template <typename Adaptor>
static Value predicateOf(ttng::AsyncTMACopyLocalToGlobalOp op, Adaptor operands) {
  return op.getPred() ? operands.getPred()[0] : Value();
}
template <typename Adaptor> static Value predicateOf(ttng::AsyncTMAReduceOp, Adaptor) { return {}; }

/// The operation by which a copy combines the buffer with memory; empty: it overwrites.
static StringRef reductionOf(ttng::AsyncTMACopyLocalToGlobalOp) { return ""; }
static StringRef reductionOf(ttng::AsyncTMAReduceOp op) {
  return tt::stringifyDescriptorReduceKind(op.getKind());
}

template <typename SourceOp> struct LocalToGlobalLowering : Lowering<SourceOp> {
  using Lowering<SourceOp>::Lowering;
  LogicalResult matchAndRewrite(SourceOp op, typename Lowering<SourceOp>::Operands operands,
                                ConversionPatternRewriter &b) const final {
    FailureOr<TensorCopyPlan> plan = planCopy(op, op.getSrc().getType());
    if (failed(plan))
      return failure();
    SmallVector<Value> coordinates = flatten(operands.getCoord());
    BoxCopies copies(b, op, this->target, predicateOf(op, operands), operands.getDesc()[0],
                     coordinates, operands.getSrc());
    emitDrain(copies, *plan, coordinates.size(), reductionOf(op));
    b.eraseOp(op);
    return success();
  }
};

struct StoreWaitLowering : Lowering<ttng::TMAStoreWaitOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::TMAStoreWaitOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    PTXStatement ptx;
    std::string text = llvm::formatv("cp.async.bulk.wait_group{0} {1};",
                                     op.getWritten() ? "" : ".read", op.getPendings());
    ptx.emit(b, op.getLoc(), text, {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

struct ReinterpretLowering : Lowering<ttng::ReinterpretTensorDescOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::ReinterpretTensorDescOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type generic = LLVM::LLVMPointerType::get(b.getContext());
    return replaceWith(
        b, op,
        LLVM::AddrSpaceCastOp::create(b, op.getLoc(), generic, operands.getRawDesc()[0])
            .getResult());
  }
};

} // namespace

void nvidia::populateTensorCopyPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types,
                                        const NvidiaTargetInfo &target) {
  patterns
      .add<GlobalToLocalLowering, LocalToGlobalLowering<ttng::AsyncTMACopyLocalToGlobalOp>,
           LocalToGlobalLowering<ttng::AsyncTMAReduceOp>, StoreWaitLowering, ReinterpretLowering>(
          types, target);
}
