//===- PlanCTA.cpp - how the CTAs of a cluster split tensors -------------===//
// By default the CTAs of a cluster split a tensor along its slowest dimension. Ops that combine
// elements along a dimension must not cross CTAs, so their operands are split along other
// dimensions, or replicated in every CTA if there is no other; the result is converted back.
//
//   reduce, scan        no split along the axis
//   gather, histogram   replicated in every CTA
//   before: %r = "tt.reduce"(%x) <{axis = 0}> : tensor<128x64xf32, #split0>
//   after:  %y = ttg.convert_layout %x : -> tensor<128x64xf32, #split1>
//           %r = "tt.reduce"(%y) <{axis = 0}> ...
//
// Dots split their result by rows, which is the default. Loads give each CTA what the products and
// reductions that they feed need there, so that CTAs read some elements twice rather than exchange
// them:
//
//   a of a dot     rows as the result's     b   replicated in every CTA
//
// Requires: every tensor has an encoding. Ensures: no op above needs another CTA's elements; later
// passes preserve that (LayoutRelations.h). Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "LayoutAssignment/LayoutRelations.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGPLANCTA
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-plan-cta", kDecision = "split";

namespace {
/// An operand or result and its new encoding.
struct Replanned {
  Operation *op;
  bool isResult;
  unsigned index;
  Attribute encoding;
};

struct PlanCTA : tessera::impl::TTGPlanCTABase<PlanCTA> {
  using TTGPlanCTABase::TTGPlanCTABase;
  void runOnOperation() override;
};
} // namespace

/// Returns the default layout of a tensor whose dimension `axis` is not split between CTAs.
static Attribute withoutSplit(RankedTensorType type, std::optional<unsigned> axis, Operation *op) {
  SmallVector<int64_t> divisible(type.getShape());
  for (auto [dim, size] : llvm::enumerate(divisible))
    if (!axis || *axis == dim)
      size = 1;
  SmallVector<unsigned> ones(type.getRank(), 1);
  SmallVector<unsigned> order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, ones.size())));
  CgaBases cga = defaultCga(divisible, ones, order, ttg::lookupNumCTAs(op));
  ThreadCounts threads{*ttg::lookupNumWarps(op), ttg::lookupThreadsPerWarp(op)};
  return ttg::BlockedEncodingAttr::get(op->getContext(),
                                       blockedForShape(type.getShape(), ones, order, threads, cga));
}

static void convertOperand(Operation *op, unsigned index, Attribute encoding) {
  OpBuilder b(op);
  Value operand = op->getOperand(index);
  auto type = cast<RankedTensorType>(operand.getType()).cloneWithEncoding(encoding);
  op->setOperand(index, ttg::ConvertLayoutOp::create(b, op->getLoc(), type, operand));
}

static void convertResult(Operation *op, unsigned index, Attribute encoding) {
  OpBuilder b(op->getContext());
  Value result = op->getResult(index);
  auto before = cast<RankedTensorType>(result.getType());
  result.setType(before.cloneWithEncoding(encoding));
  b.setInsertionPointAfter(op);
  auto back = ttg::ConvertLayoutOp::create(b, op->getLoc(), before, result);
  result.replaceAllUsesExcept(back, back);
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

static CgaBases basesOf(Attribute encoding) {
  return cast<ttg::LayoutEncodingAttr>(encoding).getCGALayout().getBases();
}

/// Returns how CTAs share a tensor, for remarks: the dimensions that they split.
static std::string describe(const CgaBases &bases) {
  SmallVector<unsigned> dims;
  for (const BasisVector &basis : bases)
    for (auto [dim, value] : llvm::enumerate(basis))
      if (value != 0 && !llvm::is_contained(dims, dim))
        dims.push_back(dim);
  if (dims.empty())
    return "each CTA has the whole tensor";
  std::string text = "CTAs split dim ";
  llvm::raw_string_ostream os(text);
  llvm::interleave(dims, os, " and ");
  return text;
}

static void explain(Operation *op, Attribute encoding, std::optional<unsigned> axis) {
  PassRemark remark = decided(op, kPass, kDecision);
  if (!remark)
    return;
  remark.says("{0}", describe(basesOf(encoding)));
  if (axis)
    remark.because("'{0}' combines elements along dim {1}", op->getName().getStringRef(), *axis);
  else
    remark.because("'{0}' needs all elements", op->getName().getStringRef());
}

static void planReduction(Operation *op, unsigned axis, SmallVector<Replanned> &plan) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (staysInBlock(type, type.getEncoding(), axis))
    return;
  Attribute encoding = withoutSplit(type, axis, op);
  explain(op, encoding, axis);
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    plan.push_back({op, false, i, encoding});
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      plan.push_back({op, true, result.getResultNumber(),
                      resultEncoding(op, result.getResultNumber(), encoding)});
}

static void planWhole(Operation *op, SmallVector<Replanned> &plan) {
  auto add = [&](Value value, bool isResult, unsigned index) {
    auto type = cast<RankedTensorType>(value.getType());
    if (staysInBlock(type, type.getEncoding(), std::nullopt))
      return;
    if (plan.empty() || plan.back().op != op)
      explain(op, withoutSplit(type, std::nullopt, op), std::nullopt);
    plan.push_back({op, isResult, index, withoutSplit(type, std::nullopt, op)});
  };
  for (OpOperand &operand : op->getOpOperands())
    add(operand.get(), false, operand.getOperandNumber());
  for (OpResult result : op->getResults())
    add(result, true, result.getResultNumber());
}

static SmallVector<Replanned> planOps(ModuleOp module) {
  SmallVector<Replanned> plan;
  module.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<tt::ReduceOp>(op))
      planReduction(op, reduce.getAxis(), plan);
    else if (auto scan = dyn_cast<tt::ScanOp>(op))
      planReduction(op, scan.getAxis(), plan);
    else if (isa<tt::GatherOp, tt::HistogramOp>(op))
      planWhole(op, plan);
  });
  return plan;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

using LoadShares = llvm::MapVector<tt::LoadOp, CgaBases>;

/// Records that the loads from which `value` is computed elementwise are distributed by `cga`. If
/// several distributions are required, the tensor is replicated.
static void shareLoads(Value value, CgaBases cga, LoadShares &shares) {
  SmallVector<std::pair<Value, CgaBases>> worklist = {{value, cga}};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    auto [next, bases] = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !isa<RankedTensorType>(next.getType()) || !seen.insert(next).second)
      continue;
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      auto [share, isNew] = shares.insert({load, bases});
      if (!isNew && share->second != bases)
        for (BasisVector &basis : share->second)
          llvm::fill(basis, 0);
    } else if (auto trans = dyn_cast<tt::TransOp>(op)) {
      CgaBases before = bases;
      for (auto [basis, after] : llvm::zip_equal(before, bases))
        for (auto [now, dim] : llvm::enumerate(trans.getOrder()))
          basis[dim] = after[now];
      worklist.push_back({trans.getSrc(), before});
    } else if (isa<ttg::ConvertLayoutOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
      for (Value operand : op->getOperands())
        worklist.push_back({operand, bases});
    }
  }
}

static LoadShares planLoads(ModuleOp module) {
  LoadShares shares;
  auto follow = [&](Value operand) {
    shareLoads(operand, basesOf(cast<RankedTensorType>(operand.getType()).getEncoding()), shares);
  };
  module.walk([&](tt::DotOp dot) {
    follow(dot.getA());
    follow(dot.getB());
  });
  module.walk([&](Operation *op) {
    if (isa<tt::ReduceOp, tt::ScanOp>(op))
      for (Value operand : op->getOperands())
        follow(operand);
  });
  return shares;
}

static void share(tt::LoadOp load, const CgaBases &cga) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  auto encoding = type ? dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding()) : nullptr;
  if (!encoding || basesOf(encoding) == cga)
    return;
  if (PassRemark remark = decided(load, kPass, kDecision))
    remark.says("{0}", describe(cga))
        .because("each CTA loads what its dots and reductions need, instead of exchanging it");
  ThreadCounts threads{encoding.getNumWarps(), encoding.getNumLanes()};
  auto shared = ttg::BlockedEncodingAttr::get(
      load.getContext(), blockedForShape(type.getShape(), encoding.getSizePerThread(),
                                         encoding.getOrder(), threads, cga));
  for (OpOperand &operand : load->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      convertOperand(load, operand.getOperandNumber(), shared);
  convertResult(load, 0, shared);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void PlanCTA::runOnOperation() {
  ModuleOp module = getOperation();
  if (ttg::getNumCTAs(module) == 1)
    return;
  for (auto [op, isResult, index, encoding] : planOps(module)) {
    if (isResult)
      convertResult(op, index, encoding);
    else
      convertOperand(op, index, encoding);
  }
  for (auto &[load, cga] : planLoads(module))
    share(load, cga);
}
