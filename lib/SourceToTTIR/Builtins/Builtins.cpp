//===- Builtins.cpp - finding a function and binding its arguments --------===//
// The index over the groups is built once per process, immutable afterwards.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "../Operators/Semantics.h"
#include "../Stdlib/Stdlib.h"
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

using namespace tessera;

namespace {
struct Index {
  llvm::StringMap<const Builtin *> byPath;
  llvm::StringMap<const Builtin *> methods;

  Index() {
    for (llvm::ArrayRef<Builtin> group : {programBuiltins(),      creationBuiltins(),
                                          memoryBuiltins(),       elementwiseBuiltins(),
                                          pythonBuiltins(),       loopBuiltins(),
                                          shapeBuiltins(),        dotBuiltins(),
                                          reductionBuiltins(),    atomicBuiltins(),
                                          blockPointerBuiltins(), descriptorBuiltins(),
                                          debuggingBuiltins(),    inlineAssemblyBuiltins(),
                                          libdeviceBuiltins(),    typeBuiltins(),
                                          typeMethodBuiltins(),   hostFunctions(),
                                          hostMethods(),          mathFunctions(),
                                          pythonModuleFunctions()})
      for (const Builtin &builtin : group) {
        byPath[builtin.path] = &builtin;
        if (builtin.isMethod)
          methods[builtin.name()] = &builtin;
      }
    methods["to"] = byPath["triton.language.cast"];
  }
};
} // namespace

static const Index &index() {
  static const Index instance;
  return instance;
}

static constexpr llvm::StringLiteral kModules[] = {"triton",
                                                   "triton.language",
                                                   "triton.language.core",
                                                   "triton.language.math",
                                                   "triton.language.standard",
                                                   "triton.language.random",
                                                   "triton.language.target_info",
                                                   "triton.language.extra",
                                                   "triton.language.extra.cuda",
                                                   "triton.language.extra.cuda.gdc",
                                                   "triton.language.extra.cuda.libdevice",
                                                   "triton.language.extra.cuda.utils",
                                                   "triton.language.extra.libdevice",
                                                   "math"};

std::string tessera::canonicalModulePath(llvm::StringRef path) {
  llvm::StringRef rest = path;
  if (rest.consume_front("tessera") && (rest.empty() || rest.starts_with(".")))
    return ("triton" + rest).str();
  return path.str();
}

bool tessera::isLanguageModule(llvm::StringRef path) { return llvm::is_contained(kModules, path); }

static std::optional<Value> mathConstant(llvm::StringRef name) {
  if (name == "pi")
    return Value(std::numbers::pi);
  if (name == "e")
    return Value(std::numbers::e);
  if (name == "tau")
    return Value(2 * std::numbers::pi);
  if (name == "inf")
    return Value(std::numeric_limits<double>::infinity());
  if (name == "nan")
    return Value(std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

std::optional<Value> tessera::lookupModuleAttribute(llvm::StringRef module, llvm::StringRef name) {
  std::string path = (module + "." + name).str();
  if (isLanguageModule(path))
    return Value(ModuleObject{path});
  if (module == "math")
    if (std::optional<Value> constant = mathConstant(name))
      return constant;
  // tl.core, tl.math and tl.standard hold the same objects as tl.
  bool isExtra = module.starts_with("triton.language.extra");
  bool isTargetInfo = module == "triton.language.target_info";
  if (module.starts_with("triton.language") && !isExtra && !isTargetInfo) {
    if (std::optional<Value> constant = lookupLanguageConstant(name))
      return constant;
    path = ("triton.language." + name).str();
  }
  if (module == "triton.language.extra.cuda.gdc" || module == "triton.language.extra.cuda.utils")
    path = ("triton.language.extra.cuda." + name).str();
  if (module == "triton.language.extra.libdevice") // the current target's, whichever that is
    path = ("triton.language.extra.cuda.libdevice." + name).str();
  auto found = index().byPath.find(path);
  if (found == index().byPath.end())
    return std::nullopt;
  return Value(BuiltinObject{found->second});
}

namespace {
/// The candidate that a misspelt name may mean: further away is another word, not a misspelling;
/// short words differ sooner.
struct Nearest {
  explicit Nearest(llvm::StringRef name)
      : name(name), distance(std::min<size_t>(3, name.size() / 2 + 1)) {}

  void consider(llvm::StringRef candidate) {
    unsigned current = name.edit_distance(candidate, /*AllowReplacements=*/true, distance);
    if (current < distance || (current == distance && !best.empty() && looksLike(candidate)))
      best = candidate, distance = current;
  }

  /// Decides between two candidates of equal distance: people swap letters more often than they
  /// leave them out, and the first letter is seldom wrong.
  bool looksLike(llvm::StringRef candidate) const {
    auto rank = [this](llvm::StringRef word) {
      return std::tuple(word.size() != name.size(), word.front() != name.front(), word);
    };
    return rank(candidate) < rank(best);
  }

  llvm::StringRef name;
  unsigned distance;
  std::string best;
};
} // namespace

std::string tessera::closestModuleAttribute(llvm::StringRef module, llvm::StringRef name) {
  Nearest nearest(name);
  if (!module.starts_with("triton"))
    return nearest.best;
  bool isExtra = module.starts_with("triton.language.extra");
  llvm::StringRef home = isExtra || module == "triton" ? module : "triton.language";
  if (module.ends_with(".gdc") || module.ends_with(".utils"))
    home = "triton.language.extra.cuda";
  if (module.ends_with(".libdevice"))
    home = "triton.language.extra.cuda.libdevice";
  for (const auto &entry : index().byPath)
    if (llvm::StringRef(entry.second->path).rsplit('.').first == home)
      nearest.consider(entry.second->name());
  if (home != "triton.language")
    return nearest.best;
  for (const StdlibFunction &function : stdlibFunctions())
    if (function.isPublic())
      nearest.consider(function.name);
  for (DType::Kind kind : DType::all())
    nearest.consider(DType(kind).languageName());
  return nearest.best;
}

const Builtin *tessera::lookupMethod(llvm::StringRef name) { return index().methods.lookup(name); }

std::string tessera::closestMethod(llvm::StringRef name) {
  Nearest nearest(name);
  for (llvm::StringRef attribute : {"dtype", "numel", "shape", "type"})
    nearest.consider(attribute);
  for (const auto &entry : index().methods)
    nearest.consider(entry.getKey());
  for (const StdlibFunction &function : stdlibFunctions())
    if (function.isMethod)
      nearest.consider(function.name);
  return nearest.best;
}

const Builtin *tessera::lookupDescriptorMethod(llvm::StringRef name) {
  return index().byPath.lookup(("triton.language.tensor_descriptor." + name).str());
}

std::optional<Value> tessera::lookupPythonBuiltin(llvm::StringRef name) {
  auto found = index().byPath.find(("builtins." + name).str());
  if (found == index().byPath.end())
    return std::nullopt;
  return Value(BuiltinObject{found->second});
}

std::optional<Value> tessera::lookupHostBuiltin(llvm::StringRef name) {
  auto found = index().byPath.find(("host." + name).str());
  if (found == index().byPath.end())
    return std::nullopt;
  return Value(BuiltinObject{found->second});
}

std::optional<Value> tessera::lookupHostMethod(const Value &value, llvm::StringRef name) {
  llvm::StringRef type = value.is<std::string>()   ? "str"
                         : value.is<TupleObject>() ? "tuple"
                         : value.is<ListObject>()  ? "list"
                         : value.is<DictObject>()  ? "dict"
                         : value.is<SetObject>()   ? "set"
                         : value.asInt()           ? "int"
                         : value.is<double>()      ? "float"
                                                   : "";
  auto found = index().byPath.find((type + "." + name).str());
  if (type.empty() || found == index().byPath.end())
    return std::nullopt;
  return makeMethod(value, found->second);
}

static Value defaultValue(Default kind) {
  switch (kind) {
  case Default::False:
    return Value(false);
  case Default::True:
    return Value(true);
  case Default::Zero:
    return Value(PythonInt(0));
  case Default::One:
    return Value(PythonInt(1));
  case Default::Float32:
    return Value(TypeObject{KernelType{DType::FP32}});
  case Default::PropagateNan:
    return Value(EnumObject{"PropagateNan", "NONE"});
  case Default::EmptyString:
    return Value(std::string());
  case Default::EmptyTuple:
  case Default::Variadic:
    return makeTuple({});
  default:
    return Value(NoneObject{});
  }
}

std::string tessera::countOfArguments(size_t count, llvm::StringRef signature) {
  if (count == 0)
    return "no arguments";
  return (llvm::Twine(count) + (count == 1 ? " argument: " : " arguments: ") + signature).str();
}

static std::string signature(const Builtin &builtin) {
  return llvm::join(llvm::map_range(builtin.parameters,
                                    [](const Parameter &p) {
                                      return (p.value == Default::Variadic ? "*" : "") +
                                             p.name.str();
                                    }),
                    ", ");
}

/// " (did you mean 'mask'?)", if a parameter has such a name.
static std::string suggestion(llvm::StringRef keyword, llvm::ArrayRef<Parameter> parameters) {
  llvm::StringRef closest;
  unsigned distance = std::min<size_t>(3, keyword.size() / 2 + 1); // short words differ, not err
  for (const Parameter &parameter : parameters) {
    unsigned current = keyword.edit_distance(parameter.name, true, distance);
    if (current < distance)
      closest = parameter.name, distance = current;
  }
  return closest.empty() ? "" : (" (did you mean '" + closest + "'?)").str();
}

FailureOr<llvm::SmallVector<Value>> tessera::bindArguments(Emitter &emit, const Builtin &builtin,
                                                           llvm::ArrayRef<CallArgument> arguments) {
  llvm::ArrayRef<Parameter> parameters = builtin.parameters;
  llvm::SmallVector<std::optional<Value>> bound(parameters.size());
  std::vector<Value> variadic;
  size_t position = 0;
  for (const CallArgument &argument : arguments) {
    // An @extern function passes these on; the compiler does not need them.
    if (argument.keyword == "_semantic" || argument.keyword == "_generator")
      continue;
    if (argument.keyword.empty()) {
      if (position < parameters.size() && parameters[position].value == Default::Variadic) {
        variadic.push_back(argument.value);
        continue;
      }
      if (position >= parameters.size())
        return emit.errorAt(argument.range,
                            builtin.name() + " takes " +
                                countOfArguments(parameters.size(), signature(builtin)));
      bound[position++] = argument.value;
      continue;
    }
    const Parameter *match =
        llvm::find_if(parameters, [&](const Parameter &p) { return p.name == argument.keyword; });
    if (match == parameters.end() || match->value == Default::Variadic)
      return emit.errorAt(argument.range, builtin.name() + " has no parameter '" +
                                              argument.keyword + "'" +
                                              suggestion(argument.keyword, parameters) +
                                              "; it takes " + signature(builtin));
    std::optional<Value> &slot = bound[match - parameters.begin()];
    if (slot)
      return emit.errorAt(argument.range,
                          builtin.name() + " got two values for '" + argument.keyword + "'");
    slot = argument.value;
  }
  llvm::SmallVector<Value> values;
  for (auto [parameter, value] : llvm::zip_equal(parameters, bound)) {
    if (!value && parameter.value == Default::Required)
      return emit.error(builtin.name() + " needs '" + parameter.name + "'; it takes " +
                        signature(builtin));
    if (!value && parameter.value == Default::Variadic)
      value = makeTuple(variadic);
    values.push_back(value ? *value : defaultValue(parameter.value));
  }
  return values;
}
