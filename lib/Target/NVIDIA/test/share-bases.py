# What changes in a loop is added to the part of an index that a tile's elements share: the base
# takes a register throughout the loop, not each element.
# RUN: tessera compile %s --kernel-name line --signature "*fp32:16,*fp32:16,i32,i32,i32,512" --target cuda:80 --emit llir -o - | FileCheck %s --check-prefix=LINE
# RUN: tessera compile %s --kernel-name line --signature "*fp32:16,*fp32:16,i32,i32,i32,512" --target cuda:80 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: tessera compile %s --kernel-name blocks --signature "*fp32:16,*fp32:16,i32,i32,2048" --target cuda:90 --emit llir -o - | FileCheck %s --check-prefix=BLOCKS
# RUN: tessera compile %s --kernel-name blocks --signature "*fp32:16,*fp32:16,i32,i32,2048" --target cuda:90 --emit ptx -o - | FileCheck %s --check-prefix=OFFSETS
# REMARK: share-bases.py:{{[0-9]+}}: llir-share-bases: 3 sums of the loop share one base (they differ by constants only)
import triton
import triton.language as tl


# LINE: phi i32
# LINE-NEXT: %[[STEP:[0-9]+]] = mul i32
# LINE-NEXT: %[[BASE:[0-9]+]] = add i32 %[[STEP]], %
# LINE-NEXT: add i32 %[[BASE]], 1,
# LINE-NEXT: add i32 %[[BASE]], 2,
# LINE-NEXT: add i32 %[[BASE]], 3,
@triton.jit
def line(x, out, n, m, step, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        total += tl.load(x + (i * step + lanes) * m)
    tl.store(out + lanes, total)


# A multiple of the block has no bits in common with the offsets in it. The sums say so, which makes
# the constants offsets of addresses: one product for four accesses.
# BLOCKS: %[[BASE:[0-9]+]] = or disjoint i32 %{{[0-9]+}}, %
# BLOCKS: or disjoint i32 %[[BASE]], 512,
# BLOCKS: or disjoint i32 %[[BASE]], 1024,
# BLOCKS: or disjoint i32 %[[BASE]], 1536,
# OFFSETS: mul.wide.s32 %[[FROM:rd[0-9]+]], %r{{[0-9]+}}, 4;
# OFFSETS: add.s64 %[[AT:rd[0-9]+]], %{{rd[0-9]+}}, %[[FROM]];
# OFFSETS: add.s64 %{{rd[0-9]+}}, %[[AT]], 2048;
# OFFSETS: add.s64 %{{rd[0-9]+}}, %[[AT]], 4096;
# OFFSETS: add.s64 %{{rd[0-9]+}}, %[[AT]], 6144;
# OFFSETS-NOT: mul.wide
# OFFSETS: bra
@triton.jit
def blocks(x, out, n, by, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for i in range(0, n, BLOCK):
        at = i + lanes
        tl.store(x + at, tl.load(x + at, at < n) * by, at < n)
