//===- Memory.cpp - load and store ----------------------------------------===//
// Mask and `other` are brought to the pointer's shape and element type; a bool
// in memory is a byte, so accesses through a *u1 go through bytes
// (spec language.md 4.6).
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

static FailureOr<tt::CacheModifier> cacheModifier(Emitter &emit, const Value &value, bool isStore) {
  if (value.isNone())
    return tt::CacheModifier::None;
  const std::string *text = value.get<std::string>();
  std::optional<tt::CacheModifier> modifier;
  if (text && isStore)
    modifier = llvm::StringSwitch<std::optional<tt::CacheModifier>>(*text)
                   .Case("", tt::CacheModifier::None)
                   .Case(".wb", tt::CacheModifier::WB)
                   .Case(".cg", tt::CacheModifier::CG)
                   .Case(".cs", tt::CacheModifier::CS)
                   .Case(".wt", tt::CacheModifier::WT)
                   .Default(std::nullopt);
  else if (text)
    modifier = llvm::StringSwitch<std::optional<tt::CacheModifier>>(*text)
                   .Case("", tt::CacheModifier::None)
                   .Case(".ca", tt::CacheModifier::CA)
                   .Case(".cg", tt::CacheModifier::CG)
                   .Case(".cv", tt::CacheModifier::CV)
                   .Default(std::nullopt);
  if (!modifier)
    return emit.error(
        llvm::Twine("cache_modifier is one of \"\", ") +
        (isStore ? "\".wb\", \".cg\", \".cs\", \".wt\"" : "\".ca\", \".cg\", \".cv\"") + ", not " +
        value.describe());
  return *modifier;
}

static FailureOr<tt::EvictionPolicy> evictionPolicy(Emitter &emit, const Value &value) {
  if (value.isNone())
    return tt::EvictionPolicy::Normal;
  const std::string *text = value.get<std::string>();
  std::optional<tt::EvictionPolicy> policy;
  if (text)
    policy = llvm::StringSwitch<std::optional<tt::EvictionPolicy>>(*text)
                 .Case("", tt::EvictionPolicy::Normal)
                 .Case("evict_first", tt::EvictionPolicy::First)
                 .Case("evict_last", tt::EvictionPolicy::Last)
                 .Default(std::nullopt);
  if (!policy)
    return emit.error("eviction_policy is one of \"\", \"evict_first\", \"evict_last\", not " +
                      value.describe());
  return *policy;
}

/// The pointer operand, or an error that says what else it was.
static FailureOr<Tensor> pointerArgument(Emitter &emit, llvm::StringRef function,
                                         const Value &value) {
  const Tensor *tensor = value.get<Tensor>();
  if (!tensor || !tensor->type.isPointer())
    return emit.error(function + " takes a pointer or a block of pointers, not " +
                      value.describe());
  return *tensor;
}

/// A mask as a bool tensor; null handle when there is none.
static FailureOr<Tensor> maskArgument(Emitter &emit, const Value &value) {
  if (value.isNone())
    return Tensor{};
  FailureOr<Tensor> mask = toTensor(emit, value);
  if (failed(mask))
    return llvm::failure();
  if (!mask->type.isBool())
    return emit.error("a mask is made of bools, not of " + mask->type.str() +
                      "; compare, or convert with .to(tl.int1)");
  return mask;
}

static LogicalResult checkScalarPointer(Emitter &emit, llvm::StringRef what, const Tensor &pointer,
                                        const Tensor &operand) {
  if (!operand.handle || pointer.type.isBlock() || !operand.type.isBlock())
    return llvm::success();
  return emit.error("the pointer is a scalar and the " + what + " a block " + operand.type.str() +
                    "; add an offset block to the pointer");
}

/// Through a *u1 the bytes are what is read and written.
static FailureOr<Tensor> bytePointer(Emitter &emit, Tensor pointer) {
  if (pointer.type.pointerDepth != 1 || !pointer.type.scalar.isBool())
    return pointer;
  KernelType bytes = pointer.type;
  bytes.scalar = DType::Int8;
  return castPointer(emit, pointer, bytes);
}

static LogicalResult refuseBlockPointerArguments(Emitter &emit, const Value &boundary,
                                                 const Value &padding) {
  const TupleObject *axes = boundary.get<TupleObject>();
  bool hasBoundary = axes ? !axes->elements->empty() : !boundary.isNone();
  if (hasBoundary || isTruthy(padding))
    return emit.error("boundary_check and padding_option are for block pointers; a block of "
                      "pointers takes a mask");
  return llvm::success();
}

static FailureOr<Value> load(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> pointer = pointerArgument(emit, "load", args[0]);
  FailureOr<Tensor> mask = failed(pointer) ? pointer : maskArgument(emit, args[1]);
  if (failed(pointer) || failed(mask) ||
      failed(refuseBlockPointerArguments(emit, args[3], args[4])) ||
      failed(checkScalarPointer(emit, "mask", *pointer, *mask)))
    return llvm::failure();
  auto cache = cacheModifier(emit, args[5], /*isStore=*/false);
  auto evict = evictionPolicy(emit, args[6]);
  if (failed(cache) || failed(evict))
    return llvm::failure();

  pointer = bytePointer(emit, *pointer);
  if (failed(pointer))
    return llvm::failure();
  Tensor other{};
  if (!args[2].isNone()) {
    if (!mask->handle)
      return emit.error("load takes 'other' only together with a mask");
    FailureOr<Tensor> value = toTensor(emit, args[2]);
    if (failed(value) || failed(checkScalarPointer(emit, "'other'", *pointer, *value)))
      return llvm::failure();
    DType element = pointer->type.scalar;
    value = pointer->type.pointerDepth > 1 ? castPointer(emit, *value, pointer->type.pointee())
                                           : castTo(emit, *value, element);
    if (failed(value))
      return llvm::failure();
    other = *value;
  }
  // Pointer, mask and other broadcast with each other.
  llvm::SmallVector<int64_t, 4> shape = pointer->type.shape;
  for (Tensor *operand : {&*mask, &other}) {
    if (!operand->handle)
      continue;
    auto common = commonShape(emit, shape, operand->type.shape);
    if (failed(common))
      return llvm::failure();
    shape = *common;
  }
  for (Tensor *operand : {&*pointer, &*mask, &other}) {
    if (!operand->handle)
      continue;
    FailureOr<Tensor> broadcast = broadcastTo(emit, *operand, shape);
    if (failed(broadcast))
      return llvm::failure();
    *operand = *broadcast;
  }
  auto result = tt::LoadOp::create(emit.builder, emit.location(), pointer->handle, mask->handle,
                                   other.handle, *cache, *evict, isTruthy(args[7]));
  Tensor loaded{result, pointer->type.pointee()};
  bool isBool = args[0].get<Tensor>()->type.scalar.isBool() && pointer->type.pointerDepth == 1;
  FailureOr<Tensor> value = isBool ? castTo(emit, loaded, DType::Int1) : FailureOr<Tensor>(loaded);
  return asValue(value);
}

static FailureOr<Value> store(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> pointer = pointerArgument(emit, "store", args[0]);
  FailureOr<Tensor> mask = failed(pointer) ? pointer : maskArgument(emit, args[2]);
  if (failed(pointer) || failed(mask) ||
      failed(refuseBlockPointerArguments(emit, args[3], Value(std::string()))))
    return llvm::failure();
  if (pointer->type.pointsToConst)
    return emit.error("cannot store through a pointer to const " + pointer->type.str());
  auto cache = cacheModifier(emit, args[4], /*isStore=*/true);
  auto evict = evictionPolicy(emit, args[5]);
  if (failed(cache) || failed(evict))
    return llvm::failure();
  FailureOr<Tensor> value = toTensor(emit, args[1]);
  if (failed(value) || failed(checkScalarPointer(emit, "value", *pointer, *value)) ||
      failed(checkScalarPointer(emit, "mask", *pointer, *mask)))
    return llvm::failure();
  pointer = bytePointer(emit, *pointer);
  if (failed(pointer))
    return llvm::failure();
  // Shape first, then type: the order the reference's IR has.
  value = broadcastTo(emit, *value, pointer->type.shape);
  if (succeeded(value))
    value = pointer->type.pointerDepth > 1 ? castPointer(emit, *value, pointer->type.pointee())
                                           : castTo(emit, *value, pointer->type.scalar);
  if (failed(value))
    return llvm::failure();
  if (mask->handle) {
    mask = broadcastTo(emit, *mask, pointer->type.shape);
    if (failed(mask))
      return llvm::failure();
  }
  tt::StoreOp::create(emit.builder, emit.location(), pointer->handle, value->handle, mask->handle,
                      *cache, *evict);
  return Value(NoneObject{});
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
