//===- CPUDeviceTest.cpp - kernels on this machine's processors -----------===//
// Objects are made from LLVM IR by the native code generator, so these are the
// forms that the CPU target emits.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/Device.h"
#include "tessera/Launch/Sanitizer.h"
#include "tessera/Support/ThreadPool.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cmath>
#include <thread>

using namespace tessera;

namespace {

std::string compile(llvm::StringRef ir) {
  static bool ready = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  EXPECT_TRUE(ready);
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << "\n" << diagnostic.getLineContents().str();
    return "";
  }
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64", "", {}, llvm::Reloc::PIC_));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(*module);
  return object.str().str();
}

/// hits[id] += n, for each program; `extra` is put into the loop's body.
std::string countingKernel(llvm::StringRef extra = "", llvm::StringRef declarations = "") {
  return compile((declarations + R"(
define i32 @count(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %hits.at = load ptr, ptr %args
  %hits = load ptr, ptr %hits.at
  %n.slot = getelementptr ptr, ptr %args, i64 1
  %n.at = load ptr, ptr %n.slot
  %n = load i32, ptr %n.at
  br label %loop
loop:
  %id = phi i64 [ %begin, %0 ], [ %next, %loop ]
  %p = getelementptr i32, ptr %hits, i64 %id
  )" + extra + R"(
  %old = load i32, ptr %p
  %new = add i32 %old, %n
  store i32 %new, ptr %p
  %next = add i64 %id, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret i32 0
})")
                     .str());
}

CompiledKernel makeKernel(std::string object, const char *name = "count") {
  CompiledKernel kernel;
  kernel.record.kernelName = name;
  kernel.record.target = "cpu";
  kernel.record.arguments = {{.name = "hits", .type = "*i32"},
                             {.name = "n", .type = "i32"},
                             {.name = "BLOCK", .type = "constexpr", .constant = "64"}};
  kernel.artifacts["obj"] = std::move(object);
  return kernel;
}

std::unique_ptr<Device> makeCPU(unsigned threads) {
  return llvm::cantFail(
      createDevice("cpu", {.threads = std::make_shared<ThreadPool>(threads), .driverLibrary = ""}));
}

struct CPUDeviceTest : testing::Test {
  CompiledKernel kernel = makeKernel(countingKernel());

  /// Launches and checks that each program ran exactly once.
  void expectOnce(Device &device, const LoadedKernel &loaded, Grid grid) {
    std::vector<int32_t> hits(grid.count() + 1);
    void *address = hits.data();
    int32_t n = 3;
    void *args[] = {&address, &n};
    ASSERT_EQ("", llvm::toString(device.launch(loaded, grid, args)));
    ASSERT_EQ("", llvm::toString(device.synchronize()));
    for (uint64_t i = 0; i < grid.count(); ++i)
      ASSERT_EQ(3, hits[i]) << i;
    EXPECT_EQ(0, hits.back());
  }
};

TEST_F(CPUDeviceTest, EveryProgramOnce) {
  for (unsigned threads : {1, 2, 7}) {
    std::unique_ptr<Device> device = makeCPU(threads);
    auto loaded = device->load(kernel);
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    for (Grid grid : {Grid{1}, Grid{2}, Grid{3, 5, 7}, Grid{1000}, Grid{100, 1, 100}, Grid{3000000},
                      Grid{0}, Grid{5, 0, 5}})
      expectOnce(*device, **loaded, grid);
  }
}

TEST_F(CPUDeviceTest, ManyCallers) {
  std::unique_ptr<Device> device = makeCPU(4);
  auto loaded = llvm::cantFail(device->load(kernel));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        expectOnce(*device, *loaded, {20000});
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CPUDeviceTest, ASanitizerIsTheLastArgument) {
  CompiledKernel watched = makeKernel(compile(R"(
define i32 @count(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %out.at = load ptr, ptr %args
  %out = load ptr, ptr %out.at
  %slot = getelementptr ptr, ptr %args, i64 2
  %at = load ptr, ptr %slot
  %sanitizer = load ptr, ptr %at
  store ptr %sanitizer, ptr %out
  ret i32 0
})"));
  watched.record.hiddenArguments = {HiddenArgument::Sanitizer};
  std::unique_ptr<Device> device = makeCPU(1);
  auto loaded = llvm::cantFail(device->load(watched));
  void *seen = nullptr, *address = &seen;
  int32_t n = 0;
  void *args[] = {&address, &n};
  EXPECT_EQ("kernel count was compiled with --sanitize, and is launched without a sanitizer",
            llvm::toString(device->launch(*loaded, {1}, args)));
  Sanitizer sanitizer({});
  LaunchOptions options;
  options.sanitizer = &sanitizer;
  EXPECT_EQ("", llvm::toString(device->launch(*loaded, {1}, args, options)));
  EXPECT_EQ(sanitizer.handle(), seen);
}

TEST_F(CPUDeviceTest, TheGridIsPassed) {
  std::string object = compile(R"(
define i32 @count(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %out.at = load ptr, ptr %args
  %out = load ptr, ptr %out.at
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %grid, i64 12, i1 false)
  ret i32 0
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
)");
  std::unique_ptr<Device> device = makeCPU(1);
  auto loaded = llvm::cantFail(device->load(makeKernel(object)));
  uint32_t seen[3] = {};
  void *address = seen;
  int32_t n = 0;
  void *args[] = {&address, &n};
  llvm::cantFail(device->launch(*loaded, {2, 3, 4}, args));
  EXPECT_EQ(2u, seen[0]);
  EXPECT_EQ(3u, seen[1]);
  EXPECT_EQ(4u, seen[2]);
}

/// A status other than 0 is an error that says why; programs that did not begin never do.
TEST_F(CPUDeviceTest, AFailedKernelStops) {
  const std::pair<int, const char *> statuses[] = {
      {1, "memory"}, {2, "assertion"}, {9, "status 9"}};
  for (auto [status, reason] : statuses)
    for (unsigned threads : {1, 4}) {
      std::string object = compile(R"(
define i32 @count(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %hits.at = load ptr, ptr %args
  %hits = load ptr, ptr %hits.at
  %old = atomicrmw add ptr %hits, i32 1 monotonic
  ret i32 )" + std::to_string(status) +
                                   "\n}");
      std::unique_ptr<Device> device = makeCPU(threads);
      auto loaded = llvm::cantFail(device->load(makeKernel(object)));
      int32_t hits = 0, n = 0;
      void *address = &hits;
      void *args[] = {&address, &n};
      std::string text = llvm::toString(device->launch(*loaded, {1000}, args));
      EXPECT_NE(text.find("kernel count"), std::string::npos) << text;
      EXPECT_NE(text.find(reason), std::string::npos) << text;
      EXPECT_GE(hits, 1);
      EXPECT_LE(hits, int32_t(threads)) << "the first call of a thread failed, and was its last";
    }
}

/// The caller is asked now and then, and a launch that it ends is an error.
TEST_F(CPUDeviceTest, AnInterruptedLaunchStops) {
  std::string object = compile(R"(
define i32 @count(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %hits.at = load ptr, ptr %args
  %hits = load ptr, ptr %hits.at
  %programs = sub i64 %end, %begin
  %old = atomicrmw add ptr %hits, i64 %programs monotonic
  %micros = mul i64 %programs, 1000
  %t = trunc i64 %micros to i32
  %slept = call i32 @usleep(i32 %t)
  ret i32 0
}
declare i32 @usleep(i32)
)");
  for (unsigned threads : {1, 3}) {
    std::unique_ptr<Device> device = makeCPU(threads);
    auto loaded = llvm::cantFail(device->load(makeKernel(object)));
    int64_t hits = 0;
    int32_t n = 0;
    void *address = &hits;
    void *args[] = {&address, &n};
    int asked = 0;
    auto ask = [&] { return ++asked == 3; };
    LaunchOptions options;
    options.isInterrupted = ask;
    std::string text = llvm::toString(device->launch(*loaded, {1000000}, args, options));
    EXPECT_NE(text.find("kernel count was interrupted"), std::string::npos) << text;
    EXPECT_EQ(3, asked);
    EXPECT_LT(hits, 100000);
    EXPECT_EQ("", llvm::toString(device->launch(*loaded, {3}, args, options)));
  }
}

/// The C library, the maths library, its vector forms, float conversions.
TEST_F(CPUDeviceTest, LibraryCalls) {
  std::string object = compile(R"(
declare float @expf(float)
declare <4 x float> @_ZGVbN4v_expf(<4 x float>)
define i32 @count(ptr %args, ptr %grid, i64 %begin, i64 %end) {
  %out.at = load ptr, ptr %args
  %out = load ptr, ptr %out.at
  %x = load float, ptr %out
  %e = call float @expf(float %x)
  %v0 = insertelement <4 x float> zeroinitializer, float %x, i32 2
  %v = call <4 x float> @_ZGVbN4v_expf(<4 x float> %v0)
  %ve = extractelement <4 x float> %v, i32 2
  %h = fptrunc float %x to half
  %hx = fpext half %h to float
  %b = fptrunc float %x to bfloat
  %bx = fpext bfloat %b to float
  %p1 = getelementptr float, ptr %out, i64 1
  %p2 = getelementptr float, ptr %out, i64 2
  %p3 = getelementptr float, ptr %out, i64 3
  store float %e, ptr %out
  store float %ve, ptr %p1
  store float %hx, ptr %p2
  store float %bx, ptr %p3
  ret i32 0
})");
  std::unique_ptr<Device> device = makeCPU(1);
  auto loaded = device->load(makeKernel(object));
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  float values[4] = {0.3f, 0, 0, 0};
  void *address = values;
  int32_t n = 0;
  void *args[] = {&address, &n};
  llvm::cantFail(device->launch(**loaded, {1}, args));
  EXPECT_FLOAT_EQ(std::exp(0.3f), values[0]);
  EXPECT_NEAR(std::exp(0.3f), values[1], 1e-6);
  EXPECT_EQ(0.300048828125f, values[2]);
  EXPECT_EQ(0.30078125f, values[3]);
}

TEST_F(CPUDeviceTest, TwoKernelsOfOneName) {
  std::unique_ptr<Device> device = makeCPU(1);
  auto first = llvm::cantFail(device->load(kernel));
  auto second = llvm::cantFail(device->load(kernel));
  expectOnce(*device, *first, {10});
  first.reset();
  expectOnce(*device, *second, {10});
}

TEST_F(CPUDeviceTest, LoadErrors) {
  std::unique_ptr<Device> device = makeCPU(1);
  auto error = [&](const CompiledKernel &k) { return llvm::toString(device->load(k).takeError()); };
  CompiledKernel broken = makeKernel("not an object");
  EXPECT_TRUE(llvm::StringRef(error(broken)).starts_with("cannot load kernel count: "))
      << error(broken);
  broken = makeKernel(kernel.artifacts["obj"].substr(0, 200));
  EXPECT_TRUE(llvm::StringRef(error(broken)).starts_with("cannot load kernel count: "));
  broken = makeKernel(kernel.artifacts["obj"], "other");
  EXPECT_EQ("cannot load kernel other: Symbols not found: [ other ]", error(broken));
  broken = makeKernel(countingKernel("call void @nowhere()", "declare void @nowhere()\n"));
  EXPECT_TRUE(llvm::StringRef(error(broken)).contains("nowhere")) << error(broken);
  broken = kernel;
  broken.record.target = "cuda:90";
  EXPECT_EQ("kernel count was compiled for cuda:90, and this device is the CPU", error(broken));
  broken = kernel;
  broken.artifacts.clear();
  EXPECT_EQ("kernel count was compiled for cpu without object code, and this device is the CPU",
            error(broken));
}

TEST_F(CPUDeviceTest, LaunchErrors) {
  std::unique_ptr<Device> device = makeCPU(1);
  auto loaded = llvm::cantFail(device->load(kernel));
  EXPECT_EQ("kernel count takes 2 arguments, and 0 were passed",
            llvm::toString(device->launch(*loaded, {1}, {})));
  void *args[] = {nullptr, nullptr};
  EXPECT_EQ("the grid (2147483647, 2147483647, 2147483647) has too many programs",
            llvm::toString(device->launch(*loaded, {INT32_MAX, INT32_MAX, INT32_MAX}, args)));
  EXPECT_EQ("the grid has 2147483648 blocks along x, and the device takes at most 2147483647",
            llvm::toString(device->launch(*loaded, {0x80000000}, args)));
}

TEST_F(CPUDeviceTest, Memory) {
  std::unique_ptr<Device> device = makeCPU(2);
  std::vector<char> data(9 << 20, 'x'), back(data.size());
  DeviceMemory memory = llvm::cantFail(device->allocate(data.size()));
  EXPECT_EQ(0u, memory.address() % 256);
  llvm::cantFail(device->copyToDevice(memory.address(), data.data(), data.size()));
  llvm::cantFail(device->copyToHost(back.data(), memory.address(), back.size()));
  EXPECT_EQ(data, back);
  EXPECT_EQ(0u, llvm::cantFail(device->allocate(0)).address());
  EXPECT_FALSE(bool(llvm::expectedToOptional(device->allocate(uint64_t(1) << 60))));
}

TEST_F(CPUDeviceTest, Properties) {
  std::unique_ptr<Device> device = makeCPU(3);
  EXPECT_EQ("cpu", device->properties().target);
  EXPECT_EQ(3u, device->properties().processors);
  EXPECT_TRUE(device->properties().sharesHostMemory);
  EXPECT_GT(device->properties().memoryBytes, 0u);
  EXPECT_NE("", device->properties().name);
}

TEST_F(CPUDeviceTest, Timing) {
  std::unique_ptr<Device> device = makeCPU(2);
  auto loaded = llvm::cantFail(device->load(kernel));
  std::vector<int32_t> hits(100000);
  void *address = hits.data();
  int32_t n = 1;
  void *args[] = {&address, &n};
  LaunchTimes times = llvm::cantFail(timeLaunches(*device, *loaded, {100000}, args, 5, 2));
  EXPECT_EQ(5u, times.seconds.size());
  EXPECT_GT(times.best(), 0);
  EXPECT_LE(times.best(), times.median());
  EXPECT_EQ(7, hits[99999]);
}

TEST(Device, UnknownNames) {
  for (const char *name : {"", "gpu", "cuda:x", "cuda:", "cpu:0", "cuda0"})
    EXPECT_EQ(std::string("unknown device '") + name +
                  "': the devices are cpu, cuda and cuda:N, hip and hip:N",
              llvm::toString(createDevice(name).takeError()));
}

} // namespace
