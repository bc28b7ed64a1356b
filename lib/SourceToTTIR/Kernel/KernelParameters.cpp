//===- KernelParameters.cpp - what each parameter of a kernel becomes -----===//
#include "KernelParameters.h"
#include "Program.h"
#include "tessera/TTIR/IR/DescriptorParts.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Matching the signature
//===----------------------------------------------------------------------===//

/// "x_ptr: a type, such as *fp32" for each parameter; then the entries too many.
static std::string whatEachNeeds(llvm::ArrayRef<KernelParameter> parameters,
                                 llvm::ArrayRef<FormalParameter> formal,
                                 llvm::ArrayRef<SignatureEntry> signature) {
  std::string text;
  for (auto [position, parameter] : llvm::enumerate(parameters)) {
    llvm::StringRef name = ref(parameter.node->arg);
    bool looksLikePointer =
        name.ends_with("ptr") || name.ends_with("Ptr") || name.ends_with("_desc");
    bool isMissing = position >= signature.size() && !formal[position].hasDefault();
    text += ("\n  " + llvm::Twine(position + 1) + ". " + name + ": " +
             (parameter.isConstexpr ? "a constant, such as 64"
              : looksLikePointer    ? "a type, such as *fp32 or *fp16:16"
                                    : "a type, such as i32 or *fp32") +
             (isMissing ? "   <- missing" : ""))
                .str();
  }
  for (size_t i = parameters.size(); i < signature.size(); ++i)
    text += ("\n  " + llvm::Twine(i + 1) + ". " + signature[i].text + "   <- one too many").str();
  return text;
}

/// The type that an annotation such as `int`, `tl.float64` or "*fp16" stands for; nothing
/// for any other annotation.
static std::optional<KernelType> annotatedType(Emitter &emit, const JitFunction &kernel,
                                               const ast::Expr *annotation) {
  if (auto *text = llvm::dyn_cast<ast::Constant>(annotation)) {
    if (!text->isStr())
      return std::nullopt;
    llvm::StringRef written = ref(text->text).trim();
    written.consume_front("tl.");
    if (std::optional<KernelType> type = KernelType::parse(written))
      return type;
    std::optional<DType> scalar = DType::parse(written);
    return scalar ? std::optional(KernelType{*scalar}) : std::nullopt;
  }
  DiagnosticEngine ignored;
  Emitter quiet(nullptr, ignored);
  quiet.file = kernel.file;
  quiet.modules = emit.modules;
  FailureOr<Value> value = evaluateConstantExpression(quiet, *kernel.globals, annotation);
  if (failed(value))
    return std::nullopt;
  if (const TypeObject *type = value->get<TypeObject>())
    return type->type;
  const BuiltinObject *object = value->get<BuiltinObject>();
  llvm::StringRef path = object ? llvm::StringRef(object->builtin->path) : "";
  if (path == "builtins.int")
    return KernelType{DType::Int32};
  if (path == "builtins.float")
    return KernelType{DType::FP32};
  if (path == "host.bool")
    return KernelType{DType::Int1};
  return std::nullopt;
}

/// The named tuple that `t: Point` stands for, if a tuple of `count` elements can be one.
static const ClassDefinition *annotatedTuple(Emitter &emit, const JitFunction &kernel,
                                             const ast::Expr *annotation, size_t count) {
  DiagnosticEngine ignored;
  Emitter quiet(nullptr, ignored);
  quiet.file = kernel.file;
  quiet.modules = emit.modules;
  FailureOr<Value> value = evaluateConstantExpression(quiet, *kernel.globals, annotation);
  const ClassObject *found = failed(value) ? nullptr : value->get<ClassObject>();
  bool fits = found && found->type->kind == ClassDefinition::NamedTuple &&
              found->type->fields.size() == count;
  return fits ? found->type : nullptr;
}

static LogicalResult checkEntry(Emitter &emit, const JitFunction &kernel,
                                const KernelParameter &parameter) {
  llvm::StringRef name = ref(parameter.node->arg);
  const SignatureEntry &entry = parameter.entry;
  if (parameter.isConstexpr && !entry.isConstant)
    return emit.errorAt(parameter.node->range,
                        "'" + name +
                            "' is a tl.constexpr: its signature entry is a constant such as 64, "
                            "not the type '" +
                            entry.text + "'" +
                            (entry.type.isPointer() || entry.isTuple || entry.isDescriptor
                                 ? ""
                                 : "; a dtype is written tl." + entry.type.scalar.languageName()));
  RangeScope scope(emit, parameter.node->range);
  if (!entry.isConstant && !entry.isTuple && failed(checkTypeExists(emit, entry.type.scalar)))
    return llvm::failure();
  if (entry.isConstant || entry.isTuple || entry.isDescriptor || !parameter.node->annotation ||
      kernel.live.answers) // which has looked at the annotations
    return llvm::success();
  // A launch from Python passes what the annotation says, whatever this signature says.
  std::optional<KernelType> annotated = annotatedType(emit, kernel, parameter.node->annotation);
  if (annotated && !annotated->isBlock() && *annotated != entry.type)
    emit.diagnostics.warning(*emit.file, parameter.node->range,
                             ("'" + name + "' is annotated as " + annotated->str() +
                              ", which launches pass, and the signature says " + entry.type.str())
                                 .str());
  return llvm::success();
}

/// A tl.constexpr is always specialised on its value.
static LogicalResult checkSpecialization(Emitter &emit, const JitFunction &kernel,
                                         llvm::ArrayRef<KernelParameter> parameters) {
  for (const ast::Keyword *keyword :
       kernel.options ? kernel.options->keywords : ast::Seq<ast::Keyword *>()) {
    if (!ref(keyword->arg).starts_with("do_not_specialize"))
      continue;
    DiagnosticEngine ignored;
    Emitter quiet(nullptr, ignored);
    quiet.file = kernel.file;
    quiet.modules = emit.modules;
    FailureOr<Value> list = evaluateConstantExpression(quiet, *kernel.globals, keyword->value);
    FailureOr<std::vector<Value>> items = llvm::failure();
    if (succeeded(list))
      items = itemsOf(quiet, *list);
    for (const Value &item : failed(items) ? std::vector<Value>() : *items)
      for (auto [position, parameter] : llvm::enumerate(parameters)) {
        bool isMeant = isEqual(item, Value(std::string(parameter.node->arg))) ||
                       isEqual(item, Value(PythonInt(position)));
        if (isMeant && parameter.isConstexpr)
          return emit.errorAt(parameter.node->range,
                              "'" + ref(parameter.node->arg) +
                                  "' is a tl.constexpr, and the decorator lists it in " +
                                  ref(keyword->arg) + "; drop one of the two");
      }
  }
  return llvm::success();
}

FailureOr<std::vector<KernelParameter>>
tessera::kernelParameters(Emitter &emit, const JitFunction &kernel,
                          llvm::ArrayRef<SignatureEntry> signature) {
  auto formal = formalParameters(emit, kernel);
  if (failed(formal))
    return llvm::failure();
  std::vector<KernelParameter> parameters;
  for (const FormalParameter &parameter : *formal) {
    const ast::Expr *annotation = parameter.node->annotation;
    HostAnswers *host = kernel.live.answers;
    parameters.push_back(
        {parameter.node, host ? host->isConstexpr(kernel.live.index, ref(parameter.node->arg))
                              : annotation && isConstexprAnnotation(*kernel.globals, annotation)});
  }
  size_t needed = parameters.size();
  while (needed > 0 && (*formal)[needed - 1].defaultValue && !kernel.live.answers)
    --needed;
  if (signature.size() < needed || signature.size() > parameters.size()) {
    SourceRange where = kernel.definition->range;
    where.end = where.begin;
    return emit.errorAt(where, "the signature has " + llvm::Twine(signature.size()) +
                                   (signature.size() == 1 ? " entry and '" : " entries and '") +
                                   kernel.name + "' takes " + llvm::Twine(parameters.size()) + ":" +
                                   whatEachNeeds(parameters, *formal, signature));
  }
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (i < signature.size()) {
      parameter.entry = signature[i];
      if (failed(checkEntry(emit, kernel, parameter)))
        return llvm::failure();
      SignatureEntry &entry = parameter.entry;
      if (entry.isTuple && !entry.tupleClass && parameter.node->annotation)
        entry.tupleClass =
            annotatedTuple(emit, kernel, parameter.node->annotation, entry.elements.size());
      continue;
    }
    RangeScope scope(emit, parameter.node->range);
    FailureOr<Value> value =
        evaluateConstantExpression(emit, *kernel.globals, (*formal)[i].defaultValue);
    FailureOr<Value> seen = failed(value) ? value : kernelView(emit, *value);
    if (failed(seen))
      return llvm::failure();
    if (const HostObject *host = seen->get<HostObject>())
      return emit.errorAt((*formal)[i].defaultValue->range,
                          "the default of '" + ref(parameter.node->arg) +
                              "' is known to Python only (" + host->why +
                              "); give its entry in the signature");
    parameter.entry.isConstant = true;
    parameter.fallback = *seen;
  }
  if (failed(checkSpecialization(emit, kernel, parameters)))
    return llvm::failure();
  return parameters;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value of a constant entry.
static Value constantValue(const SignatureEntry &entry) {
  if (entry.constant)
    return *entry.constant;
  if (entry.isFixedToOne)
    return Value(PythonInt(1));
  llvm::StringRef text = entry.text;
  if (text == "True" || text == "False")
    return Value(text == "True");
  if (text == "None")
    return Value(NoneObject{});
  if (text.front() == '\'' || text.front() == '"')
    return Value(text.drop_front().drop_back().str());
  if (text.consume_front("tl."))
    return Value(TypeObject{KernelType{*DType::parse(text)}});
  llvm::StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  if (!isNegative)
    digits.consume_front("+");
  llvm::APInt integer;
  if (!digits.getAsInteger(0, integer)) {
    llvm::SmallString<32> decimal;
    integer.toStringUnsigned(decimal);
    PythonInt value = PythonInt::parse(decimal, 10);
    return Value(isNegative ? -value : value);
  }
  double number = 0;
  digits.getAsDouble(number);
  return Value(isNegative ? -number : number);
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

/// How many elements fill so many bytes, which they divide; 0 bytes have none.
static unsigned elementsIn(unsigned bytes, DType element) {
  return bytes / element.bytesInMemory();
}

/// "64", "(1, 2)", "tl.float16": the compile-time value of the parameter as Python text.
static std::string constantText(const KernelParameter &parameter) {
  const Value *value = parameter.fallback ? &*parameter.fallback : parameter.entry.constant;
  if (value) {
    const TypeObject *type = value->get<TypeObject>();
    return type ? ("tl." + type->type.scalar.languageName()).str() : pythonRepr(*value);
  }
  return parameter.entry.isFixedToOne ? "1" : parameter.entry.text;
}

/// A descriptor is passed in parts (docs/abi.md).
static void describeDescriptor(const std::string &name, const SignatureEntry &entry,
                               std::vector<KernelArgument> &result) {
  DType element = entry.type.scalar;
  unsigned rank = entry.type.shape.size();
  KernelType base{element, /*pointerDepth=*/1};
  size_t first = result.size();
  for (const tt::DescriptorPart &part : tt::getDescriptorParts(rank, element.bits()))
    result.push_back(
        {name + "." + part.name, part.bits ? part.typeName() : base.str(), part.divisibility});
  if (entry.divisibility)
    result[first + rank].divisibility = elementsIn(entry.divisibility, element);
  std::string extents = llvm::join(
      llvm::map_range(entry.type.shape, [](int64_t extent) { return std::to_string(extent); }),
      ", ");
  result[first].descriptor =
      ("tensordesc<" + element.name() + "[" + extents + "]" + (entry.padsWithNaN ? ",nan>" : ">"))
          .str();
}

/// A tuple is its elements, each named by its path.
static void describeEntry(const std::string &name, const KernelParameter &parameter,
                          std::vector<KernelArgument> &result) {
  const SignatureEntry &entry = parameter.entry;
  if (entry.isDescriptor)
    return describeDescriptor(name, entry, result);
  if (entry.isTuple && !entry.isConstant) {
    for (auto [index, element] : llvm::enumerate(entry.elements)) {
      std::string field =
          entry.tupleClass ? entry.tupleClass->fields[index] : std::to_string(index);
      describeEntry(name + "." + field, {parameter.node, parameter.isConstexpr, element}, result);
    }
    return;
  }
  bool isTyped = !entry.isConstant || entry.isFixedToOne;
  result.push_back({name, isTyped ? entry.type.str() : "constexpr",
                    entry.divisibility ? entry.divisibility : 1});
  if (entry.isConstant)
    result.back().constant = constantText(parameter);
}

std::vector<KernelArgument>
tessera::describeParameters(llvm::ArrayRef<KernelParameter> parameters) {
  std::vector<KernelArgument> result;
  for (const KernelParameter &parameter : parameters)
    describeEntry(std::string(parameter.node->arg), parameter, result);
  return result;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// A host descriptor is followed by its shape and strides, as i32 and i64. What its meaning
/// promises of base and strides (tt-rewrite-tensor-descriptor-to-pointer) need not be said here.
static void argumentTypes(Emitter &emit, const SignatureEntry &entry,
                          llvm::SmallVectorImpl<mlir::Type> &types,
                          llvm::SmallVectorImpl<mlir::DictionaryAttr> &attributes) {
  mlir::OpBuilder &builder = emit.builder;
  auto hintsOf = [&](unsigned divisibility) -> llvm::SmallVector<mlir::NamedAttribute> {
    if (divisibility <= 1)
      return {};
    return {builder.getNamedAttr(tt::kDivisibilityAttr, builder.getI32IntegerAttr(divisibility))};
  };
  auto add = [&](mlir::Type type, llvm::ArrayRef<mlir::NamedAttribute> hints = {}) {
    types.push_back(type);
    attributes.push_back(builder.getDictionaryAttr(hints));
  };
  if (entry.isTuple) {
    for (const SignatureEntry &element : entry.elements)
      argumentTypes(emit, element, types, attributes);
  } else if (entry.isDescriptor) {
    llvm::SmallVector<mlir::NamedAttribute> padding;
    if (entry.padsWithNaN)
      padding.push_back(builder.getNamedAttr(
          tt::kPaddingAttr, builder.getI32IntegerAttr(int32_t(tt::PaddingOption::NaN))));
    add(descriptorType(emit.context(), entry.type), padding);
    for (size_t i = 1; i < entry.type.shape.size(); ++i)
      add(builder.getI32Type());
    add(builder.getI32Type(), hintsOf(elementsIn(entry.divisibility, entry.type.scalar)));
    for (size_t i = 0; i < entry.type.shape.size(); ++i)
      add(builder.getI64Type());
  } else if (!entry.isConstant) {
    llvm::SmallVector<mlir::NamedAttribute> hints = hintsOf(entry.divisibility);
    if (entry.isSmall)
      hints.push_back(builder.getNamedAttr(tt::kPointerRangeAttr, builder.getI32IntegerAttr(32)));
    add(toIR(entry.type, emit.context()), hints);
  }
}

/// The parameter's value over the function's next arguments.
static Value valueFor(const SignatureEntry &entry, llvm::ArrayRef<mlir::BlockArgument> &arguments) {
  if (entry.isTuple) {
    std::vector<Value> elements;
    for (const SignatureEntry &element : entry.elements)
      elements.push_back(valueFor(element, arguments));
    return makeTuple(std::move(elements), entry.tupleClass);
  }
  if (entry.isConstant)
    return constantValue(entry);
  if (!entry.isDescriptor)
    return Value(Tensor{arguments.consume_front(), entry.type});
  DescriptorObject descriptor{arguments.consume_front(), entry.type, nullptr, nullptr};
  auto take = [&](DType type) {
    auto values = std::make_shared<std::vector<Value>>();
    for (size_t i = 0; i < entry.type.shape.size(); ++i)
      values->push_back(Value(Tensor{arguments.consume_front(), KernelType{type}}));
    return values;
  };
  descriptor.shape = take(DType::Int32);
  descriptor.strides = take(DType::Int64);
  return Value(descriptor);
}

void tessera::createKernelFunction(Emitter &emit, llvm::StringRef symbol,
                                   llvm::ArrayRef<KernelParameter> parameters,
                                   Evaluator &translator) {
  mlir::OpBuilder &builder = emit.builder;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  llvm::SmallVector<size_t> firstArgument;
  for (const KernelParameter &parameter : parameters) {
    firstArgument.push_back(types.size());
    argumentTypes(emit, parameter.entry, types, attributes);
  }
  firstArgument.push_back(types.size());
  // Spelled out: the reference prints `public`, which is MLIR's silent default.
  mlir::NamedAttribute functionAttributes[] = {
      builder.getNamedAttr("sym_visibility", builder.getStringAttr("public")),
      builder.getNamedAttr("noinline", builder.getBoolAttr(false))};
  auto function =
      tt::FuncOp::create(builder, emit.location(), symbol, builder.getFunctionType(types, {}),
                         functionAttributes, attributes);
  mlir::Block *body = &function.getBody().emplaceBlock();
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    llvm::StringRef name = ref(parameter.node->arg);
    RangeScope scope(emit, parameter.node->range);
    llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, name);
    llvm::SmallVector<mlir::BlockArgument> added;
    for (size_t at = firstArgument[i]; at < firstArgument[i + 1]; ++at)
      added.push_back(body->addArgument(types[at], emit.location()));
    llvm::ArrayRef<mlir::BlockArgument> arguments(added);
    translator.define(
        name, parameter.fallback ? *parameter.fallback : valueFor(parameter.entry, arguments),
        parameter.node->range);
  }
  builder.setInsertionPointToStart(body);
}

//===----------------------------------------------------------------------===//
// repr=
//===----------------------------------------------------------------------===//

std::string tessera::kernelSymbol(Emitter &emit, const JitFunction &kernel,
                                  llvm::ArrayRef<KernelParameter> parameters) {
  const ast::Expr *namer = nullptr;
  for (const ast::Keyword *keyword :
       kernel.options ? kernel.options->keywords : ast::Seq<ast::Keyword *>())
    if (keyword->arg == "repr")
      namer = keyword->value;
  if (!namer)
    return kernel.name;
  // The argument of `repr`: the constants and the types, by parameter.
  DictObject constants{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  DictObject types{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  for (const KernelParameter &parameter : parameters) {
    Value name(std::string(parameter.node->arg));
    llvm::ArrayRef<mlir::BlockArgument> none;
    if (parameter.entry.isConstant)
      setItem(constants, name,
              parameter.fallback ? *parameter.fallback : valueFor(parameter.entry, none));
    setItem(types, name,
            Value(parameter.entry.isConstant && !parameter.entry.isFixedToOne
                      ? std::string("constexpr")
                      : parameter.entry.text));
  }
  ClassDefinition proxy{"SpecializationProxy", nullptr, kernel.file, kernel.globals};
  proxy.fields = {"constants", "signature"};
  proxy.kind = ClassDefinition::NamedTuple;
  Value specialization = makeTuple({Value(constants), Value(types)}, &proxy);
  DiagnosticEngine problems;
  Emitter quiet(nullptr, problems);
  quiet.file = kernel.file;
  quiet.modules = emit.modules;
  FailureOr<Value> function = evaluateConstantExpression(quiet, *kernel.globals, namer);
  FailureOr<Value> name = function;
  if (succeeded(function))
    name = callHost(quiet, *function, {{"", specialization, namer->range}});
  const std::string *text = failed(name) ? nullptr : name->get<std::string>();
  bool isIdentifier = text && !text->empty() && !llvm::isDigit(text->front()) &&
                      llvm::all_of(*text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isIdentifier)
    return *text;
  std::string why = text                             ? "'" + *text + "' is no identifier"
                    : problems.diagnostics().empty() ? "it gives no text"
                                                     : problems.diagnostics().front().message;
  emit.diagnostics.warning(*kernel.file, namer->range,
                           "repr does not name the kernel at compile time (" + why +
                               "); it is called '" + kernel.name + "'");
  return kernel.name;
}
