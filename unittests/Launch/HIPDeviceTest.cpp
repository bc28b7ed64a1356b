//===- HIPDeviceTest.cpp - what we ask of HIP -----------------------------===//
// Against a driver that keeps notes, and, where there is an AMD GPU, against the real one:
// LaunchTest --gtest_filter='HIPHardware*'. What HIP shares with CUDA is in
// CUDADeviceTest.cpp; here is what differs.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/Device.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace tessera;

namespace {

struct HIPDeviceTest : testing::Test {
  void *library = ::dlopen(FAKE_DRIVER, RTLD_NOW);
  CompiledKernel kernel;
  std::unique_ptr<Device> device;

  void SetUp() override {
    ASSERT_NE(nullptr, library) << ::dlerror();
    device = llvm::cantFail(createDevice("hip:1", options()));
    KernelRecord &record = kernel.record;
    record.kernelName = "fill";
    record.target = "hip:gfx942";
    record.arguments = {{.name = "p", .type = "*i32"}, {.name = "n", .type = "i32"}};
    record.hiddenArguments = {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch};
    record.numWarps = 4;
    record.threadsPerWarp = 64;
    record.sharedBytes = 40000;
    record.sharedIsStatic = true;
    kernel.artifacts["hsaco"] = "code object";
    kernel.artifacts["amdgcn"] = "s_endpgm";
    forget();
  }
  void TearDown() override {
    for (const char *name :
         {"FAKE_CUDA_INIT", "FAKE_CUDA_LAUNCH", "FAKE_CUDA_REJECT_CUBIN", "FAKE_HIP_VERSION"})
      ::unsetenv(name);
  }
  static DeviceOptions options() { return {.threads = nullptr, .driverLibrary = FAKE_DRIVER}; }
  template <typename T> T function(const char *name) {
    return reinterpret_cast<T>(::dlsym(library, name));
  }
  std::string notes() { return function<const char *(*)()>("fakeNotes")(); }
  void forget() { function<void (*)()>("fakeForget")(); }
  llvm::Error launch(const LoadedKernel &loaded, Grid grid) {
    uint64_t pointer = 0;
    int32_t n = 7;
    void *args[] = {&pointer, &n};
    return device->launch(loaded, grid, args, {});
  }
  std::string error(llvm::StringRef name) {
    return llvm::toString(createDevice(name, options()).takeError());
  }
};

TEST_F(HIPDeviceTest, Properties) {
  const DeviceProperties &properties = device->properties();
  EXPECT_EQ("hip:gfx942", properties.target); // without the modes of the chip
  EXPECT_EQ(304u, properties.processors);
  EXPECT_EQ(65536u, properties.maxSharedBytes);
  EXPECT_EQ(64, device->property("warpSize"));
  EXPECT_EQ(2100, device->property("sm_clock_rate"));
  EXPECT_EQ(8192, device->property("mem_bus_width"));
  EXPECT_EQ("hsaco", device->artifactOf(".version 8.7"));
}

/// Shared memory is part of the code object: the launch asks for none.
TEST_F(HIPDeviceTest, Launch) {
  std::unique_ptr<LoadedKernel> loaded = llvm::cantFail(device->load(kernel));
  llvm::cantFail(launch(*loaded, {3, 2, 1}));
  EXPECT_EQ("device 1\nload code object\ndevice 0\n"
            "device 1\non device 1\n"
            "launch 3 2 1 x 256 shared 0 n 7 scratch null profile null\ndevice 0\n",
            notes());
  EXPECT_EQ(96, loaded->resources().registers);
  EXPECT_EQ(40000, loaded->resources().staticSharedBytes);
}

TEST_F(HIPDeviceTest, TheCurrentDeviceComesBack) {
  function<int (*)(int)>("hipSetDevice")(1);
  forget();
  std::unique_ptr<LoadedKernel> loaded = llvm::cantFail(device->load(kernel));
  llvm::cantFail(launch(*loaded, {1}));
  EXPECT_FALSE(llvm::StringRef(notes()).contains("device 0")) << notes(); // it was current already
  function<int (*)(int)>("hipSetDevice")(0);
}

TEST_F(HIPDeviceTest, CooperativeLaunch) {
  kernel.record.cooperative = true;
  kernel.record.dependentLaunch = true; // HIP has no such launches, and needs none
  std::unique_ptr<LoadedKernel> loaded = llvm::cantFail(device->load(kernel));
  forget();
  llvm::cantFail(launch(*loaded, {2}));
  EXPECT_TRUE(llvm::StringRef(notes()).contains("cooperative\nlaunch 2 1 1 x 256")) << notes();
}

TEST_F(HIPDeviceTest, OccupancyCountsStaticMemoryOnce) {
  std::unique_ptr<LoadedKernel> loaded = llvm::cantFail(device->load(kernel));
  forget();
  EXPECT_EQ(8, llvm::cantFail(device->occupancy(*loaded, 40000)));
  EXPECT_TRUE(llvm::StringRef(notes()).contains("occupancy of 256 threads, shared 0\n"));
}

TEST_F(HIPDeviceTest, Errors) {
  EXPECT_EQ("there is no device hip:2: this machine has 2 GPUs", error("hip:2"));
  EXPECT_EQ("unknown device 'hip:x': the devices are cpu, cuda and cuda:N, hip and hip:N",
            error("hip:x"));
  ::setenv("FAKE_CUDA_INIT", "100", 1);
  EXPECT_EQ("the HIP runtime finds no GPU on this machine. The device cpu needs none",
            error("hip"));
  ::setenv("FAKE_CUDA_INIT", "0", 1);
  ::setenv("FAKE_HIP_VERSION", "50200000", 1);
  EXPECT_EQ("the HIP runtime has version 50200000; HIP 6 or later is needed", error("hip"));
  std::string text = llvm::toString(
      createDevice("hip", {.threads = nullptr, .driverLibrary = "libc.so.6"}).takeError());
  EXPECT_EQ("the HIP runtime libc.so.6 has no hipInit; HIP 6 or later is needed", text);
  std::unique_ptr<LoadedKernel> loaded = llvm::cantFail(device->load(kernel));
  ::setenv("FAKE_CUDA_LAUNCH", "1", 1);
  EXPECT_EQ("hipModuleLaunchKernel failed: hipErrorInvalidValue (invalid argument); kernel fill, "
            "grid (1, 1, 1), 256 threads, 40000 bytes of shared memory, cluster (1, 1, 1)",
            llvm::toString(launch(*loaded, {1})));
  ::setenv("FAKE_CUDA_REJECT_CUBIN", "1", 1);
  EXPECT_EQ("cannot load kernel fill, compiled for hip:gfx942, on Fake GPU (hip:gfx942): "
            "hipModuleLoadDataEx failed: hipErrorNoBinaryForGpu (no kernel image)",
            llvm::toString(device->load(kernel).takeError()));
  kernel.artifacts.erase("hsaco");
  EXPECT_EQ("cannot load kernel fill, compiled for hip:gfx942, on Fake GPU (hip:gfx942): it has no "
            "hsaco",
            llvm::toString(device->load(kernel).takeError()));
}

TEST(HIPHardware, OpensAndAllocates) {
  llvm::Expected<std::unique_ptr<Device>> device = createDevice("hip");
  if (!device) {
    llvm::consumeError(device.takeError());
    GTEST_SKIP() << "no AMD GPU here";
  }
  DeviceMemory memory = llvm::cantFail((*device)->allocate(16));
  int32_t values[4] = {1, 2, 3, 4}, back[4] = {};
  llvm::cantFail((*device)->copyToDevice(memory.address(), values, sizeof(values)));
  llvm::cantFail((*device)->copyToHost(back, memory.address(), sizeof(back)));
  EXPECT_EQ(4, back[3]);
  EXPECT_TRUE(llvm::StringRef((*device)->properties().target).starts_with("hip:gfx"));
}

} // namespace
