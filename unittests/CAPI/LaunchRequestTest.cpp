//===- LaunchRequestTest.cpp - what tessera_launch_with takes -------------===//
// A kernel with a tuple and a tensor descriptor, whose parts are passed as docs/abi.md says, and
// requests that are wrong.
//===----------------------------------------------------------------------===//
#include "tessera.h"
#include "gtest/gtest.h"
#include <cstddef>
#include <string>
#include <vector>

namespace {

constexpr const char *kSource = R"(
import triton
import triton.language as tl

@triton.jit
def scale(d, t, OUT: tl.constexpr):
    factor, out = t
    block = d.load([tl.program_id(0) * 4, 0])
    at = tl.program_id(0) * 64 + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(out + at, block * factor + OUT)
)";

/// A kernel on the CPU, ready to launch.
class LaunchRequest : public testing::Test {
protected:
  void SetUp() override {
    tessera_compile_request request = TESSERA_COMPILE_REQUEST;
    request.path = "scale.py";
    request.text = kSource;
    request.signature = "tensordesc<fp32[4,16]>,(fp32,*fp32),5";
    request.target = "cpu";
    ASSERT_EQ(tessera_compile(session, &request, &kernel, &message), TESSERA_DONE) << text();
    ASSERT_EQ(tessera_device_open_with("cpu", "threads=2", &device, &message), TESSERA_DONE);
    ASSERT_EQ(tessera_load(device, kernel, &loaded, &message), TESSERA_DONE) << text();
  }
  void TearDown() override {
    tessera_string_free(message);
    tessera_loaded_kernel_free(loaded);
    tessera_device_free(device);
    tessera_kernel_free(kernel);
    tessera_session_free(session);
  }
  /// Returns the message of the last call, and frees it.
  std::string text() {
    std::string copy = message ? message : "";
    tessera_string_free(message);
    message = nullptr;
    return copy;
  }

  tessera_session *session = tessera_session_create();
  tessera_kernel *kernel = nullptr;
  tessera_device *device = nullptr;
  tessera_loaded_kernel *loaded = nullptr;
  char *message = nullptr;
};

/// The values that are passed: the descriptor's base, sizes and strides, the tuple's elements.
struct Values {
  float *base, *out;
  int32_t sizes[2] = {6, 13};
  int64_t strides[2] = {20, 1};
  float factor = 0.5f;
  void *list[7] = {&base, &sizes[0], &sizes[1], &strides[0], &strides[1], &factor, &out};
};

TEST_F(LaunchRequest, TakesCompositeArgumentsInParts) {
  alignas(16) float x[6 * 20];
  for (int i = 0; i < 6 * 20; ++i)
    x[i] = float(i);
  std::vector<float> out(8 * 16, -1.0f);
  Values values{x, out.data()};
  tessera_launch_request request = {};
  request.size = sizeof(request);
  request.grid_x = 2;
  request.grid_y = request.grid_z = 1;
  request.arguments = values.list;
  request.argument_count = 7;
  ASSERT_EQ(tessera_launch_with(loaded, &request, &message), TESSERA_DONE) << text();
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 16; ++column) {
      bool isInside = row < 6 && column < 13;
      EXPECT_EQ(out[row * 16 + column], isInside ? x[row * 20 + column] * 0.5f + 5 : 5.0f);
    }
}

/// A pool of the caller's, with one thread.
static unsigned askedThreads = 0;
static void runHere(void (*work)(void *), void *data, unsigned threads) {
  askedThreads = threads;
  work(data);
}

TEST_F(LaunchRequest, TakesThreadsOfTheCaller) {
  alignas(16) float x[6 * 20] = {};
  std::vector<float> out(8 * 16);
  Values values{x, out.data()};
  tessera_launch_request request = {};
  request.size = sizeof(request);
  request.grid_x = 2;
  request.grid_y = request.grid_z = 1;
  request.arguments = values.list;
  request.argument_count = 7;
  request.threads = 2;
  request.host_threads = runHere;
  ASSERT_EQ(tessera_launch_with(loaded, &request, &message), TESSERA_DONE) << text();
  EXPECT_EQ(out[0], 5.0f);
  EXPECT_LE(askedThreads, 2u);
  // The struct of a program that was compiled before these fields existed.
  request.size = offsetof(tessera_launch_request, threads);
  request.threads = 1 << 30;
  out.assign(8 * 16, 0.0f);
  ASSERT_EQ(tessera_launch_with(loaded, &request, &message), TESSERA_DONE) << text();
  EXPECT_EQ(out[0], 5.0f);
}

TEST_F(LaunchRequest, RefusesWhatItCannotUnderstand) {
  float x[1], out[1];
  Values values{x, out};
  tessera_launch_request request = {};
  request.grid_x = request.grid_y = request.grid_z = 1;
  request.arguments = values.list;
  request.argument_count = 7;
  EXPECT_EQ(tessera_launch_with(loaded, &request, &message), TESSERA_USAGE_ERROR); // no size
  EXPECT_NE(text().find("size"), std::string::npos);
  request.size = sizeof(request);
  request.argument_count = 6;
  EXPECT_EQ(tessera_launch_with(loaded, &request, &message), TESSERA_USAGE_ERROR);
  EXPECT_NE(text().find("takes 7 arguments, not 6"), std::string::npos);
  request.argument_count = 7;
  values.list[5] = nullptr;
  EXPECT_EQ(tessera_launch_with(loaded, &request, &message), TESSERA_USAGE_ERROR);
  EXPECT_NE(text().find("arguments[5] is null"), std::string::npos);
  EXPECT_EQ(tessera_launch(loaded, 1, 1, 1, values.list, 7, nullptr, nullptr), TESSERA_USAGE_ERROR);
  request.arguments = nullptr;
  EXPECT_EQ(tessera_launch_with(loaded, &request, nullptr), TESSERA_USAGE_ERROR);
  EXPECT_EQ(tessera_launch_with(loaded, nullptr, nullptr), TESSERA_USAGE_ERROR);
  EXPECT_EQ(tessera_launch_with(nullptr, &request, nullptr), TESSERA_USAGE_ERROR);
}

TEST_F(LaunchRequest, LaunchersAreAskedForInJSON) {
  auto ask = [&](const char *request) {
    char *files = nullptr;
    tessera_status status = tessera_kernel_launcher(kernel, request, &files, &message);
    EXPECT_EQ(files != nullptr, status == TESSERA_DONE);
    tessera_string_free(files);
    return status;
  };
  for (const char *good : {"{}", R"({"signature": [], "grid": null, "name": null})",
                           R"({"grid": ["(7 + 1) / 2", "1", "1"], "name": "f", "path": "a/f"})"})
    EXPECT_EQ(ask(good), TESSERA_DONE) << good << text();
  for (const char *bad :
       {R"({"signature": 5})", R"({"grid": {}})", R"({"grid": ["1", "1"]})", R"({"name": 7})",
        R"({"path": []})", R"({"signature": [1]})", R"({"grid": ["0", "1", "1"]})", "[]", "{",
        R"({"grid": ["1;", "1", "1"]})"})
    EXPECT_EQ(ask(bad), TESSERA_USAGE_ERROR) << bad;
  EXPECT_EQ(ask(R"({"grid": ["a", "1", "1"]})"), TESSERA_USAGE_ERROR);
  EXPECT_NE(text().find("'a' is no parameter of 'scale'"), std::string::npos);
}

} // namespace
