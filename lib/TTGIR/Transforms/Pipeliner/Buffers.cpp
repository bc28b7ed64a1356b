//===- Buffers.cpp - shared memory layouts for asynchronous copies --------===//
// Copies write a buffer in the layout of the load's pointers. Reads have the layouts of the users,
// mostly of a dot's operands: a convert_layout of the load is replaced by a read in its layout. If
// a user is a local_alloc, its encoding is the layout of the buffer.
//
// Otherwise the order of the dimensions is that of the load's addresses, and groups of 16 bytes are
// swizzled by row. Of the possible swizzles, the one is chosen with which all accesses together
// take the fewest bank cycles (Layout/SharedChoice.h).
//===----------------------------------------------------------------------===//
#include "Buffers.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/AsyncCopy.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"

using namespace mlir;
using namespace tessera;

bool tessera::isLoad(Operation *op) { return isa<tt::LoadOp, tt::DescriptorLoadOp>(op); }

static RankedTensorType typeOf(Operation *load) {
  return cast<RankedTensorType>(load->getResult(0).getType());
}

ttg::MemDescType BufferPlan::bufferType(Operation *load, unsigned count) const {
  auto tile = typeOf(load);
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, tile.getShape());
  return ttg::MemDescType::get(shape, tile.getElementType(), encoding,
                               ttg::SharedMemorySpaceAttr::get(load->getContext()),
                               /*mutableMemory=*/true);
}

ttg::MemDescType BufferPlan::tileType(Operation *load) const {
  auto tile = typeOf(load);
  return ttg::MemDescType::get(tile.getShape(), tile.getElementType(), encoding,
                               ttg::SharedMemorySpaceAttr::get(load->getContext()),
                               /*mutableMemory=*/true);
}

static unsigned elementBytes(Operation *load) { return tt::getElementBits(typeOf(load)) / 8; }

uint64_t tessera::tileBytes(Operation *load, const BufferPlan &plan) {
  return ttg::toLinearLayout(plan.encoding, typeOf(load).getShape()).inSize(Dim::offset()) *
         elementBytes(load);
}

/// Returns whether a buffer can hold the load's elements.
static bool canBuffer(tt::LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || !tile.getEncoding() || load.getIsVolatile() ||
      !isa<RankedTensorType>(load.getPtr().getType()))
    return false;
  Type element = tile.getElementType();
  if (!element.isIntOrFloat())
    return false;
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits);
}

/// Returns the length of aligned runs of consecutive addresses along the layout's fastest
/// dimension. `maskRun` selects whether the mask is constant over a run or true for a prefix of it.
static unsigned provenContiguity(tt::LoadOp load, const LinearLayout &layout,
                                 const AxisInfoAnalysis &axes, int64_t AccessFacts::*maskRun) {
  SmallVector<AccessFacts> facts = axes.accessFacts(load.getPtr(), load.getMask());
  unsigned dim = dimensionOrder(layout).front();
  if (dim >= facts.size())
    return 1;
  auto powerOfTwoIn = [](int64_t value) -> uint64_t { return value <= 0 ? 1 : value & -value; };
  uint64_t aligned =
      std::max<uint64_t>(1, powerOfTwoIn(facts[dim].divisibilityBytes) / elementBytes(load));
  return std::min({powerOfTwoIn(facts[dim].contiguity), aligned, powerOfTwoIn(facts[dim].*maskRun),
                   uint64_t(128)});
}

namespace {
/// The users of a load's value and the layouts in which they read it.
struct Readers {
  SmallVector<RankedTensorType> layouts;
  /// The encoding of a local_alloc of the value; null if there is none.
  Attribute fixed;
  bool agree = true;
  /// A dot that reads a buffer of the value may run into the next iteration.
  bool mayOutliveIteration = false;
};
} // namespace

/// Returns whether a dot that may run into the next iteration reads `buffer` or a view of it.
static bool isReadBeyondIteration(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (auto dot = dyn_cast<ttg::BufferedDotOpInterface>(user))
      return dot.mayOutliveIteration();
    return isa<ViewLikeOpInterface>(user) && isReadBeyondIteration(user->getResult(0));
  });
}

static Readers findReaders(Operation *load) {
  Readers readers;
  for (Operation *user : load->getUsers()) {
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(user)) {
      Attribute encoding = alloc.getType().getEncoding();
      readers.agree &= !readers.fixed || readers.fixed == encoding;
      readers.fixed = encoding;
      readers.mayOutliveIteration |= isReadBeyondIteration(alloc);
      continue;
    }
    auto convert = dyn_cast<ttg::ConvertLayoutOp>(user);
    auto type = convert ? cast<RankedTensorType>(convert.getType()) : typeOf(load);
    if (!llvm::is_contained(readers.layouts, type))
      readers.layouts.push_back(type);
  }
  return readers;
}

/// Returns the swizzle with which copies and reads take the fewest bank cycles.
static Attribute chooseEncoding(tt::LoadOp load, const LinearLayout &pointers,
                                const Readers &readers, unsigned copyElements) {
  auto tile = cast<RankedTensorType>(load.getType());
  auto cga = cast<ttg::LayoutEncodingAttr>(tile.getEncoding()).getCGALayout();
  SharedBufferUse use;
  use.shape.assign(tile.getShape().begin(), tile.getShape().end());
  use.order = dimensionOrder(pointers);
  use.elementBits = elementBytes(load) * 8;
  use.writers = {pointers};
  for (RankedTensorType reader : readers.layouts)
    use.readers.push_back(ttg::toLinearLayout(reader));
  use.cga = cga.getBases();
  use.minVector = copyElements;
  use.machine = ttg::getMachine(load);
  use.matrixLoads = use.machine.matrixLoads;
  SwizzledSharedParams params = chooseSwizzle(use);
  return ttg::SwizzledSharedEncodingAttr::get(load.getContext(), params.vec, params.perPhase,
                                              params.maxPhase, params.order, cga);
}

/// Returns whether each CTA of a cluster reads only its own buffer.
static bool staysInBlock(const LinearLayout &buffer, const Readers &readers) {
  return llvm::all_of(readers.layouts, [&](RankedTensorType reader) {
    return offsetsInBuffer(ttg::toLinearLayout(reader), buffer).has_value();
  });
}

/// A load through a descriptor fills a buffer of the layout in which a dot reads it.
static std::optional<BufferPlan> planTileCopy(tt::DescriptorLoadOp load) {
  Readers readers = findReaders(load);
  Attribute encoding = load.getDesc().getType().getBlockType().getEncoding();
  if (!encoding || !readers.agree || !readers.fixed || !readers.layouts.empty())
    return std::nullopt;
  BufferPlan plan;
  plan.encoding = readers.fixed;
  plan.mayOutliveIteration = readers.mayOutliveIteration;
  plan.isTileCopy = true;
  return plan;
}

std::optional<BufferPlan> tessera::planBuffer(Operation *op, const AxisInfoAnalysis &axes,
                                              const CopySizes &sizes) {
  if (auto load = dyn_cast<tt::DescriptorLoadOp>(op))
    return planTileCopy(load);
  auto load = cast<tt::LoadOp>(op);
  if (!canBuffer(load))
    return std::nullopt;
  auto tile = cast<RankedTensorType>(load.getType());
  LinearLayout pointers = ttg::toLinearLayout(tile);
  BufferPlan plan;
  plan.contiguity = provenContiguity(load, pointers, axes, &AccessFacts::maskPrefix);
  plan.hasPrefixMask =
      plan.contiguity > provenContiguity(load, pointers, axes, &AccessFacts::maskConstancy);
  Readers readers = findReaders(load);
  if (!readers.agree)
    return std::nullopt;
  plan.mayOutliveIteration = readers.mayOutliveIteration;
  // The adjacent elements of a thread that one copy instruction can move.
  unsigned copyElements =
      vectorAlong(pointers, dimensionOrder(pointers).front(),
                  std::min(plan.contiguity, sizes.maxBytes / elementBytes(load)))
          .width;
  if (copyElements * elementBytes(load) < sizes.minBytes)
    return std::nullopt;
  plan.encoding =
      readers.fixed ? readers.fixed : chooseEncoding(load, pointers, readers, copyElements);
  if (!plan.encoding || isa<ttg::PaddedSharedEncodingAttr>(plan.encoding))
    return std::nullopt;
  LinearLayout buffer = ttg::toLinearLayout(plan.encoding, tile.getShape());
  if (!staysInBlock(buffer, readers))
    return std::nullopt;
  SmallVector<unsigned> copyBytes;
  for (unsigned bytes = sizes.minBytes; bytes <= sizes.maxBytes; bytes *= 2)
    copyBytes.push_back(bytes);
  if (!planAsyncCopy(pointers, buffer, plan.contiguity, elementBytes(load), copyBytes))
    return std::nullopt;
  return plan;
}
