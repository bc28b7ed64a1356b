# RUN: tessera compile %s --kernel-name product -s "*i8:16,*i8:16,*i32:16,i32:16,128,128,128" --target hip:gfx942 --num-warps 8 --num-stages 2 --no-cache --emit amdgcn -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name product -s "*i8:16,*i8:16,*i32:16,i32:16,128,128,128" --target hip:gfx1100 --num-warps 8 --num-stages 2 --no-cache --emit llir -o - | FileCheck %s --check-prefix=IR

# A lane loads four rows of eight bytes of B and writes eight columns of four. Two instructions interleave
# two pairs of rows, for two columns; a third one makes each column: two for each word.
# CHECK-LABEL: product:
# CHECK-NOT: v_lshlrev_b16
# CHECK-COUNT-16: v_perm_b32
# CHECK: v_mfma_i32_32x32x16_i8
# CHECK-NOT: v_perm_b32
# CHECK: s_endpgm

# IR-LABEL: @product
# IR: [[LOW:%.*]] = call i32 @llvm.amdgcn.perm(i32 [[B:%.*]], i32 [[A:%.*]], i32 83952640)
# IR: [[HIGH:%.*]] = call i32 @llvm.amdgcn.perm(i32 [[D:%.*]], i32 [[C:%.*]], i32 83952640)
# IR: call i32 @llvm.amdgcn.perm(i32 [[HIGH]], i32 [[LOW]], i32 84148480)
# IR: call i32 @llvm.amdgcn.perm(i32 [[HIGH]], i32 [[LOW]], i32 117834498)
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, inner, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    total = tl.zeros((M, N), tl.int32)
    for i in range(0, inner, K):
        x = tl.load(a + m * inner + i + k[None, :])
        y = tl.load(b + (i + k[:, None]) * N + n)
        total += tl.dot(x, y)
    tl.store(c + m * N + n, total)
