//===- BlockPointers.cpp - tl.make_block_ptr and tl.advance ---------------===//
// A block pointer is a window onto a tensor in memory: where the tensor is, how
// large, and which block of it is meant.
//
//   b = tl.make_block_ptr(p, (M, N), (N, 1), (0, 0), (16, 32), (1, 0))
//   b = tl.advance(b, (0, 32))          # the next block of the row
//
// Sizes and strides are 64-bit, offsets 32-bit (docs/language.md#memory).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "MemoryArguments.h"

using namespace tessera;

/// `order`: a permutation of the axes, the fastest first. Only a hint for layouts.
static FailureOr<llvm::SmallVector<int32_t>> axisOrder(Emitter &emit, const Value &value) {
  llvm::ArrayRef<Value> elements = listElements(value);
  int64_t rank = elements.size();
  llvm::SmallVector<int32_t> order;
  for (const Value &element : elements) {
    std::optional<PythonInt> axis = element.asInt();
    bool isAxis = axis && !axis->isNegative() && axis->fitsSigned(32) && axis->toInt64() < rank;
    if (!isAxis || llvm::is_contained(order, axis->toInt64()))
      return emit.error("'order' is a permutation of " + axesOf(rank) + "; it cannot have " +
                        element.describe() + (isAxis ? " twice" : ""));
    order.push_back(axis->toInt64());
  }
  return order;
}

static FailureOr<Tensor> basePointer(Emitter &emit, const Value &value) {
  const Tensor *base = value.get<Tensor>();
  bool isBase =
      base && base->type.pointerDepth == 1 && !base->type.isBlock() && !base->type.isBlockPointer();
  if (!isBase)
    return emit.error("make_block_ptr takes a scalar pointer to numbers as its base, not " +
                      value.describe());
  return *base;
}

static FailureOr<Value> makeBlockPointer(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> base = basePointer(emit, args[0]);
  if (failed(base))
    return llvm::failure();
  auto shape = indexList(emit, "shape", args[1], DType::Int64);
  if (failed(shape))
    return llvm::failure();
  auto strides = indexList(emit, "strides", args[2], DType::Int64);
  if (failed(strides))
    return llvm::failure();
  auto offsets = indexList(emit, "offsets", args[3], DType::Int32);
  if (failed(offsets))
    return llvm::failure();
  auto block = blockShape(emit, args[4]);
  if (failed(block))
    return llvm::failure();
  auto order = axisOrder(emit, args[5]);
  if (failed(order))
    return llvm::failure();
  size_t rank = block->size();
  if (rank == 0)
    return emit.error("a block pointer has at least one axis; 'block_shape' is empty");
  for (size_t length : {shape->size(), strides->size(), offsets->size(), order->size()})
    if (length != rank)
      return emit.error("make_block_ptr needs lists of one length: 'shape' has " +
                        llvm::Twine(shape->size()) + ", 'strides' " + llvm::Twine(strides->size()) +
                        ", 'offsets' " + llvm::Twine(offsets->size()) + ", 'block_shape' " +
                        llvm::Twine(rank) + ", 'order' " + llvm::Twine(order->size()));
  base = bytePointer(emit, *base);
  if (failed(base))
    return llvm::failure();
  KernelType type = base->type;
  type.pointeeShape = *block;
  auto pointer =
      tt::MakeTensorPtrOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                  base->handle, *shape, *strides, *offsets, *order);
  return Value(Tensor{pointer, type});
}

static FailureOr<Value> advance(Emitter &emit, BoundArguments args) {
  const Tensor *pointer = args[0].get<Tensor>();
  if (!pointer || !pointer->type.isBlockPointer())
    return emit.error("advance moves a block pointer, not " + args[0].describe() +
                      (pointer && pointer->type.isPointer() ? "; add to a pointer with +" : ""));
  auto offsets = indexList(emit, "offsets", args[1], DType::Int32);
  if (failed(offsets))
    return llvm::failure();
  size_t rank = pointer->type.pointeeShape.size();
  if (offsets->size() != rank)
    return emit.error("a block pointer to " + pointer->type.pointee().str() + " takes " +
                      llvm::Twine(rank) + (rank == 1 ? " offset" : " offsets") + ", not " +
                      llvm::Twine(offsets->size()));
  auto moved = tt::AdvanceOp::create(emit.builder, emit.location(), pointer->handle.getType(),
                                     pointer->handle, *offsets);
  return Value(Tensor{moved, pointer->type});
}

static constexpr Parameter kMakeBlockPointer[] = {{"base"},    {"shape"},       {"strides"},
                                                  {"offsets"}, {"block_shape"}, {"order"}};
static constexpr Parameter kAdvance[] = {{"base"}, {"offsets"}};

llvm::ArrayRef<Builtin> tessera::blockPointerBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.make_block_ptr", kMakeBlockPointer, makeBlockPointer},
      {.path = "triton.language.advance",
       .parameters = kAdvance,
       .handler = advance,
       .isMethod = true,
       .mustUseResult = true},
  };
  return rows;
}
