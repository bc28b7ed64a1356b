//===- AccelerateMatmul.cpp - lay products out for the tensor cores -------===//
// Gives each tt.dot that mma.sync can compute the layouts of its fragments:
//
//   before: %d = tt.dot %a, %b, %c : #blocked
//   after:  %x = ttg.convert_layout %a -> #dot_op<{opIdx = 0, parent = #mma}>
//           %y = ttg.convert_layout %b -> #dot_op<{opIdx = 1, parent = #mma}>
//           %z = ttg.convert_layout %c -> #mma
//           %e = tt.dot %x, %y, %z : #mma ; %d = ttg.convert_layout %e -> #blocked
//
// Decisions, in this order:
//   wgmma         where the chip has it and the dot fits (WarpGroupDots.h); the others:
//   instruction   by types (findMma). fp8 that the chip has no instruction for is
//                 widened to f16 in registers, after the conversion moved bytes
//   warps         where one product feeds another, whole rows (or columns) stay in a
//                 warp, so that the result is the next operand without leaving its
//                 thread; otherwise tiles that read least: square, or narrow along the
//                 operand that ldmatrix cannot read
//   kWidth        neighbours along K that a thread holds: a word of what was loaded,
//                 so that narrow operands are widened after they have travelled
//
// Requires: dots in blocked layouts. Ensures: values unchanged; afterwards
// ttg-remove-layout-conversions spreads the new layouts. Cost: for each dot a walk
// over what feeds it and what it feeds.
//===----------------------------------------------------------------------===//
#include "WarpGroupDots.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Analysis/DotChains.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/Target/NVIDIA/Mma.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAACCELERATEMATMUL
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using namespace tessera::nvidia;

namespace {

/// The layout and the operand types that the pass chooses for one dot.
struct DotPlan {
  tt::DotOp dot;
  /// Null: stays with fma.
  ttg::NvidiaMmaEncodingAttr layout = nullptr;
  unsigned kWidth = 0;
  /// Null, or what operands are widened to.
  Type widened = nullptr;
  /// For remarks: the instruction, or why there is none.
  MmaShape shape = {};
  StringRef reason = {};
  /// Counts first; its layout is null where wgmma does not compute the dot.
  WarpGroupDotPlan warpGroup = {};
};

struct AccelerateMatmul : nvidia::impl::NvidiaAccelerateMatmulBase<AccelerateMatmul> {
  using NvidiaAccelerateMatmulBase::NvidiaAccelerateMatmulBase;
  void runOnOperation() override;
};

} // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isFP8(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// How much longer it takes to read this operand from shared memory than by ldmatrix,
/// which moves words of K, or transposes elements of 16 bits; otherwise a word at a time.
static unsigned readCost(tt::DotOp dot, unsigned index) {
  Value operand = dot->getOperand(index);
  unsigned rank = tensorType(operand).getRank(), inner = index == 0 ? rank - 1 : rank - 2;
  if (ttg::narrowestBits(operand) == 16)
    return 1;
  bool isSlow = false;
  ttg::walkSources(operand, [&](Value source) {
    if (isa_and_nonnull<tt::LoadOp>(source.getDefiningOp()))
      isSlow |= dimensionOrder(ttg::toLinearLayout(tensorType(source))).front() != inner;
  });
  return isSlow ? 4 : 1;
}

/// How many warps share each dimension of a product of `shape`, all powers of two.
static SmallVector<unsigned> arrangeWarps(tt::DotOp dot, ArrayRef<int64_t> shape, unsigned count) {
  std::optional<unsigned> chained = ttg::findOperandFromDot(dot);
  if (!chained)
    chained = ttg::findFedOperand(dot);
  return arrangeWarps(shape, count,
                      {.rows = 16,
                       .columns = 8,
                       .rowCost = readCost(dot, 0),
                       .columnCost = readCost(dot, 1),
                       .chained = chained});
}

static DotPlan plan(tt::DotOp dot, const NvidiaSpec &spec, unsigned numWarps) {
  DotPlan result{.dot = dot};
  RankedTensorType aType = tensorType(dot.getA()), dType = tensorType(dot.getD());
  auto blocked = dyn_cast_or_null<ttg::BlockedEncodingAttr>(dType.getEncoding());
  if (!blocked) {
    result.reason = "its result has a layout already";
    return result;
  }
  Type a = aType.getElementType(), b = tensorType(dot.getB()).getElementType();
  Type d = dType.getElementType();
  std::optional<MmaInstruction> mma = findMma(spec, a, b, d, dot.getInputPrecision());
  if (!mma && isFP8(a) && isFP8(b)) {
    result.widened = Float16Type::get(dot.getContext());
    mma = findMma(spec, result.widened, result.widened, d, dot.getInputPrecision());
  }
  unsigned rank = dType.getRank();
  int64_t inner = aType.getShape().back();
  if (!mma || rank > 3 || inner < mma->shape.inner) {
    result.reason = !mma       ? "the chip has no instruction for these types and this precision"
                    : rank > 3 ? "tensors of more than three dimensions are not supported"
                               : "K is smaller than the instruction's";
    return result;
  }
  result.shape = mma->shape;

  SmallVector<int64_t> shape = shapePerCTA(dType.getShape(), blocked.getCGALayout().getBases());
  SmallVector<unsigned> instruction(rank, 1);
  instruction[rank - 2] = 16;
  instruction[rank - 1] = 8;
  result.layout = ttg::NvidiaMmaEncodingAttr::get(
      dot.getContext(), /*versionMajor=*/2, /*versionMinor=*/0, arrangeWarps(dot, shape, numWarps),
      blocked.getCGALayout(), instruction);
  unsigned bits = std::min(ttg::narrowestBits(dot.getA()), ttg::narrowestBits(dot.getB()));
  result.kWidth = std::min<unsigned>(std::max(1u, 32 / bits), inner / 4); // all lanes differ
  return result;
}

static void explain(const DotPlan &plan, const NvidiaSpec &spec) {
  constexpr llvm::StringLiteral pass = "nvidia-accelerate-matmul", name = "mma";
  tt::DotOp dot = plan.dot;
  Type a = tensorType(dot.getA()).getElementType(), d = tensorType(dot.getD()).getElementType();
  int64_t inner = tensorType(dot.getA()).getShape().back();
  if (const WarpGroupDotPlan &group = plan.warpGroup; group.layout) {
    StringRef rows = group.product.isSwapped ? "B" : "A";
    SmallVector<unsigned> warps(group.tiling.warps.begin(), group.tiling.warps.end());
    if (group.product.batch)
      warps.insert(warps.begin(), group.tiling.batchGroups);
    StringRef from = group.product.source == RowSource::Buffer     ? "comes from shared memory"
                     : group.product.source == RowSource::Computed ? "comes from registers"
                                                                   : "goes through registers";
    decided(dot, pass, name)
        .says("the dot of {0} uses MMA version 3, m64n{1}k{2}{3}", a, group.tiling.instrColumns,
              group.inner, group.product.isSwapped ? ", swapped" : "")
        .because("the chip multiplies {0} and adds {1}; {2:$[x]} warps share the result, and {3} "
                 "{4}",
                 a, d, llvm::iterator_range(warps), rows, from)
        .number("version", 3)
        .number("n", group.tiling.instrColumns)
        .number("k", group.inner);
    return;
  }
  if (!plan.layout) {
    declined(dot, pass, name)
        .says("the dot of {0} uses multiply-adds, no MMA version", a)
        .because("{0}", plan.reason)
        .number("version", 0)
        .number("inner", inner);
    return;
  }
  // People who know the chip look for wgmma.
  if (spec.hasWarpGroupMMA())
    declined(dot, pass, name)
        .says("MMA version 3 is not used")
        .because("{0}", plan.warpGroup.reason);
  PassRemark remark = decided(dot, pass, name);
  if (!remark)
    return;
  ArrayRef<unsigned> warps = plan.layout.getWarpsPerCTA();
  remark.says("the dot of {0} uses MMA version 2, m{1}n8k{2}", a, plan.shape.rows, plan.shape.inner)
      .because("the chip multiplies {0} and adds {1}; {2:$[x]} warps share the result",
               plan.widened ? plan.widened : a, d, llvm::iterator_range(warps))
      .number("version", 2)
      .number("k", plan.shape.inner)
      .number("k-width", plan.kWidth);
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

static Value convert(OpBuilder &b, Location loc, Value value, Attribute encoding) {
  RankedTensorType type = tensorType(value).cloneWithEncoding(encoding);
  if (type == value.getType())
    return value;
  return ttg::ConvertLayoutOp::create(b, loc, type, value);
}

static Value widen(OpBuilder &b, Location loc, Value value, Type element) {
  return tt::FpToFpOp::create(b, loc, tensorType(value).clone(element), value, nullptr);
}

static void widenOperands(tt::DotOp dot, Type element) {
  OpBuilder b(dot);
  for (unsigned index : {0u, 1u})
    dot->setOperand(index, widen(b, dot.getLoc(), dot->getOperand(index), element));
}

static void apply(const DotPlan &plan) {
  tt::DotOp dot = plan.dot;
  Location loc = dot.getLoc();
  if (plan.warpGroup.layout)
    return replaceByWarpGroupDot(dot, plan.warpGroup);
  if (!plan.layout) {
    if (plan.widened)
      widenOperands(dot, plan.widened);
    return;
  }
  OpBuilder b(dot);
  Value operands[2];
  for (unsigned index : {0u, 1u}) {
    auto encoding =
        ttg::DotOperandEncodingAttr::get(dot.getContext(), index, plan.layout, plan.kWidth);
    operands[index] = convert(b, loc, ttg::unconverted(dot->getOperand(index)), encoding);
    if (plan.widened)
      operands[index] = widen(b, loc, operands[index], plan.widened);
  }
  Value sum = convert(b, loc, dot.getC(), plan.layout);
  Value result = tt::DotOp::create(b, loc, sum.getType(), operands[0], operands[1], sum,
                                   dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
  dot.replaceAllUsesWith(convert(b, loc, result, tensorType(dot.getD()).getEncoding()));
  dot.erase();
}

/// Moves what computes the value in front of the loop, if each iteration has the same value.
static bool hoist(Value value, LoopLikeOpInterface loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &loop.getLoopRegions().front()->front() ||
      op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return hoist(operand, loop); }))
    return false;
  loop.moveOutOfLoop(op);
  return true;
}

/// Operands that are equal in each iteration are computed in front of the loop: then they lie in
/// shared memory. In registers they are not safe (WarpGroupDots.cpp).
static void hoistOperands(tt::DotOp dot) {
  auto loop = dyn_cast<LoopLikeOpInterface>(dot->getParentOp());
  if (!loop || loop.getLoopRegions().size() != 1)
    return;
  hoist(dot.getA(), loop);
  hoist(dot.getB(), loop);
}

void AccelerateMatmul::runOnOperation() {
  ModuleOp module = getOperation();
  StringRef target = ttg::getTargetName(module);
  const NvidiaSpec *spec = NvidiaSpec::parse(target);
  if (!spec) {
    module.emitError() << "module is for target '" << target << "', which is no NVIDIA GPU we know";
    return signalPassFailure();
  }
  if (useWgmma && spec->hasWarpGroupMMA())
    module.walk(hoistOperands);
  SmallVector<DotPlan> plans;
  module.walk([&](tt::DotOp dot) {
    unsigned numWarps = ttg::lookupNumWarps(dot).value_or(1);
    DotPlan &added = plans.emplace_back(plan(dot, *spec, numWarps));
    if (useWgmma)
      added.warpGroup = planWarpGroupDot(dot, *spec, numWarps, maxRegisters);
    else
      added.warpGroup.reason = "the option wgmma is off";
  });
  for (const DotPlan &plan : plans) {
    explain(plan, *spec);
    apply(plan);
  }
}
