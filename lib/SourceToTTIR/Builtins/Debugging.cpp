//===- Debugging.cpp - hints, assertions and printing ---------------------===//
// What a kernel promises (multiple_of, assume), what it checks (static_assert,
// device_assert) and what it prints (static_print while it is compiled,
// device_print while it runs). See docs/language.md#hints-and-debugging.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "MemoryArguments.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "../Operators/Semantics.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// Attaches a promise to the operation that defines the value, where that operation is
/// about this value alone and keeps its attributes. A call disappears when it is inlined,
/// and what a branch or a loop yields is known from what enters it.
static void attachHint(Emitter &emit, mlir::Value value, llvm::StringRef name,
                       mlir::Attribute promise) {
  mlir::Operation *definition = value.getDefiningOp();
  if (definition && definition->getNumResults() == 1 && definition->getNumRegions() == 0 &&
      !llvm::isa<tt::CallOp>(definition))
    definition->setAttr(name, promise);
  else if (emit.functions)
    emit.functions->promise(value, name, promise);
}

static FailureOr<llvm::SmallVector<int32_t>> hintValues(Emitter &emit, llvm::StringRef function,
                                                        const Value &value) {
  llvm::ArrayRef<Value> elements = listElements(value);
  llvm::SmallVector<int32_t> values;
  for (const Value &element : elements) {
    std::optional<PythonInt> number = element.asInt();
    if (!number || !number->fitsSigned(32) || number->toInt64() <= 0)
      return emit.error(function + " takes a compile-time int above 0, or a list of them, not " +
                        element.describe());
    values.push_back(static_cast<int32_t>(number->toInt64()));
  }
  return values;
}

static FailureOr<Value> hint(Emitter &emit, llvm::StringRef function, llvm::StringRef attribute,
                             size_t scalarValues, BoundArguments args) {
  FailureOr<Tensor> input = toTensor(emit, args[0]);
  if (failed(input))
    return llvm::failure();
  auto values = hintValues(emit, function, args[1]);
  if (failed(values))
    return llvm::failure();
  if (!input->type.isBlock() && scalarValues == 0)
    return emit.error(function + " is about the elements of a block, not about the scalar " +
                      input->type.str());
  size_t expected = input->type.isBlock() ? input->type.shape.size() : scalarValues;
  if (values->size() != expected)
    return emit.error(function + " takes one value for each axis: " + input->type.str() +
                      " needs " + llvm::Twine(expected) + ", got " + llvm::Twine(values->size()));
  attachHint(emit, input->handle, attribute, emit.builder.getI32TensorAttr(*values));
  return Value(*input);
}

static FailureOr<Value> multipleOf(Emitter &emit, BoundArguments args) {
  return hint(emit, "multiple_of", tt::kDivisibilityAttr, /*scalarValues=*/1, args);
}
static FailureOr<Value> maxContiguous(Emitter &emit, BoundArguments args) {
  return hint(emit, "max_contiguous", tt::kContiguityAttr, /*scalarValues=*/0, args);
}
static FailureOr<Value> maxConstancy(Emitter &emit, BoundArguments args) {
  return hint(emit, "max_constancy", tt::kConstancyAttr, /*scalarValues=*/0, args);
}

static FailureOr<Value> assume(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> condition = toTensor(emit, args[0]);
  if (failed(condition))
    return llvm::failure();
  if (condition->type.isBlock() || !condition->type.isBool())
    return emit.error("assume takes a scalar condition, not " + condition->type.str() +
                      (condition->type.isBlock() ? "" : "; compare with 0"));
  emit.context()->loadDialect<mlir::LLVM::LLVMDialect>();
  mlir::LLVM::AssumeOp::create(emit.builder, emit.location(), condition->handle);
  return Value(NoneObject{});
}

static FailureOr<Value> debugBarrier(Emitter &emit, BoundArguments) {
  emit.context()->loadDialect<mlir::gpu::GPUDialect>();
  mlir::gpu::BarrierOp::create(emit.builder, emit.location());
  return Value(NoneObject{});
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

static FailureOr<Value> staticAssert(Emitter &emit, BoundArguments args) {
  if (args[0].isTensor())
    return emit.error("static_assert takes a compile-time condition, not " + args[0].describe() +
                      "; device_assert checks at run time");
  if (!args[0].is<bool>())
    return emit.error("static_assert takes a bool, not " + args[0].describe() +
                      "; write a comparison");
  if (isTruthy(args[0]))
    return Value(NoneObject{});
  std::string message = pythonStr(args[1]);
  if (emit.library.file) // the library's way to refuse an argument, not an assertion of the user's
    return emit.error(message);
  (void)emit.error(message.empty() ? "static assertion failed"
                                   : "static assertion failed: " + message);
  emit.diagnostics.setCode("static-assert");
  return llvm::failure();
}

/// A condition or a mask in bools; a number is compared with 0, as `if` does.
static FailureOr<Tensor> truthOf(Emitter &emit, const Value &value) {
  FailureOr<Tensor> condition = toTensor(emit, value);
  return failed(condition) ? condition : castTo(emit, *condition, DType::Int1);
}

static FailureOr<Value> deviceAssert(Emitter &emit, BoundArguments args) {
  const std::string *message = args[1].get<std::string>();
  if (!message)
    return emit.error("device_assert takes a compile-time string as message, not " +
                      args[1].describe());
  // A kernel that is not being debugged does not even evaluate the condition's type.
  if (!emit.target || !emit.target->isDebug)
    return Value(NoneObject{});
  FailureOr<Tensor> condition = truthOf(emit, args[0]);
  if (failed(condition))
    return llvm::failure();
  if (!args[2].isNone()) { // where the mask is false, anything holds
    FailureOr<Tensor> mask = truthOf(emit, args[2]);
    if (failed(mask))
      return llvm::failure();
    FailureOr<Value> isOff = unary(emit, UnaryOp::Invert, Value(*mask));
    FailureOr<Value> holds =
        failed(isOff) ? isOff : binary(emit, BinaryOp::Or, Value(*condition), *isOff);
    if (failed(holds))
      return llvm::failure();
    condition = *holds->get<Tensor>();
  }
  tt::AssertOp::create(emit.builder, emit.location(), condition->handle, *message);
  return Value(NoneObject{});
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// "pid" becomes " pid: " before values: readable next to the position that the device
/// prints in front of it.
static std::string decoratePrefix(std::string prefix, bool hasValues) {
  if (hasValues) {
    if (!llvm::StringRef(prefix).ends_with(" "))
      prefix += " ";
    if (!llvm::StringRef(prefix).ends_with(": "))
      prefix = prefix.substr(0, prefix.size() - 1) + ": ";
  }
  if (prefix.size() > 2 && prefix.front() != ' ')
    prefix = " " + prefix;
  return prefix;
}

static FailureOr<Value> devicePrint(Emitter &emit, BoundArguments args) {
  const std::string *prefix = args[0].get<std::string>();
  if (!prefix)
    return emit.error("device_print takes a compile-time string first, not " + args[0].describe() +
                      "; print(\"x\", x)");
  auto isAllowed = [](char c) { return llvm::isPrint(c) || (c >= '\t' && c <= '\r'); };
  if (!llvm::all_of(*prefix, isAllowed))
    return emit.error("device_print takes printable ASCII as prefix, not " + args[0].describe());
  llvm::SmallVector<mlir::Value> handles;
  llvm::SmallVector<int32_t> signs;
  for (const Value &value : *args[1].get<TupleObject>()->elements) {
    FailureOr<Tensor> tensor = toTensor(emit, value);
    if (failed(tensor))
      return llvm::failure();
    if (tensor->type.isBlockPointer())
      return emit.error("device_print prints numbers and pointers, not " + value.describe());
    handles.push_back(tensor->handle);
    signs.push_back(tensor->type.isInt() && tensor->type.scalar.isSigned());
  }
  tt::PrintOp::create(emit.builder, emit.location(), decoratePrefix(*prefix, !handles.empty()),
                      isTruthy(args[2]), handles, signs);
  return Value(NoneObject{});
}

/// `sep` and `end`: a string, or None for the default.
static FailureOr<std::string> printOption(Emitter &emit, llvm::StringRef name, const Value &value,
                                          llvm::StringRef fallback) {
  if (value.isNone())
    return fallback.str();
  if (const std::string *text = value.get<std::string>())
    return *text;
  return emit.error("static_print takes a string as '" + name + "', not " + value.describe());
}

static FailureOr<Value> staticPrint(Emitter &emit, BoundArguments args) {
  FailureOr<std::string> separator = printOption(emit, "sep", args[1], " ");
  FailureOr<std::string> end =
      failed(separator) ? separator : printOption(emit, "end", args[2], "\n");
  if (failed(separator) || failed(end))
    return llvm::failure();
  const std::vector<Value> &values = *args[0].get<TupleObject>()->elements;
  emit.diagnostics.output(llvm::join(llvm::map_range(values, pythonStr), *separator) + *end);
  return Value(NoneObject{});
}

static constexpr Parameter kHint[] = {{"input"}, {"values"}};
static constexpr Parameter kCondition[] = {{"cond"}};
static constexpr Parameter kAssert[] = {{"cond"}, {"msg", Default::EmptyString}};
static constexpr Parameter kDeviceAssert[] = {
    {"cond"}, {"msg", Default::EmptyString}, {"mask", Default::None}};
static constexpr Parameter kDevicePrint[] = {
    {"prefix"}, {"args", Default::Variadic}, {"hex", Default::False}};
static constexpr Parameter kStaticPrint[] = {{"values", Default::Variadic},
                                             {"sep", Default::None},
                                             {"end", Default::None},
                                             {"file", Default::None},
                                             {"flush", Default::False}};

llvm::ArrayRef<Builtin> tessera::debuggingBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.multiple_of", kHint, multipleOf},
      {"triton.language.max_contiguous", kHint, maxContiguous},
      {"triton.language.max_constancy", kHint, maxConstancy},
      {"triton.language.assume", kCondition, assume},
      {"triton.language.debug_barrier", {}, debugBarrier},
      {"triton.language.static_assert", kAssert, staticAssert, false, true},
      {"triton.language.device_assert", kDeviceAssert, deviceAssert},
      {"triton.language.static_print", kStaticPrint, staticPrint, false, true},
      {"triton.language.device_print", kDevicePrint, devicePrint},
      {"builtins.print", kDevicePrint, devicePrint},
  };
  return rows;
}
