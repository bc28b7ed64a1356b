//===- WarpGroupDots.cpp - which dots wgmma computes, and how -------------===//
//   before: %d = tt.dot %a, %b, %c : #blocked
//   after:  %x = ttg.local_alloc %a : #nvmma_shared
//           %y = ttg.local_alloc %b : #nvmma_shared
//           %z = ttg.convert_layout %c -> #mma
//           %e = ttng.warp_group_dot %x, %y, %z : #mma ; %d = ttg.convert_layout %e
//
// B lies in shared memory. A lies there too, unless the iteration of the dot computes it
// (P of attention, dequantised weights): then it comes from registers. A transposition in
// front of an operand becomes a view of the buffer, so that what was loaded is copied as it
// is. The unit reads elements of 16 bits in the order in which they are contiguous in memory.
// Others must be contiguous along K:
//
//   A along K, B along K    both come from shared memory
//   A along M, B along K    A goes through registers, which transposes it
//   A along K, B along N    the same, swapped: the transpose of B^T * A^T
//   A along M, B along N    left to mma.sync
//
// Swapping serves dots with fewer than 64 rows too, if they have 64 columns, and dots of which
// only B is computed: it then comes from registers. Dots of a loop with a chain of dots
// (attention) are not swapped: reductions along N would then cross warps.
//===----------------------------------------------------------------------===//
#include "WarpGroupDots.h"
#include "tessera/TTGIR/Analysis/DotChains.h"
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// The source of an operand, before layout conversions and transpositions.
struct OperandSource {
  Value value;
  bool isTransposed = false; // the operand is the transpose of the value

  bool isLoaded() const {
    return isa_and_nonnull<tt::LoadOp, tt::DescriptorLoadOp>(value.getDefiningOp());
  }
};
} // namespace

static bool swapsLastTwo(tt::TransOp trans) {
  ArrayRef<int32_t> order = trans.getOrder();
  return order == ArrayRef<int32_t>({1, 0}) || order == ArrayRef<int32_t>({0, 2, 1});
}

static OperandSource findSource(Value operand) {
  OperandSource source{operand};
  while (Operation *op = source.value.getDefiningOp()) {
    if (isa<ttg::ConvertLayoutOp>(op)) {
      source.value = op->getOperand(0);
    } else if (auto trans = dyn_cast<tt::TransOp>(op); trans && swapsLastTwo(trans)) {
      source.value = trans.getSrc();
      source.isTransposed = !source.isTransposed;
    } else {
      break;
    }
  }
  return source;
}

/// The dimension along which the value is contiguous in memory, or in registers.
static unsigned contiguousDim(Value value) {
  return dimensionOrder(ttg::toLinearLayout(tensorType(value))).front();
}

/// The dimension along K of an operand.
static unsigned innerDimOf(unsigned index, unsigned rank) {
  return index == 0 ? rank - 1 : rank - 2;
}

/// The other one of a matrix's two dimensions.
static unsigned otherDim(unsigned dim, unsigned rank) { return 2 * rank - 3 - dim; }

static Operation *innermostLoop(Operation *op) {
  return op->getParentOfType<LoopLikeOpInterface>();
}

/// Returns whether iterations of the loop may have different values, loads of equal places aside,
/// which later passes may move in front of the loop.
static bool varies(Value value, Operation *loop, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return loop->isAncestor(value.getParentBlock()->getParentOp());
  if (!loop->isAncestor(op) || !seen.insert(op).second)
    return false;
  bool isPlain = isMemoryEffectFree(op) || isa<tt::LoadOp, tt::DescriptorLoadOp>(op);
  return op->getNumRegions() != 0 || !isPlain ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return varies(operand, loop, seen); });
}

/// Returns whether each iteration of the dot's innermost loop computes the operand anew.
static bool isComputedHere(Value value, tt::DotOp dot) {
  Operation *loop = innermostLoop(dot);
  llvm::SmallPtrSet<Operation *, 16> seen;
  return value.getDefiningOp() && (!loop || varies(value, loop, seen));
}

/// Returns whether registers can hold the operand while other dots run. Not if it is the same in
/// each iteration: ptxas 12.8 and 13.0 let the A of another wgmma of the loop overwrite it.
static bool isSafeInRegisters(Value value, tt::DotOp dot) {
  Operation *loop = innermostLoop(dot);
  if (!loop || isComputedHere(value, dot))
    return true;
  unsigned dots = 0;
  loop->walk([&](tt::DotOp) { ++dots; });
  return dots == 1;
}

/// The dimension of K in the source of an operand.
static unsigned sourceInner(const OperandSource &source, unsigned index) {
  unsigned rank = tensorType(source.value).getRank(), inner = innerDimOf(index, rank);
  return source.isTransposed ? otherDim(inner, rank) : inner;
}

/// The dimension of the source that shall be contiguous in its buffer; nothing where the
/// unit cannot read the source as it lies in memory.
static std::optional<unsigned> bufferDim(const OperandSource &source, unsigned index,
                                         const WgmmaTypes &types) {
  unsigned inner = sourceInner(source, index);
  unsigned outer = otherDim(inner, tensorType(source.value).getRank());
  unsigned contiguous = contiguousDim(source.value);
  if (contiguous == inner || (types.canTranspose && contiguous == outer))
    return contiguous;
  if (source.isLoaded())
    return std::nullopt;
  return inner;
}

static Attribute bufferEncoding(RankedTensorType type, unsigned contiguous) {
  MLIRContext *context = type.getContext();
  auto cga = cast<ttg::LayoutEncodingAttr>(type.getEncoding()).getCGALayout();
  unsigned bits = type.getElementTypeBitWidth(), rank = type.getRank();
  unsigned width = chooseSwizzlingByteWidth(type.getShape(), contiguous, bits, false);
  if (rank == 2 || contiguous == rank - 1)
    return ttg::NvmmaSharedEncodingAttr::get(context, width, rank == 2 && contiguous == 0, bits,
                                             /*fp4Padded=*/false, cga);
  // nvmma_shared has no transposed batches.
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[rank - 2], shape[rank - 1]);
  LinearLayout layout = transposeMatrix(nvmmaSharedLayout(shape, {width, false, bits}));
  constexpr unsigned alignment = 1024; // of the unit's widest swizzle
  return ttg::toSharedLinearEncoding(context, layout, alignment);
}

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// The most columns of an instruction. It needs N / 2 registers and some more when the
/// kernel starts, or ptxas refuses it (C7602).
static unsigned maxColumns(unsigned numWarps, unsigned maxRegisters) {
  constexpr unsigned others = 26;
  unsigned registers = NvidiaSpec::registersPerSM / (numWarps * NvidiaSpec::threadsPerWarp);
  if (maxRegisters != 0)
    registers = std::min(registers, maxRegisters);
  unsigned columns = kMaxWgmmaColumns;
  while (columns > 0 && columns / 2 + others > registers)
    columns /= 2;
  return columns;
}

/// Returns whether a wgmma descriptor can describe the buffer of the operand (0 or 1), in tiles of
/// `rows` rows or columns.
static bool canDescribe(const OperandSource &source, unsigned index, unsigned contiguous,
                        unsigned rows, const WgmmaTypes &types) {
  RankedTensorType type = tensorType(source.value);
  auto encoding = cast<ttg::LayoutEncodingAttr>(bufferEncoding(type, contiguous));
  LinearLayout layout = ttg::toLinearLayout(encoding, type.getShape());
  unsigned inner = sourceInner(source, index);
  return describeWgmmaBuffer(layout, Dim::axis(otherDim(inner, type.getRank())), Dim::axis(inner),
                             rows, types)
      .has_value();
}

static WarpGroupDotPlan declines(StringRef reason) {
  WarpGroupDotPlan plan;
  plan.reason = reason;
  return plan;
}

namespace {
/// Plans one dot, as it is or swapped.
class DotPlanner {
public:
  DotPlanner(tt::DotOp dot, const WgmmaTypes &types, unsigned numWarps, unsigned maxRegisters,
             bool mayPermute)
      : dot(dot), types(types), numWarps(numWarps), mayPermute(mayPermute),
        columnLimit(maxColumns(numWarps, maxRegisters)),
        sources{findSource(dot.getA()), findSource(dot.getB())} {}
  WarpGroupDotPlan plan(bool isSwapped);
  /// Returns whether B comes from registers and A does not: if they are swapped, B need not go to
  /// shared memory.
  bool computesOnlyRight() { return isComputed(1) && !isComputed(0); }

private:
  bool isComputed(unsigned index);
  std::optional<RowSource> rowSource(bool isSwapped);
  bool fitsRegisters(const WarpGroupDotPlan &plan) const;

  tt::DotOp dot;
  const WgmmaTypes &types;
  unsigned numWarps;
  bool mayPermute;
  unsigned columnLimit;
  OperandSource sources[2];
};
} // namespace

/// Returns whether registers hold the operand because the dot's iteration computes it.
bool DotPlanner::isComputed(unsigned index) {
  const OperandSource &source = sources[index];
  return tensorType(dot.getD()).getRank() == 2 && !source.isLoaded() && !source.isTransposed &&
         isComputedHere(source.value, dot);
}

/// Returns nothing if the unit cannot have the operand.
std::optional<RowSource> DotPlanner::rowSource(bool isSwapped) {
  unsigned index = isSwapped ? 1 : 0;
  const OperandSource &source = sources[index];
  bool isMatrix = tensorType(dot.getD()).getRank() == 2;
  if (isComputed(index))
    return RowSource::Computed;
  std::optional<unsigned> contiguous = bufferDim(source, index, types);
  if (contiguous && canDescribe(source, index, *contiguous, kWgmmaRows, types))
    return RowSource::Buffer;
  return isMatrix && mayPermute && source.isLoaded() && isSafeInRegisters(source.value, dot)
             ? std::optional(RowSource::Loaded)
             : std::nullopt;
}

/// Returns whether a thread can hold its part of the sums and of an operand in registers.
bool DotPlanner::fitsRegisters(const WarpGroupDotPlan &plan) const {
  if (plan.product.source != RowSource::Loaded)
    return true;
  constexpr int64_t limit = 200;
  int64_t threads = numWarps * NvidiaSpec::threadsPerWarp;
  int64_t sums = plan.product.rows * plan.product.columns / threads;
  int64_t words = plan.product.rows * plan.product.inner * types.bits / 32;
  return sums + words * plan.tiling.warps[1] / threads <= limit;
}

WarpGroupDotPlan DotPlanner::plan(bool isSwapped) {
  ArrayRef<int64_t> shape = tensorType(dot.getD()).getShape();
  unsigned rank = shape.size(), columnIndex = isSwapped ? 0 : 1;
  constexpr StringRef tooSmall = "the result is smaller than what the warp groups multiply at once";
  int64_t rows = shape[isSwapped ? rank - 1 : rank - 2];
  if (rows < kWgmmaRows)
    return declines(tooSmall);
  std::optional<RowSource> source = rowSource(isSwapped);
  if (!source)
    return declines("A is not contiguous along K in memory");
  WarpGroupDotPlan plan;
  plan.inner = types.inner();
  plan.product = {rank == 3 ? std::optional(shape[0]) : std::nullopt,
                  rows,
                  shape[isSwapped ? rank - 2 : rank - 1],
                  tensorType(dot.getA()).getShape().back(),
                  *source,
                  isSwapped};
  std::optional<WarpGroupTiling> tiling =
      tileWarpGroups(plan.product, types, numWarps, columnLimit);
  if (!tiling)
    return declines(columnLimit < 8 ? "a thread has too few registers" : tooSmall);
  plan.tiling = *tiling;
  const OperandSource &columns = sources[columnIndex];
  std::optional<unsigned> contiguous = bufferDim(columns, columnIndex, types);
  if (!contiguous || !canDescribe(columns, columnIndex, *contiguous, tiling->instrColumns, types))
    return declines("B is not contiguous along K in memory");
  if (!fitsRegisters(plan))
    return declines("the operand that goes through registers needs too many of them");
  auto cga = cast<ttg::LayoutEncodingAttr>(tensorType(dot.getD()).getEncoding()).getCGALayout();
  plan.layout = resultEncoding(dot.getContext(), plan.product, plan.tiling, types, cga);
  if (*source != RowSource::Buffer)
    plan.rowLayout = rowEncoding(dot.getContext(), plan.product, plan.tiling, types, cga);
  return plan;
}

/// Returns whether the result may have the layout of a swapped or permuted dot. It may if no value
/// that a dot of the usual layout made is combined with it: no dot of the loop is chained with
/// another, or the dot is the only one of the kernel.
static bool mayChooseLayout(tt::DotOp dot) {
  Operation *scope = innermostLoop(dot);
  bool isLoop = scope != nullptr;
  if (!isLoop)
    scope = dot->getParentOfType<FunctionOpInterface>();
  unsigned count = 0;
  bool isChained = false;
  scope->walk([&](tt::DotOp other) {
    ++count;
    isChained |= ttg::findFedOperand(other) || ttg::findOperandFromDot(other);
  });
  return !isChained && (isLoop || count == 1);
}

WarpGroupDotPlan nvidia::planWarpGroupDot(tt::DotOp dot, const NvidiaSpec &spec, unsigned numWarps,
                                          unsigned maxRegisters) {
  RankedTensorType aType = tensorType(dot.getA()), dType = tensorType(dot.getD());
  auto blocked = dyn_cast_or_null<ttg::BlockedEncodingAttr>(dType.getEncoding());
  std::optional<WgmmaTypes> types =
      findWgmma(spec, aType.getElementType(), tensorType(dot.getB()).getElementType(),
                dType.getElementType(), dot.getInputPrecision());
  if (!types)
    return declines("wgmma has no instruction for these types and this precision");
  if (!blocked || dType.getRank() > 3)
    return declines("wgmma multiplies matrices and batches of them");
  if (numWarps % kWarpGroupWarps != 0)
    return declines("wgmma needs a multiple of four warps");
  if (!blocked.getCGALayout().getBases().empty())
    return declines("wgmma in clusters is not supported");
  if (aType.getShape().back() < types->inner())
    return declines("K is smaller than the instruction's");
  bool mayChoose = mayChooseLayout(dot);
  DotPlanner planner(dot, *types, numWarps, maxRegisters, mayChoose);
  bool maySwap = dType.getRank() == 2 && mayChoose;
  bool prefersSwap = maySwap && planner.computesOnlyRight();
  WarpGroupDotPlan first = planner.plan(prefersSwap);
  if (first.layout || !maySwap)
    return first;
  WarpGroupDotPlan second = planner.plan(!prefersSwap);
  return second.layout || prefersSwap ? second : first;
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

/// Stores in front of loops that do not change the value.
static Operation *storePoint(Value value, Operation *dot) {
  Operation *point = dot;
  for (Operation *loop = innermostLoop(dot); loop; loop = innermostLoop(loop)) {
    Operation *op = value.getDefiningOp();
    bool isInside = op ? loop->isAncestor(op)
                       : loop->isAncestor(cast<BlockArgument>(value).getOwner()->getParentOp());
    if (isInside)
      break;
    point = loop;
  }
  return point;
}

/// The operand (0 or 1) in shared memory.
static Value buffer(tt::DotOp dot, unsigned index, const WgmmaTypes &types) {
  OperandSource source = findSource(dot->getOperand(index));
  RankedTensorType type = tensorType(source.value);
  // planWarpGroupDot found a dimension.
  unsigned contiguous = bufferDim(source, index, types).value_or(0);
  OpBuilder b(storePoint(source.value, dot));
  auto bufferType = ttg::MemDescType::get(type.getShape(), type.getElementType(),
                                          bufferEncoding(type, contiguous),
                                          ttg::SharedMemorySpaceAttr::get(b.getContext()),
                                          /*mutableMemory=*/false);
  Value stored = ttg::LocalAllocOp::create(b, dot.getLoc(), bufferType, source.value);
  if (!source.isTransposed)
    return stored;
  SmallVector<int32_t> order =
      type.getRank() == 2 ? SmallVector<int32_t>{1, 0} : SmallVector<int32_t>{0, 2, 1};
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[type.getRank() - 2], shape[type.getRank() - 1]);
  FailureOr<Attribute> encoding = ttg::inferTransEncoding(bufferType.getEncoding(), type.getShape(),
                                                          order, [&] { return dot.emitError(); });
  if (failed(encoding)) // no layout of a buffer fails
    return stored;
  auto view = ttg::MemDescType::get(shape, type.getElementType(), *encoding,
                                    bufferType.getMemorySpace(), /*mutableMemory=*/false);
  return ttg::MemDescTransOp::create(b, dot.getLoc(), view, stored, order);
}

static Value convert(OpBuilder &b, Location loc, Value value, Attribute encoding) {
  return ttg::ConvertLayoutOp::create(b, loc, tensorType(value).cloneWithEncoding(encoding), value);
}

void nvidia::replaceByWarpGroupDot(tt::DotOp dot, const WarpGroupDotPlan &plan) {
  Location loc = dot.getLoc();
  OpBuilder b(dot);
  unsigned bits = tensorType(dot.getA()).getElementTypeBitWidth();
  WgmmaTypes types{bits, "", bits == 16, false};
  unsigned rows = plan.product.isSwapped ? 1 : 0;
  Value operands[2];
  for (unsigned index : {0u, 1u})
    operands[index] =
        index == rows && plan.rowLayout
            ? convert(b, loc, ttg::unconverted(dot->getOperand(index)), plan.rowLayout)
            : buffer(dot, index, types);
  Value sum = convert(b, loc, dot.getC(), plan.layout);
  IntegerAttr columns;
  if (!isa<ttg::NvidiaMmaEncodingAttr>(plan.layout))
    columns = b.getI32IntegerAttr(plan.tiling.instrColumns);
  Value result = ttng::WarpGroupDotOp::create(b, loc, sum.getType(), operands[0], operands[1], sum,
                                              /*useC=*/Value(), dot.getInputPrecision(),
                                              dot.getMaxNumImpreciseAcc(), /*isAsync=*/false,
                                              plan.product.isSwapped, columns);
  dot.replaceAllUsesWith(convert(b, loc, result, tensorType(dot.getD()).getEncoding()));
  dot.erase();
}
