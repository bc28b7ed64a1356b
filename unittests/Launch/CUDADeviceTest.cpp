//===- CUDADeviceTest.cpp - what we ask of a CUDA driver ------------------===//
// Against a driver that keeps notes, and, where there is a GPU, against the
// real one: LaunchTest --gtest_filter='CUDAHardware*' is the self-test to run
// on a new machine.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/Device.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

using namespace tessera;

namespace {

CompiledKernel makeKernel() {
  CompiledKernel kernel;
  KernelRecord &record = kernel.record;
  record.kernelName = "fill";
  record.target = "cuda:90";
  record.arguments = {{.name = "p", .type = "*i32"}, {.name = "n", .type = "i32"}};
  record.hiddenArguments = {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch};
  record.numWarps = 4;
  record.threadsPerWarp = 32;
  kernel.artifacts["cubin"] = "ELF";
  kernel.artifacts["ptx"] = ".version 8.7";
  return kernel;
}

struct CUDADeviceTest : testing::Test {
  void *library = ::dlopen(FAKE_DRIVER, RTLD_NOW);
  CompiledKernel kernel = makeKernel();
  std::unique_ptr<Device> device;

  void SetUp() override {
    ASSERT_NE(nullptr, library) << ::dlerror();
    device = llvm::cantFail(createDevice("cuda:1", options()));
    forget();
  }
  void TearDown() override {
    for (const char *name : {"FAKE_CUDA_INIT", "FAKE_CUDA_LAUNCH", "FAKE_CUDA_LIMIT",
                             "FAKE_CUDA_REJECT_CUBIN", "FAKE_CUDA_SYNC"})
      ::unsetenv(name);
  }
  static DeviceOptions options() { return {.threads = nullptr, .driverLibrary = FAKE_DRIVER}; }
  template <typename T> T function(const char *name) {
    return reinterpret_cast<T>(::dlsym(library, name));
  }
  std::string notes() { return function<const char *(*)()>("fakeNotes")(); }
  void forget() { function<void (*)()>("fakeForget")(); }
  llvm::Error launch(const LoadedKernel &loaded, Grid grid, LaunchOptions how = {}) {
    uint64_t pointer = 0;
    int32_t n = 7;
    void *args[] = {&pointer, &n};
    return device->launch(loaded, grid, args, how);
  }
  std::string loadError() { return llvm::toString(device->load(kernel).takeError()); }
};

TEST_F(CUDADeviceTest, Properties) {
  const DeviceProperties &properties = device->properties();
  EXPECT_EQ("Fake GPU", properties.name);
  EXPECT_EQ("cuda:90", properties.target);
  EXPECT_EQ(132u, properties.processors);
  EXPECT_EQ(232448u, properties.maxSharedBytes);
  DeviceList list = listDevices(options());
  ASSERT_EQ(5u, list.devices.size()); // the fake driver is HIP's, too
  EXPECT_EQ("cuda:0", list.devices[0].first);
  EXPECT_EQ("hip:0", list.devices[2].first);
  EXPECT_EQ("cpu", list.devices[4].first);
  EXPECT_EQ("", list.note);
}

TEST_F(CUDADeviceTest, PropertiesByName) {
  EXPECT_EQ(32, device->property("warpSize"));
  EXPECT_EQ(65536, device->property("max_num_regs"));
  EXPECT_EQ(232448, device->property("max_shared_mem"));
  EXPECT_EQ(132, device->property("multiprocessor_count"));
  EXPECT_EQ(90, device->property("capability"));
  EXPECT_EQ(-1, device->property("sm_clock_rate")) << "the fake driver does not know";
  EXPECT_EQ(-1, device->property("nonsense"));
}

TEST_F(CUDADeviceTest, Limits) {
  EXPECT_EQ(1 << 20, device->property("printf_bytes"));
  llvm::cantFail(device->setLimit("printf_bytes", 1 << 20));
  EXPECT_EQ("", notes()) << "a driver may refuse what changes nothing, too";
  llvm::cantFail(device->setLimit("printf_bytes", 4 << 20));
  EXPECT_EQ("limit 1 = 4194304\n", notes());
  EXPECT_EQ(4 << 20, device->property("printf_bytes"));
  llvm::cantFail(device->setLimit("printf_bytes", 1 << 20));
  ::setenv("FAKE_CUDA_LIMIT", "1", 1);
  EXPECT_EQ("cuCtxSetLimit failed: CUDA_ERROR_INVALID_VALUE (invalid argument)",
            llvm::toString(device->setLimit("heap_bytes", 1)));
  EXPECT_EQ("Fake GPU has no limit 'patience'", llvm::toString(device->setLimit("patience", 1)));
}

TEST_F(CUDADeviceTest, Occupancy) {
  auto loaded = llvm::cantFail(device->load(kernel));
  forget();
  EXPECT_EQ(16, llvm::cantFail(device->occupancy(*loaded, 0)));
  EXPECT_EQ(66, llvm::cantFail(device->occupancy(*loaded, 65536, 2)));
  EXPECT_EQ("occupancy of 128 threads, shared 0\nattribute 8 = 65536\nattribute 14 = 1\n"
            "occupancy of 128 threads, shared 65536, grid 2 with 4 = 2\n",
            notes());
  EXPECT_EQ("cuOccupancyMaxActiveClusters failed: CUDA_ERROR_INVALID_VALUE (invalid argument); "
            "kernel fill, 0 bytes of shared memory, cluster of 17",
            llvm::toString(device->occupancy(*loaded, 0, 17).takeError()));
  EXPECT_EQ("kernel fill, 4294967295 bytes of shared memory are more than a block can have",
            llvm::toString(device->occupancy(*loaded, ~0u).takeError()));
}

TEST_F(CUDADeviceTest, TheDriverSaysWhatItReaches) {
  EXPECT_TRUE(device->canAccess(0x10000));
  EXPECT_FALSE(device->canAccess(16));
}

TEST_F(CUDADeviceTest, PlainLaunch) {
  {
    auto loaded = llvm::cantFail(device->load(kernel));
    EXPECT_EQ(40, loaded->resources().registers);
    llvm::cantFail(launch(*loaded, {4, 5, 6}));
    llvm::cantFail(launch(*loaded, {4, 0, 6}));
  }
  EXPECT_EQ("load cubin\nlaunch 4 5 6 x 128 shared 0 n 7 scratch null profile null\nunload\n",
            notes());
}

TEST_F(CUDADeviceTest, ClusterCooperativeAndMuchSharedMemory) {
  kernel.record.numCTAs = 16;
  kernel.record.cluster = {16, 1, 1};
  kernel.record.sharedBytes = 65536;
  kernel.record.cooperative = true;
  kernel.record.dependentLaunch = true;
  auto loaded = llvm::cantFail(device->load(kernel));
  llvm::cantFail(launch(*loaded, {3}));
  EXPECT_EQ("load cubin\nattribute 8 = 65536\nattribute 9 = 100\nattribute 14 = 1\n"
            "launch 48 1 1 x 128 shared 65536 n 7 scratch null profile null\n"
            "with 4 = 16\nwith 5 = 1\nwith 2 = 1\nwith 6 = 1\n",
            notes());
}

TEST_F(CUDADeviceTest, Scratch) {
  kernel.record.globalScratch = {128, 128};
  auto loaded = llvm::cantFail(device->load(kernel));
  forget();
  llvm::cantFail(launch(*loaded, {3}));
  llvm::cantFail(launch(*loaded, {300}));
  EXPECT_EQ("launch 3 1 1 x 128 shared 0 n 7 scratch given profile null\n"
            "launch 300 1 1 x 128 shared 0 n 7 scratch given profile null\n",
            notes());
}

TEST_F(CUDADeviceTest, PTXWhenTheCubinIsForAnotherChip) {
  ::setenv("FAKE_CUDA_REJECT_CUBIN", "1", 1);
  (void)llvm::cantFail(device->load(kernel));
  EXPECT_EQ("load cubin\nload ptx\nunload\n", notes());
  kernel.artifacts.erase("ptx");
  EXPECT_EQ("cannot load kernel fill, compiled for cuda:90, on Fake GPU (cuda:90): "
            "cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image)",
            loadError());
}

TEST_F(CUDADeviceTest, LoadErrors) {
  std::string about = "cannot load kernel fill, compiled for cuda:90, on Fake GPU (cuda:90): ";
  kernel.record.sharedBytes = 300000;
  EXPECT_EQ(about + "it needs 293.0 KiB of shared memory, and a block can have at most 227.0 KiB; "
                    "smaller blocks or fewer stages (num_stages) need less",
            loadError());
  kernel = makeKernel();
  kernel.record.numWarps = 32;
  EXPECT_EQ(about + "it is launched with 1024 threads, and with 40 registers each a block can have "
                    "at most 512; use fewer warps (num_warps) or a limit on registers (maxnreg)",
            loadError());
  kernel = makeKernel();
  kernel.artifacts.erase("cubin");
  kernel.artifacts["ptx"] = ".version syntax error";
  EXPECT_EQ(about + "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation "
                    "failed); ptxas application ptx input, line 3; fatal",
            loadError());
  kernel.artifacts.clear();
  EXPECT_EQ(about + "it has neither cubin nor ptx", loadError());
  kernel = makeKernel();
  kernel.record.kernelName = "missing";
  EXPECT_TRUE(llvm::StringRef(loadError()).contains("cuModuleGetFunction failed"));
}

TEST_F(CUDADeviceTest, LaunchErrors) {
  auto loaded = llvm::cantFail(device->load(kernel));
  EXPECT_EQ("kernel fill: the grid has 65536 blocks along y, and the device takes at most 65535",
            llvm::toString(launch(*loaded, {1, 65536})));
  EXPECT_EQ("kernel fill takes 2 arguments, and 0 were passed",
            llvm::toString(device->launch(*loaded, {1}, {})));
  ::setenv("FAKE_CUDA_LAUNCH", "1", 1);
  EXPECT_EQ("cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument); kernel fill, grid "
            "(2, 1, 1), 128 threads, 0 bytes of shared memory, cluster (1, 1, 1)",
            llvm::toString(launch(*loaded, {2})));
  ::setenv("FAKE_CUDA_SYNC", "1", 1);
  EXPECT_EQ("cuCtxSynchronize failed: CUDA_ERROR_INVALID_VALUE (invalid argument); the last kernel "
            "launched was fill with grid (2, 1, 1)",
            llvm::toString(device->synchronize()));
}

TEST_F(CUDADeviceTest, TheCallersContextComesBack) {
  void *other = function<void *(*)()>("fakeOtherContext")();
  function<int (*)(void *)>("cuCtxSetCurrent")(other);
  DeviceMemory memory = llvm::cantFail(device->allocate(64));
  void *now = nullptr;
  function<int (*)(void **)>("cuCtxGetCurrent")(&now);
  EXPECT_EQ(other, now);
  function<int (*)(void *)>("cuCtxSetCurrent")(nullptr);
}

TEST_F(CUDADeviceTest, MemoryAndTiming) {
  DeviceMemory memory = llvm::cantFail(device->allocate(64));
  char out[5] = "abcd", in[5] = {};
  llvm::cantFail(device->copyToDevice(memory.address(), out, 5));
  llvm::cantFail(device->copyToHost(in, memory.address(), 5));
  EXPECT_STREQ(out, in);
  EXPECT_EQ("not enough memory on Fake GPU: 2.0 TiB are needed and 1000 bytes of 1.0 GiB are free",
            llvm::toString(device->allocate(uint64_t(2) << 40).takeError()));
  auto loaded = llvm::cantFail(device->load(kernel));
  uint64_t pointer = 0;
  int32_t n = 1;
  void *args[] = {&pointer, &n};
  EXPECT_EQ(0.0025, llvm::cantFail(timeLaunches(*device, *loaded, {1}, args, 3)).median());
}

TEST_F(CUDADeviceTest, DriversThatDoNotWork) {
  ::setenv("FAKE_CUDA_INIT", "100", 1);
  EXPECT_EQ("the CUDA driver finds no GPU on this machine. The device cpu needs none",
            llvm::toString(createDevice("cuda", options()).takeError()));
  ::setenv("FAKE_CUDA_INIT", "1", 1);
  EXPECT_EQ("cuInit failed: CUDA_ERROR_INVALID_VALUE (invalid argument); the CUDA driver does not "
            "start",
            llvm::toString(createDevice("cuda", options()).takeError()));
  ::setenv("FAKE_CUDA_INIT", "0", 1);
  EXPECT_EQ("there is no device cuda:2: this machine has 2 GPUs",
            llvm::toString(createDevice("cuda:2", options()).takeError()));
  std::string text = llvm::toString(
      createDevice("cuda", {.threads = nullptr, .driverLibrary = "libnone.so.1"}).takeError());
  EXPECT_TRUE(llvm::StringRef(text).starts_with("no CUDA driver on this machine (libnone.so.1: "))
      << text;
  text = llvm::toString(
      createDevice("cuda", {.threads = nullptr, .driverLibrary = "libc.so.6"}).takeError());
  EXPECT_EQ("the CUDA driver libc.so.6 has no cuInit; a driver of CUDA 11 or later is needed",
            text);
  DeviceList list = listDevices({.threads = nullptr, .driverLibrary = "libnone.so.1"});
  ASSERT_EQ(1u, list.devices.size());
  EXPECT_NE("", list.note);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// A kernel with a tensor map over n elements at p, and its variant without.
struct TensorMapTest : CUDADeviceTest {
  CompiledKernel mapped = makeKernel(), plain = makeKernel();
  uint64_t pointer = 0x1000;
  int32_t n = 7;

  void SetUp() override {
    CUDADeviceTest::SetUp();
    TensorMapRecipe recipe{.offset = LaunchExpression::number(16),
                           .type = "s32",
                           .extents = {LaunchExpression::argument(1)},
                           .box = {32},
                           .swizzle = 128};
    mapped.record.setHidden({recipe},
                            {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch});
    plain.record.sharedBytes = 16;
  }
  void TearDown() override {
    ::unsetenv("FAKE_CUDA_ENCODE");
    CUDADeviceTest::TearDown();
  }
  std::unique_ptr<LoadedKernel> load(const CompiledKernel &compiled) {
    return llvm::cantFail(device->load(compiled));
  }
  /// What the driver was asked for, or the error.
  std::string launched(const LoadedKernel &loaded) {
    void *args[] = {&pointer, &n};
    forget();
    if (llvm::Error error = device->launch(loaded, {2, 1, 1}, args))
      return llvm::toString(std::move(error));
    return notes();
  }
};

static constexpr const char *kEncode =
    "encode type 3 at 4112 extent 7 box 32 swizzle 3 l2 2 fill 0\n";
static constexpr const char *kLaunch =
    "launch 2 1 1 x 128 shared 0 n 7 map of 7 scratch null profile null\n";
static constexpr const char *kPlainLaunch =
    "launch 2 1 1 x 128 shared 16 n 7 scratch null profile null\n";

/// A map is encoded again only if an argument of its recipe has changed.
TEST_F(TensorMapTest, MapsAreKept) {
  auto loaded = load(mapped);
  EXPECT_EQ(std::string(kEncode) + kLaunch, launched(*loaded));
  EXPECT_EQ(kLaunch, launched(*loaded));
  n = 9;
  EXPECT_EQ("encode type 3 at 4112 extent 9 box 32 swizzle 3 l2 2 fill 0\n"
            "launch 2 1 1 x 128 shared 0 n 9 map of 9 scratch null profile null\n",
            launched(*loaded));
  n = 7;
  EXPECT_EQ(std::string(kEncode) + kLaunch, launched(*loaded));
}

TEST_F(TensorMapTest, RefusedWithoutAVariant) {
  auto loaded = load(mapped);
  n = 0;
  EXPECT_EQ("kernel fill: no tensor map can be built for these arguments: an extent is 0, not 1 to "
            "2^32; compile it with tma = off for them",
            launched(*loaded));
  n = 7;
  ::setenv("FAKE_CUDA_ENCODE", "1", 1);
  EXPECT_EQ("kernel fill: no tensor map can be built for these arguments: cuTensorMapEncodeTiled "
            "failed: CUDA_ERROR_INVALID_VALUE (invalid argument); compile it with tma = off for "
            "them",
            launched(*loaded));
}

/// Launches whose maps cannot be built take the variant without maps; others do not.
TEST_F(TensorMapTest, TakesTheVariantWithoutMaps) {
  auto loaded = load(mapped), other = load(plain);
  EXPECT_EQ("", llvm::toString(loaded->setVariantWithoutMaps(*other)));
  pointer = 0x1008; // no multiple of 16
  EXPECT_EQ(kPlainLaunch, launched(*loaded));
  EXPECT_EQ(kPlainLaunch, launched(*loaded));
  pointer = 0x1000;
  EXPECT_EQ(std::string(kEncode) + kLaunch, launched(*loaded));
  // A refusal of the driver is kept, too: it is asked once for the same arguments.
  ::setenv("FAKE_CUDA_ENCODE", "1", 1);
  pointer = 0x2000;
  launched(*loaded);
  EXPECT_EQ(kPlainLaunch, launched(*loaded));
}

TEST_F(TensorMapTest, VariantsMustFit) {
  auto loaded = load(mapped), same = load(mapped);
  plain.record.arguments.pop_back();
  auto other = load(plain);
  EXPECT_EQ("kernel fill has tensor maps itself; compile it with tma = off, from its source",
            llvm::toString(loaded->setVariantWithoutMaps(*same)));
  EXPECT_EQ("kernel fill has other arguments than the kernel that it stands in for",
            llvm::toString(loaded->setVariantWithoutMaps(*other)));
}

TEST_F(TensorMapTest, WrongRecipesDoNotLoad) {
  kernel.record.setHidden(mapped.record.tensorMaps, {});
  kernel.record.tensorMaps[0].base = 5;
  EXPECT_NE(std::string::npos, loadError().find("a tensor map's recipe: its base is no argument"));
}

/// Threads with different arguments never get each other's maps.
TEST_F(TensorMapTest, Threads) {
  auto loaded = load(mapped);
  std::vector<std::thread> threads;
  for (int id = 1; id <= 4; ++id)
    threads.emplace_back([&, id] {
      uint64_t address = 0x1000;
      int32_t count = id;
      void *args[] = {&address, &count};
      for (int i = 0; i < 200; ++i)
        llvm::cantFail(device->launch(*loaded, {1, 1, 1}, args));
    });
  for (std::thread &thread : threads)
    thread.join();
  llvm::SmallVector<llvm::StringRef> lines;
  std::string all = notes();
  llvm::StringRef(all).split(lines, '\n');
  unsigned launches = 0;
  for (llvm::StringRef line : lines)
    for (int id = 1; id <= 4; ++id)
      if (line.contains(" n " + std::to_string(id) + " ")) {
        ++launches;
        EXPECT_TRUE(line.contains(" map of " + std::to_string(id) + " ")) << line.str();
      }
  EXPECT_EQ(800u, launches);
}

//===----------------------------------------------------------------------===//
// The real driver
//===----------------------------------------------------------------------===//

/// p[i] = i * n for i below the number of threads; hidden arguments unused.
constexpr const char *kFillPTX = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 n, .param .u64 s, .param .u64 q) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r4, %r2, %r3, %r4;
  mul.lo.s32 %r5, %r4, %r1;
  cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

struct CUDAHardware : testing::Test {
  std::unique_ptr<Device> device;
  CompiledKernel kernel = makeKernel();
  void SetUp() override {
    auto created = createDevice("cuda");
    if (!created)
      GTEST_SKIP() << llvm::toString(created.takeError());
    device = std::move(*created);
    kernel.artifacts.clear();
    kernel.artifacts["ptx"] = kFillPTX;
  }
  void expectFilled(const CompiledKernel &compiled, Grid grid) {
    auto loaded = device->load(compiled);
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    uint64_t count = grid.count() * compiled.record.numCTAs * 128;
    std::vector<int32_t> host(count);
    DeviceMemory memory = llvm::cantFail(device->allocate(count * 4));
    uint64_t pointer = memory.address();
    int32_t n = 3;
    void *args[] = {&pointer, &n};
    ASSERT_EQ("", llvm::toString(device->launch(**loaded, grid, args)));
    ASSERT_EQ("", llvm::toString(device->synchronize()));
    ASSERT_EQ("", llvm::toString(device->copyToHost(host.data(), pointer, count * 4)));
    for (uint64_t i = 0; i < count; ++i)
      ASSERT_EQ(int32_t(i * 3), host[i]);
    LaunchTimes times = llvm::cantFail(timeLaunches(*device, **loaded, grid, args, 20));
    EXPECT_GT(times.best(), 0);
    EXPECT_LT(times.best(), 1);
    EXPECT_GT((*loaded)->resources().registers, 0);
  }
};

TEST_F(CUDAHardware, PlainLaunchThroughTheDriversCompiler) { expectFilled(kernel, {100}); }

TEST_F(CUDAHardware, MuchSharedMemory) {
  kernel.record.sharedBytes = device->properties().maxSharedBytes;
  expectFilled(kernel, {10});
}

TEST_F(CUDAHardware, Clusters) {
  if (device->properties().majorCapability < 9)
    GTEST_SKIP() << "no clusters before compute capability 9";
  kernel.record.numCTAs = 2;
  kernel.record.cluster = {2, 1, 1};
  expectFilled(kernel, {50});
}

TEST_F(CUDAHardware, CooperativeAndDependent) {
  kernel.record.cooperative = true;
  expectFilled(kernel, {16});
  kernel.record.cooperative = false;
  kernel.record.dependentLaunch = device->properties().majorCapability >= 9;
  expectFilled(kernel, {16});
}

TEST_F(CUDAHardware, Scratch) {
  kernel.record.globalScratch = {4096, 128};
  expectFilled(kernel, {16});
}

TEST_F(CUDAHardware, ErrorsAreSentences) {
  kernel.artifacts["ptx"] = ".version 7.0\n.target sm_70\nnonsense\n";
  std::string text = llvm::toString(device->load(kernel).takeError());
  EXPECT_TRUE(llvm::StringRef(text).contains("CUDA_ERROR_INVALID_PTX")) << text;
  EXPECT_TRUE(llvm::StringRef(text).contains("line 3")) << text;
  std::string huge = llvm::toString(device->allocate(uint64_t(1) << 45).takeError());
  EXPECT_TRUE(llvm::StringRef(huge).starts_with("not enough memory on ")) << huge;
}

TEST_F(CUDAHardware, DevicesAreListed) {
  DeviceList list = listDevices();
  ASSERT_GE(list.devices.size(), 2u);
  EXPECT_EQ("cuda:0", list.devices[0].first);
  EXPECT_EQ(device->properties().name, list.devices[0].second.name);
  EXPECT_GT(list.devices[0].second.memoryBytes, uint64_t(1) << 30);
}

} // namespace
