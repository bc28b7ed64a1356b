//===- LowerWarpGroupDot.cpp - products of matrices by wgmma --------------===//
// ttng.warp_group_dot becomes one statement of inline PTX: a fence, the instructions of
// planWgmma, the commit of their group, and for a product that is not asynchronous the wait.
//
//   { .reg .b64 ra, rb;
//     wgmma.fence.sync.aligned;
//     wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {$0, ...}, $64, $65, p, 1, 1, 0, 1;
//     add.s64 ra, $64, 2; add.s64 rb, $65, 128;
//     wgmma.mma_async... {$0, ...}, ra, rb, 1, 1, 1, 0, 1;
//     wgmma.commit_group.sync.aligned; }
//
// LLVM's intrinsics for wgmma have no operand A in registers and no predicate for adding to
// D. Accumulators are tied, in and out, here and in waits: LLVM then has no other place for
// them, and cannot read a register before its wait.
//
// ptxas wants descriptors in uniform registers. The number of the warp group is therefore
// read from lane 0, once, where the kernel begins. Descriptors are never constants: ptxas
// 12.8 and 13.0 crash on those.
//===----------------------------------------------------------------------===//
#include "LowerWarpGroupDot.h"
#include "InlinePTX.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/Wgmma.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static Value constantI32(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
}

static Value constantI64(OpBuilder &b, Location loc, uint64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// A tensor's registers as the words that instructions take: floats of 32 bits as they are,
/// smaller elements packed.
class TensorWords {
public:
  TensorWords(Type element) : element(element), packed(element, perWordOf(element)) {}

  Type type(OpBuilder &b) const { return isWhole() ? element : Type(b.getI32Type()); }
  char registerClass() const { return element.isF32() ? 'f' : element.isF64() ? 'd' : 'r'; }
  unsigned perWord() const { return isWhole() ? 1 : packed.perWord; }

  Value pack(OpBuilder &b, Location loc, ValueRange elements) const {
    return isWhole() ? elements[0] : packed.pack(b, loc, elements)[0];
  }
  void unpack(OpBuilder &b, Location loc, Value word, SmallVectorImpl<Value> &elements) const {
    if (isWhole())
      elements.push_back(word);
    else
      elements.append(packed.unpack(b, loc, {word}, element));
  }

private:
  static unsigned bitsOf(Type type) { return std::max(8u, type.getIntOrFloatBitWidth()); }
  static unsigned perWordOf(Type type) { return std::max(1u, 32 / bitsOf(type)); }
  bool isWhole() const { return bitsOf(element) >= 32; }

  Type element;
  PackedWords packed;
};

/// Accumulators of a dot: those of each chain are consecutive words.
class Accumulators {
public:
  Accumulators(Type element, const WgmmaPlan &plan) : words(element) {
    for (const WgmmaChain &chain : plan.chains)
      registers.append(chain.d.begin(), chain.d.end());
  }
  unsigned count() const { return registers.size() / words.perWord(); }
  unsigned perChain(const WgmmaPlan &plan) const { return count() / plan.chains.size(); }
  char registerClass() const { return words.registerClass(); }
  Type type(OpBuilder &b) const { return words.type(b); }

  SmallVector<Value> pack(OpBuilder &b, Location loc, ValueRange values) const {
    SmallVector<Value> result;
    for (unsigned first = 0; first < registers.size(); first += words.perWord()) {
      SmallVector<Value, 4> elements;
      for (unsigned i = 0; i < words.perWord(); ++i)
        elements.push_back(values[registers[first + i]]);
      result.push_back(words.pack(b, loc, elements));
    }
    return result;
  }
  SmallVector<Value> unpack(OpBuilder &b, Location loc, ValueRange packed) const {
    SmallVector<Value> inOrder, result(registers.size());
    for (Value word : packed)
      words.unpack(b, loc, word, inOrder);
    for (auto [reg, value] : llvm::zip_equal(registers, inOrder))
      result[reg] = value;
    return result;
  }

private:
  TensorWords words;
  SmallVector<unsigned> registers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// The number of this thread's warp group, as lane 0 of its warp knows it: where the kernel
/// begins, so that loops do not compute it again.
static Value emitWarpGroup(OpBuilder &b, Location loc, Operation *op, const TargetInfo &target,
                           unsigned numWarps) {
  OpBuilder::InsertionGuard guard(b);
  Operation *function = op;
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  b.setInsertionPointToStart(&function->getRegion(0).front());
  Value thread = target.threadId(b, loc, numWarps * NvidiaSpec::threadsPerWarp);
  constexpr unsigned threadsPerGroup = kWarpGroupWarps * NvidiaSpec::threadsPerWarp;
  Value group =
      LLVM::LShrOp::create(b, loc, thread, constantI32(b, loc, llvm::Log2_32(threadsPerGroup)));
  return target.shuffleFrom(b, loc, group, constantI32(b, loc, 0));
}

/// The descriptor of a buffer's first tile for this warp group.
static Value emitDescriptor(OpBuilder &b, Location loc, Value start, const WgmmaBuffer &buffer,
                            ArrayRef<uint64_t> groupBytes, function_ref<Value()> group) {
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), start);
  for (auto [bit, bytes] : llvm::enumerate(groupBytes)) {
    if (bytes == 0)
      continue;
    Value isSet = LLVM::AndOp::create(b, loc, group(), constantI32(b, loc, 1 << bit));
    Value offset = LLVM::MulOp::create(b, loc, isSet, constantI32(b, loc, bytes >> bit));
    address = LLVM::AddOp::create(b, loc, address, offset);
  }
  // 18 bits of address, in units of 16 bytes.
  Value field = LLVM::LShrOp::create(
      b, loc, LLVM::AndOp::create(b, loc, address, constantI32(b, loc, 0x3FFFF)),
      constantI32(b, loc, 4));
  Value wide = LLVM::ZExtOp::create(b, loc, b.getI64Type(), field);
  return LLVM::OrOp::create(b, loc, wide, constantI64(b, loc, buffer.descriptor));
}

//===----------------------------------------------------------------------===//
// The statement
//===----------------------------------------------------------------------===//

namespace {
/// Builds the text of a dot's instructions.
class DotText {
public:
  DotText(const WgmmaPlan &plan, const WgmmaTypes &types)
      : plan(plan), types(types),
        name(llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2} ", plan.columns,
                           types.inner(), types.name)) {}

  /// One instruction; `sums` and `left` are operands in braces or descriptors.
  void add(StringRef sums, StringRef left, StringRef right, StringRef addsToD) {
    text += name + sums.str() + ", " + left.str() + ", " + right.str() + ", " + addsToD.str();
    if (!types.isInteger)
      text += ", 1, 1";
    if (types.canTranspose && plan.a)
      text += plan.a->isTransposed ? ", 1" : ", 0";
    if (types.canTranspose)
      text += plan.b.isTransposed ? ", 1" : ", 0";
    text += ";\n";
  }
  /// The register that holds a descriptor moved by `bytes`.
  std::string moved(StringRef descriptor, uint64_t bytes, char letter) {
    if (bytes == 0)
      return descriptor.str();
    std::string reg = llvm::formatv("r{0}", letter);
    text += llvm::formatv("add.s64 {0}, {1}, {2};\n", reg, descriptor, bytes >> 4);
    return reg;
  }

  const WgmmaPlan &plan;
  const WgmmaTypes &types;
  std::string name, text;
};

/// The operands of one dot, lowered.
struct DotOperands {
  Value left, right;                         // descriptors; left is null where registers hold A
  SmallVector<SmallVector<Value>> registers; // words of A by chain and step, else empty
  SmallVector<Value> sums;                   // words of D before; empty: zeros
  Value addsToD;                             // i1; null: always
};

struct WarpGroupDotLowering : Lowering<ttng::WarpGroupDotOp> {
  WarpGroupDotLowering(const TTGIRTypeConverter &types, const TargetInfo &target,
                       const NvidiaSpec &spec)
      : Lowering(types, target), spec(spec) {}

  LogicalResult matchAndRewrite(ttng::WarpGroupDotOp op, Operands operands,
                                ConversionPatternRewriter &b) const final;

private:
  std::optional<WgmmaTypes> typesOf(ttng::WarpGroupDotOp op) const;
  DotOperands lower(ttng::WarpGroupDotOp op, Operands operands, const WgmmaPlan &plan,
                    const Accumulators &sums, OpBuilder &b) const;
  const NvidiaSpec &spec;
};
} // namespace

static LinearLayout layoutOf(Value value, bool isSwapped) {
  auto buffer = dyn_cast<ttg::MemDescType>(value.getType());
  LinearLayout layout = buffer ? ttg::toLinearLayout(buffer)
                               : ttg::toLinearLayout(cast<RankedTensorType>(value.getType()));
  return isSwapped ? transposeMatrix(layout) : layout;
}

static Type elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }

std::optional<WgmmaTypes> WarpGroupDotLowering::typesOf(ttng::WarpGroupDotOp op) const {
  return findWgmma(spec, elementOf(op.getRowOperand()), elementOf(op.getColumnOperand()),
                   elementOf(op.getD()), op.getInputPrecision());
}

DotOperands WarpGroupDotLowering::lower(ttng::WarpGroupDotOp op, Operands operands,
                                        const WgmmaPlan &plan, const Accumulators &sums,
                                        OpBuilder &b) const {
  Location loc = op.getLoc();
  DotOperands result;
  Value group;
  auto getGroup = [&] {
    if (!group)
      group = emitWarpGroup(b, loc, op, target, ttg::lookupNumWarps(op).value_or(4));
    return group;
  };
  ValueRange rows = operands.getA(), columns = operands.getB();
  if (op.getSwapped())
    std::swap(rows, columns);
  result.right = emitDescriptor(b, loc, columns[0], plan.b, plan.groupB, getGroup);
  if (plan.a) {
    result.left = emitDescriptor(b, loc, rows[0], *plan.a, plan.groupA, getGroup);
  } else {
    TensorWords words(types.convertType(elementOf(op.getRowOperand())));
    for (const WgmmaChain &chain : plan.chains)
      for (const WgmmaStep &step : chain.steps) {
        SmallVector<Value> &packed = result.registers.emplace_back();
        for (unsigned i = 0; i < step.registers.size(); i += words.perWord()) {
          SmallVector<Value, 4> elements;
          for (unsigned j = 0; j < words.perWord(); ++j)
            elements.push_back(rows[step.registers[i + j]]);
          Value word = words.pack(b, loc, elements);
          if (isa<FloatType>(word.getType())) // tf32 registers are .b32
            word = LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
          packed.push_back(word);
        }
      }
  }
  if (!operands.getUseC().empty())
    result.addsToD = operands.getUseC()[0];
  bool startsAtZero =
      matchPattern(op.getC(), m_AnyZeroFloat()) || matchPattern(op.getC(), m_Zero());
  if (!startsAtZero)
    result.sums = sums.pack(b, loc, operands.getC());
  return result;
}

namespace {
/// Emits the instructions of one dot, all or some steps of each chain at a time.
class ProductEmitter {
public:
  ProductEmitter(OpBuilder &b, Location loc, const WgmmaPlan &plan, const WgmmaTypes &types,
                 const Accumulators &sums, const DotOperands &operands)
      : b(b), loc(loc), plan(plan), types(types), sums(sums), operands(operands) {}

  /// Steps `first` up to `last`. The first adds to `before` where `addsToD` (i1, null: always)
  /// says so; `before` is empty for sums that start at zero.
  SmallVector<Value> emit(unsigned first, unsigned last, ArrayRef<Value> before, Value addsToD,
                          bool waits);
  unsigned steps() const { return plan.chains.front().steps.size(); }

private:
  std::string leftOperand(unsigned chain, unsigned step, DotText &text, PTXStatement &ptx);

  OpBuilder &b;
  Location loc;
  const WgmmaPlan &plan;
  const WgmmaTypes &types;
  const Accumulators &sums;
  const DotOperands &operands;
  std::string left;                       // the operand that holds A's descriptor
  DenseMap<Value, std::string> wordNames; // operands that hold words of A
};
} // namespace

std::string ProductEmitter::leftOperand(unsigned chain, unsigned step, DotText &text,
                                        PTXStatement &ptx) {
  if (plan.a)
    return text.moved(left, plan.chains[chain].steps[step].a, 'a');
  SmallVector<std::string> words;
  for (Value word : operands.registers[chain * steps() + step]) {
    std::string &name = wordNames[word];
    if (name.empty())
      name = ptx.input("r", word);
    words.push_back(name);
  }
  return braced(words);
}

SmallVector<Value> ProductEmitter::emit(unsigned first, unsigned last, ArrayRef<Value> before,
                                        Value addsToD, bool waits) {
  PTXStatement ptx;
  wordNames.clear();
  SmallVector<std::string> names;
  for (unsigned i = 0; i < sums.count(); ++i)
    names.push_back(ptx.output(sums.registerClass()));
  Value nothing;
  for (unsigned i = 0; i < sums.count(); ++i) {
    if (before.empty() && !nothing)
      nothing = LLVM::PoisonOp::create(b, loc, sums.type(b));
    ptx.tie(i, before.empty() ? nothing : before[i]);
  }
  std::string right = ptx.input("l", operands.right);
  left = operands.left ? ptx.input("l", operands.left) : "";
  std::string firstAdds = before.empty() ? "0" : addsToD ? ptx.input("b", addsToD) : "1";
  DotText text(plan, types);
  text.text = "{\n.reg .b64 ra, rb;\nwgmma.fence.sync.aligned;\n";
  unsigned perChain = sums.perChain(plan);
  for (unsigned chain = 0; chain < plan.chains.size(); ++chain) {
    std::string list = braced(ArrayRef(names).slice(chain * perChain, perChain));
    for (unsigned step = first; step < last; ++step) {
      std::string a = leftOperand(chain, step, text, ptx);
      std::string bMoved = text.moved(right, plan.chains[chain].steps[step].b, 'b');
      text.add(list, a, bMoved, step == first ? firstAdds : "1");
    }
  }
  text.text += "wgmma.commit_group.sync.aligned;\n";
  if (waits)
    text.text += "wgmma.wait_group.sync.aligned 0;\n";
  text.text += "}";
  SmallVector<Type> results(sums.count(), sums.type(b));
  return ptx.emit(b, loc, text.text, results, Effects::Writes);
}

/// Sums of at most `limit` products, which the unit adds with fewer bits than f32 has, are
/// added up in f32.
static SmallVector<Value> emitPartialSums(OpBuilder &b, Location loc, ProductEmitter &emitter,
                                          const DotOperands &operands, unsigned stepsAtOnce) {
  SmallVector<Value> total = operands.sums;
  if (operands.addsToD && !total.empty()) {
    Value zero = LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    for (Value &sum : total)
      sum = LLVM::SelectOp::create(b, loc, operands.addsToD, sum, zero);
  }
  for (unsigned first = 0; first < emitter.steps(); first += stepsAtOnce) {
    unsigned last = std::min(first + stepsAtOnce, emitter.steps());
    SmallVector<Value> partial = emitter.emit(first, last, {}, Value(), /*waits=*/true);
    if (total.empty()) {
      total = partial;
      continue;
    }
    for (auto [sum, more] : llvm::zip_equal(total, partial))
      sum = LLVM::FAddOp::create(b, loc, sum, more);
  }
  return total;
}

LogicalResult WarpGroupDotLowering::matchAndRewrite(ttng::WarpGroupDotOp op, Operands operands,
                                                    ConversionPatternRewriter &b) const {
  std::optional<WgmmaTypes> wgmma = typesOf(op);
  if (!wgmma)
    return emitUnsupported(op) << "warp_group_dot of " << op.getA().getType() << " and "
                               << op.getB().getType();
  bool swapped = op.getSwapped();
  std::optional<WgmmaPlan> plan =
      planWgmma(layoutOf(op.getRowOperand(), swapped), layoutOf(op.getColumnOperand(), swapped),
                layoutOf(op.getD(), swapped), op.getInstructionColumns(), *wgmma);
  if (!plan)
    return emitUnsupported(op) << "warp_group_dot of operands that lie as no matrix descriptor "
                                  "can say: "
                               << op.getA().getType() << " and " << op.getB().getType();
  Location loc = op.getLoc();
  Accumulators sums(types.convertType(elementOf(op.getD())), *plan);
  DotOperands lowered = lower(op, operands, *plan, sums, b);
  ProductEmitter emitter(b, loc, *plan, *wgmma, sums, lowered);
  // wgmma accumulates products of fp8 in fewer bits than f32.
  uint64_t limit = std::max(0, op.getMaxNumImpreciseAcc());
  bool isLimited = wgmma->bits == 8 && !wgmma->isInteger && elementOf(op.getD()).isF32() &&
                   limit <= uint64_t(wgmma->inner()) * emitter.steps();
  SmallVector<Value> words =
      isLimited
          ? emitPartialSums(b, loc, emitter, lowered, std::max<uint64_t>(1, limit / wgmma->inner()))
          : emitter.emit(0, emitter.steps(), lowered.sums, lowered.addsToD, !op.getIsAsync());
  return replaceWith(b, op, sums.unpack(b, loc, words));
}

//===----------------------------------------------------------------------===//
// Waits and fences
//===----------------------------------------------------------------------===//

namespace {
struct WarpGroupDotWaitLowering : Lowering<ttng::WarpGroupDotWaitOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::WarpGroupDotWaitOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Location loc = op.getLoc();
    PTXStatement ptx;
    SmallVector<Value> words;
    SmallVector<Type> results;
    for (auto [input, values] : llvm::zip_equal(op.getInputs(), operands.getInputs())) {
      if (!isa<RankedTensorType>(input.getType()))
        continue;
      TensorWords packing(types.convertType(elementOf(input)));
      for (unsigned first = 0; first < values.size(); first += packing.perWord()) {
        words.push_back(packing.pack(b, loc, values.slice(first, packing.perWord())));
        results.push_back(words.back().getType());
        (void)ptx.output(packing.registerClass());
      }
    }
    for (auto [index, word] : llvm::enumerate(words))
      ptx.tie(index, word);
    std::string text = llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPendings());
    SmallVector<Value> awaited = ptx.emit(b, loc, text, results, Effects::Writes);

    SmallVector<SmallVector<Value>> outputs;
    ArrayRef<Value> rest = awaited;
    for (auto [input, values] : llvm::zip_equal(op.getInputs(), operands.getInputs())) {
      if (!isa<RankedTensorType>(input.getType())) {
        outputs.push_back(SmallVector<Value>(values));
        continue;
      }
      TensorWords packing(types.convertType(elementOf(input)));
      SmallVector<Value> &elements = outputs.emplace_back();
      for (; elements.size() < values.size(); rest = rest.drop_front())
        packing.unpack(b, loc, rest.front(), elements);
    }
    SmallVector<ValueRange> ranges(outputs.begin(), outputs.end());
    b.replaceOpWithMultiple(op, ranges);
    return success();
  }
};

struct FenceAsyncGlobalLowering : Lowering<ttng::FenceAsyncGlobalOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::FenceAsyncGlobalOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    PTXStatement().emit(b, op.getLoc(), "fence.proxy.async.global;", {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

struct FenceAsyncSharedLowering : Lowering<ttng::FenceAsyncSharedOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::FenceAsyncSharedOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    PTXStatement ptx;
    StringRef text =
        op.getBCluster() ? "fence.proxy.async.shared::cluster;" : "fence.proxy.async.shared::cta;";
    ptx.emit(b, op.getLoc(), text, {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};
} // namespace

void nvidia::populateWarpGroupDotPatterns(RewritePatternSet &patterns,
                                          const TTGIRTypeConverter &types,
                                          const NvidiaTargetInfo &target, const NvidiaSpec &spec) {
  patterns.add<WarpGroupDotLowering>(types, target, spec);
  patterns.add<WarpGroupDotWaitLowering, FenceAsyncSharedLowering, FenceAsyncGlobalLowering>(
      types, target);
}
