# Trap 14 of the language: Literals are range-checked in arithmetic, not in comparisons
# RUN: not tessera compile %s -n k -s "*u8" --emit ttir -o - 2>&1 | FileCheck %s
# RUN: not tessera compile %s -n negative -s "*u8" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix NEGATIVE
# RUN: tessera compile %s -n wraps -s "*u32" --emit ttir -o - | FileCheck %s --check-prefix WRAPS
import triton
import triton.language as tl


@triton.jit
def k(p):
    u = tl.full((8,), 3, tl.uint8)
    tl.store(p + tl.arange(0, 8), u < 300)   # fine: compared as int32
    tl.store(p + tl.arange(0, 8), u + 300)   # ValueError


@triton.jit
def negative(p):
    tl.store(p, tl.load(p) + (-1))


@triton.jit
def wraps(p):
    tl.store(p, tl.load(p) < -1)  # compared with 0xFFFFFFFF


# CHECK-NOT: :{{[0-9]+}}: error
# CHECK: :35: error: the int 300 does not fit in u8
# NEGATIVE: error: {{.*}}-1{{.*}}u8
# WRAPS: arith.cmpi ult, %{{.+}}, %c-1_i32 : i32
