//===- MemoryArguments.cpp - arguments that memory functions share --------===//
#include "MemoryArguments.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

LogicalResult tessera::refuseChoice(Emitter &emit, llvm::StringRef parameter, const Value &value,
                                    llvm::ArrayRef<llvm::StringRef> words) {
  std::string list = llvm::join(
      llvm::map_range(words, [](llvm::StringRef word) { return ("\"" + word + "\"").str(); }),
      ", ");
  return emit.error(parameter + " is one of " + list + ", not " + value.describe());
}

FailureOr<std::optional<tt::PaddingOption>>
tessera::paddingOption(Emitter &emit, const Value &value, DType element) {
  using Padding = std::optional<tt::PaddingOption>;
  static constexpr Choice<Padding> choices[] = {{"zero", tt::PaddingOption::Zero},
                                                {"nan", tt::PaddingOption::NaN}};
  FailureOr<Padding> padding = choose(emit, "padding_option", value, choices, Padding());
  bool hasNaN = element.isFloat() && element != DType::FP8E4B15;
  if (succeeded(padding) && *padding == tt::PaddingOption::NaN && !hasNaN)
    return emit.error("padding_option \"nan\" needs a type that has NaN, and " + element.name() +
                      " has none; pad it with \"zero\"");
  return padding;
}

FailureOr<Tensor> tessera::pointerArgument(Emitter &emit, llvm::StringRef function,
                                           const Value &value) {
  const Tensor *tensor = value.get<Tensor>();
  if (value.is<DescriptorObject>())
    return emit.error(function + " takes a pointer or a block of pointers, not " +
                      value.describe() + "; a descriptor has methods of its own");
  if (!tensor || !tensor->type.isPointer()) {
    bool isOffset = tensor && tensor->type.scalar.isInt() && !tensor->type.isPointer();
    return emit.error(
        function + " takes a pointer or a block of pointers, not " + value.describe() +
        (isOffset ? "; add the offsets to a pointer: array arguments are pointers" : ""));
  }
  return *tensor;
}

FailureOr<Tensor> tessera::maskArgument(Emitter &emit, const Value &value) {
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

FailureOr<Tensor> tessera::bytePointer(Emitter &emit, Tensor pointer) {
  if (pointer.type.pointerDepth != 1 || !pointer.type.scalar.isBool())
    return pointer;
  KernelType bytes = pointer.type;
  bytes.scalar = DType::Int8;
  return castPointer(emit, pointer, bytes);
}

static LogicalResult refuseIndex(Emitter &emit, llvm::StringRef parameter, const Value &value,
                                 DType type, llvm::StringRef hint) {
  return emit.error("'" + parameter + "' is made of " + llvm::Twine(type.bits()) +
                    "-bit integers, not of " + value.describe() + hint);
}

FailureOr<Tensor> tessera::indexArgument(Emitter &emit, llvm::StringRef parameter,
                                         const Value &value, DType type, bool mayNarrow) {
  if (std::optional<PythonInt> number = value.asInt()) {
    if (!number->fitsSigned(type.bits()))
      return refuseIndex(emit, parameter, value, type, "");
    return constantOfType(emit, Value(*number), type);
  }
  const Tensor *tensor = value.get<Tensor>();
  if (!tensor || !tensor->type.isInt())
    return refuseIndex(emit, parameter, value, type, "");
  if (tensor->type.isBlock())
    return refuseIndex(emit, parameter, value, type, "; each element is a scalar");
  if (tensor->type.scalar.bits() > type.bits() && !mayNarrow)
    return refuseIndex(emit, parameter, value, type,
                       "; convert with .to(tl.int32), or use pointers, which take 64-bit offsets");
  return castTo(emit, *tensor, type);
}

std::string tessera::axesOf(size_t rank) {
  return rank == 1 ? "axis 0" : "axes 0 to " + std::to_string(rank - 1);
}

llvm::ArrayRef<Value> tessera::listElements(const Value &value) {
  if (const TupleObject *tuple = value.get<TupleObject>())
    return *tuple->elements;
  return value;
}

FailureOr<llvm::SmallVector<mlir::Value>>
tessera::indexList(Emitter &emit, llvm::StringRef parameter, const Value &list, DType type) {
  llvm::SmallVector<mlir::Value> handles;
  for (const Value &element : listElements(list)) {
    FailureOr<Tensor> index = indexArgument(emit, parameter, element, type);
    if (failed(index))
      return llvm::failure();
    handles.push_back(index->handle);
  }
  return handles;
}
