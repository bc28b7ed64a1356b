# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,i32:16,i32:16,i32:16,128,128,64" --num-warps 8 --num-stages 2 --target hip:gfx1100 --no-cache --emit llir -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,i32:16,i32:16,i32:16,128,128,64" --num-warps 8 --num-stages 2 --target hip:gfx1100 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=CODE
# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,i32:16,i32:16,i32:16,64,64,64" --num-warps 4 --num-stages 2 --target hip:gfx1100 --no-cache --emit llir -o - | FileCheck %s --check-prefix=SMALL
# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,i32:16,i32:16,i32:16,128,128,64" --num-warps 8 --num-stages 2 --waves-per-eu 4 --target hip:gfx1100 --no-cache --emit llir -o - | FileCheck %s --check-prefix=ASKED
# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,i32:16,i32:16,i32:16,128,128,64" --num-warps 8 --num-stages 2 --target hip:gfx942 --no-cache --emit llir -o - | FileCheck %s --check-prefix=CDNA

# What offsets start at is one value to LLVM, which would else add the sign of the remainder in each iteration.
# CHECK: freeze i32
# CDNA: freeze i32
# The loop holds most of a wave's registers. It computes the addresses at which it stores B from one that it carries.
# CHECK: %[[BASE:.*]] = phi i32 [ {{.*}} ], [ %[[NEXT:.*]], %{{.*}} ]
# CHECK: %[[AT:.*]] = xor i32 %[[BASE]], 16
# CHECK: %[[STEP:.*]] = getelementptr {{.*}} i32 %[[AT]]
# CHECK: %[[PLACE:.*]] = getelementptr {{.*}} %[[STEP]], i32 128
# CHECK-NEXT: store <2 x i32> {{.*}} %[[PLACE]]
# CHECK: llvm.amdgcn.wmma
# CHECK: %[[NEXT]] = call i32 asm "", "=v,0"(i32 %[[BASE]])

# Shared memory lets 8 waves run, each with at most 192 registers. The kernel keeps to the fewest registers with which not 9 run.
# CHECK: attributes {{.*}}"tessera-register-goal"="169"
# CODE: .private_segment_fixed_size: 0{{$}}
# CODE: .vgpr_count: 16{{[0-9]$}}

# In a smaller tile, registers are not short; the goal is set as well.
# SMALL-NOT: asm "", "=v,0"
# SMALL: llvm.amdgcn.wmma
# SMALL: "tessera-register-goal"

# The goal leaves alone what a program asks for, and chips without WMMA.
# ASKED-NOT: "tessera-register-goal"
# CDNA-NOT: "tessera-register-goal"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, rows, columns, inner, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    k = tl.arange(0, K)
    left = a + (m % rows)[:, None] * inner + k[None, :]
    right = b + k[:, None] * columns + (n % columns)[None, :]
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, inner, K):
        total = tl.dot(tl.load(left, mask=k[None, :] < inner - i, other=0.0), tl.load(right, mask=k[:, None] < inner - i, other=0.0), total)
        left += K
        right += K * columns
    tl.store(c + m[:, None] * columns + n[None, :], total)
