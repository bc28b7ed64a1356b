//===- Explanation.cpp - a compilation, pass by pass ----------------------===//
#include "tessera/Explain/Explanation.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/Path.h"

using namespace tessera;

std::string Explanation::title() const {
  if (!trace.kernelName.empty())
    return trace.kernelName;
  if (!request.kernelName.empty())
    return request.kernelName;
  return llvm::sys::path::filename(request.path).str();
}

llvm::StringRef Explanation::sourceLine(LinePlace place) const {
  if (place.line == 0 || place.file >= trace.sources.size())
    return "";
  llvm::StringRef text = trace.sources[place.file];
  for (uint32_t line = 1; line < place.line && !text.empty(); ++line)
    text = text.drop_front(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.take_until([](char c) { return c == '\n'; }).trim();
}

/// The outputs that make the stages run which are to be shown.
static std::vector<std::string> chooseOutputs(const CompileRequest &request, const ToolPaths &tools,
                                              bool forPeople) {
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(request.target, tools);
  if (!target) {
    llvm::consumeError(target.takeError()); // the compilation reports it
    return {};
  }
  llvm::SmallVector<Stage> stages = (*target)->stages();
  std::string loadable = loadableExtension(stages, tools);
  std::vector<std::string> outputs = {loadable};
  bool hasBinary = loadable == binaryStage(stages).extension;
  for (const Stage &stage : stages) {
    bool hasTool = stage.tool.empty() || !tools.get(stage.tool).empty();
    // A stage behind the binary reads it.
    bool isReached = hasBinary || stage.tool.empty();
    if (forPeople && stage.onDemand && hasTool && isReached)
      outputs.push_back(stage.extension);
  }
  return outputs;
}

/// The texts of files that the kernel's locations name, for the lines beside ops. A file that
/// cannot be read has no lines to show.
static void readSources(PassTrace &trace) {
  for (size_t i = 0; i < trace.files.size(); ++i) {
    if (!trace.sources[i].empty() || !llvm::StringRef(trace.files[i]).ends_with(".py"))
      continue;
    llvm::Expected<std::string> text = readPlainFile(trace.files[i]);
    if (text)
      trace.sources[i] = std::move(*text);
    else
      llvm::consumeError(text.takeError());
  }
}

static std::optional<MachineFacts> factsOf(const Explanation &explanation) {
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(explanation.request.target, {});
  if (target)
    return (*target)->machineFacts(*explanation.record);
  llvm::consumeError(target.takeError());
  return std::nullopt;
}

Explanation tessera::explainKernel(const Session &session, CompileRequest request, bool forPeople) {
  Explanation made;
  made.request = std::move(request);
  made.request.outputs = chooseOutputs(made.request, session.settings().tools, forPeople);
  std::optional<CompileResult> result = session.explain(made.request, made.diagnostics, made.trace);
  made.trace.sources.resize(made.trace.files.size());
  // A program is no file; it says where its kernel is.
  if (llvm::StringRef(made.request.path).ends_with(".program")) {
    made.request.text.reset();
    if (!made.trace.files.empty())
      made.request.path = made.trace.files[0];
  }
  if (result)
    made.record = std::move(result->kernel.record);
  else
    made.status = exitStatus(made.diagnostics);
  if (!result && made.status == kDone)
    made.status = kInternalError;
  if (made.record)
    made.machine = factsOf(made);
  for (const StageTime &stage : made.trace.stages)
    made.seconds += stage.seconds;
  readSources(made.trace);
  stabilizeAliases(made.trace);
  return made;
}
