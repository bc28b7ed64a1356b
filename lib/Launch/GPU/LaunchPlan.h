//===- LaunchPlan.h - how a kernel is launched on a GPU -------------------===//
// A plan holds what every launch needs: the threads, the shared memory, the attributes. It is
// prepared once, when a kernel is loaded. Without LLVM: see DriverTable.h.
//===----------------------------------------------------------------------===//
#pragma once

#include "DriverTable.h"

namespace tessera::gpu {

/// The part of a kernel's record (docs/abi.md) that decides about launches.
struct LaunchNeeds {
  uint32_t threads = 0, sharedBytes = 0, numCTAs = 1;
  uint32_t cluster[3] = {1, 1, 1};
  bool isCooperative = false, isDependent = false;

  uint32_t clusterSize() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// A step of preparing a function that failed.
struct FailedStep {
  Result result = kSuccess;
  FunctionAttribute attribute = {}; // that was set
};

class LaunchPlan {
public:
  LaunchPlan() = default;
  LaunchPlan(const DriverFace &face, const LaunchNeeds &needs);

  /// Asks the driver for what is not there by default: more shared memory, large clusters.
  /// `staticShared` is what the binary reserves itself.
  FailedStep prepare(const DriverTable &api, Function function, uint32_t staticShared) const;
  /// False if the driver has no function for launches of this kind.
  bool canLaunch(const DriverTable &api) const {
    return attributeCount == 0 || api.launchKernelEx || api.launchCooperative;
  }
  /// Launches `x` by `y` by `z` programs. `parameters` has all arguments, the hidden ones too.
  Result launch(const DriverTable &api, Function function, uint32_t x, uint32_t y, uint32_t z,
                Stream stream, void **parameters) const;
  /// The function that launch() calls, for messages.
  Call call(const DriverTable &api) const {
    return attributeCount == 0  ? Call::launchKernel
           : api.launchKernelEx ? Call::launchKernelEx
                                : Call::launchCooperative;
  }

private:
  LaunchAttribute &add(LaunchAttributeId id);

  LaunchNeeds needs;
  uint32_t attributeCount = 0;
  LaunchAttribute attributes[4] = {};
};

} // namespace tessera::gpu
