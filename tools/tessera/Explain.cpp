//===- Explain.cpp - tessera explain --------------------------------------===//
// Compiles kernels and shows what every pass did. The views are in lib/Explain; this file reads the
// command line and chooses among them.
//===----------------------------------------------------------------------===//
#include "Bisect.h"
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Build/SignatureComments.h"
#include "tessera/Explain/Json.h"
#include "tessera/Explain/Page.h"
#include "tessera/Explain/Stepper.h"
#include "tessera/Explain/Views.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tessera;
using namespace tessera::cli;

static std::vector<Option> explainOptions() {
  std::vector<Option> options = {
      {"kernel-name", "n", "NAME", "the kernel; repeat -n and -s for several"},
      {"signature", "s", "LIST", "as for compile; default the file's comment '# signature: LIST'"},
      {"grid", "g", "X,Y,Z", "the grid to show in --grid-journey"},
      {"target", "t", "TARGET", "as for compile"},
      {"pass", "p", "NAME", "the IR before and after this pass; a part of its name is enough"},
      {"diff", "", "", "the same for every pass that changes something"},
      {"at", "", "LEVEL", "the IR at a level: source, ttir, ttgir, llir, ...; last: the last good"},
      {"line", "l", "N", "one line of Python through all levels; with --pass, --at: its ops alone"},
      {"layout", "", "NAME",
       "which thread and register holds each element of a value (a) or layout (#mma); which bank"},
      {"context", "", "N", "lines around a change in a diff; default 3"},
      {"whole", "", "", "fold nothing in a diff"},
      {"step", "", "", "walk through the passes, command by command"},
      {"grid-journey", "", "", "the launch grid from its definition in Python to the launch"},
      {"against", "", "FILE",
       "compare with another version of the file, or with other options: "
       "\"--num-warps 8\""},
      {"bisect", "", "",
       "run the program after every pass, and name the first that gives other values"},
      {"arg", "a", "NAME=SPEC", "an argument for --bisect, as for tessera run; needs --grid too"},
      {"emulator", "", "PROGRAM",
       "executes assembly for --bisect instead of a device of the target"},
      {"seed", "", "K", "of random arguments; default 0"},
      {"wrong-pass", "", "NAME", ""}, // for tests of --bisect: makes a pass compute something else
      {"html", "", "FILE", "write a page that shows everything; it opens without a network"},
      {"no-sass", "", "", "leave the disassembly out of the page: its tool takes half a second"},
      {"json", "", "", "everything, for programs (docs/explain.md has the fields)"}};
  for (const Option &option : optionsFromTable())
    if (!isDebugOption(option.name))
      options.push_back(option);
  llvm::append_range(options, edgeOptions());
  return options;
}

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

/// One of a repeated option's values for each kernel: a single one serves all.
static llvm::Expected<std::string> valueFor(const std::vector<std::string> &values, size_t index,
                                            size_t count, llvm::StringRef what) {
  if (values.empty())
    return "";
  if (values.size() == 1)
    return values[0];
  if (values.size() == count)
    return values[index];
  return makeError("explain got " + llvm::Twine(values.size()) + " of " + what + " for " +
                   llvm::Twine(count) + " kernels; give one, or one for each");
}

/// The kernels that the comments of a file propose; none if it has no such comments.
static llvm::Expected<std::vector<CompileRequest>>
proposedKernels(const CompileRequest &common, llvm::ArrayRef<std::string> names,
                const Arguments &given, llvm::ArrayRef<Option> options) {
  std::vector<CompileRequest> requests;
  llvm::Expected<std::string> text = readFile(common.path);
  if (!text)
    return text.takeError();
  std::vector<std::string> seen;
  for (const SignatureComment &comment : readSignatureComments(*text)) {
    bool isWanted = names.empty() || llvm::is_contained(names, comment.kernel);
    if (!isWanted || llvm::is_contained(seen, comment.kernel))
      continue;
    seen.push_back(comment.kernel);
    CompileRequest request = common;
    request.kernelName = comment.kernel;
    request.signature = comment.signature;
    std::vector<const char *> flags;
    for (const std::string &flag : comment.flags)
      flags.push_back(flag.c_str());
    llvm::Expected<Arguments> arguments = parseArguments(flags, options);
    if (!arguments)
      return makeError("'" + common.path + "': the comment '# signature:' of '" + comment.kernel +
                       "': " + llvm::toString(arguments.takeError()));
    if (llvm::Error error = arguments->apply(request.options))
      return error;
    // The command line has the last word.
    if (llvm::Error error = given.apply(request.options))
      return error;
    requests.push_back(std::move(request));
  }
  return requests;
}

static llvm::Expected<std::vector<CompileRequest>> chooseKernels(const Arguments &arguments,
                                                                 llvm::ArrayRef<Option> options) {
  const std::vector<std::string> &files = arguments.positional;
  std::vector<std::string> names = arguments.all("kernel-name"),
                           signatures = arguments.all("signature");
  CompileRequest common;
  common.target = arguments.get("target", defaultTarget());
  if (llvm::Error error = arguments.apply(common.options))
    return error;
  if (common.options.sanitize)
    return makeError("--sanitize: watches a kernel while it runs; it is for tessera run");
  std::vector<CompileRequest> requests;
  bool mayPropose = signatures.empty();
  if (mayPropose)
    for (const std::string &file : files) {
      CompileRequest request = common;
      request.path = file;
      std::vector<CompileRequest> proposed;
      if (llvm::StringRef(file).ends_with(".py")) {
        llvm::Expected<std::vector<CompileRequest>> read =
            proposedKernels(request, names, arguments, options);
        if (!read)
          return read.takeError();
        proposed = std::move(*read);
      }
      if (proposed.empty()) {
        request.kernelName = names.empty() ? "" : names[0];
        proposed.push_back(std::move(request));
      }
      llvm::append_range(requests, std::move(proposed));
    }
  if (mayPropose)
    return requests;
  size_t count = std::max({files.size(), names.size(), signatures.size()});
  for (size_t i = 0; i < count; ++i) {
    CompileRequest request = common;
    llvm::Expected<std::string> file = valueFor(files, i, count, "FILE"),
                                name = valueFor(names, i, count, "--kernel-name"),
                                signature = valueFor(signatures, i, count, "--signature");
    llvm::Error error = llvm::joinErrors(llvm::joinErrors(file.takeError(), name.takeError()),
                                         signature.takeError());
    if (error)
      return makeError(llvm::StringRef(llvm::toString(std::move(error))).split('\n').first);
    request.path = *file;
    request.kernelName = *name;
    request.signature = *signature;
    requests.push_back(std::move(request));
  }
  return requests;
}

//===----------------------------------------------------------------------===//
// The choice of a view
//===----------------------------------------------------------------------===//

namespace {
/// The view that the options choose.
struct ViewChoice {
  std::string pass, level, layout, html;
  bool diff = false, json = false, step = false, journey = false, disassembles = true;
  std::vector<std::string> grid;
  DiffView view;

  /// Stages that only people read run if they can be seen.
  bool showsEverything() const {
    return !level.empty() || view.line != 0 || (!html.empty() && disassembles);
  }
};
} // namespace

static llvm::Expected<ViewChoice> chooseView(const Arguments &arguments) {
  ViewChoice choice;
  choice.pass = arguments.get("pass");
  choice.level = arguments.get("at");
  choice.layout = arguments.get("layout");
  choice.diff = arguments.has("diff");
  choice.json = arguments.has("json");
  choice.html = arguments.get("html");
  if (arguments.has("html") && choice.html.empty())
    return makeError("--html: empty; write a path");
  choice.step = arguments.has("step");
  choice.disassembles = !arguments.has("no-sass");
  choice.journey = arguments.has("grid-journey");
  if (arguments.has("grid")) {
    choice.grid = splitList(arguments.get("grid"));
    if (choice.grid.empty() || choice.grid.size() > 3)
      return makeError("--grid: one to three numbers or expressions, not '" +
                       arguments.get("grid") + "'");
    choice.grid.resize(3, "1");
  }
  choice.view.whole = arguments.has("whole");
  constexpr uint64_t most = 100'000'000;
  if (arguments.has("line")) {
    llvm::Expected<uint64_t> line = parseNumber("--line", arguments.get("line"), 1, most);
    if (!line)
      return line.takeError();
    choice.view.line = *line;
  }
  if (arguments.has("context")) {
    llvm::Expected<uint64_t> context = parseNumber("--context", arguments.get("context"), 0, most);
    if (!context)
      return context.takeError();
    choice.view.context = *context;
  }
  return choice;
}

/// The passes that ran, for a message.
static std::string listSteps(const Explanation &explanation) {
  std::vector<std::string> names;
  for (const PassStep &step : explanation.trace.steps)
    if (!llvm::is_contained(names, step.name))
      names.push_back(step.name);
  return llvm::join(names, ", ");
}

static llvm::Expected<std::string> showSteps(const Explanation &explanation,
                                             const ViewChoice &choice, const Screen &screen) {
  std::vector<size_t> steps;
  if (!choice.pass.empty()) {
    steps = findSteps(explanation, choice.pass);
    if (steps.empty())
      return makeError("--pass: no pass '" + choice.pass +
                       "' ran; those that did: " + listSteps(explanation));
  } else {
    for (size_t i = 0; i < explanation.trace.steps.size(); ++i)
      if (explanation.trace.steps[i].changed)
        steps.push_back(i);
  }
  std::string out;
  for (size_t step : steps) {
    const PassStep &each = explanation.trace.steps[step];
    if (!choice.level.empty() && each.after != kNoText &&
        explanation.trace.texts[each.after].level != choice.level)
      continue;
    out += (out.empty() ? "" : "\n") + showStep(explanation, step, screen, choice.view);
  }
  return out;
}

static llvm::Expected<std::string> showLevel(const Explanation &explanation,
                                             const ViewChoice &choice, const Screen &screen) {
  size_t text = findLevel(explanation, choice.level);
  if (choice.level == "last" && !explanation.trace.steps.empty())
    text = explanation.trace.steps.back().after;
  if (text == kNoText)
    return makeError("--at: there is no IR of the level '" + choice.level + "'; there is " +
                     llvm::join(levelsOf(explanation), ", ") + ", last");
  return showText(explanation, text, screen, choice.view.lines());
}

/// Behind the table of a compilation that failed: the IR that the failing pass read.
static std::string showLastGood(const Explanation &explanation, const Screen &screen) {
  const PassTrace &trace = explanation.trace;
  if (!explanation.hasFailed() || trace.steps.empty() || trace.steps.back().after == kNoText)
    return "";
  constexpr size_t most = 80;
  size_t text = trace.steps.back().after;
  std::string out = "\n" + (screen.colors.bold + "the last good IR, before " +
                            escapeUnprintable(trace.steps.back().name) + screen.colors.reset)
                               .str();
  std::vector<unsigned> lines;
  for (const Diagnostic &diagnostic : explanation.diagnostics.diagnostics())
    if (diagnostic.range.isValid() && diagnostic.kind != DiagnosticKind::Remark)
      lines.push_back(diagnostic.range.begin.line);
  bool isLong = size_t(llvm::count(trace.texts[text].text, '\n')) > most;
  std::string part =
      isLong && !lines.empty() ? showText(explanation, text, screen, lines) : std::string();
  if (!part.empty())
    return out + ", at the lines of the messages (--at last shows all)\n" + part;
  return out + "\n" + showText(explanation, text, screen);
}

static llvm::Expected<std::string> showOne(const Explanation &explanation, const ViewChoice &choice,
                                           const Screen &screen) {
  if (choice.journey && !explanation.trace.steps.empty())
    return showGridJourney(explanation, choice.grid, screen);
  if (!choice.pass.empty() || choice.diff)
    return showSteps(explanation, choice, screen);
  if (!choice.layout.empty())
    return showLayouts(explanation, choice.layout, screen, choice.view.whole);
  if (!choice.level.empty())
    return showLevel(explanation, choice, screen);
  if (choice.view.line)
    return showLine(explanation, choice.view.line, screen);
  if (explanation.trace.steps.empty()) // the messages say all there is
    return "";
  return showPasses(explanation, screen) + showLastGood(explanation, screen);
}

static void print(llvm::StringRef text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// Reads commands until one of them is quit or the input ends.
static int stepThrough(const Explanation &explanation) {
  Screen screen{palette(stdout), terminalWidth(stdout), isTerminal(stdout)};
  printDiagnostics(explanation.diagnostics);
  Stepper stepper(explanation, screen);
  print(stepper.greeting());
  char *line = nullptr;
  size_t room = 0;
  while (!stepper.isDone()) {
    print(stepper.prompt());
    std::fflush(stdout);
    ssize_t length = ::getline(&line, &room, stdin);
    if (length < 0) {
      print("\n");
      break;
    }
    print(stepper.answer(llvm::StringRef(line, length)));
  }
  std::free(line);
  return explanation.status;
}

/// The request that --against compares with: another file, or the same with other options.
static llvm::Expected<CompileRequest>
otherRequest(const CompileRequest &request, llvm::StringRef text, llvm::ArrayRef<Option> options) {
  CompileRequest other = request;
  if (!text.starts_with("-")) {
    other.path = text.str();
    return other;
  }
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string> flags(words.begin(), words.end());
  std::vector<const char *> argv;
  for (const std::string &flag : flags)
    argv.push_back(flag.c_str());
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return makeError("--against: " + llvm::toString(arguments.takeError()));
  if (llvm::Error error = arguments->apply(other.options))
    return makeError("--against: " + llvm::toString(std::move(error)));
  other.kernelName = arguments->get("kernel-name", other.kernelName);
  other.signature = arguments->get("signature", other.signature);
  other.target = arguments->get("target", other.target);
  return other;
}

/// Reads --grid, --arg and --seed, for --bisect.
static llvm::Expected<BisectPlan> planBisection(const Arguments &arguments) {
  BisectPlan plan;
  if (!arguments.has("grid"))
    return makeError("--bisect: say how many programs to run, as in --grid 96");
  llvm::Expected<Grid> grid = parseGrid(arguments.get("grid"));
  if (!grid)
    return grid.takeError();
  plan.grid = *grid;
  plan.emulator = arguments.get("emulator");
  if (arguments.has("emulator") && !llvm::sys::fs::can_execute(plan.emulator))
    return makeError("--emulator: '" + plan.emulator + "' is not a program that can be run");
  if (llvm::Error error = readSpecs(arguments, plan.arguments))
    return error;
  if (arguments.has("seed")) {
    llvm::Expected<uint64_t> seed = parseNumber("--seed", arguments.get("seed"), 0, UINT64_MAX);
    if (!seed)
      return seed.takeError();
    plan.arguments.seed = *seed;
  }
  return plan;
}

static int bisect(const Session &session, const CompileRequest &request, const BisectPlan &plan) {
  Screen screen{palette(stdout), terminalWidth(stdout), isTerminal(stdout)};
  Explanation explanation = explainKernel(session, request, /*forPeople=*/false);
  printDiagnostics(explanation.diagnostics);
  if (explanation.hasFailed())
    return explanation.status;
  llvm::Expected<bool> found =
      bisectPasses(session, explanation, plan, screen, [](llvm::StringRef text) {
        print(text);
        std::fflush(stdout);
      });
  if (!found)
    return usageError(found.takeError());
  return *found ? kProgramError : kDone;
}

static int compare(const Session &session, const CompileRequest &request,
                   const CompileRequest &other, const ViewChoice &choice) {
  Screen screen{palette(stdout), terminalWidth(stdout), isTerminal(stdout)};
  Explanation first = explainKernel(session, request, choice.showsEverything());
  Explanation second = explainKernel(session, other, choice.showsEverything());
  print(showAgainst(first, second, screen, choice.view, choice.diff ? "all" : choice.level));
  std::fflush(stdout);
  printDiagnostics(first.diagnostics);
  printDiagnostics(second.diagnostics);
  return std::max(first.status, second.status);
}

/// Writes the page. A kernel that does not compile has a page, too.
static int writeHtml(llvm::ArrayRef<Explanation> kernels, const std::string &path) {
  int status = kDone;
  for (const Explanation &kernel : kernels) {
    status = std::max<int>(status, kernel.status);
    printDiagnostics(kernel.diagnostics);
  }
  std::string page = writePage(writeExplanations(kernels));
  if (llvm::Error error = writeFile(path, page))
    return failure(std::move(error), kProgramError);
  std::fprintf(stderr, "wrote %s (%s)\n", escapeUnprintable(path).c_str(),
               formatBytes(page.size()).c_str());
  return status;
}

static int showAll(llvm::ArrayRef<Explanation> kernels, const ViewChoice &choice) {
  Screen screen{palette(stdout), terminalWidth(stdout), isTerminal(stdout)};
  int status = kDone;
  for (const Explanation &kernel : kernels)
    status = std::max<int>(status, kernel.status);
  if (choice.json) {
    print(writeExplanations(kernels));
    return status;
  }
  bool isTable = !choice.journey && choice.pass.empty() && choice.level.empty() && !choice.diff &&
                 choice.layout.empty() && !choice.view.line;
  if (kernels.size() > 1 && isTable) {
    print(showMatrix(kernels, screen));
  } else {
    for (const Explanation &kernel : kernels) {
      if (kernels.size() > 1)
        print((screen.colors.bold + "== " + escapeUnprintable(kernel.title()) +
               screen.colors.reset + "\n")
                  .str());
      llvm::Expected<std::string> text = showOne(kernel, choice, screen);
      std::fflush(stdout);
      // The kernel's errors explain why there is nothing to show.
      printDiagnostics(kernel.diagnostics);
      if (!text && kernel.hasFailed())
        llvm::consumeError(text.takeError());
      else if (!text && kernels.size() == 1)
        return usageError(text.takeError());
      else // of several kernels, one may lack the line, the pass or the level
        print(text ? *text : llvm::toString(text.takeError()) + "\n");
    }
    return status;
  }
  std::fflush(stdout);
  for (const Explanation &kernel : kernels)
    printDiagnostics(kernel.diagnostics);
  return status;
}

int cli::runExplain(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = explainOptions();
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    print(helpText("explain FILE... [options]",
                   "Compiles kernels and shows what every pass does: a table of the passes, the IR "
                   "before and after one of them, or, for several kernels, which pass changes "
                   "which. FILE is a Python file, or any stage's output.",
                   options));
    return kDone;
  }
  if (arguments->positional.empty())
    return usageError("explain needs a FILE; see tessera explain --help");
  llvm::Expected<ViewChoice> view = chooseView(*arguments);
  if (!view)
    return usageError(view.takeError());
  llvm::Expected<std::vector<CompileRequest>> requests = chooseKernels(*arguments, options);
  if (!requests)
    return usageError(requests.takeError());
  llvm::Expected<Session> session = openSession(*arguments);
  if (!session)
    return usageError(session.takeError());
  bool isForOne = view->step || arguments->has("against") || arguments->has("bisect");
  if (isForOne && requests->size() != 1)
    return usageError("--step, --against and --bisect take one kernel; choose it with -n");
  if (arguments->has("bisect")) {
    llvm::Expected<BisectPlan> plan = planBisection(*arguments);
    if (!plan)
      return usageError(plan.takeError());
    SessionOptions settings = session->settings();
    settings.passes.wrongPass = arguments->get("wrong-pass");
    return bisect(Session(settings), requests->front(), *plan);
  }
  if (arguments->has("against")) {
    llvm::Expected<CompileRequest> other =
        otherRequest(requests->front(), arguments->get("against"), options);
    if (!other)
      return usageError(other.takeError());
    return compare(*session, requests->front(), *other, *view);
  }
  std::vector<Explanation> kernels;
  for (CompileRequest &request : *requests)
    kernels.push_back(explainKernel(*session, std::move(request), view->showsEverything()));
  if (!view->html.empty())
    return writeHtml(kernels, view->html);
  if (view->step)
    return stepThrough(kernels.front());
  return showAll(kernels, *view);
}
