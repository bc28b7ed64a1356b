//===- GPUKernel.cpp - loading and launching on a GPU --------------------===//
// Loading: the binary (cubin, hsaco); where the driver has no use for it (another chip) or
// there is none, the PTX, which CUDA's driver then compiles. What a launch needs
// every time (attributes, the shared memory limit) is prepared once here.
//===----------------------------------------------------------------------===//
#include "GPUKernel.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include <algorithm>

namespace tessera {

using namespace gpu;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

GPUKernel::GPUKernel(const GPUContext &context, KernelRecord record)
    : LoadedKernel(std::move(record)), context(context) {}

GPUKernel::~GPUKernel() {
  if (!module)
    return;
  DeviceScope scope(context);
  context.api->moduleUnload(module);
}

/// Loads one image; on failure `log` is what the driver's compiler or linker said.
static Result loadImage(const DriverAPI &api, const std::string &image, Module &module,
                        std::string &log) {
  char info[4096] = {}, errors[16384] = {};
  JitOption options[] = {JitOption::InfoLogBuffer, JitOption::InfoLogBufferSize,
                         JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferSize};
  void *values[] = {info, reinterpret_cast<void *>(sizeof(info) - 1), errors,
                    reinterpret_cast<void *>(sizeof(errors) - 1)};
  Result result = api.moduleLoadDataEx(&module, image.c_str(), 4, options, values);
  if (result != kSuccess)
    log = llvm::StringRef(errors[0] ? errors : info).trim().str();
  return result;
}

llvm::Expected<std::unique_ptr<LoadedKernel>> GPUKernel::load(const GPUContext &context,
                                                              const DeviceProperties &device,
                                                              const CompiledKernel &kernel) {
  const DriverAPI &api = *context.api;
  const KernelRecord &record = kernel.record;
  std::string about = "cannot load kernel " + record.kernelName + ", compiled for " +
                      record.target + ", on " + device.name + " (" + device.target + ")";
  const DriverFace &face = api.face;
  const std::string *binary = kernel.find(face.binary);
  const std::string *text = *face.text ? kernel.find(face.text) : nullptr;
  if (!binary && !text)
    return makeError(about + (*face.text ? ": it has neither " : ": it has no ") + face.binary +
                     (*face.text ? " nor " : "") + face.text);

  DeviceScope scope(context);
  std::unique_ptr<GPUKernel> loaded(new GPUKernel(context, record));
  std::string log;
  Result result = kNoBinaryForGPU;
  if (binary)
    result = loadImage(api, *binary, loaded->module, log);
  if (result == kNoBinaryForGPU && text)
    result = loadImage(api, *text, loaded->module, log);
  if (llvm::Error error = api.check(result, Call::moduleLoadDataEx, log))
    return addContext(about, std::move(error));
  if (llvm::Error error = loaded->findFunction())
    return addContext(about, std::move(error));
  if (llvm::Error error = loaded->prepare(device))
    return addContext(about, std::move(error));
  return loaded;
}

llvm::Error GPUKernel::findFunction() {
  const DriverAPI &api = *context.api;
  if (llvm::Error error =
          api.check(api.moduleGetFunction(&function, module, record.symbolInBinary().c_str()),
                    Call::moduleGetFunction))
    return error;
  Result failed = kSuccess;
  auto attribute = [&](FunctionAttribute which) {
    int value = -1;
    if (Result result = api.functionGetAttribute(&value, which, function); result != kSuccess)
      failed = result;
    return value;
  };
  used.registers = attribute(FunctionAttribute::Registers);
  used.localBytes = attribute(FunctionAttribute::LocalBytes);
  used.staticSharedBytes = attribute(FunctionAttribute::StaticSharedBytes);
  used.maxThreadsPerBlock = attribute(FunctionAttribute::MaxThreadsPerBlock);
  return api.check(failed, Call::functionGetAttribute);
}

/// Checks the kernel against the device and asks for what is not there by default.
llvm::Error GPUKernel::prepare(const DeviceProperties &device) {
  const DriverAPI &api = *context.api;
  uint32_t clusterSize = record.cluster[0] * record.cluster[1] * record.cluster[2];
  uint64_t shared =
      uint64_t(record.dynamicSharedBytes()) + uint64_t(std::max(used.staticSharedBytes, 0));
  if (shared > device.maxSharedBytes)
    return makeError("it needs " + formatBytes(shared) +
                     " of shared memory, and a block can have at most " +
                     formatBytes(device.maxSharedBytes) +
                     "; smaller blocks or fewer stages (num_stages) need less");
  if (record.threadsPerBlock() > unsigned(used.maxThreadsPerBlock))
    return makeError("it is launched with " + llvm::Twine(record.threadsPerBlock()) +
                     " threads, and with " + llvm::Twine(used.registers) +
                     " registers each a block can have at most " +
                     llvm::Twine(used.maxThreadsPerBlock) +
                     "; use fewer warps (num_warps) or a limit on registers (maxnreg)");
  launchPlan =
      LaunchPlan(api.face, {.threads = record.threadsPerBlock(),
                            .sharedBytes = record.dynamicSharedBytes(),
                            .numCTAs = record.numCTAs,
                            .cluster = {record.cluster[0], record.cluster[1], record.cluster[2]},
                            .isCooperative = record.cooperative,
                            .isDependent = record.dependentLaunch});
  auto statically = uint32_t(std::max(used.staticSharedBytes, 0));
  if (FailedStep failed = launchPlan.prepare(api, function, statically); failed.result != kSuccess)
    return api.check(failed.result, Call::functionSetAttribute,
                     failed.attribute == FunctionAttribute::MaxDynamicSharedBytes
                         ? "for " + llvm::Twine(record.dynamicSharedBytes()) +
                               " bytes of shared memory"
                         : "for clusters of " + llvm::Twine(clusterSize) + " blocks");
  if (llvm::Error error = tensorMaps.prepare(record))
    return error;
  uint32_t blocks = std::max(record.numCTAs, 1u);
  plan = {.argumentCount = uint32_t(record.passedArguments().size()),
          .limits = {device.gridLimits.x / blocks, device.gridLimits.y, device.gridLimits.z},
          .needsScratch = record.globalScratch.bytes != 0,
          .hidden = {}};
  for (HiddenArgument hidden : record.hiddenArguments)
    if (hidden != HiddenArgument::TensorMap)
      plan.hidden.push_back(hidden);
  if (!launchPlan.canLaunch(api))
    return makeError(llvm::Twine("clusters and cooperative launches need ") + api.face.extended);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

/// Raises an attribute of the function; never lowers it, as launches rely on what it is.
llvm::Error GPUKernel::raise(FunctionAttribute attribute, int value) const {
  const DriverAPI &api = *context.api;
  int now = 0;
  if (!api.functionSetAttribute)
    return llvm::Error::success();
  if (api.functionGetAttribute(&now, attribute, function) == kSuccess && now >= value)
    return llvm::Error::success();
  return api.check(api.functionSetAttribute(function, attribute, value), Call::functionSetAttribute,
                   "kernel " + record.kernelName);
}

llvm::Expected<int> GPUKernel::occupancy(uint32_t sharedBytes, uint32_t clusterBlocks) const {
  const DriverAPI &api = *context.api;
  std::string about = "kernel " + record.kernelName + ", " + std::to_string(sharedBytes) +
                      " bytes of shared memory";
  if (sharedBytes > uint32_t(INT32_MAX))
    return makeError(about + " are more than a block can have");
  if (record.sharedIsStatic) // the driver adds it
    sharedBytes -= std::min(sharedBytes, record.sharedBytes);
  if (llvm::Error error = raise(FunctionAttribute::MaxDynamicSharedBytes, int(sharedBytes)))
    return addContext(about, std::move(error));
  // Nobody says how a binary of another compiler is launched.
  unsigned threads = record.threadsPerBlock();
  if (threads == 0)
    threads = unsigned(std::clamp(used.maxThreadsPerBlock, 1, 128));
  int count = 0;
  if (clusterBlocks == 0) {
    if (llvm::Error error =
            api.check(api.occupancyMaxActiveBlocks(&count, function, int(threads), sharedBytes),
                      Call::occupancyMaxActiveBlocks, about))
      return error;
    return count;
  }
  if (!api.occupancyMaxActiveClusters)
    return makeError(llvm::Twine("clusters need ") + api.face.extended);
  if (llvm::Error error = raise(FunctionAttribute::NonPortableClusterAllowed, 1))
    return error;
  LaunchAttribute cluster = {};
  cluster.id = LaunchAttributeId::ClusterDimension;
  cluster.value.cluster = {clusterBlocks, 1, 1};
  LaunchConfig config{.gridX = clusterBlocks,
                      .gridY = 1,
                      .gridZ = 1,
                      .blockX = threads,
                      .blockY = 1,
                      .blockZ = 1,
                      .sharedBytes = sharedBytes,
                      .stream = nullptr,
                      .attributes = &cluster,
                      .attributeCount = 1};
  if (llvm::Error error = api.check(api.occupancyMaxActiveClusters(&count, function, &config),
                                    Call::occupancyMaxActiveClusters,
                                    about + ", cluster of " + llvm::Twine(clusterBlocks)))
    return error;
  return count;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

std::string GPUKernel::describeLaunch(const Grid &grid) const {
  Grid cluster{record.cluster[0], record.cluster[1], record.cluster[2]};
  return "kernel " + record.kernelName + ", grid " + grid.toString() + ", " +
         std::to_string(record.threadsPerBlock()) + " threads, " +
         std::to_string(record.sharedBytes) + " bytes of shared memory, cluster " +
         cluster.toString();
}

llvm::Error GPUKernel::launch(const DeviceProperties &device, const Grid &grid,
                              llvm::ArrayRef<void *> args, void *where, DeviceAddress scratch,
                              DeviceAddress profile) const {
  if (args.size() != plan.argumentCount) [[unlikely]]
    return makeError("kernel " + record.kernelName + " takes " + llvm::Twine(plan.argumentCount) +
                     " arguments, and " + llvm::Twine(args.size()) + " were passed");
  if (grid.x > plan.limits.x || grid.y > plan.limits.y || grid.z > plan.limits.z) [[unlikely]]
    return addContext("kernel " + record.kernelName,
                      checkGrid(grid, device.gridLimits, record.numCTAs));

  llvm::SmallVector<void *, 96> parameters(args.begin(), args.end()); // seldom more
  llvm::SmallVector<EncodedTensorMap, 4> maps;
  if (tensorMaps.count() != 0) {
    maps.resize_for_overwrite(tensorMaps.count());
    std::string problem = tensorMaps.build(*context.api, args, maps);
    if (!problem.empty()) [[unlikely]]
      return llvm::make_error<TensorMapError>(record.kernelName, problem);
    for (EncodedTensorMap &map : maps)
      parameters.push_back(&map);
  }
  for (HiddenArgument hidden : plan.hidden)
    parameters.push_back(hidden == HiddenArgument::GlobalScratch ? &scratch : &profile);
  Result result = launchPlan.launch(*context.api, function, grid.x, grid.y, grid.z,
                                    static_cast<Stream>(where), parameters.data());
  if (result == kSuccess) [[likely]]
    return llvm::Error::success();
  return context.api->check(result, launchPlan.call(*context.api), describeLaunch(grid));
}

} // namespace tessera
