//===- Attributes.cpp - the dot operator ----------------------------------===//
// Attributes of modules, tensors and dtypes. A function that the language has
// and Tessera does not translate yet is told apart from a misspelling.
//===----------------------------------------------------------------------===//
#include "ModuleLoader.h"
#include "Translator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;

/// The rest of the public names of triton.language: known gaps, not typing errors.
static constexpr llvm::StringLiteral kNotYetTranslated[] = {"PropagateNan",
                                                            "argmax",
                                                            "argmin",
                                                            "associative_scan",
                                                            "assume",
                                                            "atomic_add",
                                                            "atomic_and",
                                                            "atomic_cas",
                                                            "atomic_max",
                                                            "atomic_min",
                                                            "atomic_or",
                                                            "atomic_xchg",
                                                            "atomic_xor",
                                                            "bitonic_merge",
                                                            "block_type",
                                                            "broadcast",
                                                            "cat",
                                                            "cdiv",
                                                            "clamp",
                                                            "condition",
                                                            "cumprod",
                                                            "cumsum",
                                                            "debug_barrier",
                                                            "device_assert",
                                                            "device_print",
                                                            "div_rn",
                                                            "dot",
                                                            "dot_scaled",
                                                            "fdiv",
                                                            "flip",
                                                            "gather",
                                                            "histogram",
                                                            "inline_asm_elementwise",
                                                            "interleave",
                                                            "item",
                                                            "join",
                                                            "load_tensor_descriptor",
                                                            "make_block_ptr",
                                                            "make_tensor_descriptor",
                                                            "map_elementwise",
                                                            "max",
                                                            "max_constancy",
                                                            "max_contiguous",
                                                            "min",
                                                            "multiple_of",
                                                            "pair_uniform_to_normal",
                                                            "permute",
                                                            "philox",
                                                            "philox_impl",
                                                            "pointer_type",
                                                            "rand",
                                                            "rand4x",
                                                            "randint",
                                                            "randint4x",
                                                            "randn",
                                                            "randn4x",
                                                            "range",
                                                            "ravel",
                                                            "reduce",
                                                            "reduce_or",
                                                            "reshape",
                                                            "sigmoid",
                                                            "softmax",
                                                            "sort",
                                                            "split",
                                                            "sqrt_rn",
                                                            "squeeze",
                                                            "static_print",
                                                            "static_range",
                                                            "store_tensor_descriptor",
                                                            "sum",
                                                            "swizzle2d",
                                                            "target_info",
                                                            "tensor",
                                                            "tensor_descriptor",
                                                            "topk",
                                                            "trans",
                                                            "tuple",
                                                            "uint_to_uniform_float",
                                                            "umulhi",
                                                            "unsqueeze",
                                                            "view",
                                                            "xor_sum",
                                                            "zeros_like",
                                                            "advance",
                                                            "add",
                                                            "sub",
                                                            "mul",
                                                            "T",
                                                            "logical_and",
                                                            "logical_or"};

static FailureOr<Value> moduleAttribute(Emitter &emit, const ModuleObject &module,
                                        llvm::StringRef name) {
  if (std::optional<Value> attribute = lookupModuleAttribute(module.path, name))
    return *attribute;
  if (emit.modules && llvm::StringRef(module.path).starts_with("triton.language") &&
      !llvm::StringRef(module.path).starts_with("triton.language.extra"))
    if (std::optional<Value> function = emit.modules->languageFunction(name))
      return *function;
  if (!isLanguageModule(module.path) || module.path == "triton" || module.path == "math")
    return Value(HostObject{module.path + "." + name.str(),
                            "an attribute of a module that only Python can load"});
  llvm::StringRef path = module.path;
  if (path.consume_front("triton.language.extra"))
    return emit.unsupportedAt(emit.range, "tl.extra" + path + "." + name + " is not supported yet");
  if (llvm::is_contained(kNotYetTranslated, name))
    return emit.unsupportedAt(emit.range, "tl." + name + " is not supported yet");
  std::string closest = closestModuleAttribute(module.path, name);
  return emit.error(module.path + " has no '" + name + "'" +
                    (closest.empty() ? "" : "; did you mean '" + closest + "'?"));
}

static Value shapeTuple(const KernelType &type) {
  std::vector<Value> extents;
  for (int64_t extent : type.shape)
    extents.push_back(Value(PythonInt(extent)));
  return makeTuple(std::move(extents));
}

static FailureOr<Value> tensorAttribute(Emitter &emit, const Tensor &tensor, llvm::StringRef name) {
  if (name == "dtype")
    return Value(TypeObject{tensor.type.withShape({})});
  if (name == "type")
    return Value(TypeObject{tensor.type});
  if (name == "shape")
    return shapeTuple(tensor.type);
  if (name == "numel")
    return Value(PythonInt(tensor.type.numElements()));
  if (const Builtin *method = lookupMethod(name))
    return makeMethod(Value(tensor), method);
  if (const JitFunction *method = emit.modules ? emit.modules->languageMethod(name) : nullptr)
    return makeMethod(Value(tensor), nullptr, method);
  if (llvm::is_contained(kNotYetTranslated, name))
    return emit.unsupportedAt(emit.range, "the tensor method '" + name + "' is not supported yet");
  return emit.error("a tensor has no attribute '" + name + "'");
}

static FailureOr<Value> typeAttribute(Emitter &emit, const TypeObject &object,
                                      llvm::StringRef name) {
  const KernelType &type = object.type;
  if (name == "element_ty") {
    if (type.isBlock())
      return Value(TypeObject{type.withShape({})});
    if (type.isPointer())
      return Value(TypeObject{type.pointee()});
  }
  if (name == "scalar")
    return Value(TypeObject{type.withShape({})});
  if (name == "shape" && type.isBlock())
    return shapeTuple(type);
  if (name == "primitive_bitwidth" || name == "int_bitwidth")
    return Value(PythonInt(type.isPointer() ? 64 : type.scalar.bits()));
  if (name == "itemsize")
    return Value(PythonInt(type.isPointer() ? 8 : type.scalar.bits() / 8));
  if (name == "name")
    return Value(type.scalar.name().str());
  return emit.error("a dtype has no attribute '" + name + "' that kernels can read");
}

FailureOr<Value> tessera::readAttribute(Emitter &emit, const Value &value, llvm::StringRef name) {
  if (const ModuleObject *module = value.get<ModuleObject>())
    return moduleAttribute(emit, *module, name);
  if (const Tensor *tensor = value.get<Tensor>())
    return tensorAttribute(emit, *tensor, name);
  if (const TypeObject *type = value.get<TypeObject>())
    return typeAttribute(emit, *type, name);
  if (const HostObject *host = value.get<HostObject>())
    return Value(HostObject{host->name + "." + name.str(), host->why});
  if (name == "value" && (value.isNumber() || value.is<std::string>()))
    return value; // the idiom X.value of constexpr objects
  if (value.isNumber() && lookupMethod(name))
    return emit.error("'." + name + "' is for tensors, not for the compile-time value " +
                      value.describe() + "; write tl." + lookupMethod(name)->name() + "(...)");
  return emit.error(value.describe() + " has no attribute '" + name + "' that kernels can read");
}

bool tessera::isConstexprAnnotation(Environment &globals, const ast::Expr *annotation) {
  if (auto *text = llvm::dyn_cast<ast::Constant>(annotation); text && text->isStr())
    return ref(text->text).contains("constexpr");
  DiagnosticEngine ignored;
  // Attribute chains need a file only for messages, which nobody reads here.
  std::unique_ptr<SourceFile> nowhere = SourceFile::fromBytes("<annotation>", "", ignored);
  Emitter emit(nullptr, ignored);
  emit.file = nowhere.get();
  FailureOr<Value> value = evaluateConstantExpression(emit, globals, annotation);
  const BuiltinObject *object = succeeded(value) ? value->get<BuiltinObject>() : nullptr;
  return object && object->builtin->path == "triton.language.constexpr";
}
