//===- LowerShape.cpp - lower ops that create and rearrange tensors -------===//
// None of these ops moves data between threads: the registers of the result are indices, computed
// from the thread's number, or the registers of the source in another order.
//
//   make_range   register r holds start + the index the layout gives it
//   splat        every register is the scalar
//   expand_dims, broadcast, trans, reshape, join, split, cat
//                register r is the source register of the element that the op
//                puts where r's element is
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"

using namespace mlir;
using namespace tessera;

namespace {

struct MakeRangeLowering : Lowering<tt::MakeRangeOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::MakeRangeOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout layout = ttg::toLinearLayout(op.getType());
    SmallVector<Value> values = emitIndices(b, op.getLoc(), target, layout, Dim::axis(0));
    if (op.getStart() != 0) {
      Value start = constantI32(b, op.getLoc(), op.getStart());
      for (Value &value : values)
        // Both ends of the range are i32, so no element overflows.
        value = LLVM::AddOp::create(b, op.getLoc(), value, start, LLVM::IntegerOverflowFlags::nsw);
    }
    return replaceWith(b, op, values);
  }
};

struct SplatLowering : Lowering<tt::SplatOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::SplatOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    size_t count = ttg::toLinearLayout(op.getType()).inSize(Dim::reg());
    return replaceWith(b, op, SmallVector<Value>(count, operands.getSrc().front()));
  }
};

} // namespace

namespace {
/// Finds the register of a thread that holds an element, by elimination on register bits.
class RegisterFinder {
public:
  explicit RegisterFinder(const LinearLayout &layout) : layout(layout) {
    for (unsigned bit = 0; bit < layout.inBits(Dim::reg()); ++bit)
      add(layout.flatBasis(Dim::reg(), bit), uint64_t(1) << bit);
  }

  /// Returns a point as one number: the bits of all dimensions, the first dimension lowest.
  uint64_t flatten(const Point &point) const {
    uint64_t flat = 0;
    unsigned shift = 0;
    for (auto [index, out] : llvm::zip_equal(point, layout.outs())) {
      flat |= index.index << shift;
      shift += out.bits;
    }
    return flat;
  }

  /// Returns the register that the registers' part of the layout maps to `place`, if there is one.
  std::optional<uint64_t> find(uint64_t place) const {
    auto [rest, reg] = reduce(place, 0);
    return rest == 0 ? std::optional<uint64_t>(reg) : std::nullopt;
  }

private:
  void add(uint64_t place, uint64_t reg) {
    std::tie(place, reg) = reduce(place, reg);
    if (place != 0) // otherwise the bit selects a copy of an element that other bits reach
      rows.push_back({place, reg});
  }
  std::pair<uint64_t, uint64_t> reduce(uint64_t place, uint64_t reg) const {
    for (auto [rowPlace, rowReg] : rows)
      if (place & llvm::bit_floor(rowPlace)) {
        place ^= rowPlace;
        reg ^= rowReg;
      }
    return {place, reg};
  }

  const LinearLayout &layout;
  /// Places and their registers; the highest bit of each place occurs in no later one.
  SmallVector<std::pair<uint64_t, uint64_t>> rows;
};
} // namespace

/// Returns, for each register of `result`, the register of `source` that holds its element, where
/// `toSource` maps the element's index in the result to that in the source. The thread's parts of
/// the indices agree between the two layouts, so the registers' parts decide. `toSource` is linear
/// except for a constant, so it is evaluated for the bits of the register only.
static std::optional<SmallVector<uint64_t>>
matchRegisters(const LinearLayout &source, const LinearLayout &result,
               function_ref<Point(const Point &)> toSource) {
  RegisterFinder finder(source);
  auto placeOf = [&](uint64_t reg) {
    return finder.flatten(toSource(result.apply({{Dim::reg(), reg}})));
  };
  uint64_t origin = placeOf(0);
  std::optional<uint64_t> first = finder.find(origin);
  if (!first)
    return std::nullopt;
  SmallVector<uint64_t> registers = {*first};
  for (unsigned bit = 0; bit < result.inBits(Dim::reg()); ++bit) {
    std::optional<uint64_t> step = finder.find(placeOf(uint64_t(1) << bit) ^ origin);
    if (!step)
      return std::nullopt;
    for (size_t i = 0, count = registers.size(); i < count; ++i)
      registers.push_back(registers[i] ^ *step);
  }
  return registers;
}

static LogicalResult replaceByRegisters(Operation *op, ValueRange source,
                                        std::optional<SmallVector<uint64_t>> registers,
                                        ConversionPatternRewriter &b) {
  if (!registers)
    return op->emitOpError("needs data of other threads: its layouts do not agree");
  SmallVector<Value> values;
  for (uint64_t reg : *registers)
    values.push_back(source[reg]);
  return replaceWith(b, op, values);
}

namespace {

struct ExpandDimsLowering : Lowering<tt::ExpandDimsOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::ExpandDimsOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    unsigned axis = op.getAxis();
    auto dropAxis = [&](const Point &point) {
      Point result;
      for (DimIndex index : point)
        if (index.dim != Dim::axis(axis))
          result.push_back(index);
      return result;
    };
    auto registers = matchRegisters(ttg::toLinearLayout(op.getSrc().getType()),
                                    ttg::toLinearLayout(op.getType()), dropAxis);
    return replaceByRegisters(op, operands.getSrc(), registers, b);
  }
};

struct BroadcastLowering : Lowering<tt::BroadcastOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::BroadcastOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
    auto toUnit = [&](const Point &point) {
      Point result = point;
      for (DimIndex &index : result)
        if (sourceType.getDimSize(index.dim.axisIndex()) == 1)
          index.index = 0;
      return result;
    };
    auto registers =
        matchRegisters(ttg::toLinearLayout(sourceType), ttg::toLinearLayout(op.getType()), toUnit);
    return replaceByRegisters(op, operands.getSrc(), registers, b);
  }
};

struct TransLowering : Lowering<tt::TransOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::TransOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto toSource = [&](const Point &point) {
      Point result = point;
      for (auto [i, dim] : llvm::enumerate(op.getOrder()))
        result[dim] = {Dim::axis(dim), point[i].index};
      return result;
    };
    auto registers = matchRegisters(ttg::toLinearLayout(op.getSrc().getType()),
                                    ttg::toLinearLayout(op.getType()), toSource);
    return replaceByRegisters(op, operands.getSrc(), registers, b);
  }
};

struct ReshapeLowering : Lowering<tt::ReshapeOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::ReshapeOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    RankedTensorType source = op.getSrc().getType(), result = op.getType();
    // Elements keep their place in row-major order.
    auto toSource = [&](const Point &point) {
      uint64_t flat = 0;
      for (auto [index, size] : llvm::zip_equal(point, result.getShape()))
        flat = flat * size + index.index;
      Point place;
      for (unsigned dim = source.getRank(); dim-- > 0; flat /= source.getDimSize(dim))
        place.push_back({Dim::axis(dim), flat % source.getDimSize(dim)});
      std::reverse(place.begin(), place.end());
      return place;
    };
    auto registers =
        matchRegisters(ttg::toLinearLayout(source), ttg::toLinearLayout(result), toSource);
    if (!registers && op.getAllowReorder() && ttg::holdTheSameRegisters(source, result))
      return replaceWith(b, op, SmallVector<Value>(operands.getSrc()));
    return replaceByRegisters(op, operands.getSrc(), registers, b);
  }
};

struct JoinLowering : Lowering<tt::JoinOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::JoinOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout source = ttg::toLinearLayout(op.getLhs().getType());
    LinearLayout result = ttg::toLinearLayout(op.getType());
    auto dropLast = [](const Point &point) { return Point(llvm::drop_end(point)); };
    auto registers = matchRegisters(source, result, dropLast);
    if (!registers)
      return replaceByRegisters(op, {}, registers, b);
    SmallVector<Value> values;
    for (auto [reg, from] : llvm::enumerate(*registers)) {
      bool isRight = result.apply({{Dim::reg(), reg}}).back().index != 0;
      values.push_back(isRight ? operands.getRhs()[from] : operands.getLhs()[from]);
    }
    return replaceWith(b, op, values);
  }
};

struct CatLowering : Lowering<tt::CatOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::CatOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto sourceType = cast<RankedTensorType>(op.getLhs().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    LinearLayout source = ttg::toLinearLayout(sourceType);
    LinearLayout result = ttg::toLinearLayout(resultType);
    auto isRight = [&](const Point &point) {
      return llvm::any_of(point, [&](DimIndex index) {
        return index.index >= uint64_t(sourceType.getDimSize(index.dim.axisIndex()));
      });
    };
    auto toHalf = [&](const Point &point) {
      Point place = point;
      for (DimIndex &index : place)
        index.index %= sourceType.getDimSize(index.dim.axisIndex());
      return place;
    };
    auto registers = matchRegisters(source, result, toHalf);
    if (!registers && ttg::holdTheSameRegisters(sourceType, resultType, 1)) {
      // The op allows any order of the elements.
      SmallVector<Value> values(operands.getLhs());
      llvm::append_range(values, operands.getRhs());
      return replaceWith(b, op, values);
    }
    if (!registers)
      return replaceByRegisters(op, {}, registers, b);
    SmallVector<Value> values;
    for (auto [reg, from] : llvm::enumerate(*registers))
      values.push_back(isRight(result.apply({{Dim::reg(), reg}})) ? operands.getRhs()[from]
                                                                  : operands.getLhs()[from]);
    return replaceWith(b, op, values);
  }
};

struct SplitLowering : Lowering<tt::SplitOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::SplitOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    LinearLayout source = ttg::toLinearLayout(op.getSrc().getType());
    LinearLayout result = ttg::toLinearLayout(op.getOutLHS().getType());
    SmallVector<SmallVector<Value>> halves;
    for (uint64_t half : {0, 1}) {
      auto addLast = [&](const Point &point) {
        Point place = point;
        place.push_back({Dim::axis(point.size()), half});
        return place;
      };
      auto registers = matchRegisters(source, result, addLast);
      if (!registers)
        return replaceByRegisters(op, {}, registers, b);
      SmallVector<Value> &values = halves.emplace_back();
      for (uint64_t reg : *registers)
        values.push_back(operands.getSrc()[reg]);
    }
    b.replaceOpWithMultiple(op, halves);
    return success();
  }
};

struct UnsplatLowering : Lowering<tt::UnsplatOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::UnsplatOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    // A tensor of one element is the same in every register of every thread.
    return replaceWith(b, op, operands.getSrc().front());
  }
};

} // namespace

void tessera::populateShapePatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                    const TargetInfo &target) {
  patterns
      .add<MakeRangeLowering, SplatLowering, ExpandDimsLowering, BroadcastLowering, TransLowering,
           ReshapeLowering, JoinLowering, CatLowering, SplitLowering, UnsplatLowering>(types,
                                                                                       target);
}
