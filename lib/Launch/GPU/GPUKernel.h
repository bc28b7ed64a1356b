//===- GPUKernel.h - a kernel loaded on a GPU ----------------------------===//
#pragma once

#include "DriverAPI.h"
#include "LaunchPlan.h"
#include "TensorMaps.h"
#include "tessera/Launch/Device.h"

namespace tessera {

struct GPUContext {
  std::shared_ptr<const gpu::DriverAPI> api;
  gpu::Context primary; // null where threads have a current device instead
  gpu::DeviceOrdinal device;
};

/// Makes the primary context, or the device, current and puts back what was.
class DeviceScope {
public:
  explicit DeviceScope(const GPUContext &context) : api(*context.api) {
    if (!context.primary) {
      api.getCurrentDevice(&deviceBefore);
      changed = deviceBefore != context.device;
      if (changed)
        api.setCurrentDevice(context.device);
      return;
    }
    api.contextGetCurrent(&before);
    changed = before != context.primary;
    if (changed)
      api.contextSetCurrent(context.primary);
  }
  ~DeviceScope() {
    if (!changed) [[likely]]
      return;
    // A thread without a context keeps ours: the next call is then cheaper.
    if (before)
      api.contextSetCurrent(before);
    else if (deviceBefore >= 0)
      api.setCurrentDevice(deviceBefore);
  }
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

private:
  const gpu::DriverAPI &api;
  gpu::Context before = nullptr;
  gpu::DeviceOrdinal deviceBefore = -1;
  bool changed;
};

class GPUKernel : public LoadedKernel {
public:
  static llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(const GPUContext &context, const DeviceProperties &device, const CompiledKernel &kernel);
  ~GPUKernel() override;

  KernelResources resources() const override { return used; }
  void *handle(llvm::StringRef name) const override {
    return name == "module"     ? static_cast<void *>(module)
           : name == "function" ? static_cast<void *>(function)
                                : nullptr;
  }
  /// Device::occupancy; the context is current.
  llvm::Expected<int> occupancy(uint32_t sharedBytes, uint32_t clusterBlocks) const;
  /// The context is current and the grid is not empty; `scratch` is there if the kernel needs it.
  llvm::Error launch(const DeviceProperties &device, const Grid &grid, llvm::ArrayRef<void *> args,
                     void *stream, DeviceAddress scratch, DeviceAddress profile) const;
  bool needsScratch() const { return plan.needsScratch; }

  const std::string *name = nullptr; // the device's own, which outlives the kernel

private:
  GPUKernel(const GPUContext &context, KernelRecord record);
  llvm::Error findFunction();
  llvm::Error prepare(const DeviceProperties &device);
  llvm::Error raise(gpu::FunctionAttribute attribute, int value) const;
  std::string describeLaunch(const Grid &grid) const;

  /// The fields that every launch reads are adjacent, because the driver's work leaves the caches
  /// cold.
  struct Plan {
    uint32_t argumentCount;
    GridLimits limits; // in programs
    bool needsScratch;
    llvm::SmallVector<HiddenArgument, 2> hidden;
  };

  const GPUContext &context;
  gpu::Function function = nullptr;
  Plan plan = {};
  gpu::LaunchPlan launchPlan;
  gpu::Module module = nullptr;
  KernelResources used;
  gpu::TensorMaps tensorMaps; // hidden arguments, before the others
};

} // namespace tessera
