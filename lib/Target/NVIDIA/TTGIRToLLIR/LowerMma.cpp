//===- LowerMma.cpp - products of matrices by mma.sync --------------------===//
// tt.dot in fragment layouts becomes the instructions of planMma. Elements of
// fewer than 32 bits are packed into words first, each word once.
//
//   %d0:4 = mma.m16n8k16 (%a0, %a1, %a2, %a3), (%b0, %b1), %c0:4
//
// The instructions are LLVM's intrinsics rather than inline assembly: LLVM need not
// parse them, and knows that they touch no memory. It does not know that all lanes of
// a warp must arrive together, so the calls say `convergent`; without it a product
// that only one branch uses would be moved into that branch.
//===----------------------------------------------------------------------===//
#include "LowerMma.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/NVIDIA/Mma.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static Value constantIndex(OpBuilder &b, Location loc, unsigned value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
}

/// The vector that `elements` are all the elements of, in order; null if there is none.
static Value wholeVector(ArrayRef<Value> elements) {
  Value whole;
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto extract = element.getDefiningOp<LLVM::ExtractElementOp>();
    if (!extract || (whole && extract.getVector() != whole))
      return {};
    APInt place;
    if (!matchPattern(extract.getPosition(), m_ConstantInt(&place)) || place != i)
      return {};
    whole = extract.getVector();
  }
  bool isWhole = whole && cast<VectorType>(whole.getType()).getNumElements() ==
                              static_cast<int64_t>(elements.size());
  return isWhole ? whole : Value();
}

static Value bitcast(OpBuilder &b, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  // A bitcast back to the source's type is the source. LLVM would find this too, but later.
  if (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    if (cast.getArg().getType() == type)
      return cast.getArg();
  return LLVM::BitcastOp::create(b, loc, type, value);
}

/// `elements` in one value of type `type`, the first in the lowest bits.
static Value packWord(OpBuilder &b, Location loc, ArrayRef<Value> elements, Type type) {
  if (elements.size() == 1)
    return bitcast(b, loc, type, elements[0]);
  Value vector = wholeVector(elements);
  if (!vector) {
    vector =
        LLVM::PoisonOp::create(b, loc, VectorType::get(elements.size(), elements[0].getType()));
    for (auto [i, element] : llvm::enumerate(elements))
      vector = LLVM::InsertElementOp::create(b, loc, vector, element, constantIndex(b, loc, i));
  }
  return bitcast(b, loc, type, vector);
}

namespace {

/// Registers of one tensor as the words that instructions take.
class Words {
public:
  Words(OpBuilder &b, Location loc, ValueRange registers, Type type, unsigned perWord)
      : b(b), loc(loc), registers(registers), type(type), perWord(perWord) {}

  /// The words of a fragment, each packed when it is first needed.
  void append(ArrayRef<unsigned> fragment, SmallVectorImpl<Value> &words) {
    for (unsigned i = 0; i < fragment.size(); i += perWord) {
      Value &word = packed[fragment[i]];
      if (!word) {
        SmallVector<Value, 4> elements;
        for (unsigned reg : fragment.slice(i, perWord))
          elements.push_back(registers[reg]);
        word = packWord(b, loc, elements, type);
      }
      words.push_back(word);
    }
  }
  /// Replaces the word that starts with register `first`.
  void set(unsigned first, Value word) { packed[first] = word; }
  Value get(unsigned first) const { return packed.lookup(first); }

private:
  OpBuilder &b;
  Location loc;
  ValueRange registers;
  Type type;
  unsigned perWord;
  llvm::DenseMap<unsigned, Value> packed; // by first register
};

struct MmaLowering : Lowering<tt::DotOp> {
  MmaLowering(const TTGIRTypeConverter &types, const TargetInfo &target, const NvidiaSpec &spec)
      : Lowering(types, target, /*benefit=*/2), spec(spec) {}

  LogicalResult matchAndRewrite(tt::DotOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto aType = cast<RankedTensorType>(op.getA().getType());
    auto bType = cast<RankedTensorType>(op.getB().getType());
    auto dType = cast<RankedTensorType>(op.getType());
    std::optional<MmaInstruction> mma =
        findMma(spec, aType.getElementType(), bType.getElementType(), dType.getElementType(),
                op.getInputPrecision());
    if (!mma)
      return failure();
    LinearLayout result = ttg::toLinearLayout(dType);
    std::optional<SmallVector<MmaStep>> steps =
        planMma(ttg::toLinearLayout(aType), ttg::toLinearLayout(bType), result, mma->shape);
    if (!steps)
      return failure();
    return emit(op, operands, *mma, *steps, result, b);
  }

  LogicalResult emit(tt::DotOp op, Operands operands, const MmaInstruction &mma,
                     ArrayRef<MmaStep> steps, const LinearLayout &result,
                     ConversionPatternRewriter &b) const {
    Location loc = op.getLoc();
    Type factor = factorType(op), sum = sumType(op);
    unsigned perWord = mma.shape.elementsPerWord(), perSum = isa<VectorType>(sum) ? 2 : 1;
    Words left(b, loc, operands.getA(), factor, perWord);
    Words right(b, loc, operands.getB(), factor, perWord);
    Words sums(b, loc, operands.getC(), sum, perSum);
    unsigned numSums = steps.front().d.size() / perSum;
    Type resultType = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector(numSums, sum));
    LLVM::LLVMFuncOp intrinsic;
    for (const MmaStep &step : steps) {
      SmallVector<Value, 12> words;
      left.append(step.a, words);
      right.append(step.b, words);
      sums.append(step.d, words);
      if (!intrinsic)
        intrinsic = declare(op, mma.intrinsic, resultType, words, b);
      auto call = LLVM::CallOp::create(b, loc, intrinsic, words);
      call.setConvergent(true);
      for (unsigned i = 0; i < numSums; ++i)
        sums.set(step.d[i * perSum],
                 LLVM::ExtractValueOp::create(b, loc, call.getResult(), int64_t(i)));
    }
    return replaceWith(b, op, unpack(op, steps, sums, perSum, result, b));
  }

private:
  /// Returns the type that the intrinsics have for a register of A or B.
  static Type factorType(tt::DotOp op) {
    Type element = cast<RankedTensorType>(op.getA().getType()).getElementType();
    if (element.isF64())
      return element;
    if (element.isF16())
      return VectorType::get(2, element);
    return IntegerType::get(op.getContext(), 32);
  }
  static Type sumType(tt::DotOp op) {
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    return element.isF16() ? VectorType::get(2, element) : element;
  }

  static LLVM::LLVMFuncOp declare(tt::DotOp op, StringRef name, Type result, ValueRange operands,
                                  ConversionPatternRewriter &b) {
    auto module = op->getParentOfType<ModuleOp>();
    if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return existing;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(operands.getTypes()));
    return LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
  }

  /// One scalar per register of the result; copies share theirs.
  static SmallVector<Value> unpack(tt::DotOp op, ArrayRef<MmaStep> steps, const Words &sums,
                                   unsigned perSum, const LinearLayout &result,
                                   ConversionPatternRewriter &b) {
    Location loc = op.getLoc();
    llvm::DenseMap<uint64_t, Value> byElement;
    auto elementOf = [&](unsigned reg) { return result.applyFlat(reg); };
    for (const MmaStep &step : steps)
      for (unsigned i = 0; i < step.d.size(); ++i) {
        Value &value = byElement[elementOf(step.d[i])];
        if (value)
          continue;
        Value word = sums.get(step.d[i - i % perSum]);
        value = perSum == 1 ? word
                            : LLVM::ExtractElementOp::create(b, loc, word,
                                                             constantIndex(b, loc, i % perSum));
      }
    SmallVector<Value> values;
    for (unsigned reg = 0; reg < result.inSize(Dim::reg()); ++reg)
      values.push_back(byElement.lookup(elementOf(reg)));
    return values;
  }

  const NvidiaSpec &spec;
};

} // namespace

void nvidia::populateMmaPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                 const NvidiaTargetInfo &target, const NvidiaSpec &spec) {
  patterns.add<MmaLowering>(types, target, spec);
}
