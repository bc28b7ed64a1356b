//===- CAPITest.cpp - compiling and running through tessera.h alone -------===//
#include "tessera.h"
#include "gtest/gtest.h"
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
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
  EXPECT_STREQ(tessera_kernel_name(kernel), "add_kernel");
  const char *name = nullptr, *type = nullptr;
  int isReadOnly = -1;
  ASSERT_EQ(tessera_kernel_argument(kernel, 0, &name, &type, &isReadOnly), 1);
  EXPECT_STREQ(type, "*fp32");
  EXPECT_EQ(tessera_kernel_argument(kernel, 99, &name, &type, &isReadOnly), 0);
  EXPECT_EQ(tessera_kernel_argument(kernel, 0, &name, nullptr, &isReadOnly), 0);
  EXPECT_EQ(tessera_kernel_number(kernel, "num_ctas"), 1);
  EXPECT_EQ(tessera_kernel_number(kernel, "tensor_maps"), 0);
  EXPECT_EQ(tessera_kernel_number(kernel, "unknown"), -1);
  EXPECT_GT(tessera_kernel_stage_seconds(kernel, "frontend"), 0);
  EXPECT_GT(tessera_kernel_stage_seconds(kernel, "make_ttir"), 0);
  EXPECT_LT(tessera_kernel_stage_seconds(kernel, "make_cubin"), 0);
  EXPECT_LT(tessera_kernel_stage_seconds(nullptr, "frontend"), 0);
  tessera_kernel_free(kernel);
}

TEST(CAPI, ExplainsEveryPass) {
  Session session;
  Message message, report, page, failed;
  tessera_compile_request request = addRequest("cpu", nullptr);
  ASSERT_EQ(tessera_explain(session.handle, &request, &report.text, &message.text), TESSERA_DONE)
      << message.str();
  EXPECT_NE(report.str().find("\"name\":\"tt-inliner\""), std::string::npos);
  EXPECT_EQ(tessera_explain_page(report.text, &page.text, &message.text), TESSERA_DONE);
  EXPECT_EQ(page.str().rfind("<!DOCTYPE html>", 0), 0u);
  // A compilation that fails has a report.
  request.signature = "i32";
  EXPECT_EQ(tessera_explain(session.handle, &request, &failed.text, &message.text),
            TESSERA_PROGRAM_ERROR);
  EXPECT_NE(failed.str().find("\"outcome\":\"error\""), std::string::npos);
  EXPECT_EQ(tessera_explain(session.handle, nullptr, &failed.text, nullptr), TESSERA_USAGE_ERROR);
  EXPECT_EQ(tessera_explain_page(nullptr, &page.text, nullptr), TESSERA_USAGE_ERROR);
}

TEST(CAPI, DescribesItself) {
  Message target, common, none, why;
  ASSERT_EQ(tessera_describe("cpu", nullptr, &target.text, nullptr), TESSERA_DONE);
  EXPECT_NE(target.str().find("\"target\":\"cpu\""), std::string::npos);
  ASSERT_EQ(tessera_describe(nullptr, "/nowhere:", &common.text, &why.text), TESSERA_DONE);
  for (const char *part : {"\"num-warps\"", "\"fp8e4nv\"", "\"cache_folder\"", "\"ptxas\""})
    EXPECT_NE(common.str().find(part), std::string::npos) << part;
  EXPECT_EQ(tessera_describe("tpu", nullptr, &none.text, &why.text), TESSERA_USAGE_ERROR);
  EXPECT_NE(why.str().find("unknown target 'tpu'"), std::string::npos);
  EXPECT_EQ(tessera_describe("hip:gfx1", nullptr, &none.text, nullptr), TESSERA_USAGE_ERROR);
  EXPECT_EQ(none.text, nullptr);
  EXPECT_EQ(tessera_describe("cpu", nullptr, nullptr, nullptr), TESSERA_USAGE_ERROR);
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
  // A kernel without tensor maps may have a stand-in, and never takes it.
  EXPECT_EQ(tessera_loaded_kernel_set_fallback(loaded, loaded, &message.text), TESSERA_DONE);
  EXPECT_EQ(tessera_loaded_kernel_set_fallback(loaded, nullptr, &message.text),
            TESSERA_USAGE_ERROR);
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

TEST(CAPI, WatchesLaunches) {
  Session session;
  Message message;
  tessera_kernel *kernel = nullptr;
  tessera_compile_request request = addRequest("cpu", nullptr);
  request.options = "{\"sanitize\": true}";
  ASSERT_EQ(tessera_compile(session.handle, &request, &kernel, &message.text), TESSERA_DONE)
      << message.str();
  tessera_device *device = nullptr;
  ASSERT_EQ(tessera_device_open("cpu", &device, &message.text), TESSERA_DONE) << message.str();
  tessera_loaded_kernel *loaded = nullptr;
  ASSERT_EQ(tessera_load(device, kernel, &loaded, &message.text), TESSERA_DONE) << message.str();

  std::vector<float> x(64, 1.0f), y(64, 2.0f), out(64);
  float *xp = x.data(), *yp = y.data(), *op = out.data();
  int32_t count = 64;
  void *arguments[] = {&xp, &yp, &op, &count};
  auto extentOf = [](const std::vector<float> &memory) {
    return tessera_extent{reinterpret_cast<uint64_t>(memory.data()), memory.size() * 4};
  };
  tessera_extent extents[] = {extentOf(x), extentOf(y), extentOf(out), {0, 0}};
  tessera_launch_request launch = {};
  launch.size = sizeof(launch);
  launch.grid_x = launch.grid_y = launch.grid_z = 1;
  launch.arguments = arguments;
  launch.argument_count = 4;
  launch.extents = extents;
  EXPECT_EQ(tessera_launch_with(loaded, &launch, &message.text), TESSERA_DONE) << message.str();
  EXPECT_EQ(message.str(), "");
  EXPECT_EQ(out[63], 3.0f);

  extents[1].bytes -= 4; // the last element is somebody else's
  EXPECT_EQ(tessera_launch_with(loaded, &launch, &message.text), TESSERA_PROGRAM_ERROR);
  EXPECT_NE(message.str().find("load outside 'y_ptr': element 63"), std::string::npos)
      << message.str();

  Message meeting; // both programs do the same
  extents[1].bytes += 4;
  launch.grid_y = 2;
  EXPECT_EQ(tessera_launch_with(loaded, &launch, &meeting.text), TESSERA_DONE);
  EXPECT_NE(meeting.str().find("both write element 0 of 'output_ptr'"), std::string::npos)
      << meeting.str();
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

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A program whose kernel stores the constexpr global N.
std::string storeProgram(const std::string &n) {
  return R"({"version": 1, "kernel": 0, "arguments": ["*i32"], "functions": [{"name": "k",
    "module": "m", "kind": "jit", "path": "dir/k.py", "line": 7,
    "text": "    def k(o):\n        tl.store(o, N)\n", "names": {"tl":
    {"language": "triton.language"}, "N": )" +
         n + "}}]}";
}

struct Compiled {
  tessera_status status;
  tessera_kernel *kernel = nullptr;
  Message report;
  ~Compiled() { tessera_kernel_free(kernel); }
  Compiled(Session &session, const std::string &program, const char *outputs = "ttir",
           const char *options = nullptr) {
    status = tessera_compile_program(session.handle, program.c_str(), "cpu", options, outputs,
                                     &kernel, &report.text);
  }
  std::string artifact(const char *extension) const {
    size_t size = 0;
    const void *data = tessera_kernel_artifact(kernel, extension, &size);
    return std::string(static_cast<const char *>(data), size);
  }
};

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Programs, TheReportHasThePassesRemarks) {
  std::string block = storeProgram(R"({"constexpr": {"int": "42"}})");
  block.replace(block.find("tl.store(o, N)"), 14, "tl.store(o + tl.arange(0, 16), N)");
  Session quiet, session;
  ASSERT_EQ(tessera_session_set(session.handle, "remarks", "convert-ttir", nullptr), TESSERA_DONE);
  Compiled without(quiet, block, "obj"), made(session, block, "obj");
  EXPECT_EQ(without.report.text, nullptr);
  ASSERT_EQ(made.status, TESSERA_DONE) << made.report.str();
  std::string report = made.report.str();
  EXPECT_TRUE(has(report, R"("kind":"remark","line":8,)")) << report;
  EXPECT_TRUE(has(report, R"("outcome":"decided","pass":"cpu-convert-ttir-to-llir")")) << report;
  EXPECT_TRUE(has(report, R"("text":"dir/k.py:8: cpu-convert-ttir-to-llir: one loop nest)"))
      << report;
  EXPECT_STREQ(tessera_kernel_key(made.kernel), tessera_kernel_key(without.kernel));
  Session wrong;
  tessera_session_set(wrong.handle, "remarks", "(", nullptr);
  Compiled none(wrong, block, "obj");
  EXPECT_EQ(none.status, TESSERA_PROGRAM_ERROR);
  EXPECT_TRUE(has(none.report.str(), "not a regular expression")) << none.report.str();
}

TEST(Programs, CompileWithTheirPlaces) {
  Session session;
  Compiled made(session, storeProgram(R"({"constexpr": {"int": "42"}})"));
  ASSERT_EQ(made.status, TESSERA_DONE) << made.report.str();
  EXPECT_EQ(made.report.text, nullptr);
  EXPECT_TRUE(has(made.artifact("ttir"), "arith.constant 42 : i32"));
  EXPECT_TRUE(has(made.artifact("ttir"), R"(loc("dir/k.py":8:9))")) << made.artifact("ttir");
  EXPECT_TRUE(has(tessera_kernel_metadata(made.kernel), R"("source_file": "dir/k.py")"))
      << tessera_kernel_metadata(made.kernel);
  EXPECT_EQ(strlen(tessera_kernel_key(made.kernel)), 64u);
  EXPECT_EQ(tessera_kernel_is_cached(made.kernel), 0);
}

TEST(Programs, FailuresAreReports) {
  Session session;
  Compiled plain(session, storeProgram(R"({"int": "42"})"));
  EXPECT_EQ(plain.status, TESSERA_PROGRAM_ERROR);
  EXPECT_EQ(plain.kernel, nullptr);
  EXPECT_TRUE(has(plain.report.str(), R"("line":8)")) << plain.report.str();
  EXPECT_TRUE(has(plain.report.str(), R"("column":21)")) << plain.report.str();
  Compiled open(session, storeProgram(R"({"constexpr": {"object": "a C"}})"));
  EXPECT_EQ(open.status, TESSERA_PROGRAM_ERROR) << open.report.str();
  Compiled noJson(session, "{");
  EXPECT_EQ(noJson.status, TESSERA_PROGRAM_ERROR);
  EXPECT_TRUE(has(noJson.report.str(), "not JSON")) << noJson.report.str();
  Compiled option(session, storeProgram("null"), "ttir", "num-warps=5");
  EXPECT_EQ(option.status, TESSERA_USAGE_ERROR);
  EXPECT_TRUE(has(option.report.str(), "num-warps")) << option.report.str();
  Message null;
  EXPECT_EQ(tessera_compile_program(session.handle, nullptr, "cpu", nullptr, nullptr, nullptr,
                                    &null.text),
            TESSERA_USAGE_ERROR);
}

TEST(Programs, ReportsNameTheOptionAndTheParameter) {
  Session session;
  Compiled option(session, storeProgram("null"), "ttir", "num-warps=5");
  EXPECT_TRUE(has(option.report.str(), R"("code":"option")")) << option.report.str();
  EXPECT_TRUE(has(option.report.str(), R"("option":"num-warps")")) << option.report.str();
  EXPECT_TRUE(has(option.report.str(), R"("problem":"a power of two from 1 to 32, not 5")"))
      << option.report.str();
  std::string program = storeProgram("null");
  size_t type = program.find("\"*i32\"");
  ASSERT_NE(type, std::string::npos);
  program.replace(type, 6, "\"*i33\"");
  Compiled argument(session, program);
  EXPECT_EQ(argument.status, TESSERA_PROGRAM_ERROR);
  EXPECT_TRUE(has(argument.report.str(), R"("code":"argument-type")")) << argument.report.str();
  EXPECT_TRUE(has(argument.report.str(), R"("parameter":0)")) << argument.report.str();
  EXPECT_TRUE(has(argument.report.str(), R"("problem":"'*i33': not a type)"))
      << argument.report.str();
}

TEST(CAPI, FilesGetReportsToo) {
  Session session;
  Message report;
  tessera_kernel *kernel = nullptr;
  tessera_compile_request request = addRequest("cpu", "ttir");
  request.path = "broken.ttir";
  request.text = "module {\n  tt.func @f() {\n";
  EXPECT_EQ(tessera_compile_with_report(session.handle, &request, &kernel, &report.text),
            TESSERA_PROGRAM_ERROR);
  EXPECT_EQ(kernel, nullptr);
  EXPECT_TRUE(has(report.str(), R"("path":"broken.ttir")")) << report.str();
  EXPECT_TRUE(has(report.str(), R"("line":)")) << report.str();
  Message misuse;
  EXPECT_EQ(tessera_compile_with_report(nullptr, &request, &kernel, &misuse.text),
            TESSERA_USAGE_ERROR);
  EXPECT_TRUE(has(misuse.str(), "a null argument")) << misuse.str();
}

TEST(Programs, QuestionsAreAStatus) {
  Session session;
  std::string program = storeProgram(R"({"module": "cfg"})");
  program.replace(program.find("tl.store(o, N)"), 14, "tl.store(o, N.X)");
  Compiled asked(session, program);
  EXPECT_EQ(asked.status, TESSERA_QUESTIONS);
  EXPECT_TRUE(
      has(asked.report.str(), R"("questions":[{"member":{"function":0,"path":["N","X"]}}])"))
      << asked.report.str();
}

TEST(Programs, StaticAssertionsHaveACode) {
  Session session;
  std::string program = storeProgram(R"({"constexpr": {"int": "3"}})");
  program.replace(program.find("tl.store(o, N)"), 14, "tl.static_assert(N > 5)");
  Compiled made(session, program);
  EXPECT_TRUE(has(made.report.str(), R"("code":"static-assert")")) << made.report.str();
}

TEST(Programs, SharedMemoryIsCounted) {
  Session session;
  std::string program = storeProgram("null");
  program.replace(program.find("tl.store(o, N)"), 14,
                  "i = tl.arange(0, 65536); x = tl.load(o + tl.arange(0, 1024)); "
                  "tl.store(o + i, tl.histogram(x, 65536))");
  Message report;
  tessera_kernel *kernel = nullptr;
  EXPECT_EQ(tessera_compile_program(session.handle, program.c_str(), "cuda:80", "num-warps=16",
                                    "ptx", &kernel, &report.text),
            TESSERA_UNSUPPORTED);
  EXPECT_TRUE(has(report.str(), R"("code":"shared-memory")")) << report.str();
  EXPECT_TRUE(has(report.str(), R"("limit":166912)")) << report.str();
  EXPECT_TRUE(has(report.str(), R"("needed":262144)")) << report.str();
}

TEST(Programs, AreKeptInTheCache) {
  Session session;
  std::string folder = testing::TempDir() + "/tessera-programs-" + std::to_string(getpid());
  Message none;
  ASSERT_EQ(tessera_session_set(session.handle, "cache-dir", folder.c_str(), &none.text),
            TESSERA_DONE);
  std::string seven = storeProgram(R"({"constexpr": {"int": "7"}})");
  std::string eight = storeProgram(R"({"constexpr": {"int": "8"}})");
  Compiled first(session, seven, "ttir"), again(session, seven, "ttir"), other(session, eight);
  EXPECT_EQ(tessera_kernel_is_cached(first.kernel), 0);
  EXPECT_EQ(tessera_kernel_is_cached(again.kernel), 1);
  EXPECT_STREQ(tessera_kernel_key(first.kernel), tessera_kernel_key(again.kernel));
  EXPECT_STRNE(tessera_kernel_key(first.kernel), tessera_kernel_key(other.kernel));
  EXPECT_EQ(first.artifact("ttir"), again.artifact("ttir"));
  EXPECT_STREQ(tessera_kernel_metadata(first.kernel), tessera_kernel_metadata(again.kernel));
  // More outputs are compiled, and both are there afterwards.
  Compiled object(session, seven, "obj"), both(session, seven, "ttir,obj");
  EXPECT_EQ(tessera_kernel_is_cached(object.kernel), 0);
  EXPECT_EQ(tessera_kernel_is_cached(both.kernel), 1);
  // Options that change the code change the key.
  Compiled warps(session, seven, "ttir", "num-warps=8");
  EXPECT_STRNE(tessera_kernel_key(warps.kernel), tessera_kernel_key(first.kernel));

  Session eager; // compiles what is there
  tessera_session_set(eager.handle, "cache-dir", folder.c_str(), nullptr);
  tessera_session_set(eager.handle, "always-compile", "true", nullptr);
  Compiled fresh(eager, seven, "ttir");
  EXPECT_EQ(tessera_kernel_is_cached(fresh.kernel), 0);
  EXPECT_STREQ(tessera_kernel_key(fresh.kernel), tessera_kernel_key(first.kernel));

  std::string block = seven; // with something to fold
  block.replace(block.find("tl.store(o, N)"), 14, "tl.store(o + tl.arange(0, 16), N)");
  Compiled quiet(session, block);
  Session shown; // prints the passes, of a kernel that is in the cache
  tessera_session_set(shown.handle, "cache-dir", folder.c_str(), nullptr);
  tessera_session_set(shown.handle, "print-passes", "k", nullptr);
  testing::internal::CaptureStderr();
  Compiled printed(shown, block);
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "IR Dump After"));
  EXPECT_STREQ(tessera_kernel_key(printed.kernel), tessera_kernel_key(quiet.kernel));
  // So are questions.
  std::string open = storeProgram(R"({"module": "cfg"})");
  open.replace(open.find("tl.store(o, N)"), 14, "tl.store(o, N.X)");
  Compiled asked(session, open), askedAgain(session, open);
  EXPECT_EQ(asked.status, TESSERA_QUESTIONS);
  EXPECT_EQ(askedAgain.status, TESSERA_QUESTIONS);
  auto questionsOf = [](const std::string &report) {
    return report.substr(report.find("\"questions\":")).substr(0, 60);
  };
  EXPECT_TRUE(has(askedAgain.report.str(), R"("path":["N","X"])")) << askedAgain.report.str();
  EXPECT_EQ(questionsOf(asked.report.str()), questionsOf(askedAgain.report.str()));
  std::filesystem::remove_all(folder);
}

TEST(Programs, Outline) {
  const char *text = "tt.func @f(%p: !tt.ptr<f32>) attributes {noinline = false} {\n"
                     "  %c = arith.constant true\n"
                     "  scf.if %c {\n    tt.call @f(%p) : (!tt.ptr<f32>) -> ()\n  }\n"
                     "  tt.return\n}\n";
  Message found, wrong;
  ASSERT_EQ(tessera_module_outline(text, "f.ttir", &found.text, &wrong.text), TESSERA_DONE)
      << wrong.str();
  std::string outline = found.str();
  // The call, in the block of the if, is before the if, and both are before the function.
  size_t call = outline.find(R"("name":"tt.call")"), branch = outline.find(R"("name":"scf.if")");
  ASSERT_NE(branch, std::string::npos) << outline;
  EXPECT_LT(call, branch);
  EXPECT_LT(branch, outline.find(R"("name":"tt.func")"));
  EXPECT_TRUE(has(outline, R"("callee":"f")")) << outline;
  EXPECT_TRUE(has(outline, R"("block":null,"name":"builtin.module")")) << outline;
  char *none = nullptr;
  EXPECT_EQ(tessera_module_outline("tt.func @f(", "f.ttir", &none, &wrong.text),
            TESSERA_PROGRAM_ERROR);
  EXPECT_EQ(none, nullptr);
  EXPECT_TRUE(has(wrong.str(), "f.ttir:")) << wrong.str();
  EXPECT_EQ(tessera_module_outline(nullptr, "f.ttir", &none, nullptr), TESSERA_USAGE_ERROR);
}

TEST(Programs, OutlineOfDeepTexts) {
  auto outline = [](const std::string &text) {
    Message found, wrong;
    tessera_status status =
        tessera_module_outline(text.c_str(), "f.ttir", &found.text, &wrong.text);
    return status == TESSERA_DONE ? "" : wrong.str();
  };
  auto repeat = [](const char *text, unsigned times) {
    std::string all;
    while (times--)
      all += text;
    return all;
  };
  auto branches = [&](unsigned depth) {
    return "tt.func @f(%c: i1) {\n" + repeat("scf.if %c {", depth) + repeat("}", depth) +
           " tt.return\n}\n";
  };
  EXPECT_EQ(outline(branches(900)), "");
  EXPECT_TRUE(has(outline(branches(100000)), "f.ttir:2:11000: error: this nests too deeply"));
  EXPECT_TRUE(has(outline("module attributes {tt.a = " + repeat("[", 100000)), "too deeply"));
  EXPECT_TRUE(has(outline("module attributes {tt.a = affine_map<(d0) -> (" + repeat("- ", 100000)),
                  "too deeply"));
  // Brackets in strings and comments, arrows, and closed brackets do not count as nesting.
  EXPECT_EQ(outline("// " + repeat("((", 1000) + "\nmodule attributes {tt.a = \"" +
                    repeat("[\\\"", 2000) + "\", tt.b = [" + repeat("[],() -> (),", 2000) +
                    "1]} {}"),
            "");
}

TEST(Link, WritesFunctionsThatChoose) {
  Message files;
  const char *request = R"({"name": "linked.h", "prefix": "my_", "headers": [{"path": "a.h", "text":
      "// tessera-variant: add_1 add cpu 64_cpu : n=16 : const float * x, int32_t n\n"}]})";
  ASSERT_EQ(tessera_link(request, &files.text, nullptr), TESSERA_DONE);
  EXPECT_NE(files.str().find("int32_t my_add(const float *x, int32_t n, int algo_id);"),
            std::string::npos)
      << files.str();
}

TEST(Link, RefusesWhatIsNoRequest) {
  EXPECT_EQ(tessera_link(nullptr, nullptr, nullptr), TESSERA_USAGE_ERROR);
  for (const char *request :
       {"", "[", "[]", "{}", R"({"name": 1, "headers": []})", R"({"name": "x.h", "headers": []})",
        R"({"name": "x.h", "headers": [5]})", R"({"name": "a\"b", "headers": [{"path": "a", "text":
           "// tessera-variant: f k cpu a : : int32_t n\n"}]})"}) {
    Message files, why;
    EXPECT_EQ(tessera_link(request, &files.text, &why.text), TESSERA_PROGRAM_ERROR) << request;
    EXPECT_EQ(files.text, nullptr);
    EXPECT_FALSE(why.str().empty());
  }
}

TEST(Programs, References) {
  Message found, wrong;
  ASSERT_EQ(tessera_program_references("def f(x):\n    return x + cfg.N\n", "f.py", 3, &found.text,
                                       nullptr),
            TESSERA_DONE);
  EXPECT_EQ(found.str(), R"(["cfg.N"])");
  char *none = nullptr;
  EXPECT_EQ(tessera_program_references("def f(:\n", "f.py", 3, &none, &wrong.text),
            TESSERA_PROGRAM_ERROR);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(wrong.str().find("f.py:3:7: error:"), 0u) << wrong.str();
}

} // namespace
