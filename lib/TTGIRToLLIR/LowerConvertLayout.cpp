//===- LowerConvertLayout.cpp - move a tensor to another layout -----------===//
// Where every element stays with its thread, the conversion renames registers
// and costs nothing. Otherwise the tensor goes through shared memory:
//
//   barrier        earlier readers of the buffer are done
//   store          each thread, in the source's layout
//   barrier
//   load           each thread, in the destination's layout
//
// In the buffer, elements lie in row order with the dimension fastest that the
// destination's threads hold in consecutive registers. A row-major offset is
// linear in the index bits too, so addresses come from the same machinery as
// indices.
//
// Requires: ttg-allocate-shared-memory gave the op an offset.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/RegisterVectors.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;
using namespace tessera;

namespace {
/// One layout's view of the buffer.
struct BufferView {
  SmallVector<Value> offsets; // of each register, in elements
  RegisterVectors registers;
  unsigned width;
};
} // namespace

/// The dimension along which a thread holds most consecutive elements.
static Dim chooseFastestDim(const LinearLayout &layout) {
  unsigned best = layout.outs().size() - 1, bestWidth = 1;
  for (unsigned dim = 0; dim < layout.outs().size(); ++dim)
    if (unsigned width = vectorAlong(layout, dim, ~0u).width; width > bestWidth) {
      best = dim;
      bestWidth = width;
    }
  return Dim::axis(best);
}

/// Element offsets: `fastest` is the most minor, the others row-major above it.
static LinearLayout flattenFrom(const LinearLayout &layout, Dim fastest) {
  SmallVector<Dim> order{fastest};
  for (Dim dim : llvm::reverse(layout.outDims()))
    if (dim != fastest)
      order.push_back(dim);
  // A permutation of the layout's own dims, so it exists.
  return layout.transposeOuts(order)->flattenOuts(Dim::offset());
}

static BufferView viewBuffer(OpBuilder &b, Location loc, const TargetInfo &target,
                             const LinearLayout &layout, Dim fastest, unsigned maxWidth) {
  VectorAccess access = vectorAlong(layout, fastest.axisIndex(), maxWidth);
  return {emitIndices(b, loc, target, flattenFrom(layout, fastest), Dim::offset()),
          groupRegisters(layout, access.registerBits), access.width};
}

static Type vectorOrScalar(Type element, unsigned width) {
  return width == 1 ? element : VectorType::get(width, element);
}

static Value emitAddress(OpBuilder &b, Location loc, Value base, Type element, Value offset) {
  return LLVM::GEPOp::create(b, loc, base.getType(), element, base, LLVM::GEPArg(offset));
}

static void storeRegisters(OpBuilder &b, Location loc, const BufferView &view, Value base,
                           Type element, ValueRange values) {
  for (ArrayRef<unsigned> vector : view.registers.vectors) {
    Value value = values[vector[0]];
    if (view.width > 1) {
      value = LLVM::PoisonOp::create(b, loc, vectorOrScalar(element, view.width));
      for (auto [i, reg] : llvm::enumerate(vector))
        value = LLVM::InsertElementOp::create(b, loc, value, values[reg], constantI32(b, loc, i));
    }
    Value address = emitAddress(b, loc, base, element, view.offsets[vector[0]]);
    LLVM::StoreOp::create(b, loc, value, address);
  }
}

static SmallVector<Value> loadRegisters(OpBuilder &b, Location loc, const BufferView &view,
                                        Value base, Type element) {
  SmallVector<Value> loaded(view.registers.holder.size());
  for (ArrayRef<unsigned> vector : view.registers.vectors) {
    Value address = emitAddress(b, loc, base, element, view.offsets[vector[0]]);
    Value value = LLVM::LoadOp::create(b, loc, vectorOrScalar(element, view.width), address);
    for (auto [i, reg] : llvm::enumerate(vector))
      loaded[reg] = view.width == 1
                        ? value
                        : LLVM::ExtractElementOp::create(b, loc, value, constantI32(b, loc, i));
  }
  SmallVector<Value> results;
  for (unsigned holder : view.registers.holder)
    results.push_back(loaded[holder]);
  return results;
}

namespace {

struct ConvertLayoutLowering : Lowering<ttg::ConvertLayoutOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(ttg::ConvertLayoutOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout source = ttg::toLinearLayout(op.getSrc().getType());
    LinearLayout result = ttg::toLinearLayout(op.getResult().getType());
    std::optional<Conversion> conversion = planConversion(source, result);
    if (!conversion)
      return op.emitOpError("source layout lacks elements that the result needs");
    ValueRange values = operands.getSrc();
    switch (conversion->reach) {
    case ConversionReach::None:
      return replaceWith(b, op, SmallVector<Value>(values));
    case ConversionReach::Register: {
      SmallVector<Value> renamed;
      for (uint64_t reg = 0; reg < result.inSize(Dim::reg()); ++reg)
        renamed.push_back(values[conversion->map.apply({{Dim::reg(), reg}}, Dim::reg())]);
      return replaceWith(b, op, renamed);
    }
    case ConversionReach::Lane:
    case ConversionReach::Warp:
      return lowerThroughSharedMemory(op, values, source, result, b);
    case ConversionReach::Block:
      break;
    }
    return emitUnsupported(op) << "layout conversion between the thread blocks of a cluster; "
                                  "compile with --num-ctas 1";
  }

  LogicalResult lowerThroughSharedMemory(ttg::ConvertLayoutOp op, ValueRange values,
                                         const LinearLayout &source, const LinearLayout &result,
                                         ConversionPatternRewriter &b) const {
    Type element = types.convertType(op.getResult().getType().getElementType());
    Type memoryType = types.memoryType(op.getResult().getType().getElementType());
    std::optional<unsigned> byteOffset = getSharedOffset(op);
    if (!memoryType)
      return emitUnsupported(op) << "layout conversion of "
                                 << op.getResult().getType().getElementType();
    if (!byteOffset)
      return op.emitOpError("has no shared memory: run ttg-allocate-shared-memory first");

    Location loc = op.getLoc();
    unsigned elementBits = tt::getElementBits(op.getResult().getType());
    unsigned maxWidth = std::max(1u, target.maxVectorBits() / std::max(8u, elementBits));
    Dim fastest = chooseFastestDim(result);
    Value base = emitSharedBase(b, loc, op, *byteOffset);
    SmallVector<Value> stored;
    for (Value value : values)
      stored.push_back(element == memoryType ? value
                                             : LLVM::ZExtOp::create(b, loc, memoryType, value));

    target.barrier(b, loc);
    storeRegisters(b, loc, viewBuffer(b, loc, target, source, fastest, maxWidth), base, memoryType,
                   stored);
    target.barrier(b, loc);
    SmallVector<Value> loaded = loadRegisters(
        b, loc, viewBuffer(b, loc, target, result, fastest, maxWidth), base, memoryType);
    if (element != memoryType)
      for (Value &value : loaded)
        value = LLVM::TruncOp::create(b, loc, element, value);
    return replaceWith(b, op, loaded);
  }

  /// The address of byte `offset` of the kernel's shared memory.
  Value emitSharedBase(OpBuilder &b, Location loc, Operation *op, unsigned offset) const {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), target.sharedAddressSpace());
    Value base = LLVM::AddressOfOp::create(b, loc, pointer, kSharedMemorySymbol);
    return offset == 0 ? base
                       : emitAddress(b, loc, base, b.getI8Type(), constantI32(b, loc, offset));
  }
};

} // namespace

void tessera::populateConvertLayoutPatterns(RewritePatternSet &patterns,
                                            const TTGIRTypeConverter &types,
                                            const TargetInfo &target) {
  patterns.add<ConvertLayoutLowering>(types, target);
}
