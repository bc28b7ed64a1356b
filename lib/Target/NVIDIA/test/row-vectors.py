# RUN: tessera compile %s --kernel-name scores --signature '*fp16:16,*fp16:16,*fp32:16,*fp16:16,i32:16' --target cuda:90 --num-warps 4 --num-stages 3 --no-cache --emit ttgir -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name scores --signature '*fp16:16,*fp16:16,*fp32:16,*fp16:16,i32:16' --target cuda:90 --num-warps 4 --num-stages 3 --no-cache --emit ptx -o - | FileCheck %s --check-prefix=PTX

# A vector that a pipelined loop loads for every column of a dot's result is copied once, by threads side by side, and
# read from shared memory in the result's layout; the load itself does not take that layout, in which each thread would
# start eight copies.

# CHECK: scf.for
# CHECK-DAG: ttg.local_load {{.*}} -> tensor<64xf32, #ttg.slice<{dim = 0, parent = {{.*}}#mma
# CHECK-DAG: ttg.async_copy_global_to_local {{.*}} : tensor<64x!tt.ptr<f32>, #blocked

# PTX-COUNT-3: cp.async.ca.shared.global {{.*}}, 4
# PTX-NOT: cp.async.ca.shared.global
import triton
import triton.language as tl


@triton.jit
def scores(q_ptr, k_ptr, bias_ptr, v_ptr, count):
    m, n = tl.arange(0, 64), tl.arange(0, 64)
    q = tl.load(q_ptr + m[:, None] * 64 + n[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, count, 64):
        k = tl.load(k_ptr + (i + n)[:, None] * 64 + m[None, :])
        bias = tl.load(bias_ptr + i + n)
        s = tl.exp2(tl.dot(q, tl.trans(k)) - bias[None, :]).to(tl.float16)
        acc = tl.dot(s, k, acc)
    tl.store(v_ptr + m[:, None] * 64 + n[None, :], acc.to(tl.float16))
