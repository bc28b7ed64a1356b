//===- AnnotateModule.cpp - facts that only LLVM IR can hold --------------===//
// Source: LLVM's AMDGPU usage guide, "LLVM IR Attributes", "LLVM IR Metadata" and
// "Code Object V5 Metadata".
//===----------------------------------------------------------------------===//
#include "AnnotateModule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace tessera;

void amd::annotateAtomics(Module &module) {
  MDNode *none = MDNode::get(module.getContext(), {});
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
      if (!atomic)
        continue;
      // A tensor lies in the memory of one GPU. On memory that the host shares, an atomic of a
      // float that the bus does not know would be lost; LLVM would otherwise use a loop around
      // compare-and-swap everywhere.
      atomic->setMetadata("amdgpu.no.fine.grained.memory", none);
      atomic->setMetadata("amdgpu.no.remote.memory", none);
      if (atomic->getOperation() == AtomicRMWInst::FAdd && atomic->getType()->isFloatTy())
        atomic->setMetadata("amdgpu.ignore.denormal.mode", none);
    }
}

void amd::allowContraction(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<BinaryOperator, UnaryOperator>(instruction) && isa<FPMathOperator>(instruction))
        instruction.setHasAllowContract(true);
}

/// Replaces the elements of the vector `stored` that are `select mask, x, y` by x.
static void dropSelects(Value *stored, const Value *mask) {
  while (auto *insert = dyn_cast<InsertElementInst>(stored)) {
    auto *select = dyn_cast<SelectInst>(insert->getOperand(1));
    // Others may use the vector too, and need the element that it has.
    if (!insert->hasOneUse())
      return;
    if (select && select->getCondition() == mask)
      insert->setOperand(1, select->getTrueValue());
    stored = insert->getOperand(0);
  }
}

void amd::dropMaskedSelects(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *store = dyn_cast<IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      // The mask is one condition for all lanes: of an insertion, or of a splat of one.
      Value *mask = store->getArgOperand(2);
      if (auto *insert = dyn_cast<InsertElementInst>(mask))
        dropSelects(store->getArgOperand(0), insert->getOperand(1));
      else if (const Value *condition = getSplatValue(mask))
        dropSelects(store->getArgOperand(0), condition);
    }
}

/// Returns whether no part of a sum is negative.
static bool hasNoNegativePart(Value *value, const SimplifyQuery &query) {
  auto *sum = dyn_cast<BinaryOperator>(value);
  if (sum && (sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Or))
    return hasNoNegativePart(sum->getOperand(0), query) &&
           hasNoNegativePart(sum->getOperand(1), query);
  return isKnownNonNegative(value, query);
}

/// Returns whether LLVM may split a constant from the offset. A selection keeps its operands
/// together. In a loop, any offset may be rewritten as the sum of another one and a constant.
static bool maySplit(Value *offset, bool isInLoop, const SimplifyQuery &query) {
  if (isa<Constant, SelectInst>(offset))
    return false;
  return isInLoop || !hasNoNegativePart(offset, query);
}

void amd::protectBufferOffsets(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SimplifyQuery query(module.getDataLayout());
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      bool isLoad = call && call->getIntrinsicID() == Intrinsic::amdgcn_raw_ptr_buffer_load;
      if (!isLoad && !(call && call->getIntrinsicID() == Intrinsic::amdgcn_raw_ptr_buffer_store))
        continue;
      Use &offset = call->getArgOperandUse(isLoad ? 1 : 2);
      if (!maySplit(offset, loops.getLoopFor(call->getParent()), query))
        continue;
      // A statement without instructions, which LLVM does not look into.
      Type *type = offset->getType();
      auto *opaque = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=v,0",
                                    /*hasSideEffects=*/false);
      IRBuilder<> builder(call);
      offset.set(builder.CreateCall(opaque, {offset.get()}));
    }
  }
}

namespace {
/// An input that a kernel gets only if it uses one of these intrinsics.
struct Input {
  StringLiteral attribute;
  Intrinsic::ID intrinsic;
};
} // namespace

static constexpr Input kInputs[] = {
    {"amdgpu-no-workgroup-id-x", Intrinsic::amdgcn_workgroup_id_x},
    {"amdgpu-no-workgroup-id-y", Intrinsic::amdgcn_workgroup_id_y},
    {"amdgpu-no-workgroup-id-z", Intrinsic::amdgcn_workgroup_id_z},
    {"amdgpu-no-workitem-id-x", Intrinsic::amdgcn_workitem_id_x},
    {"amdgpu-no-workitem-id-y", Intrinsic::amdgcn_workitem_id_y},
    {"amdgpu-no-workitem-id-z", Intrinsic::amdgcn_workitem_id_z},
    {"amdgpu-no-implicitarg-ptr", Intrinsic::amdgcn_implicitarg_ptr},
    {"amdgpu-no-dispatch-ptr", Intrinsic::amdgcn_dispatch_ptr},
    {"amdgpu-no-dispatch-id", Intrinsic::amdgcn_dispatch_id},
    {"amdgpu-no-queue-ptr", Intrinsic::amdgcn_queue_ptr},
    {"amdgpu-no-lds-kernel-id", Intrinsic::amdgcn_lds_kernel_id},
};
/// Inputs of functions that a library on the device would provide, and there is none.
static constexpr StringLiteral kNever[] = {
    "amdgpu-no-hostcall-ptr",      "amdgpu-no-heap-ptr",           "amdgpu-no-default-queue",
    "amdgpu-no-completion-action", "amdgpu-no-multigrid-sync-arg",
};

static bool uses(const Module &module, Intrinsic::ID intrinsic) {
  return any_of(module, [&](const Function &function) {
    return function.getIntrinsicID() == intrinsic && !function.use_empty();
  });
}

void amd::widenRemainders(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      Type *type = instruction.getType();
      if (instruction.getOpcode() != Instruction::FRem || !type->isBFloatTy())
        continue;
      IRBuilder<> b(&instruction);
      Value *rest = b.CreateFRem(b.CreateFPExt(instruction.getOperand(0), b.getFloatTy()),
                                 b.CreateFPExt(instruction.getOperand(1), b.getFloatTy()));
      instruction.replaceAllUsesWith(b.CreateFPTrunc(rest, type));
      instruction.eraseFromParent();
    }
}

/// Returns whether inline assembly names accumulation registers.
static bool namesAccumulationRegisters(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<CallInst>(&instruction))
        if (const auto *text = dyn_cast<InlineAsm>(call->getCalledOperand()))
          if (text->getConstraintString().find('a') != std::string::npos)
            return true;
  return false;
}

static void annotateKernel(Function &kernel, const amd::AmdSpec &spec,
                           const CompileOptions &options) {
  for (const Input &input : kInputs)
    if (!uses(*kernel.getParent(), input.intrinsic))
      kernel.addFnAttr(input.attribute);
  for (StringRef attribute : kNever)
    kernel.addFnAttr(attribute);
  // Nothing must be in accumulation registers, so MFMA adds in vector registers: sums that a loop
  // carries are not copied in each iteration (64 of 254 instructions of a product's loop were such
  // copies). Beyond 256 registers LLVM uses both kinds.
  if (spec.hasMFMA() && !namesAccumulationRegisters(*kernel.getParent()))
    kernel.addFnAttr("amdgpu-agpr-alloc", "0");
  // LLVM lets as many of the first arguments arrive in registers as there are registers.
  if (spec.hasKernargPreload())
    for (Argument &argument : kernel.args())
      argument.addAttr(Attribute::InReg);
  if (options.wavesPerEU != 0) {
    std::string waves = std::to_string(options.wavesPerEU);
    kernel.addFnAttr("amdgpu-waves-per-eu", waves + "," + waves);
  }
}

void amd::annotateKernels(Module &module, const AmdSpec &spec, const CompileOptions &options) {
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL && !function.isDeclaration())
      annotateKernel(function, spec, options);
  // Version 5, times 100: ROCm 6 and later.
  if (!module.getModuleFlag("amdhsa_code_object_version"))
    module.addModuleFlag(Module::Error, "amdhsa_code_object_version", 500);
}
