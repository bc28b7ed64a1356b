//===- Build.cpp - tessera build: a library of kernels from a manifest ----===//
// buildLibrary is the table of contents: read the manifest, plan the binaries,
// compile those that have changed, write the library.
//===----------------------------------------------------------------------===//
#include "tessera/Build/Build.h"
#include "Archive.h"
#include "Index.h"
#include "tessera/Driver/Report.h"
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <mutex>

using namespace tessera;
using namespace tessera::build;

namespace {
class Builder {
public:
  Builder(const Session &session, const BuildRequest &request, Manifest manifest,
          DiagnosticEngine &diagnostics)
      : session(session), request(request), manifest(std::move(manifest)),
        diagnostics(diagnostics) {}

  std::optional<BuildResult> run();

private:
  bool fail(llvm::Error error);
  bool planItems();
  void planItem(size_t kernel, size_t variant, const Target &target, bool asAssembly = false);
  bool planLaterChips(size_t kernel, size_t variant);
  void compileItem(BuildItem &item, const EarlierIndex &earlier);
  void compileAll(const EarlierIndex &earlier, size_t first = 0);
  void planWithoutMaps();
  bool reportItems();
  bool planLibrary();
  bool planKernel(size_t number);
  bool writeOutput(const std::string &name, llvm::StringRef contents);
  bool writeSources();
  bool writeLibraryFile(const EarlierIndex &earlier);
  std::string dependencies() const;
  bool writeIndexFiles();
  void refreshTimes() const;

  const Session &session;
  const BuildRequest &request;
  Manifest manifest;
  DiagnosticEngine &diagnostics;
  std::vector<BuildItem> items;
  KernelLibrary library;
  std::vector<LibraryInterface> interfaces;
  std::vector<OutputFile> outputs;
  std::string archiveKey;
  BuildResult result;
};
} // namespace

bool Builder::fail(llvm::Error error) {
  diagnostics.report(DiagnosticKind::Error, "", llvm::toString(std::move(error)));
  return false;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static std::string chipOf(llvm::StringRef target) {
  for (const TargetDescription &known : listTargets())
    if (known.name == target)
      return known.chip;
  return "";
}

void Builder::planItem(size_t kernel, size_t variant, const Target &target, bool asAssembly) {
  const ManifestKernel &own = manifest.kernels[kernel];
  BuildItem &item = items.emplace_back();
  item.kernel = kernel;
  item.variant = variant;
  llvm::SmallVector<Stage> stages = target.stages();
  // Without the tool that makes the binary the device's driver must do it.
  item.extension = loadableExtension(stages, asAssembly ? ToolPaths() : session.settings().tools);
  item.isAssembly = item.extension != binaryStage(stages).extension;
  item.isHostCode = item.extension == "obj";
  item.chip = chipOf(target.name());
  item.token = chipToken(target.name());
  std::string number = "v" + std::to_string(variant);
  item.fileName =
      "objects/" + own.function + "." + number + "." + item.token + "." + item.extension;
  item.symbol = manifest.name + "_" + own.function + "_" + number + "_" + item.token +
                (item.isAssembly ? "_text" : "");
  llvm::Expected<CompileRequest> compilation = requestFor(own, variant, target.name());
  if (compilation)
    item.request = std::move(*compilation);
  else
    reportError(item.diagnostics, own.file, compilation.takeError());
  item.request.outputs = {item.extension};
  if (!item.isHostCode)
    return;
  makePortable(item.request, own.variants[variant]);
  llvm::consumeError(setOption(item.request.options, "symbol", item.symbol));
}

bool Builder::planItems() {
  for (const auto &[number, kernel] : llvm::enumerate(manifest.kernels))
    for (size_t variant = 0; variant < kernel.variants.size(); ++variant) {
      for (const std::string &name : kernel.targetsOf(variant)) {
        llvm::Expected<std::unique_ptr<Target>> target =
            createTarget(name, session.settings().tools);
        if (!target)
          return fail(target.takeError());
        planItem(number, variant, **target);
      }
      if (kernel.servesLaterChips && !planLaterChips(number, variant))
        return false;
    }
  return true;
}

/// Adds the assembly of the latest chip that can serve later ones.
bool Builder::planLaterChips(size_t kernel, size_t variant) {
  const ManifestKernel &own = manifest.kernels[kernel];
  const BuildItem *best = nullptr;
  for (const BuildItem &item : items)
    if (item.kernel == kernel && item.variant == variant &&
        servesLaterChips(item.request.target, item.chip))
      best = !best || item.chip > best->chip ? &item : best;
  if (!best) {
    diagnostics.error(*manifest.file, own.laterRange,
                      "no target of the kernel has assembly for later chips: " +
                          llvm::join(own.targets, ", "));
    return false;
  }
  if (best->isAssembly)
    return true;
  llvm::Expected<std::unique_ptr<Target>> target =
      createTarget(best->request.target, session.settings().tools);
  if (!target)
    return fail(target.takeError());
  planItem(kernel, variant, **target, /*asAssembly=*/true);
  return true;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The files of a binary, with what they hold now.
static std::vector<SourceDigest> digestFiles(const std::string &kernelFile,
                                             llvm::ArrayRef<std::string> imported) {
  std::vector<SourceDigest> sources;
  std::vector<std::string> paths = {kernelFile};
  llvm::append_range(paths, imported);
  for (const std::string &path : paths) {
    llvm::SmallString<256> absolute(path);
    llvm::sys::fs::make_absolute(absolute);
    llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
    llvm::Expected<std::string> text = readFile(path);
    if (text)
      sources.push_back({absolute.str().str(), sha256(*text)});
    else
      llvm::consumeError(text.takeError());
  }
  return sources;
}

void Builder::compileItem(BuildItem &item, const EarlierIndex &earlier) {
  if (item.diagnostics.hasErrors())
    return; // its program could not be read
  std::optional<std::string> key = session.keyOf(item.request, item.diagnostics);
  if (!key)
    return;
  item.key = *key;
  if (!session.settings().alwaysCompile && earlier.reuse(item))
    return;
  std::optional<CompileResult> compiled = session.compile(item.request, item.diagnostics);
  if (!compiled)
    return;
  item.record = std::move(compiled->kernel.record);
  item.record.sourceFile = manifest.kernels[item.kernel].fileName;
  item.binary = *compiled->kernel.find(item.extension);
  if (item.isAssembly)
    item.binary += '\0'; // where the driver looks for its end
  item.sources = digestFiles(manifest.kernels[item.kernel].file, compiled->importedFiles);
  item.isDone = true;
}

/// Adds a binary without tensor maps for each that has some: launches take it whose maps cannot be
/// built.
void Builder::planWithoutMaps() {
  for (size_t number = 0, count = items.size(); number < count; ++number) {
    if (items[number].record.tensorMaps.empty())
      continue;
    BuildItem &item = items.emplace_back();
    const BuildItem &own = items[number];
    item.kernel = own.kernel;
    item.variant = own.variant;
    item.request = own.request;
    item.request.options = withoutTensorMaps(own.request.options);
    item.extension = own.extension;
    item.isAssembly = own.isAssembly;
    item.chip = own.chip;
    item.token = own.token;
    llvm::StringRef stem = own.fileName;
    stem.consume_back(own.extension);
    item.fileName = (stem + "plain." + own.extension).str();
    item.symbol = own.symbol + "_plain";
    item.insteadOf = number;
  }
}

void Builder::compileAll(const EarlierIndex &earlier, size_t first) {
  std::mutex lock;
  size_t done = first;
  ThreadPool pool(request.jobs);
  pool.parallelFor(items.size() - first, 1, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      BuildItem &item = items[first + i];
      llvm::CrashRecoveryContext recovery; // where the program has enabled it
      if (!recovery.RunSafely([&] { compileItem(item, earlier); }))
        item.diagnostics.report(DiagnosticKind::Internal, item.request.path,
                                "the compiler crashed on '" + item.request.kernelName + "' for " +
                                    item.request.target);
      std::lock_guard guard(lock);
      ++done;
      if (request.progress)
        request.progress(done, items.size(),
                         manifest.kernels[item.kernel].function + " for " + item.request.target);
    }
  });
}

/// Shows what compilations said; the same text once, however many targets say it.
bool Builder::reportItems() {
  std::vector<std::string> seen;
  bool areDone = true;
  for (BuildItem &item : items) {
    areDone &= item.isDone;
    std::string text = item.diagnostics.render();
    if (text.empty() || llvm::is_contained(seen, text))
      continue;
    seen.push_back(text);
    for (const Diagnostic &diagnostic : item.diagnostics.diagnostics())
      diagnostics.report(diagnostic);
    const ManifestVariant &variant = manifest.kernels[item.kernel].variants[item.variant];
    Diagnostic note;
    note.kind = DiagnosticKind::Note;
    note.message =
        "for '" + variant.signature + "' and " + item.request.target + ", asked for here";
    note.path = manifest.path;
    note.range = variant.range;
    note.column = manifest.file->displayColumn(variant.range.begin);
    diagnostics.report(std::move(note));
  }
  return areDone && !diagnostics.hasErrors();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool Builder::planKernel(size_t number) {
  const ManifestKernel &own = manifest.kernels[number];
  LibraryKernel kernel{.function = own.function, .grid = own.grid, .variants = {}};
  for (const ManifestVariant &variant : own.variants)
    kernel.variants.push_back({.when = variant.when, .binaries = {}});
  auto binaryOf = [](const BuildItem &item) {
    return LibraryBinary{item.record, item.isHostCode, item.symbol, item.chip, item.isAssembly};
  };
  for (const auto &[position, item] : llvm::enumerate(items)) {
    if (item.kernel != number || item.insteadOf)
      continue;
    LibraryBinary &binary = kernel.variants[item.variant].binaries.emplace_back(binaryOf(item));
    for (const BuildItem &other : items)
      if (other.insteadOf == position && other.record.tensorMaps.empty())
        binary.withoutMaps.push_back(binaryOf(other));
  }
  InterfaceProblem problem;
  std::optional<LibraryInterface> interface = planInterface(kernel, problem);
  if (!interface) {
    const ManifestVariant &variant = own.variants[problem.variant];
    llvm::StringRef message = problem.message;
    message.consume_front("--grid: ");
    diagnostics.error(*manifest.file,
                      problem.isAboutGrid        ? own.gridRange
                      : problem.isAboutCondition ? variant.whenRange
                                                 : variant.range,
                      message.str());
    return false;
  }
  library.kernels.push_back(std::move(kernel));
  interfaces.push_back(std::move(*interface));
  return true;
}

bool Builder::planLibrary() {
  library.name = manifest.name;
  library.origin = llvm::sys::path::filename(manifest.path).str();
  bool isRight = true;
  for (size_t number = 0; number < manifest.kernels.size(); ++number)
    isRight &= planKernel(number);
  return isRight;
}

/// Writes a file of the folder if it is not there with these contents.
bool Builder::writeOutput(const std::string &name, llvm::StringRef contents) {
  std::string path = request.folder + "/" + name;
  outputs.push_back({name, contents.size(), sha256(contents)});
  llvm::Expected<std::string> present = readPlainFile(path);
  bool isSame = present && *present == contents;
  if (!present)
    llvm::consumeError(present.takeError());
  if (isSame)
    return true;
  result.isUpToDate = false;
  if (llvm::Error error = writeFile(path, contents))
    return fail(std::move(error));
  return true;
}

bool Builder::writeSources() {
  if (std::error_code problem = llvm::sys::fs::create_directories(request.folder + "/objects"))
    return fail(makeError("cannot create the folder '" + request.folder +
                          "/objects': " + problem.message()));
  for (const BuildItem &item : items)
    if (!writeOutput(item.fileName, item.binary))
      return false;
  return writeOutput(manifest.name + ".h", writeLibraryHeader(library, interfaces)) &&
         writeOutput(manifest.name + ".c", writeLibrarySource(library, interfaces));
}

bool Builder::writeLibraryFile(const EarlierIndex &earlier) {
  std::string name = "lib" + manifest.name + ".a", path = request.folder + "/" + name;
  result.library = path;
  if (request.compiler.empty()) {
    result.library = request.folder + "/" + manifest.name + ".json";
    return true;
  }
  std::string made = request.compiler + "\n" + llvm::join(request.compilerFlags, "\n");
  for (const OutputFile &output : outputs)
    made += "\n" + output.name + " " + output.sha256;
  archiveKey = sha256(made);
  llvm::Expected<std::string> present = readPlainFile(path);
  bool isSame =
      present && earlier.archiveKey() == archiveKey && sha256(*present) == earlier.digestOf(name);
  llvm::Expected<std::string> archive =
      isSame ? std::move(present) : makeArchive(request, manifest.name, items);
  if (!isSame)
    llvm::consumeError(present ? llvm::Error::success() : present.takeError());
  if (!archive)
    return fail(archive.takeError());
  result.bytes = archive->size();
  return writeOutput(name, *archive);
}

/// `libNAME.a: kernels.toml softmax.py`, as make and Ninja read it.
std::string Builder::dependencies() const {
  std::vector<std::string> paths;
  llvm::SmallString<256> own(manifest.path);
  llvm::sys::fs::make_absolute(own);
  paths.push_back(own.str().str());
  for (const BuildItem &item : items)
    for (const SourceDigest &source : item.sources)
      if (!llvm::is_contained(paths, source.path))
        paths.push_back(source.path);
  auto escape = [](llvm::StringRef path) {
    std::string text;
    for (char c : path) {
      if (c == ' ' || c == '#' || c == '\\')
        text += '\\';
      text += c == '$' ? "$$" : std::string(1, c);
    }
    return text;
  };
  std::string text = escape(result.library) + ":";
  for (const std::string &path : paths)
    text += " \\\n  " + escape(path);
  return text + "\n";
}

bool Builder::writeIndexFiles() {
  Index index{manifest, items, interfaces, outputs, archiveKey};
  std::string text = writeIndex(index);
  return writeOutput(manifest.name + ".json", text) &&
         writeOutput(manifest.name + ".d", dependencies());
}

/// A build that changed nothing is still newer than its inputs, which make compares.
void Builder::refreshTimes() const {
  int fd = -1;
  if (llvm::sys::fs::openFileForWrite(result.library, fd, llvm::sys::fs::CD_OpenExisting,
                                      llvm::sys::fs::OF_Append))
    return;
  llvm::sys::TimePoint<> now = std::chrono::system_clock::now();
  (void)llvm::sys::fs::setLastAccessAndModificationTime(fd, now, now);
  llvm::sys::fs::closeFile(fd);
}

std::optional<BuildResult> Builder::run() {
  if (!planItems())
    return std::nullopt;
  EarlierIndex earlier(request.folder, manifest);
  compileAll(earlier);
  size_t count = items.size();
  planWithoutMaps();
  if (items.size() > count)
    compileAll(earlier, count);
  if (!reportItems() || !planLibrary())
    return std::nullopt;
  result.isUpToDate = true;
  if (!writeSources() || !writeLibraryFile(earlier) || !writeIndexFiles())
    return std::nullopt;
  if (result.isUpToDate)
    refreshTimes();
  result.kernels = manifest.kernels.size();
  result.binaries = items.size();
  result.compiled = llvm::count_if(items, [](const BuildItem &item) { return !item.isReused; });
  return result;
}

std::optional<BuildResult> tessera::buildLibrary(const Session &session,
                                                 const BuildRequest &request,
                                                 DiagnosticEngine &diagnostics) {
  std::optional<Manifest> manifest = readManifest(request.manifest, request.name, request.targets,
                                                  session.settings().tools, diagnostics);
  if (!manifest)
    return std::nullopt;
  return Builder(session, request, std::move(*manifest), diagnostics).run();
}
