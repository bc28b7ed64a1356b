# Trap 12 of the language: Reduction dtypes are irregular
# RUN: tessera compile %s -n k -s "*fp16" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n unsigned_count -s "*fp16,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix COUNT
import triton
import triton.language as tl


@triton.jit
def k(p):
    h = tl.load(p + tl.arange(0, 8))
    tl.static_assert(tl.sum(h).dtype == tl.float16)
    tl.static_assert(tl.max(h).dtype == tl.float32)
    tl.static_assert(tl.sum(h > 0).dtype == tl.uint32)


@triton.jit
def unsigned_count(p, n):
    count = tl.sum(tl.load(p + tl.arange(0, 8)) > 0)
    tl.store(p, count // n)


# CHECK: tt.return
# COUNT: error: {{.*}}u32{{.*}}i32
