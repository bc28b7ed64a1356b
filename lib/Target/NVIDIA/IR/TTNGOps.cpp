//===- TTNGOps.cpp - the ttng dialect -------------------------------------===//
// Rules carry ids, [ttng.<op>.C<n>], cited by the tests that reject them. That
// barriers are one mutable i64 is said by their type.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttng;

#include "tessera/Target/NVIDIA/IR/TTNGDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tessera/Target/NVIDIA/IR/TTNGOps.cpp.inc"

void TTNGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tessera/Target/NVIDIA/IR/TTNGOps.cpp.inc"
      >();
  registerTileCopies();
}

void WarpGroupDotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<ttg::MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, ttg::SharedMemory::get());
}

bool WarpGroupDotOp::readsAsynchronously() { return getIsAsync(); }

/// Returns whether a tensor depends on a dot of the same iteration.
static bool dependsOnDot(Value value, scf::ForOp loop) {
  llvm::SetVector<Operation *> needed;
  auto add = [&](Value used) {
    Operation *op = used.getDefiningOp();
    if (op && op->getBlock() == loop.getBody())
      needed.insert(op);
  };
  add(value);
  for (unsigned i = 0; i < needed.size(); ++i) { // grows
    if (isa<WarpGroupDotOp>(needed[i]))
      return true;
    llvm::for_each(needed[i]->getOperands(), add);
  }
  return false;
}

/// A result that its iteration only hands to the next one can be awaited there. Sums of 16 bits
/// cannot: loops carry each half by itself, so registers under way would be taken apart. An
/// operand in registers must not be written while the dot reads it: it has to depend on another
/// dot of its iteration, whose wait ends both.
bool WarpGroupDotOp::mayOutliveIteration() {
  if (getElementTypeOrSelf(getD().getType()).getIntOrFloatBitWidth() < 32)
    return false;
  auto loop = dyn_cast<scf::ForOp>(getOperation()->getParentOp());
  if (!loop || !getD().hasOneUse() || !isa<scf::YieldOp>(*getD().user_begin()))
    return false;
  Value rows = getRowOperand();
  return isa<ttg::MemDescType>(rows.getType()) || dependsOnDot(rows, loop);
}

unsigned WarpGroupDotOp::getInstructionColumns() {
  if (std::optional<int32_t> columns = getInstrColumns())
    return *columns;
  return cast<ttg::NvidiaMmaEncodingAttr>(cast<RankedTensorType>(getD().getType()).getEncoding())
      .getInstrShape()[1];
}

int32_t WarpGroupDotWaitOp::getUnderWay() { return getPendings(); }

//===----------------------------------------------------------------------===//
// Barriers and copies of tiles: what they do to buffers
//===----------------------------------------------------------------------===//

ttg::AsyncUse InitBarrierOp::getAsyncUse(Value) { return ttg::AsyncUse::BarrierSetup; }
ttg::AsyncUse InvalBarrierOp::getAsyncUse(Value) { return ttg::AsyncUse::BarrierSetup; }
ttg::AsyncUse BarrierExpectOp::getAsyncUse(Value) { return ttg::AsyncUse::Barrier; }
ttg::AsyncUse ArriveBarrierOp::getAsyncUse(Value) { return ttg::AsyncUse::Barrier; }
ttg::AsyncUse AsyncCopyMbarrierArriveOp::getAsyncUse(Value) { return ttg::AsyncUse::Barrier; }

/// `deps` are only kept alive.
ttg::AsyncUse WaitBarrierOp::getAsyncUse(Value buffer) {
  return buffer == getAlloc() ? ttg::AsyncUse::Barrier : ttg::AsyncUse::None;
}

ttg::AsyncUse AsyncTMACopyGlobalToLocalOp::getAsyncUse(Value buffer) {
  return buffer == getBarrier() ? ttg::AsyncUse::Barrier : ttg::AsyncUse::Fill;
}
ttg::AsyncUse AsyncTMAGatherOp::getAsyncUse(Value buffer) {
  return buffer == getBarrier() ? ttg::AsyncUse::Barrier : ttg::AsyncUse::Fill;
}
ttg::AsyncUse ReleaseSlotOp::getAsyncUse(Value buffer) {
  return buffer == getBarrier() ? ttg::AsyncUse::Barrier : ttg::AsyncUse::Release;
}
ttg::AsyncUse AcquireSlotOp::getAsyncUse(Value buffer) {
  return buffer == getBarrier() ? ttg::AsyncUse::Barrier : ttg::AsyncUse::Acquire;
}
ttg::AsyncUse AsyncTMACopyLocalToGlobalOp::getAsyncUse(Value) { return ttg::AsyncUse::Drain; }
ttg::AsyncUse AsyncTMAReduceOp::getAsyncUse(Value) { return ttg::AsyncUse::Drain; }
ttg::AsyncUse AsyncTMAScatterOp::getAsyncUse(Value) { return ttg::AsyncUse::Drain; }

/// Adds a condition to the predicate that the op has.
template <typename OpT> static bool andPredicate(OpT op, OpBuilder &b, Value predicate) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  Value both = b.createOrFold<arith::AndIOp>(op.getLoc(), op.getPred(), predicate);
  op.getPredMutable().assign(both);
  return true;
}
bool BarrierExpectOp::addPredicate(OpBuilder &b, Value predicate) {
  return andPredicate(*this, b, predicate);
}
bool AsyncTMACopyGlobalToLocalOp::addPredicate(OpBuilder &b, Value predicate) {
  return andPredicate(*this, b, predicate);
}

unsigned TensormapCreateOp::getWarpScratchBytes() { return nvidia::kTensorMapBytes; }

bool ArriveBarrierOp::isArrival() { return true; }
int32_t TMAStoreWaitOp::getDrainsUnderWay() { return getPendings(); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult SetMaxRegistersOp::verify() {
  // [ttng.set_max_registers.C1] PTX ISA, setmaxnreg: 24 to 256, in units of 8
  if (getCount() < 24 || getCount() > 256 || getCount() % 8 != 0)
    return emitOpError() << "has " << getCount()
                         << " registers for a thread, not a multiple of 8 from 24 to 256";
  return success();
}

LogicalResult PassTurnOp::verify() {
  // [ttng.pass_turn.C1] two warp groups take turns
  if (getGroup().value_or(0) > 1)
    return emitOpError() << "names warp group " << *getGroup() << ", not 0 or 1";
  return success();
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

LogicalResult WarpGroupDotOp::verify() {
  ArrayRef<int64_t> a = shapeOf(getA()), b = shapeOf(getB()), d = shapeOf(getD());
  size_t rank = d.size();
  // [ttng.warp_group_dot.C1] matrices, or batches of them
  if (rank < 2 || rank > 3 || a.size() != rank || b.size() != rank)
    return emitOpError() << "multiplies matrices, not " << getA().getType() << " and "
                         << getB().getType();
  // [ttng.warp_group_dot.C2] sizes agree
  bool isSameBatch = rank == 2 || (a[0] == d[0] && b[0] == d[0]);
  a = a.take_back(2), b = b.take_back(2), d = d.take_back(2);
  if (!isSameBatch || a[1] != b[0] || a[0] != d[0] || b[1] != d[1])
    return emitOpError() << "multiplies " << a[0] << " x " << a[1] << " by " << b[0] << " x "
                         << b[1] << " into " << d[0] << " x " << d[1]
                         << (isSameBatch ? "" : ", in batches of different sizes");
  // [ttng.warp_group_dot.C3] the result lies as wgmma leaves it
  Attribute encoding = cast<RankedTensorType>(getD().getType()).getEncoding();
  auto layout = dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(encoding);
  bool isLinear = isa_and_nonnull<ttg::LinearEncodingAttr>(encoding) && getInstrColumns();
  if (!isLinear && (!layout || layout.getVersionMajor() != 3))
    return emitOpError() << "needs a result with an nvidia_mma encoding of version 3, but got "
                         << getD().getType();
  // [ttng.warp_group_dot.C4] columns come from shared memory
  if (!isa<ttg::MemDescType>(getColumnOperand().getType()))
    return emitOpError() << "needs " << (getSwapped() ? "a" : "b") << " in shared memory, but got "
                         << getColumnOperand().getType();
  return success();
}

/// PTX ISA, mbarrier: both counts of a barrier have 20 bits.
static constexpr int32_t kMaxBarrierCount = (1 << 20) - 1;

LogicalResult InitBarrierOp::verify() {
  // [ttng.init_barrier.C1] a count that barriers have
  if (getCount() < 1 || getCount() > kMaxBarrierCount)
    return emitOpError() << "has a count of " << getCount() << ", not 1 to " << kMaxBarrierCount;
  return success();
}

LogicalResult BarrierExpectOp::verify() {
  // [ttng.barrier_expect.C1] as many bytes as barriers count
  if (getSize() < 0 || getSize() > kMaxBarrierCount)
    return emitOpError() << "expects " << getSize() << " bytes, not 0 to " << kMaxBarrierCount;
  return success();
}

/// A copy between a block of a tensor and a buffer.
static LogicalResult verifyTensorCopy(Operation *op, tt::TensorDescType desc, size_t coordinates,
                                      ttg::MemDescType buffer) {
  RankedTensorType block = desc.getSignlessBlockType();
  ArrayRef<int64_t> shape = block.getShape();
  // [ttng.async_tma_copy.C1] a coordinate for each dimension
  if (coordinates != static_cast<size_t>(block.getRank()))
    return op->emitOpError() << "has " << coordinates << " coordinates for a block of rank "
                             << block.getRank();
  // [ttng.async_tma_copy.C2] the buffer holds one block, but for leading ones
  while (shape.size() > buffer.getShape().size() && shape.front() == 1)
    shape = shape.drop_front();
  if (buffer.getShape() != shape || buffer.getElementType() != block.getElementType())
    return op->emitOpError() << "copies a block of " << block << " and a buffer of " << buffer;
  return success();
}

LogicalResult AsyncTMACopyGlobalToLocalOp::verify() {
  // [ttng.async_tma_copy.C3] the buffer can be written
  if (!getResult().getType().getMutableMemory())
    return emitOpError("writes a buffer that is not mutable");
  return verifyTensorCopy(*this, getDesc().getType(), getCoord().size(), getResult().getType());
}

LogicalResult AsyncTMACopyLocalToGlobalOp::verify() {
  return verifyTensorCopy(*this, getDesc().getType(), getCoord().size(), getSrc().getType());
}

LogicalResult AsyncTMAReduceOp::verify() {
  return verifyTensorCopy(*this, getDesc().getType(), getCoord().size(), getSrc().getType());
}

LogicalResult ArriveBarrierOp::verify() {
  // [ttng.arrive_barrier.C1] somebody arrives
  if (getCount() < 1)
    return emitOpError() << "arrives " << getCount() << " times";
  return success();
}

LogicalResult TensormapCreateOp::verify() {
  size_t rank = getBoxDim().size();
  // [ttng.tensormap_create.C1] sizes and strides for each dimension; the last stride is 1
  if (rank == 0 || rank > 5 || getGlobalDim().size() != rank || getElementStride().size() != rank ||
      getGlobalStride().size() != rank - 1)
    return emitOpError() << "has " << rank << " box sizes, " << getGlobalDim().size() << " sizes, "
                         << getGlobalStride().size() << " strides and " << getElementStride().size()
                         << " element strides";
  // [ttng.tensormap_create.C2] codes that PTX has
  auto isOutside = [](int32_t code, int32_t last) { return code < 0 || code > last; };
  if (isOutside(getElemType(), 15) || isOutside(getInterleaveLayout(), 2) ||
      isOutside(getSwizzleMode(), 3) || isOutside(getFillMode(), 1))
    return emitOpError() << "has a code that tensor maps do not know";
  return success();
}
