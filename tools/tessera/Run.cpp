//===- Run.cpp - tessera run ----------------------------------------------===//
// Compiles a kernel for a device that is here, makes its arguments, launches
// it, and saves or times the result. All of the command line is checked before
// anything is compiled or allocated.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "FaultGuard.h"
#include "RunArguments.h"
#include "Sanitize.h"
#include "Subcommands.h"
#include "tessera/Launch/ArgumentSpec.h"
#include "tessera/Launch/Device.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/ThreadPool.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::cli;

/// "cpu, cuda:0 or hip:0".
static std::string describeDevices() {
  std::vector<std::string> names;
  for (llvm::StringRef kind : deviceKinds())
    names.push_back(kind == "cpu" ? kind.str() : (kind + ":0").str());
  std::string last = names.back();
  names.pop_back();
  return llvm::join(names, ", ") + " or " + last;
}

static std::vector<Option> runOptions() {
  static const std::string devices = describeDevices() + "; default a GPU if there is one";
  std::vector<Option> options = {
      {"kernel-name", "n", "NAME", "the kernel to run; may be left out if the file has one"},
      {"signature", "s", "LIST", "a type or constant per parameter: \"*fp32:16,*fp32,i32,64\""},
      {"grid", "g", "X,Y,Z", "how many programs to run: one to three numbers"},
      {"device", "d", "NAME", devices},
      {"arg", "a", "NAME=SPEC",
       "123, 1.5, @file.npy, randn:SHAPE, rand:SHAPE, arange:SHAPE, "
       "zeros:SHAPE, empty:SHAPE, randint:LO:HI:SHAPE; NAME is x, or t.0 in a tuple"},
      {"save", "", "NAME=FILE", "write an array to a .npy file after the run"},
      {"time", "", "N", "launch N times more and print how long it took"},
      {"seed", "", "K", "of the random arguments; default 0"},
      {"threads", "", "N", "of the CPU device; default all cores"},
      {"perf", "", "", "tell perf about the code: perf record -k 1, then perf inject --jit"}};
  llvm::append_range(options, optionsFromTable());
  llvm::append_range(options, edgeOptions());
  return options;
}

namespace {
/// The command line, read and checked as far as it can be without compiling.
struct RunPlan {
  CompileRequest request;
  Grid grid;
  std::string device; // empty: choose
  ArgumentRequest arguments;
  uint64_t timedLaunches = 0;
  uint64_t threads = 0;
};
} // namespace

static llvm::Error readNumbers(const Arguments &arguments, RunPlan &plan) {
  struct Row {
    llvm::StringLiteral name;
    uint64_t low, high;
    uint64_t &field;
  } rows[] = {{"time", 1, 1000000, plan.timedLaunches},
              {"seed", 0, UINT64_MAX, plan.arguments.seed},
              {"threads", 1, 1024, plan.threads}};
  for (const Row &row : rows) {
    if (!arguments.has(row.name))
      continue;
    llvm::Expected<uint64_t> number =
        parseNumber("--" + row.name.str(), arguments.get(row.name), row.low, row.high);
    if (!number)
      return number.takeError();
    row.field = *number;
  }
  return llvm::Error::success();
}

static llvm::Expected<RunPlan> planRun(const Arguments &arguments) {
  RunPlan plan;
  if (arguments.positional.size() != 1)
    return makeError(arguments.positional.empty()
                         ? llvm::Twine("run needs a FILE; see tessera run --help")
                         : "run takes one FILE, not '" + llvm::Twine(arguments.positional[1]) +
                               "' too");
  plan.request.path = arguments.positional[0];
  plan.request.kernelName = arguments.get("kernel-name");
  plan.request.signature = arguments.get("signature");
  plan.device = arguments.get("device");
  llvm::StringRef kind = llvm::StringRef(plan.device).split(':').first;
  if (arguments.has("device") && !llvm::is_contained(deviceKinds(), kind))
    return makeError("--device: unknown device '" + plan.device + "': " + describeDeviceNames());
  if (!arguments.has("grid"))
    return makeError("--grid: say how many programs to run, as in --grid 96 or --grid 64,4,1");
  llvm::Expected<Grid> grid = parseGrid(arguments.get("grid"));
  if (!grid)
    return grid.takeError();
  plan.grid = *grid;
  if (llvm::Error error = readSpecs(arguments, plan.arguments))
    return error;
  for (const std::string &text : arguments.all("save")) {
    auto split = splitNamedValue("--save", text);
    if (!split)
      return split.takeError();
    plan.arguments.saves.push_back(*split);
  }
  if (llvm::Error error = readNumbers(arguments, plan))
    return error;
  if (llvm::Error error = arguments.apply(plan.request.options))
    return error;
  if (plan.request.options.sanitize) {
    if (!kind.empty() && kind != "cpu")
      return makeUnsupported("--sanitize: kernels are watched on the CPU; take --device cpu");
    plan.device = "cpu";
  }
  return plan;
}

static llvm::Error printTimes(const RunPlan &plan, Device &device, const LoadedKernel &kernel,
                              LaunchArguments &arguments, const LaunchOptions &options) {
  llvm::Expected<LaunchTimes> times =
      timeLaunches(device, kernel, plan.grid, arguments.pointers, plan.timedLaunches,
                   /*warmups=*/3, options);
  if (!times)
    return times.takeError();
  llvm::outs() << llvm::formatv("  median {0}, best {1} of {2} launches",
                                formatDuration(times->median()), formatDuration(times->best()),
                                formatCount(plan.timedLaunches));
  if (arguments.arrayBytes && times->median() > 0)
    llvm::outs() << llvm::formatv("\n  {0} of arrays, {1} if each is touched once",
                                  formatBytes(arguments.arrayBytes),
                                  formatRate(arguments.arrayBytes / times->median()));
  llvm::outs() << "\n";
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// A named device, or the default one.
static llvm::Expected<std::unique_ptr<Device>> openDevice(const RunPlan &plan,
                                                          const DeviceOptions &options) {
  return plan.device.empty() ? createDefaultDevice(options) : createDevice(plan.device, options);
}

/// Checks the bytes behind the arrays of the host, which a kernel on the CPU may have written.
static llvm::Error checkArrays(const LaunchArguments &arguments, llvm::StringRef kernelName) {
  for (const HostArgument &argument : arguments.host)
    if (!argument.array.buffer.isIntact())
      return makeError("'" + kernelName + "' wrote past the end of '" + argument.name +
                       "'; run it with --sanitize to see where");
  return llvm::Error::success();
}

static llvm::Error launchAndReport(const RunPlan &plan, Device &device,
                                   const CompiledKernel &compiled, LaunchArguments &arguments) {
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel = device.load(compiled);
  if (!kernel)
    return kernel.takeError();
  std::optional<FaultGuard> guard;
  if (device.properties().sharesHostMemory)
    guard.emplace(compiled.record.kernelName);
  std::unique_ptr<Sanitizer> sanitizer;
  if (plan.request.options.sanitize)
    sanitizer = watchArguments(arguments.host);
  LaunchOptions options;
  options.sanitizer = sanitizer.get();
  if (llvm::Error error = device.launch(**kernel, plan.grid, arguments.pointers, options)) {
    // A failed assertion may be the consequence of what was found.
    if (sanitizer)
      llvm::consumeError(printReports(*sanitizer, compiled.record.kernelName));
    return error;
  }
  if (llvm::Error error = device.synchronize())
    return error;
  if (llvm::Error error = checkArrays(arguments, compiled.record.kernelName))
    return error;
  // Saved before timing launches it again.
  if (llvm::Error error = saveArrays(plan.arguments, arguments, device))
    return error;
  llvm::outs() << compiled.record.kernelName << ": grid " << plan.grid.toString() << " on "
               << device.properties().name;
  if (device.properties().sharesHostMemory)
    llvm::outs() << ", " << device.properties().processors << " thread"
                 << (device.properties().processors == 1 ? "" : "s");
  llvm::outs() << "\n";
  for (const auto &[name, file] : plan.arguments.saves)
    llvm::outs() << "  saved " << name << " to " << file << "\n";
  if (sanitizer) {
    if (llvm::Error error = printReports(*sanitizer, compiled.record.kernelName))
      return error;
    llvm::outs() << "  sanitized: nothing wrong\n";
  }
  return plan.timedLaunches ? printTimes(plan, device, **kernel, arguments, options)
                            : llvm::Error::success();
}

int cli::runRun(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = runOptions();
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(
        helpText("run FILE --grid X,Y,Z --arg NAME=SPEC ... [options]",
                 "Compiles a kernel and runs it here. SHAPE is 4096 or 4x64x28; the element type "
                 "is the signature's.",
                 options)
            .c_str(),
        stdout);
    return kDone;
  }
  llvm::Expected<RunPlan> plan = planRun(*arguments);
  if (!plan)
    return usageError(plan.takeError());
  llvm::Expected<Session> session = openSession(*arguments);
  if (!session)
    return usageError(session.takeError());
  DeviceOptions deviceOptions;
  deviceOptions.threads = std::make_shared<ThreadPool>(plan->threads);
  deviceOptions.tellProfiler = arguments->has("perf");
  llvm::Expected<std::unique_ptr<Device>> device = openDevice(*plan, deviceOptions);
  if (!device)
    return failure(addContext("--device", device.takeError()), kUnsupported);
  if (llvm::Error error =
          checkGrid(plan->grid, (*device)->properties().gridLimits, plan->request.options.numCTAs))
    return usageError(std::move(error));

  plan->request.target = (*device)->properties().target;
  llvm::Expected<std::unique_ptr<Target>> target =
      createTarget(plan->request.target, session->settings().tools);
  if (!target)
    return usageError(target.takeError());
  llvm::SmallVector<Stage> stages = (*target)->stages();
  std::string loaded = loadableExtension(stages, session->settings().tools);
  if (loaded != binaryStage(stages).extension)
    plan->request.outputs = {loaded};
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result = session->compile(plan->request, diagnostics);
  printDiagnostics(diagnostics);
  if (!result)
    return exitStatus(diagnostics);
  llvm::Expected<MatchedArguments> specs = matchArguments(plan->arguments, result->kernel.record);
  if (!specs)
    return usageError(specs.takeError());
  llvm::Expected<LaunchArguments> values = makeArguments(plan->arguments, result->kernel.record,
                                                         *specs, **device, *deviceOptions.threads);
  if (!values)
    return usageError(values.takeError());
  llvm::Error error = launchAndReport(*plan, **device, result->kernel, *values);
  if (error.isA<TensorMapError>()) { // the variant without tensor maps can
    plan->request.options = withoutTensorMaps(plan->request.options);
    if (std::optional<CompileResult> plain = session->compile(plan->request, diagnostics);
        plain && plain->kernel.record.tensorMaps.empty()) {
      llvm::consumeError(std::move(error));
      error = launchAndReport(*plan, **device, plain->kernel, *values);
    }
  }
  if (error)
    return failure(std::move(error), kProgramError);
  return kDone;
}
