//===- NpyFileTest.cpp - NumPy's array files ------------------------------===//
#include "tessera/Launch/NpyFile.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/ThreadPool.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace tessera;

namespace {

struct NpyFileTest : testing::Test {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  std::string path = folder.file("x.npy");
  ThreadPool pool{1};

  /// A version-1 file with this header and data.
  void write(std::string header, llvm::StringRef data, char version = 1) {
    header += '\n';
    std::string bytes = std::string("\x93NUMPY") + version + '\0';
    bytes += char(header.size() & 0xff);
    bytes += char(header.size() >> 8);
    if (version > 1)
      bytes.append(2, '\0');
    llvm::cantFail(writeFile(path, bytes + header + data.str()));
  }
  std::string error(DType type) {
    std::string text = llvm::toString(readNpy(path, type).takeError());
    llvm::StringRef rest = text;
    EXPECT_TRUE(rest.consume_front("cannot read '" + path + "': ")) << text;
    return rest.str();
  }
};

TEST_F(NpyFileTest, RoundTripOfEveryTypeAndRank) {
  llvm::SmallVector<uint64_t> shapes[] = {{}, {1}, {77}, {0}, {3, 5}, {2, 1, 4, 3}, {5, 0}};
  for (DType::Kind kind : DType::all())
    for (llvm::ArrayRef<uint64_t> shape : shapes) {
      HostArray array = llvm::cantFail(HostArray::create(kind, shape));
      if (array.type.isFloat())
        fillNormal(array, {1, 2}, pool);
      else
        fillIntegers(array, 0, 2, {1, 2}, pool);
      ASSERT_EQ("", llvm::toString(writeNpy(path, array)));
      HostArray again = llvm::cantFail(readNpy(path, array.type));
      EXPECT_EQ(llvm::ArrayRef<uint64_t>(array.shape), llvm::ArrayRef<uint64_t>(again.shape));
      EXPECT_TRUE(array.bytes() == 0 || !std::memcmp(array.at(0), again.at(0), array.bytes()));
    }
}

TEST_F(NpyFileTest, WritesWhatNumPyWrites) {
  HostArray array = llvm::cantFail(HostArray::create(DType::FP32, {3}));
  llvm::cantFail(writeNpy(path, array));
  std::string bytes = llvm::cantFail(readFile(path));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  header += std::string(117 - header.size(), ' ') + "\n";
  EXPECT_EQ(std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string(12, '\0'), bytes);
}

TEST_F(NpyFileTest, ReadsAnySpacingOrderAndVersion) {
  for (char version : {1, 2, 3}) {
    write("{ \"shape\":( 2 ,),'fortran_order':False , 'descr':'<i4'}", std::string(8, '\1'),
          version);
    HostArray array = llvm::cantFail(readNpy(path, DType::Int32));
    EXPECT_EQ(2u, array.count());
    EXPECT_EQ(0x01010101, decodeInt(array.type, array.at(1)));
  }
}

TEST_F(NpyFileTest, BitsOfTypesThatNumPyLacks) {
  for (const char *code : {"<u2", "|V2", "<V2"}) {
    write(std::string("{'descr': '") + code + "', 'fortran_order': False, 'shape': (2,)}",
          llvm::StringRef("\x80\x3f\x00\x40", 4));
    HostArray array = llvm::cantFail(readNpy(path, DType::BF16));
    EXPECT_EQ(1.0, decodeFloat(array.type, array.at(0)));
    EXPECT_EQ(2.0, decodeFloat(array.type, array.at(1)));
  }
}

TEST_F(NpyFileTest, FortranOrder) {
  write("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", std::string(16, '\0'));
  EXPECT_EQ("it is in Fortran order; save np.ascontiguousarray(x)", error(DType::FP32));
  write("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 4)}", std::string(16, '\0'));
  EXPECT_EQ(4u, llvm::cantFail(readNpy(path, DType::FP32)).count());
}

TEST_F(NpyFileTest, WrongTypes) {
  write("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", std::string(16, '\0'));
  EXPECT_EQ("it holds '<f8', and fp32 needs '<f4'; save x.astype(np.float32)", error(DType::FP32));
  EXPECT_EQ("it holds '<f8', and bf16 needs '<u2'; save the bits of bf16 as np.uint16",
            error(DType::BF16));
  write("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", std::string(8, '\0'));
  EXPECT_EQ("it is big-endian ('>f4'); save x.astype(np.float32)", error(DType::FP32));
}

TEST_F(NpyFileTest, Damage) {
  EXPECT_EQ("there is no such file", error(DType::FP32));
  llvm::cantFail(writeFile(path, ""));
  EXPECT_EQ("it is not a .npy file", error(DType::FP32));
  llvm::cantFail(writeFile(path, "PK\3\4 an npz file"));
  EXPECT_EQ("it is not a .npy file", error(DType::FP32));
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "", 9);
  EXPECT_EQ("it is of .npy format version 9, and versions 1 to 3 are known", error(DType::FP32));
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (20,)}", "1234");
  EXPECT_EQ("it is cut short: 80 bytes of data are announced and 4 bytes are there",
            error(DType::FP32));
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}", "1234");
  EXPECT_TRUE(llvm::StringRef(error(DType::FP32)).starts_with("it is cut short"));
  for (const char *header : {"", "{", "{}", "[]", "{'descr': '<f4'}",
                             "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
                             "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'extra': 1}",
                             "{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}"}) {
    write(header, std::string(8, '\0'));
    EXPECT_TRUE(
        llvm::StringRef(error(DType::FP32)).starts_with("its header is not one that NumPy writes"))
        << header;
  }
  write("{'descr': '', 'fortran_order': False, 'shape': (2,)}", std::string(8, '\0'));
  EXPECT_EQ("it holds '', and fp32 needs '<f4'; save x.astype(np.float32)", error(DType::FP32));
  path = folder.path();
  EXPECT_EQ("it is a directory", error(DType::FP32));
}

} // namespace
