//===- CacheStressTest.cpp - one folder, many processes, kill -9 ----------===//
// Processes load and store the same kernels in one folder while others are killed at any
// moment, and damage is done to entries. Nothing that is loaded may differ from what the
// key stands for.
//
// CACHE_STRESS="PROCESSES KERNELS" sets how many there are (scripts/stress-cache). The
// test ends when that many processes would have visited all kernels.
//===----------------------------------------------------------------------===//
#include "SampleKernel.h"
#include "tessera/Binary/CacheStore.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <dlfcn.h>
#include <fcntl.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tessera;

/// As on a file system without nameless files (NFS).
static bool refusesNameless = false;

/// The C library's open, but for nameless files.
extern "C" int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = mode_t(va_arg(arguments, int));
    va_end(arguments);
  }
  if (refusesNameless && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return ::openat(AT_FDCWD, path, flags, mode);
}

namespace {

struct Counts { // in memory that the processes share
  std::atomic<uint64_t> hits, stores, wrong, problems;
};

struct CacheStress : testing::TestWithParam<bool> {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  unsigned processes = 6, kernels = 60;
  Counts *counts = nullptr;

  void SetUp() override {
    refusesNameless = GetParam();
    if (const char *wanted = std::getenv("CACHE_STRESS"))
      std::sscanf(wanted, "%u %u", &processes, &kernels);
    void *memory =
        ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    counts = new (memory) Counts();
  }
  void TearDown() override {
    refusesNameless = false;
    ::munmap(counts, sizeof(Counts));
  }

  static std::string keyOf(unsigned number) {
    char text[65];
    std::snprintf(text, sizeof(text), "%064x", number * 2654435761u);
    return text;
  }
  /// From 1 to 64 KiB that follow from the number.
  static CompiledKernel kernelOf(unsigned number) {
    CompiledKernel kernel = makeSampleKernel(1);
    kernel.record.sourceLine = number;
    std::minstd_rand random(number + 1);
    std::string &bytes = kernel.artifacts["cubin"];
    bytes.resize(1024 + random() % (63 << 10));
    for (char &byte : bytes)
      byte = char(random());
    return kernel;
  }

  CacheStore store() const {
    return CacheStore(folder.file("cache"), CacheTrust::ThisUser, nullptr, /*limit=*/16 << 20);
  }
  [[noreturn]] void visitAll(unsigned seed) const;
  void damageOne(std::mt19937 &random) const;
};

/// What a child does: every kernel in a random order, from the folder or new.
void CacheStress::visitAll(unsigned seed) const {
  std::mt19937 random(seed);
  std::vector<unsigned> order(kernels);
  for (unsigned i = 0; i < kernels; ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  CacheStore cache = store();
  for (unsigned number : order) {
    std::string problem;
    std::optional<CompiledKernel> loaded = cache.load(keyOf(number), &problem);
    counts->problems += !problem.empty();
    CompiledKernel expected = kernelOf(number);
    if (loaded) {
      ++counts->hits;
      counts->wrong += *loaded != expected;
      continue;
    }
    llvm::consumeError(cache.store(keyOf(number), expected));
    ++counts->stores;
  }
  ::_exit(0);
}

/// Cuts an entry short, or changes a byte of it.
void CacheStress::damageOne(std::mt19937 &random) const {
  std::string path = folder.file("cache/" + keyOf(random() % kernels) + ".tessera");
  int fd = ::openat(AT_FDCWD, path.c_str(), O_WRONLY);
  if (fd < 0)
    return;
  char byte = char(random());
  if (random() % 2)
    (void)!::ftruncate(fd, off_t(random() % 2000));
  else
    (void)!::pwrite(fd, &byte, 1, off_t(random() % 2000));
  ::close(fd);
}

TEST_P(CacheStress, FilesAreOfTheKindThatIsTested) {
  llvm::Expected<PendingFile> file = PendingFile::replace(folder.file("file"));
  ASSERT_TRUE(bool(file));
  std::error_code code;
  bool isEmpty =
      llvm::sys::fs::directory_iterator(folder.path(), code) == llvm::sys::fs::directory_iterator();
  EXPECT_EQ(isEmpty, !GetParam());
}

TEST_P(CacheStress, NothingBadLoads) {
  std::mt19937 random(12);
  std::vector<pid_t> children(processes, 0);
  unsigned killed = 0;
  auto start = [&](pid_t &child) {
    unsigned seed = random();
    child = ::fork();
    if (child == 0)
      visitAll(seed);
  };
  for (pid_t &child : children)
    start(child);
  while (counts->hits + counts->stores < uint64_t(processes) * kernels) {
    ::usleep(500 + random() % 3000);
    pid_t &victim = children[random() % processes];
    if (random() % 4 == 0) {
      ::kill(victim, SIGKILL);
      ++killed;
    }
    if (random() % 8 == 0)
      damageOne(random);
    for (pid_t &child : children)
      if (int status = 0; ::waitpid(child, &status, WNOHANG) == child) {
        bool wasKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        EXPECT_TRUE(wasKilled || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
        start(child);
      }
  }
  for (pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  llvm::outs() << counts->hits.load() << " loads, " << counts->stores.load() << " stores, "
               << counts->problems.load() << " damaged entries found, " << killed << " killed\n";
  EXPECT_EQ(0u, counts->wrong.load());
  EXPECT_GT(counts->hits.load(), 0u);
  // What is left can be read; damage that nobody has loaded is found.
  llvm::cantFail(store().verify());
  EXPECT_EQ(0u, llvm::cantFail(store().verify()).damaged);
}

INSTANTIATE_TEST_SUITE_P(Files, CacheStress, testing::Bool(),
                         [](const auto &info) { return info.param ? "Named" : "Nameless"; });

} // namespace
