//===- TTGInference.cpp - encodings of results, and what tensors may carry ===//
// Implements the tt dialect's layout interface (TTIR/IR/TTLayoutInterface.h). A shape op moves no
// data: the result's layout is the source's with its dimensions renamed, merged or split. It is
// computed as a linear map and then given an encoding: a blocked one if that denotes the same map,
// otherwise a linear one.
//
//   trans      permute the dimensions
//   reshape    flatten row-major, split row-major
//   join       a new lowest register bit, which is the new last dimension
//   cat        a new highest register bit, which is the half along one dimension
//   split      the register bit that is the last dimension, removed
//   reduce     a slice; expand_dims takes it off again
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTIR/IR/TTLayoutInterface.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;
using tt::ErrorEmitter;

static SmallVector<Dim> axes(unsigned rank) {
  SmallVector<Dim> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(Dim::axis(dim));
  return dims;
}

//===----------------------------------------------------------------------===//
// Naming a layout
//===----------------------------------------------------------------------===//

/// Returns the dimensions in the order of their first use in registers, then lanes, then warps;
/// unused ones last to first.
static SmallVector<unsigned> orderOfUse(const LinearLayout &layout) {
  SmallVector<unsigned> order;
  auto append = [&](unsigned dim) {
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  };
  for (Dim in : {Dim::reg(), Dim::lane(), Dim::warp()})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      for (auto [dim, component] : llvm::enumerate(layout.basis(in, bit)))
        if (component != 0)
          append(dim);
  for (unsigned dim = layout.outs().size(); dim-- > 0;)
    append(dim);
  return order;
}

/// For each dimension, two to the number of bits of `in` below `limits` along it.
static SmallVector<unsigned> sizesAlong(const LinearLayout &layout, Dim in,
                                        ArrayRef<uint64_t> limits) {
  SmallVector<unsigned> sizes(layout.outs().size(), 1);
  for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
    for (auto [dim, component] : llvm::enumerate(layout.basis(in, bit)))
      if (component != 0 && uint64_t(component) < limits[dim])
        sizes[dim] *= 2;
  return sizes;
}

/// Returns the blocked encoding that denotes `layout` on its own shape, or null.
static Attribute findBlocked(MLIRContext *context, const LinearLayout &layout) {
  unsigned rank = layout.outs().size();
  SmallVector<uint64_t> none(rank, std::numeric_limits<uint64_t>::max()), threads = none;
  // A thread's own elements are below those that other threads step over.
  for (Dim in : {Dim::lane(), Dim::warp()})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      for (auto [dim, component] : llvm::enumerate(layout.basis(in, bit)))
        if (component != 0)
          threads[dim] = std::min<uint64_t>(threads[dim], component);

  SmallVector<unsigned> order = orderOfUse(layout);
  SmallVector<unsigned> lanes = sizesAlong(layout, Dim::lane(), none);
  SmallVector<unsigned> warps = sizesAlong(layout, Dim::warp(), none);
  // Replicating bits are counted along the slowest dimension, where they exceed the shape.
  lanes[order.back()] *= layout.inSize(Dim::lane()) / llvm::product_of(lanes);
  warps[order.back()] *= layout.inSize(Dim::warp()) / llvm::product_of(warps);
  CgaBases cga;
  SmallVector<int64_t> shape;
  for (const DimBits &out : layout.outs())
    shape.push_back(out.size());
  for (unsigned bit = 0; bit < layout.inBits(Dim::block()); ++bit) {
    if (layout.flatBasis(Dim::block(), bit) != 0)
      return {}; // layouts over several CTAs stay linear
    cga.emplace_back(rank, 0);
  }
  BlockedParams params{sizesAlong(layout, Dim::reg(), threads), lanes, warps, order, cga};
  if (whyInvalid(params) || blockedLayout(shape, params) != layout)
    return {};
  return BlockedEncodingAttr::get(context, params.sizePerThread, lanes, warps, order,
                                  CGALayoutAttr::get(context, rank, cga));
}

Attribute ttg::nameLayout(MLIRContext *context, const LinearLayout &layout) {
  if (Attribute blocked = findBlocked(context, layout))
    return blocked;
  return toLinearEncoding(context, layout);
}

/// Like nameLayout, but fails if a basis moves along two dimensions.
static FailureOr<Attribute> nameOrFail(MLIRContext *context, const LinearLayout &layout,
                                       ErrorEmitter emitError) {
  if (auto why = whyInvalidLinear(layout))
    return emitError() << "has no encoding for its result: " << *why;
  return nameLayout(context, layout);
}

/// Returns the map of an encoding; fails if it has none for this shape.
static FailureOr<LinearLayout> getLayout(Attribute encoding, ArrayRef<int64_t> shape,
                                         ErrorEmitter emitError) {
  auto layout = dyn_cast<LayoutEncodingAttr>(encoding);
  if (!layout)
    return emitError() << encoding << " is not a layout";
  if (layout.getRank() != shape.size())
    return emitError() << "a layout of rank " << layout.getRank() << " on a tensor of rank "
                       << shape.size();
  if (auto why = whyInvalidShape(shape))
    return emitError() << *why;
  LinearLayout result = toLinearLayout(encoding, shape);
  if (result.ins().empty())
    return emitError() << encoding << " has no linear layout here";
  return result;
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

static SmallVector<unsigned> permuted(ArrayRef<unsigned> values, ArrayRef<int32_t> order) {
  SmallVector<unsigned> result;
  for (int32_t dim : order)
    result.push_back(values[dim]);
  return result;
}

/// Renames `dims`: source dimension order[i] is now dimension i.
static SmallVector<unsigned> renamed(ArrayRef<unsigned> dims, ArrayRef<int32_t> order) {
  SmallVector<unsigned> names(order.size());
  for (auto [now, before] : llvm::enumerate(order))
    names[before] = now;
  SmallVector<unsigned> result;
  for (unsigned dim : dims)
    result.push_back(names[dim]);
  return result;
}

static CGALayoutAttr permuted(CGALayoutAttr cga, ArrayRef<int32_t> order) {
  CgaBases bases = cga.getBases();
  for (BasisVector &basis : bases) {
    BasisVector before = basis;
    for (auto [now, dim] : llvm::enumerate(order))
      basis[now] = before[dim];
  }
  return CGALayoutAttr::get(cga.getContext(), order.size(), bases);
}

static LinearLayout permuted(const LinearLayout &layout, ArrayRef<int32_t> order) {
  SmallVector<Dim> dims;
  for (int32_t dim : order)
    dims.push_back(Dim::axis(dim));
  LinearLayout moved = layout.transposeOuts(dims).value_or(layout);
  return moved.renameOuts(axes(order.size())).value_or(moved);
}

FailureOr<Attribute> ttg::inferTransEncoding(Attribute source, ArrayRef<int64_t> shape,
                                             ArrayRef<int32_t> order, ErrorEmitter emitError) {
  MLIRContext *context = source.getContext();
  auto encoding = dyn_cast<LayoutEncodingAttr>(source);
  if (!encoding || encoding.getRank() != order.size())
    return emitError() << "cannot permute the dimensions of " << source;
  CGALayoutAttr cga = permuted(encoding.getCGALayout(), order);
  if (auto e = dyn_cast<BlockedEncodingAttr>(source))
    return Attribute(BlockedEncodingAttr::get(
        context, permuted(e.getSizePerThread(), order), permuted(e.getThreadsPerWarp(), order),
        permuted(e.getWarpsPerCTA(), order), renamed(e.getOrder(), order), cga));
  if (auto e = dyn_cast<SwizzledSharedEncodingAttr>(source))
    return Attribute(SwizzledSharedEncodingAttr::get(
        context, e.getVec(), e.getPerPhase(), e.getMaxPhase(), renamed(e.getOrder(), order), cga));
  if (auto e = dyn_cast<NvmmaSharedEncodingAttr>(source)) {
    if (order == ArrayRef<int32_t>({1, 0}))
      return Attribute(NvmmaSharedEncodingAttr::get(context, e.getSwizzlingByteWidth(),
                                                    !e.getTransposed(), e.getElementBitWidth(),
                                                    e.getFp4Padded(), cga));
    if (llvm::is_sorted(order))
      return source;
  }
  if (auto e = dyn_cast<PaddedSharedEncodingAttr>(source))
    return Attribute(PaddedSharedEncodingAttr::get(context, e.getIntervals(), e.getPaddings(),
                                                   permuted(e.getLayout(), order)));
  FailureOr<LinearLayout> layout = getLayout(source, shape, emitError);
  if (failed(layout))
    return failure();
  LinearLayout result = permuted(*layout, order);
  if (auto shared = dyn_cast<SharedEncodingAttr>(source))
    return Attribute(toSharedLinearEncoding(context, result, shared.getAlignment()));
  return Attribute(toLinearEncoding(context, result));
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// Returns `layout` for the same elements, in row-major order, in a tensor of another shape.
static std::optional<LinearLayout> reshaped(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  // LinearLayout's first dimension is the most minor one: reverse, reshape, reverse.
  SmallVector<Dim> minorFirst(llvm::reverse(layout.outDims()));
  SmallVector<DimBits> dims;
  for (unsigned dim = shape.size(); dim-- > 0;)
    dims.push_back({Dim::axis(dim), llvm::Log2_64(shape[dim])});
  std::optional<LinearLayout> result = layout.transposeOuts(minorFirst);
  if (result)
    result = result->reshapeOuts(dims);
  return result ? result->transposeOuts(axes(shape.size())) : std::nullopt;
}

FailureOr<LinearLayout> ttg::inferReshapeLayout(Attribute source, ArrayRef<int64_t> sourceShape,
                                                ArrayRef<int64_t> resultShape,
                                                ErrorEmitter emitError) {
  FailureOr<LinearLayout> layout = getLayout(source, sourceShape, emitError);
  if (failed(layout))
    return failure();
  if (auto why = whyInvalidShape(resultShape))
    return emitError() << *why;
  std::optional<LinearLayout> result = reshaped(*layout, resultShape);
  if (!result)
    return emitError() << "changes the number of elements";
  return *result;
}

FailureOr<LinearLayout> ttg::inferFp4ToFpLayout(Attribute source, ArrayRef<int64_t> shape,
                                                unsigned axis, ErrorEmitter emitError) {
  FailureOr<LinearLayout> layout = getLayout(source, shape, emitError);
  if (failed(layout))
    return failure();
  // The two halves of a byte are adjacent along the axis, in adjacent registers.
  LinearLayout result = LinearLayout::identity(2, Dim::reg(), Dim::axis(axis)) * *layout;
  return result.transposeOuts(axes(shape.size())).value_or(result);
}

FailureOr<Attribute> ttg::inferCatEncoding(RankedTensorType source, ArrayRef<int64_t> resultShape,
                                           ErrorEmitter emitError) {
  ArrayRef<int64_t> shape = source.getShape();
  FailureOr<LinearLayout> layout = getLayout(source.getEncoding(), shape, emitError);
  if (failed(layout))
    return failure();
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    SmallVector<int64_t> joined(shape);
    joined[dim] *= 2;
    if (ArrayRef<int64_t>(joined) != resultShape)
      continue;
    LinearLayout result = *layout * LinearLayout::identity(2, Dim::reg(), Dim::axis(dim));
    return nameOrFail(source.getContext(), result, emitError);
  }
  return emitError() << "joins tensors along no dimension";
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Returns the one register bit that moves along dimension `last`, or nothing.
static std::optional<unsigned> findSplitBit(const LinearLayout &layout, Dim last) {
  std::optional<unsigned> found;
  for (const DimBits &in : layout.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      if (layout.basis(in.dim, bit, last) == 0)
        continue;
      if (found || in.dim != Dim::reg() ||
          llvm::count_if(layout.basis(in.dim, bit), [](int64_t c) { return c != 0; }) != 1)
        return std::nullopt;
      found = bit;
    }
  return found;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
struct TTGLayoutInterface : public tt::LayoutInterface {
  using tt::LayoutInterface::LayoutInterface;

  FailureOr<Attribute> inferReduce(Attribute source, int32_t axis,
                                   ErrorEmitter emitError) const final {
    auto parent = dyn_cast<DistributedEncodingAttr>(source);
    if (!parent)
      return emitError() << source << " is not a layout over threads";
    if (failed(SliceEncodingAttr::verify(emitError, axis, parent)))
      return failure();
    return Attribute(SliceEncodingAttr::get(source.getContext(), axis, parent));
  }

  FailureOr<Attribute> inferExpandDims(Attribute source, int32_t axis,
                                       ErrorEmitter emitError) const final {
    auto slice = dyn_cast<SliceEncodingAttr>(source);
    if (!slice)
      return emitError() << "needs a source with a slice encoding, but got " << source;
    if (slice.getDim() != unsigned(axis))
      return emitError() << "inserts dimension " << axis << " into a slice that lacks dimension "
                         << slice.getDim();
    return Attribute(slice.getParent());
  }

  FailureOr<Attribute> inferTrans(Attribute source, ArrayRef<int64_t> shape,
                                  ArrayRef<int32_t> order, ErrorEmitter emitError) const final {
    return inferTransEncoding(source, shape, order, emitError);
  }

  FailureOr<Attribute> inferReshape(Attribute source, ArrayRef<int64_t> sourceShape,
                                    ArrayRef<int64_t> resultShape,
                                    ErrorEmitter emitError) const final {
    FailureOr<LinearLayout> layout =
        inferReshapeLayout(source, sourceShape, resultShape, emitError);
    if (failed(layout))
      return failure();
    return nameOrFail(source.getContext(), *layout, emitError);
  }

  FailureOr<Attribute> inferJoin(Attribute source, ArrayRef<int64_t> shape,
                                 ErrorEmitter emitError) const final {
    FailureOr<LinearLayout> layout = getLayout(source, shape, emitError);
    if (failed(layout))
      return failure();
    unsigned rank = shape.size();
    LinearLayout joined = LinearLayout::identity(2, Dim::reg(), Dim::axis(rank)) * *layout;
    joined = joined.transposeOuts(axes(rank + 1)).value_or(joined);
    return nameOrFail(source.getContext(), joined, emitError);
  }

  FailureOr<Attribute> inferSplit(Attribute source, ArrayRef<int64_t> shape,
                                  ErrorEmitter emitError) const final {
    FailureOr<LinearLayout> layout = getLayout(source, shape, emitError);
    if (failed(layout))
      return failure();
    Dim last = Dim::axis(shape.size() - 1);
    std::optional<unsigned> splitBit = findSplitBit(*layout, last);
    if (!splitBit)
      return emitError() << "needs both halves of the last dimension in the same thread, but got "
                         << source;
    SmallVector<unsigned> kept;
    for (unsigned bit = 0; bit < layout->inBits(Dim::reg()); ++bit)
      if (bit != *splitBit)
        kept.push_back(bit);
    LinearLayout half =
        layout->selectInBits(Dim::reg(), kept).sublayout(layout->inDims(), axes(shape.size() - 1));
    return nameOrFail(source.getContext(), half, emitError);
  }

  LogicalResult verifyDot(RankedTensorType a, RankedTensorType b, RankedTensorType c,
                          ErrorEmitter emitError) const final {
    auto aOperand = dyn_cast<DotOperandEncodingAttr>(a.getEncoding());
    auto bOperand = dyn_cast<DotOperandEncodingAttr>(b.getEncoding());
    // [ttg.dot.C1] A and B are laid out as operands of their side
    if (!aOperand || aOperand.getOpIdx() != 0)
      return emitError() << "A must be a dot operand with opIdx 0, but has " << a.getEncoding();
    if (!bOperand || bOperand.getOpIdx() != 1)
      return emitError() << "B must be a dot operand with opIdx 1, but has " << b.getEncoding();
    // [ttg.dot.C2] of the result that is computed
    if (aOperand.getParent() != c.getEncoding() || bOperand.getParent() != c.getEncoding())
      return emitError() << "operands must have the result's encoding " << c.getEncoding()
                         << " as their parent";
    // [ttg.dot.C3] with one kWidth
    if (aOperand.getKWidth() != bOperand.getKWidth())
      return emitError() << "operands have different kWidths, " << aOperand.getKWidth() << " and "
                         << bOperand.getKWidth();
    return success();
  }

  bool denoteSameLayout(ArrayRef<int64_t> shape, Attribute a, Attribute b) const final {
    return ttg::denoteSameLayout(shape, a, b);
  }

  LogicalResult verifyTensor(RankedTensorType type, Operation *op,
                             ErrorEmitter emitError) const final;
};
} // namespace

bool ttg::holdTheSameRegisters(RankedTensorType from, RankedTensorType to, unsigned newBits) {
  LinearLayout before = toLinearLayout(from), after = toLinearLayout(to);
  if (before.inBits(Dim::reg()) + newBits != after.inBits(Dim::reg()))
    return false;
  // Copies are bits that move nothing, the same in both layouts; all other bits distinguish
  // elements.
  unsigned freeBits = 0;
  for (Dim in : {Dim::reg(), Dim::lane(), Dim::warp(), Dim::block()}) {
    if (in != Dim::reg() && before.inBits(in) != after.inBits(in))
      return false;
    for (unsigned bit = 0; bit < after.inBits(in); ++bit) {
      bool isCopy = after.flatBasis(in, bit) == 0;
      bool isNew = in == Dim::reg() && bit >= before.inBits(in);
      if (isNew ? isCopy : isCopy != (before.flatBasis(in, bit) == 0))
        return false;
      freeBits += isCopy;
    }
  }
  return after.totalInBits() - freeBits == after.totalOutBits() &&
         before.totalInBits() - freeBits == before.totalOutBits();
}

bool ttg::denoteSameLayout(ArrayRef<int64_t> shape, Attribute a, Attribute b) {
  if (a == b)
    return true;
  auto quiet = [] { return InFlightDiagnostic(); };
  if (!a || !b)
    return false;
  FailureOr<LinearLayout> first = getLayout(a, shape, quiet), second = getLayout(b, shape, quiet);
  return succeeded(first) && succeeded(second) && *first == *second;
}

LogicalResult TTGLayoutInterface::verifyTensor(RankedTensorType type, Operation *op,
                                               ErrorEmitter emitError) const {
  // [ttg.tensor.C1] tensors are spread over threads
  auto encoding = dyn_cast<DistributedEncodingAttr>(type.getEncoding());
  if (!encoding)
    return emitError() << type.getEncoding() << " is not a layout over threads";
  // [ttg.tensor.C2] in all their dimensions
  if (encoding.getRank() != type.getRank())
    return emitError() << "a layout of rank " << encoding.getRank() << " on a tensor of rank "
                       << type.getRank();
  // [ttg.tensor.C3] over the lanes that a warp has
  unsigned lanes = lookupThreadsPerWarp(op);
  if (encoding.getNumLanes() != lanes)
    return emitError() << "the layout has " << encoding.getNumLanes()
                       << " threads per warp, but the module " << lanes;
  // [ttg.tensor.C4] the warps that run the op
  std::optional<unsigned> warps = lookupNumWarps(op);
  if (!warps)
    return emitError() << "a layout needs a module with '" << kNumWarpsAttr << "'";
  if (encoding.getNumWarps() != *warps)
    return emitError() << "the layout has " << encoding.getNumWarps()
                       << " warps, but the op runs on " << *warps;
  // [ttg.tensor.C5] and the CTAs of a cluster
  unsigned ctas = lookupNumCTAs(op);
  if (encoding.getCGALayout().getNumBlocks() != ctas)
    return emitError() << "the layout has " << encoding.getCGALayout().getNumBlocks()
                       << " CTAs, but the module " << ctas;
  return success();
}

void TTGDialect::registerInterfaces() { addInterfaces<TTGLayoutInterface>(); }
