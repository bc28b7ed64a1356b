//===- Atomics.cpp - read, change and write at once -----------------------===//
// These are LLVM's instructions, which carry the program's order and scope. What the chip
// has no instruction for, LLVM makes a loop around compare-and-swap of. A mask is a branch. A
// single 16-bit float is added by the instruction for two, with -0.0 as the neighbour's addend.
//
//   atomicrmw fadd ptr addrspace(1) %p, float %v syncscope("agent") acq_rel
//
// Metadata that lets LLVM choose the fast instructions is added to the LLVM module
// (MarkAtomics.h): MLIR's atomics have no place for it.
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/TTGIRToLLIR/Branch.h"
#include "tessera/Target/AMD/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// AMDGPU usage guide, "Memory Scopes".
static StringRef scopeName(tt::MemSyncScope scope) {
  switch (scope) {
  case tt::MemSyncScope::CTA:
    return "workgroup";
  case tt::MemSyncScope::GPU:
    return "agent";
  case tt::MemSyncScope::System:
    break;
  }
  return "";
}

static LLVM::AtomicOrdering orderOf(tt::MemSemantic order) {
  switch (order) {
  case tt::MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tt::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tt::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tt::MemSemantic::AcquireRelease:
    break;
  }
  return LLVM::AtomicOrdering::acq_rel;
}

static LLVM::AtomicBinOp instructionOf(tt::RMWOp kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  using Op = LLVM::AtomicBinOp;
  switch (kind) {
  case tt::RMWOp::And:
    return Op::_and;
  case tt::RMWOp::Or:
    return Op::_or;
  case tt::RMWOp::Xor:
    return Op::_xor;
  case tt::RMWOp::Add:
    return Op::add;
  case tt::RMWOp::FAdd:
    return Op::fadd;
  case tt::RMWOp::Max:
    return isFloat ? Op::fmax : Op::max;
  case tt::RMWOp::Min:
    return isFloat ? Op::fmin : Op::min;
  case tt::RMWOp::UMax:
    return Op::umax;
  case tt::RMWOp::UMin:
    return Op::umin;
  case tt::RMWOp::Exchange:
    break;
  }
  return Op::xchg;
}

/// Returns whether the chip adds two neighbours of this type in one instruction.
static bool hasPackedAdd(const AmdSpec &spec, tt::RMWOp kind, Type type) {
  if (kind != tt::RMWOp::FAdd)
    return false;
  return (type.isF16() && spec.hasPackedF16Atomics()) ||
         (type.isBF16() && spec.hasPackedBF16Atomics());
}

unsigned AmdTargetInfo::atomicWidth(tt::RMWOp kind, Type type) const {
  if (hasPackedAdd(spec, kind, type))
    return 2;
  if (isa<LLVM::LLVMPointerType>(type))
    return kind == tt::RMWOp::Exchange;
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 16;
}

bool AmdTargetInfo::hasAtomicSwap(Type type) const {
  if (isa<LLVM::LLVMPointerType>(type))
    return true;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 16 || bits == 32 || bits == 64;
}

/// Emits `atomic` where the predicate is true, and zero elsewhere.
static Value emitWhere(RewriterBase &b, Location loc, Value predicate, Type type,
                       function_ref<Value()> atomic) {
  if (!predicate)
    return atomic();
  Value zero = LLVM::ZeroOp::create(b, loc, type);
  Block *after = enterIf(b, loc, predicate, zero);
  leaveIf(b, loc, after, atomic());
  return after->getArgument(0);
}

static Value packVector(OpBuilder &b, Location loc, ValueRange values) {
  auto type = VectorType::get(values.size(), values[0].getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(b, loc, vector, value, constantI32(b, loc, i));
  return vector;
}

/// Adds one 16-bit float by an instruction for the two in its word. Adding -0.0 keeps the other,
/// whatever it is. A compare-and-swap of 16 bits would touch the same word.
static Value emitPackedAdd(RewriterBase &b, Location loc, const AtomicAccess &access, Value value) {
  Type element = access.elementType, i32 = b.getI32Type();
  Value address = LLVM::PtrToIntOp::create(b, loc, i32, access.pointer);
  Value offset = LLVM::AndOp::create(b, loc, address, constantI32(b, loc, 2));
  Value isHigh =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, offset, constantI32(b, loc, 0));
  Value back = LLVM::SubOp::create(b, loc, constantI32(b, loc, 0), offset);
  Value word = LLVM::GEPOp::create(b, loc, access.pointer.getType(), b.getI8Type(), access.pointer,
                                   ArrayRef<LLVM::GEPArg>{back});
  Value none = LLVM::ConstantOp::create(b, loc, element, b.getFloatAttr(element, -0.0));
  Value low = LLVM::SelectOp::create(b, loc, isHigh, none, value);
  Value high = LLVM::SelectOp::create(b, loc, isHigh, value, none);
  Value operand = packVector(b, loc, {low, high});
  Value old = emitWhere(b, loc, access.predicate, operand.getType(), [&]() -> Value {
    // The word is a multiple of 4, and LLVM would otherwise assume so little as of one float.
    return LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::fadd, word, operand,
                                     orderOf(access.order), scopeName(access.scope),
                                     /*alignment=*/4);
  });
  Value first = LLVM::ExtractElementOp::create(b, loc, old, constantI32(b, loc, 0));
  Value second = LLVM::ExtractElementOp::create(b, loc, old, constantI32(b, loc, 1));
  return LLVM::SelectOp::create(b, loc, isHigh, second, first);
}

SmallVector<Value> AmdTargetInfo::atomicUpdate(RewriterBase &b, Location loc, tt::RMWOp kind,
                                               const AtomicAccess &access,
                                               ValueRange values) const {
  if (values.size() == 1 && hasPackedAdd(spec, kind, access.elementType))
    return {emitPackedAdd(b, loc, access, values[0])};
  Value operand = values.size() == 1 ? values[0] : packVector(b, loc, values);
  Type type = operand.getType();
  Value old = emitWhere(b, loc, access.predicate, type, [&]() -> Value {
    return LLVM::AtomicRMWOp::create(b, loc, instructionOf(kind, access.elementType),
                                     access.pointer, operand, orderOf(access.order),
                                     scopeName(access.scope));
  });
  if (values.size() == 1)
    return {old};
  SmallVector<Value> results;
  for (size_t i = 0; i < values.size(); ++i)
    results.push_back(LLVM::ExtractElementOp::create(b, loc, old, constantI32(b, loc, i)));
  return results;
}

Value AmdTargetInfo::atomicSwap(RewriterBase &b, Location loc, const AtomicAccess &access,
                                Value expected, Value desired) const {
  // LLVM compares integers and pointers.
  Type type = expected.getType();
  bool isFloat = isa<FloatType>(type);
  Type word = isFloat ? Type(b.getIntegerType(type.getIntOrFloatBitWidth())) : type;
  if (isFloat) {
    expected = LLVM::BitcastOp::create(b, loc, word, expected);
    desired = LLVM::BitcastOp::create(b, loc, word, desired);
  }
  // A failed comparison is a load, which cannot release.
  LLVM::AtomicOrdering order = orderOf(access.order), failed = order;
  if (order == LLVM::AtomicOrdering::acq_rel)
    failed = LLVM::AtomicOrdering::acquire;
  else if (order == LLVM::AtomicOrdering::release)
    failed = LLVM::AtomicOrdering::monotonic;
  Value old = emitWhere(b, loc, access.predicate, word, [&]() -> Value {
    Value pair = LLVM::AtomicCmpXchgOp::create(b, loc, access.pointer, expected, desired, order,
                                               failed, scopeName(access.scope));
    return LLVM::ExtractValueOp::create(b, loc, pair, 0);
  });
  return isFloat ? LLVM::BitcastOp::create(b, loc, type, old).getResult() : old;
}

Value AmdTargetInfo::atomicRead(RewriterBase &b, Location loc, const AtomicAccess &access) const {
  Type type = access.elementType;
  unsigned bytes = isa<LLVM::LLVMPointerType>(type) ? 8 : type.getIntOrFloatBitWidth() / 8;
  return emitWhere(b, loc, access.predicate, type, [&]() -> Value {
    return LLVM::LoadOp::create(b, loc, type, access.pointer, bytes, /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/false,
                                /*isInvariantGroup=*/false, orderOf(access.order),
                                scopeName(access.scope));
  });
}

void AmdTargetInfo::fence(OpBuilder &b, Location loc, tt::MemSyncScope scope) const {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, scopeName(scope));
}
