# What changes in a loop is added to the part of an index that a tile's elements share: the base
# takes a register throughout the loop, not each element.
# RUN: tessera compile %s --kernel-name line --signature "*fp32:16,*fp32:16,i32,i32,i32,512" --target cuda:80 --emit llir -o - | FileCheck %s --check-prefix=LINE
# RUN: tessera compile %s --kernel-name line --signature "*fp32:16,*fp32:16,i32,i32,i32,512" --target cuda:80 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
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
