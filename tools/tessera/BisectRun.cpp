//===- BisectRun.cpp - ways to run the program that a pass left behind ----===//
#include "BisectRun.h"
#include "FaultGuard.h"
#include "tessera/Driver/DropLayouts.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/Subprocess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cstring>

using namespace tessera;
using namespace tessera::cli;

StepRunner::StepRunner(const Session &session, const Explanation &explanation,
                       const BisectPlan &plan)
    : session(session), explanation(explanation), trace(explanation.trace), plan(plan),
      pool(std::make_shared<ThreadPool>(0)) {}

//===----------------------------------------------------------------------===//
// The ways
//===----------------------------------------------------------------------===//

llvm::Error StepRunner::open() {
  llvm::Expected<std::unique_ptr<Target>> target =
      createTarget(explanation.request.target, session.settings().tools);
  if (!target)
    return target.takeError();
  own = std::move(*target);
  stages = own->stages();
  DeviceOptions options;
  options.threads = pool;
  llvm::Expected<std::unique_ptr<Device>> host = createDevice("cpu", options);
  if (!host)
    return host.takeError();
  cpu = std::move(*host);
  llvm::Expected<std::unique_ptr<Device>> other = createDefaultDevice(options);
  if (!other)
    llvm::consumeError(other.takeError());
  else if ((*other)->properties().target != cpu->properties().target)
    gpu = std::move(*other);

  std::string name = own->name();
  bool isForHost = name == cpu->properties().target;
  found.push_back({cpu->properties().target, cpu.get(), "on the CPU", "", isForHost});
  // The kernel's own target, or for the CPU's kernels another one, which has other passes.
  if (!plan.emulator.empty())
    found.push_back(
        {isForHost ? defaultTarget() : name, nullptr, "on the emulator", "", !isForHost});
  else if (gpu && (isForHost || gpu->properties().target == name))
    found.push_back(
        {gpu->properties().target, gpu.get(), "on " + gpu->properties().name, "", !isForHost});
  for (RunWay &way : found) {
    // The emulator executes what a device loads if no tool makes a binary of it.
    ToolPaths tools = way.device ? session.settings().tools : ToolPaths();
    llvm::Expected<std::unique_ptr<Target>> compiler = createTarget(way.target, tools);
    if (!compiler)
      return compiler.takeError();
    way.loaded = loadableExtension((*compiler)->stages(), tools);
  }

  const KernelRecord &record = *explanation.record;
  llvm::Expected<MatchedArguments> specs = matchArguments(plan.arguments, record);
  if (!specs)
    return specs.takeError();
  return makeArguments(plan.arguments, record, *specs, *cpu, *pool).takeError();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

void StepRunner::addPasses(std::vector<std::string> &names, llvm::StringRef stage,
                           size_t last) const {
  for (size_t i = 0; i <= last; ++i)
    if (trace.steps[i].kind == StepKind::Pass && trace.steps[i].stage == stage)
      names.push_back(trace.steps[i].name);
}

std::optional<StepRunner::Input> StepRunner::makeInput(size_t step, const RunWay &way) const {
  const PassStep &at = trace.steps[step];
  const ProgramText &program = trace.texts[at.after];
  bool isModule = program.syntax == TextSyntax::MLIR;
  // Other targets read TTIR alone.
  if (isModule && !way.isOwn) {
    if (program.level == "source" || program.level == "ttir")
      return Input{"ttir", program.text, {}};
    if (std::optional<std::string> text = dropLayouts(program.text))
      return Input{"ttir", std::move(*text), {}};
    return std::nullopt;
  }
  if (!way.isOwn)
    return std::nullopt;
  auto stage = llvm::find_if(stages, [&](const Stage &each) { return each.name == at.stage; });
  size_t index = stage == stages.end() ? 0 : stage - stages.begin();
  if (!isModule) {
    // A listing for people, such as the CPU's assembly, cannot be compiled.
    bool isShown = program.syntax == TextSyntax::Assembly && stages[index].onDemand;
    return isShown ? std::nullopt : std::optional(Input{program.level, program.text, {}});
  }
  // The compilation enters at the stage that the program is in the middle of. A file for the first
  // stage is read by the first stage itself.
  Input input{stages[index ? index - 1 : 0].extension, program.text, {}};
  if (index == 1)
    addPasses(input.done, stages[0].name, step);
  addPasses(input.done, stages[index].name, step);
  return input;
}

llvm::Expected<CompiledKernel> StepRunner::compile(const Input &input, const RunWay &way,
                                                   LeaveOut leaveOut) {
  SessionOptions options = session.settings();
  options.cacheFolder.clear();
  options.debug = {};
  options.passes.done = input.done;
  options.passes.leaveOut = leaveOut;
  CompileRequest request;
  request.path = "step." + input.extension;
  request.text = input.text;
  request.kernelName = trace.kernelName;
  request.target = way.target;
  request.options = explanation.request.options;
  request.options.irOverride.clear();
  request.outputs = {way.loaded};
  const KernelRecord &original = *explanation.record;
  if (input.extension == way.loaded) {
    CompiledKernel kernel;
    kernel.record = original;
    kernel.artifacts[way.loaded] = input.text;
    return kernel;
  }
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result = Session(options).compile(request, diagnostics);
  if (!result)
    return makeError(diagnostics.diagnostics().empty() ? "it does not compile"
                                                       : diagnostics.diagnostics().front().message);
  // Names, and what LLVM IR and assembly do not say, are in the original's record.
  KernelRecord &record = result->kernel.record;
  record.arguments = original.arguments;
  bool isLate = way.isOwn && record.hiddenArguments.empty() && record.sharedBytes == 0;
  if (isLate)
    record = original;
  return std::move(result->kernel);
}

llvm::Expected<CompiledKernel> StepRunner::compile(const Input &input, const RunWay &way) {
  // Most kernels need no pass but those that convert them to the next level.
  llvm::Expected<CompiledKernel> kernel = compile(input, way, LeaveOut::NeededBySome);
  if (kernel)
    return kernel;
  llvm::consumeError(kernel.takeError());
  kernel = compile(input, way, LeaveOut::Optional);
  if (kernel)
    return kernel;
  llvm::consumeError(kernel.takeError());
  return compile(input, way, LeaveOut::Nothing);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::Error StepRunner::launch(size_t step, Device &device, const CompiledKernel &kernel,
                               LaunchArguments &values) {
  llvm::Expected<std::unique_ptr<LoadedKernel>> loaded = device.load(kernel);
  if (!loaded)
    return loaded.takeError();
  std::optional<FaultGuard> guard;
  if (device.properties().sharesHostMemory)
    guard.emplace(trace.kernelName + "' after the pass '" + trace.steps[step].name);
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

/// The last line of a message; the whole of it if it has one line.
static llvm::StringRef lastLine(llvm::StringRef text) {
  text = text.rtrim();
  return text.drop_front(text.rfind('\n') + 1);
}

static std::string arrayName(size_t i) { return "array" + std::to_string(i); }

/// Writes the arrays to a folder, and returns the arguments for launch.json.
static llvm::Expected<llvm::json::Array> writeArguments(const TemporaryFolder &folder,
                                                        llvm::ArrayRef<HostArgument> values) {
  llvm::json::Array arguments;
  for (auto [i, argument] : llvm::enumerate(values)) {
    if (!argument.type.isPointer()) {
      uint64_t bits = 0;
      std::memcpy(&bits, argument.scalar, sizeof(bits));
      arguments.push_back(llvm::json::Object{{"bits", llvm::utohexstr(bits)}});
      continue;
    }
    llvm::StringRef bytes(static_cast<const char *>(argument.array.at(0)), argument.array.bytes());
    if (llvm::Error error = writeFile(folder.file(arrayName(i)), bytes))
      return error;
    arguments.push_back(llvm::json::Object{{"array", arrayName(i)}});
  }
  return arguments;
}

/// Writes the assembly, the arrays and launch.json to a folder; the program replaces the arrays.
llvm::Error StepRunner::emulate(const CompiledKernel &kernel, llvm::StringRef extension,
                                LaunchArguments &values) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  llvm::Expected<llvm::json::Array> arguments = writeArguments(*folder, values.host);
  if (!arguments)
    return arguments.takeError();
  const std::string *text = kernel.find(extension);
  if (!text)
    return makeError("there is no " + extension);
  if (llvm::Error error = writeFile(folder->file("assembly"), *text))
    return error;
  llvm::Expected<llvm::json::Value> record = parseJson(kernel.record.toText());
  if (!record)
    return record.takeError();
  llvm::json::Value launch =
      llvm::json::Object{{"grid", llvm::json::Array{plan.grid.x, plan.grid.y, plan.grid.z}},
                         {"shared", int64_t(kernel.record.sharedBytes)},
                         {"record", std::move(*record)},
                         {"arguments", std::move(*arguments)}};
  if (llvm::Error error =
          writeFile(folder->file("launch.json"), llvm::formatv("{0}", launch).str()))
    return error;
  llvm::Expected<ProgramResult> done =
      runProgram({.program = plan.emulator, .arguments = {folder->path()}});
  if (!done)
    return done.takeError();
  constexpr int unknown = 3; // the emulator lacks an instruction
  if (done->exitStatus == unknown)
    return makeUnsupported("the emulator: " + lastLine(done->err));
  if (!done->succeeded())
    return makeError("the emulator: " + lastLine(done->err));
  for (size_t i = 0; i < values.host.size(); ++i) {
    if (!values.host[i].type.isPointer())
      continue;
    HostArray &array = values.host[i].array;
    llvm::Expected<std::string> bytes = readFile(folder->file(arrayName(i)));
    if (!bytes)
      return bytes.takeError();
    std::memcpy(array.at(0), bytes->data(), std::min<uint64_t>(bytes->size(), array.bytes()));
  }
  return llvm::Error::success();
}

RunOutcome StepRunner::run(size_t step, const RunWay &way) {
  auto notRun = [](llvm::Error why) {
    return RunOutcome{RunOutcome::NotRun, llvm::toString(std::move(why)), {}};
  };
  std::optional<Input> input = makeInput(step, way);
  if (!input)
    return {RunOutcome::NotRun, "", {}};
  llvm::Expected<CompiledKernel> kernel = compile(*input, way);
  if (!kernel)
    return notRun(kernel.takeError());
  llvm::Expected<MatchedArguments> specs = matchArguments(plan.arguments, kernel->record);
  if (!specs)
    return notRun(specs.takeError());
  llvm::Expected<LaunchArguments> values =
      makeArguments(plan.arguments, kernel->record, *specs, way.device ? *way.device : *cpu, *pool);
  if (!values)
    return notRun(values.takeError());
  llvm::Error error = way.device ? launch(step, *way.device, *kernel, *values)
                                 : emulate(*kernel, way.loaded, *values);
  if (isUnsupported(error))
    return notRun(std::move(error));
  if (error)
    return {RunOutcome::Failed, llvm::toString(std::move(error)), {}};
  return {RunOutcome::Ran, "", std::move(values->host)};
}
