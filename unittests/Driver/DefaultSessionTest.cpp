//===- DefaultSessionTest.cpp - where kernels and tools are ---------------===//
#include "tessera/Driver/DefaultSession.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <sys/stat.h>

using namespace tessera;

namespace {

std::string folderFor(std::vector<std::string> assignments) {
  return defaultCacheFolder(Variables(assignments));
}

TEST(DefaultSession, CacheFolder) {
  EXPECT_EQ("", folderFor({}));
  EXPECT_EQ("/h/.cache/tessera", folderFor({"HOME=/h"}));
  EXPECT_EQ("/x/tessera", folderFor({"HOME=/h", "XDG_CACHE_HOME=/x"}));
  EXPECT_EQ("/t/.triton/cache/tessera", folderFor({"XDG_CACHE_HOME=/x", "TRITON_HOME=/t"}));
  EXPECT_EQ("/c/tessera", folderFor({"TRITON_HOME=/t", "TRITON_CACHE_DIR=/c"}));
  EXPECT_EQ("/own", folderFor({"TRITON_CACHE_DIR=/c", "TESSERA_CACHE_DIR=/own"}));
  EXPECT_EQ("/h/.cache/tessera", folderFor({"HOME=/h", "TESSERA_CACHE_DIR="}));
}

struct ToolsTest : testing::Test {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());

  std::string add(llvm::StringRef relative) {
    std::string path = folder.file(relative);
    (void)llvm::sys::fs::create_directories(llvm::StringRef(path).rsplit('/').first);
    llvm::cantFail(writeFile(path, "#!/bin/sh\n"));
    ::chmod(path.c_str(), 0755);
    return path;
  }
  ToolPaths find(std::vector<std::string> assignments, std::vector<std::string> packages = {}) {
    return toolPaths(findTools({Variables(assignments), std::move(packages)}));
  }
};

TEST_F(ToolsTest, VariablesNameTools) {
  std::string onPath = add("bin/ptxas"), named = add("mine");
  std::string path = "PATH=" + folder.file("bin");
  EXPECT_EQ(onPath, find({path}).get("ptxas"));
  EXPECT_EQ(named, find({path, "TRITON_PTXAS_PATH=" + named}).get("ptxas"));
  EXPECT_EQ(onPath, find({path, "TESSERA_PTXAS_PATH=/none/ptxas"}).get("ptxas"));
  EXPECT_EQ("/none.bc", find({path, "TRITON_LIBDEVICE_PATH=/none.bc"}).get("libdevice"));
}

TEST_F(ToolsTest, FoldersOfROCm) {
  std::string rocm = add("rocm/amdgcn/bitcode/ocml.bc");
  std::string site = add("site/triton/backends/amd/lib/ocml.bc");
  std::string variable = "ROCM_PATH=" + folder.file("rocm");
  EXPECT_EQ(rocm, find({variable}, {folder.file("site")}).get("ocml"));
  EXPECT_EQ("/none.bc", find({variable, "TESSERA_OCML_PATH=/none.bc"}).get("ocml"));
  if (!llvm::sys::fs::exists("/opt/rocm")) // which comes first
    EXPECT_EQ(site, find({}, {folder.file("site")}).get("ocml"));
}

TEST_F(ToolsTest, PackagesHoldTools) {
  std::string nvdisasm = add("site/nvidia/cu13/bin/nvdisasm");
  std::string cuobjdump = add("site/triton/backends/nvidia/bin/cuobjdump");
  std::string libdevice = add("site/triton/backends/nvidia/lib/libdevice.10.bc");
  std::string home = "CUDA_HOME=" + folder.file("none");
  EXPECT_EQ(nvdisasm, find({home}, {folder.file("site")}).get("disassembler"));
  (void)llvm::sys::fs::remove(nvdisasm);
  llvm::SmallVector<FoundTool> tools = findTools({Variables(), {folder.file("site")}});
  ASSERT_EQ(5u, tools.size());
  EXPECT_EQ("cuobjdump", tools[2].name);
  if (!llvm::sys::fs::exists("/usr/local/cuda")) { // which comes first
    EXPECT_EQ(cuobjdump, tools[2].path);
    EXPECT_EQ(libdevice, tools[3].path);
  }
}

} // namespace
