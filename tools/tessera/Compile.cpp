//===- Compile.cpp - tessera compile --------------------------------------===//
// Runs the stages up to what --emit asks for and writes the outputs, all or
// none. The flags of Triton's tools/compile.py mean what they mean there.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Build/SignatureComments.h"
#include "tessera/Kernel/Signature.h"
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/Suggest.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace tessera;
using namespace tessera::cli;

/// "cuda:90 (default), cuda:80 or cpu".
static std::string describeTargets() {
  std::vector<std::string> names = {defaultTarget() + " (default)"};
  for (const TargetDescription &target : listTargets())
    if (!target.isDefault)
      names.push_back(target.name);
  std::string last = names.back();
  names.pop_back();
  return llvm::join(names, ", ") + " or " + last;
}

/// Every output that some target has: "ttir,ttgir,llir,...".
static std::string describeOutputs() {
  std::vector<std::string> extensions;
  for (const TargetDescription &known : listTargets())
    if (llvm::Expected<std::unique_ptr<Target>> target = createTarget(known.name, {})) {
      for (const Stage &stage : (*target)->stages())
        if (!llvm::is_contained(extensions, stage.extension))
          extensions.push_back(stage.extension);
    } else {
      llvm::consumeError(target.takeError());
    }
  return llvm::join(extensions, ", ") + ", json, c or all; default c";
}

static std::vector<Option> compileOptions() {
  static const std::string targets = describeTargets() + "; or several, with commas",
                           outputs = describeOutputs();
  std::vector<Option> options = {
      {"kernel-name", "n", "NAME", "the kernel to compile; may be left out if the file has one"},
      {"signature", "s", "LIST", "a type or constant per parameter: \"*fp32:16,*fp32,i32,64\""},
      {"grid", "g", "X,Y,Z", "expressions over parameters and numbers, for the C launcher"},
      {"target", "t", "LIST", targets},
      {"emit", "e", "LIST", outputs},
      {"out-path", "o", "PATH", "outputs are PATH.ttir and so on; - prints"},
      {"out-name", "on", "NAME", "the name in generated C; default the kernel's"}};
  llvm::append_range(options, optionsFromTable());
  llvm::append_range(options, edgeOptions());
  return options;
}

namespace {
/// The outputs to write, decided before anything is compiled.
struct OutputPlan {
  std::vector<std::string> extensions; // of artifacts, and "json"
  bool writesLauncher = false;
  std::string launched;          // what the launcher holds or calls: "cubin", "obj"
  bool usesVariantNames = false; // Triton's file names: PATH.HASH_SUFFIX.c
  bool prints = false;
  std::string base;
  std::string leftOut; // of --emit all: a sentence, if tools are missing
};
} // namespace

static bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Plans --emit all: every output whose tool is there. The C file holds the binary, so it is left
/// out with it; the plan then has a sentence that says so.
static void planAll(OutputPlan &plan, llvm::ArrayRef<Stage> stages, const ToolPaths &tools,
                    bool hasLauncher) {
  plan.extensions = {"json"};
  plan.writesLauncher = hasLauncher;
  for (const Stage &stage : stages) {
    if (stage.tool.empty() || !tools.get(stage.tool).empty()) {
      plan.extensions.push_back(stage.extension);
    } else if (!stage.onDemand) { // otherwise an output for people
      plan.writesLauncher = false;
      plan.leftOut = stage.extension + " and c are left out: there is no " + stage.tool;
    }
  }
}

static llvm::Expected<OutputPlan>
planOutputs(const Arguments &arguments, const CompileRequest &request, const ToolPaths &tools) {
  OutputPlan plan;
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(request.target, tools);
  if (!target)
    return target.takeError();
  llvm::SmallVector<Stage> stages = (*target)->stages();
  plan.launched = binaryStage(stages).extension;
  bool isObject = plan.launched == "obj";
  // LLVM IR does not say what a kernel's arguments are; a cubin's launcher can do without.
  bool hasLauncher = !isObject || llvm::sys::path::extension(request.path) != ".llir";
  std::vector<std::string> emitted =
      splitList(arguments.get("emit", hasLauncher ? "c" : "obj,json"));
  plan.usesVariantNames = !arguments.has("emit");
  std::vector<std::string> known = {"json"};
  for (const Stage &stage : stages)
    known.push_back(stage.extension);
  if (hasLauncher)
    known.push_back("c");
  if (emitted.empty())
    return makeError("--emit: nothing to write; choose from all, " + llvm::join(known, ", "));
  for (const std::string &name : emitted) {
    if (name == "all") {
      planAll(plan, stages, tools, hasLauncher);
      break;
    }
    if (!llvm::is_contained(known, name))
      return makeError(
          "--emit: " + (*target)->name() + " has no output '" + name + "'; it has all, " +
          llvm::join(known, ", ") +
          suggest(name, llvm::SmallVector<llvm::StringRef>(known.begin(), known.end())));
    if (name == "c")
      plan.writesLauncher = true;
    else if (!llvm::is_contained(plan.extensions, name))
      plan.extensions.push_back(name);
  }
  // A cubin is embedded in the C file; an object is linked beside it.
  if (plan.writesLauncher && isObject && !llvm::is_contained(plan.extensions, "obj"))
    plan.extensions.push_back("obj");
  if (plan.writesLauncher && arguments.has("out-name") && !isIdentifier(arguments.get("out-name")))
    return makeError("--out-name: '" + arguments.get("out-name") +
                     "' becomes a C function's name: letters, digits and '_', not a digit first");
  if (arguments.has("out-path") && arguments.get("out-path").empty())
    return makeError("--out-path: empty; write a path without extension, or - to print");
  plan.prints = arguments.get("out-path") == "-";
  if (plan.prints && (plan.extensions.size() != 1 || plan.writesLauncher))
    return makeError("--out-path -: prints one output, and --emit " +
                     llvm::Twine(arguments.has("emit") ? "asks for" : "c, the default, writes") +
                     " several; name one, as in --emit ttir");
  return plan;
}

/// The three expressions of --grid, or none.
static llvm::Expected<std::vector<std::string>> gridExpressions(const Arguments &arguments) {
  if (!arguments.has("grid"))
    return std::vector<std::string>();
  return splitGrid(arguments.get("grid"));
}

static void printStageTimes(const CompileResult &result) {
  if (result.fromCache)
    std::fprintf(stderr, "from the cache\n");
  double total = 0;
  auto print = [](const char *name, const char *output, const std::string &size, double seconds) {
    std::fprintf(stderr, "%-12s %-8s %10s %10s\n", name, output, size.c_str(),
                 formatDuration(seconds).c_str());
  };
  for (const StageReport &stage : result.stages) {
    print(stage.name.c_str(), stage.extension.c_str(), stage.bytes ? formatBytes(stage.bytes) : "",
          stage.seconds);
    total += stage.seconds;
  }
  if (result.stages.size() > 1)
    print("total", "", "", total);
}

/// For --verbose: what the assembler said of the kernel, and what was tried where it spills.
static void printAssemblerReport(const KernelRecord &kernel) {
  if (kernel.assembler.empty())
    return;
  std::string other; // what not every target has
  if (kernel.accumulatorRegisters >= 0)
    other += " (" + std::to_string(kernel.accumulatorRegisters) + " accumulators)";
  if (kernel.scalarRegisters >= 0)
    other += ", " + std::to_string(kernel.scalarRegisters) + " scalar registers per warp";
  if (kernel.stackBytes >= 0)
    other += ", " + std::to_string(kernel.stackBytes) + " bytes of stack";
  std::fprintf(stderr, "%s: %s: %d registers%s, %d bytes spilled, %u bytes of shared memory\n",
               kernel.kernelName.c_str(), kernel.assembler.c_str(), kernel.registers, other.c_str(),
               kernel.spillBytes, kernel.sharedBytes);
  if (!kernel.attempts.empty())
    std::fprintf(stderr, "tried %s\n", kernel.attempts.c_str());
}

//===----------------------------------------------------------------------===//
// One compilation for each target
//===----------------------------------------------------------------------===//

namespace {
/// A compilation and what is written of it.
struct Job {
  CompileRequest request;
  OutputPlan plan;
  AotRequest launcher;
};

/// A path and what is written there.
using Output = std::pair<std::string, std::string>;
} // namespace

static llvm::Expected<Job> planJob(const Arguments &arguments, const CompileRequest &common,
                                   const std::string &target, const ToolPaths &tools) {
  Job job;
  job.request = common;
  job.request.target = target;
  llvm::Expected<OutputPlan> plan = planOutputs(arguments, job.request, tools);
  if (!plan)
    return plan.takeError();
  llvm::Expected<std::vector<std::string>> grid = gridExpressions(arguments);
  if (!grid)
    return grid.takeError();
  std::vector<std::string> entries;
  for (llvm::StringRef entry : splitSignature(common.signature))
    entries.push_back(entry.str());
  job.launcher = {arguments.get("out-name"), std::move(entries), *grid, plan->usesVariantNames};
  job.request.outputs = plan->extensions;
  if (plan->writesLauncher) {
    job.request.outputs.push_back(plan->launched);
    if (plan->launched == "obj" && job.request.options.symbol.empty())
      job.request.options.symbol = aotObjectSymbol(job.launcher, target, job.request.options);
  }
  job.plan = std::move(*plan);
  return job;
}

/// The record of the kernel with what this call writes beside it: names and digests of files, the C
/// function, the grid, and the key of all that it was made from.
static std::string describeResult(const CompileResult &result, const AotRequest &launcher,
                                  llvm::StringRef function, llvm::ArrayRef<Output> outputs) {
  llvm::Expected<llvm::json::Value> record = parseJson(result.kernel.record.toText());
  if (!record) {
    llvm::consumeError(record.takeError());
    return result.kernel.record.toText();
  }
  llvm::json::Object &object = *record->getAsObject();
  llvm::json::Array files;
  for (const auto &[path, contents] : outputs)
    files.push_back(llvm::json::Object{
        {"file", llvm::json::fixUTF8(llvm::sys::path::filename(path))},
        {"bytes", int64_t(contents.size())},
        {"sha256", llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(contents)),
                               /*LowerCase=*/true)}});
  object["files"] = std::move(files);
  object["key"] = result.key;
  if (!function.empty())
    object["function"] = function;
  if (!launcher.grid.empty())
    object["grid"] = llvm::json::Array(llvm::map_range(
        launcher.grid, [](const std::string &each) { return llvm::json::fixUTF8(each); }));
  return llvm::formatv("{0:2}\n", *record);
}

static llvm::Error addOutputs(const Job &job, const CompileResult &result,
                              std::vector<Output> &outputs) {
  std::string base = job.plan.base, function;
  if (job.plan.usesVariantNames)
    base += "." + aotVariant(job.launcher.signature, result.kernel.record);
  std::vector<Output> own;
  for (const std::string &extension : job.plan.extensions)
    if (extension != "json")
      own.emplace_back(base + "." + extension, *result.kernel.find(extension));
  if (job.plan.writesLauncher) {
    llvm::Expected<AotSources> sources =
        writeAotSources(result.kernel, job.launcher, llvm::sys::path::filename(base + ".h"));
    if (!sources)
      return sources.takeError();
    own.emplace_back(base + ".h", sources->header);
    own.emplace_back(base + ".c", sources->source);
    function = sources->function;
  }
  if (llvm::is_contained(job.plan.extensions, "json"))
    own.emplace_back(base + ".json", describeResult(result, job.launcher, function, own));
  llvm::append_range(outputs, own);
  return llvm::Error::success();
}

/// Writes all together, so that an error or an interrupt leaves none rather than some.
static llvm::Error writeOutputs(llvm::ArrayRef<Output> outputs, bool prints) {
  if (prints) {
    std::fwrite(outputs[0].second.data(), 1, outputs[0].second.size(), stdout);
    return std::fflush(stdout) ? makeError("cannot write to standard output")
                               : llvm::Error::success();
  }
  std::vector<PendingFile> pending;
  for (const auto &[path, contents] : outputs) {
    llvm::Expected<PendingFile> file = PendingFile::open(path);
    if (!file)
      return file.takeError();
    if (llvm::Error error = file->write(contents))
      return error;
    pending.push_back(std::move(*file));
  }
  for (PendingFile &file : pending)
    if (llvm::Error error = file.commit())
      return error;
  return llvm::Error::success();
}

/// Compiles the variant that launches take whose tensor maps cannot be built. None if the input
/// itself has tensor maps, as a .ttgir may.
static std::optional<CompileResult>
compileWithoutMaps(const Session &session, CompileRequest request, DiagnosticEngine &diagnostics) {
  request.options = withoutTensorMaps(request.options);
  std::optional<CompileResult> plain = session.compile(request, diagnostics);
  if (plain && !plain->kernel.record.tensorMaps.empty())
    plain.reset();
  return plain;
}

/// Compiles and adds to `outputs`; the exit status.
static int runJob(const Session &session, Job &job, const Arguments &arguments, bool isOneOfSeveral,
                  std::vector<Output> &outputs) {
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result = session.compile(job.request, diagnostics);
  printDiagnostics(diagnostics);
  if (!result)
    return exitStatus(diagnostics);
  if (session.settings().debug.timeStages)
    printStageTimes(*result);
  if (session.settings().debug.verbose)
    printAssemblerReport(result->kernel.record);
  if (llvm::Error error = checkGrid(job.launcher.grid, &result->kernel.record))
    return usageError(std::move(error));
  const std::string &outName = job.launcher.outName;
  std::string name = outName.empty() ? result->kernel.record.kernelName : outName;
  job.plan.base = arguments.get("out-path", name);
  if (llvm::StringRef(job.plan.base).ends_with("/")) // a folder to put them in
    job.plan.base += name;
  if (isOneOfSeveral && !job.plan.usesVariantNames) // which have the chip themselves
    job.plan.base += "." + chipToken(result->kernel.record.target);
  std::optional<CompileResult> plain;
  if (job.plan.writesLauncher && !result->kernel.record.tensorMaps.empty())
    plain = compileWithoutMaps(session, job.request, diagnostics);
  if (plain)
    job.launcher.withoutMaps = &plain->kernel;
  llvm::Error error = addOutputs(job, *result, outputs);
  job.launcher.withoutMaps = nullptr;
  if (error)
    return failure(std::move(error), kProgramError);
  return kDone;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// Without --signature, a kernel is compiled for that of the first comment `# signature:` above it,
/// with the comment's flags. The command line's own have the last word.
static llvm::Error takeComment(const Arguments &arguments, CompileRequest &request) {
  if (arguments.has("signature") || llvm::sys::path::extension(request.path) != ".py")
    return llvm::Error::success();
  llvm::Expected<std::string> text = readFile(request.path);
  if (!text) { // which the compilation reports
    llvm::consumeError(text.takeError());
    return llvm::Error::success();
  }
  request.text = *text;
  std::vector<SignatureComment> comments = readSignatureComments(*text);
  if (comments.empty())
    return llvm::Error::success();
  std::string wanted = request.kernelName.empty() ? comments[0].kernel : request.kernelName;
  llvm::erase_if(comments, [&](const SignatureComment &each) { return each.kernel != wanted; });
  if (comments.empty())
    return llvm::Error::success();
  request.kernelName = wanted;
  request.signature = comments[0].signature;
  std::fprintf(stderr, "tessera: compiles %s for \"%s\", from its comment%s\n", wanted.c_str(),
               request.signature.c_str(),
               comments.size() == 1
                   ? ""
                   : llvm::formatv(", the first of {0}", comments.size()).str().c_str());
  return applyFlags(comments[0], request.options);
}

static llvm::Expected<CompileRequest> readRequest(const Arguments &arguments) {
  if (arguments.positional.size() != 1)
    return makeError(arguments.positional.empty()
                         ? llvm::Twine("compile needs a FILE; see tessera compile --help")
                         : "compile takes one FILE, not '" + llvm::Twine(arguments.positional[1]) +
                               "' too");
  CompileRequest request;
  request.path = arguments.positional[0];
  request.kernelName = arguments.get("kernel-name");
  request.signature = arguments.get("signature");
  if (llvm::Error error = takeComment(arguments, request))
    return std::move(error);
  if (llvm::Error error = arguments.apply(request.options))
    return std::move(error);
  if (request.options.sanitize)
    return makeError("--sanitize: watches a kernel while it runs; it is for tessera run");
  return request;
}

int cli::runCompile(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = compileOptions();
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(
        helpText("compile FILE [options]",
                 "Compiles a kernel ahead of time. FILE is a Python file, or any stage's output.",
                 options)
            .c_str(),
        stdout);
    return kDone;
  }
  llvm::Expected<CompileRequest> request = readRequest(*arguments);
  if (!request)
    return usageError(request.takeError());
  llvm::Expected<Session> session = openSession(*arguments);
  if (!session)
    return usageError(session.takeError());
  std::vector<std::string> targets = splitList(arguments->get("target", defaultTarget()));
  if (targets.empty())
    targets.push_back(""); // whose error lists the known ones
  std::vector<Job> jobs;
  for (const std::string &target : targets) {
    llvm::Expected<Job> job = planJob(*arguments, *request, target, session->settings().tools);
    if (!job)
      return usageError(job.takeError());
    jobs.push_back(std::move(*job));
  }
  bool prints = jobs.front().plan.prints, areSeveral = jobs.size() > 1;
  if (prints && areSeveral)
    return usageError("--out-path -: prints one output; --target names several");
  std::vector<Output> outputs;
  for (Job &job : jobs)
    if (int status = runJob(*session, job, *arguments, areSeveral, outputs); status != kDone)
      return status;
  if (llvm::Error error = writeOutputs(outputs, prints))
    return failure(std::move(error), kProgramError);
  for (const Job &job : jobs)
    if (!job.plan.leftOut.empty())
      std::fprintf(stderr, "tessera: note: %s\n", job.plan.leftOut.c_str());
  return kDone;
}
