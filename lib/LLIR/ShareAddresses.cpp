//===- ShareAddresses.cpp - share the common part of a tile's addresses -===//
// The rows of a tile are at `base + stride * (row + constant) + column`. As the program states it,
// every element needs 64-bit multiplications and additions, for which GPUs have no instructions:
// four for a product, two for a sum. Only the constants differ, by sums of powers of two.
//
//   before: %r1 = or disjoint i64 %r, 1         after: %m = mul i64 %s, %r
//           %m0 = mul i64 %s, %r                       %a = gep half, %p, %m
//           %m1 = mul i64 %s, %r1                      %b0 = gep half, %a, %c
//           %a0 = gep half, %p, %m0                    %b1 = gep half, %b0, %s
//           %a1 = gep half, %p, %m1
//           %b0 = gep half, %a0, %c
//           %b1 = gep half, %a1, %c
//
// 1. Products of one value with several `row + constant` get a common core, `stride * row`.
// 2. Sums and addresses computed from them get a core too: the operand's core plus the rest. The
// term
//    `stride * constant` is moved outwards until another instruction uses the value.
// 3. There, an element is computed as the element whose constant lacks the lowest set bit, plus
//    stride << bit. If the stride is a constant, so is `stride * constant`: accesses have it as an
//    immediate operand, and one register holds the address of all rows.
// 4. Addresses whose rows differ by more than a constant share at least the term that is added
// last:
//    `(p + row) + column` becomes `(p + column) + row`.
//
// LLVM's straight-line strength reduction does the same for such code, but compares every address
// with every earlier one. Cost: linear in the instructions.
//===----------------------------------------------------------------------===//
#include "ShareAddresses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// A 64-bit value as a sum of other values, some of them zero-extended from 32 bits, and a
/// constant.
struct Sum {
  SmallVector<std::pair<Value *, /*isNarrow*/ bool>, 4> addends;
  uint64_t constant = 0;
};
/// A product; its step may be a constant.
struct Factors {
  Value *step, *other;
};
/// The products `step * (base + constant)` for several constants.
struct Products {
  Value *step;
  Sum base;
  SmallSet<uint64_t, 16> constants;
  Instruction *first = nullptr; // the first of them in the block
  Value *core = nullptr;        // step * base
};
/// One product of such a group.
struct Member {
  Products *products = nullptr;
  uint64_t constant = 0;
};
/// The value `core + step * constant`; for an address, in units of an element type.
struct Tail {
  Value *core;
  Products *products;
  uint64_t constant;
  Type *element; // null for an integer
};

/// The addresses of a function. Blocks are visited one after the other; products with a constant
/// step are known to the blocks after theirs too, where their tails are operands of accesses.
class Addresses {
public:
  explicit Addresses(const tessera::LLVMRemarks &remarks) : remarks(remarks) {}
  bool run(Function &function);

private:
  void findGroups(BasicBlock &block);
  void findTails(BasicBlock &block);
  const Tail *tailAt(Value *value, const Instruction &user) const;
  void collect(Instruction &product);
  std::optional<Tail> tailOf(Instruction &instruction);
  std::optional<Tail> tailOfSum(Instruction &sum);
  std::optional<Tail> tailOfAddress(GetElementPtrInst &address);
  Value *coreOf(Products &products);
  Value *shared(Instruction &at, unsigned opcode, Type *element, Value *core, Value *rest);
  Value *step(Products &products, uint64_t constant, IRBuilder<> &builder);
  Value *element(const Tail &tail, IRBuilder<> &builder);
  bool isTail(Value *value) const { return tails.contains(dyn_cast<Instruction>(value)); }

  const tessera::LLVMRemarks &remarks;
  // Groups are keyed by the block, the step and the terms besides the constant. The map is only
  // used for lookups, so its order does not matter.
  using Key = std::tuple<const BasicBlock *, Value *, std::vector<std::pair<Value *, bool>>>;
  static Key keyOf(const Instruction &product, Value *step, const Sum &sum) {
    std::vector<std::pair<Value *, bool>> addends(sum.addends.begin(), sum.addends.end());
    llvm::sort(addends);
    return {product.getParent(), step, std::move(addends)};
  }
  std::map<Key, Products> groups;
  DenseMap<Instruction *, Member> members;
  MapVector<Instruction *, Tail> tails;
  // Values of the current block that exist already.
  DenseMap<std::tuple<unsigned, Type *, Value *, Value *>, Value *> cores;
  DenseMap<std::tuple<Value *, uint64_t>, Value *> steps;
  DenseMap<std::tuple<Value *, Value *, uint64_t>, Value *>
      elements; // keyed by core, step, constant
};
} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Splits `value` into summands to find constants: sums and ors of disjoint bits, also of 32-bit
/// values that are zero-extended.
static void addParts(Value *value, bool isNarrow, Sum &sum, unsigned depth = 0) {
  Value *left, *right;
  ConstantInt *constant;
  bool isSum = isNarrow ? match(value, m_DisjointOr(m_Value(left), m_Value(right))) ||
                              match(value, m_NUWAdd(m_Value(left), m_Value(right)))
                        : match(value, m_AddLike(m_Value(left), m_Value(right)));
  if (match(value, m_ConstantInt(constant))) {
    sum.constant += constant->getZExtValue();
  } else if (isSum && depth < 4) {
    addParts(left, isNarrow, sum, depth + 1);
    addParts(right, isNarrow, sum, depth + 1);
  } else if (!isNarrow && match(value, m_ZExt(m_Value(left))) && left->getType()->isIntegerTy(32)) {
    addParts(left, true, sum, depth + 1);
  } else {
    sum.addends.push_back({value, isNarrow});
  }
}

static Sum splitSum(Value *value) {
  Sum sum;
  addParts(value, false, sum);
  return sum;
}

/// Returns the ways to read an instruction as a product of 64 bits. A constant is always the step;
/// a shift by a constant is a product too.
static SmallVector<Factors, 2> factorsOf(Instruction &instruction) {
  Value *left, *right;
  const APInt *constant;
  if (!instruction.getType()->isIntegerTy(64))
    return {};
  if (match(&instruction, m_Shl(m_Value(left), m_APInt(constant))) && constant->ult(64))
    return {
        {ConstantInt::get(instruction.getType(), uint64_t(1) << constant->getZExtValue()), left}};
  if (!match(&instruction, m_Mul(m_Value(left), m_Value(right))))
    return {};
  if (isa<Constant>(right))
    return {{right, left}};
  return {{left, right}, {right, left}};
}

void Addresses::collect(Instruction &product) {
  for (auto [step, other] : factorsOf(product)) {
    Sum sum = splitSum(other);
    if (sum.constant == 0 || sum.addends.empty())
      continue;
    auto [found, isNew] = groups.try_emplace(keyOf(product, step, sum));
    if (isNew) {
      found->second.step = step;
      found->second.base = sum;
    }
    found->second.constants.insert(sum.constant);
    return;
  }
}

Value *Addresses::coreOf(Products &products) {
  if (products.core)
    return products.core;
  IRBuilder<> builder(products.first);
  Value *base = nullptr;
  for (auto [value, isNarrow] : products.base.addends) {
    Value *addend = isNarrow ? builder.CreateZExt(value, builder.getInt64Ty()) : value;
    base = base ? builder.CreateAdd(base, addend) : addend;
  }
  return products.core = builder.CreateMul(products.step, base);
}

//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

/// Returns `core` plus `rest`, added in the same way as at `at`; creates it before `at` if it does
/// not exist.
Value *Addresses::shared(Instruction &at, unsigned opcode, Type *element, Value *core,
                         Value *rest) {
  Value *&found = cores[{opcode, element, core, rest}];
  if (found)
    return found;
  IRBuilder<> builder(&at);
  found = opcode == Instruction::Add ? builder.CreateAdd(core, rest)
                                     : builder.CreateGEP(element, core, rest);
  return found;
}

/// Returns the tail of an operand of `user`; null if it has none. Where the step is no constant, it
/// is added in the block of the product, which may be outside of the user's loop.
const Tail *Addresses::tailAt(Value *value, const Instruction &user) const {
  auto *instruction = dyn_cast<Instruction>(value);
  const auto *found = instruction ? tails.find(instruction) : tails.end();
  if (found == tails.end())
    return nullptr;
  const Tail &tail = found->second;
  bool isKnown =
      instruction->getParent() == user.getParent() || isa<ConstantInt>(tail.products->step);
  return isKnown ? &tail : nullptr;
}

std::optional<Tail> Addresses::tailOfSum(Instruction &sum) {
  for (unsigned side : {0u, 1u}) {
    const Tail *tail = tailAt(sum.getOperand(side), sum);
    Value *rest = sum.getOperand(1 - side);
    if (!tail || tailAt(rest, sum))
      continue;
    return Tail{shared(sum, Instruction::Add, nullptr, tail->core, rest), tail->products,
                tail->constant, nullptr};
  }
  return std::nullopt;
}

std::optional<Tail> Addresses::tailOfAddress(GetElementPtrInst &address) {
  if (address.getNumIndices() != 1 || !address.getType()->isPointerTy())
    return std::nullopt;
  Value *pointer = address.getPointerOperand(), *index = *address.idx_begin();
  Type *type = address.getSourceElementType();
  const Tail *ofPointer = tailAt(pointer, address), *ofIndex = tailAt(index, address);
  if ((ofPointer == nullptr) == (ofIndex == nullptr))
    return std::nullopt;
  if (ofIndex)
    return Tail{shared(address, Instruction::GetElementPtr, type, pointer, ofIndex->core),
                ofIndex->products, ofIndex->constant, type};
  return Tail{shared(address, Instruction::GetElementPtr, type, ofPointer->core, index),
              ofPointer->products, ofPointer->constant, ofPointer->element};
}

std::optional<Tail> Addresses::tailOf(Instruction &instruction) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return tailOfAddress(*address);
  if (instruction.getType()->isIntegerTy(64) &&
      match(&instruction, m_AddLike(m_Value(), m_Value())))
    return tailOfSum(instruction);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Returns step * constant.
Value *Addresses::step(Products &products, uint64_t constant, IRBuilder<> &builder) {
  if (constant == 1)
    return products.step;
  if (auto *known = dyn_cast<ConstantInt>(products.step))
    return builder.getInt64(known->getZExtValue() * constant);
  Value *&found = steps[{products.step, constant}];
  if (!found)
    found = isPowerOf2_64(constant) ? builder.CreateShl(products.step, Log2_64(constant))
                                    : builder.CreateMul(products.step, builder.getInt64(constant));
  return found;
}

Value *Addresses::element(const Tail &tail, IRBuilder<> &builder) {
  if (tail.constant == 0)
    return tail.core;
  auto key = std::make_tuple(tail.core, tail.products->step, tail.constant);
  if (Value *known = elements.lookup(key))
    return known;
  // The element whose constant lacks the lowest set bit usually exists in the tile too.
  uint64_t smaller = tail.constant & (tail.constant - 1);
  bool isOffset = isa<ConstantInt>(tail.products->step); // an immediate operand of the access
  if (isOffset || !tail.products->constants.contains(smaller))
    smaller = 0;
  Tail before = tail;
  before.constant = smaller;
  Value *from = element(before, builder);
  Value *by = step(*tail.products, tail.constant - smaller, builder);
  Value *made =
      tail.element ? builder.CreateGEP(tail.element, from, by) : builder.CreateAdd(from, by);
  elements[key] = made;
  return made;
}

/// Finds products with a constant first, then products without one that belong to the same group.
void Addresses::findGroups(BasicBlock &block) {
  for (Instruction &instruction : block)
    collect(instruction);
  if (groups.empty())
    return;
  for (Instruction &instruction : block) {
    for (auto [step, other] : factorsOf(instruction)) {
      Sum sum = splitSum(other);
      auto group = groups.find(keyOf(instruction, step, sum));
      if (group == groups.end())
        continue;
      Products &products = group->second;
      products.constants.insert(sum.constant);
      products.first = products.first ? products.first : &instruction;
      members[&instruction] = {&products, sum.constant};
      break;
    }
  }
}

void Addresses::findTails(BasicBlock &block) {
  cores.clear();
  for (Instruction &instruction : make_early_inc_range(block)) {
    Member member = members.lookup(&instruction);
    bool isShared =
        member.products && member.products->constants.size() > 1 &&
        !isTail(member.products->step); // the step is no tail itself, which would be erased
    if (isShared)
      tails.insert(
          {&instruction, {coreOf(*member.products), member.products, member.constant, nullptr}});
    else if (std::optional<Tail> tail = tailOf(instruction))
      tails.insert({&instruction, *tail});
  }
}

bool Addresses::run(Function &function) {
  // In this order, definitions come before their uses.
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    findGroups(*block);
    findTails(*block);
  }
  if (!tails.empty())
    remarks.decided(*tails.front().first, "llir-share-addresses", "products")
        .says("{0} sums and addresses share products", tails.size())
        .because("they are multiples of the same strides, and differ by constants")
        .number("values", tails.size());
  const BasicBlock *block = nullptr;
  for (auto &[instruction, tail] : tails) {
    if (block != instruction->getParent()) {
      steps.clear();
      elements.clear();
    }
    block = instruction->getParent();
    if (all_of(instruction->users(), [&](User *user) { return isTail(user); }))
      continue;
    IRBuilder<> builder(instruction);
    Value *value = element(tail, builder);
    instruction->replaceUsesWithIf(value, [&](Use &use) { return !isTail(use.getUser()); });
  }
  for (auto &[instruction, tail] : reverse(tails))
    instruction->eraseFromParent();
  return !tails.empty();
}

//===----------------------------------------------------------------------===//
// What is added last
//===----------------------------------------------------------------------===//

namespace {
/// The pointer, the last index and the types of `gep(gep(pointer, row), column)`.
using LastAdded = std::tuple<Value *, Value *, Type *, Type *>;
} // namespace

/// Returns the address that `outer` adds its last index to, if nothing else uses it.
static GetElementPtrInst *innerOf(GetElementPtrInst &outer) {
  auto *inner = dyn_cast<GetElementPtrInst>(outer.getPointerOperand());
  bool isInner = inner && inner->getParent() == outer.getParent() && inner->hasOneUse() &&
                 inner->getNumIndices() == 1;
  return isInner ? inner : nullptr;
}

/// Rewrites the addresses of a group, except those that an earlier group has changed in another
/// way: the address of one may be the pointer of the other. Appends what is dead then.
static void addColumnFirst(const LastAdded &last, ArrayRef<GetElementPtrInst *> addresses,
                           SmallSetVector<Instruction *, 32> &dead) {
  auto [first, column, rowType, columnType] = last;
  Value *pointer = nullptr;
  SmallVector<GetElementPtrInst *, 8> alike;
  for (GetElementPtrInst *outer : addresses) {
    GetElementPtrInst *inner = dead.contains(outer) ? nullptr : innerOf(*outer);
    if (!inner || dead.contains(inner) || inner->getSourceElementType() != rowType)
      continue;
    pointer = pointer ? pointer : inner->getPointerOperand();
    if (inner->getPointerOperand() == pointer)
      alike.push_back(outer);
  }
  if (alike.size() < 2)
    return;
  Value *common = IRBuilder<>(alike.front()).CreateGEP(columnType, pointer, column);
  for (GetElementPtrInst *outer : alike) {
    GetElementPtrInst *inner = innerOf(*outer);
    Value *row = *inner->idx_begin();
    outer->replaceAllUsesWith(IRBuilder<>(outer).CreateGEP(rowType, common, row));
    dead.insert(outer);
    dead.insert(inner);
  }
}

static bool addCommonPartFirst(BasicBlock &block) {
  MapVector<LastAdded, SmallVector<GetElementPtrInst *, 8>> groups;
  for (Instruction &instruction : block) {
    auto *outer = dyn_cast<GetElementPtrInst>(&instruction);
    if (!outer || outer->getNumIndices() != 1 || outer->hasAllConstantIndices())
      continue;
    if (GetElementPtrInst *inner = innerOf(*outer))
      groups[{inner->getPointerOperand(), *outer->idx_begin(), inner->getSourceElementType(),
              outer->getSourceElementType()}]
          .push_back(outer);
  }
  // Instructions are erased at the end, because the keys name values that a group may replace.
  SmallSetVector<Instruction *, 32> dead;
  for (auto &[last, addresses] : groups)
    if (addresses.size() >= 2)
      addColumnFirst(last, addresses, dead);
  for (Instruction *instruction : dead)
    instruction->eraseFromParent();
  return !dead.empty();
}

/// Returns whether the target has 32-bit registers, so that a 64-bit sum takes more than one
/// instruction.
static bool hasNarrowRegisters(const TargetTransformInfo &target, LLVMContext &context) {
  return target.getArithmeticInstrCost(Instruction::Add, Type::getInt64Ty(context)) >
         target.getArithmeticInstrCost(Instruction::Add, Type::getInt32Ty(context));
}

PreservedAnalyses tessera::ShareAddressesPass::run(Function &function,
                                                   FunctionAnalysisManager &analyses) {
  if (!hasNarrowRegisters(analyses.getResult<TargetIRAnalysis>(function), function.getContext()))
    return PreservedAnalyses::all();
  bool changed = Addresses(remarks).run(function);
  for (BasicBlock &block : function)
    changed |= addCommonPartFirst(block);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
