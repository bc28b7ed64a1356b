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
// is. Elements of 16 bits keep the order in which they are contiguous in memory; others must
// be contiguous along K, so what is computed is stored so, and what is loaded otherwise is
// left to mma.sync.
//===----------------------------------------------------------------------===//
#include "WarpGroupDots.h"
#include "DotChains.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
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

static OperandSource findSource(Value operand) {
  OperandSource source{operand};
  while (Operation *op = source.value.getDefiningOp()) {
    if (isa<ttg::ConvertLayoutOp>(op)) {
      source.value = op->getOperand(0);
    } else if (auto trans = dyn_cast<tt::TransOp>(op)) {
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

static Operation *innermostLoop(Operation *op) {
  return op->getParentOfType<LoopLikeOpInterface>();
}

/// Returns whether the operand is computed in the innermost loop of the dot.
static bool isComputedHere(Value value, tt::DotOp dot) {
  Operation *loop = innermostLoop(dot);
  Operation *op = value.getDefiningOp();
  return op && (!loop || loop->isAncestor(op));
}

/// The dimension of the source that shall be contiguous in its buffer; nothing where the
/// unit cannot read the source as it lies in memory.
static std::optional<unsigned> bufferDim(const OperandSource &source, unsigned innerDim,
                                         const WgmmaTypes &types) {
  unsigned inner = source.isTransposed ? 1 - innerDim : innerDim;
  unsigned contiguous = contiguousDim(source.value);
  if (types.canTranspose || contiguous == inner)
    return contiguous;
  if (source.isLoaded())
    return std::nullopt;
  return inner;
}

static ttg::NvmmaSharedEncodingAttr bufferEncoding(RankedTensorType type, unsigned contiguous) {
  auto cga = cast<ttg::LayoutEncodingAttr>(type.getEncoding()).getCGALayout();
  unsigned bits = type.getElementTypeBitWidth();
  unsigned width = chooseSwizzlingByteWidth(type.getShape(), contiguous, bits, false);
  return ttg::NvmmaSharedEncodingAttr::get(type.getContext(), width, contiguous == 0, bits,
                                           /*fp4Padded=*/false, cga);
}

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// Warps along M and N: groups of four share out M while it has rows for them, then N. Rows
/// of a dot that feeds another stay in a warp, where there are enough.
static SmallVector<unsigned> arrangeGroups(ArrayRef<int64_t> shape, unsigned numWarps) {
  SmallVector<unsigned> warps = {kWarpGroupWarps, 1};
  for (unsigned groups = numWarps / kWarpGroupWarps; groups > 1; groups /= 2)
    warps[shape[0] >= 2 * int64_t(kWgmmaRows) * warps[0] / kWarpGroupWarps ? 0 : 1] *= 2;
  return warps;
}

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

/// Returns whether a wgmma descriptor can describe the operand's buffer.
static bool canDescribe(const OperandSource &source, unsigned contiguous, unsigned innerDim,
                        unsigned rows, const WgmmaTypes &types) {
  RankedTensorType type = tensorType(source.value);
  LinearLayout layout = ttg::toLinearLayout(bufferEncoding(type, contiguous), type.getShape());
  unsigned inner = source.isTransposed ? 1 - innerDim : innerDim;
  return describeWgmmaBuffer(layout, Dim::axis(1 - inner), Dim::axis(inner), rows, types)
      .has_value();
}

static WarpGroupDotPlan declines(StringRef reason) {
  WarpGroupDotPlan plan;
  plan.reason = reason;
  return plan;
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
  if (!blocked || dType.getRank() != 2)
    return declines("wgmma multiplies matrices, not batches of them");
  if (numWarps % kWarpGroupWarps != 0)
    return declines("wgmma needs a multiple of four warps");
  if (!blocked.getCGALayout().getBases().empty())
    return declines("wgmma in clusters is not supported");
  ArrayRef<int64_t> shape = dType.getShape();
  SmallVector<unsigned> warps = arrangeGroups(shape, numWarps);
  if (shape[0] < kWgmmaRows || shape[1] < 8 * warps[1])
    return declines("the result is smaller than what the warp groups multiply at once");
  if (aType.getShape()[1] < types->inner())
    return declines("K is smaller than the instruction's");

  WarpGroupDotPlan plan;
  plan.inner = types->inner();
  plan.columns = std::min<unsigned>(maxColumns(numWarps, maxRegisters), shape[1] / warps[1]);
  if (plan.columns < 8)
    return declines("a thread has too few registers");
  OperandSource left = findSource(dot.getA()), right = findSource(dot.getB());
  plan.leftInRegisters = !left.isLoaded() && !left.isTransposed && isComputedHere(left.value, dot);
  std::optional<unsigned> leftDim = bufferDim(left, 1, *types);
  std::optional<unsigned> rightDim = bufferDim(right, 0, *types);
  if (!rightDim || !canDescribe(right, *rightDim, 0, plan.columns, *types))
    return declines("B is not contiguous along K in memory");
  if (!plan.leftInRegisters && (!leftDim || !canDescribe(left, *leftDim, 1, kWgmmaRows, *types)))
    return declines("A is not contiguous along K in memory");
  plan.layout = ttg::NvidiaMmaEncodingAttr::get(dot.getContext(), /*versionMajor=*/3,
                                                /*versionMinor=*/0, warps, blocked.getCGALayout(),
                                                {16, plan.columns, plan.inner});
  return plan;
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

/// The operand in shared memory.
static Value buffer(Value operand, unsigned innerDim, tt::DotOp dot, const WgmmaTypes &types) {
  OperandSource source = findSource(operand);
  RankedTensorType type = tensorType(source.value);
  // planWarpGroupDot found a dimension.
  unsigned contiguous = bufferDim(source, innerDim, types).value_or(0);
  OpBuilder b(storePoint(source.value, dot));
  auto bufferType = ttg::MemDescType::get(type.getShape(), type.getElementType(),
                                          bufferEncoding(type, contiguous),
                                          ttg::SharedMemorySpaceAttr::get(b.getContext()),
                                          /*mutableMemory=*/false);
  Value stored = ttg::LocalAllocOp::create(b, dot.getLoc(), bufferType, source.value);
  if (!source.isTransposed)
    return stored;
  auto encoding = cast<ttg::NvmmaSharedEncodingAttr>(bufferType.getEncoding());
  auto view = ttg::MemDescType::get(
      {type.getShape()[1], type.getShape()[0]}, type.getElementType(),
      ttg::NvmmaSharedEncodingAttr::get(b.getContext(), encoding.getSwizzlingByteWidth(),
                                        !encoding.getTransposed(), encoding.getElementBitWidth(),
                                        encoding.getFp4Padded(), encoding.getCGALayout()),
      bufferType.getMemorySpace(), /*mutableMemory=*/false);
  return ttg::MemDescTransOp::create(b, dot.getLoc(), view, stored, ArrayRef<int32_t>{1, 0});
}

static Value convert(OpBuilder &b, Location loc, Value value, Attribute encoding) {
  return ttg::ConvertLayoutOp::create(b, loc, tensorType(value).cloneWithEncoding(encoding), value);
}

void nvidia::replaceByWarpGroupDot(tt::DotOp dot, const WarpGroupDotPlan &plan) {
  Location loc = dot.getLoc();
  OpBuilder b(dot);
  unsigned bits = tensorType(dot.getA()).getElementTypeBitWidth();
  WgmmaTypes types{bits, "", bits == 16, false};
  Value left;
  if (plan.leftInRegisters)
    left = convert(b, loc, findSource(dot.getA()).value,
                   ttg::DotOperandEncodingAttr::get(dot.getContext(), 0, plan.layout, 32 / bits));
  else
    left = buffer(dot.getA(), 1, dot, types);
  Value right = buffer(dot.getB(), 0, dot, types);
  Value sum = convert(b, loc, dot.getC(), plan.layout);
  Value result = ttng::WarpGroupDotOp::create(b, loc, sum.getType(), left, right, sum,
                                              /*useC=*/Value(), dot.getInputPrecision(),
                                              dot.getMaxNumImpreciseAcc(), /*isAsync=*/false);
  dot.replaceAllUsesWith(convert(b, loc, result, tensorType(dot.getD()).getEncoding()));
  dot.erase();
}
