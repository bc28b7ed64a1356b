//===- Shapes.cpp - the same elements in another shape --------------------===//
// broadcast, reshape, permute, join and their kin (docs/language.md#shapes). Types
// are checked here, with messages that name shapes; the ops' own verifiers would
// speak of IR.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "../Operators/Semantics.h"
#include <numeric>

using namespace tessera;

/// Arguments given as one tuple or one by one: reshape(x, (4, 8)), reshape(x, 4, 8).
static Value unpackOne(const Value &variadic) {
  const std::vector<Value> &elements = *variadic.get<TupleObject>()->elements;
  bool isOneTuple = elements.size() == 1 && elements.front().is<TupleObject>();
  return isOneTuple ? elements.front() : variadic;
}

static FailureOr<Value> broadcastPair(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> first = toTensor(emit, args[0]);
  FailureOr<Tensor> second = failed(first) ? first : toTensor(emit, args[1]);
  if (failed(first) || failed(second))
    return llvm::failure();
  Tensor pair[] = {*first, *second};
  if (failed(broadcastTogether(emit, pair)))
    return llvm::failure();
  return makeTuple({Value(pair[0]), Value(pair[1])});
}

static FailureOr<Value> broadcastToShape(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  if (failed(value))
    return llvm::failure();
  auto shape = blockShape(emit, unpackOne(args[1]));
  if (failed(shape))
    return llvm::failure();
  if (value->type.isBlock() && value->type.shape.size() != shape->size())
    return emit.error("broadcast_to keeps the rank, and " + value->type.str() + " has rank " +
                      llvm::Twine(value->type.shape.size()) + ", the shape rank " +
                      llvm::Twine(shape->size()));
  return asValue(broadcastTo(emit, *value, *shape));
}

static FailureOr<Value> expandAxis(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  if (failed(value))
    return llvm::failure();
  const TupleObject *tuple = args[1].get<TupleObject>();
  std::vector<Value> axes = tuple ? *tuple->elements : std::vector<Value>{args[1]};
  int64_t rank = value->type.shape.size() + axes.size(); // axes count in the result
  llvm::SmallVector<int64_t> positions;
  for (const Value &each : axes) {
    std::optional<PythonInt> axis = each.asInt();
    if (!axis || !axis->fitsSigned(32) || axis->toInt64() < -rank || axis->toInt64() >= rank)
      return emit.error("expand_dims takes an axis from " + llvm::Twine(-rank) + " to " +
                        llvm::Twine(rank - 1) + ", not " + each.describe());
    positions.push_back(axis->toInt64() < 0 ? axis->toInt64() + rank : axis->toInt64());
  }
  llvm::sort(positions);
  if (std::adjacent_find(positions.begin(), positions.end()) != positions.end())
    return emit.error("expand_dims got the same axis twice");
  for (int64_t position : positions) {
    value = expandDims(emit, *value, position);
    if (failed(value))
      return llvm::failure();
  }
  return asValue(value);
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The element of a block that has one; a scalar stays.
static FailureOr<Value> unsplat(Emitter &emit, llvm::StringRef function, const Tensor &value) {
  if (!value.type.isBlock())
    return Value(value);
  if (value.type.numElements() != 1)
    return emit.error(function + " makes a scalar of a block with one element, not of " +
                      value.type.str());
  KernelType type = value.type.withShape({});
  return Value(Tensor{tt::UnsplatOp::create(emit.builder, emit.location(),
                                            toIR(type, emit.context()), value.handle),
                      type});
}

static FailureOr<Value> item(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = toTensor(emit, args[0]);
  return failed(value) ? FailureOr<Value>(llvm::failure()) : unsplat(emit, "item", *value);
}

static FailureOr<Value> reshapeTo(Emitter &emit, llvm::StringRef function, const Value &input,
                                  const Value &shapeValue, bool mayReorder) {
  FailureOr<Tensor> value = toTensor(emit, input);
  if (failed(value))
    return llvm::failure();
  auto shape = blockShape(emit, unpackOne(shapeValue));
  if (failed(shape))
    return llvm::failure();
  if (shape->empty())
    return unsplat(emit, function, *value);
  KernelType type = value->type.withShape(*shape);
  if (type.numElements() != value->type.numElements())
    return emit.error(function + " keeps the number of elements: " + value->type.str() + " has " +
                      llvm::Twine(value->type.numElements()) + ", " + type.str() + " has " +
                      llvm::Twine(type.numElements()));
  if (!value->type.isBlock()) // one element, whatever the rank
    return asValue(broadcastTo(emit, *value, *shape));
  return Value(Tensor{
      tt::ReshapeOp::create(emit.builder, emit.location(), *shape, value->handle, mayReorder),
      type});
}

static FailureOr<Value> reshape(Emitter &emit, BoundArguments args) {
  return reshapeTo(emit, "reshape", args[0], args[1], isTruthy(args[2]));
}

static FailureOr<Value> view(Emitter &emit, BoundArguments args) {
  return reshapeTo(emit, "view", args[0], args[1], /*mayReorder=*/true);
}

//===----------------------------------------------------------------------===//
// Permute
//===----------------------------------------------------------------------===//

/// A block; an error says what else it was.
static FailureOr<Tensor> blockArgument(Emitter &emit, llvm::StringRef function,
                                       const Value &value) {
  const Tensor *tensor = value.get<Tensor>();
  if (!tensor || !tensor->type.isBlock())
    return emit.error(function + " takes a block, not " + value.describe());
  return *tensor;
}

FailureOr<Value> tessera::permuteBlock(Emitter &emit, const Tensor &value,
                                       llvm::ArrayRef<int32_t> order) {
  KernelType type = value.type;
  for (auto [extent, axis] : llvm::zip_equal(type.shape, order))
    extent = value.type.shape[axis];
  return Value(Tensor{tt::TransOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                          value.handle, order),
                      type});
}

static FailureOr<Value> permuteBy(Emitter &emit, llvm::StringRef function, const Tensor &value,
                                  llvm::ArrayRef<Value> dims) {
  int64_t rank = value.type.shape.size();
  llvm::SmallVector<int32_t> order;
  for (const Value &dim : dims) {
    std::optional<PythonInt> axis = dim.asInt();
    bool isAxis = axis && axis->fitsSigned(32) && axis->toInt64() >= 0 && axis->toInt64() < rank;
    if (!isAxis || llvm::is_contained(order, axis->toInt64()))
      return emit.error(function + " takes each axis from 0 to " + llvm::Twine(rank - 1) +
                        " once; got " + dim.describe() + (isAxis ? " twice" : ""));
    order.push_back(static_cast<int32_t>(axis->toInt64()));
  }
  if (static_cast<int64_t>(order.size()) != rank)
    return emit.error(function + " takes each of the " + llvm::Twine(rank) + " axes of " +
                      value.type.str() + " once; got " + llvm::Twine(order.size()));
  return permuteBlock(emit, value, order);
}

static FailureOr<Value> permute(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = blockArgument(emit, "permute", args[0]);
  if (failed(value))
    return llvm::failure();
  return permuteBy(emit, "permute", *value, *unpackOne(args[1]).get<TupleObject>()->elements);
}

static FailureOr<Value> transpose(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = blockArgument(emit, "trans", args[0]);
  if (failed(value))
    return llvm::failure();
  Value dims = unpackOne(args[1]);
  if (!dims.get<TupleObject>()->elements->empty())
    return permuteBy(emit, "trans", *value, *dims.get<TupleObject>()->elements);
  size_t rank = value->type.shape.size();
  if (rank < 2)
    return emit.error("trans swaps the last two axes, and " + value->type.str() + " has one");
  llvm::SmallVector<int32_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 2], order[rank - 1]);
  return permuteBlock(emit, *value, order);
}

//===----------------------------------------------------------------------===//
// Two blocks, and halves of one
//===----------------------------------------------------------------------===//

/// Returns true if both have the same element type in the IR, which has no signs. The
/// result takes the sign of the first.
static bool haveSameElement(Emitter &emit, const Tensor &a, const Tensor &b) {
  return toIR(a.type.withShape({}), emit.context()) == toIR(b.type.withShape({}), emit.context());
}

static FailureOr<Value> cat(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> first = blockArgument(emit, "cat", args[0]);
  FailureOr<Tensor> second = failed(first) ? first : blockArgument(emit, "cat", args[1]);
  if (failed(first) || failed(second))
    return llvm::failure();
  if (!isTruthy(args[2]))
    return emit.error("cat gives its elements in any order: say can_reorder=True, or use tl.join "
                      "and tl.reshape");
  if (!haveSameElement(emit, *first, *second) || first->type.shape != second->type.shape ||
      first->type.shape.size() != 1)
    return emit.error("cat takes two blocks of one axis and equal types, not " + first->type.str() +
                      " and " + second->type.str());
  KernelType type = first->type;
  type.shape[0] *= 2;
  if (failed(checkBlockShape(emit, type.shape)))
    return llvm::failure();
  return Value(Tensor{tt::CatOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                        first->handle, second->handle),
                      type});
}

static FailureOr<Value> join(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> first = toTensor(emit, args[0]);
  FailureOr<Tensor> second = failed(first) ? first : toTensor(emit, args[1]);
  if (failed(first) || failed(second))
    return llvm::failure();
  if (!haveSameElement(emit, *first, *second))
    return emit.error("join takes two blocks of one element type, not " + first->type.str() +
                      " and " + second->type.str() + "; convert one with .to(...)");
  Tensor pair[] = {*first, *second};
  if (failed(broadcastTogether(emit, pair)))
    return llvm::failure();
  bool areScalars = !pair[0].type.isBlock();
  if (areScalars) // tt.join takes blocks only
    for (Tensor &operand : pair) {
      FailureOr<Tensor> block = expandDims(emit, operand, 0);
      if (failed(block))
        return llvm::failure();
      operand = *block;
    }
  KernelType type = pair[0].type;
  type.shape.push_back(2);
  if (failed(checkBlockShape(emit, type.shape)))
    return llvm::failure();
  Tensor joined{tt::JoinOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                   pair[0].handle, pair[1].handle),
                type};
  if (!areScalars)
    return Value(joined);
  int64_t two[] = {2};
  return Value(Tensor{tt::ReshapeOp::create(emit.builder, emit.location(), two, joined.handle),
                      type.withShape(two)});
}

static FailureOr<Value> split(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> value = blockArgument(emit, "split", args[0]);
  if (failed(value))
    return llvm::failure();
  if (value->type.shape.back() != 2)
    return emit.error("split takes a block whose last axis has size 2, not " + value->type.str());
  bool givesScalars = value->type.shape.size() == 1;
  if (givesScalars) // tt.split gives blocks only
    value = expandDims(emit, *value, 0);
  if (failed(value))
    return llvm::failure();
  KernelType type = value->type;
  type.shape.pop_back();
  mlir::Type irType = toIR(type, emit.context());
  auto halves = tt::SplitOp::create(emit.builder, emit.location(), irType, irType, value->handle);
  Tensor left{halves.getOutLHS(), type}, right{halves.getOutRHS(), type};
  if (!givesScalars)
    return makeTuple({Value(left), Value(right)});
  FailureOr<Value> first = unsplat(emit, "split", left), second = unsplat(emit, "split", right);
  if (failed(first) || failed(second))
    return llvm::failure();
  return makeTuple({*first, *second});
}

static constexpr Parameter kPair[] = {{"input"}, {"other"}};
static constexpr Parameter kShape[] = {{"input"}, {"shape", Default::Variadic}};
static constexpr Parameter kReshape[] = {
    {"input"}, {"shape", Default::Variadic}, {"can_reorder", Default::False}};
static constexpr Parameter kAxis[] = {{"input"}, {"axis"}};
static constexpr Parameter kDims[] = {{"input"}, {"dims", Default::Variadic}};
static constexpr Parameter kCat[] = {{"input"}, {"other"}, {"can_reorder", Default::False}};
static constexpr Parameter kJoin[] = {{"a"}, {"b"}};
static constexpr Parameter kSplit[] = {{"a"}};
static constexpr Parameter kInput[] = {{"input"}};

llvm::ArrayRef<Builtin> tessera::shapeBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.broadcast", kPair, broadcastPair},
      {"triton.language.broadcast_to", kShape, broadcastToShape, true},
      {"triton.language.expand_dims", kAxis, expandAxis, true},
      {"triton.language.reshape", kReshape, reshape, true},
      {"triton.language.view", kShape, view, true},
      {"triton.language.item", kInput, item, true},
      {"triton.language.permute", kDims, permute, true},
      {"triton.language.trans", kDims, transpose, true},
      {"triton.language.cat", kCat, cat},
      {"triton.language.join", kJoin, join},
      {"triton.language.split", kSplit, split, true},
  };
  return rows;
}
