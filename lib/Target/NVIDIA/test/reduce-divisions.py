# Divisions by what does not change in a loop are products with its reciprocal, which is computed in
# front of it; others stay as they are.
# RUN: tessera compile %s --kernel-name places --signature "*fp32:16,*fp32:16,i32,i32,512" --target cuda:80 --emit llir -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name places --signature "*fp32:16,*fp32:16,i32,i32,512" --target cuda:80 --emit ptx -o - | FileCheck %s --check-prefix=PTX
# RUN: tessera compile %s --kernel-name few --signature "*fp32:16,*fp32:16,i32,i32,128" --target cuda:80 --emit llir -o - | FileCheck %s --check-prefix=FEW
# RUN: tessera compile %s --kernel-name once --signature "*fp32:16,*fp32:16,i32,512" --target cuda:80 --emit llir -o - | FileCheck %s --check-prefix=ONCE
# RUN: tessera compile %s --kernel-name places --signature "*fp32:16,*fp32:16,i64,i32,512" --target cuda:80 --emit llir -o - | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %s --kernel-name places --signature "*fp32:16,*fp32:16,i32,i32,512" --target cpu --mcpu x86-64-v3 --emit llir -o - | FileCheck %s --check-prefix=CPU
# RUN: tessera compile %s --kernel-name places --signature "*fp32:16,*fp32:16,i32,i32,512" --target cuda:80 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: tessera compile %s --kernel-name few --signature "*fp32:16,*fp32:16,i32,i32,128" --target cuda:80 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=DECLINED
# REMARK: llir-reduce-divisions: 8 divisions of a loop become multiplications (they have the same loop-invariant divisor)
# DECLINED: llir-reduce-divisions: the loop divides by this divisor: a reciprocal pays for 4 divisions, and there are 1
import triton
import triton.language as tl


# The reciprocal, once; of one where the divisor is zero. No division of 64 bits, which is a function.
# CHECK-LABEL: @places(
# CHECK: %[[A:[0-9]+]] = call i32 @llvm.abs.i32(i32 %[[D:[0-9]+]], i1 false)
# CHECK: %[[ONE:[0-9]+]] = call i32 @llvm.umax.i32(i32 %[[A]], i32 1)
# CHECK: %[[F:[0-9]+]] = uitofp i32 %[[ONE]] to float
# CHECK: fdiv afn float 1.000000e+00, %[[F]]
# CHECK-NOT: {{udiv|sdiv|srem|fdiv}}
# CHECK: phi i32
# CHECK: mul {{.*}}i64
# CHECK-NOT: {{udiv|sdiv|srem}}
# CHECK: ret void

# PTX: rcp.approx.f32
# PTX-NOT: div.u64
# PTX: mul.hi.s32
# PTX-NOT: {{div|rem}}.s32

# Those of 64 bits stay.
# WIDE-LABEL: @places(
# WIDE-NOT: udiv
# WIDE: sdiv i64

# CPU: @places(
# CPU-NOT: ctlz
# CPU: fdiv
@triton.jit
def places(x, out, width, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        k = i * BLOCK + tl.arange(0, BLOCK)
        total += tl.load(x + k // width * 100 + k % width)
    tl.store(out + tl.arange(0, BLOCK), total)


# One element and one division a thread: the reciprocal would not pay.
# FEW-LABEL: @few(
# FEW-NOT: udiv
# FEW: sdiv i32
@triton.jit
def few(x, out, width, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        total += tl.load(x + (i * BLOCK + tl.arange(0, BLOCK)) // width)
    tl.store(out + tl.arange(0, BLOCK), total)


# ONCE-LABEL: @once(
# ONCE-NOT: udiv
# ONCE: sdiv i32
@triton.jit
def once(x, out, width, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    tl.store(out + k, tl.load(x + k // width * 100 + k % width))
