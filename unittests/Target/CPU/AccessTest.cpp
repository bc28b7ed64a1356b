//===- AccessTest.cpp - tiles of every shape, stride and mask -------------===//
#include "CompileAndLoad.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace tessera;
using namespace tessera::cpu;
using llvm::StringRef;

// A tile of MxN at program (x, y): out = in + row[i] + col[j], masked by both bounds.
static std::string tileKernel(int m, int n) {
  return fill(R"(
  tt.func public @k(%ip: !tt.ptr<f32>, %rp: !tt.ptr<f32>, %cp: !tt.ptr<f32>, %op: !tt.ptr<f32>,
                    %rows: i32, %cols: i32, %is: i32, %os: i32, %cs: i32) {
    %px = tt.get_program_id x : i32
    %py = tt.get_program_id y : i32
    %cm = arith.constant $M : i32
    %cn = arith.constant $N : i32
    %r0 = arith.muli %py, %cm : i32
    %c0 = arith.muli %px, %cn : i32
    %rr = tt.make_range {end = $M : i32, start = 0 : i32} : tensor<$Mxi32>
    %cr = tt.make_range {end = $N : i32, start = 0 : i32} : tensor<$Nxi32>
    %rs = tt.splat %r0 : i32 -> tensor<$Mxi32>
    %cc = tt.splat %c0 : i32 -> tensor<$Nxi32>
    %row = arith.addi %rs, %rr : tensor<$Mxi32>
    %col = arith.addi %cc, %cr : tensor<$Nxi32>
    %nr = tt.splat %rows : i32 -> tensor<$Mxi32>
    %nc = tt.splat %cols : i32 -> tensor<$Nxi32>
    %rm = arith.cmpi slt, %row, %nr : tensor<$Mxi32>
    %cmask = arith.cmpi sgt, %nc, %col : tensor<$Nxi32>
    %rps = tt.splat %rp : !tt.ptr<f32> -> tensor<$Mx!tt.ptr<f32>>
    %rpa = tt.addptr %rps, %row : tensor<$Mx!tt.ptr<f32>>, tensor<$Mxi32>
    %zr = arith.constant dense<0.0> : tensor<$Mxf32>
    %rv = tt.load %rpa, %rm, %zr : tensor<$Mx!tt.ptr<f32>>
    %cps = tt.splat %cp : !tt.ptr<f32> -> tensor<$Nx!tt.ptr<f32>>
    %cpa = tt.addptr %cps, %col : tensor<$Nx!tt.ptr<f32>>, tensor<$Nxi32>
    %cv = tt.load %cpa, %cmask : tensor<$Nx!tt.ptr<f32>>
    %row2 = tt.expand_dims %row {axis = 1 : i32} : tensor<$Mxi32> -> tensor<$Mx1xi32>
    %col2 = tt.expand_dims %col {axis = 0 : i32} : tensor<$Nxi32> -> tensor<1x$Nxi32>
    %iss = tt.splat %is : i32 -> tensor<$Mx1xi32>
    %oss = tt.splat %os : i32 -> tensor<$Mx1xi32>
    %css = tt.splat %cs : i32 -> tensor<1x$Nxi32>
    %ri = arith.muli %row2, %iss : tensor<$Mx1xi32>
    %ro = arith.muli %row2, %oss : tensor<$Mx1xi32>
    %ci = arith.muli %col2, %css : tensor<1x$Nxi32>
    %rib = tt.broadcast %ri : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
    %rob = tt.broadcast %ro : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
    %cib = tt.broadcast %ci : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
    %cob = tt.broadcast %col2 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
    %ioff = arith.addi %rib, %cib : tensor<$Mx$Nxi32>
    %ooff = arith.addi %rob, %cob : tensor<$Mx$Nxi32>
    %rm2 = tt.expand_dims %rm {axis = 1 : i32} : tensor<$Mxi1> -> tensor<$Mx1xi1>
    %cm2 = tt.expand_dims %cmask {axis = 0 : i32} : tensor<$Nxi1> -> tensor<1x$Nxi1>
    %rmb = tt.broadcast %rm2 : tensor<$Mx1xi1> -> tensor<$Mx$Nxi1>
    %cmb = tt.broadcast %cm2 : tensor<1x$Nxi1> -> tensor<$Mx$Nxi1>
    %mask = arith.andi %rmb, %cmb : tensor<$Mx$Nxi1>
    %ips = tt.splat %ip : !tt.ptr<f32> -> tensor<$Mx$Nx!tt.ptr<f32>>
    %ipa = tt.addptr %ips, %ioff : tensor<$Mx$Nx!tt.ptr<f32>>, tensor<$Mx$Nxi32>
    %in = tt.load %ipa, %mask : tensor<$Mx$Nx!tt.ptr<f32>>
    %rv2 = tt.expand_dims %rv {axis = 1 : i32} : tensor<$Mxf32> -> tensor<$Mx1xf32>
    %cv2 = tt.expand_dims %cv {axis = 0 : i32} : tensor<$Nxf32> -> tensor<1x$Nxf32>
    %rvb = tt.broadcast %rv2 : tensor<$Mx1xf32> -> tensor<$Mx$Nxf32>
    %cvb = tt.broadcast %cv2 : tensor<1x$Nxf32> -> tensor<$Mx$Nxf32>
    %a = arith.addf %in, %rvb : tensor<$Mx$Nxf32>
    %b = arith.addf %a, %cvb : tensor<$Mx$Nxf32>
    %ops = tt.splat %op : !tt.ptr<f32> -> tensor<$Mx$Nx!tt.ptr<f32>>
    %opa = tt.addptr %ops, %ooff : tensor<$Mx$Nx!tt.ptr<f32>>, tensor<$Mx$Nxi32>
    tt.store %opa, %b, %mask : tensor<$Mx$Nx!tt.ptr<f32>>
    tt.return
  })",
              {{"M", std::to_string(m)}, {"N", std::to_string(n)}});
}

static void checkTile(Kernel &kernel, int m, int n, int rows, int cols, int colStride) {
  int inStride = cols * colStride + 3, outStride = cols + 5;
  std::vector<float> in(rows * inStride + 1), row(rows + 1), col(cols + 1);
  std::iota(in.begin(), in.end(), 0.0f);
  std::iota(row.begin(), row.end(), 10000.0f);
  std::iota(col.begin(), col.end(), 50000.0f);
  std::vector<float> out(rows * outStride + 64, -1), expected = out;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      expected[i * outStride + j] = in[i * inStride + j * colStride] + row[i] + col[j];
  uint32_t gx = (cols + n - 1) / n, gy = (rows + m - 1) / m;
  kernel.runChunks({gx, gy, 1}, 2, in.data(), row.data(), col.data(), out.data(), rows, cols,
                   inStride, outStride, colStride);
  ASSERT_EQ(out, expected) << m << "x" << n << " rows " << rows << " cols " << cols << " stride "
                           << colStride;
}

TEST(Access, TilesWithRowAndColumnMasks) {
  for (auto [m, n] : {std::pair{4, 64}, {16, 16}, {1, 128}, {64, 1}, {8, 1024}, {2, 2}}) {
    Kernel kernel = Kernel::compile(tileKernel(m, n));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    for (int rows : {1, 3, 16, 17})
      for (int cols : {1, 15, 64, 130})
        for (int stride : {1, 3})
          checkTile(kernel, m, n, rows, cols, stride);
  }
}

TEST(Access, ProgramsInThreeDimensions) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%p: !tt.ptr<i32>) {
      %x = tt.get_program_id x : i32
      %y = tt.get_program_id y : i32
      %z = tt.get_program_id z : i32
      %nx = tt.get_num_programs x : i32
      %ny = tt.get_num_programs y : i32
      %nz = tt.get_num_programs z : i32
      %a = arith.muli %z, %ny : i32
      %b = arith.addi %a, %y : i32
      %c = arith.muli %b, %nx : i32
      %i = arith.addi %c, %x : i32
      %t = arith.muli %nx, %nz : i32
      %v = arith.addi %i, %t : i32
      %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
      tt.store %q, %v : !tt.ptr<i32>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (std::array<uint32_t, 3> grid :
       {std::array<uint32_t, 3>{7, 1, 1}, {1, 5, 1}, {1, 1, 4}, {3, 4, 5}, {0, 1, 1}, {1, 0, 3}})
    for (uint64_t chunk : {0, 1, 2, 7, 1000}) {
      uint32_t count = grid[0] * grid[1] * grid[2];
      std::vector<int> out(count + 1, -1);
      kernel.runChunks(grid, count ? chunk : 0, out.data());
      for (uint32_t i = 0; i < count; ++i)
        ASSERT_EQ(out[i], int(i + grid[0] * grid[2]));
      ASSERT_EQ(out[count], -1);
    }
}

// out[perm[i]] = in[i * stride] where keep[i]; `other` elsewhere is stored too.
TEST(Access, StridedGatherScatterAndByteMasks) {
  for (const char *type : {"f32", "i8", "i16", "f64"}) {
    Kernel kernel = Kernel::compile(fill(R"(
      tt.func public @k(%ip: !tt.ptr<$T>, %pp: !tt.ptr<i64>, %kp: !tt.ptr<i1>, %op: !tt.ptr<$T>,
                        %stride: i64) {
        %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
        %r64 = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
        %s = tt.splat %stride : i64 -> tensor<64xi64>
        %off = arith.muli %r64, %s : tensor<64xi64>
        %ks = tt.splat %kp : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
        %ka = tt.addptr %ks, %r : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
        %keep = tt.load %ka : tensor<64x!tt.ptr<i1>>
        %is = tt.splat %ip : !tt.ptr<$T> -> tensor<64x!tt.ptr<$T>>
        %ia = tt.addptr %is, %off : tensor<64x!tt.ptr<$T>>, tensor<64xi64>
        %c = arith.constant dense<$SEVEN> : tensor<64x$T>
        %v = tt.load %ia, %keep, %c : tensor<64x!tt.ptr<$T>>
        %ps = tt.splat %pp : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
        %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
        %perm = tt.load %pa : tensor<64x!tt.ptr<i64>>
        %os = tt.splat %op : !tt.ptr<$T> -> tensor<64x!tt.ptr<$T>>
        %oa = tt.addptr %os, %perm : tensor<64x!tt.ptr<$T>>, tensor<64xi64>
        tt.store %oa, %v : tensor<64x!tt.ptr<$T>>
        tt.return
      })",
                                         {{"T", type}, {"SEVEN", type[0] == 'f' ? "7.0" : "7"}}));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    auto check = [&](auto zero) {
      using T = decltype(zero);
      for (int64_t stride : {1, 0, -1, 3}) {
        std::vector<T> in(400), out(64), expected(64);
        for (int i = 0; i < 400; ++i)
          in[i] = T(i % 113);
        std::vector<int64_t> perm(64);
        std::vector<uint8_t> keep(64);
        for (int i = 0; i < 64; ++i) {
          perm[i] = (i * 37 + 5) % 64;
          keep[i] = i % 3 != 1;
          expected[perm[i]] = keep[i] ? in[200 + i * stride] : T(7);
        }
        kernel.run({1, 1, 1}, in.data() + 200, perm.data(), keep.data(), out.data(), stride);
        ASSERT_EQ(out, expected) << type << " stride " << stride;
      }
    };
    if (StringRef(type) == "f32")
      check(float());
    else if (StringRef(type) == "f64")
      check(double());
    else if (StringRef(type) == "i8")
      check(int8_t());
    else
      check(int16_t());
  }
}

// Every comparison, both ways round, against a brute-force mask.
TEST(Access, MasksOfEveryComparison) {
  for (const char *predicate : {"slt", "sle", "sgt", "sge", "ult", "uge", "eq", "ne"})
    for (bool swapped : {false, true})
      for (const char *width : {"i32", "i64"}) {
        std::string compare = std::string("arith.cmpi ") + predicate +
                              (swapped ? ", %bs, %offs" : ", %offs, %bs") + " : tensor<256x" +
                              width + ">";
        std::string extend = std::string(width) == "i64"
                                 ? "%offs = arith.extsi %o32 : tensor<256xi32> to tensor<256xi64>"
                                 : "%offs = arith.addi %o32, %zero : tensor<256xi32>";
        Kernel kernel =
            Kernel::compile(fill(R"(
          tt.func public @k(%op: !tt.ptr<i32>, %start: i32, %bound: $W) {
            %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
            %zero = arith.constant dense<0> : tensor<256xi32>
            %s = tt.splat %start : i32 -> tensor<256xi32>
            %o32 = arith.addi %s, %r : tensor<256xi32>
            $EXTEND
            %bs = tt.splat %bound : $W -> tensor<256x$W>
            %mask = $COMPARE
            %os = tt.splat %op : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
            %oa = tt.addptr %os, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
            tt.store %oa, %o32, %mask : tensor<256x!tt.ptr<i32>>
            tt.return
          })",
                                 {{"COMPARE", compare}, {"EXTEND", extend}, {"W", width}}));
        ASSERT_TRUE(kernel.ok()) << kernel.error();
        for (int start : {0, -100, 50, INT32_MAX - 300, INT32_MIN})
          for (int64_t delta : {-300, -1, 0, 1, 77, 255, 256, 257, 1000}) {
            int64_t wide = start + delta;
            int bound32 = int(wide);
            int64_t bound = std::string(width) == "i64" ? wide : bound32;
            std::vector<int> out(256, 12345), expected = out;
            for (int i = 0; i < 256; ++i) {
              int64_t offset = start + i;
              int64_t a = swapped ? bound : offset, b = swapped ? offset : bound;
              bool is64 = std::string(width) == "i64";
              uint64_t ua = is64 ? a : uint32_t(a), ub = is64 ? b : uint32_t(b);
              StringRef p(predicate);
              bool on = p == "slt"   ? a < b
                        : p == "sle" ? a <= b
                        : p == "sgt" ? a > b
                        : p == "sge" ? a >= b
                        : p == "ult" ? ua < ub
                        : p == "uge" ? ua >= ub
                        : p == "eq"  ? a == b
                                     : a != b;
              if (on)
                expected[i] = int(offset);
            }
            if (std::string(width) == "i64")
              kernel.run({1, 1, 1}, out.data(), start, bound);
            else
              kernel.run({1, 1, 1}, out.data(), start, bound32);
            ASSERT_EQ(out, expected) << predicate << " " << width << " swapped " << swapped
                                     << " start " << start << " bound " << bound;
          }
      }
}

TEST(Access, LoadNeededByLaterGroups) { // and a tile too large for the stack
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<f32>, %op: !tt.ptr<f32>, %flag: !tt.ptr<i32>) {
      %r = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
      %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
      %xa = tt.addptr %xs, %r : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
      %x = tt.load %xa : tensor<65536x!tt.ptr<f32>>
      %one = arith.constant 1 : i32
      tt.store %flag, %one : !tt.ptr<i32>
      %zero = arith.constant dense<0.0> : tensor<65536xf32>
      tt.store %xa, %zero : tensor<65536x!tt.ptr<f32>>
      tt.store %flag, %one : !tt.ptr<i32>
      %os = tt.splat %op : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
      %oa = tt.addptr %os, %r : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
      tt.store %oa, %x : tensor<65536x!tt.ptr<f32>>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x(65536), out(65536), zero(65536);
  std::iota(x.begin(), x.end(), 1.0f);
  std::vector<float> before = x;
  int flag = 0;
  kernel.run({1, 1, 1}, x.data(), out.data(), &flag);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(x, zero);
  EXPECT_EQ(out, before);
}

TEST(Access, TransposedTilesAndSingleElements) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<f32>, %op: !tt.ptr<f32>) {
      %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
      %cols = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
      %w = arith.constant dense<32> : tensor<8x1xi32>
      %rw = arith.muli %r, %w : tensor<8x1xi32>
      %rb = tt.broadcast %rw : tensor<8x1xi32> -> tensor<8x32xi32>
      %c = tt.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<8x32xi32>
      %from = arith.addi %rb, %cb : tensor<8x32xi32>
      %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
      %xa = tt.addptr %xs, %from : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
      %x = tt.load %xa : tensor<8x32x!tt.ptr<f32>>
      %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x32xf32> -> tensor<32x8xf32>
      %one = tt.splat %xp : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
      %first = tt.load %one : tensor<1x!tt.ptr<f32>>
      %scalar = tt.unsplat %first : tensor<1xf32>
      %ss = tt.splat %scalar : f32 -> tensor<32x8xf32>
      %v = arith.addf %t, %ss : tensor<32x8xf32>
      %r2 = tt.expand_dims %cols {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %e = arith.constant dense<8> : tensor<32x1xi32>
      %r3 = arith.muli %r2, %e : tensor<32x1xi32>
      %r4 = tt.broadcast %r3 : tensor<32x1xi32> -> tensor<32x8xi32>
      %c2 = tt.expand_dims %rows {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
      %c3 = tt.broadcast %c2 : tensor<1x8xi32> -> tensor<32x8xi32>
      %to = arith.addi %r4, %c3 : tensor<32x8xi32>
      %os = tt.splat %op : !tt.ptr<f32> -> tensor<32x8x!tt.ptr<f32>>
      %oa = tt.addptr %os, %to : tensor<32x8x!tt.ptr<f32>>, tensor<32x8xi32>
      tt.store %oa, %v : tensor<32x8x!tt.ptr<f32>>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x(256), out(256);
  std::iota(x.begin(), x.end(), 3.0f);
  kernel.run({1, 1, 1}, x.data(), out.data());
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 32; ++j)
      ASSERT_EQ(out[j * 8 + i], x[i * 32 + j] + 3);
}
