//===- AsyncCopies.cpp - cp.async: global to shared without registers -----===//
// PTX ISA, cp.async: 4, 8 or 16 bytes, both addresses aligned to that. Of the two
// forms .cg goes past L1, which a tile that is read once does not need, and takes
// 16 bytes only. A source size below the copy's fills with zeros; zero reads
// nothing, so the address need not be valid. ptxas turns the select of the size
// into the predicate of LDGSTS.
//
// Copies of one thread are its own: it waits for its groups, and a barrier makes
// them visible to the others.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

ArrayRef<unsigned> NvidiaTargetInfo::asyncCopyBytes() const {
  static constexpr unsigned sizes[] = {4, 8, 16};
  return spec.hasAsyncCopy() ? ArrayRef<unsigned>(sizes) : ArrayRef<unsigned>();
}

/// The size to read: all of it, or nothing where the mask is false, or as many bytes as the
/// copy says. Null without a mask. The selection is a statement: LLVM would select once for each
/// term of a mask that is a conjunction, where ptxas joins the predicates of comparisons.
static Value emitSourceSize(OpBuilder &b, Location loc, const CopyToShared &copy) {
  if (!copy.mask)
    return copy.size;
  return emitPureAsm(b, loc, "selp.b32 $0, " + std::to_string(copy.bytes) + ", 0, $1;", "=r,b",
                     b.getI32Type(), copy.mask);
}

/// An L2 policy register for an eviction policy; null for the normal one.
static Value emitPolicy(OpBuilder &b, Location loc, tt::EvictionPolicy evict) {
  if (evict == tt::EvictionPolicy::Normal)
    return {};
  std::string text = "createpolicy.fractional.L2::evict_";
  text += evict == tt::EvictionPolicy::First ? "first" : "last";
  return LLVM::InlineAsmOp::create(b, loc, b.getI64Type(), ValueRange{}, text + ".b64 $0, 1.0;",
                                   "=l", /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, {}, {})
      .getResult(0);
}

void NvidiaTargetInfo::asyncCopy(OpBuilder &b, Location loc, const CopyToShared &copy) const {
  Value size = emitSourceSize(b, loc, copy);
  Value policy = spec.hasCachePolicy() ? emitPolicy(b, loc, copy.hints.evict) : Value();
  bool pastL1 = copy.bytes == 16 && copy.hints.cache != tt::CacheModifier::CA;
  if (!copy.predicate && !policy) {
    auto cache = pastL1 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(b, loc, copy.destination, copy.source, copy.bytes, cache, size);
    return;
  }
  // LLVM's intrinsic has neither a predicate nor a policy.
  std::string text, constraints = "r,l";
  SmallVector<Value> operands{copy.destination, copy.source};
  auto add = [&](StringRef constraint, Value operand) {
    constraints += ("," + constraint).str();
    operands.push_back(operand);
    return "$" + std::to_string(operands.size() - 1);
  };
  if (copy.predicate)
    text += "@" + add("b", copy.predicate) + " ";
  text += pastL1 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global";
  if (policy)
    text += ".L2::cache_hint";
  text += " [$0], [$1], " + std::to_string(copy.bytes);
  if (size)
    text += ", " + add("r", size);
  if (policy)
    text += ", " + add("l", policy);
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text + ";",
                            constraints + kClobbersMemory.str(),
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None, {}, {});
}

void NvidiaTargetInfo::asyncCommit(OpBuilder &b, Location loc) const {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

void NvidiaTargetInfo::asyncWait(OpBuilder &b, Location loc, unsigned groups) const {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, groups);
}
