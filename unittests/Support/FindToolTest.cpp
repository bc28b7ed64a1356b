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
  search.systemToolkit = "kit";
  std::string packaged = addTool("site/vendor/bin/asm");
  search.packages = {folder.file("site/vendor")};
  EXPECT_EQ(packaged, *findTool("asm", search));
  std::string old = addTool("local/kit-9.2/bin/asm");
  std::string newest = addTool("local/kit-13.0/bin/asm");
  addTool("local/kit-12.8/bin/asm");
  EXPECT_EQ(newest, *findTool("asm", search));
  std::string chosen = addTool("local/kit/bin/asm");
  EXPECT_EQ(chosen, *findTool("asm", search));
  std::string home = addTool("home/bin/asm");
  search.toolkits = {"", folder.file("home")};
  EXPECT_EQ(home, *findTool("asm", search));
  std::string onPath = addTool("path/asm");
  search.path = ":/nonexistent:" + folder.file("path");
  EXPECT_EQ(onPath, *findTool("asm", search));
  search.explicitPath = old;
  EXPECT_EQ(old, *findTool("asm", search));
}

TEST_F(FindToolTest, SkipsWhatCannotRun) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  search.systemToolkit = "kit";
  addTool("a/asm", 0644);
  (void)llvm::sys::fs::create_directories(folder.file("b/asm"));
  std::string good = addTool("c/asm");
  search.path = folder.file("a") + ":" + folder.file("b") + ":" + folder.file("c");
  EXPECT_EQ(good, *findTool("asm", search));
}

TEST_F(FindToolTest, ErrorsSayWhere) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  search.systemToolkit = "kit";
  search.toolkits = {"/opt/kit"};
  EXPECT_EQ("no asm was found in PATH, /opt/kit/bin or " + folder.file("local") + "/kit*/bin",
            llvm::toString(findTool("asm", search).takeError()));
  search.explicitPath = "/nonexistent/asm";
  EXPECT_EQ("'/nonexistent/asm', given for asm, does not exist",
            llvm::toString(findTool("asm", search).takeError()));
  search.explicitPath = addTool("plain", 0644);
  EXPECT_EQ("'" + search.explicitPath + "', given for asm, is not a program that can be run",
            llvm::toString(findTool("asm", search).takeError()));
}

TEST_F(FindToolTest, FilesOfAToolkit) {
  ToolSearch search;
  search.systemRoot = folder.file("local");
  search.systemToolkit = "kit";
  search.path = folder.file("kit/bin");
  std::string file = addTool("kit/lib/math.bc", 0644);
  EXPECT_EQ(file, *findToolkitFile("lib/math.bc", search));
  EXPECT_FALSE(bool(llvm::expectedToOptional(findToolkitFile("lib/other", search))));
}

} // namespace
