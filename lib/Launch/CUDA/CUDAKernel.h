//===- CUDAKernel.h - a kernel loaded on a GPU ----------------------------===//
#pragma once

#include "DriverAPI.h"
#include "TensorMaps.h"
#include "tessera/Launch/Device.h"

namespace tessera {

struct CUDAContext {
  std::shared_ptr<const cuda::DriverAPI> api;
  cuda::Context primary;
};

/// Makes the primary context current and puts back what was.
class ContextScope {
public:
  explicit ContextScope(const CUDAContext &context) : api(*context.api) {
    api.cuCtxGetCurrent(&before);
    changed = before != context.primary;
    if (changed)
      api.cuCtxSetCurrent(context.primary);
  }
  ~ContextScope() {
    // A thread without a context keeps ours: the next call is then cheaper.
    if (changed && before)
      api.cuCtxSetCurrent(before);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const cuda::DriverAPI &api;
  cuda::Context before = nullptr;
  bool changed;
};

class CUDAKernel : public LoadedKernel {
public:
  static llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(const CUDAContext &context, const DeviceProperties &device, const CompiledKernel &kernel);
  ~CUDAKernel() override;

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
  CUDAKernel(const CUDAContext &context, KernelRecord record);
  llvm::Error findFunction();
  llvm::Error prepare(const DeviceProperties &device);
  llvm::Error raise(cuda::FunctionAttribute attribute, int value) const;
  void addAttributes(llvm::SmallVectorImpl<cuda::LaunchAttribute> &attributes) const;
  std::string describeLaunch(const Grid &grid) const;
  llvm::Error launchWith(const Grid &grid, void **parameters, void *stream) const;

  /// The fields that every launch reads are adjacent, because the driver's work leaves the caches
  /// cold.
  struct Plan {
    uint32_t argumentCount, threads, sharedBytes, blocksPerProgram;
    GridLimits limits; // in programs
    bool needsScratch, hasAttributes;
    llvm::SmallVector<HiddenArgument, 2> hidden;
  };

  const CUDAContext &context;
  cuda::Function function = nullptr;
  Plan plan = {};
  cuda::Module module = nullptr;
  KernelResources used;
  llvm::SmallVector<cuda::LaunchAttribute, 3> attributes;
  cuda::TensorMaps tensorMaps; // hidden arguments, before the others
};

} // namespace tessera
