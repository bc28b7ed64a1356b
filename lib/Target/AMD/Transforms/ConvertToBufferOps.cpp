//===- ConvertToBufferOps.cpp - accesses by buffer descriptors -----------===//
// A buffer instruction takes a descriptor of a pointer in scalar registers and a 32-bit offset of
// each thread, and checks the offset: registers and additions of 64 bits, and branches or
// selections for masks, are not needed.
//
//   before: %p = tt.addptr (tt.splat %x), %o ; tt.load %p, %m
//   after:  amdg.buffer_load %x[%o], %m
//
// An access is converted if all its pointers come from one kernel argument with
// `tt.pointer_range = 32`. The offset from that argument is computed modulo 2^32 elements. That is
// exact: an address in the argument's tensor is less than 2^31 bytes after the argument, so it is
// the only one that is congruent to the offset, whatever the intermediate sums were. Offsets of
// 64 bits are truncated for the same reason. A base other than the argument would need a proof that
// no thread is before it.
//
// A loop that carries pointers carries their offsets in addition; the pointers become dead.
//
// Requires: final layouts. Ensures: values unchanged, as long as accesses stay in their tensors.
// Cost: linear in the ops that compute the addresses.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/DeadCarriedValues.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/Target/AMD/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::amd {
#define GEN_PASS_DEF_AMDCONVERTTOBUFFEROPS
#include "tessera/Target/AMD/Passes.h.inc"
} // namespace tessera::amd

using namespace mlir;
using namespace tessera;

static constexpr llvm::StringLiteral kPass = "amd-convert-to-buffer-ops", kDecision = "buffer";

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

namespace {
/// The argument that an access's pointers come from, and the carried pointers on the way.
struct Origin {
  BlockArgument argument;
  llvm::SetVector<BlockArgument> carried = {}; // of scf.for
  std::string problem = {};                    // if there is no such argument
};

struct Plan {
  Operation *access;
  BlockArgument base;
};
} // namespace

/// Returns the operands of `op` whose offsets its result's offset is computed from; nothing if the
/// op is not known.
static std::optional<SmallVector<Value>> pointersOf(Operation *op) {
  if (isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp,
          ttg::ConvertLayoutOp>(op))
    return SmallVector<Value>{op->getOperand(0)};
  if (isa<arith::SelectOp>(op))
    return SmallVector<Value>{op->getOperand(1), op->getOperand(2)};
  // Offsets count elements.
  auto cast = dyn_cast<tt::BitcastOp>(op);
  if (cast && tt::getPointeeBits(cast.getSrc().getType()) == tt::getPointeeBits(cast.getType()))
    return SmallVector<Value>{cast.getSrc()};
  return std::nullopt;
}

/// The initial and the next value of a carried pointer.
static SmallVector<Value> carriedFrom(scf::ForOp loop, unsigned index) {
  return {loop.getInitArgs()[index], loop.getBody()->getTerminator()->getOperand(index)};
}

static Origin findOrigin(Value pointer) {
  Origin origin;
  auto fail = [&](const Twine &why) {
    origin.argument = {};
    origin.problem = why.str();
    return origin;
  };
  llvm::SetVector<Value> work;
  work.insert(pointer);
  for (size_t i = 0; i < work.size(); ++i) {
    Value value = work[i];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (loop && argument.getArgNumber() > 0) {
        origin.carried.insert(argument);
        work.insert_range(carriedFrom(loop, argument.getArgNumber() - 1));
      } else if (!isa<tt::FuncOp>(parent) || !argument.getOwner()->isEntryBlock()) {
        return fail("its pointers come through control flow that is no counted loop");
      } else if (origin.argument && origin.argument != argument) {
        return fail("its pointers come from several arguments");
      } else {
        origin.argument = argument;
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      work.insert(loop.getRegionIterArgs()[index]);
      continue;
    }
    std::optional<SmallVector<Value>> sources = pointersOf(op);
    if (!sources)
      return fail("its pointers come from '" + op->getName().getStringRef() + "'");
    work.insert_range(*sources);
  }
  auto func = cast<tt::FuncOp>(origin.argument.getOwner()->getParentOp());
  auto range =
      func.getArgAttrOfType<IntegerAttr>(origin.argument.getArgNumber(), tt::kPointerRangeAttr);
  if (!range || range.getInt() != 32)
    return fail("the tensor of argument " + Twine(origin.argument.getArgNumber()) +
                " may have 2 GiB or more");
  return origin;
}

/// Returns why an access stays as it is even if its pointers come from a small tensor; empty if it
/// does not.
static StringRef findObstacle(Value pointer, bool isVolatile) {
  if (!isa<RankedTensorType>(pointer.getType()))
    return "it is of one element";
  if (!tt::getPointeeLike(cast<RankedTensorType>(pointer.getType()).getElementType())
           .isIntOrFloat())
    return "its elements are pointers";
  return isVolatile ? "it is volatile" : "";
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

namespace {
/// Creates the offsets of pointers, each once, where the pointer is computed.
class Offsets {
public:
  explicit Offsets(MLIRContext *context) : b(context) {}

  /// Returns the offset of a pointer from its argument, in i32 elements.
  Value of(Value pointer);
  /// Adds the offsets of carried pointers to what `loop` carries; complete() sets what it yields.
  void addTo(scf::ForOp loop, ArrayRef<unsigned> indices);
  void complete();

private:
  Value emit(Operation *op);
  Value zero(Value pointer);
  Type typeOf(Value pointer) const;
  Value narrow(Value offset);

  IRRewriter b;
  DenseMap<Value, Value> known;
  struct Carried {
    scf::ForOp loop;
    unsigned pointer, offset; // indices of carried values
  };
  SmallVector<Carried> incomplete;
};
} // namespace

Type Offsets::typeOf(Value pointer) const {
  Type i32 = IntegerType::get(pointer.getContext(), 32);
  auto tensor = dyn_cast<RankedTensorType>(pointer.getType());
  return tensor ? Type(tensor.clone(i32)) : i32;
}

Value Offsets::zero(Value pointer) {
  return arith::ConstantOp::create(b, pointer.getLoc(), b.getZeroAttr(typeOf(pointer)));
}

/// Converts an offset of any width to i32.
Value Offsets::narrow(Value offset) {
  Type type = typeOf(offset);
  unsigned bits = getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth();
  if (bits == 32)
    return offset;
  if (bits > 32)
    return arith::TruncIOp::create(b, offset.getLoc(), type, offset);
  return arith::ExtSIOp::create(b, offset.getLoc(), type, offset);
}

Value Offsets::of(Value pointer) {
  if (Value found = known.lookup(pointer))
    return found;
  OpBuilder::InsertionGuard guard(b);
  Value offset;
  if (Operation *op = pointer.getDefiningOp()) {
    b.setInsertionPointAfter(op);
    offset = emit(op);
  } else {
    b.setInsertionPointToStart(cast<BlockArgument>(pointer).getOwner());
    offset = zero(pointer);
  }
  known[pointer] = offset;
  return offset;
}

Value Offsets::emit(Operation *op) {
  Location loc = op->getLoc();
  if (auto add = dyn_cast<tt::AddPtrOp>(op)) {
    Value start = of(add.getPtr());
    return arith::AddIOp::create(b, loc, start, narrow(add.getOffset()));
  }
  if (auto cast = dyn_cast<tt::BitcastOp>(op))
    return of(cast.getSrc());
  // Other ops rearrange or choose.
  IRMapping offsets;
  std::optional<SmallVector<Value>> pointers = pointersOf(op);
  for (Value pointer : *pointers)
    offsets.map(pointer, of(pointer));
  Operation *copy = b.clone(*op, offsets);
  copy->getResult(0).setType(typeOf(op->getResult(0)));
  // Hints are about pointers.
  copy->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  return copy->getResult(0);
}

void Offsets::addTo(scf::ForOp loop, ArrayRef<unsigned> indices) {
  SmallVector<Value> initial;
  for (unsigned index : indices)
    initial.push_back(of(loop.getInitArgs()[index]));
  unsigned before = loop.getNumRegionIterArgs();
  b.setInsertionPoint(loop);
  auto result = cast<scf::ForOp>(
      *loop.replaceWithAdditionalYields(b, initial, /*replaceInitOperandUsesInLoop=*/false,
                                        [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
                                          return SmallVector<Value>(added.begin(), added.end());
                                        }));
  for (auto [k, index] : llvm::enumerate(indices)) {
    unsigned offset = before + k;
    known[result.getRegionIterArgs()[index]] = result.getRegionIterArgs()[offset];
    known[result.getResult(index)] = result.getResult(offset);
    incomplete.push_back({result, index, offset});
  }
}

void Offsets::complete() {
  for (auto [loop, pointer, offset] : incomplete) {
    Operation *yield = loop.getBody()->getTerminator();
    Value next = of(yield->getOperand(pointer));
    yield->setOperand(offset, next);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Adds the access to the plans, or says why not.
static void plan(Operation *op, Value pointer, StringRef obstacle, SmallVectorImpl<Plan> &plans,
                 DenseMap<Operation *, llvm::SmallSetVector<unsigned, 4>> &loops) {
  Origin origin;
  if (obstacle.empty()) {
    origin = findOrigin(pointer);
    obstacle = origin.problem;
  }
  StringRef what = isa<tt::StoreOp>(op) ? "store" : "load";
  if (!obstacle.empty()) {
    declined(op, kPass, kDecision)
        .says("the {0} takes a 64-bit address for each access", what)
        .because("{0}", obstacle);
    return;
  }
  decided(op, kPass, kDecision)
      .says("the {0} takes a buffer descriptor and 32-bit offsets", what)
      .because("the launch promises that the tensor of argument {0} has less than 2 GiB",
               origin.argument.getArgNumber());
  plans.push_back({op, origin.argument});
  for (BlockArgument argument : origin.carried)
    loops[argument.getOwner()->getParentOp()].insert(argument.getArgNumber() - 1);
}

/// The ops have no eviction policy; the modifier `cs` says the same as evict_first.
static tt::CacheModifier cacheOf(tt::CacheModifier cache, tt::EvictionPolicy evict) {
  bool isDefault = cache == tt::CacheModifier::None || cache == tt::CacheModifier::CA;
  return isDefault && evict == tt::EvictionPolicy::First ? tt::CacheModifier::CS : cache;
}

static void convert(const Plan &plan, Offsets &offsets) {
  OpBuilder b(plan.access);
  Location loc = plan.access->getLoc();
  if (auto load = dyn_cast<tt::LoadOp>(plan.access)) {
    Value loaded = amdg::BufferLoadOp::create(
        b, loc, load.getType(), plan.base, offsets.of(load.getPtr()), Value(),
        cacheOf(load.getCache(), load.getEvict()), load.getMask(), load.getOther());
    load.replaceAllUsesWith(loaded);
  } else {
    auto store = cast<tt::StoreOp>(plan.access);
    amdg::BufferStoreOp::create(b, loc, store.getValue(), plan.base, offsets.of(store.getPtr()),
                                Value(), cacheOf(store.getCache(), store.getEvict()),
                                store.getMask());
  }
  plan.access->erase();
}

namespace {
struct ConvertToBufferOps : amd::impl::AmdConvertToBufferOpsBase<ConvertToBufferOps> {
  void runOnOperation() override {
    SmallVector<Plan> plans;
    DenseMap<Operation *, llvm::SmallSetVector<unsigned, 4>> carried;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<tt::LoadOp>(op))
        plan(op, load.getPtr(),
             findObstacle(load.getPtr(),
                          load.getIsVolatile() || load.getCache() == tt::CacheModifier::CV),
             plans, carried);
      else if (auto store = dyn_cast<tt::StoreOp>(op))
        plan(op, store.getPtr(), findObstacle(store.getPtr(), /*isVolatile=*/false), plans,
             carried);
    });
    // Outer loops first: the initial values of inner ones may be what they carry.
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (carried.contains(loop))
        loops.push_back(loop);
    });
    Offsets offsets(&getContext());
    for (scf::ForOp loop : loops)
      offsets.addTo(loop, carried[loop].getArrayRef());
    offsets.complete();
    for (const Plan &plan : plans)
      convert(plan, offsets);
    getOperation().walk<WalkOrder::PreOrder>(
        [](scf::ForOp loop) { freezeDeadCarriedValues(loop); });
  }
};
} // namespace
