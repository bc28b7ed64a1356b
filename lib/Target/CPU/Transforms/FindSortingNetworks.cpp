//===- FindSortingNetworks.cpp - replace the steps of a sort by one op -===//
// tl.sort and tl.topk are bitonic networks over a cube with two elements along each axis. A step
// consists of a dozen ops, and sorting 1024 elements takes 55 steps; as separate loops they would
// take most of a second to compile. As one ttc.exchange they become a loop over a table.
//
//   before: %r = "tt.reduce"(%x) <{axis = a}> (xor)          : tensor<2x2x..xi32>
//           %partner = xori %x, broadcast(expand_dims(%r))
//           %gt = cmpi sgt, %x, %partner
//           %ne = cmpi ne, extui(%gt), %direction
//           %y = select %ne, %partner, %x
//   after:  %y = ttc.exchange %x {bits = [rank - 1 - a], ...}
//
// with bitcasts around the xor for floats. %direction is the sum modulo 2 of bits of the element's
// index and a constant: bit a, and possibly one above it. Consecutive steps become one op.
//
// Requires: nothing. Ensures: values are unchanged, bit by bit, including NaN and -0.0. All other
// patterns are left alone. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "tessera/Target/CPU/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::cpu {
#define GEN_PASS_DEF_CPUFINDSORTINGNETWORKS
#include "tessera/Target/CPU/Passes.h.inc"
} // namespace tessera::cpu

using namespace mlir;
using namespace tessera;

namespace {
/// The sum modulo 2 of some bits of an index and a constant.
struct Parity {
  uint64_t bits = 0;
  bool isOdd = false;
};

struct Step {
  Value source;
  int32_t bit, turn;
  bool isDown, isUnsigned;
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding steps
//===----------------------------------------------------------------------===//

/// Returns whether each axis has two elements; indices have at most 31 bits.
static bool isCube(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() < 32 &&
         llvm::all_of(type.getShape(), [](int64_t extent) { return extent == 2; });
}

/// Matches a tensor of 0 and 1 along its only axis of size two, and returns that axis' bit.
static std::optional<int64_t> matchIndicator(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getNumElements() != 2)
    return std::nullopt;
  Value range = value;
  while (Operation *op = range.getDefiningOp()) {
    if (!isa<tt::ReshapeOp, tt::ExpandDimsOp>(op))
      break;
    range = op->getOperand(0);
  }
  auto numbers = range.getDefiningOp<tt::MakeRangeOp>();
  if (!numbers || numbers.getStart() != 0 || numbers.getEnd() != 2)
    return std::nullopt;
  int64_t axis = llvm::find(type.getShape(), 2) - type.getShape().begin();
  return type.getRank() - 1 - axis;
}

/// Longer chains do not come from a sort.
static constexpr unsigned kDeepest = 8;

static std::optional<Parity> matchParity(Value value, unsigned depth = 0) {
  if (std::optional<int64_t> bit = matchIndicator(value))
    return Parity{uint64_t(1) << *bit, false};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.ule(1) ? std::optional(Parity{0, constant.isOne()}) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op || depth == kDeepest)
    return std::nullopt;
  if (isa<tt::BroadcastOp, arith::ExtUIOp>(op))
    return matchParity(op->getOperand(0), depth + 1);
  if (!isa<arith::XOrIOp>(op))
    return std::nullopt;
  std::optional<Parity> left = matchParity(op->getOperand(0), depth + 1);
  std::optional<Parity> right = matchParity(op->getOperand(1), depth + 1);
  if (!left || !right)
    return std::nullopt;
  return Parity{left->bits ^ right->bits, left->isOdd != right->isOdd};
}

static bool isXor(Region &combine) {
  Block &block = combine.front();
  if (!combine.hasOneBlock() || block.getNumArguments() != 2)
    return false;
  auto sum = dyn_cast<arith::XOrIOp>(block.front());
  return sum && block.getTerminator() == sum->getNextNode() &&
         block.getTerminator()->getOperand(0) == sum && sum.getLhs() != sum.getRhs() &&
         isa<BlockArgument>(sum.getLhs()) && isa<BlockArgument>(sum.getRhs()) &&
         sum.getLhs().getParentBlock() == &block && sum.getRhs().getParentBlock() == &block;
}

static Value withoutBitcast(Value value) {
  auto cast = value.getDefiningOp<tt::BitcastOp>();
  return cast ? cast.getSrc() : value;
}

/// Returns the axis along which `both` has the xor of the two elements of `bits`.
static std::optional<uint32_t> matchXorOfPair(Value both, Value bits) {
  tt::ReduceOp reduce;
  if (auto splat = both.getDefiningOp<tt::SplatOp>()) { // for a cube with one axis
    reduce = splat.getSrc().getDefiningOp<tt::ReduceOp>();
  } else if (auto broadcast = both.getDefiningOp<tt::BroadcastOp>()) {
    auto expand = broadcast.getSrc().getDefiningOp<tt::ExpandDimsOp>();
    reduce = expand ? expand.getSrc().getDefiningOp<tt::ReduceOp>() : tt::ReduceOp();
    if (reduce && expand.getAxis() != reduce.getAxis())
      return std::nullopt;
  }
  if (!reduce || reduce->getNumOperands() != 1 || reduce->getOperand(0) != bits ||
      !isXor(reduce.getCombineOp()))
    return std::nullopt;
  return reduce.getAxis();
}

/// Returns the axis along which `partner` is the other element of `x`.
static std::optional<uint32_t> matchPartner(Value partner, Value x) {
  auto sum = withoutBitcast(partner).getDefiningOp<arith::XOrIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [bits, both] : {std::pair(sum.getLhs(), sum.getRhs()), {sum.getRhs(), sum.getLhs()}})
    if (bits == x || withoutBitcast(bits) == x)
      if (std::optional<uint32_t> axis = matchXorOfPair(both, bits))
        return axis;
  return std::nullopt;
}

/// Returns whether the value is x > partner; sets whether it compares unsigned integers.
static bool matchGreater(Value value, Value x, Value partner, bool &isUnsigned) {
  if (auto floats = value.getDefiningOp<arith::CmpFOp>())
    return floats.getPredicate() == arith::CmpFPredicate::OGT && floats.getLhs() == x &&
           floats.getRhs() == partner;
  auto integers = value.getDefiningOp<arith::CmpIOp>();
  if (!integers || integers.getLhs() != x || integers.getRhs() != partner)
    return false;
  isUnsigned = integers.getPredicate() == arith::CmpIPredicate::ugt;
  return isUnsigned || integers.getPredicate() == arith::CmpIPredicate::sgt;
}

static std::optional<Step> matchStep(arith::SelectOp select) {
  Value partner = select.getTrueValue(), x = select.getFalseValue();
  auto differs = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!isCube(x) || !differs || differs.getPredicate() != arith::CmpIPredicate::ne)
    return std::nullopt;
  auto greater = differs.getLhs().getDefiningOp<arith::ExtUIOp>();
  Step step{x, 0, 0, false, false};
  if (!greater || !matchGreater(greater.getIn(), x, partner, step.isUnsigned))
    return std::nullopt;
  std::optional<uint32_t> axis = matchPartner(partner, x);
  std::optional<Parity> direction = matchParity(differs.getRhs());
  if (!axis || !direction)
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  step.bit = static_cast<int32_t>(rank - 1 - *axis);
  step.isDown = direction->isOdd;
  // The direction depends on the bit itself, and at most on one above it.
  uint64_t rest = direction->bits ^ (uint64_t(1) << step.bit);
  step.turn = rest ? llvm::countr_zero(rest) : static_cast<int32_t>(rank);
  bool isSimple = rest == 0 || (llvm::isPowerOf2_64(rest) && step.turn > step.bit);
  return isSimple ? std::optional(step) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void eraseIfDead(Operation *op) {
  SmallVector<Operation *> work = {op};
  while (!work.empty()) {
    Operation *dead = work.pop_back_val();
    if (!isOpTriviallyDead(dead))
      continue;
    SmallPtrSet<Operation *, 4> producers;
    for (Value operand : dead->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    dead->erase();
    for (Operation *producer : producers)
      if (!llvm::is_contained(work, producer))
        work.push_back(producer);
  }
}

/// Merges two ops if the second is the only user of the first.
static void joinWithSource(ttc::ExchangeOp op) {
  auto before = op.getSrc().getDefiningOp<ttc::ExchangeOp>();
  if (!before || !before->hasOneUse() || before.getIsUnsigned() != op.getIsUnsigned())
    return;
  SmallVector<int32_t> bits(before.getBits()), turns(before.getTurns());
  SmallVector<bool> downs(before.getDowns());
  llvm::append_range(bits, op.getBits());
  llvm::append_range(turns, op.getTurns());
  llvm::append_range(downs, op.getDowns());
  op.setBits(bits);
  op.setTurns(turns);
  op.setDowns(downs);
  op.getSrcMutable().assign(before.getSrc());
  before->erase();
}

namespace {
struct FindSortingNetworks
    : public tessera::cpu::impl::CPUFindSortingNetworksBase<FindSortingNetworks> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp select) { selects.push_back(select); });
    for (arith::SelectOp select : selects) {
      std::optional<Step> step = matchStep(select);
      if (!step)
        continue;
      OpBuilder b(select);
      auto exchange = ttc::ExchangeOp::create(
          b, select.getLoc(), step->source.getType(), step->source, ArrayRef(step->bit),
          ArrayRef(step->turn), ArrayRef(step->isDown), step->isUnsigned);
      select.replaceAllUsesWith(exchange.getResult());
      eraseIfDead(select);
      joinWithSource(exchange);
    }
  }
};
} // namespace
