//===- AotLink.cpp - tessera link: one C function for several variants ----===//
// Groups variants by kernel and algo, then writes the functions of each.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/AotLink.h"
#include "AotLaunchers.h"
#include "AotNames.h"
#include "LinkVariant.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::aot;

namespace {
struct Algo {
  std::string name; // of the function
  std::vector<LinkVariant> variants;
};

struct Kernel {
  std::string name;
  std::vector<Algo> algos;
  const std::vector<LinkParameter> &parameters() const {
    return algos.front().variants.front().parameters;
  }
};

/// Writes the text of one kernel after another.
class LinkWriter {
public:
  LinkWriter(LinkStyle style, llvm::StringRef prefix)
      : style(std::move(style)), prefix(prefix.str()) {}

  std::string header(llvm::ArrayRef<Kernel> kernels);
  std::string source(llvm::ArrayRef<Kernel> kernels, llvm::StringRef headerName);

private:
  void enter(const Kernel &kernel);
  /// A name of ours that no parameter of the kernel has.
  std::string fresh(llvm::StringRef name) const { return freshName(name, taken); }
  std::string declare(llvm::ArrayRef<LinkParameter> parameters, bool isExtra,
                      llvm::StringRef more = "") const;
  std::string pass(llvm::ArrayRef<LinkParameter> parameters, bool isExtra,
                   llvm::StringRef more = "") const;
  std::string fits(const std::string &chip, const LinkVariant &variant) const;
  std::string isLike(const std::string &chip, const LinkVariant &variant) const;
  std::string declareKernel(const Kernel &kernel) const;
  std::string writeAlgo(const Algo &algo) const;
  std::string writeChoice(const Algo &algo, size_t form) const;
  std::string writeKernel(const Kernel &kernel, size_t form) const;

  LinkStyle style;
  std::string prefix;
  std::vector<std::string> taken; // the names of the kernel's parameters
};
} // namespace

//===----------------------------------------------------------------------===//
// Grouping
//===----------------------------------------------------------------------===//

/// A constant as a part of a C name: the dots and signs of floats are replaced.
static std::string identifierOf(llvm::StringRef text) {
  std::string name;
  for (char c : text) {
    if (c == '+')
      continue;
    name += c == '.' ? 'p' : c == '-' ? 'm' : llvm::isAlnum(c) ? c : '_';
  }
  return name;
}

static std::string typesOf(const LinkVariant &variant) {
  return llvm::join(
      llvm::map_range(variant.parameters, [](const LinkParameter &each) { return each.type; }),
      ", ");
}

static llvm::Error addVariant(std::vector<Kernel> &kernels, LinkVariant variant) {
  Kernel *kernel = nullptr;
  for (Kernel &known : kernels)
    if (known.name == variant.kernel)
      kernel = &known;
  if (!kernel) {
    kernels.push_back({variant.kernel, {}});
    kernel = &kernels.back();
  } else {
    const LinkVariant &first = kernel->algos.front().variants.front();
    if (typesOf(first) != typesOf(variant))
      return makeError("the variants of " + variant.kernel +
                       " have different parameters: " + first.function + " has (" + typesOf(first) +
                       "), " + variant.function + " has (" + typesOf(variant) + ")");
  }
  std::string name = identifierOf(variant.kernel + "_" + variant.algo);
  auto algo = llvm::find_if(kernel->algos, [&](const Algo &each) { return each.name == name; });
  if (algo == kernel->algos.end())
    algo = kernel->algos.insert(algo, {name, {}});
  if (llvm::none_of(algo->variants,
                    [&](const LinkVariant &each) { return each.function == variant.function; }))
    algo->variants.push_back(std::move(variant));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string joined(std::vector<std::string> parts) {
  llvm::erase_if(parts, [](const std::string &part) { return part.empty(); });
  return llvm::join(parts, ", ");
}

void LinkWriter::enter(const Kernel &kernel) {
  taken.clear();
  for (const Algo &algo : kernel.algos)
    for (const LinkVariant &variant : algo.variants)
      for (const LinkParameter &parameter : variant.parameters)
        taken.push_back(parameter.name);
}

std::string LinkWriter::declare(llvm::ArrayRef<LinkParameter> parameters, bool isExtra,
                                llvm::StringRef more) const {
  std::vector<std::string> parts;
  if (!style.firstType.empty())
    parts.push_back(style.firstType + " " + fresh(style.firstName));
  if (isExtra)
    parts.push_back(style.extraType + " " + fresh(style.extraName));
  for (const LinkParameter &each : parameters)
    parts.push_back(each.type + (llvm::StringRef(each.type).ends_with("*") ? "" : " ") + each.name);
  parts.push_back(more.str());
  std::string text = joined(std::move(parts));
  return text.empty() ? "void" : text;
}

std::string LinkWriter::pass(llvm::ArrayRef<LinkParameter> parameters, bool isExtra,
                             llvm::StringRef more) const {
  std::vector<std::string> parts;
  if (!style.firstType.empty())
    parts.push_back(fresh(style.firstName));
  if (isExtra)
    parts.push_back(fresh(style.extraName));
  for (const LinkParameter &each : parameters)
    parts.push_back(each.name);
  parts.push_back(more.str());
  return joined(std::move(parts));
}

std::string LinkWriter::declareKernel(const Kernel &kernel) const {
  std::string text =
      "/* " + kernel.name +
      ": the algos have the same arguments and differ in constants and options. */\n";
  std::string name = prefix + kernel.name;
  for (auto [index, form] : llvm::enumerate(style.forms)) {
    bool isExtra = index > 0;
    for (const Algo &algo : kernel.algos)
      text += style.result + " " + prefix + algo.name + form + "(" +
              declare(kernel.parameters(), isExtra) + ");\n";
    text += style.result + " " + name + "_default" + form + "(" +
            declare(kernel.parameters(), isExtra) + ");\n";
    text += style.result + " " + name + form + "(" +
            declare(kernel.parameters(), isExtra, "int " + fresh("algo_id")) + ");\n";
  }
  text += "int " + name + "_get_num_algos(void);\n";
  if (style.loads)
    for (llvm::StringRef verb : {"load_", "unload_"}) {
      for (const Algo &algo : kernel.algos)
        text += ("void " + verb + prefix + algo.name + "(void);\n").str();
      text += ("void " + verb + name + "(void);\n").str();
    }
  return text;
}

std::string LinkWriter::header(llvm::ArrayRef<Kernel> kernels) {
  std::string text = "/* Made by tessera link. Do not edit. */\n#pragma once\n" + style.includes +
                     "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const Kernel &kernel : kernels) {
    enter(kernel);
    text += declareKernel(kernel);
  }
  return text + "#ifdef __cplusplus\n}\n#endif\n";
}

static bool hasSeveralChips(const Algo &algo) {
  unsigned first = algo.variants.front().chip();
  return llvm::any_of(algo.variants, [&](const LinkVariant &each) { return each.chip() != first; });
}

/// The condition that a variant's code runs on the chip with the number in `chip`.
std::string LinkWriter::fits(const std::string &chip, const LinkVariant &variant) const {
  std::string own = std::to_string(variant.chip());
  return style.servesGeneration ? chip + " / 10 == " + own + " / 10 && " + chip + " >= " + own
                                : chip + " == " + own;
}

/// The condition that some variant for a chip like this one is there.
std::string LinkWriter::isLike(const std::string &chip, const LinkVariant &variant) const {
  return style.servesGeneration ? chip + " / 10 == " + std::to_string(variant.chip() / 10)
                                : fits(chip, variant);
}

/// The chip first, then the most hints. A variant without conditions ends the search.
std::string LinkWriter::writeChoice(const Algo &algo, size_t form) const {
  bool isExtra = form > 0;
  std::vector<const LinkVariant *> order;
  for (const LinkVariant &variant : algo.variants)
    order.push_back(&variant);
  llvm::sort(order, [](const LinkVariant *a, const LinkVariant *b) {
    return std::tuple(b->chip(), b->hintCount(), a) < std::tuple(a->chip(), a->hintCount(), b);
  });
  bool hasChips = hasSeveralChips(algo);
  const std::vector<LinkParameter> &names = algo.variants.front().parameters;
  std::string chip = fresh("chip");
  std::string text = style.result + " " + prefix + algo.name + style.forms[form] + "(" +
                     declare(names, isExtra) + ") {\n";
  if (hasChips)
    text += "  int " + chip + " = " + style.findChip + "();\n";
  bool hasLast = false;
  for (const LinkVariant *variant : order) {
    std::vector<std::string> conditions;
    std::vector<LinkParameter> passed;
    if (hasChips)
      conditions.push_back(fits(chip, *variant));
    // Variants may have different names for a parameter; the function has those of the first.
    for (const auto &[name, own] : llvm::zip_equal(names, variant->parameters)) {
      bool isAddress = llvm::StringRef(name.type).ends_with("*") || name.type == style.addressType;
      std::string value = isAddress ? "(uintptr_t)" + name.name : name.name;
      if (own.hint == 16)
        conditions.push_back(value + " % 16 == 0");
      if (own.hint == 1)
        conditions.push_back(name.name + " == 1");
      else
        passed.push_back(name);
    }
    std::string call =
        "return " + variant->function + style.forms[form] + "(" + pass(passed, isExtra) + ");\n";
    hasLast = conditions.empty();
    text += hasLast ? "  " + call : "  if (" + llvm::join(conditions, " && ") + ")\n    " + call;
    if (hasLast)
      break;
  }
  if (!hasLast && hasChips) {
    std::vector<std::string> known;
    for (const LinkVariant *variant : order)
      known.push_back(isLike(chip, *variant));
    known.erase(llvm::unique(known), known.end());
    text += "  if (!(" + llvm::join(known, " || ") + "))\n    return " + style.noBinary + ";\n";
  }
  return text + (hasLast ? "" : "  return " + style.invalidValue + ";\n") + "}\n\n";
}

std::string LinkWriter::writeAlgo(const Algo &algo) const {
  std::string text;
  for (const LinkVariant &variant : algo.variants) {
    std::vector<LinkParameter> own = variant.parameters;
    llvm::erase_if(own, [](const LinkParameter &each) { return each.hint == 1; });
    for (auto [form, suffix] : llvm::enumerate(style.forms))
      text +=
          style.result + " " + variant.function + suffix + "(" + declare(own, form > 0) + ");\n";
    if (style.loads)
      text += "void load_" + variant.function + "(void);\nvoid unload_" + variant.function +
              "(void);\n";
  }
  text += "\n";
  for (size_t form = 0; form < style.forms.size(); ++form)
    text += writeChoice(algo, form);
  for (llvm::StringRef verb : {"load_", "unload_"}) {
    if (!style.loads)
      break;
    bool needsChip = verb == "load_" && hasSeveralChips(algo);
    text += ("void " + verb + prefix + algo.name + "(void) {\n").str();
    text += needsChip ? "  int chip = " + style.findChip + "();\n" : "";
    for (const LinkVariant &variant : algo.variants)
      text += ("  " + (needsChip ? "if (" + fits("chip", variant) + ")\n    " : "") + verb +
               variant.function + "();\n")
                  .str();
    text += "}\n\n";
  }
  return text;
}

std::string LinkWriter::writeKernel(const Kernel &kernel, size_t form) const {
  bool isExtra = form > 0;
  const std::string &suffix = style.forms[form];
  std::string name = prefix + kernel.name, own = name + suffix, id = fresh("algo_id");
  std::string text = "typedef " + style.result + " (*" + own + "_algo_t)(" +
                     declare(kernel.parameters(), isExtra) + ");\nstatic const " + own +
                     "_algo_t " + own + "_algos[] = {\n";
  for (const Algo &algo : kernel.algos)
    text += "    " + prefix + algo.name + suffix + ",\n";
  text += "};\n\n";
  if (form == 0)
    text += "int " + name + "_get_num_algos(void) { return " + std::to_string(kernel.algos.size()) +
            "; }\n\n";
  text += style.result + " " + own + "(" +
          declare(kernel.parameters(), isExtra, "int " + fresh("algo_id")) + ") {\n  if (" + id +
          " < 0 || " + id + " >= " + name + "_get_num_algos())\n    return " + style.invalidValue +
          ";\n  return " + own + "_algos[" + id + "](" + pass(kernel.parameters(), isExtra) +
          ");\n}\n\n";
  text += style.result + " " + name + "_default" + suffix + "(" +
          declare(kernel.parameters(), isExtra) + ") { return " + own + "(" +
          pass(kernel.parameters(), isExtra, "0") + "); }\n\n";
  for (llvm::StringRef verb : {"load_", "unload_"}) {
    if (!style.loads)
      break;
    text += ("void " + verb + name + "(void) {\n").str();
    for (const Algo &algo : kernel.algos)
      text += ("  " + verb + prefix + algo.name + "();\n").str();
    text += "}\n\n";
  }
  return text;
}

std::string LinkWriter::source(llvm::ArrayRef<Kernel> kernels, llvm::StringRef headerName) {
  std::string text = "/* Made by tessera link. Do not edit. */\n#include \"" + headerName.str() +
                     "\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const Kernel &kernel : kernels) {
    enter(kernel);
    for (const Algo &algo : kernel.algos)
      text += writeAlgo(algo);
    for (size_t form = 0; form < style.forms.size(); ++form)
      text += writeKernel(kernel, form);
  }
  return text + "#ifdef __cplusplus\n}\n#endif\n";
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

llvm::Expected<LinkedSources> tessera::linkVariants(llvm::ArrayRef<LinkHeader> headers,
                                                    llvm::StringRef headerName,
                                                    llvm::StringRef prefix) {
  std::vector<Kernel> kernels;
  size_t onHost = 0, all = 0;
  std::string kind; // of the targets: "cuda"; empty if no header says
  for (const LinkHeader &header : headers) {
    llvm::Expected<std::vector<LinkVariant>> variants = readLinkHeader(header);
    if (!variants)
      return variants.takeError();
    for (LinkVariant &variant : *variants) {
      ++all;
      onHost += variant.target == "cpu";
      if (onHost != 0 && onHost != all)
        return makeError("the headers are for the CPU and for GPUs; link each kind by itself, or "
                         "make one library for both with tessera build");
      std::string own = variant.target.substr(0, variant.target.find(':'));
      if (!kind.empty() && !own.empty() && kind != own)
        return makeError("the headers are for " + kind + " and " + own +
                         "; link each kind by itself, or make one library for both with tessera "
                         "build");
      kind = own.empty() ? kind : own;
      if (llvm::Error error = addVariant(kernels, std::move(variant)))
        return std::move(error);
    }
  }
  if (kernels.empty())
    return makeError("no header declares a kernel: there is no line with '// tt-linker:'");
  for (const Kernel &kernel : kernels)
    for (const Algo &algo : kernel.algos)
      for (const LinkVariant &variant : algo.variants)
        if (variant.function == prefix.str() + kernel.name)
          return makeError("a variant's function is called '" + variant.function +
                           "', as the one that would be written; compile with --out-name, or link "
                           "with --prefix");
  if (!prefix.empty() && !isIdentifier(prefix))
    return makeError("the prefix '" + prefix + "' cannot begin a name in C");
  if (llvm::Error error = checkHeaderName(headerName))
    return std::move(error);
  const LibraryDriver *driver = findLibraryDriver(kind);
  // Headers of Triton do not say what they are for.
  LinkWriter writer(onHost   ? hostLinkStyle()
                    : driver ? driver->linkStyle()
                             : listLibraryDrivers().front().linkStyle(),
                    prefix);
  return LinkedSources{writer.header(kernels), writer.source(kernels, headerName)};
}
