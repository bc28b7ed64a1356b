# RUN: tessera compile %s --signature '*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,0' --target cuda:90 --no-cache --emit ttgir -o - | FileCheck %s
# RUN: tessera compile %s --signature '*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,1' --target cuda:90 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=LOADED

# The first product's A is the same in each iteration, though the program computes it there. It lies in shared memory: from
# registers that it had in all iterations, ptxas 12.8 and 13.0 made those of the second product's A, so that the second
# iteration read what the first one had left (seen on an H200).

# CHECK: ttg.local_alloc %{{.*}} : (tensor<128x64xf16
# CHECK: scf.for
# CHECK: ttng.warp_group_dot {{.*}} : !ttg.memdesc<128x64xf16
# CHECK: ttng.warp_group_dot {{.*}} : tensor<128x64xf16

# LOADED: scf.for
# LOADED: ttng.warp_group_dot {{.*}} : !ttg.memdesc<128x64xf16
# LOADED: ttng.warp_group_dot {{.*}} : tensor<128x64xf16

import triton
import triton.language as tl


@triton.jit
def chain(q_ptr, k_ptr, v_ptr, o_ptr, scale, T, LOADS: tl.constexpr):
    m, n, d = tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 64)
    q = tl.load(q_ptr + m[:, None] * 64 + d[None, :]) * scale
    acc = tl.zeros((128, 64), tl.float32)
    for start in range(0, T, 64):
        if LOADS:
            q = tl.load(q_ptr + m[:, None] * 64 + d[None, :]) * scale
        k = tl.load(k_ptr + (start + n)[None, :] * 64 + d[:, None])
        v = tl.load(v_ptr + (start + n)[:, None] * 64 + d[None, :])
        s = tl.dot(q.to(tl.float16), k)
        acc += tl.dot(tl.where(m[:, None] >= (start + n)[None, :], s, 0.0).to(tl.float16), v)
    tl.store(o_ptr + m[:, None] * 64 + d[None, :], acc.to(tl.float16))
