//===- PackBuild.cpp - tessera pack: one file of kernels for many chips ---===//
// buildPack is the table of contents: read the manifest, plan the variants, compile those
// that the earlier pack does not have, write the pack.
//===----------------------------------------------------------------------===//
#include "Manifest.h"
#include "tessera/Binary/PackKey.h"
#include "tessera/Binary/PackMiss.h"
#include "tessera/Build/Pack.h"
#include "tessera/Driver/PackSearch.h"
#include "tessera/Driver/Report.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Hashing.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <mutex>

using namespace tessera;
using namespace tessera::build;
namespace json = llvm::json;

namespace {
/// A variant of a kernel for one target.
struct PackPlan {
  size_t kernel = 0, variant = 0;
  CompileRequest request;
  PackItem item;
  DiagnosticEngine diagnostics;
  bool isDone = false, hasMaps = false;
};

class PackBuilder {
public:
  PackBuilder(const Session &session, const PackRequest &request, Manifest manifest,
              DiagnosticEngine &diagnostics)
      : session(session), request(request), manifest(std::move(manifest)),
        diagnostics(diagnostics) {}
  std::optional<PackResult> run();

private:
  void planAll();
  void plan(size_t kernel, size_t variant, const Target &target);
  void planWithoutMaps();
  void openEarlier();
  void compileFrom(size_t first);
  void compile(PackPlan &plan);
  bool reuse(PackPlan &plan);
  bool report();
  void addChoices();

  const Session &session;
  const PackRequest &request;
  Manifest manifest;
  DiagnosticEngine &diagnostics;
  std::vector<PackPlan> plans;
  std::shared_ptr<const PackFile> earlier; // null if there is none
  std::mutex lock;                         // of the writer and the result
  PackWriter writer;
  PackResult result;
};
} // namespace

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// The keys of a kernel that is not recorded: what a C program finds by its name.
static llvm::Expected<PackKeys> keysOfFile(const ManifestKernel &kernel,
                                           const ManifestVariant &variant,
                                           const CompileRequest &request) {
  llvm::Expected<std::string> text = readFile(kernel.file);
  if (!text)
    return text.takeError();
  PackKeys keys;
  keys.kernelName = kernel.function;
  keys.signature = variant.signature;
  keys.options = changedOptions(request.options);
  keys.origin = kernel.fileName;
  keys.source = FieldHasher().add("tessera pack file 1").add(kernel.name).add(*text).finish();
  llvm::StringRef source(reinterpret_cast<const char *>(keys.source.data()), keys.source.size());
  keys.key = FieldHasher()
                 .add(source)
                 .add(kernel.function)
                 .add(request.target)
                 .add(keys.options)
                 .add(keys.signature)
                 .finish();
  return keys;
}

static llvm::Expected<PackKeys> keysFor(const ManifestKernel &kernel,
                                        const ManifestVariant &variant,
                                        const CompileRequest &request) {
  return kernel.isRecorded() ? computePackKeys(*request.text, request.options, request.target)
                             : keysOfFile(kernel, variant, request);
}

static void describe(PackItem &item, const PackKeys &keys, llvm::StringRef target) {
  item.key = keys.key;
  item.source = keys.source;
  item.name = keys.kernelName;
  item.signature = keys.signature;
  item.target = target.str();
  item.options = keys.options;
  item.origin = keys.origin;
}

void PackBuilder::plan(size_t kernel, size_t variant, const Target &target) {
  const ManifestKernel &own = manifest.kernels[kernel];
  const ManifestVariant &row = own.variants[variant];
  PackPlan &plan = plans.emplace_back();
  plan.kernel = kernel;
  plan.variant = variant;
  llvm::Expected<CompileRequest> compilation = requestFor(own, variant, target.name());
  llvm::Expected<PackKeys> keys = compilation ? keysFor(own, row, *compilation)
                                              : llvm::Expected<PackKeys>(compilation.takeError());
  if (!keys) {
    reportError(plan.diagnostics, own.file, keys.takeError());
    return;
  }
  plan.request = std::move(*compilation);
  describe(plan.item, *keys, target.name());
  plan.item.flags = (row.isOptional ? 0 : kPackLaunched) | (row.isTuned ? kPackTuned : 0);
  llvm::SmallVector<Stage> stages = target.stages();
  std::string binary = loadableExtension(stages, session.settings().tools);
  // The text that a driver compiles for chips to come is kept beside the binary.
  std::string text = loadableExtension(stages, ToolPaths());
  plan.request.outputs = {binary};
  if (text != binary)
    plan.request.outputs.push_back(text);
  if (binary == "obj")
    makePortable(plan.request, row);
}

void PackBuilder::planAll() {
  for (size_t kernel = 0; kernel < manifest.kernels.size(); ++kernel)
    for (size_t variant = 0; variant < manifest.kernels[kernel].variants.size(); ++variant)
      for (const std::string &name : manifest.kernels[kernel].targetsOf(variant)) {
        llvm::Expected<std::unique_ptr<Target>> target =
            createTarget(name, session.settings().tools);
        if (target)
          plan(kernel, variant, **target);
        else
          reportError(diagnostics, "", target.takeError());
      }
}

/// Adds a variant without tensor maps for each that has some: launches take it whose maps cannot
/// be built.
void PackBuilder::planWithoutMaps() {
  for (size_t number = 0, count = plans.size(); number < count; ++number) {
    if (!plans[number].hasMaps)
      continue;
    PackPlan &plan = plans.emplace_back();
    const PackPlan &own = plans[number];
    plan.kernel = own.kernel;
    plan.variant = own.variant;
    plan.request = own.request;
    plan.request.options = withoutTensorMaps(own.request.options);
    llvm::Expected<PackKeys> keys =
        keysFor(manifest.kernels[own.kernel], manifest.kernels[own.kernel].variants[own.variant],
                plan.request);
    if (!keys) {
      reportError(plan.diagnostics, own.request.path, keys.takeError());
      continue;
    }
    describe(plan.item, *keys, own.item.target);
    plan.item.flags = own.item.flags;
  }
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

void PackBuilder::openEarlier() {
  if (session.settings().alwaysCompile || !llvm::sys::fs::exists(request.output))
    return;
  llvm::Expected<std::shared_ptr<const PackFile>> pack = PackFile::open(request.output);
  if (pack)
    earlier = std::move(*pack);
  else // it is replaced
    llvm::consumeError(pack.takeError());
}

/// Takes a variant from the earlier pack, if the same tools made it from the same program.
bool PackBuilder::reuse(PackPlan &plan) {
  std::optional<uint32_t> number = earlier ? earlier->find(plan.item.key) : std::nullopt;
  if (!number || earlier->view().entry(*number).maker != plan.item.maker)
    return false;
  llvm::Expected<CompiledKernel> kernel = earlier->load(*number);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return false;
  }
  plan.hasMaps = !kernel->record.tensorMaps.empty();
  PackWriter::Artifacts artifacts(kernel->artifacts.begin(), kernel->artifacts.end());
  artifacts[kPackRecord.str()] = kernel->record.toText();
  std::lock_guard guard(lock);
  writer.add(plan.item, artifacts);
  return true;
}

void PackBuilder::compile(PackPlan &plan) {
  if (plan.diagnostics.hasErrors())
    return; // it could not be planned
  std::optional<std::string> key = session.keyOf(plan.request, plan.diagnostics);
  if (!key)
    return;
  plan.item.maker = *key;
  plan.isDone = reuse(plan);
  if (plan.isDone)
    return;
  std::optional<CompileResult> compiled = session.compile(plan.request, plan.diagnostics);
  if (!compiled)
    return;
  PackWriter::Artifacts artifacts;
  for (const std::string &output : plan.request.outputs)
    if (const std::string *bytes = compiled->kernel.find(output))
      artifacts[output] = *bytes;
  KernelRecord &record = compiled->kernel.record;
  record.sourceFile = llvm::StringRef(plan.item.origin).split(':').first.str();
  plan.hasMaps = !record.tensorMaps.empty();
  artifacts[kPackRecord.str()] = record.toText();
  std::lock_guard guard(lock);
  writer.add(plan.item, artifacts);
  result.compiled += !compiled->fromCache;
  plan.isDone = true;
}

void PackBuilder::compileFrom(size_t first) {
  std::mutex shown;
  size_t done = first;
  ThreadPool pool(request.jobs);
  pool.parallelFor(plans.size() - first, 1, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      PackPlan &plan = plans[first + i];
      llvm::CrashRecoveryContext recovery; // where the program has enabled it
      if (!recovery.RunSafely([&] { compile(plan); }))
        plan.diagnostics.report(DiagnosticKind::Internal, plan.request.path,
                                "the compiler crashed on '" + plan.item.name + "' for " +
                                    plan.item.target);
      std::lock_guard guard(shown);
      ++done;
      if (request.progress)
        request.progress(done, plans.size(), plan.item.name + " for " + plan.item.target);
    }
  });
}

/// False if a variant failed that must be there.
bool PackBuilder::report() {
  bool areDone = true;
  std::vector<std::string> seen;
  for (PackPlan &plan : plans) {
    if (plan.isDone)
      continue;
    const ManifestVariant &row = manifest.kernels[plan.kernel].variants[plan.variant];
    std::string text = plan.diagnostics.render();
    if (row.isOptional || request.goesOn) {
      ++result.leftOut;
      if (result.whyLeftOut.empty())
        result.whyLeftOut = plan.item.name + ": " + llvm::StringRef(text).split('\n').first.str();
      continue;
    }
    areDone = false;
    if (llvm::is_contained(seen, text))
      continue;
    seen.push_back(text);
    for (const Diagnostic &diagnostic : plan.diagnostics.diagnostics())
      diagnostics.report(diagnostic);
    Diagnostic note;
    note.kind = DiagnosticKind::Note;
    note.message = "asked for here, for " + plan.request.target;
    note.path = manifest.path;
    note.range = row.range;
    note.column = manifest.file->displayColumn(row.range.begin);
    diagnostics.report(std::move(note));
  }
  return areDone && !diagnostics.hasErrors();
}

//===----------------------------------------------------------------------===//
// What autotune chose
//===----------------------------------------------------------------------===//

static PackItem choicesItem(llvm::StringRef kernel) {
  PackItem item;
  item.kind = PackEntryKind::Choices;
  item.name = kernel.str();
  item.key = choicesKey(kernel);
  return item;
}

static void addChoicesTo(PackWriter &writer, llvm::StringRef kernel, const json::Array &choices) {
  writer.add(choicesItem(kernel),
             {{kPackChoices.str(), llvm::formatv("{0}", json::Value(json::Array(choices))).str()}});
}

void PackBuilder::addChoices() {
  std::map<std::string, json::Array> byKernel;
  for (const ManifestChoices &tuned : manifest.tuned)
    for (const std::string &text : tuned.choices) {
      llvm::Expected<json::Value> choice = parseJson(text);
      if (choice && choice->getAsObject())
        byKernel[tuned.kernel].push_back(std::move(*choice));
      else
        reportError(diagnostics, manifest.path,
                    makeError("a choice of '" + tuned.kernel + "' is no JSON object: " + text));
      if (!choice)
        llvm::consumeError(choice.takeError());
    }
  for (const auto &[kernel, choices] : byKernel) {
    addChoicesTo(writer, kernel, choices);
    result.choices += choices.size();
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

std::optional<PackResult> PackBuilder::run() {
  planAll();
  openEarlier();
  compileFrom(0);
  size_t count = plans.size();
  planWithoutMaps();
  if (plans.size() > count)
    compileFrom(count);
  addChoices();
  if (!report())
    return std::nullopt;
  result.kernels = manifest.kernels.size();
  result.variants = llvm::count_if(plans, [](const PackPlan &plan) { return plan.isDone; });
  if (llvm::Error error = writer.write(request.output, request.keys)) {
    reportError(diagnostics, "", std::move(error));
    return std::nullopt;
  }
  (void)llvm::sys::fs::file_size(request.output, result.bytes);
  return result;
}

std::optional<PackResult> tessera::buildPack(const Session &session, const PackRequest &request,
                                             DiagnosticEngine &diagnostics) {
  std::optional<Manifest> manifest =
      readManifest(request.manifest, "", request.targets, session.settings().tools, diagnostics,
                   ManifestUse::Pack);
  if (!manifest)
    return std::nullopt;
  return PackBuilder(session, request, std::move(*manifest), diagnostics).run();
}

llvm::Error tessera::mergePacks(llvm::ArrayRef<std::shared_ptr<const PackFile>> packs,
                                PackWriter &writer) {
  std::map<std::string, json::Array> choices;
  for (const std::shared_ptr<const PackFile> &pack : packs)
    for (uint32_t number = 0; number < pack->view().size(); ++number) {
      PackEntry entry = pack->view().entry(number);
      if (entry.kind == PackEntryKind::Choices) {
        llvm::Expected<std::string> text = pack->loadArtifact(number, kPackChoices);
        llvm::Expected<json::Value> parsed = text ? parseJson(*text) : text.takeError();
        if (!parsed)
          return parsed.takeError();
        json::Array &all = choices[std::string(entry.name)];
        if (const json::Array *array = parsed->getAsArray())
          for (const json::Value &choice : *array)
            if (!llvm::is_contained(all, choice))
              all.push_back(choice);
        continue;
      }
      llvm::Expected<bool> added = writer.add(pack->view(), number);
      if (!added)
        return makeError("the pack '" + pack->path() + "': " + llvm::toString(added.takeError()));
    }
  for (const auto &[kernel, array] : choices)
    addChoicesTo(writer, kernel, array);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Misses
//===----------------------------------------------------------------------===//

static PackMiss lookUp(const PackFile &pack, const PackKeys &keys, llvm::StringRef target,
                       const ToolPaths &tools, PackKeysFor keysFor) {
  llvm::Expected<std::unique_ptr<Target>> chip = createTarget(target, tools);
  std::string problem;
  std::optional<PackHit> hit =
      findInPack(pack, keys.key, target, chip ? chip->get() : nullptr, keysFor, problem);
  if (!chip) // one to come
    llvm::consumeError(chip.takeError());
  PackMiss row{keys.kernelName, keys.signature, keys.options, target.str(), ""};
  if (hit)
    row.substitute = hit->substitute;
  else
    row.reason = problem.empty() ? explainMiss(pack.view(), keys, target) : problem;
  return row;
}

std::optional<std::vector<PackMiss>> tessera::findMisses(const PackFile &pack,
                                                         const std::string &path,
                                                         llvm::ArrayRef<std::string> targets,
                                                         const ToolPaths &tools,
                                                         DiagnosticEngine &diagnostics) {
  std::vector<PackMiss> found;
  if (llvm::StringRef(path).ends_with(".program")) {
    llvm::Expected<std::string> text = readFile(path);
    for (const std::string &target : targets) {
      llvm::Expected<PackKeys> keys =
          text ? computePackKeys(*text, CompileOptions(), target) : text.takeError();
      if (!keys) {
        reportError(diagnostics, path, keys.takeError());
        return std::nullopt;
      }
      found.push_back(lookUp(pack, *keys, target, tools, [&](llvm::StringRef other) {
        return computePackKeys(*text, CompileOptions(), other);
      }));
    }
    if (!text)
      llvm::consumeError(text.takeError());
    return found;
  }
  std::optional<Manifest> manifest =
      readManifest(path, "", targets, tools, diagnostics, ManifestUse::Pack);
  if (!manifest)
    return std::nullopt;
  for (const ManifestKernel &kernel : manifest->kernels)
    for (size_t variant = 0; variant < kernel.variants.size(); ++variant)
      for (const std::string &target : kernel.targetsOf(variant)) {
        llvm::Expected<CompileRequest> request = requestFor(kernel, variant, target);
        llvm::Expected<PackKeys> keys = request
                                            ? keysFor(kernel, kernel.variants[variant], *request)
                                            : llvm::Expected<PackKeys>(request.takeError());
        auto keysForOther = [&](llvm::StringRef other) {
          CompileRequest changed = *request;
          changed.target = other.str();
          return keysFor(kernel, kernel.variants[variant], changed);
        };
        if (keys)
          found.push_back(lookUp(pack, *keys, target, tools, keysForOther));
        else
          reportError(diagnostics, kernel.file, keys.takeError());
      }
  return found;
}
