//===- Descriptors.cpp - tl.make_tensor_descriptor and a descriptor's methods//
// A descriptor knows a tensor in memory (base, shape, strides) and the block that
// one access moves. Its accesses are bounds-checked in every axis:
//
//   d = tl.make_tensor_descriptor(p, [M, N], [N, 1], [64, 64])
//   d.store([0, 64], d.load([64, 0]) + 1)
//
// Sizes and offsets are 32-bit, strides 64-bit; the last stride is the constant 1
// (docs/language.md#memory).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "MemoryArguments.h"
#include "tessera/Kernel/LanguageTarget.h"

using namespace tessera;

mlir::Type tessera::descriptorType(mlir::MLIRContext *context, const KernelType &block) {
  mlir::Type element = toIR(block.scalar, context);
  // Padding and reductions care for the sign of integers; bools have none.
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element))
    element = mlir::IntegerType::get(context, integer.getWidth(),
                                     block.scalar.isSigned() ? mlir::IntegerType::Signed
                                                             : mlir::IntegerType::Unsigned);
  return tt::TensorDescType::get(mlir::RankedTensorType::get(block.shape, element));
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

/// The sizes or strides as scalars of one type.
static FailureOr<std::vector<Value>> scalarList(Emitter &emit, llvm::StringRef parameter,
                                                llvm::ArrayRef<Value> elements, DType type) {
  std::vector<Value> scalars;
  for (const Value &element : elements) {
    FailureOr<Tensor> scalar = indexArgument(emit, parameter, element, type, /*mayNarrow=*/true);
    if (failed(scalar))
      return llvm::failure();
    scalars.push_back(Value(*scalar));
  }
  return scalars;
}

static llvm::SmallVector<mlir::Value> handlesOf(const std::vector<Value> &scalars) {
  llvm::SmallVector<mlir::Value> handles;
  for (const Value &scalar : scalars)
    flatten(scalar, handles);
  return handles;
}

/// The base, and the lists' lengths.
static LogicalResult checkTensor(Emitter &emit, BoundArguments args) {
  const Tensor *base = args[0].get<Tensor>();
  bool isBase =
      base && base->type.pointerDepth == 1 && !base->type.isBlock() && !base->type.isBlockPointer();
  if (!isBase)
    return emit.error("make_tensor_descriptor takes a scalar pointer to numbers as its base, not " +
                      args[0].describe());
  if (base->type.scalar.isBool())
    return emit.error("make_tensor_descriptor takes elements of at least a byte, not bools; "
                      "convert the pointer with .to(tl.pointer_type(tl.int8))");
  for (size_t i : {1, 2, 3})
    if (!args[i].is<TupleObject>())
      return emit.error("make_tensor_descriptor takes lists such as [M, N], not " +
                        args[i].describe());
  size_t rank = listElements(args[1]).size();
  if (rank < 1 || rank > 5)
    return emit.error("a tensor descriptor has 1 to 5 axes, not " + llvm::Twine(rank));
  if (listElements(args[2]).size() != rank || listElements(args[3]).size() != rank)
    return emit.error("make_tensor_descriptor needs lists of one length: 'shape' has " +
                      llvm::Twine(rank) + ", 'strides' " +
                      llvm::Twine(listElements(args[2]).size()) + ", 'block_shape' " +
                      llvm::Twine(listElements(args[3]).size()));
  return llvm::success();
}

/// Checks that rows are contiguous and that a block has at least 16 bytes of each, as the
/// hardware requires.
static LogicalResult checkRow(Emitter &emit, const KernelType &block, const Value &lastStride) {
  std::optional<PythonInt> stride = lastStride.asInt();
  if (!stride || !(*stride == PythonInt(1)))
    return emit.error("the last stride of a tensor descriptor is the compile-time int 1, not " +
                      lastStride.describe() +
                      (stride ? "" : "; write 1, or make it a tl.constexpr parameter"));
  constexpr int64_t minBytes = 16;
  int64_t bytes = block.shape.back() * block.scalar.bytesInMemory();
  if (bytes < minBytes)
    return emit.error("the last axis of a descriptor's block has at least " +
                      llvm::Twine(minBytes) + " bytes; that of " + block.str() + " has " +
                      llvm::Twine(bytes));
  return llvm::success();
}

static FailureOr<Value> makeDescriptor(Emitter &emit, BoundArguments args) {
  if (failed(checkTensor(emit, args)))
    return llvm::failure();
  const Tensor &base = *args[0].get<Tensor>();
  auto blockSizes = blockShape(emit, args[3]);
  if (failed(blockSizes))
    return llvm::failure();
  KernelType block = base.type.pointee().withShape(*blockSizes);
  if (failed(checkRow(emit, block, listElements(args[2]).back())))
    return llvm::failure();
  auto padding = paddingOption(emit, args[4], block.scalar);
  if (failed(padding))
    return llvm::failure();
  auto shape = scalarList(emit, "shape", listElements(args[1]), DType::Int32);
  if (failed(shape))
    return llvm::failure();
  auto strides = scalarList(emit, "strides", listElements(args[2]), DType::Int64);
  if (failed(strides))
    return llvm::failure();
  auto handle = tt::MakeTensorDescOp::create(
      emit.builder, emit.location(), descriptorType(emit.context(), block), base.handle,
      handlesOf(*shape), handlesOf(*strides), padding->value_or(tt::PaddingOption::Zero));
  return Value(DescriptorObject{handle, block,
                                std::make_shared<const std::vector<Value>>(std::move(*shape)),
                                std::make_shared<const std::vector<Value>>(std::move(*strides))});
}

FailureOr<Value> tessera::descriptorAttribute(Emitter &emit, const DescriptorObject &descriptor,
                                              llvm::StringRef name) {
  if (name == "shape")
    return makeTuple(*descriptor.shape);
  if (name == "strides")
    return makeTuple(*descriptor.strides);
  if (name == "block_type")
    return Value(TypeObject{descriptor.block});
  if (name == "dtype")
    return Value(TypeObject{descriptor.block.withShape({})});
  if (name == "block_shape") {
    std::vector<Value> extents;
    for (int64_t extent : descriptor.block.shape)
      extents.push_back(Value(PythonInt(extent)));
    return makeTuple(std::move(extents));
  }
  if (const Builtin *method = lookupDescriptorMethod(name))
    return makeMethod(Value(descriptor), method);
  return emit.error("a tensor descriptor has no attribute '" + name +
                    "'; it has shape, strides, block_shape, block_type, dtype and the methods "
                    "load, store, gather, scatter, atomic_add, atomic_min, atomic_max, "
                    "atomic_and, atomic_or, atomic_xor");
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static FailureOr<DescriptorObject> descriptorArgument(Emitter &emit, llvm::StringRef function,
                                                      const Value &value) {
  if (const DescriptorObject *descriptor = value.get<DescriptorObject>())
    return *descriptor;
  return emit.error(function + " takes a tensor descriptor, not " + value.describe());
}

/// The offsets at which a block begins, one 32-bit integer for each axis.
static FailureOr<llvm::SmallVector<mlir::Value>>
blockOffsets(Emitter &emit, const DescriptorObject &descriptor, const Value &list) {
  size_t rank = descriptor.block.shape.size();
  if (!list.is<TupleObject>())
    return emit.error("'offsets' is a list such as [m, n], not " + list.describe());
  if (listElements(list).size() != rank)
    return emit.error("a descriptor of " + descriptor.block.str() + " takes " + llvm::Twine(rank) +
                      (rank == 1 ? " offset" : " offsets") + ", not " +
                      llvm::Twine(listElements(list).size()));
  return indexList(emit, "offsets", list, DType::Int32);
}

/// A value that fills the descriptor's block.
static FailureOr<Tensor> blockValue(Emitter &emit, const DescriptorObject &descriptor,
                                    const Value &value) {
  const Tensor *tensor = value.get<Tensor>();
  if (!tensor || tensor->type.isPointer() || tensor->type.shape != descriptor.block.shape)
    return emit.error("the descriptor's block is " + descriptor.block.str() +
                      ", and the value has to have its shape; it is " + value.describe());
  return *tensor;
}

static FailureOr<Value> loadBlock(Emitter &emit, BoundArguments args) {
  FailureOr<DescriptorObject> descriptor =
      descriptorArgument(emit, "load_tensor_descriptor", args[0]);
  if (failed(descriptor))
    return llvm::failure();
  auto offsets = blockOffsets(emit, *descriptor, args[1]);
  if (failed(offsets))
    return llvm::failure();
  auto block = tt::DescriptorLoadOp::create(
      emit.builder, emit.location(), toIR(descriptor->block, emit.context()), descriptor->handle,
      *offsets, tt::CacheModifier::None, tt::EvictionPolicy::Normal);
  return Value(Tensor{block, descriptor->block});
}

static FailureOr<Value> storeBlock(Emitter &emit, BoundArguments args) {
  FailureOr<DescriptorObject> descriptor =
      descriptorArgument(emit, "store_tensor_descriptor", args[0]);
  if (failed(descriptor))
    return llvm::failure();
  FailureOr<Tensor> value = blockValue(emit, *descriptor, args[2]);
  if (succeeded(value))
    value = castTo(emit, *value, descriptor->block.scalar);
  if (failed(value))
    return llvm::failure();
  auto offsets = blockOffsets(emit, *descriptor, args[1]);
  if (failed(offsets))
    return llvm::failure();
  tt::DescriptorStoreOp::create(emit.builder, emit.location(), descriptor->handle, value->handle,
                                *offsets);
  return Value(NoneObject{});
}

//===----------------------------------------------------------------------===//
// Reductions into memory
//===----------------------------------------------------------------------===//

/// The elements each reduction knows; fp16 and bf16 where the target has them.
static LogicalResult checkReduced(Emitter &emit, tt::DescriptorReduceKind kind, DType element) {
  bool isWide = element.isInt() && element.bits() >= 32;
  bool isHalf = element == DType::FP16 || element == DType::BF16;
  bool accepted = isWide;
  llvm::StringRef known = "i32, u32, i64 or u64";
  if (kind == tt::DescriptorReduceKind::Add) {
    // PTX ISA, cp.reduce.async.bulk.tensor: no signed 64-bit add.
    accepted = (isWide && element != DType::Int64) || isHalf || element == DType::FP32;
    known = "i32, u32, u64, fp32, fp16 or bf16";
  } else if (kind == tt::DescriptorReduceKind::Min || kind == tt::DescriptorReduceKind::Max) {
    accepted = isWide || isHalf;
    known = "i32, u32, i64, u64, fp16 or bf16";
  }
  std::string name = ("atomic_" + tt::stringifyDescriptorReduceKind(kind)).str();
  if (!accepted)
    return emit.error("a descriptor's " + name + " takes " + known + ", not " + element.name());
  bool isExtremum = kind != tt::DescriptorReduceKind::Add && isHalf;
  if (isExtremum && !emit.target->hasDescriptorReduceOfHalves)
    return emit.unsupportedAt(emit.range, "a descriptor's " + name + " of " + element.name() +
                                              " needs a target with a TMA engine; use fp32 and "
                                              "tl." +
                                              name + " on pointers");
  return llvm::success();
}

template <tt::DescriptorReduceKind kind>
static FailureOr<Value> reduceBlock(Emitter &emit, BoundArguments args) {
  std::string name = ("atomic_" + tt::stringifyDescriptorReduceKind(kind)).str();
  FailureOr<DescriptorObject> descriptor = descriptorArgument(emit, name, args[0]);
  if (failed(descriptor) || failed(checkReduced(emit, kind, descriptor->block.scalar)))
    return llvm::failure();
  FailureOr<Tensor> value = blockValue(emit, *descriptor, args[2]);
  if (failed(value))
    return llvm::failure();
  DType element = descriptor->block.scalar;
  if (toIR(value->type, emit.context()) != toIR(descriptor->block, emit.context()))
    return emit.error("a descriptor's " + name + " does not convert: the block is " +
                      descriptor->block.str() + " and the value " + value->type.str() +
                      "; write value.to(tl." + element.languageName() + ")");
  auto offsets = blockOffsets(emit, *descriptor, args[1]);
  if (failed(offsets))
    return llvm::failure();
  tt::DescriptorReduceOp::create(emit.builder, emit.location(), kind, descriptor->handle,
                                 value->handle, *offsets);
  return Value(NoneObject{});
}

//===----------------------------------------------------------------------===//
// Rows by number
//===----------------------------------------------------------------------===//

namespace {
struct Rows {
  Tensor numbers;
  mlir::Value column;
  KernelType type; // all the rows together
};
} // namespace

/// `x_offsets` and `y_offset` of gather and scatter, and what they move.
static FailureOr<Rows> rowArguments(Emitter &emit, llvm::StringRef function,
                                    const DescriptorObject &descriptor, const Value &numbers,
                                    const Value &column) {
  const KernelType &block = descriptor.block;
  if (block.shape.size() != 2 || block.shape[0] != 1)
    return emit.error("a descriptor's " + function + " needs a block of one row, [1, N], not " +
                      block.str());
  if (block.scalar.bits() > 32)
    return emit.error("a descriptor's " + function + " moves elements of at most 32 bits, not " +
                      block.scalar.name());
  const Tensor *rows = numbers.get<Tensor>();
  bool areRows =
      rows && rows->type.isInt() && rows->type.shape.size() == 1 && rows->type.scalar.bits() == 32;
  if (!areRows)
    return emit.error("a descriptor's " + function +
                      " takes row numbers as a block of one axis of i32, not " +
                      numbers.describe());
  // PTX ISA, tensor gather4 and scatter4: at least 8 rows of 8 words of 32 bits.
  constexpr int64_t minRows = 8;
  int64_t minColumns = minRows * 32 / block.scalar.bits();
  if (rows->type.shape[0] < minRows || block.shape[1] < minColumns)
    return emit.error("a descriptor's " + function + " of " + block.scalar.name() +
                      " moves at least " + llvm::Twine(minRows) + " rows of " +
                      llvm::Twine(minColumns) + " elements, not " +
                      llvm::Twine(rows->type.shape[0]) + " of " + llvm::Twine(block.shape[1]));
  FailureOr<Tensor> start = indexArgument(emit, "y_offset", column, DType::Int32);
  if (failed(start))
    return llvm::failure();
  return Rows{*rows, start->handle, block.withShape({rows->type.shape[0], block.shape[1]})};
}

static FailureOr<Value> gatherRows(Emitter &emit, BoundArguments args) {
  FailureOr<DescriptorObject> descriptor = descriptorArgument(emit, "gather", args[0]);
  if (failed(descriptor))
    return llvm::failure();
  FailureOr<Rows> rows = rowArguments(emit, "gather", *descriptor, args[1], args[2]);
  if (failed(rows))
    return llvm::failure();
  auto block = tt::DescriptorGatherOp::create(emit.builder, emit.location(),
                                              toIR(rows->type, emit.context()), descriptor->handle,
                                              rows->numbers.handle, rows->column);
  return Value(Tensor{block, rows->type});
}

static FailureOr<Value> scatterRows(Emitter &emit, BoundArguments args) {
  FailureOr<DescriptorObject> descriptor = descriptorArgument(emit, "scatter", args[0]);
  if (failed(descriptor))
    return llvm::failure();
  FailureOr<Rows> rows = rowArguments(emit, "scatter", *descriptor, args[2], args[3]);
  if (failed(rows))
    return llvm::failure();
  const Tensor *value = args[1].get<Tensor>();
  if (!value || toIR(value->type, emit.context()) != toIR(rows->type, emit.context()))
    return emit.error("a descriptor's scatter writes " + rows->type.str() + " here, not " +
                      args[1].describe());
  tt::DescriptorScatterOp::create(emit.builder, emit.location(), descriptor->handle,
                                  rows->numbers.handle, rows->column, value->handle);
  return Value(NoneObject{});
}

static constexpr Parameter kMake[] = {
    {"base"}, {"shape"}, {"strides"}, {"block_shape"}, {"padding_option", Default::EmptyString}};
static constexpr Parameter kLoad[] = {{"desc"}, {"offsets"}};
static constexpr Parameter kStore[] = {{"desc"}, {"offsets"}, {"value"}};
static constexpr Parameter kGather[] = {{"desc"}, {"x_offsets"}, {"y_offset"}};
static constexpr Parameter kScatter[] = {{"desc"}, {"value"}, {"x_offsets"}, {"y_offset"}};

llvm::ArrayRef<Builtin> tessera::descriptorBuiltins() {
  using Kind = tt::DescriptorReduceKind;
  static constexpr Builtin rows[] = {
      {"triton.language.make_tensor_descriptor", kMake, makeDescriptor},
      {"triton.language.load_tensor_descriptor", kLoad, loadBlock},
      {"triton.language.store_tensor_descriptor", kStore, storeBlock},
      {"triton.language.tensor_descriptor.load", kLoad, loadBlock},
      {"triton.language.tensor_descriptor.store", kStore, storeBlock},
      {"triton.language.tensor_descriptor.gather", kGather, gatherRows},
      {"triton.language.tensor_descriptor.scatter", kScatter, scatterRows},
      {"triton.language.tensor_descriptor.atomic_add", kStore, reduceBlock<Kind::Add>},
      {"triton.language.tensor_descriptor.atomic_min", kStore, reduceBlock<Kind::Min>},
      {"triton.language.tensor_descriptor.atomic_max", kStore, reduceBlock<Kind::Max>},
      {"triton.language.tensor_descriptor.atomic_and", kStore, reduceBlock<Kind::And>},
      {"triton.language.tensor_descriptor.atomic_or", kStore, reduceBlock<Kind::Or>},
      {"triton.language.tensor_descriptor.atomic_xor", kStore, reduceBlock<Kind::Xor>},
  };
  return rows;
}
