# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,fp32,i32" --target hip:gfx942 --num-warps 4 --no-cache --emit amdgcn -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name plain -s "*fp32:16,*fp32:16,fp32" --target hip:gfx942 --num-warps 4 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=PLAIN
# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,fp32,i32" --target hip:gfx1100 --num-warps 4 --no-cache --emit llir -o - | FileCheck %s --check-prefix=RDNA

# A lane has 16 sums in consecutive registers: each instruction scales two.
# CHECK-LABEL: product:
# CHECK-COUNT-8: v_pk_mul_f32
# CHECK: v_mfma_f32_32x32x8_f16
# CHECK: s_endpgm

# Without a product of matrices, elements would have to be moved into pairs of registers.
# PLAIN-LABEL: plain:
# PLAIN-NOT: v_pk_
# PLAIN: s_endpgm

# There are no such instructions on chips with WMMA.
# RDNA-LABEL: @product
# RDNA-NOT: fmul {{.*}}<2 x float>
# RDNA: ret void
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, factor, count):
    rows, columns = tl.arange(0, 64), tl.arange(0, 64)
    place = rows[:, None] * 64 + columns[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(count):
        a, b = tl.load(a_ptr + i * 4096 + place), tl.load(b_ptr + i * 4096 + place)
        acc = tl.dot(a, b, acc * factor)
    tl.store(c_ptr + place, acc)


@triton.jit
def plain(x_ptr, y_ptr, factor):
    place = tl.arange(0, 4096)
    tl.store(y_ptr + place, tl.load(x_ptr + place) * factor)
