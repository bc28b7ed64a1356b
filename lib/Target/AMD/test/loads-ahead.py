# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,i32:16,64,64,64" --target hip:gfx942 --num-stages 2 --no-cache --emit ttgir -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,i32:16,64,64,64" --target hip:gfx942 --num-stages 1 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ALONE
# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,i32:16,64,64,64" --target hip:gfx942 --num-stages 2 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=CODE

# The operands of the first iteration are loaded before the loop, and those of the next one in it. They
# go through shared memory in the iteration that multiplies them.
# CHECK-COUNT-2: tt.load
# CHECK: scf.for
# CHECK: ttg.local_alloc
# CHECK: ttg.local_alloc
# CHECK: ttg.local_load
# CHECK: tt.dot
# CHECK: scf.yield
# ALONE-NOT: tt.load
# ALONE: scf.for
# ALONE-COUNT-2: tt.load

# Sums stay in vector registers; operands are read 16 bytes at a time.
# CODE-NOT: accvgpr
# CODE-NOT: ds_read_u16
# CODE: ds_read_b128
# CODE: v_mfma_f32_32x32x8_f16
# CODE-NOT: accvgpr
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, inner, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, inner, K):
        x = tl.load(a + m * inner + i + k[None, :])
        y = tl.load(b + n * inner + i + k[:, None])
        total = tl.dot(x, y, total)
    tl.store(c + m * N + n, total)
