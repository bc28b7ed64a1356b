//===- AccelerateMatmul.cpp - lay products out for MFMA and WMMA ----------===//
// Gives each tt.dot that a matrix instruction can compute the layouts of its fragments:
//
//   before: %d = tt.dot %a, %b, %c : #blocked
//   after:  %x = ttg.convert_layout %a -> #dot_op<{opIdx = 0, parent = #mfma}>
//           %y = ttg.convert_layout %b -> #dot_op<{opIdx = 1, parent = #mfma}>
//           %z = ttg.convert_layout %c -> #mfma
//           %e = tt.dot %x, %y, %z : #mfma ; %d = ttg.convert_layout %e -> #blocked
//
// Decisions, in this order:
//   types         8-bit floats that the chip has no instruction for are widened to f16 in
//   registers,
//                 after the conversion moved bytes; sums of f16 are added in f32
//   instruction   32x32 where every warp has such a tile, else 16x16 (less reuse of operands, half
//                 the latency); 4x64 and 64x4 for products with fewer than 16 rows or columns. A
//                 smaller tensor repeats its rows in a larger instruction
//   warps         where one product feeds another, whole rows (or columns) stay in a warp;
//   otherwise
//                 square tiles
//   transposed    unless the product becomes operand B of another: a lane then holds neighbours of
//   a
//                 row, which it stores with wide accesses, or multiplies again as operand A
//   kWidth        neighbours along K that a lane holds: 16 bytes of what was loaded, so that it
//                 reads shared memory with the widest access; for an operand that another product
//                 feeds, as many as that one's result has
//   loads         of operands whose elements along K are not adjacent in memory: a lane loads
//                 several rows of K, so that it can write neighbours along K to shared memory with
//                 one access, after it has exchanged elements between its registers; unless reads
//                 of shared memory transpose (CDNA4)
//   scales        of tt.dot_scaled (CDNA4): a lane has the scales of its own row or column; kWidth
//                 is 16 bytes, because each scale belongs to certain elements along K
//
// Requires: dots in blocked layouts. Ensures: values unchanged; afterwards
// ttg-remove-layout-conversions spreads the new layouts. Cost: for each dot a walk over what feeds
// it and what it feeds.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Analysis/DotChains.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Layout/SharedTiles.h"
#include "tessera/Target/AMD/MatrixInstructions.h"
#include "tessera/Target/AMD/Passes.h"

using namespace mlir;

namespace tessera::amd {
#define GEN_PASS_DEF_AMDACCELERATEMATMUL
#include "tessera/Target/AMD/Passes.h.inc"
} // namespace tessera::amd

using namespace tessera;
using namespace tessera::amd;

namespace {

/// The layout and the types that the pass chooses for one dot.
struct DotPlan {
  /// tt.dot or tt.dot_scaled.
  Operation *dot;
  /// Null: stays with multiply-adds.
  ttg::DistributedEncodingAttr layout = nullptr;
  unsigned kWidth = 0;
  /// Null, or what operands are widened to.
  Type widened = nullptr;
  /// The type of the sums.
  Type sum = nullptr;
  /// For remarks: the instruction, or why there is none.
  std::optional<MatrixInstruction> instruction = std::nullopt;
  bool isTransposed = false;
  SmallVector<unsigned> warps = {};
  StringRef reason = {};
};

/// A load of an operand whose lanes get several rows of K.
struct PatchPlan {
  tt::LoadOp load;
  ttg::BlockedEncodingAttr layout;
};

struct AccelerateMatmul : amd::impl::AmdAccelerateMatmulBase<AccelerateMatmul> {
  using AmdAccelerateMatmulBase::AmdAccelerateMatmulBase;
  void runOnOperation() override;
};

/// Plans one dot.
class DotPlanner {
public:
  DotPlanner(Operation *dot, const AmdSpec &spec, unsigned nonKDim, unsigned kpack)
      : dot(dot), spec(spec), nonKDim(nonKDim), kpack(kpack), result{.dot = dot},
        numWarps(ttg::lookupNumWarps(dot).value_or(1)) {}
  DotPlan plan();

private:
  bool chooseTypes();
  bool chooseInstruction();
  void arrange();
  void chooseLayout(ttg::BlockedEncodingAttr blocked);
  std::optional<MatrixInstruction> find(unsigned size);
  unsigned countTiles(unsigned size) const;

  Operation *dot;
  const AmdSpec &spec;
  unsigned nonKDim, kpack;
  DotPlan result;
  unsigned numWarps;
  Type a = nullptr, b = nullptr;   // of operands in registers
  SmallVector<int64_t> shape = {}; // of the result in one CTA
  int64_t inner = 0;
};

} // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isFP8(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

std::optional<MatrixInstruction> DotPlanner::find(unsigned size) {
  if (auto plain = dyn_cast<tt::DotOp>(dot))
    return findMatrixInstruction(spec, size, a, b, result.sum, plain.getInputPrecision(), inner);
  return findScaledInstruction(spec, size, inner);
}

/// The tiles of `size` x `size` in the result.
unsigned DotPlanner::countTiles(unsigned size) const {
  int64_t tiles = shape.size() == 3 ? shape[0] : 1;
  for (int64_t extent : ArrayRef(shape).take_back(2))
    tiles *= std::max<int64_t>(1, extent / size);
  return tiles;
}

static bool isPacked(tt::ScaleDotElemType format) { return format == tt::ScaleDotElemType::E2M1; }

/// K in elements.
static int64_t innerOf(Operation *dot) {
  int64_t inner = tensorType(dot->getOperand(0)).getShape().back();
  auto scaled = dyn_cast<tt::DotScaledOp>(dot);
  return scaled && isPacked(scaled.getAElemType()) ? 2 * inner : inner;
}

/// Chooses the types in registers. Returns whether any instruction takes them.
bool DotPlanner::chooseTypes() {
  a = tensorType(dot->getOperand(0)).getElementType();
  b = tensorType(dot->getOperand(1)).getElementType();
  Type d = tensorType(dot->getResult(0)).getElementType();
  result.sum = d.isF16() || d.isBF16() ? Float32Type::get(dot->getContext()) : d;
  if (isa<tt::DotOp>(dot) && isFP8(a) && isFP8(b) && !(takesFP8(spec, a) && takesFP8(spec, b)))
    result.widened = a = b = Float16Type::get(dot->getContext());
  return find(32) || find(16) || find(4);
}

bool DotPlanner::chooseInstruction() {
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t narrow = std::min(rows, columns), wide = std::max(rows, columns);
  if (nonKDim != 0 && (result.instruction = find(nonKDim)))
    return true;
  // Products with few rows or columns waste most of a 16x16 tile.
  if (narrow < 16 && wide >= 64 && (result.instruction = find(4)))
    return true;
  if (narrow >= 32 && countTiles(32) >= numWarps && (result.instruction = find(32)))
    return true;
  if ((result.instruction = find(16)))
    return true;
  return (result.instruction = find(32)).has_value();
}

/// Returns the load whose values reach the operand element by element, or null.
static tt::LoadOp findLoad(Value operand) {
  constexpr unsigned limit = 8; // ops between a load and its dot
  for (unsigned i = 0; i < limit; ++i) {
    Operation *op = operand.getDefiningOp();
    if (auto load = dyn_cast_or_null<tt::LoadOp>(op))
      return load;
    bool isElementwise = op && op->getNumOperands() == 1 && isMemoryEffectFree(op) &&
                         (isa<ttg::ConvertLayoutOp>(op) || op->hasTrait<OpTrait::Elementwise>());
    if (!isElementwise || !op->hasOneUse())
      return {};
    operand = op->getOperand(0);
  }
  return {};
}

/// Returns whether the operand's elements along K are not adjacent in memory.
static bool isLoadedAcross(Value operand, unsigned index) {
  tt::LoadOp load = findLoad(operand);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  auto blocked = type ? dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding()) : nullptr;
  return blocked && type.getRank() == 2 && blocked.getOrder()[0] == index &&
         blocked.getSizePerThread()[index] > 1;
}

/// Returns whether reads of shared memory can transpose elements of `bits` bits.
static bool hasTiles(const AmdSpec &spec, unsigned bits) {
  return !listTiles(spec.matrixLoads(), bits, llvm::Log2_32(spec.threadsPerWarp)).empty();
}

/// Returns the time to read an element of operand `index`: a transposing read of shared memory
/// returns 8 bytes instead of 16.
static unsigned readCost(Operation *dot, unsigned index, const AmdSpec &spec) {
  Value operand = dot->getOperand(index);
  bool isTransposed = isLoadedAcross(operand, index) && hasTiles(spec, ttg::narrowestBits(operand));
  return isTransposed ? 2 : 1;
}

void DotPlanner::arrange() {
  std::optional<unsigned> feeds = ttg::findFedOperand(dot), fed = ttg::findOperandFromDot(dot);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const MatrixInstruction &instruction = *result.instruction;
  // 4x64 and 64x4 are one instruction with the operands exchanged.
  bool isWide = instruction.size != 4 || columns >= rows;
  result.isTransposed = instruction.size == 4 ? !isWide : feeds != 1u;
  int64_t fragmentRows = isWide ? instruction.rows() : instruction.columns();
  int64_t fragmentColumns = isWide ? instruction.columns() : instruction.rows();
  result.warps = arrangeWarps(shape, numWarps,
                              {.rows = fragmentRows,
                               .columns = fragmentColumns,
                               .rowCost = readCost(dot, 0, spec),
                               .columnCost = readCost(dot, 1, spec),
                               .chained = fed ? fed : feeds});

  // Neighbours along K.
  unsigned lanes = instruction.size == 4 ? 16 : instruction.innerLanes();
  if (instruction.repeatsOperands) {
    result.kWidth = 16;
    return;
  }
  if (isa<tt::DotScaledOp>(dot)) {
    result.kWidth = kScaledBytes;
    return;
  }
  unsigned bits =
      std::min(ttg::narrowestBits(dot->getOperand(0)), ttg::narrowestBits(dot->getOperand(1)));
  unsigned wanted = std::max(instruction.perLane * kpack, AmdSpec::maxVectorBits / bits);
  // A lane has 4 neighbours of the other product's result (8 with WMMA).
  if (fed)
    wanted = instruction.isWMMA ? 8 : 4;
  if (instruction.isWMMA)
    wanted = std::min(wanted, 16u);
  result.kWidth = std::max<int64_t>(1, std::min<int64_t>({wanted, inner / lanes, 32}));
}

void DotPlanner::chooseLayout(ttg::BlockedEncodingAttr blocked) {
  MLIRContext *context = dot->getContext();
  const MatrixInstruction &instruction = *result.instruction;
  SmallVector<unsigned> ones(shape.size(), 1);
  unsigned rows = instruction.rows(), columns = instruction.columns();
  if (instruction.isWMMA) {
    unsigned version = instruction.repeatsOperands ? 1 : 2;
    result.layout = ttg::AmdWmmaEncodingAttr::get(context, version, result.isTransposed,
                                                  result.warps, blocked.getCGALayout(), ones,
                                                  {rows, columns, instruction.inner});
    return;
  }
  if (result.isTransposed)
    std::swap(rows, columns);
  unsigned version = spec.hasWideMFMA() ? 4 : spec.hasFP8Matrix() ? 3 : 2;
  result.layout = ttg::AmdMfmaEncodingAttr::get(
      context, version, result.warps, {rows, columns, instruction.inner}, result.isTransposed,
      blocked.getCGALayout(), ones, instruction.isDouble ? 64 : 32);
}

DotPlan DotPlanner::plan() {
  RankedTensorType dType = tensorType(dot->getResult(0));
  auto blocked = dyn_cast_or_null<ttg::BlockedEncodingAttr>(dType.getEncoding());
  if (!blocked) {
    result.reason = "its result has a layout already";
    return result;
  }
  if (dType.getRank() > 3) {
    result.reason = "tensors of more than three dimensions are not supported";
    return result;
  }
  shape = shapePerCTA(dType.getShape(), blocked.getCGALayout().getBases());
  constexpr int64_t unlimited = int64_t(1) << 40;
  inner = unlimited;
  if (!chooseTypes()) {
    result.reason = "the chip has no instruction for these types and this precision";
    return result;
  }
  inner = innerOf(dot);
  if (!chooseInstruction()) {
    result.reason = "K is smaller than the instruction's";
    return result;
  }
  arrange();
  chooseLayout(blocked);
  return result;
}

/// Returns whether reads of shared memory transpose an operand with elements of `bits` bits.
static bool readsTransposed(const DotPlan &plan, const AmdSpec &spec, unsigned bits) {
  // The reads give 16 lanes the elements of as many rows or columns, and each 8 bytes along K.
  return hasTiles(spec, bits) && plan.instruction->size >= 16 && plan.kWidth * bits >= 64;
}

/// Gives a warp's lanes more rows of K and fewer elements of a row, where a lane reads 16 bytes of
/// shared memory that several lanes write: these lanes are then among those whose writes the memory
/// serves together, and such a read holds neighbours along K alone. A row keeps a cache line.
static void spreadLanesAlongK(BlockedParams &params, unsigned inner, unsigned kWidth,
                              unsigned elementBits, int64_t innerSize) {
  constexpr unsigned lineBytes = 128, bankLineBytes = 128;
  unsigned outer = 1 - inner, rows = params.sizePerThread[inner];
  unsigned writeBytes = rows * elementBits / 8;
  unsigned readBytes = std::min(kWidth * elementBits, AmdSpec::maxVectorBits) / 8;
  unsigned servedTogether = bankLineBytes / writeBytes, writersOfRead = readBytes / writeBytes;
  if (writersOfRead < 2)
    return;
  unsigned &along = params.threadsPerWarp[outer], &across = params.threadsPerWarp[inner];
  while (along * writersOfRead > servedTogether && int64_t(across) * rows < innerSize &&
         along * params.sizePerThread[outer] * elementBits / 8 >= 2 * lineBytes) {
    along /= 2;
    across *= 2;
    if (params.warpsPerCTA[inner] > 1) {
      params.warpsPerCTA[inner] /= 2;
      params.warpsPerCTA[outer] *= 2;
    }
  }
}

/// Plans the load of operand `index`, if its elements along K are not adjacent in memory.
static std::optional<PatchPlan> planPatch(const DotPlan &plan, const AmdSpec &spec,
                                          unsigned index) {
  if (!plan.layout)
    return std::nullopt;
  tt::LoadOp load = findLoad(plan.dot->getOperand(index));
  if (!load || !load->hasOneUse())
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(load.getType());
  auto blocked = type ? dyn_cast<ttg::BlockedEncodingAttr>(type.getEncoding()) : nullptr;
  if (!blocked || type.getRank() != 2)
    return std::nullopt;
  unsigned inner = index == 0 ? 1 : 0, outer = 1 - inner;
  SmallVector<unsigned> size(blocked.getSizePerThread());
  if (blocked.getOrder()[0] != outer || size[outer] == 1 || size[inner] != 1)
    return std::nullopt;
  // A lane holds this many elements; it writes at most 16 bytes.
  ThreadCounts threads{ttg::lookupNumWarps(load).value_or(1),
                       ttg::getThreadsPerWarp(load->getParentOfType<ModuleOp>())};
  unsigned bits = type.getElementTypeBitWidth();
  if (readsTransposed(plan, spec, bits))
    return std::nullopt;
  int64_t held = type.getNumElements() / (threads.numWarps * threads.threadsPerWarp);
  // Rows of 8-bit elements get shorter, down to 8 bytes, if a write would have less than 4 bytes.
  while (held / size[outer] * bits < 32 && size[outer] * bits > 64)
    size[outer] /= 2;
  int64_t rows = held / size[outer];
  rows = std::min<int64_t>(rows, AmdSpec::maxVectorBits / bits);
  rows = std::min<int64_t>({rows, plan.kWidth, type.getShape()[inner]});
  if (rows < 2)
    return std::nullopt;
  size[inner] = rows;
  BlockedParams params = blockedForShape(type.getShape(), size, blocked.getOrder(), threads,
                                         blocked.getCGALayout().getBases());
  spreadLanesAlongK(params, inner, plan.kWidth, bits, type.getShape()[inner]);
  return PatchPlan{load, ttg::BlockedEncodingAttr::get(load.getContext(), params)};
}

static void explain(const PatchPlan &plan) {
  ArrayRef<unsigned> size = plan.layout.getSizePerThread();
  decided(plan.load, "amd-accelerate-matmul", "patch")
      .says("each thread loads {0}x{1} neighbouring elements of a dot's operand", size[0], size[1])
      .because("its elements along K are not adjacent in memory: a thread writes neighbours along "
               "K to shared memory at once")
      .number("rows", size[plan.layout.getOrder()[1]]);
}

static void explain(const DotPlan &plan) {
  constexpr llvm::StringLiteral pass = "amd-accelerate-matmul", name = "matrix";
  Operation *dot = plan.dot;
  Type a = tensorType(dot->getOperand(0)).getElementType();
  Type d = tensorType(dot->getResult(0)).getElementType();
  if (!plan.layout) {
    declined(dot, pass, name)
        .says("the dot of {0} uses multiply-adds", a)
        .because("{0}", plan.reason)
        .number("inner", innerOf(dot));
    return;
  }
  PassRemark remark = decided(dot, pass, name);
  if (!remark)
    return;
  const MatrixInstruction &instruction = *plan.instruction;
  if (auto scaled = dyn_cast<tt::DotScaledOp>(dot)) {
    remark
        .says("the product of {0} and {1} uses MFMA {2}x{3}x{4} with scales{5}",
              tt::stringifyScaleDotElemType(scaled.getAElemType()),
              tt::stringifyScaleDotElemType(scaled.getBElemType()), instruction.rows(),
              instruction.columns(), instruction.inner, plan.isTransposed ? ", transposed" : "")
        .because("the chip multiplies these formats and scales them; {0:$[x]} warps share the "
                 "result",
                 llvm::make_range(plan.warps.begin(), plan.warps.end()))
        .number("size", instruction.size)
        .number("k", instruction.inner)
        .number("k-width", plan.kWidth);
    return;
  }
  remark
      .says("the dot of {0} uses {1} {2}x{3}x{4}{5}", a, instruction.isWMMA ? "WMMA" : "MFMA",
            instruction.rows(), instruction.columns(), instruction.inner,
            plan.isTransposed ? ", transposed" : "")
      .because("the chip multiplies {0} and adds {1}; {2:$[x]} warps share the result",
               plan.widened ? plan.widened : a, plan.sum ? plan.sum : d,
               llvm::make_range(plan.warps.begin(), plan.warps.end()))
      .number("size", instruction.size)
      .number("k", instruction.inner)
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

/// Returns the scales of an operand in the layout that fits the operand's.
static Value convertScale(OpBuilder &b, const DotPlan &plan, Value scale, Value operand,
                          unsigned index, bool isPacked) {
  if (!scale)
    return scale;
  Dim k = Dim::axis(1 - index), outer = Dim::axis(index);
  LinearLayout layout =
      scaleLayout(*plan.instruction, ttg::toLinearLayout(tensorType(operand)), k, outer, isPacked);
  return convert(b, plan.dot->getLoc(), ttg::unconverted(scale),
                 ttg::toLinearEncoding(b.getContext(), layout));
}

static Value emitProduct(OpBuilder &b, const DotPlan &plan, Value left, Value right, Value sum) {
  Location loc = plan.dot->getLoc();
  if (auto plain = dyn_cast<tt::DotOp>(plan.dot))
    return tt::DotOp::create(b, loc, sum.getType(), left, right, sum, plain.getInputPrecision(),
                             plain.getMaxNumImpreciseAcc());
  auto scaled = cast<tt::DotScaledOp>(plan.dot);
  Value leftScale =
      convertScale(b, plan, scaled.getAScale(), left, 0, isPacked(scaled.getAElemType()));
  Value rightScale =
      convertScale(b, plan, scaled.getBScale(), right, 1, isPacked(scaled.getBElemType()));
  return tt::DotScaledOp::create(b, loc, sum.getType(), left, right, sum, leftScale, rightScale,
                                 scaled.getAElemType(), scaled.getBElemType(), scaled.getFastMath(),
                                 scaled.getLhsKPack(), scaled.getRhsKPack());
}

static void apply(const DotPlan &plan) {
  Operation *dot = plan.dot;
  Location loc = dot->getLoc();
  OpBuilder b(dot);
  if (!plan.layout) {
    if (plan.widened)
      for (unsigned index : {0u, 1u})
        dot->setOperand(index, widen(b, loc, dot->getOperand(index), plan.widened));
    return;
  }
  Value operands[2];
  for (unsigned index : {0u, 1u}) {
    auto encoding =
        ttg::DotOperandEncodingAttr::get(dot->getContext(), index, plan.layout, plan.kWidth);
    operands[index] = convert(b, loc, ttg::unconverted(dot->getOperand(index)), encoding);
    if (plan.widened)
      operands[index] = widen(b, loc, operands[index], plan.widened);
  }
  RankedTensorType dType = tensorType(dot->getResult(0));
  Value sum = convert(b, loc, dot->getOperand(2), plan.layout);
  bool isWidened = plan.sum != dType.getElementType();
  if (isWidened)
    sum = arith::ExtFOp::create(b, loc, tensorType(sum).clone(plan.sum), sum);
  Value result = emitProduct(b, plan, operands[0], operands[1], sum);
  if (isWidened)
    result =
        arith::TruncFOp::create(b, loc, tensorType(result).clone(dType.getElementType()), result);
  dot->getResult(0).replaceAllUsesWith(convert(b, loc, result, dType.getEncoding()));
  dot->erase();
}

/// Loads in the planned layout; afterwards the values have the layout that they had.
static void apply(const PatchPlan &plan) {
  tt::LoadOp load = plan.load;
  OpBuilder b(load);
  for (OpOperand &operand : load->getOpOperands())
    operand.set(convert(b, load.getLoc(), operand.get(), plan.layout));
  RankedTensorType before = tensorType(load.getResult());
  load.getResult().setType(before.cloneWithEncoding(plan.layout));
  b.setInsertionPointAfter(load);
  auto back = ttg::ConvertLayoutOp::create(b, load.getLoc(), before, load.getResult());
  load.getResult().replaceAllUsesExcept(back.getResult(), back);
}

void AccelerateMatmul::runOnOperation() {
  ModuleOp module = getOperation();
  StringRef target = ttg::getTargetName(module);
  const AmdSpec *spec = AmdSpec::parse(target);
  if (!spec) {
    module.emitError() << "module is for target '" << target << "', which is no AMD GPU we know";
    return signalPassFailure();
  }
  SmallVector<DotPlan> plans;
  module.walk([&](Operation *op) {
    if (ttg::isDot(op))
      plans.push_back(DotPlanner(op, *spec, nonKDim, std::max(1u, unsigned(kpack))).plan());
  });
  SmallVector<PatchPlan> patches;
  for (const DotPlan &plan : plans)
    for (unsigned index : {0u, 1u})
      if (std::optional<PatchPlan> patch = planPatch(plan, *spec, index))
        patches.push_back(*patch);
  for (const DotPlan &plan : plans) {
    explain(plan);
    apply(plan);
  }
  for (const PatchPlan &patch : patches) {
    explain(patch);
    apply(patch);
  }
}
