//===- TargetInfo.cpp - AMD's answers: grid, threads, barriers, kernels ---===//
// See TargetInfo.h; memory is in Accesses.cpp, arithmetic in Arithmetic.cpp.
// Source: LLVM's AMDGPU usage guide (intrinsics, kernel attributes, memory model).
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/TargetInfo.h"
#include "Intrinsics.h"
#include "LowerBufferOps.h"
#include "LowerMatrix.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

void AmdTargetInfo::populatePatterns(RewritePatternSet &patterns,
                                     const TTGIRTypeConverter &types) const {
  populateMatrixPatterns(patterns, types, *this, spec);
  populateBufferOpPatterns(patterns, types, *this);
}

//===----------------------------------------------------------------------===//
// Where this thread is
//===----------------------------------------------------------------------===//

Value AmdTargetInfo::programId(OpBuilder &b, Location loc, int axis) const {
  std::string name = llvm::formatv("workgroup.id.{0}", "xyz"[axis]);
  return emitIntrinsic(b, loc, name, b.getI32Type(), {});
}

/// Code object version 5: the hidden arguments begin with hidden_block_count_x, _y and _z.
Value AmdTargetInfo::numPrograms(OpBuilder &b, Location loc, int axis) const {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), AmdSpec::constantSpace);
  Value hidden = emitIntrinsic(b, loc, "implicitarg.ptr", pointer, {});
  Value place =
      LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(), hidden, LLVM::GEPArg(int32_t(axis)));
  return LLVM::LoadOp::create(b, loc, b.getI32Type(), place, /*alignment=*/4, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/true);
}

Value AmdTargetInfo::threadId(OpBuilder &b, Location loc, unsigned numThreads) const {
  auto call = LLVM::CallIntrinsicOp::create(
      b, loc, b.getI32Type(), b.getStringAttr("llvm.amdgcn.workitem.id.x"), ValueRange());
  // The range lets LLVM see that index bits are disjoint.
  auto range =
      LLVM::ConstantRangeAttr::get(b.getContext(), llvm::APInt(32, 0), llvm::APInt(32, numThreads));
  call.setResAttrsAttr(b.getArrayAttr(
      b.getDictionaryAttr(b.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(), range))));
  return call.getResult(0);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static void emitFence(OpBuilder &b, Location loc, LLVM::AtomicOrdering order, StringRef scope,
                      bool onlyShared) {
  auto fence = LLVM::FenceOp::create(b, loc, order, scope);
  // AMDGPU usage guide, "Memory Model Relaxation Annotations": without this the fence also waits
  // for global memory, and invalidates its cache on RDNA.
  if (onlyShared)
    fence->setDiscardableAttr(
        LLVM::LLVMDialect::getMmraAttrName(),
        LLVM::MMRATagAttr::get(b.getContext(), "amdgpu-synchronize-as", "local"));
}

static void emitBarrier(OpBuilder &b, Location loc, bool onlyShared) {
  emitFence(b, loc, LLVM::AtomicOrdering::release, "workgroup", onlyShared);
  emitIntrinsic(b, loc, "s.barrier", {}, {});
  emitFence(b, loc, LLVM::AtomicOrdering::acquire, "workgroup", onlyShared);
}

void AmdTargetInfo::barrier(OpBuilder &b, Location loc) const { emitBarrier(b, loc, false); }

void AmdTargetInfo::sharedBarrier(OpBuilder &b, Location loc) const { emitBarrier(b, loc, true); }

/// The lanes of a wave execute together: only the order of memory accesses matters.
void AmdTargetInfo::warpBarrier(OpBuilder &b, Location loc) const {
  emitFence(b, loc, LLVM::AtomicOrdering::release, "wavefront", false);
  emitIntrinsic(b, loc, "wave.barrier", {}, {});
  emitFence(b, loc, LLVM::AtomicOrdering::acquire, "wavefront", false);
}

//===----------------------------------------------------------------------===//
// Kernels, assembly, assertions
//===----------------------------------------------------------------------===//

/// LLVM-level facts that depend on the finished code are added later (KernelAttributes.h).
void AmdTargetInfo::markKernel(LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned,
                               unsigned) const {
  Builder b(kernel.getContext());
  kernel.setCConv(LLVM::cconv::CConv::AMDGPU_KERNEL);
  std::string threads = std::to_string(numThreads);
  SmallVector<Attribute> words = {
      // Exactly so many threads: LLVM then knows the register budget.
      b.getStrArrayAttr({"amdgpu-flat-work-group-size", threads + "," + threads}),
      b.getStrArrayAttr({"uniform-work-group-size", "true"}),
      b.getStrArrayAttr({"denormal-fp-math-f32",
                         flushesDenormals ? "preserve-sign,preserve-sign" : "ieee,ieee"})};
  // In IEEE mode LLVM makes operands of minima and maxima canonical first, an instruction each.
  if (spec.hasIEEEMode())
    words.push_back(b.getStrArrayAttr({"amdgpu-ieee", "false"}));
  kernel.setPassthroughAttr(b.getArrayAttr(words));
  kernel.setNoUnwind(true);
}

/// Registers of 32 bits; LLVM takes as many neighbours as a wider type needs.
Type AmdTargetInfo::asmRegisterType(OpBuilder &b, char constraint) const {
  bool isKnown = constraint == 'v' || constraint == 's' || (constraint == 'a' && spec.hasMFMA());
  return isKnown ? b.getI32Type() : Type();
}

/// The message stays in the source: the runtime reports only that the kernel was aborted. These are
/// the instructions of llvm.trap, which LLVM leaves half expanded on gfx11 in a kernel with
/// several.
void AmdTargetInfo::failAssertion(OpBuilder &b, Location loc, StringRef, StringRef, unsigned,
                                  StringRef) const {
  LLVM::InlineAsmOp::create(b, loc, /*res=*/Type(), ValueRange(), "s_trap 2", /*constraints=*/"",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}
