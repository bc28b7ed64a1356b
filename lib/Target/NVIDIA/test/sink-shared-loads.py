# Operands of a product are read from shared memory slice by slice, each in front of the
# products that need it, and not all before the first product.
# RUN: tessera compile %s --kernel-name product --signature "*fp16:16,*fp16:16,*fp32:16" --target cuda:80 --num-warps 4 --emit ptx -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name product --signature "*fp16:16,*fp16:16,*fp32:16" --target cuda:80 --num-warps 4 --emit ptx --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
# REMARK: llir-sink-shared-loads: 24 loads from shared memory move to their first use (together they fill at least 48 registers)
import triton
import triton.language as tl


# Reads stay behind the barrier that orders them after the writes.
# CHECK-NOT: ldmatrix
# CHECK: bar.sync
# CHECK: ldmatrix
# CHECK: mma.sync
# CHECK: ldmatrix
# CHECK: mma.sync
# CHECK: ldmatrix
# CHECK: mma.sync
# CHECK: ldmatrix
# CHECK: mma.sync

@triton.jit
def product(a, b, c):
    i = tl.arange(0, 64)
    k = tl.arange(0, 64)
    x = tl.load(a + i[:, None] * 64 + k[None, :])
    y = tl.load(b + k[:, None] * 64 + i[None, :])
    tl.store(c + i[:, None] * 64 + i[None, :], tl.dot(x, y))
