//===- PackGPU.cpp - kernels of a pack on GPUs ----------------------------===//
// One implementation for all vendors over the driver's table (../GPU/DriverTable.h), which
// is opened once in a process. A kernel is loaded into each context that launches it.
//===----------------------------------------------------------------------===//
#include "PackState.h"
#include "../Drivers.h"
#include <cstdio>
#include <cstring>

using namespace tessera;
using namespace tessera::gpu;

//===----------------------------------------------------------------------===//
// Drivers and devices
//===----------------------------------------------------------------------===//

namespace {
struct KnownDevice {
  std::atomic<bool> isKnown = false;
  DeviceChip chip;
  uint32_t maxShared = 0, maxGrid[3] = {};
};

/// A vendor's driver in this process. It stays open.
struct OpenDriver {
  static constexpr int kMaxDevices = 128;
  alignas(DriverTable) char memory[sizeof(DriverTable)];
  std::atomic<DriverTable *> opened = nullptr; // null: not opened yet, or it cannot be
  char problem[320] = {};
  Context primary = nullptr; // of the first GPU, for threads without a context
  KnownDevice devices[kMaxDevices];
};
} // namespace

static OpenDriver drivers[kDriverCount];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/// "cuInit failed: CUDA_ERROR_UNKNOWN (unknown error)"
static void describe(const DriverTable &api, Result result, Call call, char *text, size_t size) {
  const char *name = nullptr, *words = nullptr;
  if (api.getErrorName(result, &name) != kSuccess)
    name = nullptr;
  if (api.getErrorString(result, &words) != kSuccess)
    words = nullptr;
  std::string_view function = api.nameOf(call);
  std::snprintf(text, size, "%.*s failed: %s (%s)", int(function.size()), function.data(),
                name ? name : "unknown error", words ? words : "it has no description");
}

static tessera_pack_status driverFailed(const DriverTable &api, Result result, Call call,
                                        std::string_view kernel, const char *more = "") {
  char text[256];
  describe(api, result, call, text, sizeof(text));
  return fail(TESSERA_PACK_DRIVER_FAILED, "%s%s%.*s%s%s", text, kernel.empty() ? "" : "; kernel ",
              int(kernel.size() < 100 ? kernel.size() : 100), kernel.data(), *more ? "; " : "",
              more);
}

/// Opens the driver, under the lock; leaves a problem if it does not work.
static void openDriver(OpenDriver &driver, const DriverFace &face) {
  auto refuse = [&](const char *what, const char *why, const char *more) {
    std::snprintf(driver.problem, sizeof(driver.problem), "%s%s (%.160s)%s%s", what, face.label,
                  why, *more ? "; " : "", more);
  };
  const char *problem = "";
  void *handle = face.open("", problem);
  if (!handle)
    return refuse("no ", problem, face.source);
  auto *api = new (driver.memory) DriverTable(face);
  if (const char *missing = api->findFunctions(handle))
    return refuse("an old ", missing, face.needed);
  char why[200];
  if (Result result = api->init(0)) {
    describe(*api, result, Call::init, why, sizeof(why));
    return refuse("no GPU is found by the ", why, "");
  }
  int version = 0;
  if (face.leastVersion &&
      (api->driverGetVersion(&version) != kSuccess || version < face.leastVersion)) {
    std::snprintf(why, sizeof(why), "version %d", version);
    return refuse("an old ", why, face.needed);
  }
  driver.opened.store(api, std::memory_order_release);
}

static tessera_pack_status openDriver(size_t number, OpenDriver *&driver) {
  driver = &drivers[number];
  if (driver->opened.load(std::memory_order_acquire))
    return TESSERA_PACK_OK;
  PackLock guard(opening);
  if (!driver->opened && !driver->problem[0])
    openDriver(*driver, *allDrivers()[number]);
  if (driver->opened)
    return TESSERA_PACK_OK;
  return fail(TESSERA_PACK_NO_DRIVER, "%s", driver->problem);
}

/// Makes a context current in a thread that has none.
static tessera_pack_status findContext(OpenDriver &driver, PackGPU &gpu) {
  const DriverTable &api = *driver.opened;
  if (!api.contextGetCurrent) { // threads have a current device
    Result result = api.getCurrentDevice(&gpu.device);
    gpu.contextId = uint64_t(gpu.device) + 1;
    return result ? driverFailed(api, result, Call::getCurrentDevice, "") : TESSERA_PACK_OK;
  }
  if (Result result = api.contextGetCurrent(&gpu.context))
    return driverFailed(api, result, Call::contextGetCurrent, "");
  if (!gpu.context) {
    PackLock guard(opening);
    DeviceOrdinal first = 0;
    if (!driver.primary) {
      if (Result result = api.deviceGet(&first, 0))
        return driverFailed(api, result, Call::deviceGet, "");
      if (Result result = api.primaryContextRetain(&driver.primary, first))
        return driverFailed(api, result, Call::primaryContextRetain, "");
    }
    if (Result result = api.contextSetCurrent(driver.primary))
      return driverFailed(api, result, Call::contextSetCurrent, "");
    gpu.context = driver.primary;
  }
  // A context that was destroyed may have left its address to a new one, but never its number.
  unsigned long long id = 0;
  bool hasId = api.contextGetId && api.contextGetId(gpu.context, &id) == kSuccess;
  gpu.contextId = hasId ? uint64_t(id) : reinterpret_cast<uint64_t>(gpu.context);
  Result result = api.contextGetDevice(&gpu.device);
  return result ? driverFailed(api, result, Call::contextGetDevice, "") : TESSERA_PACK_OK;
}

static tessera_pack_status describeDevice(const DriverTable &api, int device, KnownDevice &known) {
  PackLock guard(opening);
  if (known.isKnown.load(std::memory_order_relaxed))
    return TESSERA_PACK_OK;
  Call call = Call::deviceGetAttribute;
  Result result = api.face.describe(api, device, known.chip, call);
  auto ask = [&](DeviceAttribute which, uint32_t &value) {
    int answer = 0;
    if (!result)
      result = api.getAttribute(&answer, which, device);
    value = uint32_t(answer);
  };
  ask(DeviceAttribute::MaxSharedMemoryPerBlock, known.maxShared);
  ask(DeviceAttribute::MaxGridX, known.maxGrid[0]);
  ask(DeviceAttribute::MaxGridY, known.maxGrid[1]);
  ask(DeviceAttribute::MaxGridZ, known.maxGrid[2]);
  if (result)
    return driverFailed(api, result, call, "");
  known.isKnown.store(true, std::memory_order_release);
  return TESSERA_PACK_OK;
}

tessera_pack_status tessera::findGPU(std::string_view kind, PackGPU &gpu) {
  size_t number = 0;
  while (number < kDriverCount && kind != allDrivers()[number]->kind)
    ++number;
  if (number == kDriverCount)
    return fail(TESSERA_PACK_WRONG_CALL, "there is no kind of devices '%.*s'",
                int(kind.size() < 40 ? kind.size() : 40), kind.data());
  OpenDriver *driver = nullptr;
  if (tessera_pack_status status = openDriver(number, driver))
    return status;
  if (tessera_pack_status status = findContext(*driver, gpu))
    return status;
  if (gpu.device < 0 || gpu.device >= OpenDriver::kMaxDevices)
    return fail(TESSERA_PACK_DRIVER_FAILED, "the driver has a device %d", gpu.device);
  KnownDevice &known = driver->devices[gpu.device];
  if (!known.isKnown.load(std::memory_order_acquire))
    if (tessera_pack_status status = describeDevice(*driver->opened, gpu.device, known))
      return status;
  gpu.api = driver->opened;
  gpu.target = known.chip.target;
  gpu.maxShared = known.maxShared;
  std::memcpy(gpu.maxGrid, known.maxGrid, sizeof(gpu.maxGrid));
  return TESSERA_PACK_OK;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static const PackModule *moduleIn(const PackVariant &variant, const PackGPU &gpu) {
  const PackModule *each = variant.modules.load(std::memory_order_acquire);
  while (each && (each->contextId != gpu.contextId || each->api != gpu.api))
    each = each->next;
  return each;
}

/// Loads an output; `log` is what the driver's compiler said.
static Result loadImage(const DriverTable &api, const void *image, Module &module, char *log,
                        size_t size) {
  JitOption options[] = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferSize};
  void *values[] = {log, reinterpret_cast<void *>(size - 1)};
  return api.moduleLoadDataEx(&module, image, 2, options, values);
}

/// Loads the binary, or the text where the driver has no use for the binary.
static tessera_pack_status loadModule(tessera_pack &pack, const PackVariant &variant,
                                      const PackGPU &gpu, const CodeFit &fit, Module &module) {
  const DriverTable &api = *gpu.api;
  const char *forms[] = {fit.isText ? nullptr : api.face.binary,
                         *api.face.text ? api.face.text : nullptr};
  char log[300] = {};
  Result result = kNoBinaryForGPU;
  for (const char *form : forms) {
    PackArtifact found;
    if (!form || result != kNoBinaryForGPU || !pack.view.find(variant.entry, form, found))
      continue;
    const void *bytes = nullptr;
    size_t size = 0;
    if (tessera_pack_status status =
            tessera_pack_output(&pack, variant.number, form, &bytes, &size))
      return status;
    bool isText = form == api.face.text;
    char *copy = isText ? static_cast<char *>(std::malloc(size + 1)) : nullptr; // with a final zero
    if (isText && !copy)
      return fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
    if (isText) {
      std::memcpy(copy, bytes, size);
      copy[size] = 0;
    }
    result = loadImage(api, isText ? copy : bytes, module, log, sizeof(log));
    std::free(copy);
  }
  return result ? driverFailed(api, result, Call::moduleLoadDataEx, variant.entry.name, log)
                : TESSERA_PACK_OK;
}

/// Finds the function, and asks for what it needs.
static tessera_pack_status prepare(const PackVariant &variant, const PackGPU &gpu, Module module,
                                   Function &function) {
  const DriverTable &api = *gpu.api;
  const PackRecord &record = variant.record;
  char symbol[1024] = {};
  if (record.symbol.size() >= sizeof(symbol))
    return fail(TESSERA_PACK_NO_BINARY, "the name of entry %u is too long", variant.number);
  std::memcpy(symbol, record.symbol.data(), record.symbol.size());
  if (Result result = api.moduleGetFunction(&function, module, symbol))
    return driverFailed(api, result, Call::moduleGetFunction, variant.entry.name);
  int statically = 0, threads = 0;
  Result result =
      api.functionGetAttribute(&statically, FunctionAttribute::StaticSharedBytes, function);
  if (!result)
    result = api.functionGetAttribute(&threads, FunctionAttribute::MaxThreadsPerBlock, function);
  if (result)
    return driverFailed(api, result, Call::functionGetAttribute, variant.entry.name);
  if (uint64_t(record.needs.sharedBytes) + uint64_t(statically) > gpu.maxShared)
    return fail(TESSERA_PACK_NO_BINARY, "entry %u needs %u bytes of shared memory, and %s has %u",
                variant.number, record.needs.sharedBytes + unsigned(statically), gpu.target,
                gpu.maxShared);
  if (record.needs.threads > unsigned(threads))
    return fail(TESSERA_PACK_NO_BINARY, "entry %u needs %u threads in a CTA, and can have %d",
                variant.number, record.needs.threads, threads);
  LaunchPlan plan(api.face, record.needs);
  if (!plan.canLaunch(api))
    return fail(TESSERA_PACK_NO_DRIVER, "clusters and cooperative launches need %s",
                api.face.extended);
  FailedStep failed = plan.prepare(api, function, unsigned(statically));
  return failed.result
             ? driverFailed(api, failed.result, Call::functionSetAttribute, variant.entry.name)
             : TESSERA_PACK_OK;
}

tessera_pack_status tessera::loadOnGPU(tessera_pack &pack, PackVariant &variant, const PackGPU &gpu,
                                       const PackModule *&loaded) {
  loaded = moduleIn(variant, gpu);
  if (loaded)
    return TESSERA_PACK_OK;
  PackLock guard(pack.loading);
  loaded = moduleIn(variant, gpu);
  if (loaded)
    return TESSERA_PACK_OK;
  CodeFit fit = fitCode(gpu.target, codeOf(pack, variant.entry));
  if (!fit)
    return fail(TESSERA_PACK_NO_BINARY, "entry %u is for %.*s, and does not run on %s",
                variant.number, int(variant.entry.target.size()), variant.entry.target.data(),
                gpu.target);
  auto *made = makePlain<PackModule>();
  if (!made)
    return fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
  made->api = gpu.api;
  made->context = gpu.context;
  made->contextId = gpu.contextId;
  made->device = gpu.device;
  tessera_pack_status status = loadModule(pack, variant, gpu, fit, made->module);
  if (!status)
    status = prepare(variant, gpu, made->module, made->function);
  if (status) {
    if (made->module)
      gpu.api->moduleUnload(made->module);
    destroyPlain(made);
    return status;
  }
  made->next = variant.modules.load(std::memory_order_relaxed);
  variant.modules.store(made, std::memory_order_release);
  loaded = made;
  return TESSERA_PACK_OK;
}

void tessera::unloadFromGPUs(PackVariant &variant) {
  PackModule *each = variant.modules.exchange(nullptr, std::memory_order_acq_rel);
  while (each) {
    PackModule *next = each->next;
    const DriverTable &api = *each->api;
    Context before = nullptr;
    int deviceBefore = 0;
    if (each->context) {
      api.contextGetCurrent(&before);
      if (api.contextSetCurrent(each->context) == kSuccess)
        api.moduleUnload(each->module);
      api.contextSetCurrent(before);
    } else {
      api.getCurrentDevice(&deviceBefore);
      if (api.setCurrentDevice(each->device) == kSuccess)
        api.moduleUnload(each->module);
      api.setCurrentDevice(deviceBefore);
    }
    destroyPlain(each);
    each = next;
  }
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// Builds the tensor maps of a launch; false if there are none for its arguments.
static bool buildMaps(const DriverTable &api, const PackRecord &record, const void *const *values,
                      EncodedTensorMap *maps) {
  static constexpr uint32_t kOnes[TensorMapRecipe::kMaxRank] = {1, 1, 1, 1, 1};
  if (!api.tensorMapEncodeTiled)
    return false;
  int64_t numbers[PackRecord::kMaxParameters];
  for (uint32_t i = 0; i < record.parameters.size(); ++i) {
    bool isSigned = false;
    unsigned bytes =
        record.parameters[i].hasConstant ? 0 : integerBytes(record.parameters[i].type, isSigned);
    numbers[i] = bytes ? readInteger(values[i], bytes, isSigned) : 0;
  }
  bool isKnown = true;
  auto valueOf = [&](const PackMap::Expression &expression) {
    std::optional<int64_t> value =
        evaluateExpression(record.terms.begin() + expression.first, expression.count, numbers);
    isKnown &= value.has_value();
    return uint64_t(value.value_or(0));
  };
  for (uint32_t number = 0; number < record.maps.size(); ++number) {
    const PackMap &map = record.maps[number];
    TensorMapValues made;
    made.base = uint64_t(numbers[map.base]) + valueOf(map.offset);
    for (uint32_t i = 0; i < map.rank; ++i)
      made.extents[i] = valueOf(map.extents[i]);
    for (uint32_t i = 0; i + 1 < map.rank; ++i)
      made.strides[i] = valueOf(map.strides[i]);
    long long wrong = 0;
    if (!isKnown || whyNoTensorMap(made, map.rank, wrong) ||
        api.tensorMapEncodeTiled(&maps[number], map.codes.type, map.rank,
                                 reinterpret_cast<void *>(made.base), made.extents.data(),
                                 made.strides.data(), map.box, kOnes, /*interleave=*/0,
                                 map.codes.swizzle, map.codes.promotion, map.codes.fill))
      return false;
  }
  return true;
}

/// Memory for the CTAs of a launch, in the order of the stream.
static tessera_pack_status takeScratch(const PackVariant &variant, const PackGPU &gpu,
                                       const uint32_t *grid, Stream stream,
                                       DevicePointer &scratch) {
  const DriverTable &api = *gpu.api;
  uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2] * variant.record.needs.numCTAs, bytes = 0;
  if (!api.memAllocAsync || !api.memFreeAsync)
    return fail(TESSERA_PACK_NO_DRIVER,
                "the kernel needs a driver that allocates memory in the order of a stream");
  if (__builtin_mul_overflow(blocks, variant.record.scratchBytes, &bytes))
    return fail(TESSERA_PACK_WRONG_CALL, "the grid needs more scratch memory than exists");
  Result result = api.memAllocAsync(&scratch, bytes, stream);
  return result ? driverFailed(api, result, Call::memAllocAsync, variant.entry.name)
                : TESSERA_PACK_OK;
}

tessera_pack_status tessera::launchOnGPU(tessera_pack &pack, PackVariant &variant,
                                         const PackGPU &gpu, const PackLaunch &launch) {
  const PackRecord &record = variant.record;
  const uint32_t *grid = launch.grid;
  const PackModule *loaded = nullptr;
  if (!grid[0] || !grid[1] || !grid[2])
    return TESSERA_PACK_OK; // nothing to do
  if (grid[0] > gpu.maxGrid[0] / record.needs.numCTAs || grid[1] > gpu.maxGrid[1] ||
      grid[2] > gpu.maxGrid[2])
    return fail(TESSERA_PACK_WRONG_CALL, "the grid is too large for %s", gpu.target);
  EncodedTensorMap maps[PackRecord::kMaxMaps];
  if (record.maps.size() != 0 && !buildMaps(*gpu.api, record, launch.values, maps)) {
    PackVariant *other = variantWithoutMaps(pack, variant);
    if (!other)
      return fail(TESSERA_PACK_NO_VARIANT,
                  "no tensor map can be built for these arguments, and the pack has no variant "
                  "without");
    return launchOnGPU(pack, *other, gpu, launch); // which has no maps
  }
  if (tessera_pack_status status = loadOnGPU(pack, variant, gpu, loaded))
    return status;
  DevicePointer scratch = 0, none = 0;
  auto stream = static_cast<Stream>(launch.place ? launch.place->stream : nullptr);
  if (record.scratchBytes)
    if (tessera_pack_status status = takeScratch(variant, gpu, grid, stream, scratch))
      return status;
  void *parameters[PackRecord::kMaxParameters + PackRecord::kMaxMaps + PackRecord::kMaxHidden];
  unsigned count = 0;
  for (uint32_t i = 0; i < record.parameters.size(); ++i)
    if (!record.parameters[i].hasConstant)
      parameters[count++] = const_cast<void *>(launch.values[i]);
  for (uint32_t i = 0; i < record.maps.size(); ++i)
    parameters[count++] = &maps[i];
  for (uint32_t i = 0; i < record.hiddenCount; ++i)
    parameters[count++] = record.hidden[i] == PackRecord::Hidden::GlobalScratch ? &scratch : &none;
  LaunchPlan plan(gpu.api->face, record.needs);
  Result result =
      plan.launch(*gpu.api, loaded->function, grid[0], grid[1], grid[2], stream, parameters);
  if (scratch)
    gpu.api->memFreeAsync(scratch, stream); // once the kernel has ended
  return result ? driverFailed(*gpu.api, result, plan.call(*gpu.api), variant.entry.name)
                : TESSERA_PACK_OK;
}
