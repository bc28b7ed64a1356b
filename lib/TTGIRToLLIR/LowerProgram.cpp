//===- LowerProgram.cpp - lower functions and the grid --------------------===//
// A kernel's parameters are its run-time arguments in order, and two hidden pointers to global
// memory: scratch that the launcher allocates, and a buffer for profilers (docs/abi.md). Both may
// be null.
//
//   before: tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32})
//   after:  llvm.func @k(%p: !llvm.ptr<1> {llvm.align = 16}, !llvm.ptr<1>, !llvm.ptr<1>)
//
// A tensor descriptor is a parameter of the form that the target's hardware reads.
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/ProgramOrder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tessera;

static constexpr unsigned kNumHiddenArguments = 2;
/// The index of the scratch pointer among the hidden arguments.
static constexpr unsigned kGlobalScratchArgument = 0;

/// Returns LLVM's alignment attribute for the divisibility that the caller guarantees of a pointer.
static DictionaryAttr convertArgumentAttrs(OpBuilder &b, tt::FuncOp func, unsigned index) {
  auto promise = func.getArgAttrOfType<IntegerAttr>(index, tt::kDivisibilityAttr);
  if (!promise || !isa<tt::PointerType>(func.getArgumentTypes()[index]))
    return b.getDictionaryAttr({});
  // The largest power of two that divides it; LLVM takes alignments up to 2^32.
  uint64_t value = promise.getValue().getZExtValue();
  uint64_t align = std::min<uint64_t>(value & -value, uint64_t(1) << 31);
  if (align <= 1)
    return b.getDictionaryAttr({});
  return b.getDictionaryAttr(
      b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(align)));
}

namespace {

struct FuncLowering : Lowering<tt::FuncOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::FuncOp op, Operands, ConversionPatternRewriter &b) const final {
    if (!op.isKernel() || op.isExternal() || op.getFunctionType().getNumResults() != 0)
      return emitUnsupported(op) << "function '" << op.getName()
                                 << "' that is not a kernel and was not inlined; remove noinline";
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    bool hasDescriptors = llvm::any_of(op.getArgumentTypes(), llvm::IsaPred<tt::TensorDescType>);
    if (failed(types.convertSignatureArgs(op.getArgumentTypes(), signature)) ||
        (hasDescriptors && !target.descriptorArgumentAttrs(b)))
      return emitUnsupported(op) << "type of an argument of kernel '" << op.getName() << "'";
    Type globalPointer = LLVM::LLVMPointerType::get(b.getContext(), tt::kGlobalAddressSpace);
    signature.addInputs(SmallVector<Type>(kNumHiddenArguments, globalPointer));

    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            signature.getConvertedTypes());
    auto kernel = LLVM::LLVMFuncOp::create(b, op.getLoc(), op.getName(), type);
    SmallVector<DictionaryAttr> attrs;
    for (auto [i, type] : llvm::enumerate(op.getArgumentTypes()))
      attrs.push_back(isa<tt::TensorDescType>(type) ? target.descriptorArgumentAttrs(b)
                                                    : convertArgumentAttrs(b, op, i));
    attrs.append(kNumHiddenArguments, b.getDictionaryAttr({}));
    kernel.setAllArgAttrs(attrs);
    auto module = op->getParentOfType<ModuleOp>();
    unsigned numThreads = ttg::getTotalNumWarps(module) * ttg::getThreadsPerWarp(module);
    target.markKernel(kernel, numThreads, ttg::getNumCTAs(module),
                      ttg::getMaxRegisters(module).value_or(0));

    b.inlineRegionBefore(op.getBody(), kernel.getBody(), kernel.end());
    if (failed(b.convertRegionTypes(&kernel.getBody(), types, &signature)))
      return failure();
    SmallVector<Value> descriptors;
    for (auto [i, type] : llvm::enumerate(op.getArgumentTypes()))
      if (isa<tt::TensorDescType>(type))
        descriptors.push_back(kernel.getArgument(signature.getInputMapping(i)->inputNo));
    b.setInsertionPointToStart(&kernel.getBody().front());
    target.prefetchDescriptors(b, op.getLoc(), descriptors, numThreads);
    b.eraseOp(op);
    return success();
  }
};

struct ReturnLowering : Lowering<tt::ReturnOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::ReturnOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    b.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange{}); // kernels return nothing
    return success();
  }
};

struct ProgramIdLowering : Lowering<tt::GetProgramIdOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::GetProgramIdOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    int axis = static_cast<int>(op.getAxis());
    Value id = target.programId(b, op.getLoc(), axis);
    if (op->hasAttr(kReversedAttr)) {
      Value one = LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), b.getI32IntegerAttr(1));
      Value last =
          LLVM::SubOp::create(b, op.getLoc(), target.numPrograms(b, op.getLoc(), axis), one);
      id = LLVM::SubOp::create(b, op.getLoc(), last, id);
    }
    return replaceWith(b, op, id);
  }
};

struct NumProgramsLowering : Lowering<tt::GetNumProgramsOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::GetNumProgramsOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    return replaceWith(b, op, target.numPrograms(b, op.getLoc(), static_cast<int>(op.getAxis())));
  }
};

template <typename BarrierOp> struct BarrierLowering : Lowering<BarrierOp> {
  using Lowering<BarrierOp>::Lowering;
  using Lowering<BarrierOp>::target;
  LogicalResult matchAndRewrite(BarrierOp op, typename Lowering<BarrierOp>::Operands,
                                ConversionPatternRewriter &b) const final {
    // gpu.barrier is a barrier of the program, i.e. of all its CTAs; a local barrier is of one CTA,
    // and orders shared memory.
    if (!isa<gpu::BarrierOp>(op))
      target.sharedBarrier(b, op.getLoc());
    else if (ttg::lookupNumCTAs(op) > 1)
      target.clusterBarrier(b, op.getLoc());
    else
      target.barrier(b, op.getLoc());
    b.eraseOp(op);
    return success();
  }
};

/// Emits scratch + (index of this CTA in the grid) * (bytes of a CTA) + offset.
struct GlobalScratchLowering : Lowering<ttg::GlobalScratchAllocOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::GlobalScratchAllocOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
    auto offset = op->getAttrOfType<IntegerAttr>(ttg::kGlobalScratchOffsetAttr);
    if (!kernel || !offset)
      return op.emitOpError("has no place: run ttg-allocate-global-scratch first");
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    Value block = emitBlockNumber(b, loc, ttg::getNumCTAs(module));
    Type i64 = b.getI64Type();
    auto constant = [&](int64_t value) {
      return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
    };
    Value bytes = LLVM::MulOp::create(b, loc, block, constant(ttg::getGlobalScratchBytes(module)));
    bytes = LLVM::AddOp::create(b, loc, bytes, constant(offset.getInt()));
    Value scratch =
        kernel.getArgument(kernel.getNumArguments() - kNumHiddenArguments + kGlobalScratchArgument);
    Value address =
        LLVM::GEPOp::create(b, loc, scratch.getType(), b.getI8Type(), scratch, LLVM::GEPArg(bytes));
    return replaceWith(b, op, address);
  }

  /// Emits the index of the CTA as an i64: a grid may have more CTAs than an i32 can count.
  Value emitBlockNumber(OpBuilder &b, Location loc, unsigned numCTAs) const {
    Type i64 = b.getI64Type();
    auto widen = [&](Value value) -> Value { return LLVM::ZExtOp::create(b, loc, i64, value); };
    Value number = widen(target.programId(b, loc, 2));
    for (int axis : {1, 0}) {
      number = LLVM::MulOp::create(b, loc, number, widen(target.numPrograms(b, loc, axis)));
      number = LLVM::AddOp::create(b, loc, number, widen(target.programId(b, loc, axis)));
    }
    Value inCluster = numCTAs > 1 ? target.blockInCluster(b, loc) : Value();
    if (!inCluster)
      return number;
    Value count = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(numCTAs));
    number = LLVM::MulOp::create(b, loc, number, count);
    return LLVM::AddOp::create(b, loc, number, widen(inCluster));
  }
};

} // namespace

void tessera::populateProgramPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const TargetInfo &target) {
  patterns.add<FuncLowering, ReturnLowering, ProgramIdLowering, NumProgramsLowering,
               GlobalScratchLowering, BarrierLowering<gpu::BarrierOp>,
               BarrierLowering<ttg::LocalBarrierOp>>(types, target);
}
