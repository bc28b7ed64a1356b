//===- Compile.cpp - tessera compile --------------------------------------===//
// Runs the stages up to what --emit asks for and writes the outputs, all or
// none. The flags of Triton's tools/compile.py mean what they mean there.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Kernel/Signature.h"
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

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
  static const std::string targets = describeTargets(), outputs = describeOutputs();
  std::vector<Option> options = {
      {"kernel-name", "n", "NAME", "the kernel to compile; may be left out if the file has one"},
      {"signature", "s", "LIST", "a type or constant per parameter: \"*fp32:16,*fp32,i32,64\""},
      {"grid", "g", "X,Y,Z", "expressions over parameters and numbers, for the C launcher"},
      {"target", "t", "TARGET", targets},
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
};
} // namespace

static bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
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
  std::vector<std::string> known = {"json"}, withoutTool;
  for (const Stage &stage : stages) {
    known.push_back(stage.extension);
    // An on-demand stage is left out of `--emit all` if its tool is missing.
    if (stage.onDemand && !stage.tool.empty() && tools.get(stage.tool).empty())
      withoutTool.push_back(stage.extension);
  }
  if (hasLauncher)
    known.push_back("c");
  if (emitted.empty())
    return makeError("--emit: nothing to write; choose from all, " + llvm::join(known, ", "));
  for (const std::string &name : emitted) {
    if (name == "all") {
      plan.extensions.clear();
      for (const std::string &each : known)
        // Outputs for people are left out if the tool for them is missing.
        if (each != "c" && !llvm::is_contained(withoutTool, each))
          plan.extensions.push_back(each);
      plan.writesLauncher = hasLauncher;
      break;
    }
    if (!llvm::is_contained(known, name))
      return makeError("--emit: " + (*target)->name() + " has no output '" + name +
                       "'; it has all, " + llvm::join(known, ", "));
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
    return makeError("--out-path -: prints one output; --emit asks for several");
  return plan;
}

/// The three expressions of --grid, or none.
static llvm::Expected<std::vector<std::string>> gridExpressions(const Arguments &arguments) {
  std::vector<std::string> grid;
  if (!arguments.has("grid"))
    return grid;
  // Commas inside parentheses belong to an expression.
  std::string text = arguments.get("grid"), current;
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      grid.push_back(std::exchange(current, ""));
    else
      current += c;
  }
  grid.push_back(current);
  for (std::string &expression : grid) {
    expression = llvm::StringRef(expression).trim().str();
    if (expression.empty())
      return makeError("--grid: '" + text +
                       "' has an empty part; write up to three, as in 1024,1,1");
  }
  if (grid.size() > 3 || depth != 0)
    return makeError("--grid: '" + text + "' is not one to three expressions separated by commas");
  grid.resize(3, "1");
  if (llvm::Error error = checkGrid(grid, /*kernel=*/nullptr))
    return std::move(error);
  return grid;
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
  std::fprintf(stderr, "%s: %s: %d registers, %d bytes spilled, %u bytes of shared memory\n",
               kernel.kernelName.c_str(), kernel.assembler.c_str(), kernel.registers,
               kernel.spillBytes, kernel.sharedBytes);
  if (!kernel.attempts.empty())
    std::fprintf(stderr, "tried %s\n", kernel.attempts.c_str());
}

/// Every output with its path: written together, so that an error or an
/// interrupt leaves none rather than some.
static llvm::Error writeOutputs(const OutputPlan &plan, const CompileResult &result,
                                const AotRequest &launcher) {
  std::vector<std::pair<std::string, std::string>> outputs;
  std::string base = plan.base;
  if (plan.usesVariantNames)
    base += "." + aotVariant(launcher.signature, result.kernel.record);
  for (const std::string &extension : plan.extensions) {
    const std::string *artifact = result.kernel.find(extension);
    std::string contents = extension == "json" ? result.kernel.record.toText() : *artifact;
    outputs.emplace_back(base + "." + extension, std::move(contents));
  }
  if (plan.writesLauncher) {
    llvm::Expected<AotSources> sources =
        writeAotSources(result.kernel, launcher, llvm::sys::path::filename(base + ".h"));
    if (!sources)
      return sources.takeError();
    outputs.emplace_back(base + ".h", sources->header);
    outputs.emplace_back(base + ".c", sources->source);
  }
  if (plan.prints) {
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
  if (arguments->positional.size() != 1)
    return usageError(arguments->positional.empty()
                          ? llvm::Twine("compile needs a FILE; see tessera compile --help")
                          : "compile takes one FILE, not '" +
                                llvm::Twine(arguments->positional[1]) + "' too");
  CompileRequest request;
  request.path = arguments->positional[0];
  request.kernelName = arguments->get("kernel-name");
  request.signature = arguments->get("signature");
  request.target = arguments->get("target", defaultTarget());
  if (llvm::Error error = arguments->apply(request.options))
    return usageError(std::move(error));
  if (request.options.sanitize)
    return usageError("--sanitize: watches a kernel while it runs; it is for tessera run");
  llvm::Expected<Session> session = openSession(*arguments);
  if (!session)
    return usageError(session.takeError());
  llvm::Expected<OutputPlan> plan = planOutputs(*arguments, request, session->settings().tools);
  if (!plan)
    return usageError(plan.takeError());
  llvm::Expected<std::vector<std::string>> grid = gridExpressions(*arguments);
  if (!grid)
    return usageError(grid.takeError());

  std::vector<std::string> entries;
  for (llvm::StringRef entry : splitSignature(request.signature))
    entries.push_back(entry.str());
  AotRequest launcher{arguments->get("out-name"), std::move(entries), *grid,
                      plan->usesVariantNames};
  request.outputs = plan->extensions;
  if (plan->writesLauncher) {
    request.outputs.push_back(plan->launched);
    if (plan->launched == "obj" && request.options.symbol.empty())
      request.options.symbol = aotObjectSymbol(launcher, request.options);
  }
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result = session->compile(request, diagnostics);
  printDiagnostics(diagnostics);
  if (!result)
    return exitStatus(diagnostics);
  if (session->settings().debug.timeStages)
    printStageTimes(*result);
  if (session->settings().debug.verbose)
    printAssemblerReport(result->kernel.record);
  if (llvm::Error error = checkGrid(launcher.grid, &result->kernel.record))
    return usageError(std::move(error));
  std::string name = launcher.outName.empty() ? result->kernel.record.kernelName : launcher.outName;
  plan->base = arguments->get("out-path", name);
  if (llvm::StringRef(plan->base).ends_with("/")) // a folder to put them in
    plan->base += name;
  if (llvm::Error error = writeOutputs(*plan, *result, launcher))
    return failure(std::move(error), kProgramError);
  return kDone;
}
