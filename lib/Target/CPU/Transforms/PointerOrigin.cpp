//===- PointerOrigin.cpp - which argument a pointer comes from ------------===//
// See PointerOrigin.h. A worklist over values, so that loops and long chains need no recursion.
//===----------------------------------------------------------------------===//
#include "PointerOrigin.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

static bool isPointerLike(Value value) {
  return isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
}

/// Returns whether the op's result holds the pointers of its operands, and no others.
static bool passesPointersOn(Operation *op) {
  return isa<tt::AddPtrOp, tt::SplatOp, tt::UnsplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
             tt::ReshapeOp, tt::TransOp, tt::JoinOp, tt::SplitOp, tt::CatOp, tt::GatherOp,
             tt::BitcastOp, arith::SelectOp>(op);
}

/// Returns the values that a block argument may hold; nothing if they are not known.
static std::optional<SmallVector<Value>> incomingValues(BlockArgument argument) {
  SmallVector<Value> values;
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return std::nullopt;
    return SmallVector<Value>{loop.getInitArgs()[number - 1],
                              loop.getBody()->getTerminator()->getOperand(number - 1)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (block == loop.getBeforeBody())
      return SmallVector<Value>{loop.getInits()[number], loop.getYieldOp()->getOperand(number)};
    return SmallVector<Value>{loop.getConditionOp().getArgs()[number]};
  }
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    Value passed = branch ? branch.getSuccessorOperands(it.getSuccessorIndex())[number] : Value();
    if (!passed)
      return std::nullopt;
    values.push_back(passed);
  }
  return values.empty() ? std::nullopt : std::optional(std::move(values));
}

/// Returns the values that an op's result may hold; nothing if they are not known.
static std::optional<SmallVector<Value>> sourcesOf(OpResult result) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (passesPointersOn(op)) {
    SmallVector<Value> values;
    llvm::copy_if(op->getOperands(), std::back_inserter(values), isPointerLike);
    return values;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return SmallVector<Value>{loop.getInitArgs()[number],
                              loop.getBody()->getTerminator()->getOperand(number)};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return SmallVector<Value>{loop.getConditionOp().getArgs()[number]};
  if (auto conditional = dyn_cast<scf::IfOp>(op))
    return SmallVector<Value>{conditional.thenYield()->getOperand(number),
                              conditional.elseYield()->getOperand(number)};
  return std::nullopt;
}

static PointerOrigin findOrigin(Value pointer) {
  llvm::SetVector<Value> work;
  work.insert(pointer);
  llvm::SmallSetVector<unsigned, 4> arguments;
  for (size_t i = 0; i < work.size(); ++i) {
    Value value = work[i];
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp()) &&
        argument.getOwner()->isEntryBlock()) {
      arguments.insert(argument.getArgNumber());
      continue;
    }
    std::optional<SmallVector<Value>> sources =
        argument ? incomingValues(argument) : sourcesOf(cast<OpResult>(value));
    if (!sources)
      return {std::nullopt, /*isForeign=*/true};
    work.insert_range(*sources);
  }
  if (arguments.size() != 1)
    return {};
  return {arguments.front()};
}

PointerOrigin PointerOrigins::find(Value pointer) {
  auto [place, isNew] = known.try_emplace(pointer);
  if (isNew)
    place->second = findOrigin(pointer);
  return place->second;
}
