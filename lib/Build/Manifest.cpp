//===- Manifest.cpp - the kernels that a library is made of ---------------===//
// readManifest reads the text, then one table after another. A reader reports an
// error and returns false; the others still run, so that one call shows all errors.
//===----------------------------------------------------------------------===//
#include "Manifest.h"
#include "tessera/Build/SignatureComments.h"
#include "tessera/Kernel/Signature.h"
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Launch/KernelLibrary.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace tessera;
using namespace tessera::build;

namespace {
constexpr uint64_t kMaxManifest = uint64_t(64) << 20;
constexpr size_t kMaxVariants = 100000; // kernels times signatures times targets
constexpr size_t kMaxErrors = 20;

/// The settings of a manifest for all kernels that have none of their own.
struct Defaults {
  std::vector<std::string> targets;
  std::vector<ManifestOption> options;
  std::string prefix;
  bool servesLaterChips = false;
  bool haveWrongTargets = false;
};

class ManifestReader {
public:
  ManifestReader(Manifest &manifest, llvm::ArrayRef<std::string> chosenTargets,
                 const ToolPaths &tools, DiagnosticEngine &diagnostics, ManifestUse use)
      : manifest(manifest), chosenTargets(chosenTargets), tools(tools), diagnostics(diagnostics),
        use(use) {}

  void read(const TomlValue &root);

private:
  bool fail(SourceRange range, const llvm::Twine &message);
  bool checkKeys(const TomlValue &table, llvm::ArrayRef<llvm::StringRef> known,
                 llvm::StringRef what);
  bool readText(const TomlValue &table, llvm::StringRef key, std::string &text,
                SourceRange *range = nullptr);
  bool readTargets(const TomlValue &table, std::vector<std::string> &targets);
  bool readLaterChips(const TomlValue &table, bool &serves, SourceRange *range = nullptr);
  bool readOptions(const TomlValue &table, std::vector<ManifestOption> &options);
  bool readOption(const std::string &flag, const TomlValue &value, llvm::StringRef target,
                  std::vector<ManifestOption> &options);
  bool readGrid(const TomlValue &table, ManifestKernel &kernel);
  bool readFileName(const TomlValue &table, ManifestKernel &kernel);
  bool readFunction(const TomlValue &table, ManifestKernel &kernel);
  bool readVariants(const TomlValue &table, ManifestKernel &kernel);
  bool readVariant(const TomlValue &value, ManifestKernel &kernel);
  bool readRow(const TomlValue &value, ManifestVariant &variant);
  bool checkSignature(ManifestVariant &variant, const ManifestKernel &kernel);
  bool readTuned(const TomlValue &table);
  bool takeComments(ManifestKernel &kernel);
  bool readKernel(const TomlValue &table);
  void readName(const TomlValue &root);

  Manifest &manifest;
  llvm::ArrayRef<std::string> chosenTargets;
  const ToolPaths &tools;
  DiagnosticEngine &diagnostics;
  const ManifestUse use;
  Defaults defaults;
  std::map<std::string, SourceRange> functions;
  size_t variants = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The message of an error about a grid, without the option of `tessera compile` in front.
static std::string withoutOption(llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  llvm::StringRef rest = message;
  rest.consume_front("--grid: ");
  return rest.str();
}

bool ManifestReader::fail(SourceRange range, const llvm::Twine &message) {
  diagnostics.error(*manifest.file, range, message.str());
  return false;
}

/// A key that nobody reads is a misspelt one.
bool ManifestReader::checkKeys(const TomlValue &table, llvm::ArrayRef<llvm::StringRef> known,
                               llvm::StringRef what) {
  bool areKnown = true;
  for (const auto &[name, value] : table.members) {
    if (llvm::is_contained(known, name))
      continue;
    std::string hint = suggest(name, known);
    areKnown = fail(value.keyRange,
                    what + " has no key '" + name + "'" +
                        (hint.empty() ? "; it may have " + llvm::join(known, ", ") : hint));
  }
  return areKnown;
}

bool ManifestReader::readText(const TomlValue &table, llvm::StringRef key, std::string &text,
                              SourceRange *range) {
  const TomlValue *value = table.find(key);
  if (!value)
    return true;
  if (!value->isString())
    return fail(value->range, "'" + key + "' is a string, not " + value->kindName());
  text = value->text;
  if (range)
    *range = value->range;
  return true;
}

bool ManifestReader::readTargets(const TomlValue &table, std::vector<std::string> &targets) {
  const TomlValue *value = table.find("targets");
  if (!value)
    return true;
  if (!value->isArray() || value->elements.empty())
    return fail(value->range,
                "'targets' is an array of strings, as in [\"" + defaultTarget() + "\", \"cpu\"]");
  targets.clear();
  bool areRight = true;
  for (const TomlValue &each : value->elements) {
    if (!each.isString()) {
      areRight = fail(each.range, "a target is a string, not " + each.kindName());
      continue;
    }
    llvm::Expected<std::unique_ptr<Target>> target = createTarget(each.text, tools);
    if (!target)
      areRight = fail(each.range, llvm::toString(target.takeError()));
    else if (llvm::is_contained(targets, (*target)->name()))
      areRight = fail(each.range, "the target '" + (*target)->name() + "' is there twice");
    else
      targets.push_back((*target)->name());
  }
  return areRight;
}

bool ManifestReader::readLaterChips(const TomlValue &table, bool &serves, SourceRange *range) {
  const TomlValue *value = table.find("later-chips");
  if (!value)
    return true;
  if (value->kind != TomlValue::Kind::Boolean)
    return fail(value->range, "'later-chips' is true or false, not " + value->kindName());
  serves = value->boolean;
  if (range)
    *range = value->keyRange;
  return true;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

bool ManifestReader::readOptions(const TomlValue &table, std::vector<ManifestOption> &options) {
  const TomlValue *value = table.find("options");
  if (!value)
    return true;
  if (!value->isTable())
    return fail(value->range,
                "'options' is a table, as in { num-warps = 8 }, not " + value->kindName());
  bool areRight = true;
  for (const auto &[name, each] : value->members) {
    if (!each.isTable()) {
      areRight &= readOption(name, each, "", options);
      continue;
    }
    // { "cuda:90" = { num-warps = 8 } }
    llvm::Expected<std::unique_ptr<Target>> target = createTarget(name, tools);
    if (!target) {
      areRight = fail(each.keyRange, llvm::toString(target.takeError()));
      continue;
    }
    for (const auto &[flag, inner] : each.members)
      areRight &= readOption(flag, inner, (*target)->name(), options);
  }
  return areRight;
}

bool ManifestReader::readOption(const std::string &flag, const TomlValue &value,
                                llvm::StringRef target, std::vector<ManifestOption> &options) {
  static constexpr llvm::StringLiteral kOurs[] = {"symbol", "sanitize", "ir-override", "debug-dir"};
  if (value.isArray() || value.isTable())
    return fail(value.range,
                "an option is a number, a string, true or false, not " + value.kindName());
  std::string dashed = flag; // num_warps, as Python has it, is understood
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  if (llvm::is_contained(kOurs, dashed))
    return fail(value.keyRange, "a library cannot be built with the option '" + dashed + "'");
  CompileOptions tried;
  if (llvm::Error error = setOption(tried, dashed, value.text))
    return fail(value.keyRange, llvm::toString(std::move(error)));
  if (value.text.empty() && value.kind != TomlValue::Kind::String)
    return fail(value.range, "the option has no value");
  if (llvm::Error error = checkOptions(tried))
    return fail(value.range, llvm::toString(std::move(error)));
  options.push_back({dashed, value.text, target.str()});
  return true;
}

CompileOptions build::optionsFor(const ManifestVariant &variant, llvm::StringRef target) {
  CompileOptions options;
  for (bool isForAll : {true, false}) // those of one target have the last word
    for (const ManifestOption &option : variant.options)
      if (isForAll ? option.target.empty() : option.target == target)
        llvm::consumeError(setOption(options, option.flag, option.value));
  return options;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool ManifestReader::readGrid(const TomlValue &table, ManifestKernel &kernel) {
  const TomlValue *value = table.find("grid");
  if (!value)
    return true;
  kernel.gridRange = value->range;
  if (value->isString()) {
    llvm::Expected<std::vector<std::string>> grid = splitGrid(value->text);
    if (!grid)
      return fail(value->range, withoutOption(grid.takeError()));
    kernel.grid = std::move(*grid);
    return true;
  }
  auto isText = [](const TomlValue &each) { return each.isString(); };
  if (!value->isArray() || value->elements.empty() || value->elements.size() > 3 ||
      !llvm::all_of(value->elements, isText))
    return fail(value->range, "'grid' is a string, as in \"cdiv(n, BLOCK)\", or an array of one to "
                              "three");
  for (const TomlValue &each : value->elements)
    kernel.grid.push_back(each.text);
  kernel.grid.resize(3, "1");
  for (const auto &[expression, each] : llvm::zip(kernel.grid, value->elements))
    if (llvm::Error error = checkGrid({expression}, /*kernel=*/nullptr))
      return fail(each.range, withoutOption(std::move(error)));
  return true;
}

bool ManifestReader::readFileName(const TomlValue &table, ManifestKernel &kernel) {
  SourceRange range;
  std::string name;
  const TomlValue *program = table.find("program");
  if (program && table.find("file"))
    return fail(program->keyRange, "a kernel has 'file' or 'program', not both");
  if (!readText(table, program ? "program" : "file", name, &range))
    return false;
  if (name.empty())
    return fail(range.isValid() ? range : kernel.range,
                "a kernel needs 'file': a path from the manifest's folder");
  if (program && !llvm::StringRef(name).ends_with(".program"))
    return fail(range, "'program' is a file that `tessera record` wrote, NAME.program");
  if (llvm::StringRef(name).contains('\0') || llvm::StringRef(name).contains('\n'))
    return fail(range, "no file has such a name");
  llvm::SmallString<256> path;
  if (!llvm::sys::path::is_absolute(name))
    path = llvm::sys::path::parent_path(manifest.path);
  llvm::sys::path::append(path, name);
  if (llvm::sys::fs::is_directory(path))
    return fail(range, "'" + path + "' is a folder");
  if (!llvm::sys::fs::exists(path))
    return fail(range, "there is no file '" + path + "'");
  llvm::sys::path::remove_dots(path);
  kernel.file = path.str().str();
  kernel.fileName = name;
  return true;
}

bool ManifestReader::readFunction(const TomlValue &table, ManifestKernel &kernel) {
  SourceRange range = kernel.range, functionRange;
  if (!readText(table, "name", kernel.name, &range) ||
      !readText(table, "function", kernel.function, &functionRange))
    return false;
  if (kernel.name.empty())
    return fail(range, "a kernel needs 'name': that of its Python function");
  bool isGiven = functionRange.isValid();
  SourceRange place = isGiven ? functionRange : range;
  if (!isGiven)
    kernel.function = defaults.prefix + kernel.name;
  if (use == ManifestUse::Pack)
    return true;
  if (std::string why = whyNoLibraryFunction(kernel.function, manifest.name); !why.empty())
    return fail(place, "'" + kernel.function + "' cannot be a function's name in C: " + why +
                           (isGiven ? "" : "; choose another with 'function'"));
  auto [known, isNew] = functions.emplace(kernel.function, place);
  if (!isNew) {
    diagnostics
        .error(*manifest.file, place,
               "the function '" + kernel.function +
                   "' is there already; name this one with "
                   "'function', or give the other kernel more signatures")
        .note(*manifest.file, known->second, "here");
    return false;
  }
  return true;
}

/// The keys of a row that `tessera record` writes beside those of every variant.
bool ManifestReader::readRow(const TomlValue &value, ManifestVariant &variant) {
  bool isRight =
      readText(value, "arguments", variant.arguments) && readTargets(value, variant.targets);
  if (const TomlValue *launches = value.find("launches")) {
    if (launches->kind != TomlValue::Kind::Integer || launches->integer < 0)
      return fail(launches->range, "'launches' is a number, not " + launches->kindName());
    variant.launches = uint64_t(launches->integer);
  }
  if (const TomlValue *tuned = value.find("tuned"))
    variant.isTuned = tuned->boolean;
  variant.isOptional = value.find("because") != nullptr;
  if (!chosenTargets.empty())
    variant.targets.clear();
  return isRight;
}

/// Without MLIR's contexts only the signature's own form can be checked.
bool ManifestReader::checkSignature(ManifestVariant &variant, const ManifestKernel &kernel) {
  if (kernel.isRecorded() && !variant.arguments.empty())
    return variant.signature.empty() ||
           fail(variant.range, "a variant has 'signature' or 'arguments', not both");
  llvm::Expected<std::vector<SignatureEntry>> entries = parseSignature(variant.signature);
  if (!entries)
    return fail(variant.range, llvm::toString(entries.takeError()));
  return true;
}

bool ManifestReader::readVariant(const TomlValue &value, ManifestKernel &kernel) {
  ManifestVariant &variant = kernel.variants.emplace_back();
  variant.range = value.range;
  variant.options = defaults.options;
  if (value.isTable()) {
    std::vector<llvm::StringRef> keys = {"signature", "when", "options"};
    if (kernel.isRecorded())
      keys.insert(keys.end(), {"arguments", "targets", "launches", "tuned", "because"});
    if (!checkKeys(value, keys, "a variant") ||
        !readText(value, "signature", variant.signature, &variant.range) ||
        !readText(value, "when", variant.when, &variant.whenRange) ||
        !readOptions(value, variant.options) || (kernel.isRecorded() && !readRow(value, variant)))
      return false;
    if (!value.find("signature") && variant.arguments.empty())
      return fail(value.range, "a variant needs 'signature'");
  } else if (value.isString()) {
    variant.signature = value.text;
  } else {
    return fail(value.range,
                "a signature is a string, as in \"*fp32:16,i32,1024\", not " + value.kindName());
  }
  if (!checkSignature(variant, kernel))
    return false;
  if (!variant.when.empty())
    if (llvm::Error error = checkCondition(variant.when, /*kernel=*/nullptr))
      return fail(variant.whenRange, withoutOption(std::move(error)));
  return true;
}

/// A kernel without signatures is compiled for those of its file's comments.
bool ManifestReader::takeComments(ManifestKernel &kernel) {
  llvm::Expected<std::string> text = readFile(kernel.file);
  if (!text)
    return fail(kernel.range, llvm::toString(text.takeError()));
  for (const SignatureComment &comment : readSignatureComments(*text)) {
    if (comment.kernel != kernel.name)
      continue;
    ManifestVariant &variant = kernel.variants.emplace_back();
    variant.signature = comment.signature;
    variant.range = kernel.range;
    CompileOptions options;
    if (llvm::Error error = applyFlags(comment, options))
      return fail(kernel.range, "'" + kernel.file + "': " + llvm::toString(std::move(error)));
    for (const auto &[given, usual] :
         llvm::zip_equal(options.flagsAndValues(), CompileOptions().flagsAndValues()))
      if (given != usual)
        variant.options.push_back({given.first, given.second, ""});
    llvm::append_range(variant.options, defaults.options);
  }
  if (kernel.variants.empty())
    return fail(kernel.range, "the kernel needs 'signatures', and '" + kernel.file +
                                  "' has no comment '# signature:' above '" + kernel.name + "'");
  return true;
}

bool ManifestReader::readVariants(const TomlValue &table, ManifestKernel &kernel) {
  const TomlValue *one = table.find("signature"), *several = table.find("signatures");
  if (const TomlValue *rows = table.find("variants"); rows && !several)
    several = rows;
  if (one && several)
    return fail(several->keyRange, "a kernel has 'signature' or 'signatures', not both");
  if (one)
    return readVariant(*one, kernel);
  if (!several && kernel.isRecorded())
    return fail(kernel.range, "the kernel has no 'variants'");
  if (!several)
    return kernel.file.empty() || kernel.name.empty() || takeComments(kernel);
  if (!several->isArray() || several->elements.empty())
    return fail(several->range, "'signatures' is an array of strings, as in "
                                "[\"*fp32:16,i32,1024\", \"*fp32,i32,1024\"]");
  bool areRight = true;
  for (const TomlValue &each : several->elements)
    areRight &= readVariant(each, kernel);
  return areRight;
}

bool ManifestReader::readKernel(const TomlValue &table) {
  ManifestKernel kernel;
  kernel.range = table.range;
  if (!table.isTable())
    return fail(table.range, "a kernel is a table: write [[kernel]]");
  bool isRight =
      checkKeys(table,
                {"file", "program", "name", "function", "signature", "signatures", "variants",
                 "targets", "grid", "options", "later-chips", "source", "note"},
                "a kernel");
  kernel.targets = defaults.targets;
  kernel.servesLaterChips = defaults.servesLaterChips;
  kernel.laterRange = kernel.range;
  isRight &= readLaterChips(table, kernel.servesLaterChips, &kernel.laterRange);
  // Options first: variants start from them.
  std::vector<ManifestOption> common = defaults.options;
  isRight &= readOptions(table, defaults.options);
  isRight &= readFileName(table, kernel);
  isRight &= readFunction(table, kernel);
  isRight &= readTargets(table, kernel.targets);
  isRight &= readGrid(table, kernel);
  isRight &= readVariants(table, kernel);
  defaults.options = std::move(common);
  if (!chosenTargets.empty())
    kernel.targets = chosenTargets.vec();
  bool haveTargets =
      !kernel.targets.empty() || llvm::all_of(kernel.variants, [](const ManifestVariant &variant) {
        return !variant.targets.empty();
      });
  if (isRight && !haveTargets && !defaults.haveWrongTargets)
    isRight = fail(kernel.range, "the kernel has no targets; write targets = [\"" +
                                     defaultTarget() + "\", \"cpu\"] here or at the top");
  for (size_t variant = 0; variant < kernel.variants.size(); ++variant)
    variants += kernel.targetsOf(variant).size();
  if (variants > kMaxVariants)
    return fail(kernel.range,
                "the manifest asks for more than " + llvm::Twine(kMaxVariants) + " binaries");
  if (isRight)
    manifest.kernels.push_back(std::move(kernel));
  return isRight;
}

/// [[tuned]]: `kernel`, and `choices`, strings of JSON that autotune reads.
bool ManifestReader::readTuned(const TomlValue &table) {
  ManifestChoices tuned;
  if (!table.isTable() || !checkKeys(table, {"kernel", "choices"}, "[[tuned]]") ||
      !readText(table, "kernel", tuned.kernel))
    return false;
  const TomlValue *choices = table.find("choices");
  if (!choices || !choices->isArray() || tuned.kernel.empty())
    return fail(table.range, "[[tuned]] needs 'kernel' and 'choices', as `tessera record` writes");
  for (const TomlValue &each : choices->elements) {
    if (!each.isString())
      return fail(each.range, "a choice is a string with JSON, not " + each.kindName());
    tuned.choices.push_back(each.text);
  }
  manifest.tuned.push_back(std::move(tuned));
  return true;
}

void ManifestReader::readName(const TomlValue &root) {
  SourceRange range;
  std::string name = llvm::sys::path::stem(manifest.path).str();
  readText(root, "name", name, &range);
  if (manifest.name.empty()) // else the command line says it
    manifest.name = name;
  if (use == ManifestUse::Pack)
    return;
  if (std::string why = whyNoLibraryFunction(manifest.name, ""); !why.empty()) {
    std::string message = "the library cannot be called '" + manifest.name + "': " + why;
    if (range.isValid())
      fail(range, message);
    else
      diagnostics.report(DiagnosticKind::Error, manifest.path,
                         message + "; write name = \"my_kernels\"");
  }
}

void ManifestReader::read(const TomlValue &root) {
  readName(root);
  checkKeys(root, {"name", "prefix", "targets", "options", "later-chips", "kernel", "tuned"},
            "a manifest");
  readText(root, "prefix", defaults.prefix);
  defaults.haveWrongTargets = !readTargets(root, defaults.targets);
  readLaterChips(root, defaults.servesLaterChips);
  readOptions(root, defaults.options);
  if (const TomlValue *tuned = root.find("tuned"))
    for (const TomlValue &each : tuned->elements)
      readTuned(each);
  const TomlValue *kernels = root.find("kernel");
  if (kernels && (!kernels->isArray() || kernels->elements.empty()))
    fail(kernels->keyRange, "kernels are tables of an array: write [[kernel]]");
  else if (kernels)
    for (const TomlValue &each : kernels->elements)
      if (!readKernel(each) &&
          (variants > kMaxVariants || diagnostics.diagnostics().size() > kMaxErrors))
        return;
  if (!kernels)
    diagnostics.report(DiagnosticKind::Error, manifest.path,
                       "the manifest has no kernel; write [[kernel]], then file, name, signatures");
}

std::optional<Manifest> build::readManifest(const std::string &path, const std::string &name,
                                            llvm::ArrayRef<std::string> targets,
                                            const ToolPaths &tools, DiagnosticEngine &diagnostics,
                                            ManifestUse use) {
  llvm::Expected<std::string> bytes = readFile(path, kMaxManifest);
  if (!bytes) {
    diagnostics.report(DiagnosticKind::Error, "", llvm::toString(bytes.takeError()));
    return std::nullopt;
  }
  Manifest manifest;
  manifest.path = path;
  llvm::SmallString<256> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  manifest.folder = llvm::sys::path::parent_path(absolute).str();
  manifest.name = name;
  manifest.file = SourceFile::fromBytes(path, std::move(*bytes), diagnostics);
  if (!manifest.file)
    return std::nullopt;
  std::optional<TomlValue> root = parseToml(*manifest.file, diagnostics);
  if (!root)
    return std::nullopt;
  ManifestReader(manifest, targets, tools, diagnostics, use).read(*root);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return manifest;
}
