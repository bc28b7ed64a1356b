//===- LowerMatrix.cpp - products of matrices by MFMA and WMMA ------------===//
// tt.dot in the layouts of fragments becomes the instructions of planMatrix. The elements of an
// operand that one instruction takes are one vector, which is built once for all instructions that
// take it; sums stay vectors from one instruction to the next.
//
//   %s1 = llvm.amdgcn.mfma.f32.32x32x8f16(%a0, %b0, %s0, 0, 0, 0) : vector<16xf32>
//   %s2 = llvm.amdgcn.mfma.f32.32x32x8f16(%a1, %b1, %s1, 0, 0, 0) : vector<16xf32>
//
// The instruction with the largest K that the layouts allow is taken.
//===----------------------------------------------------------------------===//
#include "LowerMatrix.h"
#include "Intrinsics.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/AMD/MatrixInstructions.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

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
    return replaceWith(b, op, unpack(op, product->steps, sums, b));
  }

private:
  /// Returns whether something else than a sum of another iteration or dot uses the result.
  static bool isUsedOtherwise(tt::DotOp op) {
    return llvm::any_of(op->getUses(), [](OpOperand &use) {
      Operation *user = use.getOwner();
      bool isSum = isa<tt::DotOp>(user) && use.getOperandNumber() == 2;
      return !isSum && !user->hasTrait<OpTrait::IsTerminator>();
    });
  }

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

  /// One scalar per register of the result; copies share theirs.
  static SmallVector<Value> unpack(tt::DotOp op, ArrayRef<MatrixStep> steps, const Fragments &sums,
                                   ConversionPatternRewriter &b) {
    Location loc = op.getLoc();
    LinearLayout result = ttg::toLinearLayout(tensorType(op.getD()));
    llvm::DenseMap<uint64_t, Value> byElement;
    for (const MatrixStep &step : steps)
      for (auto [i, reg] : llvm::enumerate(step.d)) {
        Value &value = byElement[result.applyFlat(reg)];
        if (!value)
          value = LLVM::ExtractElementOp::create(b, loc, sums.lookup(step.d.front()),
                                                 constantI32(b, loc, i));
      }
    SmallVector<Value> values;
    for (unsigned reg = 0; reg < result.inSize(Dim::reg()); ++reg)
      values.push_back(byElement.lookup(result.applyFlat(reg)));
    return values;
  }

  const AmdSpec &spec;
};

} // namespace

void amd::populateMatrixPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                 const AmdTargetInfo &target, const AmdSpec &spec) {
  patterns.add<MatrixLowering>(types, target, spec);
}
