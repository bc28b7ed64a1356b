//===- Bisect.cpp - the first pass whose program gives other values -------===//
#include "Bisect.h"
#include "FaultGuard.h"
#include "tessera/Driver/DropLayouts.h"
#include "tessera/Launch/Device.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Subprocess.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <cstring>

using namespace tessera;
using namespace tessera::cli;

namespace {
/// A program that can be compiled and run.
struct Runnable {
  std::string extension, target, text;
  std::string note;         // how it differs from the recorded program
  Device *device = nullptr; // null: the emulator
};

class Bisector {
public:
  Bisector(const Session &session, const Explanation &explanation, const BisectPlan &plan,
           const Screen &screen)
      : session(quietSession(session)), explanation(explanation), trace(explanation.trace),
        plan(plan), screen(screen), pool(std::make_shared<ThreadPool>(0)) {}
  llvm::Expected<Bisection> run();

private:
  static Session quietSession(const Session &session);
  llvm::Error openDevices();
  std::optional<Runnable> makeRunnable(const ProgramText &program) const;
  /// The arrays after a run; an error says why it could not be run.
  llvm::Expected<std::vector<HostArgument>> execute(const Runnable &program);
  llvm::Expected<CompileResult> compile(const Runnable &program);
  llvm::Error launch(Device &device, const CompiledKernel &kernel, LaunchArguments &values);
  llvm::Error emulate(const CompiledKernel &kernel, LaunchArguments &values);
  void addRow(size_t step, llvm::StringRef result, llvm::StringRef color);

  Session session;
  const Explanation &explanation;
  const PassTrace &trace;
  const BisectPlan &plan;
  const Screen &screen;
  std::shared_ptr<ThreadPool> pool;
  std::unique_ptr<Device> cpu, gpu; // gpu: of the target, if there is one
  std::string assembly;             // the extension of what the emulator executes
  std::string out;
};
} // namespace

Session Bisector::quietSession(const Session &session) {
  SessionOptions options = session.settings();
  options.cacheFolder.clear();
  options.debug = {};
  return Session(options);
}

llvm::Error Bisector::openDevices() {
  // A device loads assembly if no tool makes a binary of it.
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(explanation.request.target, {});
  if (!target)
    return target.takeError();
  assembly = loadableExtension((*target)->stages(), {});
  DeviceOptions options;
  options.threads = pool;
  llvm::Expected<std::unique_ptr<Device>> host = createDevice("cpu", options);
  if (!host)
    return host.takeError();
  cpu = std::move(*host);
  llvm::Expected<std::unique_ptr<Device>> other = createDefaultDevice(options);
  if (!other)
    llvm::consumeError(other.takeError());
  else if ((*other)->properties().target == explanation.request.target)
    gpu = std::move(*other);
  return llvm::Error::success();
}

/// Returns whether the program is in the LLVM dialect, which is only run once it is LLVM IR.
static bool isLLVMDialect(const ProgramText &program) {
  return program.syntax == TextSyntax::MLIR && program.ops.contains("llvm.func");
}

static std::string noteFor(const Device *device) { return device ? "" : ", on the emulator"; }

std::optional<Runnable> Bisector::makeRunnable(const ProgramText &program) const {
  if (isLLVMDialect(program))
    return std::nullopt;
  const std::string &target = explanation.request.target, host = cpu->properties().target;
  Device *own = target == host ? cpu.get() : gpu.get();
  bool isPlain = program.level == "source" || program.level == "ttir" || target == host;
  if (program.syntax == TextSyntax::MLIR && isPlain)
    return Runnable{"ttir", host, program.text, "", cpu.get()};
  if (program.syntax == TextSyntax::MLIR) {
    if (std::optional<std::string> text = dropLayouts(program.text))
      return Runnable{"ttir", host, std::move(*text), ", on the CPU without layouts", cpu.get()};
    bool canRun = own || !plan.emulator.empty();
    if (canRun && program.level == "ttgir")
      return Runnable{"ttgir", target, program.text, noteFor(own), own};
    return std::nullopt;
  }
  // The CPU's assembly is for people; its object comes from LLVM IR.
  bool isShown = program.syntax == TextSyntax::Assembly && target == host;
  if ((!own && plan.emulator.empty()) || isShown)
    return std::nullopt;
  return Runnable{program.level, target, program.text, noteFor(own), own};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::Expected<CompileResult> Bisector::compile(const Runnable &program) {
  CompileRequest request;
  request.path = "step." + program.extension;
  request.text = program.text;
  request.kernelName = trace.kernelName;
  request.target = program.target;
  request.options = explanation.request.options;
  request.options.irOverride.clear();
  if (!program.device)
    request.outputs = {assembly};
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result = session.compile(request, diagnostics);
  bool isAssembly = !program.device && program.extension == assembly;
  if (!result && isAssembly)
    result.emplace(); // it needs no compiler any more
  if (isAssembly)
    result->kernel.artifacts[assembly] = program.text;
  if (!result)
    return makeError(diagnostics.diagnostics().empty() ? "it does not compile"
                                                       : diagnostics.diagnostics().front().message);
  // Names, and what LLVM IR and assembly do not say, are in the original's record.
  KernelRecord &record = result->kernel.record;
  record.arguments = explanation.record->arguments;
  if (record.sharedBytes == 0 && program.target == explanation.request.target)
    record.sharedBytes = explanation.record->sharedBytes;
  return std::move(*result);
}

llvm::Error Bisector::launch(Device &device, const CompiledKernel &kernel,
                             LaunchArguments &values) {
  llvm::Expected<std::unique_ptr<LoadedKernel>> loaded = device.load(kernel);
  if (!loaded)
    return loaded.takeError();
  std::optional<FaultGuard> guard;
  if (device.properties().sharesHostMemory)
    guard.emplace(trace.kernelName);
  if (llvm::Error error = device.launch(**loaded, plan.grid, values.pointers))
    return error;
  if (llvm::Error error = device.synchronize())
    return error;
  for (size_t i = 0; i < values.host.size(); ++i)
    if (i < values.memory.size() && values.memory[i].size() && values.host[i].array.bytes())
      if (llvm::Error error = device.copyToHost(
              values.host[i].array.at(0), values.memory[i].address(), values.host[i].array.bytes()))
        return error;
  return llvm::Error::success();
}

/// Writes the assembly, the arrays and launch.json to a folder; the program replaces the arrays.
llvm::Error Bisector::emulate(const CompiledKernel &kernel, LaunchArguments &values) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  llvm::json::Array arguments;
  auto nameOf = [](size_t i) { return "array" + std::to_string(i); };
  for (size_t i = 0; i < values.host.size(); ++i) {
    HostArgument &argument = values.host[i];
    if (!argument.type.isPointer()) {
      uint64_t bits = 0;
      std::memcpy(&bits, argument.scalar, sizeof(bits));
      arguments.push_back(llvm::json::Object{{"bits", llvm::utohexstr(bits)}});
      continue;
    }
    llvm::StringRef bytes(static_cast<const char *>(argument.array.at(0)), argument.array.bytes());
    if (llvm::Error error = writeFile(folder->file(nameOf(i)), bytes))
      return error;
    arguments.push_back(llvm::json::Object{{"array", nameOf(i)}});
  }
  const std::string *text = kernel.find(assembly);
  if (!text)
    return makeError("there is no " + assembly);
  if (llvm::Error error = writeFile(folder->file("assembly"), *text))
    return error;
  llvm::json::Value launch =
      llvm::json::Object{{"grid", llvm::json::Array{plan.grid.x, plan.grid.y, plan.grid.z}},
                         {"shared", int64_t(kernel.record.sharedBytes)},
                         {"hidden", int64_t(explanation.record->hiddenArguments.size())},
                         {"arguments", std::move(arguments)}};
  if (llvm::Error error =
          writeFile(folder->file("launch.json"), llvm::formatv("{0}", launch).str()))
    return error;
  llvm::Expected<ProgramResult> done =
      runProgram({.program = plan.emulator, .arguments = {folder->path()}});
  if (!done)
    return done.takeError();
  if (!done->succeeded())
    return makeError("the emulator: " + llvm::StringRef(done->err).rtrim().rsplit('\n').second);
  for (size_t i = 0; i < values.host.size(); ++i) {
    if (!values.host[i].type.isPointer())
      continue;
    HostArray &array = values.host[i].array;
    llvm::Expected<std::string> bytes = readFile(folder->file(nameOf(i)));
    if (!bytes)
      return bytes.takeError();
    std::memcpy(array.at(0), bytes->data(), std::min<uint64_t>(bytes->size(), array.bytes()));
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<HostArgument>> Bisector::execute(const Runnable &program) {
  llvm::Expected<CompileResult> result = compile(program);
  if (!result)
    return result.takeError();
  const KernelRecord &record = result->kernel.record;
  llvm::Expected<MatchedArguments> specs = matchArguments(plan.arguments, record);
  if (!specs)
    return specs.takeError();
  Device &memory = program.device ? *program.device : *cpu;
  llvm::Expected<LaunchArguments> values =
      makeArguments(plan.arguments, record, *specs, memory, *pool);
  if (!values)
    return values.takeError();
  llvm::Error error = program.device ? launch(*program.device, result->kernel, *values)
                                     : emulate(result->kernel, *values);
  if (error)
    return std::move(error);
  return std::move(values->host);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Returns the relative difference that rounding may cause.
static double toleranceOf(DType type) {
  if (!type.isFloat())
    return 0;
  unsigned bytes = type.bytesInMemory();
  return bytes >= 8 ? 1e-9 : bytes == 4 ? 1e-3 : bytes == 2 ? 3e-2 : 0.3;
}

static double valueAt(const HostArray &array, uint64_t index) {
  return array.type.isFloat() ? decodeFloat(array.type, array.at(index))
                              : double(decodeInt(array.type, array.at(index)));
}

/// The elements that differ by more than rounding, in words; empty if there are none.
static std::string compareArrays(const HostArgument &expected, const HostArgument &actual) {
  const HostArray &a = expected.array, &b = actual.array;
  double largest = 0;
  for (uint64_t i = 0; i < a.count(); ++i)
    if (double value = std::fabs(valueAt(a, i)); std::isfinite(value))
      largest = std::max(largest, value);
  uint64_t count = 0, first = 0;
  double tolerance = toleranceOf(a.type);
  for (uint64_t i = 0; i < a.count(); ++i) {
    double x = valueAt(a, i), y = valueAt(b, i);
    bool isSame = x == y || (std::isnan(x) && std::isnan(y)) ||
                  std::fabs(x - y) <= tolerance * std::max(std::fabs(x), largest * 1e-3);
    if (!isSame && count++ == 0)
      first = i;
  }
  if (count == 0)
    return "";
  return llvm::formatv("{0}[{1}] is {2} instead of {3}; {4} of {5} elements differ", expected.name,
                       first, valueAt(b, first), valueAt(a, first), count, a.count());
}

static std::string compare(llvm::ArrayRef<HostArgument> expected,
                           llvm::ArrayRef<HostArgument> actual) {
  for (auto [a, b] : llvm::zip(expected, actual))
    if (a.type.isPointer() && a.array.count() == b.array.count())
      if (std::string difference = compareArrays(a, b); !difference.empty())
        return difference;
  return "";
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

void Bisector::addRow(size_t step, llvm::StringRef result, llvm::StringRef color) {
  const PassStep &at = trace.steps[step];
  std::string line = llvm::formatv("{0,5}  {1,-34} {2,-7}", step + 1,
                                   llvm::StringRef(escapeUnprintable(at.name)).take_front(34),
                                   trace.texts[at.after].level);
  out += line +
         (color + escapeUnprintable(result) + (color.empty() ? "" : screen.colors.reset)).str() +
         "\n";
}

llvm::Expected<Bisection> Bisector::run() {
  if (!explanation.record)
    return makeError("--bisect: the kernel does not compile, so there is nothing to run");
  if (llvm::Error error = openDevices())
    return error;
  llvm::Expected<MatchedArguments> fits = matchArguments(plan.arguments, *explanation.record);
  if (!fits)
    return fits.takeError();
  if (llvm::Expected<LaunchArguments> values =
          makeArguments(plan.arguments, *explanation.record, *fits, *cpu, *pool);
      !values)
    return values.takeError();
  out = explanation.title() + ": the program after each pass, grid " + plan.grid.toString() + "\n";
  std::optional<std::vector<HostArgument>> reference;
  size_t ran = 0, programs = 0;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const PassStep &step = trace.steps[i];
    if (!step.changed || step.after == kNoText || step.bytes)
      continue;
    ++programs;
    std::optional<Runnable> program = makeRunnable(trace.texts[step.after]);
    if (!program) {
      addRow(i,
             isLLVMDialect(trace.texts[step.after])
                 ? "not run: the LLVM dialect is run once it is LLVM IR"
                 : "not run: it needs a device of " + explanation.request.target +
                       ", or --emulator",
             screen.colors.dim);
      continue;
    }
    llvm::Expected<std::vector<HostArgument>> arrays = execute(*program);
    if (!arrays) {
      addRow(i, "not run: " + llvm::toString(arrays.takeError()), screen.colors.dim);
      continue;
    }
    ++ran;
    if (!reference) {
      reference = std::move(*arrays);
      addRow(i, "the reference", "");
      continue;
    }
    std::string difference = compare(*reference, *arrays);
    addRow(i, difference.empty() ? "the same" + program->note : difference,
           difference.empty() ? screen.colors.green : screen.colors.red);
    if (!difference.empty()) {
      out += "\n" + escapeUnprintable(step.name) + " of " + step.stage +
             " is the first pass whose program gives other values\n";
      return Bisection{std::move(out), true};
    }
  }
  out += ran < 2 ? "\nfewer than two programs could be run\n"
                 : llvm::formatv("\nno pass changes a value; {0} of {1} programs were run\n", ran,
                                 programs)
                       .str();
  return Bisection{std::move(out), false};
}

llvm::Expected<Bisection> cli::bisectPasses(const Session &session, const Explanation &explanation,
                                            const BisectPlan &plan, const Screen &screen) {
  return Bisector(session, explanation, plan, screen).run();
}
