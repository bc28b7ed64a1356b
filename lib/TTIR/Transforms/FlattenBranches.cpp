//===- FlattenBranches.cpp - turn small branches into selects ------------===//
// A branch that only adds one op to a tensor costs more than it saves: code on one side of it is
// not scheduled with code on the other, so all of the tensor's registers are live there.
//
//   before: %r = scf.if %c -> (tensor<4096xf32>) {
//             %s = arith.addf %w, %ones ; scf.yield %s
//           } else { scf.yield %w }
//   after:  %s = arith.select %c, 1.0, -0.0 ; %y = tt.splat %s ; %r = arith.addf %w, %y
//
// The select is of scalars if one side is an op on the other side's value and on one number (here:
// w + -0.0 is w); else of tensors.
//
// A branch is kept if it is in a loop, where programs branch to save work; if an op in it has
// effects or is expensive; and if it has more ops on elements than its results have elements.
//
// Requires: nothing. Ensures: values unchanged. Cost: linear in the ops of branches.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTFLATTENBRANCHES
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "tt-flatten-branches";

namespace {
struct FlattenBranches : tessera::impl::TTFlattenBranchesBase<FlattenBranches> {
  using TTFlattenBranchesBase::TTFlattenBranchesBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which branches
//===----------------------------------------------------------------------===//

static int64_t countElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 0;
}

/// Returns the elements that the op computes; nothing if it must not be executed always.
static std::optional<int64_t> elementsComputed(Operation *op) {
  if (!isPure(op) || op->getNumRegions() != 0)
    return std::nullopt;
  if (isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  if (!isa<arith::ArithDialect>(op->getDialect()) || isa<arith::DivFOp, arith::RemFOp>(op))
    return std::nullopt;
  return countElements(op->getResult(0).getType());
}

static bool isWorthFlattening(scf::IfOp branch) {
  if (branch.getElseRegion().empty() || branch->getParentOfType<LoopLikeOpInterface>())
    return false;
  int64_t yielded = 0, computed = 0;
  for (Type type : branch.getResultTypes())
    yielded += countElements(type);
  for (Region *region : branch.getRegions())
    for (Operation &op : region->front().without_terminator()) {
      std::optional<int64_t> elements = elementsComputed(&op);
      if (!elements)
        return false;
      computed += *elements;
    }
  // Branches of scalars are LLVM's to judge.
  return yielded > 0 && computed <= yielded;
}

//===----------------------------------------------------------------------===//
// Selects
//===----------------------------------------------------------------------===//

namespace {
/// A value that is an op on another value and on one number.
struct Adjustment {
  Operation *op = nullptr;
  unsigned place = 0; // of the number among the op's operands
  TypedAttr identity; // the number with which the op changes nothing
};
} // namespace

/// Returns the number y with x op y = x for all x; null if there is none.
static TypedAttr identityOf(Operation *op, Type type) {
  OpBuilder b(op);
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type)) {
    const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    // -0.0 + 0.0 is 0.0, and -0.0 - 0.0 is -0.0.
    if (isa<arith::AddFOp>(op))
      return b.getFloatAttr(type, APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::SubFOp>(op))
      return b.getFloatAttr(type, APFloat::getZero(semantics));
    return isa<arith::MulFOp>(op) ? b.getFloatAttr(type, APFloat(semantics, 1)) : TypedAttr();
  }
  if (!isa<IntegerType>(type))
    return {};
  if (isa<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp>(op))
    return b.getIntegerAttr(type, 0);
  return isa<arith::MulIOp>(op) ? b.getIntegerAttr(type, 1) : TypedAttr();
}

/// Requires: both are yielded by a branch. The op is changed in place, so nothing else may use it.
static Adjustment adjustmentOf(Value value, Value original) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || op->getNumOperands() != 2 || !op->hasOneUse())
    return {};
  TypedAttr identity = identityOf(op, type.getElementType());
  bool isFirst = op->getOperand(1) == original && op->hasTrait<OpTrait::IsCommutative>();
  if (!identity || !(op->getOperand(0) == original || isFirst))
    return {};
  unsigned place = isFirst ? 0 : 1;
  Value number = op->getOperand(place);
  DenseElementsAttr constant;
  bool isNumber = number.getDefiningOp<tt::SplatOp>() ||
                  (matchPattern(number, m_Constant(&constant)) && constant.isSplat());
  return isNumber ? Adjustment{op, place, identity} : Adjustment();
}

static Value numberOf(Value tensor, RewriterBase &b) {
  if (auto splat = tensor.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  DenseElementsAttr constant;
  matchPattern(tensor, m_Constant(&constant));
  return arith::ConstantOp::create(b, tensor.getLoc(), constant.getSplatValue<TypedAttr>());
}

/// Lets the op of an adjustment have no effect unless the condition is `when`.
static Value adjust(scf::IfOp branch, const Adjustment &adjustment, bool when, RewriterBase &b) {
  Location loc = branch.getLoc();
  Value tensor = adjustment.op->getOperand(adjustment.place);
  Value number = numberOf(tensor, b);
  Value nothing = arith::ConstantOp::create(b, loc, adjustment.identity);
  Value chosen = arith::SelectOp::create(b, loc, branch.getCondition(), when ? number : nothing,
                                         when ? nothing : number);
  Value spread = tt::SplatOp::create(b, loc, tensor.getType(), chosen);
  b.moveOpBefore(adjustment.op, branch);
  b.modifyOpInPlace(adjustment.op, [&] { adjustment.op->setOperand(adjustment.place, spread); });
  return adjustment.op->getResult(0);
}

static Value chooseBetween(scf::IfOp branch, Value yes, Value no, RewriterBase &b) {
  if (yes == no)
    return yes;
  if (Adjustment found = adjustmentOf(yes, no); found.op)
    return adjust(branch, found, true, b);
  if (Adjustment found = adjustmentOf(no, yes); found.op)
    return adjust(branch, found, false, b);
  return arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(), yes, no);
}

static void flatten(scf::IfOp branch, RewriterBase &b) {
  decided(branch, kPass, "branch")
      .says("the branch becomes a select")
      .because("it has at most one op for each element of its results");
  SmallVector<Value> yes(branch.thenYield().getOperands()), no(branch.elseYield().getOperands());
  for (Region *region : branch.getRegions())
    for (Operation &op : llvm::make_early_inc_range(region->front().without_terminator()))
      b.moveOpBefore(&op, branch);
  b.setInsertionPoint(branch);
  SmallVector<Value> chosen;
  for (auto [whenTrue, whenFalse] : llvm::zip_equal(yes, no))
    chosen.push_back(chooseBetween(branch, whenTrue, whenFalse, b));
  b.replaceOp(branch, chosen);
}

void FlattenBranches::runOnOperation() {
  IRRewriter b(&getContext());
  SmallVector<scf::IfOp> branches; // inner ones first: without them, the outer one may be cheap
  getOperation().walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches)
    if (isWorthFlattening(branch))
      flatten(branch, b);
}
