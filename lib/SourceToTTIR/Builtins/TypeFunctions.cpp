//===- TypeFunctions.cpp - types as compile-time objects ------------------===//
// `x.dtype.is_floating()`, `tl.pointer_type(tl.float32)`, `isinstance(x, tl.tensor)`:
// what kernels ask of types and how they make them (docs/language.md#types).
// Nothing here emits IR.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "../Operators/Semantics.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Names and numbers
//===----------------------------------------------------------------------===//

/// "int32", "fp32": Python's name of a scalar type.
static llvm::StringRef scalarName(DType type) {
  return type.isInt() ? type.languageName() : type.name();
}

static std::optional<DType> scalarOfName(llvm::StringRef name) {
  if (name == "void")
    return DType(DType::Void);
  for (DType::Kind kind : DType::all())
    if (scalarName(kind) == name)
      return DType(kind);
  return std::nullopt;
}

std::optional<Value> tessera::lookupLanguageConstant(llvm::StringRef name) {
  if (name == "TRITON_MAX_TENSOR_NUMEL")
    return Value(PythonInt(kMaxBlockElements));
  KernelType type;
  if (name == "pi32_t") {
    type.scalar = DType::Int32;
    type.pointerDepth = 1;
    return Value(TypeObject{type});
  }
  if (name == "void")
    return Value(TypeObject{type});
  if (std::optional<DType> scalar = DType::parse(name); scalar && scalar->languageName() == name) {
    type.scalar = *scalar;
    return Value(TypeObject{type});
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Questions about a type
//===----------------------------------------------------------------------===//

static Value extentsOf(const KernelType &type) {
  std::vector<Value> extents;
  for (int64_t extent : type.shape)
    extents.push_back(Value(PythonInt(extent)));
  return makeTuple(std::move(extents));
}

static std::optional<Value> scalarAttribute(DType type, llvm::StringRef name) {
  if (name == "primitive_bitwidth" || (name == "int_bitwidth" && type.isInt()))
    return Value(PythonInt(type.bits()));
  if (name == "itemsize")
    return Value(PythonInt(type.bits() / 8));
  if (name == "int_signedness" && type.isInt())
    return type.isSigned() ? Value(EnumObject{"SIGNEDNESS", "SIGNED"})
                           : Value(EnumObject{"SIGNEDNESS", "UNSIGNED"});
  if (type.isFloat() && name == "fp_mantissa_width")
    return Value(PythonInt(type.floatFormat().mantissaBits));
  if (type.isFloat() && name == "exponent_bias")
    return Value(PythonInt(type.floatFormat().bias));
  return std::nullopt;
}

static std::optional<Value> blockAttribute(const KernelType &type, llvm::StringRef name) {
  if (name == "element_ty")
    return Value(TypeObject{type.withShape({})});
  if (name == "shape")
    return extentsOf(type);
  if (name == "numel")
    return Value(PythonInt(type.numElements()));
  unsigned bits = type.isPointer() ? 64 : type.scalar.bits();
  if (name == "nbytes")
    return Value(PythonInt(type.numElements() * (bits / 8)));
  return std::nullopt;
}

static std::optional<Value> pointerAttribute(const KernelType &type, llvm::StringRef name) {
  if (name == "element_ty")
    return Value(TypeObject{type.pointee()});
  if (name == "address_space")
    return Value(PythonInt(1));
  if (name == "const")
    return Value(type.pointsToConst);
  if (name == "primitive_bitwidth" || name == "itemsize")
    return Value(PythonInt(name == "itemsize" ? 8 : 64));
  return std::nullopt;
}

std::optional<Value> tessera::lookupTypeAttribute(const KernelType &type, llvm::StringRef name) {
  if (name == "name" || name == "cache_key_part")
    return Value(dtypeName(type));
  if (name == "scalar")
    return Value(TypeObject{type.withShape({})});
  std::optional<Value> attribute = type.isBlock()     ? blockAttribute(type, name)
                                   : type.isPointer() ? pointerAttribute(type, name)
                                                      : scalarAttribute(type.scalar, name);
  if (attribute)
    return attribute;
  const Builtin *method = lookupTypeMethod(name);
  if (!method)
    return std::nullopt;
  if (name == "is_dtype") // takes a name, not a type
    return Value(BuiltinObject{method});
  return makeMethod(Value(TypeObject{type}), method);
}

/// The type that a method is asked of.
static FailureOr<KernelType> selfType(Emitter &emit, BoundArguments args) {
  if (const TypeObject *object = args[0].get<TypeObject>())
    return object->type;
  return emit.error("expected a dtype such as tl.float32, got " + args[0].describe());
}

using TypePredicate = bool (*)(const KernelType &);

template <TypePredicate predicate>
static FailureOr<Value> askType(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> type = selfType(emit, args);
  if (failed(type))
    return llvm::failure();
  return Value(predicate(*type));
}

/// A block or a pointer is no scalar, whatever it is made of.
template <DType::Kind kind> static bool isKind(const KernelType &type) {
  return !type.isBlock() && !type.isPointer() && type.scalar == kind;
}
template <bool (DType::*predicate)() const> static bool isScalar(const KernelType &type) {
  return !type.isBlock() && !type.isPointer() && (type.scalar.*predicate)();
}
/// Also of a block and of a pointer: the reference looks for the word in the name.
static bool isMadeOfFP8(const KernelType &type) { return type.scalar.isFP8(); }
static bool isBlockType(const KernelType &type) { return type.isBlock(); }
static bool isPointerType(const KernelType &type) { return type.isPointer() && !type.isBlock(); }
static bool isConstType(const KernelType &type) {
  return isPointerType(type) && type.pointsToConst;
}

template <bool isLargest> static FailureOr<Value> intLimit(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> type = selfType(emit, args);
  if (failed(type))
    return llvm::failure();
  if (!isScalar<&DType::isInt>(*type))
    return emit.error("get_int_max_value and get_int_min_value are for integer types, not " +
                      dtypeName(*type));
  bool isSigned = type->scalar.isSigned();
  PythonInt half = *PythonInt(1).shiftLeft(PythonInt(type->scalar.bits() - (isSigned ? 1 : 0)));
  if constexpr (isLargest)
    return Value(half - PythonInt(1));
  return Value(isSigned ? -half : PythonInt(0));
}

static FailureOr<Value> isTypeName(Emitter &emit, BoundArguments args) {
  const std::string *name = args[0].get<std::string>();
  if (!name)
    return emit.error("is_dtype takes a string, not " + args[0].describe());
  return Value(scalarOfName(*name).has_value());
}

static FailureOr<Value> blockShapes(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> type = selfType(emit, args);
  if (failed(type))
    return llvm::failure();
  if (!type->isBlock())
    return emit.error("get_block_shapes is for block types, not " + dtypeName(*type));
  return extentsOf(*type);
}

static FailureOr<Value> withElementType(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> type = selfType(emit, args);
  FailureOr<KernelType> element = failed(type) ? type : selfType(emit, args.drop_front());
  if (failed(type) || failed(element))
    return llvm::failure();
  return Value(TypeObject{element->withShape(type->shape)});
}

//===----------------------------------------------------------------------===//
// Making types
//===----------------------------------------------------------------------===//

static FailureOr<Value> makeDType(Emitter &emit, BoundArguments args) {
  const std::string *name = args[0].get<std::string>();
  std::optional<DType> scalar = name ? scalarOfName(*name) : std::nullopt;
  if (!scalar)
    return emit.error("tl.dtype takes the name of a type such as \"fp32\" or \"int32\", not " +
                      args[0].describe());
  KernelType type;
  type.scalar = *scalar;
  return Value(TypeObject{type});
}

static FailureOr<Value> makePointerType(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> type = selfType(emit, args);
  if (failed(type))
    return llvm::failure();
  std::optional<PythonInt> space = args[1].asInt();
  if (!space || !(*space == PythonInt(1)))
    return emit.error("pointers are into address space 1, global memory, not into " +
                      args[1].describe());
  if (type->isBlock() && !type->isPointer())
    std::swap(type->shape, type->pointeeShape); // a block pointer
  else if (type->isBlock() || type->isBlockPointer() || type->pointerDepth >= 8)
    return emit.error("there is no pointer to " + dtypeName(*type));
  type->pointerDepth += 1;
  type->pointsToConst = isTruthy(args[2]);
  return Value(TypeObject{*type});
}

static FailureOr<Value> makeBlockType(Emitter &emit, BoundArguments args) {
  FailureOr<KernelType> type = selfType(emit, args);
  if (failed(type))
    return llvm::failure();
  if (!args[1].is<TupleObject>())
    return emit.error("a shape is a tuple such as (64,), not " + args[1].describe());
  auto shape = blockShape(emit, args[1]);
  if (failed(shape))
    return llvm::failure();
  if (shape->empty() || type->isBlock() || type->isBlockPointer())
    return emit.error("a block type has an element type and at least one axis");
  return Value(TypeObject{type->withShape(*shape)});
}

static FailureOr<Value> intTypeOf(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> bits = args[0].asInt();
  int64_t width = bits && bits->fitsSigned(32) ? bits->toInt64() : 0;
  if (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)
    return emit.error("integers have 1, 8, 16, 32 or 64 bits, not " + args[0].describe());
  KernelType type;
  type.scalar = DType::integer(static_cast<unsigned>(width), isTruthy(args[1]));
  return Value(TypeObject{type});
}

/// Unwraps a tl.constexpr, as Triton's own functions do with their arguments.
static FailureOr<Value> unwrap(Emitter &, BoundArguments args) {
  return args[0].asConstexpr(false);
}

static FailureOr<Value> makeTupleOf(Emitter &emit, BoundArguments args) {
  if (const TupleObject *tuple = args[0].get<TupleObject>())
    return Value(TupleObject{tuple->elements, nullptr});
  return emit.error("expected a tuple, got " + args[0].describe());
}

static FailureOr<Value> makeTypeOfConstant(Emitter &emit, BoundArguments args) {
  if (!args[0].isPlainConstant())
    return emit.error("tl.constexpr_type takes a compile-time value, not " + args[0].describe());
  return makeConstexprType(args[0].asConstexpr(false));
}

static FailureOr<Value> refuseConstruction(Emitter &emit, BoundArguments) {
  return emit.error("this class is for isinstance and annotations; kernels get its objects from "
                    "functions such as tl.load, tl.full and tl.arange");
}

//===----------------------------------------------------------------------===//
// isinstance
//===----------------------------------------------------------------------===//

static FailureOr<bool> isInstanceOfBuiltin(Emitter &emit, const Value &value,
                                           const Builtin &builtin) {
  using Check = bool (*)(const Value &);
  Check check =
      llvm::StringSwitch<Check>(builtin.path)
          .Case("builtins.int", [](const Value &v) { return v.asInt().has_value(); })
          .Case("builtins.bool", [](const Value &v) { return v.is<bool>(); })
          .Case("builtins.float", [](const Value &v) { return v.is<double>(); })
          .Case("builtins.str", [](const Value &v) { return v.is<std::string>(); })
          .Cases({"builtins.list", "builtins.tuple", "triton.language.tuple"},
                 [](const Value &v) { return v.is<TupleObject>(); })
          .Case("builtins.dict", [](const Value &v) { return v.is<DictObject>(); })
          .Case("triton.language.tensor", [](const Value &v) { return v.is<Tensor>(); })
          .Case("triton.language.slice", [](const Value &v) { return v.is<SliceObject>(); })
          .Case("triton.language.tensor_descriptor",
                [](const Value &v) { return v.is<DescriptorObject>(); })
          .Case("triton.language.dtype", [](const Value &v) { return v.is<TypeObject>(); })
          .Case("triton.language.pointer_type",
                [](const Value &v) {
                  return v.is<TypeObject>() && isPointerType(v.get<TypeObject>()->type);
                })
          .Case("triton.language.block_type",
                [](const Value &v) {
                  return v.is<TypeObject>() && v.get<TypeObject>()->type.isBlock();
                })
          .Case("triton.language.base_value",
                [](const Value &v) {
                  return v.is<Tensor>() || v.is<TupleObject>() || v.is<DescriptorObject>() ||
                         v.is<AggregateObject>();
                })
          .Case("triton.language.constexpr_type",
                [](const Value &v) { return v.is<ConstexprTypeObject>(); })
          // The reference unwraps a compile-time value before it asks.
          .Cases({"triton.language.constexpr", "triton.language.const"},
                 [](const Value &) { return false; })
          .Default(nullptr);
  if (!check)
    return emit.error("isinstance takes a class such as tl.tensor or int, not " +
                      builtin.spelling());
  return check(value);
}

FailureOr<bool> tessera::isInstance(Emitter &emit, const Value &value, const Value &type) {
  if (const TupleObject *tuple = type.get<TupleObject>()) {
    for (const Value &each : *tuple->elements) {
      FailureOr<bool> result = isInstance(emit, value, each);
      if (failed(result) || *result)
        return result;
    }
    return false;
  }
  if (const BuiltinObject *object = type.get<BuiltinObject>())
    return isInstanceOfBuiltin(emit, value, *object->builtin);
  if (const ClassObject *object = type.get<ClassObject>()) {
    const AggregateObject *aggregate = value.get<AggregateObject>();
    const TupleObject *tuple = value.get<TupleObject>();
    return (aggregate && aggregate->type == object->type) || (tuple && tuple->type == object->type);
  }
  return emit.error("isinstance takes a class such as tl.tensor or int, not " + type.describe());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static constexpr Parameter kSelf[] = {{"self"}};
static constexpr Parameter kName[] = {{"name"}};
static constexpr Parameter kTypeName[] = {{"type_str"}};
static constexpr Parameter kElement[] = {{"self"}, {"element_ty"}};
static constexpr Parameter kPointer[] = {
    {"element_ty"}, {"address_space", Default::One}, {"const", Default::False}};
static constexpr Parameter kBlock[] = {{"element_ty"}, {"shape"}};
static constexpr Parameter kInteger[] = {{"bitwidth"}, {"signed"}};
static constexpr Parameter kTuple[] = {{"args"}};
static constexpr Parameter kValue[] = {{"o"}};
static constexpr Parameter kConstant[] = {{"value"}};
static constexpr Parameter kAnything[] = {{"args", Default::Variadic}};

#define METHOD(name, parameters, handler)                                                          \
  {"triton.language.dtype." #name, parameters, handler, false, true}
#define PREDICATE(name, predicate) METHOD(name, kSelf, askType<predicate>)
#define CLASS(name, parameters, handler)                                                           \
  {"triton.language." #name, parameters, handler, false, true}

static constexpr Builtin kMethods[] = {
    PREDICATE(is_fp8, isMadeOfFP8),
    PREDICATE(is_fp8e4nv, isKind<DType::FP8E4NV>),
    PREDICATE(is_fp8e4b8, isKind<DType::FP8E4B8>),
    PREDICATE(is_fp8e4b15, isKind<DType::FP8E4B15>),
    PREDICATE(is_fp8e5, isKind<DType::FP8E5>),
    PREDICATE(is_fp8e5b16, isKind<DType::FP8E5B16>),
    PREDICATE(is_fp16, isKind<DType::FP16>),
    PREDICATE(is_bf16, isKind<DType::BF16>),
    PREDICATE(is_fp32, isKind<DType::FP32>),
    PREDICATE(is_fp64, isKind<DType::FP64>),
    PREDICATE(is_int1, isKind<DType::Int1>),
    PREDICATE(is_int8, isKind<DType::Int8>),
    PREDICATE(is_int16, isKind<DType::Int16>),
    PREDICATE(is_int32, isKind<DType::Int32>),
    PREDICATE(is_int64, isKind<DType::Int64>),
    PREDICATE(is_uint8, isKind<DType::UInt8>),
    PREDICATE(is_uint16, isKind<DType::UInt16>),
    PREDICATE(is_uint32, isKind<DType::UInt32>),
    PREDICATE(is_uint64, isKind<DType::UInt64>),
    PREDICATE(is_floating, isScalar<&DType::isFloat>),
    PREDICATE(is_standard_floating, isScalar<&DType::isStandardFloat>),
    PREDICATE(is_int_signed, isScalar<&DType::isSigned>),
    PREDICATE(is_int_unsigned, isScalar<&DType::isUnsigned>),
    PREDICATE(is_int, isScalar<&DType::isInt>),
    PREDICATE(is_bool, isScalar<&DType::isBool>),
    PREDICATE(is_void, isKind<DType::Void>),
    PREDICATE(is_block, isBlockType),
    PREDICATE(is_ptr, isPointerType),
    PREDICATE(is_const, isConstType),
    METHOD(get_int_max_value, kSelf, intLimit<true>),
    METHOD(get_int_min_value, kSelf, intLimit<false>),
    METHOD(is_dtype, kTypeName, isTypeName),
    METHOD(get_block_shapes, kSelf, blockShapes),
    METHOD(with_element_ty, kElement, withElementType),
};

const Builtin *tessera::lookupTypeMethod(llvm::StringRef name) {
  for (const Builtin &method : kMethods)
    if (method.name() == name)
      return &method;
  return nullptr;
}

llvm::ArrayRef<Builtin> tessera::typeMethodBuiltins() { return kMethods; }

llvm::ArrayRef<Builtin> tessera::typeBuiltins() {
  static constexpr Builtin rows[] = {
      CLASS(dtype, kName, makeDType),
      CLASS(pointer_type, kPointer, makePointerType),
      CLASS(block_type, kBlock, makeBlockType),
      CLASS(get_int_dtype, kInteger, intTypeOf),
      CLASS(_unwrap_if_constexpr, kValue, unwrap),
      CLASS(tuple, kTuple, makeTupleOf),
      CLASS(tensor, kAnything, refuseConstruction),
      CLASS(slice, kAnything, refuseConstruction),
      CLASS(const, kAnything, refuseConstruction),
      CLASS(constexpr_type, kConstant, makeTypeOfConstant),
      CLASS(tuple_type, kAnything, refuseConstruction),
      CLASS(tensor_descriptor, kAnything, refuseConstruction),
      CLASS(tensor_descriptor_type, kAnything, refuseConstruction),
      CLASS(base_value, kAnything, refuseConstruction),
      CLASS(base_type, kAnything, refuseConstruction),
      CLASS(PropagateNan, kAnything, refuseConstruction),
  };
  return rows;
}
#undef METHOD
#undef PREDICATE
#undef CLASS
