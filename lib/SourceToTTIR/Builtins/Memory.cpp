//===- Memory.cpp - load and store ----------------------------------------===//
// Through pointers, mask and `other` are brought to the pointer's shape and the
// value to the element's type; a bool in memory is a byte, so accesses through a
// *u1 go through bytes. Through a block pointer the bounds are the pointer's own:
// `boundary_check` says which are tested, `padding_option` what lies beyond
// (spec language.md 4.6).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "MemoryArguments.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace tessera;

static FailureOr<tt::CacheModifier> loadCache(Emitter &emit, const Value &value) {
  static constexpr Choice<tt::CacheModifier> choices[] = {{"", tt::CacheModifier::None},
                                                          {".ca", tt::CacheModifier::CA},
                                                          {".cg", tt::CacheModifier::CG},
                                                          {".cv", tt::CacheModifier::CV}};
  return choose(emit, "cache_modifier", value, choices, tt::CacheModifier::None);
}

static FailureOr<tt::CacheModifier> storeCache(Emitter &emit, const Value &value) {
  static constexpr Choice<tt::CacheModifier> choices[] = {{"", tt::CacheModifier::None},
                                                          {".wb", tt::CacheModifier::WB},
                                                          {".cg", tt::CacheModifier::CG},
                                                          {".cs", tt::CacheModifier::CS},
                                                          {".wt", tt::CacheModifier::WT}};
  return choose(emit, "cache_modifier", value, choices, tt::CacheModifier::None);
}

static FailureOr<tt::EvictionPolicy> evictionPolicy(Emitter &emit, const Value &value) {
  static constexpr Choice<tt::EvictionPolicy> choices[] = {
      {"", tt::EvictionPolicy::Normal},
      {"evict_first", tt::EvictionPolicy::First},
      {"evict_last", tt::EvictionPolicy::Last}};
  return choose(emit, "eviction_policy", value, choices, tt::EvictionPolicy::Normal);
}

/// A compile-time yes or no.
static FailureOr<bool> flagArgument(Emitter &emit, llvm::StringRef parameter, const Value &value) {
  if (value.isTensor())
    return emit.error("'" + parameter + "' is a compile-time bool, not " + value.describe());
  return isTruthy(value);
}

/// `boundary_check`: axes of the block, each at most once, as a tuple or as one int.
static FailureOr<llvm::SmallVector<int32_t>> boundaryAxes(Emitter &emit, const Value &value,
                                                          const KernelType &pointer) {
  llvm::SmallVector<int32_t> axes;
  if (value.isNone())
    return axes;
  int64_t rank = pointer.pointeeShape.size();
  llvm::SmallBitVector seen(rank);
  for (const Value &element : listElements(value)) {
    std::optional<PythonInt> axis = element.asInt();
    if (!axis || element.is<bool>() || axis->isNegative() || !axis->fitsSigned(32) ||
        axis->toInt64() >= rank)
      return emit.error("boundary_check takes " + axesOf(rank) + " of " + pointer.pointee().str() +
                        ", not " + element.describe());
    if (seen.test(axis->toInt64()))
      return emit.error("boundary_check names axis " + axis->str() + " twice");
    seen.set(axis->toInt64());
  }
  for (unsigned axis : seen.set_bits())
    axes.push_back(axis);
  return axes;
}

/// Boundaries and padding are a block pointer's; a mask and `other` are not.
static LogicalResult refuseBlockPointerArguments(Emitter &emit, const Value &boundary,
                                                 bool hasPadding) {
  bool hasBoundary = !boundary.isNone() && !listElements(boundary).empty();
  if (hasBoundary || hasPadding)
    return emit.error("boundary_check and padding_option are for block pointers; a block of "
                      "pointers takes a mask");
  return llvm::success();
}

static LogicalResult refuseMask(Emitter &emit, const Value &mask, const Value &other) {
  if (mask.isNone() && other.isNone())
    return llvm::success();
  return emit.error("a block pointer knows its bounds: it takes boundary_check and "
                    "padding_option, not 'mask' and 'other'");
}

static LogicalResult checkScalarPointer(Emitter &emit, llvm::StringRef what, const Tensor &pointer,
                                        const Tensor &operand) {
  if (!operand.handle || pointer.type.isBlock() || !operand.type.isBlock())
    return llvm::success();
  return emit.error("the pointer is a scalar and " + what + " a block " + operand.type.str() +
                    "; add an offset block to the pointer");
}

/// Converts to what one pointer points to.
static FailureOr<Tensor> castToPointee(Emitter &emit, Tensor value, const KernelType &pointer) {
  if (pointer.pointerDepth > 1)
    return castPointer(emit, value, pointer.pointee().withShape(value.type.shape));
  return castTo(emit, value, pointer.scalar);
}

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

namespace {
struct LoadOptions {
  tt::CacheModifier cache;
  tt::EvictionPolicy evict;
  std::optional<tt::PaddingOption> padding;
  bool isVolatile;
};
} // namespace

static FailureOr<LoadOptions> loadOptions(Emitter &emit, BoundArguments args, DType element) {
  FailureOr<tt::CacheModifier> cache = loadCache(emit, args[5]);
  if (failed(cache))
    return llvm::failure();
  FailureOr<tt::EvictionPolicy> evict = evictionPolicy(emit, args[6]);
  if (failed(evict))
    return llvm::failure();
  auto padding = paddingOption(emit, args[4], element);
  if (failed(padding))
    return llvm::failure();
  FailureOr<bool> isVolatile = flagArgument(emit, "volatile", args[7]);
  if (failed(isVolatile))
    return llvm::failure();
  return LoadOptions{*cache, *evict, *padding, *isVolatile};
}

static FailureOr<Value> loadBlock(Emitter &emit, const Tensor &pointer, BoundArguments args,
                                  const LoadOptions &options) {
  if (failed(refuseMask(emit, args[1], args[2])))
    return llvm::failure();
  auto axes = boundaryAxes(emit, args[3], pointer.type);
  if (failed(axes))
    return llvm::failure();
  auto block =
      tt::LoadOp::create(emit.builder, emit.location(), pointer.handle, *axes, options.padding,
                         options.cache, options.evict, options.isVolatile);
  return Value(Tensor{block, pointer.type.pointee()});
}

/// Brings those operands that there are to one shape.
static LogicalResult broadcastPresent(Emitter &emit, llvm::ArrayRef<Tensor *> operands) {
  llvm::SmallVector<Tensor, 3> present;
  for (Tensor *operand : operands)
    if (operand->handle)
      present.push_back(*operand);
  if (failed(broadcastTogether(emit, present)))
    return llvm::failure();
  const Tensor *next = present.begin();
  for (Tensor *operand : operands)
    if (operand->handle)
      *operand = *next++;
  return llvm::success();
}

static FailureOr<Value> loadElements(Emitter &emit, Tensor pointer, BoundArguments args,
                                     const LoadOptions &options) {
  if (failed(refuseBlockPointerArguments(emit, args[3], options.padding.has_value())))
    return llvm::failure();
  FailureOr<Tensor> mask = maskArgument(emit, args[1]);
  if (failed(mask))
    return llvm::failure();
  FailureOr<Tensor> other = Tensor{};
  if (!args[2].isNone()) {
    if (!mask->handle)
      return emit.error("load takes 'other' only together with a mask");
    other = toTensor(emit, args[2]);
  }
  if (failed(other) || failed(checkScalarPointer(emit, "the mask", pointer, *mask)) ||
      failed(checkScalarPointer(emit, "'other'", pointer, *other)) ||
      failed(broadcastPresent(emit, {&pointer, &*mask, &*other})))
    return llvm::failure();
  FailureOr<Tensor> address = bytePointer(emit, pointer);
  if (succeeded(address) && other->handle)
    other = castToPointee(emit, *other, address->type);
  if (failed(address) || failed(other))
    return llvm::failure();
  auto result = tt::LoadOp::create(emit.builder, emit.location(), address->handle, mask->handle,
                                   other->handle, options.cache, options.evict, options.isVolatile);
  Tensor loaded{result, address->type.pointee()};
  bool isBool = pointer.type.pointerDepth == 1 && pointer.type.scalar.isBool();
  return asValue(isBool ? castTo(emit, loaded, DType::Int1) : FailureOr<Tensor>(loaded));
}

static FailureOr<Value> load(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> pointer = pointerArgument(emit, "load", args[0]);
  if (failed(pointer))
    return llvm::failure();
  bool isBlock = pointer->type.isBlockPointer();
  FailureOr<LoadOptions> options =
      loadOptions(emit, args, isBlock ? pointer->type.scalar : DType(DType::FP32));
  if (failed(options))
    return llvm::failure();
  return isBlock ? loadBlock(emit, *pointer, args, *options)
                 : loadElements(emit, *pointer, args, *options);
}

//===----------------------------------------------------------------------===//
// store
//===----------------------------------------------------------------------===//

namespace {
struct StoreOptions {
  tt::CacheModifier cache;
  tt::EvictionPolicy evict;
};
} // namespace

/// Nothing is converted: the value has the block's element type already.
static FailureOr<Value> storeBlock(Emitter &emit, const Tensor &pointer, Tensor value,
                                   BoundArguments args, StoreOptions options) {
  if (failed(refuseMask(emit, args[2], Value())))
    return llvm::failure();
  auto axes = boundaryAxes(emit, args[3], pointer.type);
  if (failed(axes))
    return llvm::failure();
  KernelType block = pointer.type.pointee();
  if (value.type.isPointer() || value.type.scalar != block.scalar)
    return emit.error("store through a block pointer does not convert: the block is " +
                      block.str() + " and the value " + value.type.str() + "; write value.to(tl." +
                      block.scalar.languageName() + ")");
  if (value.type.isBlock() && value.type.shape != block.shape)
    return emit.error("store through a block pointer needs the block's shape: the block is " +
                      block.str() + " and the value " + value.type.str());
  FailureOr<Tensor> whole = broadcastTo(emit, value, block.shape);
  if (failed(whole))
    return llvm::failure();
  tt::StoreOp::create(emit.builder, emit.location(), pointer.handle, whole->handle, *axes,
                      options.cache, options.evict);
  return Value(NoneObject{});
}

/// A store does not repeat its pointer: value and mask fit the pointer's shape.
static LogicalResult checkFits(Emitter &emit, llvm::StringRef what, const Tensor &operand,
                               const Tensor &pointer) {
  llvm::ArrayRef<int64_t> from = operand.type.shape, to = pointer.type.shape;
  bool fits = from.size() <= to.size();
  for (size_t axis = 1; fits && axis <= from.size(); ++axis) {
    int64_t size = from[from.size() - axis];
    fits = size == 1 || size == to[to.size() - axis];
  }
  if (fits || !operand.handle)
    return llvm::success();
  return emit.error(what + " " + operand.type.str() + " does not fit the pointer " +
                    pointer.type.str() + "; give both one shape");
}

static FailureOr<Value> storeElements(Emitter &emit, const Tensor &pointer, Tensor stored,
                                      BoundArguments args, StoreOptions options) {
  if (failed(refuseBlockPointerArguments(emit, args[3], /*hasPadding=*/false)))
    return llvm::failure();
  FailureOr<Tensor> mask = maskArgument(emit, args[2]);
  if (failed(mask) || failed(checkScalarPointer(emit, "the value", pointer, stored)) ||
      failed(checkScalarPointer(emit, "the mask", pointer, *mask)) ||
      failed(checkFits(emit, "the value", stored, pointer)) ||
      failed(checkFits(emit, "the mask", *mask, pointer)))
    return llvm::failure();
  // Shape first, then type: the order the reference's IR has.
  FailureOr<Tensor> value = broadcastTo(emit, stored, pointer.type.shape);
  if (succeeded(value) && mask->handle)
    mask = broadcastTo(emit, *mask, pointer.type.shape);
  if (failed(value) || failed(mask))
    return llvm::failure();
  FailureOr<Tensor> address = bytePointer(emit, pointer);
  if (succeeded(address))
    value = castToPointee(emit, *value, address->type);
  if (failed(address) || failed(value))
    return llvm::failure();
  tt::StoreOp::create(emit.builder, emit.location(), address->handle, value->handle, mask->handle,
                      options.cache, options.evict);
  return Value(NoneObject{});
}

static FailureOr<Value> store(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> pointer = pointerArgument(emit, "store", args[0]);
  if (failed(pointer))
    return llvm::failure();
  if (pointer->type.pointsToConst)
    return emit.error("cannot store through a pointer to const " + pointer->type.str());
  FailureOr<tt::CacheModifier> cache = storeCache(emit, args[4]);
  if (failed(cache))
    return llvm::failure();
  FailureOr<tt::EvictionPolicy> evict = evictionPolicy(emit, args[5]);
  if (failed(evict))
    return llvm::failure();
  FailureOr<Tensor> value = toTensor(emit, args[1]);
  if (failed(value))
    return llvm::failure();
  if (pointer->type.isBlockPointer())
    return storeBlock(emit, *pointer, *value, args, {*cache, *evict});
  return storeElements(emit, *pointer, *value, args, {*cache, *evict});
}

static constexpr Parameter kLoad[] = {{"pointer"},
                                      {"mask", Default::None},
                                      {"other", Default::None},
                                      {"boundary_check", Default::EmptyTuple},
                                      {"padding_option", Default::EmptyString},
                                      {"cache_modifier", Default::EmptyString},
                                      {"eviction_policy", Default::EmptyString},
                                      {"volatile", Default::False}};
static constexpr Parameter kStore[] = {{"pointer"},
                                       {"value"},
                                       {"mask", Default::None},
                                       {"boundary_check", Default::EmptyTuple},
                                       {"cache_modifier", Default::EmptyString},
                                       {"eviction_policy", Default::EmptyString}};

llvm::ArrayRef<Builtin> tessera::memoryBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.load", kLoad, load},
      {"triton.language.store", kStore, store, true},
  };
  return rows;
}
