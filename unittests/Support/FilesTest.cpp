//===- FilesTest.cpp - whole files in, whole files out --------------------===//
#include "tessera/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tessera;

namespace {

std::string textOf(llvm::Error error) { return llvm::toString(std::move(error)); }

struct FilesTest : testing::Test {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());

  unsigned countEntries() {
    unsigned count = 0;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder.path(), code), end; it != end && !code;
         it.increment(code))
      ++count;
    return count;
  }
  std::string read(llvm::StringRef name) { return llvm::cantFail(readFile(folder.file(name))); }
};

TEST_F(FilesTest, WriteThenRead) {
  std::string path = folder.file("a.bin");
  std::string data("\0one\r\n\xff", 7);
  ASSERT_EQ("", textOf(writeFile(path, data)));
  EXPECT_EQ(data, read("a.bin"));
  ASSERT_EQ("", textOf(writeFile(path, "", Durability::Synced)));
  EXPECT_EQ("", read("a.bin"));
  EXPECT_EQ(1u, countEntries());
}

TEST_F(FilesTest, NothingIsThereBeforeCommit) {
  std::string path = folder.file("a.txt");
  {
    auto file = PendingFile::open(path);
    ASSERT_TRUE(bool(file));
    ASSERT_EQ("", textOf(file->write("half")));
    EXPECT_FALSE(llvm::sys::fs::exists(path));
  }
  EXPECT_EQ(0u, countEntries());
}

TEST_F(FilesTest, OldContentsStayUntilCommit) {
  std::string path = folder.file("a.txt");
  llvm::cantFail(writeFile(path, "old"));
  auto file = PendingFile::open(path);
  ASSERT_TRUE(bool(file));
  llvm::cantFail(file->write("new"));
  EXPECT_EQ("old", read("a.txt"));
  llvm::cantFail(file->commit());
  EXPECT_EQ("new", read("a.txt"));
  EXPECT_EQ(1u, countEntries());
}

TEST_F(FilesTest, KilledWriterLeavesNothingUnderTheName) {
  std::string path = folder.file("a.txt");
  pid_t child = ::fork();
  if (child == 0) {
    auto file = PendingFile::open(path);
    if (!file)
      ::_exit(1);
    llvm::cantFail(file->write("half"));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

TEST_F(FilesTest, KeepsPermissionsAndFollowsLinks) {
  std::string path = folder.file("real.txt"), link = folder.file("link.txt");
  llvm::cantFail(writeFile(path, "1"));
  ASSERT_EQ(0, ::chmod(path.c_str(), 0640));
  ASSERT_EQ(0, ::symlink("real.txt", link.c_str()));
  llvm::cantFail(writeFile(link, "2"));
  struct stat status;
  ASSERT_EQ(0, ::lstat(link.c_str(), &status));
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  EXPECT_EQ("2", read("real.txt"));
  ASSERT_EQ(0, ::stat(path.c_str(), &status));
  EXPECT_EQ(0640u, status.st_mode & 0777u);
}

TEST_F(FilesTest, DevicesAreWrittenTo) {
  EXPECT_EQ("", textOf(writeFile("/dev/null", "x")));
  struct stat status;
  ASSERT_EQ(0, ::stat("/dev/null", &status));
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(FilesTest, FullDeviceIsAnError) {
  EXPECT_EQ("cannot write '/dev/full': No space left on device",
            textOf(writeFile("/dev/full", "x")));
}

TEST_F(FilesTest, WriteErrorsNameTheFile) {
  std::string missing = folder.file("no/such/a.txt");
  EXPECT_EQ("cannot write '" + missing + "': there is no folder '" + folder.file("no/such") + "'",
            textOf(writeFile(missing, "x")));
  EXPECT_EQ("cannot write '" + folder.path() + "': Is a directory",
            textOf(writeFile(folder.path(), "x")));
  EXPECT_EQ("cannot write a file: its name is empty", textOf(writeFile("", "x")));
  llvm::cantFail(writeFile(folder.file("f"), "x"));
  EXPECT_EQ("cannot write '" + folder.file("f/g") + "': Not a directory",
            textOf(writeFile(folder.file("f/g"), "x")));
}

TEST_F(FilesTest, ReadErrorsNameTheFile) {
  std::string missing = folder.file("missing");
  EXPECT_EQ("cannot read '" + missing + "': there is no such file",
            textOf(readFile(missing).takeError()));
  EXPECT_EQ("cannot read '" + folder.path() + "': it is a directory",
            textOf(readFile(folder.path()).takeError()));
  llvm::cantFail(writeFile(folder.file("big"), std::string(2048, 'x')));
  EXPECT_EQ("cannot read '" + folder.file("big") +
                "': it has 2.0 KiB, and at most 1.0 KiB are read",
            textOf(readFile(folder.file("big"), 1024).takeError()));
  EXPECT_EQ("cannot read '/dev/zero': it is larger than 1.0 MiB",
            textOf(readFile("/dev/zero", 1 << 20).takeError()));
}

TEST_F(FilesTest, UnreadableFile) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root reads every file";
  std::string path = folder.file("secret");
  llvm::cantFail(writeFile(path, "x"));
  ASSERT_EQ(0, ::chmod(path.c_str(), 0));
  EXPECT_EQ("cannot read '" + path + "': Permission denied", textOf(readFile(path).takeError()));
}

TEST_F(FilesTest, ReadsPipesToTheirEnd) {
  std::string path = folder.file("pipe");
  ASSERT_EQ(0, ::mkfifo(path.c_str(), 0600));
  pid_t child = ::fork();
  if (child == 0) {
    int fd = ::open(path.c_str(), O_WRONLY);
    std::string block(300000, 'y');
    ssize_t put = ::write(fd, block.data(), block.size());
    ::_exit(put == 300000 ? 0 : 1);
  }
  EXPECT_EQ(300000u, read("pipe").size());
  ::waitpid(child, nullptr, 0);
}

TEST_F(FilesTest, PlainFilesAreNoPipesAndNoLinks) {
  std::string pipe = folder.file("pipe"), link = folder.file("link"), file = folder.file("file");
  ASSERT_EQ(0, ::mkfifo(pipe.c_str(), 0600));
  llvm::cantFail(writeFile(file, "text"));
  ASSERT_EQ(0, ::symlink(file.c_str(), link.c_str()));
  EXPECT_EQ("text", llvm::cantFail(readPlainFile(file)));
  EXPECT_EQ("text", llvm::cantFail(readOwnFile(file)));
  for (const std::string &path : {pipe, link, std::string("/dev/zero"), folder.path()})
    EXPECT_FALSE(bool(llvm::expectedToOptional(readPlainFile(path)))) << path;
  EXPECT_FALSE(bool(llvm::expectedToOptional(readPlainFile(file, /*limit=*/3))));
  ASSERT_EQ(0, ::chmod(file.c_str(), 0666));
  EXPECT_FALSE(bool(llvm::expectedToOptional(readOwnFile(file))));
  EXPECT_EQ("text", llvm::cantFail(readPlainFile(file)));
}

TEST_F(FilesTest, ReplacingDoesNotFollowLinks) {
  std::string victim = folder.file("victim"), link = folder.file("link");
  llvm::cantFail(writeFile(victim, "precious"));
  ASSERT_EQ(0, ::symlink(victim.c_str(), link.c_str()));
  llvm::Expected<PendingFile> file = PendingFile::replace(link);
  ASSERT_TRUE(bool(file));
  llvm::cantFail(file->write("new"));
  llvm::cantFail(file->commit());
  EXPECT_EQ("precious", llvm::cantFail(readFile(victim)));
  EXPECT_EQ("new", llvm::cantFail(readPlainFile(link)));
}

TEST_F(FilesTest, ScratchFilesAreForOtherPrograms) {
  size_t before = 0, after = 0;
  auto count = [&](size_t &entries) {
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder.path(), code), end; it != end && !code;
         it.increment(code))
      ++entries;
  };
  count(before);
  llvm::Expected<ScratchFile> in = ScratchFile::create("kernel.ptx", folder.path());
  llvm::Expected<ScratchFile> out = ScratchFile::create("kernel.cubin", folder.path());
  ASSERT_TRUE(bool(in) && bool(out));
  llvm::cantFail(in->write("a longer text"));
  llvm::cantFail(in->write("text"));
  EXPECT_EQ("text", llvm::cantFail(readFile(in->path())));
  std::string command = "cat " + in->path() + " > " + out->path();
  EXPECT_EQ(0, std::system(command.c_str()));
  EXPECT_EQ("text", llvm::cantFail(readFile(out->path())));
  count(after);
  EXPECT_EQ(before, after); // nothing that a killed process would leave
}

TEST(TemporaryFolder, IsRemovedWithItsContents) {
  std::string path;
  {
    TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
    path = folder.path();
    llvm::cantFail(writeFile(folder.file("x"), "1"));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path));
  EXPECT_FALSE(bool(llvm::expectedToOptional(TemporaryFolder::create("/proc/nonexistent"))));
}

} // namespace
