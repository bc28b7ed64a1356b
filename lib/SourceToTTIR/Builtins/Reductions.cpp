//===- Reductions.cpp - reductions and scans with a function of the user --===//
// reduce, associative_scan and map_elementwise call a jit function on scalars, in
// the region of their op; histogram and gather need none
// (docs/language.md#reductions-scans-order). tl.sum, tl.max and the like are written
// in the language with these.
//
//   tl.reduce(x, 0, add)    "tt.reduce"(%x) <{axis = 0}> ({
//                           ^bb0(%a: f32, %b: f32):
//                             %c = tt.call @add(%a, %b)
//                             tt.reduce.return %c : f32 }) : (tensor<16xf32>) -> f32
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "MemoryArguments.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringExtras.h"
#include "../Operators/Semantics.h"

using namespace tessera;

/// One block, or several of one shape.
static FailureOr<llvm::SmallVector<Tensor>> blockInputs(Emitter &emit, llvm::StringRef function,
                                                        const Value &input) {
  llvm::SmallVector<Tensor> blocks;
  llvm::ArrayRef<Value> values = listElements(input);
  for (const Value &value : values) {
    const Tensor *tensor = value.get<Tensor>();
    if (!tensor || !tensor->type.isBlock())
      return emit.error(function + " takes a block or a tuple of blocks, not " + value.describe());
    if (!blocks.empty() && blocks[0].type.shape != tensor->type.shape)
      return emit.error(function + " takes blocks of one shape, not " + blocks[0].type.str() +
                        " and " + tensor->type.str());
    blocks.push_back(*tensor);
  }
  if (blocks.empty())
    return emit.error(function + " takes a block or a tuple of blocks, not an empty tuple");
  return blocks;
}

/// An axis of the block, counted from its end if negative.
static FailureOr<int32_t> axisArgument(Emitter &emit, llvm::StringRef function, const Value &value,
                                       const KernelType &block) {
  int64_t rank = block.shape.size();
  std::optional<PythonInt> axis = value.asInt();
  if (!axis || !axis->fitsSigned(32) || axis->toInt64() < -rank || axis->toInt64() >= rank)
    return emit.error(function + " takes an axis of " + block.str() + ", from " +
                      llvm::Twine(-rank) + " to " + llvm::Twine(rank - 1) + ", not " +
                      value.describe());
  return static_cast<int32_t>(axis->toInt64() < 0 ? axis->toInt64() + rank : axis->toInt64());
}

/// A function that kernels can call.
static LogicalResult checkCallable(Emitter &emit, llvm::StringRef function, const Value &callee) {
  bool isJit = callee.is<JitObject>() || callee.is<MethodObject>() || callee.is<BuiltinObject>();
  if (isJit && emit.functions)
    return llvm::success();
  return emit.error(function + " calls a function decorated with @triton.jit, not " +
                    callee.describe());
}

/// Calls `callee` on scalars of the given types, in a block that gets an argument
/// for each. Returns what it returned, as a list.
static FailureOr<llvm::SmallVector<Tensor>> callOnScalars(Emitter &emit, llvm::StringRef function,
                                                          const Value &callee, mlir::Block *block,
                                                          llvm::ArrayRef<KernelType> types,
                                                          bool *returnsTuple = nullptr) {
  llvm::SmallVector<CallArgument> arguments;
  for (const KernelType &type : types) {
    mlir::Value argument = block->addArgument(toIR(type, emit.context()), emit.location());
    arguments.push_back({"", Value(Tensor{argument, type}), emit.range});
  }
  emit.builder.setInsertionPointToStart(block);
  FailureOr<Value> result = emit.functions->call(callee, arguments);
  if (failed(result))
    return llvm::failure();
  llvm::ArrayRef<Value> values = listElements(*result);
  if (returnsTuple)
    *returnsTuple = result->is<TupleObject>();
  llvm::SmallVector<Tensor> scalars;
  for (const Value &value : values) {
    FailureOr<Tensor> scalar = llvm::failure();
    if (value.isTensor() || value.isNumber())
      scalar = toTensor(emit, value);
    else
      return emit.error(function + " calls a function that returns scalars; this one returns " +
                        value.describe());
    if (failed(scalar))
      return llvm::failure();
    scalars.push_back(*scalar);
  }
  return scalars;
}

static std::string typeList(llvm::ArrayRef<KernelType> types) {
  return llvm::join(llvm::map_range(types, [](const KernelType &type) { return type.str(); }),
                    ", ");
}

/// Fills the region of a reduction or a scan: two tuples of elements in, one out.
template <typename ReturnOp>
static LogicalResult fillCombiner(Emitter &emit, llvm::StringRef function, mlir::Region &region,
                                  const Value &callee, llvm::ArrayRef<Tensor> inputs) {
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  llvm::SmallVector<KernelType> elements;
  for (const Tensor &input : inputs)
    elements.push_back(input.type.withShape({}));
  llvm::SmallVector<KernelType> both(elements);
  both.append(elements);
  auto combined = callOnScalars(emit, function, callee, &region.emplaceBlock(), both);
  if (failed(combined))
    return llvm::failure();
  llvm::SmallVector<KernelType> returned;
  llvm::SmallVector<mlir::Value> handles;
  for (const Tensor &scalar : *combined) {
    returned.push_back(scalar.type);
    handles.push_back(scalar.handle);
  }
  // Signs may differ: the IR has none, and the inputs' types are the results'.
  bool fits = llvm::equal(elements, returned, [&](const KernelType &a, const KernelType &b) {
    return toIR(a, emit.context()) == toIR(b, emit.context());
  });
  if (!fits)
    return emit.error(function + " combines (" + typeList(elements) +
                      "), and its function returns (" + typeList(returned) +
                      "); it must return the types that it takes");
  ReturnOp::create(emit.builder, emit.location(), handles);
  return llvm::success();
}

/// The results as they went in: one value, or a tuple.
static Value likeInput(const Value &input, llvm::ArrayRef<Tensor> results) {
  if (!input.is<TupleObject>())
    return Value(results[0]);
  return makeTuple(std::vector<Value>(results.begin(), results.end()));
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// All elements along one axis, in any order.
static void flattenInPlace(Emitter &emit, Tensor &block) {
  int64_t shape[] = {block.type.numElements()};
  block = Tensor{tt::ReshapeOp::create(emit.builder, emit.location(), shape, block.handle,
                                       /*allowReorder=*/true),
                 block.type.withShape(shape)};
}

static FailureOr<Value> reduce(Emitter &emit, BoundArguments args) {
  auto inputs = blockInputs(emit, "reduce", args[0]);
  if (failed(inputs) || failed(checkCallable(emit, "reduce", args[2])))
    return llvm::failure();
  bool isWhole = args[1].isNone();
  FailureOr<int32_t> axis =
      isWhole ? FailureOr<int32_t>(0) : axisArgument(emit, "reduce", args[1], (*inputs)[0].type);
  if (failed(axis))
    return llvm::failure();
  size_t rank = (*inputs)[0].type.shape.size();
  if (isWhole)
    for (Tensor &input : *inputs)
      flattenInPlace(emit, input);

  llvm::SmallVector<mlir::Value> handles;
  llvm::SmallVector<KernelType> types;
  llvm::SmallVector<mlir::Type> irTypes;
  for (const Tensor &input : *inputs) {
    handles.push_back(input.handle);
    KernelType type = input.type;
    type.shape.erase(type.shape.begin() + *axis);
    irTypes.push_back(toIR(type, emit.context()));
    types.push_back(type);
  }
  auto op = tt::ReduceOp::create(emit.builder, emit.location(), irTypes, handles, *axis);
  if (failed(fillCombiner<tt::ReduceReturnOp>(emit, "reduce", op.getCombineOp(), args[2], *inputs)))
    return llvm::failure();

  llvm::SmallVector<Tensor> results;
  for (auto [handle, type] : llvm::zip_equal(op.getResult(), types)) {
    FailureOr<Tensor> result = Tensor{handle, type};
    unsigned kept = !isTruthy(args[3]) ? 0 : isWhole ? rank : 1;
    for (unsigned i = 0; i < kept && succeeded(result); ++i)
      result = expandDims(emit, *result, *axis);
    if (failed(result))
      return llvm::failure();
    results.push_back(*result);
  }
  return likeInput(args[0], results);
}

//===----------------------------------------------------------------------===//
// associative_scan
//===----------------------------------------------------------------------===//

static FailureOr<Value> associativeScan(Emitter &emit, BoundArguments args) {
  auto inputs = blockInputs(emit, "associative_scan", args[0]);
  if (failed(inputs) || failed(checkCallable(emit, "associative_scan", args[2])))
    return llvm::failure();
  FailureOr<int32_t> axis = axisArgument(emit, "associative_scan", args[1], (*inputs)[0].type);
  if (failed(axis))
    return llvm::failure();
  llvm::SmallVector<mlir::Value> handles;
  llvm::SmallVector<mlir::Type> irTypes;
  for (const Tensor &input : *inputs) {
    handles.push_back(input.handle);
    irTypes.push_back(input.handle.getType());
  }
  auto op =
      tt::ScanOp::create(emit.builder, emit.location(), irTypes, handles, *axis, isTruthy(args[3]));
  if (failed(fillCombiner<tt::ScanReturnOp>(emit, "associative_scan", op.getCombineOp(), args[2],
                                            *inputs)))
    return llvm::failure();
  llvm::SmallVector<Tensor> results;
  for (auto [handle, input] : llvm::zip_equal(op.getResult(), *inputs))
    results.push_back(Tensor{handle, input.type});
  return likeInput(args[0], results);
}

//===----------------------------------------------------------------------===//
// map_elementwise
//===----------------------------------------------------------------------===//

static FailureOr<int32_t> packArgument(Emitter &emit, llvm::StringRef function,
                                       const Value &value) {
  std::optional<PythonInt> pack = value.asInt();
  bool fits =
      pack && pack->fitsSigned(12) && pack->toInt64() > 0 && llvm::isPowerOf2_64(pack->toInt64());
  if (!fits)
    return emit.error(function + " takes pack=1, 2, 4, ..., not " + value.describe());
  return static_cast<int32_t>(pack->toInt64());
}

/// The types of the results: every `pack` values that the function returned are one.
static FailureOr<llvm::SmallVector<KernelType>> groupResults(Emitter &emit,
                                                             llvm::ArrayRef<Tensor> scalars,
                                                             int32_t pack,
                                                             llvm::ArrayRef<int64_t> shape) {
  if (scalars.empty() || scalars.size() % pack != 0)
    return emit.error("map_elementwise with pack=" + llvm::Twine(pack) +
                      " calls a function that returns " + llvm::Twine(pack) +
                      " values per result; this one returns " + llvm::Twine(scalars.size()));
  llvm::SmallVector<KernelType> types;
  for (size_t first = 0; first < scalars.size(); first += pack) {
    for (const Tensor &scalar : scalars.slice(first, pack))
      if (scalar.type != scalars[first].type || scalar.type.isBlock())
        return emit.error("map_elementwise calls a function that returns scalars, of one type "
                          "per result; this one returns " +
                          scalars[first].type.str() + " and " + scalar.type.str());
    types.push_back(scalars[first].type.withShape(shape));
  }
  return types;
}

static FailureOr<Value> mapElementwise(Emitter &emit, BoundArguments args) {
  FailureOr<int32_t> pack = packArgument(emit, "map_elementwise", args[2]);
  if (failed(pack) || failed(checkCallable(emit, "map_elementwise", args[0])))
    return llvm::failure();
  llvm::SmallVector<Tensor> inputs;
  for (const Value &value : *args[1].get<TupleObject>()->elements) {
    const Tensor *tensor = value.get<Tensor>();
    if (!tensor)
      return emit.error("map_elementwise maps tensors, not " + value.describe() +
                        "; tl.full makes a block of a number");
    inputs.push_back(*tensor);
  }
  if (inputs.empty())
    return emit.error("map_elementwise takes a function and at least one block");
  if (failed(broadcastTogether(emit, inputs)))
    return llvm::failure();
  if (!inputs[0].type.isBlock())
    return emit.error("map_elementwise maps blocks; call the function on scalars directly");

  llvm::SmallVector<KernelType> elements;
  mlir::OperationState state(emit.location(), tt::MapElementwiseOp::getOperationName());
  for (const Tensor &input : inputs) {
    elements.append(*pack, input.type.withShape({}));
    state.operands.push_back(input.handle);
  }
  // The function's return values determine the op's results, so the region comes first.
  mlir::Region *region = state.addRegion();
  llvm::SmallVector<KernelType> types;
  bool isTuple = false; // also of one: with pack=2 a function returns two values per result
  {
    mlir::OpBuilder::InsertionGuard guard(emit.builder);
    auto scalars = callOnScalars(emit, "map_elementwise", args[0], &region->emplaceBlock(),
                                 elements, &isTuple);
    if (failed(scalars))
      return llvm::failure();
    auto grouped = groupResults(emit, *scalars, *pack, inputs[0].type.shape);
    if (failed(grouped))
      return llvm::failure();
    types = *grouped;
    llvm::SmallVector<mlir::Value> handles;
    for (const Tensor &scalar : *scalars)
      handles.push_back(scalar.handle);
    tt::MapElementwiseReturnOp::create(emit.builder, emit.location(), handles);
  }
  for (const KernelType &type : types)
    state.types.push_back(toIR(type, emit.context()));
  state.getOrAddProperties<tt::MapElementwiseOp::Properties>().pack =
      emit.builder.getI32IntegerAttr(*pack);
  mlir::Operation *op = emit.builder.create(state);
  std::vector<Value> results;
  for (auto [handle, type] : llvm::zip_equal(op->getResults(), types))
    results.push_back(Value(Tensor{handle, type}));
  return isTuple ? makeTuple(std::move(results)) : results[0];
}

//===----------------------------------------------------------------------===//
// histogram, gather
//===----------------------------------------------------------------------===//

static FailureOr<Value> histogram(Emitter &emit, BoundArguments args) {
  const Tensor *input = args[0].get<Tensor>();
  if (!input || input->type.shape.size() != 1 || !input->type.isInt())
    return emit.error("histogram takes a block of integers with one axis, not " +
                      args[0].describe());
  FailureOr<llvm::SmallVector<int64_t, 4>> bins = llvm::failure();
  if (std::optional<PythonInt> count = args[1].asInt(); count && !args[1].is<bool>())
    bins = blockShape(emit, args[1]);
  else
    return emit.error("histogram takes a compile-time number of bins, not " + args[1].describe());
  if (failed(bins))
    return llvm::failure();
  mlir::Value maskHandle;
  if (!args[2].isNone()) {
    FailureOr<Tensor> mask = toTensor(emit, args[2]);
    if (failed(mask))
      return llvm::failure();
    if (!mask->type.isBool())
      return emit.error("a mask is made of bools, not of " + mask->type.str() +
                        "; compare, or convert with .to(tl.int1)");
    if (mask->type.isBlock() && mask->type.shape.size() != 1)
      return emit.error("histogram's mask has the input's rank, not " + mask->type.str());
    mask = broadcastTo(emit, *mask, input->type.shape);
    if (failed(mask))
      return llvm::failure();
    maskHandle = mask->handle;
  }
  KernelType type{DType::Int32};
  type.shape = *bins;
  return Value(
      Tensor{tt::HistogramOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                     input->handle, maskHandle),
             type});
}

static FailureOr<Value> gather(Emitter &emit, BoundArguments args) {
  const Tensor *source = args[0].get<Tensor>(), *index = args[1].get<Tensor>();
  if (!source || !source->type.isBlock())
    return emit.error("gather takes a block, not " + args[0].describe());
  if (!index || !index->type.isBlock() || !index->type.isInt())
    return emit.error("gather takes a block of integers as index, not " + args[1].describe());
  if (index->type.shape.size() != source->type.shape.size())
    return emit.error("gather takes an index of the source's rank: " + source->type.str() +
                      " and " + index->type.str() + " differ");
  FailureOr<int32_t> axis = axisArgument(emit, "gather", args[2], source->type);
  if (failed(axis))
    return llvm::failure();
  for (size_t other = 0; other < source->type.shape.size(); ++other)
    if (static_cast<int32_t>(other) != *axis &&
        index->type.shape[other] != source->type.shape[other])
      return emit.error("gather along axis " + llvm::Twine(*axis) +
                        " needs equal other axes: " + source->type.str() + " and " +
                        index->type.str() + " differ in axis " + llvm::Twine(other));
  KernelType type = source->type.withShape(index->type.shape);
  return Value(
      Tensor{tt::GatherOp::create(emit.builder, emit.location(), toIR(type, emit.context()),
                                  source->handle, index->handle, *axis),
             type});
}

static constexpr Parameter kReduce[] = {
    {"input"}, {"axis"}, {"combine_fn"}, {"keep_dims", Default::False}};
static constexpr Parameter kScan[] = {
    {"input"}, {"axis"}, {"combine_fn"}, {"reverse", Default::False}};
static constexpr Parameter kMap[] = {
    {"scalar_fn"}, {"args", Default::Variadic}, {"pack", Default::One}};
static constexpr Parameter kHistogram[] = {{"input"}, {"num_bins"}, {"mask", Default::None}};
static constexpr Parameter kGather[] = {{"src"}, {"index"}, {"axis"}};

llvm::ArrayRef<Builtin> tessera::reductionBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.reduce", kReduce, reduce, true},
      {"triton.language.associative_scan", kScan, associativeScan, true},
      {"triton.language.map_elementwise", kMap, mapElementwise},
      {"triton.language.histogram", kHistogram, histogram, true},
      {"triton.language.gather", kGather, gather, true},
  };
  return rows;
}
