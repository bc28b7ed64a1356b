//===- CollectiveEmitter.cpp - emit planned reductions and scans ----------===//
// See CollectiveEmitter.h.
//===----------------------------------------------------------------------===//
#include "CollectiveEmitter.h"
#include "LayoutIndices.h"
#include "SharedAccess.h"
#include "tessera/TTGIR/Transforms/CollectiveScratch.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;
using namespace tessera;
using Values = CollectiveEmitter::Value;

FailureOr<CollectiveEmitter>
CollectiveEmitter::create(Operation *op, ValueRange operands, const LinearLayout &layout,
                          unsigned scratchElements, const TTGIRTypeConverter &types,
                          const TargetInfo &target, ConversionPatternRewriter &b) {
  FailureOr<CombineFunction> function = CombineFunction::of(op, types, b);
  if (failed(function))
    return failure();
  CollectiveEmitter emitter(b, op->getLoc(), target, std::move(*function), threadCount(layout));
  if (scratchElements == 0)
    return emitter;
  std::optional<unsigned> place = getSharedOffset(op);
  if (!place)
    return op->emitOpError("has no shared memory: run ttg-allocate-shared-memory first");
  CollectiveScratch scratch = placeScratch(operands, scratchElements);
  for (auto [operand, offset] : llvm::zip_equal(operands, scratch.offsets)) {
    Type element = getElementTypeOrSelf(operand.getType());
    Memory memory{emitSharedBase(b, op->getLoc(), target, *place + offset),
                  types.convertType(element), types.memoryType(element), memoryBytes(element)};
    if (!memory.inMemory)
      return emitUnsupported(op) << "elements of " << element << " in shared memory";
    emitter.memories.push_back(memory);
  }
  return emitter;
}

Values CollectiveEmitter::combine(const Values &left, const Values &right) {
  SmallVector<mlir::Value> arguments(left.begin(), left.end());
  llvm::append_range(arguments, right);
  return function.apply(*b, loc, arguments);
}

std::optional<Values> CollectiveEmitter::combineAllLanes(const Values &value) {
  Operation *op = function.operation();
  mlir::Value all = op ? target->combineAllLanes(*b, loc, op, value[0]) : mlir::Value();
  return all ? std::optional<Values>(Values{all}) : std::nullopt;
}

std::optional<Values> CollectiveEmitter::combineInAnyOrder(const Values &value) {
  unsigned moves = target->lastLaneMoves();
  if (moves == 0)
    return std::nullopt;
  Values result = value;
  for (unsigned move = 0; move < moves; ++move) {
    Values moved;
    for (mlir::Value scalar : result)
      moved.push_back(target->moveToLastLane(*b, loc, scalar, move));
    result = combine(result, moved);
  }
  for (mlir::Value &scalar : result)
    scalar = target->readLastLane(*b, loc, scalar);
  return result;
}

Values CollectiveEmitter::shuffleXor(const Values &value, uint64_t mask) {
  Values result;
  for (mlir::Value scalar : value)
    result.push_back(target->shuffleXor(*b, loc, scalar, mask));
  return result;
}

Values CollectiveEmitter::shuffleFrom(const Values &value, const LaneSource &source) {
  mlir::Value lane = emitLane(source);
  Values result;
  for (mlir::Value scalar : value)
    result.push_back(target->shuffleFrom(*b, loc, scalar, lane));
  return result;
}

Values CollectiveEmitter::select(const ThreadTest &test, const Values &yes, const Values &no) {
  mlir::Value condition = emitTest(test);
  Values result;
  for (auto [x, y] : llvm::zip_equal(yes, no))
    result.push_back(x == y ? x : LLVM::SelectOp::create(*b, loc, condition, x, y).getResult());
  return result;
}

void CollectiveEmitter::store(const LinearLayout &layout, unsigned reg, const ThreadTest &writers,
                              const Values &value, unsigned first) {
  mlir::Value predicate = writers.mask == 0 ? mlir::Value() : emitTest(writers);
  for (auto [memory, scalar] : llvm::zip_equal(memories, value)) {
    mlir::Value stored = scalar;
    if (memory.type != memory.inMemory) // i1
      stored = LLVM::ZExtOp::create(*b, loc, memory.inMemory, stored);
    target->storeShared(*b, loc, emitAddress(memory, layout, reg, first), stored, predicate);
  }
}

SmallVector<Values> CollectiveEmitter::load(const LinearLayout &layout, unsigned reg,
                                            unsigned slots, unsigned first) {
  SmallVector<Values> result(slots);
  for (const Memory &memory : memories) {
    mlir::Value address = emitAddress(memory, layout, reg, first);
    for (auto [slot, scalar] : llvm::enumerate(loadVectors(memory, address, slots)))
      result[slot].push_back(scalar);
  }
  return result;
}

/// Loads `slots` consecutive elements; a row of them is aligned to its size.
SmallVector<mlir::Value> CollectiveEmitter::loadVectors(const Memory &memory, mlir::Value address,
                                                        unsigned slots) {
  bool isPointer = isa<LLVM::LLVMPointerType>(memory.inMemory);
  unsigned width = isPointer ? 1 : std::min(slots, target->maxVectorBits() / (8 * memory.bytes));
  Type type = width == 1 ? memory.inMemory : VectorType::get(width, memory.inMemory);
  SmallVector<mlir::Value> result;
  for (unsigned slot = 0; slot < slots; slot += width) {
    mlir::Value at = address;
    if (slot > 0)
      at = LLVM::GEPOp::create(*b, loc, address.getType(), memory.inMemory, address,
                               LLVM::GEPArg(static_cast<int32_t>(slot)));
    mlir::Value loaded = LLVM::LoadOp::create(*b, loc, type, at, width * memory.bytes);
    for (unsigned i = 0; i < width; ++i) {
      mlir::Value scalar = loaded;
      if (width > 1)
        scalar = LLVM::ExtractElementOp::create(*b, loc, loaded, constantI32(*b, loc, i));
      if (memory.type != memory.inMemory)
        scalar = LLVM::TruncOp::create(*b, loc, memory.type, scalar);
      result.push_back(scalar);
    }
  }
  return result;
}

mlir::Value CollectiveEmitter::emitAddress(const Memory &memory, const LinearLayout &layout,
                                           unsigned reg, unsigned first) {
  SmallVector<mlir::Value> &known = offsets[&layout];
  if (known.empty())
    known = emitIndices(*b, loc, *target, layout, Dim::offset());
  mlir::Value address = memory.start;
  if (first > 0)
    address = LLVM::GEPOp::create(*b, loc, address.getType(), memory.inMemory, address,
                                  LLVM::GEPArg(static_cast<int32_t>(first)));
  return LLVM::GEPOp::create(*b, loc, address.getType(), memory.inMemory, address,
                             LLVM::GEPArg(known[reg]));
}

/// Emits an i1 that is true if the thread's bits of the mask have the value.
mlir::Value CollectiveEmitter::emitTest(const ThreadTest &test) {
  mlir::Value &known = tests[{test.mask, test.value}];
  if (known)
    return known;
  mlir::Value bits = target->threadId(*b, loc, numThreads);
  if (test.mask != numThreads - 1)
    bits = LLVM::AndOp::create(*b, loc, bits, constantI32(*b, loc, test.mask));
  known = LLVM::ICmpOp::create(*b, loc, LLVM::ICmpPredicate::eq, bits,
                               constantI32(*b, loc, test.value));
  return known;
}

mlir::Value CollectiveEmitter::emitLane(const LaneSource &source) {
  // The shuffle ignores the bits above the lane's, so those of the warp may stay.
  mlir::Value thread = target->threadId(*b, loc, numThreads);
  auto constant = [&](uint64_t value) { return constantI32(*b, loc, value & 0xffffffff); };
  if (source.previousIn == 0) {
    mlir::Value kept = LLVM::AndOp::create(*b, loc, thread, constant(source.keep));
    return source.set == 0 ? kept : LLVM::OrOp::create(*b, loc, kept, constant(source.set));
  }
  mlir::Value in = constant(source.previousIn), out = constant(~source.previousIn), moved;
  if (source.reverse)
    moved = LLVM::AddOp::create(*b, loc, LLVM::OrOp::create(*b, loc, thread, out), constant(1));
  else
    moved = LLVM::SubOp::create(*b, loc, LLVM::AndOp::create(*b, loc, thread, in), constant(1));
  return LLVM::OrOp::create(*b, loc, LLVM::AndOp::create(*b, loc, moved, in),
                            LLVM::AndOp::create(*b, loc, thread, out));
}
