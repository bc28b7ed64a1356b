//===- RunArguments.h - from `--arg NAME=SPEC` to what a launch takes -----===//
// Matches specs with a kernel's arguments, by name: `x`, `t.0` for an element of a
// tuple. A tensor descriptor takes one array, which says its extents and strides:
//
//   --arg d=randn:64x32           base, shape 64x32, strides 32 and 1
//   --arg d.shape.1=30            ... of which only 30 columns are the tensor's
//
// matchArguments checks, makeArguments allocates and copies.
//===----------------------------------------------------------------------===//
#pragma once

#include "CommandLine.h"
#include "tessera/Launch/ArgumentSpec.h"
#include "tessera/Launch/Device.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace tessera::cli {

struct ArgumentRequest {
  llvm::StringMap<std::string> specs;                     // --arg
  std::vector<std::pair<std::string, std::string>> saves; // --save: name and file
  uint64_t seed = 0;
};

/// Reads every --arg NAME=SPEC of the command line.
llvm::Error readSpecs(const Arguments &arguments, ArgumentRequest &request);

/// One per passed argument. Nothing where a descriptor's array says the value.
using MatchedArguments = std::vector<std::optional<ArgumentSpec>>;

/// Every passed argument has a spec, and no spec is left over.
llvm::Expected<MatchedArguments> matchArguments(const ArgumentRequest &request,
                                                const KernelRecord &record);

/// The arguments on the host and on the device.
struct LaunchArguments {
  std::vector<HostArgument> host;
  std::vector<DeviceMemory> memory; // empty entries for scalars, and on the CPU
  std::vector<DeviceAddress> addresses;
  std::vector<void *> pointers; // what a launch takes
  uint64_t arrayBytes = 0;
};

llvm::Expected<LaunchArguments> makeArguments(const ArgumentRequest &request,
                                              const KernelRecord &record,
                                              const MatchedArguments &specs, Device &device,
                                              ThreadPool &pool);

/// Writes what --save asks for.
llvm::Error saveArrays(const ArgumentRequest &request, LaunchArguments &arguments, Device &device);

} // namespace tessera::cli
