//===- KernelLibrary.cpp - several kernels as one C library ---------------===//
// planInterface decides what a kernel's C function takes and which variant it
// calls when; the rest writes text. The parts of the source that are the same for
// every library are the files Library*.c of this folder and of the devices'.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/KernelLibrary.h"
#include "AotGrid.h"
#include "AotLaunchers.h"
#include "AotNames.h"
#include "tessera/Kernel/DType.h"
#include "tessera/Support/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::aot;

/// The texts that CMake embeds.
std::string aot::runtimeText(llvm::StringRef name, llvm::StringRef library) {
#define TESSERA_TEXT(file, text)                                                                   \
  if (name == file) {                                                                              \
    std::string result = text;                                                                     \
    for (size_t at = 0; (at = result.find("LIBRARY", at)) != std::string::npos;)                   \
      result.replace(at, 7, library.str());                                                        \
    return result + "\n";                                                                          \
  }
#include "LibraryTexts.inc"
#undef TESSERA_TEXT
  return "";
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string tessera::whyNoLibraryFunction(llvm::StringRef function, llvm::StringRef library) {
  if (std::string why = whyNoFunction(function); !why.empty())
    return why;
  if (function.size() > 200)
    return "it has more than 200 letters";
  if (function.starts_with("tessera_"))
    return "names that begin with tessera_ are the library's own";
  for (llvm::StringRef ours : {"last_error", "set_threads", "load", "unload"})
    if (!library.empty() && function == (library + "_" + ours).str())
      return "the library has a function of that name";
  return "";
}

//===----------------------------------------------------------------------===//
// Deciding: parameters and conditions
//===----------------------------------------------------------------------===//

namespace {
/// One parameter of the Python function, over all variants.
class ParameterPlanner {
public:
  ParameterPlanner(const LibraryKernel &kernel, size_t position, std::string name,
                   LibraryInterface &interface, InterfaceProblem &problem)
      : kernel(kernel), position(position), name(std::move(name)), interface(interface),
        problem(problem) {}

  bool plan();

private:
  const KernelArgument &argumentOf(size_t variant) const {
    return kernel.variants[variant].binaries.front().record.arguments[position];
  }
  bool blame(size_t variant, const llvm::Twine &message) {
    problem.variant = variant;
    problem.message = message.str();
    return false;
  }
  bool chooseType();
  bool addConditions(size_t variant);
  bool addEquality(size_t variant, llvm::StringRef constant);
  void require(size_t variant, const std::string &condition, const std::string &fact) {
    interface.choices[variant].conditions.push_back(condition);
    interface.choices[variant].facts.push_back({plainName(argumentOf(0)), fact});
  }

  const LibraryKernel &kernel;
  size_t position;
  std::string name;
  LibraryInterface &interface;
  InterfaceProblem &problem;
  std::string type; // of the signature, without the k of constant pointers; empty: a constant
  bool isParameter = true; // else all variants have the same constant
};
} // namespace

static std::string plainType(llvm::StringRef type) {
  return type.starts_with("*k") ? ("*" + type.drop_front(2)).str() : type.str();
}

/// The type that all variants agree on, and whether it is a parameter at all.
bool ParameterPlanner::chooseType() {
  size_t first = 0;
  bool differ = false;
  for (size_t variant = 0; variant < kernel.variants.size(); ++variant) {
    const KernelArgument &argument = argumentOf(variant);
    differ |= argument.constant != argumentOf(0).constant;
    if (argument.type == "constexpr")
      continue;
    if (!type.empty() && type != plainType(argument.type))
      return blame(variant, "'" + argument.name + "' is " + argument.type + " here and " +
                                argumentOf(first).type +
                                " in another signature; one C function has one type: write another "
                                "[[kernel]] with a 'function' of its own");
    if (type.empty())
      first = variant;
    type = plainType(argument.type);
  }
  // Where conditions of the manifest choose, the caller does not say the constants.
  bool callerChooses =
      llvm::all_of(kernel.variants, [](const LibraryVariant &each) { return each.when.empty(); });
  isParameter = !type.empty() || (differ && callerChooses);
  return true;
}

/// The condition that the caller's value is the one that a variant was compiled for.
bool ParameterPlanner::addEquality(size_t variant, llvm::StringRef constant) {
  int64_t value = 0;
  double number = 0;
  std::string literal;
  std::optional<DType> scalar = DType::parse(type);
  bool isNumber = type.empty() || (scalar && (!scalar->isFloat() || scalar->bits() >= 32));
  if (llvm::StringRef(type).starts_with("*") && constant == "None")
    literal = "0";
  else if (isNumber && (constant == "True" || constant == "False"))
    literal = constant == "True" ? "1" : "0";
  else if (isNumber && !constant.getAsInteger(10, value))
    literal = value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + constant.str() + ")";
  else if (isNumber && !type.empty() && !constant.getAsDouble(number))
    literal = "(" + scalarType(type).str() + ")" + constant.str();
  else
    return blame(variant,
                 "'" + argumentOf(variant).name + "' is " + constant +
                     " here, which a caller in C cannot pass to choose this variant; write "
                     "another [[kernel]] with a 'function' of its own");
  require(variant, name + " == " + literal, constant == "None" ? "NULL" : constant.str());
  return true;
}

bool ParameterPlanner::addConditions(size_t variant) {
  const KernelArgument &argument = argumentOf(variant);
  if (argument.constant)
    return addEquality(variant, *argument.constant);
  interface.choices[variant].passed.push_back(name);
  if (argument.divisibility <= 1)
    return true;
  std::string value = argument.isPointer() ? "(uintptr_t)" + name : name;
  require(variant, llvm::formatv("{0} % {1} == 0", value, argument.divisibility),
          llvm::formatv(argument.isPointer() ? "aligned to {0} bytes" : "divisible by {0}",
                        argument.divisibility));
  return true;
}

bool ParameterPlanner::plan() {
  if (!chooseType())
    return false;
  if (!isParameter)
    return true;
  for (size_t variant = 0; variant < kernel.variants.size(); ++variant)
    if (!addConditions(variant))
      return false;
  KernelArgument argument = argumentOf(0);
  argument.type = type.empty() ? "i64" : type;
  argument.isReadOnly = llvm::all_of(kernel.variants, [&](const LibraryVariant &each) {
    const KernelArgument &own = each.binaries.front().record.arguments[position];
    return own.constant || own.isReadOnly || llvm::StringRef(own.type).starts_with("*k");
  });
  interface.parameters.push_back({name, declarator(argument), argument.name});
  return true;
}

/// The variants are of one Python function; tuples and descriptors may still differ in their parts.
static bool checkSameParts(const LibraryKernel &kernel, InterfaceProblem &problem) {
  const KernelRecord &first = kernel.variants.front().binaries.front().record;
  for (const auto &[index, variant] : llvm::enumerate(kernel.variants)) {
    const KernelRecord &record = variant.binaries.front().record;
    problem.variant = index;
    auto nameOf = [](const KernelArgument &argument) { return argument.name; };
    if (!llvm::equal(llvm::map_range(record.arguments, nameOf),
                     llvm::map_range(first.arguments, nameOf))) {
      problem.message = "its tuples or descriptors have other parts than those of the first "
                        "signature; write another [[kernel]] with a 'function' of its own";
      return false;
    }
    for (const LibraryBinary &binary : variant.binaries) {
      if (binary.record.profileScratch.bytes)
        problem.message =
            "the kernel needs memory for a profiler, which the library cannot provide";
      for (const KernelArgument &argument : binary.record.arguments)
        if (argument.isTensorMap())
          problem.message = "no C function can pass '" + argument.name + "', a tensor map";
      if (llvm::Expected<TensorMapEvaluator> plan = TensorMapEvaluator::create(binary.record);
          !plan)
        problem.message = llvm::toString(plan.takeError());
      if (!problem.message.empty())
        return false;
    }
  }
  return true;
}

/// The grid and the condition of a variant, in C.
static bool translateExpressions(const LibraryKernel &kernel, llvm::ArrayRef<std::string> names,
                                 LibraryInterface::Choice &choice, InterfaceProblem &problem) {
  const LibraryVariant &variant = kernel.variants[choice.variant];
  const KernelRecord &record = variant.binaries.front().record;
  problem.variant = choice.variant;
  if (!variant.when.empty()) {
    llvm::Expected<std::string> condition = translateCondition(variant.when, record, names);
    if (!condition) {
      problem.message = llvm::toString(condition.takeError());
      problem.isAboutCondition = true;
      return false;
    }
    choice.conditions.push_back("(" + *condition + ")");
    choice.facts.push_back({"", inOneLine(variant.when)});
  }
  if (kernel.grid.empty()) {
    choice.x = freshName("gridX", names);
    choice.y = freshName("gridY", names);
    choice.z = freshName("gridZ", names);
    return true;
  }
  std::string *const extents[] = {&choice.x, &choice.y, &choice.z};
  if (llvm::Error error = translateGrid(kernel.grid, record, names, extents)) {
    problem.message = llvm::toString(std::move(error));
    problem.isAboutGrid = true;
    return false;
  }
  return true;
}

/// The most specialised variant is tried first. Two with the same conditions are a mistake.
static bool orderChoices(LibraryInterface &interface, InterfaceProblem &problem) {
  for (const LibraryInterface::Choice &choice : interface.choices)
    for (const LibraryInterface::Choice &earlier : interface.choices) {
      if (&earlier == &choice)
        break;
      if (earlier.conditions == choice.conditions) {
        problem.variant = choice.variant;
        problem.message = "it takes the same arguments as signature " +
                          std::to_string(earlier.variant + 1) +
                          " of the kernel, and would never run; tell them apart with 'when', or "
                          "write another [[kernel]] with a 'function' of its own";
        return false;
      }
    }
  llvm::sort(interface.choices, [](const auto &a, const auto &b) {
    return std::pair(b.conditions.size(), a.variant) < std::pair(a.conditions.size(), b.variant);
  });
  return true;
}

std::optional<LibraryInterface> tessera::planInterface(const LibraryKernel &kernel,
                                                       InterfaceProblem &problem) {
  LibraryInterface interface;
  interface.passesGrid = kernel.grid.empty();
  if (!checkSameParts(kernel, problem))
    return std::nullopt;
  for (size_t variant = 0; variant < kernel.variants.size(); ++variant)
    interface.choices.emplace_back().variant = variant;
  const KernelRecord &first = kernel.variants.front().binaries.front().record;
  std::vector<std::string> names = parameterNames(first, kernel.function);
  for (const auto &[position, name] : llvm::enumerate(names))
    if (!ParameterPlanner(kernel, position, name, interface, problem).plan())
      return std::nullopt;
  for (LibraryInterface::Choice &choice : interface.choices)
    if (!translateExpressions(kernel, names, choice, problem))
      return std::nullopt;
  if (!orderChoices(interface, problem))
    return std::nullopt;
  return interface;
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

/// "cuda:80, cuda:90 and cpu".
static std::string listTargets(const LibraryKernel &kernel) {
  std::vector<std::string> names;
  for (const LibraryBinary &binary : kernel.variants.front().binaries)
    names.push_back(binary.isAssembly ? "later chips (assembly for " + binary.record.target + ")"
                                      : binary.record.target);
  std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : llvm::join(names, ", ") + " and " + last;
}

/// "x, y are aligned to 16 bytes, n is 1": facts in the order of their first parameter.
static std::string inWords(const LibraryInterface::Choice &choice) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const LibraryInterface::Fact &fact : choice.facts) {
    auto known = llvm::find_if(groups, [&](const auto &each) { return each.first == fact.text; });
    if (known == groups.end())
      known = groups.insert(groups.end(), {fact.text, {}});
    known->second.push_back(fact.parameter);
  }
  std::vector<std::string> parts;
  for (const auto &[text, names] : groups)
    parts.push_back(names.front().empty()
                        ? text
                        : llvm::join(names, ", ") + (names.size() == 1 ? " is " : " are ") + text);
  return llvm::join(parts, "; ");
}

/// What a kernel is, and which variant a call takes.
static std::string describeKernel(const LibraryKernel &kernel, const LibraryInterface &interface) {
  const KernelRecord &record = kernel.variants.front().binaries.front().record;
  std::vector<std::string> lines;
  std::string place = record.sourceLine ? ", line " + std::to_string(record.sourceLine) : "";
  lines.push_back(llvm::formatv("{0} of {1}{2}, for {3}.", record.kernelName, record.sourceFile,
                                place, listTargets(kernel)));
  for (const auto &[number, choice] : llvm::enumerate(interface.choices)) {
    const KernelRecord &own = kernel.variants[choice.variant].binaries.front().record;
    std::vector<std::string> fixed;
    auto isParameter = [&](const std::string &name) {
      return llvm::any_of(interface.parameters,
                          [&](const auto &each) { return each.nameInPython == name; });
    };
    for (const KernelArgument &argument : own.arguments)
      if (argument.constant && !isParameter(argument.name))
        fixed.push_back(argument.name + " = " + *argument.constant);
    std::string when = choice.facts.empty() ? "for all arguments" : "if " + inWords(choice);
    lines.push_back("  " + std::to_string(number + 1) + ". " + when);
    if (!fixed.empty())
      lines.push_back("     with " + llvm::join(fixed, ", "));
  }
  if (!kernel.grid.empty())
    lines.push_back("The grid is (" + llvm::join(kernel.grid, ", ") + ").");
  return comment(lines);
}

static std::string parametersOf(const LibraryInterface &interface,
                                llvm::ArrayRef<std::string> names) {
  std::string text = "tessera_stream " + freshName("stream", names);
  if (interface.passesGrid)
    for (llvm::StringRef axis : {"gridX", "gridY", "gridZ"})
      text += ", uint32_t " + freshName(axis, names);
  for (const LibraryInterface::Parameter &parameter : interface.parameters)
    text += ", " + parameter.type + parameter.name;
  return text;
}

static std::vector<std::string> namesOf(const LibraryInterface &interface) {
  std::vector<std::string> names;
  for (const LibraryInterface::Parameter &parameter : interface.parameters)
    names.push_back(parameter.name);
  return names;
}

static std::string banner(const KernelLibrary &library) {
  return comment(
      {llvm::formatv("{0}: {1} kernel{2}, made by Tessera {3} from {4}. Do not edit.", library.name,
                     library.kernels.size(), library.kernels.size() == 1 ? "" : "s", getVersion(),
                     library.origin),
       "Link with lib" + library.name + ".a -lm -ldl -pthread."});
}

std::string tessera::writeLibraryHeader(const KernelLibrary &library,
                                        llvm::ArrayRef<LibraryInterface> interfaces) {
  std::string guard = "TESSERA_LIBRARY_" + llvm::StringRef(library.name).upper() + "_H";
  std::string text = banner(library) + "#ifndef " + guard + "\n#define " + guard + "\n\n";
  text += runtimeText("LibraryHeader.h", library.name);
  for (const auto &[kernel, interface] : llvm::zip_equal(library.kernels, interfaces)) {
    text += describeKernel(kernel, interface);
    text += wrapLines("int32_t " + kernel.function + "(" +
                      parametersOf(interface, namesOf(interface)) + ");\n") +
            "\n";
  }
  return text + "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

static std::string variantName(const LibraryKernel &kernel, size_t variant) {
  return kernel.function + "_v" + std::to_string(variant);
}

/// The binaries of a variant, as data.
static std::string writeVariant(const LibraryKernel &kernel, size_t index) {
  std::string declared, rows, host = "0", name = variantName(kernel, index);
  unsigned count = 0;
  for (const LibraryBinary &binary : kernel.variants[index].binaries) {
    if (binary.isHostCode) {
      declared += "tessera_rt_function " + binary.symbol + ";\n";
      host = binary.symbol;
      continue;
    }
    declared += "extern const unsigned char " + binary.symbol + "[];\n";
    rows += "    " + writeGPUBinary(binary, declared) + ",\n";
    ++count;
  }
  std::string text = declared;
  if (count)
    text += llvm::formatv("static struct tessera_rt_binary tessera_rt_binaries_{0}[] = {{\n{1}};\n",
                          name, rows);
  text += llvm::formatv("static const struct tessera_rt_variant tessera_rt_{0} = {{\"{1}\", {2}, "
                        "{3}, {4}};\n\n",
                        name, kernel.function, host, count ? "tessera_rt_binaries_" + name : "0",
                        count);
  return text;
}

/// The tensor maps that a launch of a variant may build.
static size_t countMaps(const LibraryVariant &variant) {
  size_t most = 0;
  for (const LibraryBinary &binary : variant.binaries)
    most = std::max(most, binary.record.tensorMaps.size());
  return most;
}

static std::string writeFunction(const LibraryKernel &kernel, const LibraryInterface &interface) {
  std::vector<std::string> names = namesOf(interface);
  std::string stream = freshName("stream", names), list = freshName("args", names);
  std::string text = "int32_t " + kernel.function + "(" + parametersOf(interface, names) + ") {\n";
  bool hasLast = false;
  for (const LibraryInterface::Choice &choice : interface.choices) {
    std::string arguments;
    for (const std::string &name : choice.passed)
      arguments += "(void *)&" + name + ", ";
    for (size_t map = 0; map < countMaps(kernel.variants[choice.variant]); ++map)
      arguments += "0, ";
    hasLast = choice.conditions.empty();
    text += hasLast ? "  {\n" : "  if (" + llvm::join(choice.conditions, " && ") + ") {\n";
    text += llvm::formatv(
        "    void *{0}[] = {{{1}0, 0};\n    return tessera_rt_launch(&tessera_rt_{2}, {3}, "
        "(int64_t)({4}), (int64_t)({5}), (int64_t)({6}), {0}, {7});\n  }\n",
        list, arguments, variantName(kernel, choice.variant), stream, choice.x, choice.y, choice.z,
        choice.passed.size());
  }
  if (!hasLast)
    text += "  return tessera_rt_no_variant(\"" + kernel.function + "\");\n";
  return text + "}\n\n";
}

static bool usesDriver(const KernelLibrary &library, const LibraryDriver &driver) {
  for (const LibraryKernel &kernel : library.kernels)
    for (const LibraryVariant &variant : kernel.variants)
      for (const LibraryBinary &binary : variant.binaries)
        if (!binary.isHostCode && findLibraryDriver(binary.record.target) == &driver)
          return true;
  return false;
}

std::string tessera::writeLibrarySource(const KernelLibrary &library,
                                        llvm::ArrayRef<LibraryInterface> interfaces) {
  bool hasHost = false;
  std::vector<const LibraryDriver *> drivers;
  size_t mostMaps = 0;
  for (const LibraryKernel &kernel : library.kernels)
    for (const LibraryVariant &variant : kernel.variants) {
      mostMaps = std::max(mostMaps, countMaps(variant));
      for (const LibraryBinary &binary : variant.binaries)
        hasHost |= binary.isHostCode;
    }
  for (const LibraryDriver &driver : listLibraryDrivers())
    if (usesDriver(library, driver))
      drivers.push_back(&driver);
  bool hasDevice = !drivers.empty();
  std::string text = banner(library) + "#include \"" + library.name + ".h\"\n\n";
  text += llvm::formatv("#define TESSERA_RT_HAS_CPU {0}\n#define TESSERA_RT_HAS_GPU {1}\n\n",
                        unsigned(hasHost), unsigned(hasDevice));
  text += runtimeText("LibraryRuntime.c");
  text += hasHost ? runtimeText("CPU/LibraryRuntime.c") : "";
  text += hasDevice ? writeGPURuntime(mostMaps, drivers) : "";
  text += runtimeText("LibraryLaunch.c", library.name);
  text += "/* ---- the kernels ---- */\n\n";
  std::string variants, functions, all;
  for (const auto &[kernel, interface] : llvm::zip_equal(library.kernels, interfaces)) {
    for (size_t variant = 0; variant < kernel.variants.size(); ++variant) {
      variants += writeVariant(kernel, variant);
      all += "    &tessera_rt_" + variantName(kernel, variant) + ",\n";
    }
    functions += writeFunction(kernel, interface);
  }
  if (hasDevice)
    variants += "static const struct tessera_rt_variant *const tessera_rt_variants[] = {\n" + all +
                "    0};\n\n";
  text += wrapLines(variants + functions);
  return text + runtimeText("LibraryLoad.c", library.name);
}
