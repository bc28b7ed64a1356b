# Two warp groups that execute a loop with work between its products take turns with them (nvidia-alternate-dots). A loop in which
# threads exchange data has barriers of both groups, so it has no turns; a product of matrices has no work in between.
# RUN: tessera compile %s -n attend -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,False' --warp-specialize on --num-warps 8 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ACTS
# RUN: tessera compile %s -n attend -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,False' --warp-specialize on --num-warps 8 --no-cache --emit ptx -o - | FileCheck %s --check-prefix=PTX
# RUN: tessera compile %s -n attend -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,False' --warp-specialize on --num-warps 4 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=NONE
# RUN: tessera compile %s -n attend -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,False' --warp-specialize off --num-warps 8 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=NONE
# RUN: tessera compile %s -n attend -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,True' --warp-specialize on --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=SAYS
# RUN: tessera compile %s -n release_late -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,64' --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=FITS
# RUN: tessera compile %s -n release_late -s '*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,128' --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=LATE
# RUN: tessera compile %s -n branch -s '*fp16:16,*fp16:16,*fp32:16,i32:16' --warp-specialize on --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=SAYS
# RUN: tessera compile %s -n await_copy -s '*fp16:16,*fp16:16,*fp32:16,i32:16' --warp-specialize on --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=SAYS
import triton
import triton.language as tl


# ACTS: ttg.warp_specialize
# ACTS: ttg.local_barrier
# ACTS-NEXT: ttng.pass_turn by 1
# ACTS-NEXT: ttng.await_turn
# ACTS-NEXT: scf.for
# ACTS: ttng.warp_group_dot
# ACTS-NEXT: ttng.pass_turn
# ACTS: ttng.warp_group_dot_wait
# ACTS: tt.reduce
# ACTS: ttng.await_turn
# ACTS-NEXT: ttng.warp_group_dot
# ACTS: scf.yield
# ACTS: ttng.pass_turn by 0
# ACTS: partition0
# ACTS-NOT: _turn
# Barriers 2 and 3 are those of the groups, for the threads of both.
# PTX: .reqntid 384
# PTX: bar.sync 1, 256;
# PTX: @%p{{[0-9]+}} bar.arrive %r{{[0-9]+}}, 256;
# PTX: bar.sync %r{{[0-9]+}}, 256;
# NONE-NOT: _turn
# SAYS: nvidia-alternate-dots: the warp groups do not take turns with products: their threads exchange data in each iteration
@triton.jit
def attend(q, k, v, out, N, BIASED: tl.constexpr):
    rows, columns, d = tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 64)
    left = tl.load(q + rows[:, None] * 64 + d[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    highest = tl.full((128,), -float("inf"), tl.float32)
    for start in range(0, N, 64):
        place = start + columns
        score = tl.dot(left, tl.load(k + place[None, :] * 64 + d[:, None]))
        if BIASED:
            # Rows that are 2 apart in memory: no tensor map, so all threads copy.
            score += tl.load(q + rows[:, None] * 2 * N + place[None, :]).to(tl.float32)
        above = tl.maximum(highest, tl.max(score, 1))
        weight = tl.exp(score - above[:, None])
        acc *= tl.exp(highest - above)[:, None]
        acc = tl.dot(weight.to(tl.float16), tl.load(v + place[:, None] * 64 + d[None, :]), acc)
        highest = above
    tl.store(out + rows[:, None] * 64 + d[None, :], acc)


# If shared memory has no room for a spare slot, each group releases its slots behind the second dot, within its own turn.
# The other one would wait for them in its own turn.
# FITS: nvidia-alternate-dots: the warp groups take turns
# LATE: nvidia-alternate-dots: the warp groups do not take turns with products: one would wait, in its turn, for slots that the other one has still to release
@triton.jit
def release_late(q, k, v, out, N, BN: tl.constexpr):
    rows, columns, d, e = tl.arange(0, 128), tl.arange(0, BN), tl.arange(0, 128), tl.arange(0, 256)
    left = tl.load(q + rows[:, None] * 128 + d[None, :])
    acc = tl.zeros((128, 256), tl.float32)
    for start in range(0, N, BN):
        place = start + columns
        score = tl.dot(left, tl.load(k + place[None, :] * 128 + d[:, None]))
        acc = tl.dot(tl.exp(score).to(tl.float16), tl.load(v + place[:, None] * 256 + e[None, :]), acc)
    tl.store(out + rows[:, None] * 256 + e[None, :], acc)


# All threads write the buffer of an operand that a branch chooses.
@triton.jit
def branch(q, k, out, N):
    rows, d = tl.arange(0, 128), tl.arange(0, 64)
    left = tl.load(q + rows[:, None] * 64 + d[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    for start in range(0, N, 64):
        x = tl.zeros((64, 64), tl.float16)
        if start % 128 == 0:
            x = tl.load(k + (start + d)[None, :] * 64 + d[:, None])
        score = tl.dot(left, x)
        acc = tl.dot(tl.exp(score).to(tl.float16), tl.load(k + (start + d)[:, None] * 64 + d[None, :]), acc)
    tl.store(out + rows[:, None] * 64 + d[None, :], acc)


# A barrier of the program.
@triton.jit
def await_copy(q, k, out, N):
    rows, d = tl.arange(0, 128), tl.arange(0, 64)
    left = tl.load(q + rows[:, None] * 64 + d[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    for start in range(0, N, 64):
        score = tl.dot(left, tl.load(k + (start + d)[None, :] * 64 + d[:, None]))
        tl.store(out + rows, tl.max(score, 1))
        score += tl.load(out + d)[None, :]
        acc = tl.dot(tl.exp(score).to(tl.float16), tl.load(k + (start + d)[:, None] * 64 + d[None, :]), acc)
    tl.store(out + rows[:, None] * 64 + d[None, :], acc)
