//===- ElementwiseLowering.h - one pattern for all elementwise ops --------===//
// An elementwise op needs only the code for one element, its emitter:
//
//   static Value emitNot(SomeOp op, const Element &e) { return XOp::create(e.b, e.loc, e.in[0]); }
//   patterns.add<ElementwiseLowering<SomeOp>>(types, target, emitNot);
//
// Elements that are the same values (of a splat, of a broadcast) are computed once.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering.h"
#include "tessera/TTGIR/Transforms/AccessWidth.h"
#include "mlir/IR/TypeUtilities.h"

namespace tessera {

/// The arguments of an emitter. An emitter returns null, and emits nothing, if the target cannot
/// compute the op.
struct Element {
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::ArrayRef<mlir::Value> in;
  mlir::Type type; // of the result, converted
  const TTGIRTypeConverter &types;
  const TargetInfo &target;
};

template <typename SourceOp> using Emitter = mlir::Value (*)(SourceOp op, const Element &e);

template <typename SourceOp> class ElementwiseLowering : public Lowering<SourceOp> {
public:
  using Operands = typename Lowering<SourceOp>::Operands;

  ElementwiseLowering(const TTGIRTypeConverter &types, const TargetInfo &target,
                      Emitter<SourceOp> emit)
      : Lowering<SourceOp>(types, target), emit(emit) {}

  mlir::LogicalResult matchAndRewrite(SourceOp op, Operands operands,
                                      mlir::ConversionPatternRewriter &b) const final {
    mlir::Type type = this->types.convertType(mlir::getElementTypeOrSelf(op.getType()));
    if (!type)
      return b.notifyMatchFailure(op, "element type has no LLVM counterpart");
    size_t count = 1;
    for (mlir::ValueRange list : operands.getOperands())
      count = std::max(count, list.size());

    // No elementwise op has more than three operands.
    llvm::DenseMap<std::tuple<mlir::Value, mlir::Value, mlir::Value>, mlir::Value> known;
    llvm::SmallVector<mlir::Value> results;
    size_t equal = getEqualRegisters(op);
    for (size_t i = 0; i < count; ++i) {
      if ((i & equal) != 0) { // as a register before
        results.push_back(results[i & ~equal]);
        continue;
      }
      llvm::SmallVector<mlir::Value, 3> in;
      for (mlir::ValueRange list : operands.getOperands())
        in.push_back(list.size() == 1 ? list.front() : list[i]); // a select's scalar condition
      mlir::Value &value = known[{in[0], in.size() > 1 ? in[1] : mlir::Value(),
                                  in.size() > 2 ? in[2] : mlir::Value()}];
      if (!value)
        value = emit(op, {b, op.getLoc(), in, type, this->types, this->target});
      if (!value)
        return emitUnsupported(op)
               << "'" << op->getName() << "' from " << mlir::getElementTypeOrSelf(op->getOperand(0))
               << " to " << mlir::getElementTypeOrSelf(op.getType())
               << " has no implementation for " << this->target.name();
      results.push_back(value);
    }
    return replaceWith(b, op, results);
  }

private:
  Emitter<SourceOp> emit;
};

/// The patterns of one file, row by row.
struct ElementwiseTable {
  mlir::RewritePatternSet &patterns;
  const TTGIRTypeConverter &types;
  const TargetInfo &target;

  template <typename SourceOp> void add(Emitter<SourceOp> emit) {
    patterns.add<ElementwiseLowering<SourceOp>>(types, target, emit);
  }
};

/// In LowerCasts.cpp.
void addCasts(ElementwiseTable table);

} // namespace tessera
