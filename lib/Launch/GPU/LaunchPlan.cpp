//===- LaunchPlan.cpp - how a kernel is launched on a GPU -----------------===//
#include "LaunchPlan.h"

using namespace tessera::gpu;

LaunchAttribute &LaunchPlan::add(LaunchAttributeId id) {
  LaunchAttribute &attribute = attributes[attributeCount++];
  attribute.id = id;
  return attribute;
}

LaunchPlan::LaunchPlan(const DriverFace &face, const LaunchNeeds &needs) : needs(needs) {
  const uint32_t *cluster = needs.cluster;
  if (cluster[0] != 1 || cluster[1] != 1 || cluster[2] != 1) {
    add(LaunchAttributeId::ClusterDimension).value.cluster = {cluster[0], cluster[1], cluster[2]};
    add(LaunchAttributeId::ClusterSchedulingPreference).value.flag = kClusterSchedulingSpread;
  }
  if (needs.isCooperative)
    add(LaunchAttributeId::Cooperative).value.flag = 1;
  if (needs.isDependent && face.hasDependentLaunch)
    add(LaunchAttributeId::ProgrammaticStreamSerialization).value.flag = 1;
}

FailedStep LaunchPlan::prepare(const DriverTable &api, Function function,
                               uint32_t staticShared) const {
  constexpr uint32_t kSharedByDefault = 48 * 1024;
  constexpr uint32_t kPortableCluster = 8;
  if (!api.functionSetAttribute)
    return {};
  if (uint64_t(needs.sharedBytes) + staticShared > kSharedByDefault) {
    constexpr auto kAttribute = FunctionAttribute::MaxDynamicSharedBytes;
    if (Result result = api.functionSetAttribute(function, kAttribute, int(needs.sharedBytes)))
      return {result, kAttribute};
    // The rest of the memory is the L1 cache; 100 percent asks for all of it.
    api.functionSetAttribute(function, FunctionAttribute::PreferredSharedCarveout, 100);
  }
  if (needs.clusterSize() > kPortableCluster) {
    constexpr auto kAttribute = FunctionAttribute::NonPortableClusterAllowed;
    return {api.functionSetAttribute(function, kAttribute, 1), kAttribute};
  }
  return {};
}

Result LaunchPlan::launch(const DriverTable &api, Function function, uint32_t x, uint32_t y,
                          uint32_t z, Stream stream, void **parameters) const {
  unsigned gridX = x * needs.numCTAs;
  if (attributeCount == 0) [[likely]]
    return api.launchKernel(function, gridX, y, z, needs.threads, 1, 1, needs.sharedBytes, stream,
                            parameters, nullptr);
  if (!api.launchKernelEx)
    return api.launchCooperative(function, gridX, y, z, needs.threads, 1, 1, needs.sharedBytes,
                                 stream, parameters);
  LaunchConfig config{.gridX = gridX,
                      .gridY = y,
                      .gridZ = z,
                      .blockX = needs.threads,
                      .blockY = 1,
                      .blockZ = 1,
                      .sharedBytes = needs.sharedBytes,
                      .stream = stream,
                      .attributes = const_cast<LaunchAttribute *>(attributes),
                      .attributeCount = attributeCount};
  return api.launchKernelEx(&config, function, parameters, nullptr);
}
