//===- FindToolTest.cpp - the search order --------------------------------===//
#include "tessera/Support/FindTool.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <sys/stat.h>

using namespace tessera;

namespace {

struct FindToolTest : testing::Test {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());

  std::string addTool(llvm::StringRef relative, unsigned mode = 0755) {
    std::string path = folder.file(relative);
    (void)llvm::sys::fs::create_directories(llvm::StringRef(path).rsplit('/').first);
    llvm::cantFail(writeFile(path, "#!/bin/sh\n"));
    ::chmod(path.c_str(), mode);
    return path;
  }
};

TEST_F(FindToolTest, Order) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  std::string packaged = addTool("site/nvidia/bin/ptxas");
  search.packages = {folder.file("site/nvidia")};
  EXPECT_EQ(packaged, *findTool("ptxas", search));
  std::string old = addTool("local/cuda-9.2/bin/ptxas");
  std::string newest = addTool("local/cuda-13.0/bin/ptxas");
  addTool("local/cuda-12.8/bin/ptxas");
  EXPECT_EQ(newest, *findTool("ptxas", search));
  std::string chosen = addTool("local/cuda/bin/ptxas");
  EXPECT_EQ(chosen, *findTool("ptxas", search));
  std::string home = addTool("home/bin/ptxas");
  search.toolkits = {"", folder.file("home")};
  EXPECT_EQ(home, *findTool("ptxas", search));
  std::string onPath = addTool("path/ptxas");
  search.path = ":/nonexistent:" + folder.file("path");
  EXPECT_EQ(onPath, *findTool("ptxas", search));
  search.explicitPath = old;
  EXPECT_EQ(old, *findTool("ptxas", search));
}

TEST_F(FindToolTest, SkipsWhatCannotRun) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  addTool("a/ptxas", 0644);
  (void)llvm::sys::fs::create_directories(folder.file("b/ptxas"));
  std::string good = addTool("c/ptxas");
  search.path = folder.file("a") + ":" + folder.file("b") + ":" + folder.file("c");
  EXPECT_EQ(good, *findTool("ptxas", search));
}

TEST_F(FindToolTest, ErrorsSayWhere) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  search.toolkits = {"/opt/kit"};
  EXPECT_EQ("no ptxas was found in PATH, /opt/kit/bin or " + folder.file("local") + "/cuda*/bin",
            llvm::toString(findTool("ptxas", search).takeError()));
  search.explicitPath = "/nonexistent/ptxas";
  EXPECT_EQ("'/nonexistent/ptxas', given for ptxas, does not exist",
            llvm::toString(findTool("ptxas", search).takeError()));
  search.explicitPath = addTool("plain", 0644);
  EXPECT_EQ("'" + search.explicitPath + "', given for ptxas, is not a program that can be run",
            llvm::toString(findTool("ptxas", search).takeError()));
}

TEST_F(FindToolTest, FilesOfAToolkit) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  search.path = folder.file("kit/bin");
  std::string file = addTool("kit/nvvm/libdevice/libdevice.10.bc", 0644);
  EXPECT_EQ(file, *findToolkitFile("nvvm/libdevice/libdevice.10.bc", search));
  EXPECT_FALSE(bool(llvm::expectedToOptional(findToolkitFile("nvvm/other", search))));
}

} // namespace
