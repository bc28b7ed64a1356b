//===- PackElements.cpp - layouts for functions of several elements ------===//
// tt.map_elementwise with `pack` = n passes n elements, consecutive in row-major order, to its
// function, and packed assembly takes the group that `ttg.pack` names (PackGroups.h). If a layout
// distributes them over threads, operands are converted to a layout that does not, and results
// back.
//
//   before: %m = "tt.map_elementwise"(%x) <{pack = 2}> : tensor<64xf32, #single>
//   after:  %p = ttg.convert_layout %x : #single -> #pairs
//           %q = "tt.map_elementwise"(%p) <{pack = 2}> : tensor<64xf32, #pairs>
//           %m = ttg.convert_layout %q : #pairs -> #single
//
// Requires: layouts are final. Ensures: packRegisters (PackedGroups.h) finds the groups, except
// those of assembly in a cluster of CTAs whose bits no blocked layout makes adjacent; these lose
// `ttg.pack`.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Layout/PackedGroups.h"
#include "tessera/TTGIR/Transforms/PackGroups.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGPACKELEMENTS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

/// Returns a layout in which threads hold `pack` elements of the last dimension, or enough rows of
/// it.
static Attribute packedEncoding(ModuleOp module, RankedTensorType type, unsigned pack) {
  unsigned rank = type.getRank();
  SmallVector<unsigned> sizes(rank, 1);
  SmallVector<unsigned> order = llvm::to_vector(llvm::reverse(llvm::seq(0u, rank)));
  for (unsigned dim = rank; dim-- > 0 && pack > 1;) {
    sizes[dim] = std::min<int64_t>(pack, type.getDimSize(dim));
    pack /= sizes[dim];
  }
  return ttg::BlockedEncodingAttr::get(
      module.getContext(),
      blockedForShape(type.getShape(), sizes, order,
                      {ttg::getNumWarps(module), ttg::getThreadsPerWarp(module)},
                      defaultCga(type.getShape(), sizes, order, ttg::getNumCTAs(module))));
}

//===----------------------------------------------------------------------===//
// Layouts of groups of bits
//===----------------------------------------------------------------------===//

/// Returns the elements of each axis that a thread holds adjacently, if the bits are the lowest of
/// their axes.
static std::optional<SmallVector<unsigned>> blockSizes(ArrayRef<TensorBit> bits, unsigned rank) {
  SmallVector<unsigned> sizes(rank, 1), all(rank, 0);
  for (TensorBit bit : bits) {
    sizes[bit.axis] *= 2;
    all[bit.axis] |= 1u << bit.bit;
  }
  for (unsigned axis = 0; axis < rank; ++axis)
    if (all[axis] != sizes[axis] - 1)
      return std::nullopt;
  return sizes;
}

/// Returns the group's axes first, then the others, last ones first.
static SmallVector<unsigned> orderFrom(ArrayRef<TensorBit> bits, unsigned rank) {
  llvm::SetVector<unsigned> order;
  for (TensorBit bit : bits)
    order.insert(bit.axis);
  for (unsigned axis : llvm::reverse(llvm::seq(0u, rank)))
    order.insert(axis);
  return order.takeVector();
}

/// The first registers have the group's bits. Then lanes, warps and the other registers take the
/// rest, in row-major order; additional ones hold copies.
static Attribute linearEncoding(ModuleOp module, RankedTensorType type, ArrayRef<TensorBit> bits) {
  unsigned rank = type.getRank();
  SmallVector<TensorBit> rest(bits);
  for (unsigned axis : llvm::reverse(llvm::seq(0u, rank)))
    for (unsigned bit = 0; bit < llvm::Log2_64(type.getDimSize(axis)); ++bit)
      if (!llvm::is_contained(bits, TensorBit{axis, bit}))
        rest.push_back({axis, bit});
  ArrayRef<TensorBit> left = rest;
  auto take = [&](Dim dim, unsigned count) {
    DimBases bases{dim, {}};
    for (unsigned i = 0; i < count; ++i) {
      BasisVector vector(rank, 0);
      if (!left.empty()) {
        vector[left.front().axis] = int64_t(1) << left.front().bit;
        left = left.drop_front();
      }
      bases.bases.push_back(vector);
    }
    return bases;
  };
  SmallVector<DimBases> ins{take(Dim::reg(), bits.size()),
                            take(Dim::lane(), llvm::Log2_32(ttg::getThreadsPerWarp(module))),
                            take(Dim::warp(), llvm::Log2_32(ttg::getNumWarps(module))),
                            {Dim::block(), {}}};
  llvm::append_range(ins[0].bases, take(Dim::reg(), left.size()).bases);
  SmallVector<DimBits> outs;
  for (unsigned axis = 0; axis < rank; ++axis)
    outs.push_back({Dim::axis(axis), unsigned(llvm::Log2_64(type.getDimSize(axis)))});
  std::optional<LinearLayout> layout = LinearLayout::fromBases(ins, outs);
  return layout ? ttg::toLinearEncoding(module.getContext(), *layout) : Attribute();
}

/// Returns a layout in which a thread holds the elements that differ in `bits`; null if there is
/// none.
static Attribute encodingOfGroups(ModuleOp module, RankedTensorType type,
                                  ArrayRef<TensorBit> bits) {
  unsigned numCTAs = ttg::getNumCTAs(module);
  std::optional<SmallVector<unsigned>> sizes = blockSizes(bits, type.getRank());
  if (!sizes)
    return numCTAs == 1 ? linearEncoding(module, type, bits) : Attribute();
  SmallVector<unsigned> order = orderFrom(bits, type.getRank());
  return ttg::BlockedEncodingAttr::get(
      module.getContext(),
      blockedForShape(type.getShape(), *sizes, order,
                      {ttg::getNumWarps(module), ttg::getThreadsPerWarp(module)},
                      defaultCga(type.getShape(), *sizes, order, numCTAs)));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void convert(Operation *op, Attribute encoding) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type)
      operand.set(ttg::ConvertLayoutOp::create(b, op->getLoc(), type.cloneWithEncoding(encoding),
                                               operand.get()));
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.cloneWithEncoding(encoding));
    auto back = ttg::ConvertLayoutOp::create(b, op->getLoc(), type, result);
    result.replaceAllUsesExcept(back, back);
  }
}

namespace {
struct PackElements : tessera::impl::TTGPackElementsBase<PackElements> {
  void runOnOperation() override {
    getOperation().walk([&](tt::MapElementwiseOp op) {
      if (op.getPack() <= 1 || op->getNumOperands() == 0)
        return;
      auto type = cast<RankedTensorType>(op->getOperand(0).getType());
      if (!packRegisters(ttg::toLinearLayout(type), op.getPack()))
        convert(op, packedEncoding(getOperation(), type, op.getPack()));
    });
    getOperation().walk([&](tt::ElementwiseInlineAsmOp op) {
      SmallVector<TensorBit> bits = getPackBits(op);
      if (bits.empty())
        return;
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      if (packRegisters(ttg::toLinearLayout(type), bits))
        return;
      if (Attribute encoding = encodingOfGroups(getOperation(), type, bits))
        convert(op, encoding);
      else
        op->removeAttr(kPackAttr);
    });
  }
};
} // namespace
