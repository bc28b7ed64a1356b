//===- Info.cpp - tessera targets, version --------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Launch/Device.h"
#include "tessera/Support/Terminal.h"
#include "tessera/Support/Units.h"
#include "tessera/Support/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::cli;

int cli::runTargets(llvm::ArrayRef<const char *> argv) {
  llvm::Expected<Arguments> arguments = parseArguments(argv, edgeOptions());
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    llvm::outs() << helpText("targets [options]",
                             "Lists the chips that kernels can be compiled for, the devices of "
                             "this machine that can run them, and the tools that are used.",
                             edgeOptions());
    return kDone;
  }
  if (!arguments->positional.empty())
    return usageError("targets takes no '" + arguments->positional[0] + "': it lists all");
  Palette colors = palette(stdout);
  llvm::outs() << colors.bold << "compiles for" << colors.reset << "\n";
  for (const TargetDescription &target : listTargets())
    llvm::outs() << llvm::formatv("  {0,-14} {1}\n", target.name, target.summary);
  llvm::outs() << colors.bold << "\nruns on" << colors.reset << "\n";
  DeviceList devices = listDevices();
  for (const auto &[name, properties] : devices.devices)
    llvm::outs() << llvm::formatv("  {0,-14} {1}, {2}\n", name, properties.name,
                                  formatBytes(properties.memoryBytes));
  if (!devices.note.empty())
    llvm::outs() << "  no GPU         "
                 << wrapText(devices.note, std::clamp(terminalWidth(stdout, 100), 60u, 100u), 17)
                 << "\n";
  llvm::Expected<ToolPaths> found = chooseTools(*arguments);
  if (!found)
    return usageError(found.takeError());
  llvm::outs() << colors.bold << "\ntools" << colors.reset << "\n";
  for (const ToolRole &role : listTools()) {
    std::string path = found->get(role.name);
    llvm::outs() << llvm::formatv("  {0,-14} {1}\n", role.label,
                                  path.empty() ? role.missing : path);
  }
  return kDone;
}

int cli::runVersion(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = {{"json", "", "", "as a JSON object"}};
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    llvm::outs() << helpText("version [--json]", "Prints the versions of Tessera and of LLVM.",
                             options);
    return kDone;
  }
  if (!arguments->has("json")) {
    llvm::outs() << "tessera " << getVersion() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
    return kDone;
  }
  llvm::json::Array targets;
  for (const TargetDescription &target : listTargets())
    targets.push_back(target.name);
  llvm::json::Object object{{"version", getVersion()},
                            {"build", getBuildIdentity()},
                            {"llvm", LLVM_VERSION_STRING},
                            {"abi", static_cast<int64_t>(kAbiVersion)},
                            {"targets", std::move(targets)}};
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  return kDone;
}
