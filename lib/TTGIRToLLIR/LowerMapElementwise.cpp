//===- LowerMapElementwise.cpp - lower map_elementwise --------------------===//
// The function of a tt.map_elementwise (ttg-outline-functions) is called for each group of `pack`
// elements that are consecutive in row-major order; one thread holds all of them.
//
//   before: %m = "tt.map_elementwise"(%x) <{pack = 2}> ({ call @f })
//   after:  %m0, %m1 = call @f(%x0, %x1); %m2, %m3 = call @f(%x2, %x3); ...
//
// If a tensor has fewer elements than a group, the last one is repeated.
//===----------------------------------------------------------------------===//
#include "CombineFunction.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/PackedGroups.h"

using namespace mlir;
using namespace tessera;

namespace {

struct MapElementwiseLowering : Lowering<tt::MapElementwiseOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::MapElementwiseOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout layout = ttg::toLinearLayout(cast<RankedTensorType>(op->getOperand(0).getType()));
    unsigned pack = op.getPack();
    std::optional<PackedGroups> groups = packRegisters(layout, pack);
    if (!groups)
      return op.emitOpError() << "a thread does not hold " << pack
                              << " elements in a row: run ttg-pack-elements first";
    FailureOr<CombineFunction> function = CombineFunction::of(op, types, b);
    if (failed(function))
      return failure();

    SmallVector<SmallVector<Value>> results(op.getNumResults(),
                                            SmallVector<Value>(layout.inSize(Dim::reg())));
    for (ArrayRef<unsigned> group : groups->groups) {
      SmallVector<Value> arguments;
      for (ValueRange list : operands.getSrcs())
        for (unsigned i = 0; i < pack; ++i)
          arguments.push_back(list[group[std::min<size_t>(i, group.size() - 1)]]);
      SmallVector<Value, 2> values = function->apply(b, op.getLoc(), arguments);
      for (auto [i, result] : llvm::enumerate(results))
        for (auto [place, reg] : llvm::enumerate(group))
          result[reg] = values[i * pack + place];
    }
    for (SmallVector<Value> &result : results)
      for (auto [reg, holder] : llvm::enumerate(groups->holder))
        result[reg] = result[holder];
    b.replaceOpWithMultiple(op, results);
    return success();
  }
};

} // namespace

void tessera::populateMapElementwisePatterns(RewritePatternSet &patterns,
                                             const TTGIRTypeConverter &types,
                                             const TargetInfo &target) {
  patterns.add<MapElementwiseLowering>(types, target);
}
