//===- CacheStoreTest.cpp - compiled kernels on disk ----------------------===//
#include "tessera/Binary/CacheStore.h"
#include "SampleKernel.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tessera;

namespace {

std::string keyOf(unsigned number) {
  std::string key(64, '0');
  for (unsigned i = 0; number; ++i, number /= 10)
    key[63 - i] = char('0' + number % 10);
  return key;
}

struct CacheStoreTest : testing::Test {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  CacheStore cache{folder.file("deep/cache")};
  CompiledKernel kernel = makeSampleKernel();
  std::string entry(const std::string &key) { return cache.path() + "/" + key + ".tessera"; }
};

TEST_F(CacheStoreTest, StoreLoadStatClear) {
  EXPECT_FALSE(cache.load(keyOf(1)));
  EXPECT_EQ(0u, llvm::cantFail(cache.stat()).entries);
  llvm::cantFail(cache.store(keyOf(1), kernel));
  llvm::cantFail(cache.store(keyOf(2), kernel));
  llvm::cantFail(cache.store(keyOf(2), kernel));
  auto loaded = cache.load(keyOf(1));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(kernel, *loaded);
  ASSERT_NE(nullptr, loaded->find("cubin"));
  EXPECT_EQ(nullptr, loaded->find("hsaco"));
  EXPECT_EQ(2u, llvm::cantFail(cache.stat()).entries);
  EXPECT_EQ(2 * encodeCacheEntry(keyOf(1), kernel).size(), llvm::cantFail(cache.stat()).bytes);
  llvm::cantFail(writeFile(cache.path() + "/notes.txt", "mine"));
  llvm::cantFail(writeFile(cache.path() + "/.tessera-tmp-1", "left"));
  EXPECT_EQ(2u, llvm::cantFail(cache.clear()).entries);
  EXPECT_FALSE(cache.load(keyOf(1)));
  EXPECT_TRUE(llvm::sys::fs::exists(cache.path() + "/notes.txt"));
  EXPECT_FALSE(llvm::sys::fs::exists(cache.path() + "/.tessera-tmp-1"));
}

TEST_F(CacheStoreTest, TheFolderIsPrivate) {
  llvm::cantFail(cache.store(keyOf(1), kernel));
  struct stat status;
  ASSERT_EQ(0, ::stat(cache.path().c_str(), &status));
  EXPECT_EQ(0700u, status.st_mode & 0777u);
}

/// Every byte flipped, every length cut: always a miss, and the entry goes.
TEST_F(CacheStoreTest, AnyDamageIsAMiss) {
  kernel = makeSampleKernel(/*cubinBytes=*/16);
  std::string good = encodeCacheEntry(keyOf(1), kernel);
  EXPECT_TRUE(bool(llvm::expectedToOptional(decodeCacheEntry(keyOf(1), good))));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ 0x40);
    EXPECT_FALSE(bool(llvm::expectedToOptional(decodeCacheEntry(keyOf(1), bad)))) << i;
    EXPECT_FALSE(bool(
        llvm::expectedToOptional(decodeCacheEntry(keyOf(1), llvm::StringRef(good).take_front(i)))));
  }
  EXPECT_FALSE(bool(llvm::expectedToOptional(decodeCacheEntry(keyOf(1), good + "x"))));
  llvm::cantFail(cache.store(keyOf(1), kernel));
  llvm::cantFail(writeFile(entry(keyOf(1)), llvm::StringRef(good).drop_back()));
  EXPECT_FALSE(cache.load(keyOf(1)));
  EXPECT_FALSE(llvm::sys::fs::exists(entry(keyOf(1))));
}

/// Pipes, links and folders in the place of an entry are misses, at once, and replaced where they
/// can be.
TEST_F(CacheStoreTest, WhatIsNoFileIsAMiss) {
  llvm::cantFail(cache.store(keyOf(9), kernel));
  std::string path = entry(keyOf(1)), victim = folder.file("victim");
  auto replaceable = [&] {
    EXPECT_FALSE(cache.load(keyOf(1)));
    llvm::cantFail(cache.store(keyOf(1), kernel));
    struct stat status;
    ASSERT_EQ(0, ::lstat(path.c_str(), &status));
    EXPECT_TRUE(S_ISREG(status.st_mode));
    EXPECT_TRUE(cache.load(keyOf(1)));
    ASSERT_EQ(0, ::unlink(path.c_str()));
  };
  ASSERT_EQ(0, ::mkfifo(path.c_str(), 0600));
  replaceable();
  ASSERT_EQ(0, ::symlink("/dev/zero", path.c_str()));
  replaceable();
  llvm::cantFail(writeFile(victim, "precious"));
  ASSERT_EQ(0, ::symlink(victim.c_str(), path.c_str()));
  replaceable();
  EXPECT_EQ("precious", llvm::cantFail(readFile(victim)));
  // Even to an entry of our own.
  llvm::cantFail(cache.store(keyOf(1), kernel));
  ASSERT_EQ(0, ::rename(path.c_str(), victim.c_str()));
  ASSERT_EQ(0, ::symlink(victim.c_str(), path.c_str()));
  EXPECT_FALSE(cache.load(keyOf(1)));
  ASSERT_EQ(0, ::unlink(path.c_str()));
  ASSERT_EQ(0, ::mkdir(path.c_str(), 0700));
  EXPECT_FALSE(cache.load(keyOf(1)));
  EXPECT_TRUE(bool(cache.store(keyOf(1), kernel)));
}

/// An entry that another user could have written is not run, unless the users of the folder trust
/// each other.
TEST_F(CacheStoreTest, EntriesOfOthersAreMisses) {
  llvm::cantFail(cache.store(keyOf(1), kernel));
  std::string path = entry(keyOf(1));
  struct stat status;
  ASSERT_EQ(0, ::stat(path.c_str(), &status));
  EXPECT_EQ(0u, status.st_mode & 0022u);
  CacheStore shared(cache.path(), CacheTrust::AllUsers);
  for (mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(0, ::chmod(path.c_str(), mode));
    EXPECT_FALSE(cache.load(keyOf(1))) << mode;
    EXPECT_TRUE(shared.load(keyOf(1))) << mode;
  }
  llvm::cantFail(cache.store(keyOf(1), kernel)); // ours takes its place
  EXPECT_TRUE(cache.load(keyOf(1)));
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(0, ::chown(path.c_str(), 65534, 65534));
  EXPECT_FALSE(cache.load(keyOf(1)));
  EXPECT_TRUE(shared.load(keyOf(1)));
  llvm::cantFail(cache.store(keyOf(1), kernel));
  EXPECT_TRUE(cache.load(keyOf(1)));
}

TEST_F(CacheStoreTest, AnEntryUnderAnotherNameIsAMiss) {
  llvm::cantFail(cache.store(keyOf(1), kernel));
  ASSERT_FALSE(llvm::sys::fs::copy_file(entry(keyOf(1)), entry(keyOf(2))));
  EXPECT_TRUE(cache.load(keyOf(1)));
  EXPECT_FALSE(cache.load(keyOf(2)));
}

TEST_F(CacheStoreTest, KeysAreNotPaths) {
  EXPECT_FALSE(cache.load("../../etc/passwd"));
  EXPECT_EQ("cache: '../x' is not a key", llvm::toString(cache.store("../x", kernel)));
}

TEST_F(CacheStoreTest, UnusableFoldersJustDoNotCache) {
  for (std::string path : {std::string("/proc/nonexistent"), std::string("/dev/null/x")}) {
    CacheStore broken(path);
    EXPECT_FALSE(broken.load(keyOf(1)));
    EXPECT_NE("", llvm::toString(broken.store(keyOf(1), kernel)));
  }
  CacheStore none("");
  EXPECT_FALSE(none.load(keyOf(1)));
  EXPECT_EQ("", llvm::toString(none.store(keyOf(1), kernel)));
  EXPECT_EQ(0u, llvm::cantFail(none.stat()).entries);
  EXPECT_EQ(0u, llvm::cantFail(none.clear()).entries);
}

/// A file size limit stands in for a full disk.
TEST_F(CacheStoreTest, AFullDiskLeavesNoPart) {
  llvm::cantFail(cache.store(keyOf(1), kernel));
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{500, 500};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    llvm::Error failed = cache.store(keyOf(2), kernel);
    bool ok = bool(failed) && !cache.load(keyOf(2)) && cache.load(keyOf(1)).has_value();
    llvm::consumeError(std::move(failed));
    ::_exit(ok ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(0, status);
  EXPECT_EQ(1u, llvm::cantFail(cache.stat()).entries);
}

TEST_F(CacheStoreTest, AnEntryThatIsAFolderIsAMiss) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(entry(keyOf(1))));
  EXPECT_FALSE(cache.load(keyOf(1)));
}

TEST_F(CacheStoreTest, ManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong{0}, hits{0};
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (unsigned round = 0; round < 60; ++round) {
        CompiledKernel mine = makeSampleKernel(round * 100);
        mine.record.sourceLine = round;
        llvm::consumeError(cache.store(keyOf((t + round) % 5), mine));
        if (auto loaded = cache.load(keyOf(round % 5))) {
          ++hits;
          // A mixture of two writers' parts would show here.
          wrong += loaded->find("cubin")->size() != loaded->record.sourceLine * 100 + 4;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(0u, wrong.load());
  EXPECT_GT(hits.load(), 0u);
}

/// Processes write large entries and are killed at any moment; readers never see a bad one.
TEST_F(CacheStoreTest, KilledWriters) {
  llvm::cantFail(cache.store(keyOf(0), kernel));
  for (unsigned round = 0; round < 30; ++round) {
    pid_t child = ::fork();
    if (child == 0) {
      CompiledKernel mine = makeSampleKernel(1 << 20);
      while (true)
        llvm::consumeError(cache.store(keyOf(3), mine));
    }
    ::usleep(500 * (round % 8));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (llvm::sys::fs::exists(entry(keyOf(3)))) {
      EXPECT_TRUE(cache.load(keyOf(3))) << "round " << round;
    }
  }
  EXPECT_TRUE(cache.load(keyOf(0)));
}

} // namespace
