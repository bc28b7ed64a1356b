//===- LowerMatrix.cpp - products of matrices by MFMA and WMMA ------------===//
// tt.dot in the layouts of fragments becomes the instructions of planMatrix. The elements of an
// operand that one instruction takes are one vector, which is built once for all instructions that
// take it; sums stay vectors from one instruction to the next.
//
//   %s1 = llvm.amdgcn.mfma.f32.32x32x8f16(%a0, %b0, %s0, 0, 0, 0) : vector<16xf32>
//   %s2 = llvm.amdgcn.mfma.f32.32x32x8f16(%a1, %b1, %s1, 0, 0, 0) : vector<16xf32>
//
// The instruction with the largest K that the layouts allow is taken.
//
// tt.dot_scaled becomes mfma.scale, which takes the scale of a lane's row (or column) as a byte of
// a register: the lanes along K have those of successive groups of 32 elements.
//===----------------------------------------------------------------------===//
#include "LowerMatrix.h"
#include "Intrinsics.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/AMD/MatrixInstructions.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether something else than a sum of another iteration or dot uses the result.
static bool isUsedOtherwise(tt::DotOp op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isSum = isa<tt::DotOp>(user) && use.getOperandNumber() == 2;
    return !isSum && !user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Exchanges the last two dimensions.
static LinearLayout transposed(const LinearLayout &layout) {
  SmallVector<Dim> names = llvm::to_vector(layout.outDims()), order = names;
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  LinearLayout moved = layout.transposeOuts(order).value_or(layout);
  return moved.renameOuts(names).value_or(moved);
}

namespace {

/// A dot as instructions.
struct Product {
  MatrixInstruction instruction;
  SmallVector<MatrixStep> steps;
  /// The instruction multiplies B^T by A^T: `steps` have B's registers as `a`.
  bool isTransposed;
};

/// The registers of one tensor as the vectors that instructions take.
class Fragments {
public:
  Fragments(OpBuilder &b, Location loc, ValueRange registers)
      : b(b), loc(loc), registers(registers) {}

  /// The vector of `fragment`, of type `type`, built when it is first needed.
  Value get(ArrayRef<unsigned> fragment, Type type) {
    Value &whole = known[fragment.front()];
    if (!whole)
      whole = pack(fragment, type);
    return whole;
  }
  /// Replaces the vector that starts with register `first`.
  void set(unsigned first, Value whole) { known[first] = whole; }
  Value lookup(unsigned first) const { return known.lookup(first); }

private:
  Value pack(ArrayRef<unsigned> fragment, Type type) {
    Value whole = registers[fragment.front()];
    if (fragment.size() > 1) {
      whole = LLVM::PoisonOp::create(b, loc, VectorType::get(fragment.size(), whole.getType()));
      for (auto [i, reg] : llvm::enumerate(fragment))
        whole =
            LLVM::InsertElementOp::create(b, loc, whole, registers[reg], constantI32(b, loc, i));
    }
    return whole.getType() == type ? whole : LLVM::BitcastOp::create(b, loc, type, whole);
  }

  OpBuilder &b;
  Location loc;
  ValueRange registers;
  llvm::DenseMap<unsigned, Value> known; // by first register
};

/// One scalar per register of the result; copies share theirs.
SmallVector<Value> unpack(OpBuilder &b, Value tensor, ArrayRef<MatrixStep> steps,
                          const Fragments &sums) {
  LinearLayout result = ttg::toLinearLayout(tensorType(tensor));
  llvm::DenseMap<uint64_t, Value> byElement;
  for (const MatrixStep &step : steps)
    for (auto [i, reg] : llvm::enumerate(step.d)) {
      Value &value = byElement[result.applyFlat(reg)];
      if (!value)
        value = LLVM::ExtractElementOp::create(b, tensor.getLoc(), sums.lookup(step.d.front()),
                                               constantI32(b, tensor.getLoc(), i));
    }
  SmallVector<Value> values;
  for (unsigned reg = 0; reg < result.inSize(Dim::reg()); ++reg)
    values.push_back(byElement.lookup(result.applyFlat(reg)));
  return values;
}

struct MatrixLowering : Lowering<tt::DotOp> {
  MatrixLowering(const TTGIRTypeConverter &types, const TargetInfo &target, const AmdSpec &spec)
      : Lowering(types, target, /*benefit=*/2), spec(spec) {}

  LogicalResult matchAndRewrite(tt::DotOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    std::optional<Product> product = planProduct(op);
    if (!product)
      return failure();
    Location loc = op.getLoc();
    bool swaps = product->isTransposed;
    Fragments left(b, loc, swaps ? operands.getB() : operands.getA());
    Fragments right(b, loc, swaps ? operands.getA() : operands.getB());
    Fragments sums(b, loc, operands.getC());
    Type factor = factorType(op, product->instruction);
    Type element = tensorType(op.getD()).getElementType();
    Type sum = VectorType::get(product->steps.front().d.size(), element);
    for (const MatrixStep &step : product->steps)
      sums.set(step.d.front(), emit(b, op, *product, step.group, left.get(step.a, factor),
                                    right.get(step.b, factor), sums.get(step.d, sum)));
    if (product->instruction.isWMMA && isUsedOtherwise(op))
      for (const MatrixStep &step : product->steps)
        pin(b, loc, sums, step.d.front());
    return replaceWith(b, op, unpack(b, op.getD(), product->steps, sums));
  }

private:
  /// Keeps the product in its block. WMMA needs all lanes (RDNA3 ISA guide, 7.9), but LLVM 22 moves
  /// the instruction into a branch for some lanes if only that branch uses the result, such as a
  /// masked store.
  static void pin(OpBuilder &b, Location loc, Fragments &sums, unsigned first) {
    Value sum = sums.lookup(first);
    if (sum.getDefiningOp<LLVM::InlineAsmOp>())
      return;
    auto pinned = LLVM::InlineAsmOp::create(
        b, loc, sum.getType(), sum, /*asm_string=*/"", /*constraints=*/"=v,0",
        /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
    sums.set(first, pinned.getResult(0));
  }

  /// Finds the instruction with the largest K whose fragments the layouts repeat.
  std::optional<Product> planProduct(tt::DotOp op) const {
    RankedTensorType aType = tensorType(op.getA()), bType = tensorType(op.getB());
    RankedTensorType dType = tensorType(op.getD());
    unsigned size = 0;
    bool isTransposed = false;
    if (auto mfma = dyn_cast<ttg::AmdMfmaEncodingAttr>(dType.getEncoding())) {
      size = std::min(mfma.getInstrShape()[0], mfma.getInstrShape()[1]);
      isTransposed = mfma.getIsTransposed();
    } else if (auto wmma = dyn_cast<ttg::AmdWmmaEncodingAttr>(dType.getEncoding())) {
      size = 16;
      isTransposed = wmma.getIsTransposed();
    } else {
      return std::nullopt;
    }
    LinearLayout a = ttg::toLinearLayout(aType), b = ttg::toLinearLayout(bType);
    LinearLayout d = ttg::toLinearLayout(dType);
    Type left = aType.getElementType(), right = bType.getElementType();
    if (isTransposed) {
      std::swap(a, b);
      std::swap(left, right);
      a = transposed(a);
      b = transposed(b);
      d = transposed(d);
    }
    int64_t inner = aType.getShape().back();
    while (std::optional<MatrixInstruction> found = findMatrixInstruction(
               spec, size, left, right, dType.getElementType(), op.getInputPrecision(), inner)) {
      if (std::optional<SmallVector<MatrixStep>> steps = planMatrix(a, b, d, found->tile()))
        return Product{*found, std::move(*steps), isTransposed};
      inner = found->inner / 2;
    }
    return std::nullopt;
  }

  /// Returns the type that the intrinsic has for a lane's elements of A or B.
  static Type factorType(tt::DotOp op, const MatrixInstruction &instruction) {
    MLIRContext *context = op.getContext();
    Type element = tensorType(op.getA()).getElementType();
    unsigned count = instruction.perLane, bits = element.getIntOrFloatBitWidth() * count;
    switch (instruction.word) {
    case OperandWord::Elements:
      return count == 1 ? element : Type(VectorType::get(count, element));
    case OperandWord::Shorts:
      return VectorType::get(count, IntegerType::get(context, 16));
    case OperandWord::Integer:
      return IntegerType::get(context, bits);
    case OperandWord::Words:
      break;
    }
    return VectorType::get(bits / 32, IntegerType::get(context, 32));
  }

  static Value emit(OpBuilder &b, tt::DotOp op, const Product &product, unsigned group, Value left,
                    Value right, Value sum) {
    Location loc = op.getLoc();
    const MatrixInstruction &instruction = product.instruction;
    Value zero = constantI32(b, loc, 0);
    SmallVector<Value> operands = {left, right, sum};
    if (instruction.isScaled) {
      // Formats: 0 is e4m3, 1 is e5m2. Scales that are 0 select the instruction without scales.
      auto format = [&](Value tensor) {
        bool isWide = isa<Float8E5M2Type>(tensorType(tensor).getElementType());
        return constantI32(b, loc, isWide ? 1 : 0);
      };
      Value first = format(product.isTransposed ? op.getB() : op.getA());
      Value second = format(product.isTransposed ? op.getA() : op.getB());
      operands.append({first, second, zero, zero, zero, zero});
    } else if (instruction.isWMMA) {
      if (tensorType(op.getA()).getElementType().isInteger(8)) {
        Value isSigned = constantI1(b, loc, true), clamps = constantI1(b, loc, false);
        operands = {isSigned, left, isSigned, right, sum, clamps};
      }
    } else {
      // cbsz = 4 broadcasts the rows of block `abid` to all 16.
      bool broadcasts = instruction.size == 4;
      operands.append({constantI32(b, loc, broadcasts ? 4 : 0), constantI32(b, loc, group), zero});
    }
    return emitIntrinsic(b, loc, instruction.intrinsic, sum.getType(), operands);
  }

  const AmdSpec &spec;
};

/// The scales of one operand as words of four.
class Scales {
public:
  /// `registers` is empty if there are none; `k` is the operand's dimension along K.
  Scales(OpBuilder &b, Location loc, ValueRange registers, const LinearLayout &scales,
         const LinearLayout &operand, Dim k, unsigned bytesPerGroup)
      : b(b), loc(loc), registers(registers), lookup(scales), operand(operand), k(k),
        bytesPerGroup(bytesPerGroup) {}

  /// The word and the byte in it for the instruction whose fragment starts with register `first`.
  std::pair<Value, Value> get(unsigned first) {
    constexpr int32_t ones = 0x7f7f7f7f; // 2^0, four times
    if (registers.empty())
      return {constantI32(b, loc, 0), constantI32(b, loc, ones)};
    uint64_t outer = 0, group = 0;
    for (auto [coordinate, dim] : llvm::zip_equal(registerIndex(operand, first), operand.outDims()))
      (dim == k ? group : outer) = dim == k ? coordinate / bytesPerGroup : coordinate;
    unsigned reg = lookup.find({outer, group}).value_or(0);
    return {constantI32(b, loc, reg % 4), word(reg / 4)};
  }

private:
  Value word(unsigned number) {
    Value &whole = words[number];
    if (whole)
      return whole;
    ValueRange bytes = registers.drop_front(4 * number).take_front(4);
    if (llvm::all_of(bytes, [](Value octet) { return matchPattern(octet, m_Zero()); }))
      return whole = hiddenZero();
    if (bytes.size() == 1)
      return whole = LLVM::ZExtOp::create(b, loc, b.getI32Type(), bytes.front());
    auto type = VectorType::get(4, b.getI8Type());
    Value vector = LLVM::ZeroOp::create(b, loc, type);
    for (auto [i, octet] : llvm::enumerate(bytes))
      vector = LLVM::InsertElementOp::create(b, loc, vector, octet, constantI32(b, loc, i));
    return whole = LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector);
  }

  /// LLVM reads constants of 0 as no scales; but they are 2^-127.
  Value hiddenZero() {
    return LLVM::InlineAsmOp::create(b, loc, b.getI32Type(), ValueRange(), "v_mov_b32 $0, 0", "=v",
                                     /*has_side_effects=*/false, /*is_align_stack=*/false,
                                     LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  }

  OpBuilder &b;
  Location loc;
  ValueRange registers;
  RegisterLookup lookup;
  const LinearLayout &operand;
  Dim k;
  unsigned bytesPerGroup;
  llvm::DenseMap<unsigned, Value> words;
};

/// One factor of a product with scales.
struct ScaledFactor {
  Value operand, scale; // of the op
  ValueRange registers, scaleRegisters;
  tt::ScaleDotElemType format;
  /// The operand's dimension along K is its second.
  bool isLeft;

  bool isPacked() const { return format == tt::ScaleDotElemType::E2M1; }
  LinearLayout layout() const { return ttg::toLinearLayout(tensorType(operand)); }
  Dim k() const { return Dim::axis(isLeft ? 1 : 0); }
  Dim outer() const { return Dim::axis(isLeft ? 0 : 1); }
  unsigned bytesPerGroup() const { return isPacked() ? kScaleGroup / 2 : kScaleGroup; }
  /// The instruction's number of the format.
  unsigned code() const { return isPacked() ? 4 : format == tt::ScaleDotElemType::E5M2 ? 1 : 0; }
  /// Returns whether the scales lie as the instruction takes them.
  bool hasFittingScale(const MatrixInstruction &instruction) const {
    if (!scale)
      return true;
    LinearLayout wanted = scaleLayout(instruction, layout(), k(), outer(), isPacked());
    LinearLayout found = ttg::toLinearLayout(tensorType(scale));
    Dim dims[] = {Dim::axis(0), Dim::axis(1)};
    if (found.inBits(Dim::lane()) != wanted.inBits(Dim::lane()) ||
        found.inBits(Dim::warp()) != wanted.inBits(Dim::warp()) ||
        found.inBits(Dim::block()) != wanted.inBits(Dim::block()))
      return false;
    RegisterLookup lookup(found);
    for (unsigned reg = 0; reg < wanted.inSize(Dim::reg()); ++reg)
      if (!lookup.find(registerIndex(wanted, reg)))
        return false;
    return llvm::all_of(ArrayRef({Dim::lane(), Dim::warp(), Dim::block()}),
                        [&](Dim in) { return moveAlike(found, wanted, in, dims); });
  }
};

struct ScaledMatrixLowering : Lowering<tt::DotScaledOp> {
  ScaledMatrixLowering(const TTGIRTypeConverter &types, const TargetInfo &target,
                       const AmdSpec &spec)
      : Lowering(types, target), spec(spec) {}

  LogicalResult matchAndRewrite(tt::DotScaledOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto mfma = dyn_cast<ttg::AmdMfmaEncodingAttr>(tensorType(op.getD()).getEncoding());
    ScaledFactor left{
        op.getA(), op.getAScale(), operands.getA(), operands.getAScale(), op.getAElemType(), true};
    ScaledFactor right{op.getB(),         op.getBScale(), operands.getB(), operands.getBScale(),
                       op.getBElemType(), false};
    std::optional<Product> product = mfma ? planProduct(op, mfma, left, right) : std::nullopt;
    if (!product)
      return emitUnsupported(op) << "scaled product in these formats and layouts";
    Location loc = op.getLoc();
    ScaledFactor &first = product->isTransposed ? right : left;
    ScaledFactor &second = product->isTransposed ? left : right;
    LinearLayout firstLayout = first.layout(), secondLayout = second.layout();
    Scales firstScales = scalesOf(b, loc, first, firstLayout);
    Scales secondScales = scalesOf(b, loc, second, secondLayout);
    Fragments a(b, loc, first.registers), other(b, loc, second.registers);
    Fragments sums(b, loc, operands.getC());
    Type sum = VectorType::get(product->steps.front().d.size(), b.getF32Type());
    bool hasScales = left.scale || right.scale;
    for (const MatrixStep &step : product->steps) {
      auto words = [&](ArrayRef<unsigned> fragment) {
        return VectorType::get(fragment.size() / 4, b.getI32Type());
      };
      SmallVector<Value> arguments = {
          a.get(step.a, words(step.a)), other.get(step.b, words(step.b)), sums.get(step.d, sum),
          constantI32(b, loc, first.code()), constantI32(b, loc, second.code())};
      // Scales that are 0 select the instruction without scales.
      Value zero = constantI32(b, loc, 0);
      auto [firstByte, firstWord] =
          hasScales ? firstScales.get(step.a.front()) : std::pair(zero, zero);
      auto [secondByte, secondWord] =
          hasScales ? secondScales.get(step.b.front()) : std::pair(zero, zero);
      arguments.append({firstByte, firstWord, secondByte, secondWord});
      sums.set(step.d.front(),
               emitIntrinsic(b, loc, product->instruction.intrinsic, sum, arguments));
    }
    return replaceWith(b, op, unpack(b, op.getD(), product->steps, sums));
  }

private:
  static Scales scalesOf(OpBuilder &b, Location loc, const ScaledFactor &factor,
                         const LinearLayout &layout) {
    LinearLayout scales =
        factor.scale ? ttg::toLinearLayout(tensorType(factor.scale)) : LinearLayout();
    return Scales(b, loc, factor.scaleRegisters, scales, layout, factor.k(),
                  factor.bytesPerGroup());
  }

  std::optional<Product> planProduct(tt::DotScaledOp op, ttg::AmdMfmaEncodingAttr mfma,
                                     const ScaledFactor &left, const ScaledFactor &right) const {
    auto isNarrow = [](const ScaledFactor &factor) {
      unsigned bits = tensorType(factor.operand).getElementTypeBitWidth();
      bool hasExponents = !factor.scale || tensorType(factor.scale).getElementType().isInteger(8);
      return bits == 8 && hasExponents;
    };
    bool isPackedAlongK =
        (!left.isPacked() || op.getLhsKPack()) && (!right.isPacked() || op.getRhsKPack());
    if (tensorType(op.getD()).getRank() != 2 || !tensorType(op.getD()).getElementType().isF32() ||
        !isNarrow(left) || !isNarrow(right) || !isPackedAlongK)
      return std::nullopt;
    LinearLayout a = left.layout(), b = right.layout(),
                 d = ttg::toLinearLayout(tensorType(op.getD()));
    bool isPackedA = left.isPacked(), isPackedB = right.isPacked();
    if (mfma.getIsTransposed()) {
      std::swap(a, b);
      std::swap(isPackedA, isPackedB);
      a = transposed(a);
      b = transposed(b);
      d = transposed(d);
    }
    unsigned size = std::min(mfma.getInstrShape()[0], mfma.getInstrShape()[1]);
    int64_t inner = a.outSize(Dim::axis(1)) * (isPackedA ? 2 : 1);
    std::optional<MatrixInstruction> found = findScaledInstruction(spec, size, inner);
    if (!found || !left.hasFittingScale(*found) || !right.hasFittingScale(*found))
      return std::nullopt;
    std::optional<SmallVector<MatrixStep>> steps =
        planMatrix(a, b, d, found->scaledTile(isPackedA, isPackedB));
    if (!steps)
      return std::nullopt;
    return Product{*found, std::move(*steps), mfma.getIsTransposed()};
  }

  const AmdSpec &spec;
};

} // namespace

void amd::populateMatrixPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                 const AmdTargetInfo &target, const AmdSpec &spec) {
  patterns.add<MatrixLowering, ScaledMatrixLowering>(types, target, spec);
}
