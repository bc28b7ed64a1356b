//===- InsertAccessChecks.cpp - check memory accesses at run time --------===//
// Inserts a check before every memory access, and permits only accesses that it finds safe
// (docs/sanitizer.md):
//
//   before: %v = tt.load %p, %m
//   after:  %safe, %suspect = ttc.check_access "load" %sanitizer, %p, %m
//           %wrong = arith.cmpi sge, %suspect, 0
//           scf.if %wrong { the operands of each step of the address }
//           %v = tt.load %p, %safe
//
// An atomic_cas has no mask: an unsafe one is redirected to the sanitizer's own memory, where it
// behaves as if it had found the expected value.
//
// The kernel gets the sanitizer as an additional last argument.
//
// Requires: accesses through pointers only (make_ttir). Ensures: results of correct kernels are
// unchanged. Cost: linear in the ops.
//===----------------------------------------------------------------------===//
#include "AddressArithmetic.h"
#include "PointerOrigin.h"
#include "tessera/Support/AccessSite.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "tessera/Target/CPU/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::cpu {
#define GEN_PASS_DEF_CPUINSERTACCESSCHECKS
#include "tessera/Target/CPU/Passes.h.inc"
} // namespace tessera::cpu

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

namespace {
/// An access, and the facts about it that are known at compile time.
struct Access {
  Operation *op;
  Value pointer;
  Value mask; // may be null
  std::string name;
  uint32_t flags;
  std::optional<unsigned> argument = {};
  SmallVector<AddressStep> steps = {};

  bool has(AccessSite::Flag flag) const { return flags & flag; }
};

/// A set of arguments. A pointer of unknown origin may be any of them.
class ArgumentSet {
public:
  explicit ArgumentSet(unsigned count) : members(count) {}
  void insert(std::optional<unsigned> argument) {
    if (argument)
      members.set(*argument);
    else
      members.set();
  }
  bool mayContain(std::optional<unsigned> argument) const {
    return argument ? members.test(*argument) : members.any();
  }

private:
  llvm::SmallBitVector members;
};
} // namespace

static StringRef nameOf(tt::RMWOp operation) {
  switch (operation) {
  case tt::RMWOp::And:
    return "atomic and";
  case tt::RMWOp::Or:
    return "atomic or";
  case tt::RMWOp::Xor:
    return "atomic xor";
  case tt::RMWOp::Add:
  case tt::RMWOp::FAdd:
    return "atomic add";
  case tt::RMWOp::Max:
  case tt::RMWOp::UMax:
    return "atomic max";
  case tt::RMWOp::Min:
  case tt::RMWOp::UMin:
    return "atomic min";
  case tt::RMWOp::Exchange:
    return "atomic exchange";
  }
  return "atomic operation";
}

static std::optional<Access> describe(Operation *op) {
  constexpr uint32_t reads = AccessSite::Reads, writes = AccessSite::Writes;
  constexpr uint32_t atomic = AccessSite::Atomic;
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case(
          [&](tt::LoadOp load) { return Access{op, load.getPtr(), load.getMask(), "load", reads}; })
      .Case([&](tt::StoreOp store) {
        return Access{op, store.getPtr(), store.getMask(), "store", writes};
      })
      .Case([&](tt::AtomicRMWOp rmw) {
        bool exchanges = rmw.getAtomicRmwOp() == tt::RMWOp::Exchange;
        return Access{op, rmw.getPtr(), rmw.getMask(), nameOf(rmw.getAtomicRmwOp()).str(),
                      writes | atomic | (exchanges ? 0 : reads)};
      })
      .Case([&](tt::AtomicCASOp cas) {
        return Access{op, cas.getPtr(), {}, "atomic compare-and-swap", reads | writes | atomic};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns whether an atomic operation can run before `op`: it precedes it in the program, or a
/// loop contains both.
static bool mayFollowAtomic(Operation *op, ArrayRef<Access> before, ArrayRef<Access> all) {
  auto isAtomic = [](const Access &access) { return access.has(AccessSite::Atomic); };
  if (llvm::any_of(before, isAtomic))
    return true;
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(parent) ||
        (isa<tt::FuncOp>(parent) && !parent->getRegion(0).hasOneBlock()))
      outermost = parent;
  return outermost && llvm::any_of(all, [&](const Access &access) {
           return isAtomic(access) && outermost->isProperAncestor(access.op);
         });
}

static SmallVector<Access> planChecks(tt::FuncOp kernel) {
  SmallVector<Access> accesses;
  PointerOrigins origins;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<Access> access = describe(op);
    Type pointer = access ? getElementTypeOrSelf(access->pointer.getType()) : Type();
    auto type = dyn_cast_or_null<tt::PointerType>(pointer);
    if (!type || isa<RankedTensorType>(type.getPointeeType()))
      return;
    // A mask that is constant true was not written by the user.
    if (access->mask && matchPattern(access->mask, m_One()))
      access->mask = {};
    PointerOrigin origin = origins.find(access->pointer);
    access->argument = origin.argument;
    if (origin.isForeign)
      access->flags |= AccessSite::Foreign;
    access->steps = findAddressSteps(access->pointer);
    accesses.push_back(std::move(*access));
  });
  // Data races are possible only in buffers that programs write.
  ArgumentSet written(kernel.getNumArguments()), read(kernel.getNumArguments());
  for (const Access &access : accesses)
    if (!access.has(AccessSite::Atomic))
      (access.has(AccessSite::Writes) ? written : read).insert(access.argument);
  for (size_t i = 0; i < accesses.size(); ++i) {
    Access &access = accesses[i];
    if (written.mayContain(access.argument))
      access.flags |= AccessSite::MeetsWrites;
    if (read.mayContain(access.argument))
      access.flags |= AccessSite::MeetsReads;
    if (mayFollowAtomic(access.op, ArrayRef(accesses).take_front(i), accesses))
      access.flags |= AccessSite::Ordered;
  }
  return accesses;
}

//===----------------------------------------------------------------------===//
// Changing
//===----------------------------------------------------------------------===//

/// Redirects an unsafe compare-and-swap to the sanitizer's memory.
static void redirect(tt::AtomicCASOp cas, Value safe, Value sanitizer) {
  OpBuilder builder(cas);
  Location loc = cas.getLoc();
  Type type = cas.getPtr().getType(), element = getElementTypeOrSelf(type);
  Value sink = tt::BitcastOp::create(builder, loc, element, sanitizer);
  if (isa<RankedTensorType>(type))
    sink = tt::SplatOp::create(builder, loc, type, sink);
  Value pointer = arith::SelectOp::create(builder, loc, safe, cas.getPtr(), sink);
  cas.getPtrMutable().assign(pointer);
  builder.setInsertionPointAfter(cas);
  Value old = arith::SelectOp::create(builder, loc, safe, cas.getResult(), cas.getCmp());
  cas.getResult().replaceAllUsesExcept(old, old.getDefiningOp());
}

static void insertCheck(const Access &access, Value sanitizer) {
  OpBuilder builder(access.op);
  Location loc = access.op->getLoc();
  int32_t argument = access.argument ? static_cast<int32_t>(*access.argument) : -1;
  auto check = ttc::CheckAccessOp::create(builder, loc, tt::getMaskType(access.pointer.getType()),
                                          builder.getI64Type(), access.name, sanitizer,
                                          access.pointer, access.mask, argument, access.flags);
  if (!access.steps.empty()) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Value wrong =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, check.getSuspect(), zero);
    auto branch = scf::IfOp::create(builder, loc, wrong, /*withElseRegion=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    emitExplanations(inside, access.steps, access.pointer, check.getSuspect());
  }
  Value safe = check.getSafe();
  llvm::TypeSwitch<Operation *>(access.op)
      .Case<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp>(
          [&](auto op) { op.getMaskMutable().assign(safe); })
      .Case([&](tt::AtomicCASOp cas) { redirect(cas, safe, sanitizer); });
}

namespace {
struct InsertAccessChecks : tessera::cpu::impl::CPUInsertAccessChecksBase<InsertAccessChecks> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tt::FuncOp>()) {
      if (!kernel.isKernel() || kernel.isExternal())
        continue;
      SmallVector<Access> accesses = planChecks(kernel);
      auto type = tt::PointerType::get(IntegerType::get(&getContext(), 8));
      unsigned last = kernel.getNumArguments();
      if (failed(kernel.insertArgument(last, type, {}, kernel.getLoc())))
        return signalPassFailure();
      for (const Access &access : accesses)
        insertCheck(access, kernel.getArgument(last));
    }
  }
};
} // namespace
