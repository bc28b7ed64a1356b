//===- Registry.cpp - the targets there are -------------------------------===//
// The one place that knows every target's name. A new vendor adds a line to
// each function.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Error.h"
#include "tessera/Target/CPU/CPUTarget.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Toolkit.h"
#include "tessera/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tessera;

const Stage &tessera::binaryStage(ArrayRef<Stage> stages) {
  return *find_if(reverse(stages), [](const Stage &stage) { return !stage.onDemand; });
}

static std::string knownTargets() {
  SmallVector<std::string> known;
  for (const TargetDescription &target : listTargets())
    known.push_back(target.name);
  return "known are " + join(known, ", ");
}

Expected<std::unique_ptr<tessera::Target>> tessera::createTarget(StringRef text,
                                                                 const ToolPaths &tools) {
  if (const nvidia::NvidiaSpec *spec = nvidia::NvidiaSpec::parse(text))
    return nvidia::createNvidiaTarget(*spec, tools);
  if (text == "cpu")
    return cpu::createCPUTarget();
  if (text == "hip" || text.starts_with("hip:"))
    return makeUnsupported("the target '" + text + "': there is no AMD target yet; " +
                           knownTargets());
  return makeError("unknown target '" + text + "'; " + knownTargets());
}

SmallVector<FoundTool> tessera::findTools(const ToolPlaces &places) {
  return nvidia::findTools(places);
}

ToolPaths tessera::toolPaths(ArrayRef<FoundTool> tools) {
  auto pathOf = [&](StringRef name) {
    auto found = find_if(tools, [&](const FoundTool &tool) { return tool.name == name; });
    return found == tools.end() ? std::string() : found->path;
  };
  std::string disassembler = pathOf("nvdisasm");
  return {.ptxas = pathOf("ptxas"),
          .libdevice = pathOf("libdevice"),
          .disassembler = disassembler.empty() ? pathOf("cuobjdump") : disassembler};
}

SmallVector<TargetDescription> tessera::listTargets() {
  SmallVector<TargetDescription> targets;
  for (const nvidia::NvidiaSpec &spec : nvidia::NvidiaSpec::all())
    targets.push_back({formatv("cuda:{0}", spec.capability),
                       formatv("NVIDIA {0} ({1})", spec.chip, spec.products), spec.chip.str(),
                       spec.featureNames()});
  targets.push_back({"cpu", "this machine's processor", "", {}});
  return targets;
}
