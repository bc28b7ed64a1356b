//===- Bisect.cpp - the first pass whose program gives other values -------===//
#include "Bisect.h"
#include "FaultGuard.h"
#include "tessera/Driver/DropLayouts.h"
#include "tessera/Launch/Device.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace tessera;
using namespace tessera::cli;

namespace {
/// A program that can be compiled and run.
struct Runnable {
  std::string extension, target, text;
  std::string note; // how it differs from the recorded program
  Device *device = nullptr;
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
  void addRow(size_t step, llvm::StringRef result, llvm::StringRef color);

  Session session;
  const Explanation &explanation;
  const PassTrace &trace;
  const BisectPlan &plan;
  const Screen &screen;
  std::shared_ptr<ThreadPool> pool;
  std::unique_ptr<Device> cpu, gpu; // gpu: of the target, if there is one
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

/// Whether the program is in the LLVM dialect, which is only run once it is LLVM IR.
static bool isLLVMDialect(const ProgramText &program) {
  return program.syntax == TextSyntax::MLIR && program.ops.contains("llvm.func");
}

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
    if (own && program.level == "ttgir")
      return Runnable{"ttgir", target, program.text, "", own};
    return std::nullopt;
  }
  // The CPU's assembly is for people; its object comes from LLVM IR.
  bool isShown = program.syntax == TextSyntax::Assembly && target == host;
  if (!own || isShown)
    return std::nullopt;
  return Runnable{program.level, target, program.text, "", own};
}

llvm::Expected<std::vector<HostArgument>> Bisector::execute(const Runnable &program) {
  CompileRequest request;
  request.path = "step." + program.extension;
  request.text = program.text;
  request.kernelName = trace.kernelName;
  request.target = program.target;
  request.options = explanation.request.options;
  request.options.irOverride.clear();
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result = session.compile(request, diagnostics);
  if (!result)
    return makeError(diagnostics.diagnostics().empty() ? "it does not compile"
                                                       : diagnostics.diagnostics().front().message);
  // Names are in the original's record.
  result->kernel.record.arguments = explanation.record->arguments;
  llvm::Expected<MatchedArguments> specs = matchArguments(plan.arguments, result->kernel.record);
  if (!specs)
    return specs.takeError();
  llvm::Expected<LaunchArguments> values =
      makeArguments(plan.arguments, result->kernel.record, *specs, *program.device, *pool);
  if (!values)
    return values.takeError();
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel = program.device->load(result->kernel);
  if (!kernel)
    return kernel.takeError();
  std::optional<FaultGuard> guard;
  if (program.device->properties().sharesHostMemory)
    guard.emplace(trace.kernelName);
  if (llvm::Error error = program.device->launch(**kernel, plan.grid, values->pointers))
    return error;
  if (llvm::Error error = program.device->synchronize())
    return error;
  for (size_t i = 0; i < values->host.size(); ++i)
    if (i < values->memory.size() && values->memory[i].size() && values->host[i].array.bytes())
      if (llvm::Error error =
              program.device->copyToHost(values->host[i].array.at(0), values->memory[i].address(),
                                         values->host[i].array.bytes()))
        return error;
  return std::move(values->host);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// What rounding may change, relative to the value.
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
                 : "not run: it needs a device of " + explanation.request.target,
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
