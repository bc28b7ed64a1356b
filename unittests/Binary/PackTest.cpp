//===- PackTest.cpp - packs: written, found, damaged, hostile -------------===//
#include "tessera/Binary/PackFile.h"
#include "tessera/Binary/PackKey.h"
#include "tessera/Binary/PackMiss.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;

namespace {

std::string_view viewOf(const std::string &text) { return text; }

PackHash keyOf(unsigned number) {
  PackHash key = {};
  key[0] = uint8_t(number * 37);
  key[31] = uint8_t(number);
  return key;
}

/// A kernel whose record is a real one.
PackWriter::Artifacts artifactsOf(unsigned number) {
  KernelRecord record;
  record.tesseraVersion = "0.1.0";
  record.kernelName = "k" + std::to_string(number);
  record.target = "cpu";
  record.adopt(CompileOptions());
  return {{"record", record.toText()}, {"obj", std::string(number % 3 * 40, 'x')}};
}

PackWriter writerOf(unsigned count) {
  PackWriter writer;
  for (unsigned i = 0; i < count; ++i)
    writer.add({.key = keyOf(i),
                .name = "k" + std::to_string(i),
                .signature = "*fp32,i32",
                .target = "cpu",
                .origin = "a.py:1"},
               artifactsOf(i));
  return writer;
}

struct Folder {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  std::string write(const std::string &bytes) {
    std::string path = folder.file("a.tpack");
    llvm::cantFail(writeFile(path, bytes));
    return path;
  }
};

std::string problemOf(const std::string &bytes) {
  PackView view;
  const char *problem = PackView::open(bytes, view);
  return problem ? problem : "";
}

TEST(Pack, WrittenAndRead) {
  Folder folder;
  std::string bytes = writerOf(20).finish();
  auto pack = llvm::cantFail(PackFile::open(folder.write(bytes)));
  EXPECT_EQ(pack->view().size(), 20u);
  for (unsigned i = 0; i < 20; ++i) {
    std::optional<uint32_t> number = pack->find(keyOf(i));
    ASSERT_TRUE(number);
    CompiledKernel kernel = llvm::cantFail(pack->load(*number));
    EXPECT_EQ(kernel.record.kernelName, "k" + std::to_string(i));
    EXPECT_EQ(kernel.find("obj")->size(), i % 3 * 40);
    EXPECT_EQ(pack->view().entry(*number).signature, viewOf("*fp32,i32"));
  }
  EXPECT_FALSE(pack->find(keyOf(20)));
  EXPECT_EQ(writerOf(20).finish(), bytes); // the same input gives the same file
}

TEST(Pack, EqualContentsAreStoredOnce) {
  std::string large(100000, 'y');
  PackWriter one, two;
  one.add({.key = keyOf(1)}, {{"obj", large}});
  two.add({.key = keyOf(1)}, {{"obj", large}});
  two.add({.key = keyOf(2)}, {{"obj", large}});
  EXPECT_LT(two.finish().size(), one.finish().size() + 1000);
  EXPECT_FALSE(two.add({.key = keyOf(2), .name = "other"}, {}));
}

TEST(Pack, EmptyOnesAreRight) { EXPECT_EQ(problemOf(PackWriter().finish()), ""); }

TEST(Pack, Signatures) {
  Folder folder;
  Ed25519KeyPair keys = keyPairFromSeed({1, 2, 3}), others = keyPairFromSeed({4});
  std::string plain = folder.write(writerOf(3).finish());
  auto problem = [&](const Ed25519Key &key) {
    auto pack = PackFile::open(folder.folder.file("a.tpack"), key);
    return pack ? std::string() : llvm::toString(pack.takeError());
  };
  EXPECT_NE(problem(keys.publicKey).find("it is not signed"), std::string::npos);
  std::string bytes = writerOf(3).finish(keys);
  folder.write(bytes);
  EXPECT_EQ(problem(keys.publicKey), "");
  EXPECT_NE(problem(others.publicKey).find("signed with another key"), std::string::npos);
  bytes[140] ^= 1;
  folder.write(bytes);
  EXPECT_NE(problem(keys.publicKey).find("its signature is wrong"), std::string::npos);
  // The signature of another pack.
  std::string other = writerOf(4).finish(keys);
  std::string stolen = writerOf(3).finish(keys);
  std::copy_n(other.begin() + 128, 64, stolen.begin() + 128);
  folder.write(stolen);
  EXPECT_NE(problem(keys.publicKey).find("its signature is wrong"), std::string::npos);
}

TEST(Pack, EveryByteOfTheIndexCounts) {
  std::string bytes = writerOf(5).finish(keyPairFromSeed({9}));
  PackView view;
  ASSERT_EQ(PackView::open(bytes, view), nullptr);
  for (size_t i = 0; i < kPackHeaderSize; ++i) {
    bool isSignature = i >= 96;
    std::string changed = bytes;
    changed[i] ^= 0x10;
    EXPECT_EQ(problemOf(changed).empty(), isSignature) << i;
  }
  size_t tables = 5 * kPackEntrySize + 10 * kPackArtifactSize;
  for (size_t i = kPackHeaderSize; i < kPackHeaderSize + tables; i += 3) {
    std::string changed = bytes;
    changed[i] ^= 0x10;
    EXPECT_NE(problemOf(changed), "") << i;
  }
}

TEST(Pack, DamagedBlobsAreFound) {
  Folder folder;
  std::string bytes = writerOf(5).finish();
  PackView view;
  ASSERT_EQ(PackView::open(bytes, view), nullptr);
  PackArtifact record;
  ASSERT_TRUE(view.find(view.entry(2), "record", record));
  bytes[size_t(record.bytes.data() - bytes.data())] ^= 1;
  auto pack = llvm::cantFail(PackFile::open(folder.write(bytes)));
  size_t damaged = 0;
  for (uint32_t i = 0; i < pack->view().size(); ++i)
    if (auto kernel = pack->load(i); !kernel) {
      EXPECT_NE(llvm::toString(kernel.takeError()).find("is damaged"), std::string::npos);
      ++damaged;
    }
  EXPECT_EQ(damaged, 1u);
}

TEST(Pack, CutShort) {
  std::string bytes = writerOf(5).finish();
  for (size_t size = 0; size < bytes.size(); size += 11)
    EXPECT_NE(problemOf(bytes.substr(0, size)), "") << size;
  EXPECT_NE(problemOf(bytes + "x"), "");
}

/// Gives changed bytes the digest that they would have, so that the checks behind it are reached.
void setDigest(std::string &bytes) {
  namespace endian = llvm::support::endian;
  uint64_t entries = endian::read32le(&bytes[24]), artifacts = endian::read32le(&bytes[28]);
  uint64_t index =
      entries * kPackEntrySize + artifacts * kPackArtifactSize + endian::read64le(&bytes[32]);
  if (index > bytes.size() - kPackHeaderSize)
    return;
  PackHash digest =
      hashForPack(bytes.substr(0, kPackDigestedHeader) + bytes.substr(kPackHeaderSize, index));
  std::copy(digest.begin(), digest.end(), bytes.begin() + 64);
}

/// Reads all that a pack says it has.
uint64_t readAll(const std::string &bytes) {
  PackView view;
  if (PackView::open(bytes, view))
    return 0;
  uint64_t sum = 1;
  for (uint32_t i = 0; i < view.size(); ++i) {
    PackEntry entry = view.entry(i);
    for (std::string_view text :
         {entry.name, entry.signature, entry.target, entry.options, entry.origin, entry.maker})
      for (char c : text)
        sum += uint8_t(c);
    for (uint32_t k = 0; k < entry.artifactCount; ++k)
      sum += PackView::isIntact(view.artifact(entry.firstArtifact + k));
  }
  return sum;
}

// Packs of somebody who can compute checksums: counts, places and sizes of all magnitudes.
TEST(Pack, HostileNumbers) {
  std::mt19937_64 random(7);
  const std::string good = writerOf(4).finish();
  const uint64_t values[] = {0,
                             1,
                             2,
                             255,
                             0x7fffffff,
                             0xffffffff,
                             0x100000000,
                             uint64_t(1) << 63,
                             ~uint64_t(0),
                             ~uint64_t(0) - 63};
  uint64_t opened = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      size_t place = random() % (std::min<size_t>(bytes.size(), 1600) / 4) * 4;
      uint64_t value = random() % 2 ? values[random() % std::size(values)] : random() % 4096;
      for (size_t i = 0; i < (random() % 2 ? 4u : 8u) && place + i < bytes.size(); ++i)
        bytes[place + i] = char(value >> (8 * i));
    }
    if (random() % 8 == 0)
      bytes.resize(random() % bytes.size());
    if (bytes.size() >= kPackHeaderSize && random() % 4 != 0)
      setDigest(bytes);
    opened += readAll(bytes) != 0;
  }
  EXPECT_GT(opened, 100u); // else nothing behind the digest was reached
}

TEST(Pack, KeysOfPrograms) {
  auto keyOfText = [](llvm::StringRef text, const CompileOptions &options = {}) {
    return llvm::cantFail(computePackKeys(text, options, "cpu"));
  };
  const char *program = R"({"version":1,"kernel":0,"symbol":"s","arguments":["*fp32:16","i32",
      {"constant":{"float":"0x1.8p+1"}}],
      "functions":[{"name":"add","path":"/a/b.py","line":3,"text":"def add","names":{"path":1}}]})";
  PackKeys keys = keyOfText(program);
  EXPECT_EQ(keys.kernelName, "add");
  EXPECT_EQ(keys.signature, "*fp32:16,i32,3.0");
  EXPECT_EQ(keys.origin, "b.py:3");
  // Another place, order and spelling.
  EXPECT_EQ(keyOfText(R"({"kernel":0,"version":1,"arguments":["*fp32:16","i32",
      {"constant":{"float":"0x1.8000000000000p+1"}}],
      "functions":[{"text":"def add","name":"add","path":"/c.py","line":9,"names":{"path":1}}]})")
                .key,
            keys.key);
  // A global of the name "path" counts, and so do arguments, options and targets.
  for (llvm::StringRef other :
       {R"({"version":1,"kernel":0,"arguments":["*fp32:16","i32",{"constant":{"float":"0x1.8p+1"}}],
      "functions":[{"name":"add","text":"def add","names":{"path":2}}]})",
        R"({"version":1,"kernel":0,"arguments":["*fp32","i32",{"constant":{"float":"0x1.8p+1"}}],
      "functions":[{"name":"add","text":"def add","names":{"path":1}}]})"})
    EXPECT_NE(keyOfText(other).key, keys.key);
  CompileOptions options;
  options.numWarps = 8;
  EXPECT_NE(keyOfText(program, options).key, keys.key);
  EXPECT_NE(llvm::cantFail(computePackKeys(program, {}, "other")).key, keys.key);
  EXPECT_EQ(manifestRow(keys, options, "cpu"), "{ signature = \"*fp32:16,i32,3.0\", options = { "
                                               "num-warps = 8 }, targets = [\"cpu\"] },");
  for (llvm::StringRef wrong : {"", "[]", "{}", "{\"arguments\":1}", "null"}) {
    auto result = computePackKeys(wrong, {}, "cpu");
    EXPECT_FALSE(result) << wrong.str();
    llvm::consumeError(result.takeError());
  }
}

/// The keys of a text as one string; the error if it is no program.
static std::string described(llvm::Expected<PackKeys> keys) {
  if (!keys) {
    llvm::consumeError(keys.takeError());
    return "no program";
  }
  return llvm::toHex(keys->key) + llvm::toHex(keys->source) + keys->kernelName + "|" +
         keys->signature + "|" + keys->options + "|" + keys->origin;
}

TEST(Pack, KnownSourcesChangeNoKey) {
  std::vector<std::string> texts;
  for (llvm::StringRef arguments : {"[]", R"(["*fp32:16",{"constant":{"int":"5"}}])",
                                    R"( [ "i32" ] )", "{}", "5", "[", "[[1,2]"})
    for (
        llvm::StringRef rest :
        {R"(,"kernel":0,"version":1,"functions":[{"name":"f","path":"/a.py","line":2,"text":"x"}]})",
         R"(,"kernel":0,"version":1,"functions":[{"name":"f","path":"/b.py","line":2,"text":"x"}]})",
         R"(,"kernel":0,"functions":[{"name":"g","text":"y"}],"arguments":["i64"]})",
         R"(,"calls":[{"function":0}],"kernel":0,"functions":[{"name":"g","text":"y"}]})",
         R"(,"kernel":0,"functions":[{"name":"g","text":"y"}],"calls":[1]})", "}", ",}", "", ",",
         R"(,"kernel":0})", R"(,"kernel":0}})", R"(,"kernel":0} )", R"(, "kernel" : 0 } x)",
         R"(,"\u0061rguments":[1]})", ",\"text\":\"\xff\"}"})
      texts.push_back(("{\"arguments\":" + arguments + rest).str());
  std::mt19937 random(5);
  for (size_t i = 0, count = texts.size(); i < 4000; ++i) {
    std::string text = texts[random() % count];
    text[random() % text.size()] = "{}[]\":, 0a\\"[random() % 11];
    texts.push_back(text);
  }
  KnownSources known;
  for (int round = 0; round < 2; ++round) // the second one knows the sources
    for (const std::string &text : texts)
      EXPECT_EQ(described(computePackKeys(text, {}, "cpu")),
                described(computePackKeys(text, {}, "cpu", &known)))
          << text;
}

TEST(Pack, KnownSourcesAreBounded) {
  KnownSources known;
  std::string large(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) {
    known.add(large + std::to_string(i), {.kernelName = std::to_string(i)});
    std::optional<KnownSources::Source> found = known.find(large + std::to_string(i));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernelName, std::to_string(i));
  }
  EXPECT_FALSE(known.find(large + "0"));
}

TEST(Pack, SignaturesAsArguments) {
  for (llvm::StringRef signature :
       {"*fp32:16,i32,64", "*fp16,'relu',None,True,False", "i64,1.5,-3,0.0001"}) {
    std::string program;
    llvm::raw_string_ostream os(program);
    os << llvm::json::Value(
        llvm::json::Object{{"arguments", llvm::cantFail(argumentsOfSignature(signature))}});
    EXPECT_EQ(llvm::cantFail(computePackKeys(program, {}, "cpu")).signature, signature.str());
  }
}

TEST(Pack, ReasonsOfMisses) {
  PackWriter writer;
  PackHash source = {1};
  writer.add(
      {.key = keyOf(1), .source = source, .name = "k", .signature = "*fp32", .target = "cpu"},
      artifactsOf(1));
  std::string bytes = writer.finish();
  PackView view;
  ASSERT_EQ(PackView::open(bytes, view), nullptr);
  auto reason = [&](PackKeys keys, llvm::StringRef target = "cpu") {
    return explainMiss(view, keys, target);
  };
  EXPECT_EQ(reason({.kernelName = "other"}), "it has no kernel of this name");
  EXPECT_NE(reason({.kernelName = "k"}).find("another source"), std::string::npos);
  PackKeys same{.source = source, .kernelName = "k", .signature = "*fp16"};
  EXPECT_EQ(reason(same, "other"), "it has the kernel for other targets: cpu");
  EXPECT_EQ(reason(same), "it has the kernel for other signatures: *fp32");
  unsigned number = 1;
  for (const char *signature : {"*fp16,i32,64", "*fp16,i32,128", "*fp32,i32,128"}) {
    ++number;
    writer.add({.key = keyOf(number),
                .source = source,
                .name = "k",
                .signature = signature,
                .target = "cpu"},
               artifactsOf(number));
  }
  std::string more = writer.finish();
  ASSERT_EQ(PackView::open(more, view), nullptr);
  same.signature = "*fp32,i32:16,128";
  EXPECT_EQ(reason(same), "it has the kernel for other signatures: *fp32,i32,128; *fp16,i32,128; "
                          "*fp32; and 1 more"); // the nearest first
  same.options = "num-warps=8";
  EXPECT_EQ(reason(same), "it has the kernel with other options: none");
}

} // namespace
