//===- CAPITest.cpp - compiling and running through tessera.h alone -------===//
#include "tessera.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" int headerIsC(void);

namespace {

struct Session {
  tessera_session *handle = tessera_session_create();
  ~Session() { tessera_session_free(handle); }
};

/// Owns what the library returned.
struct Message {
  char *text = nullptr;
  ~Message() { tessera_string_free(text); }
  std::string str() const { return text ? text : ""; }
};

tessera_compile_request addRequest(const char *target, const char *outputs) {
  tessera_compile_request request = TESSERA_COMPILE_REQUEST;
  request.path = EXAMPLE;
  request.kernel_name = "add_kernel";
  request.signature = "*fp32,*fp32,*fp32,i32,64";
  request.target = target;
  request.outputs = outputs;
  return request;
}

TEST(CAPI, HeaderIsC) { EXPECT_EQ(headerIsC(), 1); }

TEST(CAPI, CompilesToPTX) {
  Session session;
  Message message;
  tessera_kernel *kernel = nullptr;
  tessera_compile_request request = addRequest("cuda:90", "ttir,ptx");
  ASSERT_EQ(tessera_compile(session.handle, &request, &kernel, &message.text), TESSERA_DONE)
      << message.str();
  size_t size = 0;
  const void *ptx = tessera_kernel_artifact(kernel, "ptx", &size);
  ASSERT_NE(ptx, nullptr);
  EXPECT_NE(std::string(static_cast<const char *>(ptx), size).find(".entry add_kernel"),
            std::string::npos);
  EXPECT_EQ(tessera_kernel_artifact(kernel, "cubin", &size), nullptr);
  EXPECT_NE(std::string(tessera_kernel_metadata(kernel)).find("\"add_kernel\""), std::string::npos);
  EXPECT_GT(tessera_kernel_stage_seconds(kernel, "frontend"), 0);
  EXPECT_GT(tessera_kernel_stage_seconds(kernel, "make_ttir"), 0);
  EXPECT_LT(tessera_kernel_stage_seconds(kernel, "make_cubin"), 0);
  EXPECT_LT(tessera_kernel_stage_seconds(nullptr, "frontend"), 0);
  tessera_kernel_free(kernel);
}

TEST(CAPI, RunsOnTheCPU) {
  Session session;
  Message message;
  tessera_kernel *kernel = nullptr;
  tessera_compile_request request = addRequest("cpu", nullptr);
  ASSERT_EQ(tessera_compile(session.handle, &request, &kernel, &message.text), TESSERA_DONE)
      << message.str();
  tessera_device *device = nullptr;
  ASSERT_EQ(tessera_device_open("cpu", &device, &message.text), TESSERA_DONE) << message.str();
  EXPECT_STREQ(tessera_device_target(device), "cpu");
  tessera_loaded_kernel *loaded = nullptr;
  ASSERT_EQ(tessera_load(device, kernel, &loaded, &message.text), TESSERA_DONE) << message.str();

  constexpr int n = 1000;
  std::vector<float> x(n), y(n), out(n + 24, -1.0f);
  for (int i = 0; i < n; ++i)
    x[i] = 0.5f * i, y[i] = 1000.0f - i;
  float *xp = x.data(), *yp = y.data(), *op = out.data();
  int32_t count = n;
  void *arguments[] = {&xp, &yp, &op, &count};
  ASSERT_EQ(tessera_launch(loaded, 16, 1, 1, arguments, 4, nullptr, &message.text), TESSERA_DONE)
      << message.str();
  ASSERT_EQ(tessera_synchronize(device, &message.text), TESSERA_DONE);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(out[i], x[i] + y[i]) << i;
  for (int i = n; i < n + 24; ++i)
    EXPECT_EQ(out[i], -1.0f) << i; // the mask held

  Message wrong;
  EXPECT_EQ(tessera_launch(loaded, 1, 1, 1, arguments, 3, nullptr, &wrong.text),
            TESSERA_USAGE_ERROR);
  EXPECT_NE(wrong.str().find("takes 4 arguments"), std::string::npos);
  tessera_loaded_kernel_free(loaded);
  tessera_device_free(device);
  tessera_kernel_free(kernel);
}

TEST(CAPI, DevicesTakeThreads) {
  tessera_device *device = nullptr;
  Message none, few, many, other;
  ASSERT_EQ(tessera_device_open_with("cpu", "threads=3", &device, &none.text), TESSERA_DONE);
  tessera_device_free(device);
  EXPECT_EQ(tessera_device_open_with("cpu", "threads=0", &device, &few.text), TESSERA_USAGE_ERROR);
  EXPECT_EQ(tessera_device_open_with("cpu", "threads=2000", &device, &many.text),
            TESSERA_USAGE_ERROR);
  EXPECT_NE(many.str().find("not '2000'"), std::string::npos) << many.str();
  EXPECT_EQ(tessera_device_open_with("cpu", "speed=9", &device, &other.text), TESSERA_USAGE_ERROR);
  EXPECT_EQ(device, nullptr);
}

TEST(CAPI, TextComesFromMemory) {
  Session session;
  Message message;
  tessera_kernel *kernel = nullptr;
  tessera_compile_request request = addRequest("cuda:80", "ttir");
  request.path = "memory.py";
  request.text = "import triton\n@triton.jit\ndef add_kernel(p):\n    undefined_name\n";
  request.signature = "*fp32";
  EXPECT_EQ(tessera_compile(session.handle, &request, &kernel, &message.text),
            TESSERA_PROGRAM_ERROR);
  EXPECT_EQ(kernel, nullptr);
  EXPECT_NE(message.str().find("memory.py:4:5: error: 'undefined_name' is not defined"),
            std::string::npos)
      << message.str();
}

TEST(CAPI, MisuseIsAStatus) {
  Session session;
  Message a, b, c, d;
  tessera_kernel *kernel = nullptr;
  tessera_device *device = nullptr;
  EXPECT_EQ(tessera_compile(session.handle, nullptr, &kernel, &a.text), TESSERA_USAGE_ERROR);
  tessera_compile_request request = addRequest("cuda:90", nullptr);
  request.options = "num-warps=3";
  EXPECT_EQ(tessera_compile(session.handle, &request, &kernel, &b.text), TESSERA_USAGE_ERROR);
  EXPECT_NE(b.str().find("num-warps"), std::string::npos);
  EXPECT_EQ(tessera_device_open("toaster", &device, &c.text), TESSERA_UNSUPPORTED);
  EXPECT_EQ(tessera_session_set(session.handle, "colour", "blue", &d.text), TESSERA_USAGE_ERROR);
  tessera_kernel_free(nullptr);
  tessera_device_free(nullptr);
  tessera_string_free(nullptr);
}

TEST(CAPI, ThreadsCompileAtOnce) {
  Session session;
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      tessera_kernel *kernel = nullptr;
      tessera_compile_request request = addRequest(i % 2 ? "cuda:90" : "cuda:80", "ptx");
      if (tessera_compile(session.handle, &request, &kernel, nullptr) != TESSERA_DONE)
        return;
      size_t size = 0;
      const void *ptx = tessera_kernel_artifact(kernel, "ptx", &size);
      results[i].assign(static_cast<const char *>(ptx), size);
      tessera_kernel_free(kernel);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 2; i < 8; ++i)
    EXPECT_EQ(results[i], results[i % 2]);
  EXPECT_FALSE(results[0].empty());
  EXPECT_NE(results[0], results[1]);
}

} // namespace
