# What tl.range asks for arrives where it is decided.

# A loop's own number of stages counts, not the kernel's: 4 stages have 4 tiles (3, and one more for narrow dots, which wait
# for memory), and 1 stage has none.
# RUN: tessera compile %s --kernel-name stages --signature '*fp16:16,*fp32:16,i32,4' --target cuda:80 --num-stages 2 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=FOUR
# RUN: tessera compile %s --kernel-name stages --signature '*fp16:16,*fp32:16,i32,1' --target cuda:80 --num-stages 3 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ONE
# RUN: tessera compile %s --kernel-name stages --signature '*fp16:16,*fp32:16,i32,None' --target cuda:80 --num-stages 3 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=KERNEL
# FOUR: ttg.local_alloc : () -> !ttg.memdesc<4x32x32xf16
# ONE-NOT: async_copy
# KERNEL: ttg.local_alloc : () -> !ttg.memdesc<3x32x32xf16

# Nothing moves out of a loop that says disable_licm, neither here nor in LLVM.
# RUN: tessera compile %s --kernel-name invariant --signature '*fp32:16,*fp32:16,i32,fp32,1' --target cuda:80 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=STAYS
# RUN: tessera compile %s --kernel-name invariant --signature '*fp32:16,*fp32:16,i32,fp32,1' --target cuda:80 --no-cache --emit llir -o - | FileCheck %s --check-prefix=LLVM
# RUN: tessera compile %s --kernel-name invariant --signature '*fp32:16,*fp32:16,i32,fp32,1' --target cuda:80 --no-cache --emit ptx -o - | FileCheck %s --check-prefix=STAYS-PTX
# RUN: tessera compile %s --kernel-name invariant --signature '*fp32:16,*fp32:16,i32,fp32,0' --target cuda:80 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=MOVES
# RUN: tessera compile %s --kernel-name invariant --signature '*fp32:16,*fp32:16,i32,fp32,0' --target cuda:80 --no-cache --emit llir -o - | FileCheck %s --check-prefix=MOVES-LLVM
# STAYS: scf.for
# STAYS:   math.exp
# STAYS: scf.while
# STAYS:   math.exp
# LLVM: br i1 {{.*}} !llvm.loop
# LLVM: br i1 {{.*}} !llvm.loop
# LLVM-DAG: !"llvm.licm.disable"
# LLVM-DAG: !"llvm.loop.licm_versioning.disable"
# STAYS-PTX: [[LOOP:.L__BB0_[0-9]+]]:
# STAYS-PTX-NOT: {{^.L__BB}}
# STAYS-PTX:   ex2
# STAYS-PTX-NOT: {{^.L__BB}}
# STAYS-PTX:   bra {{.*}}[[LOOP]]
# MOVES: math.exp
# MOVES: scf.for
# MOVES-NOT: math.exp
# MOVES: }
# MOVES: math.exp
# MOVES: scf.while
# MOVES-NOT: math.exp
# MOVES-LLVM-NOT: llvm.loop

# These are for chips and for passes that there are not: the code is the same with and without them.
# RUN: tessera compile %s --kernel-name others --signature '*fp16:16,*fp32:16,i32,0' --target cuda:90 --no-cache --emit ptx -o - > %t-0.ptx
# RUN: tessera compile %s --kernel-name others --signature '*fp16:16,*fp32:16,i32,1' --target cuda:90 --no-cache --emit ptx -o - > %t-1.ptx
# RUN: diff %t-0.ptx %t-1.ptx
# RUN: tessera compile %s --kernel-name others --signature '*fp16:16,*fp32:16,i32,1' --target cuda:80 --no-cache --emit ptx -o - | FileCheck %s --check-prefix=OTHERS
# OTHERS: mma.sync

# RUN: tessera compile %s --kernel-name unrolled --signature '*fp32:16,i32' --target cuda:80 --no-cache --emit ttir -o - | FileCheck %s --check-prefix=UNROLLED
# UNROLLED: scf.for
# UNROLLED-COUNT-3: tt.store
# UNROLLED: }
# UNROLLED: scf.for
# UNROLLED: tt.store
# UNROLLED: } {tt.num_stages = 1 : i32}
# A static range leaves no loop.
# UNROLLED-NOT: scf.for
# UNROLLED-COUNT-2: tt.store
# UNROLLED: tt.return

import triton
import triton.language as tl


@triton.jit
def stages(x_ptr, out_ptr, n, STAGES: tl.constexpr):
    row = tl.arange(0, 32)
    square = row[:, None] * 32 + row[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in tl.range(n, num_stages=STAGES):
        x = tl.load(x_ptr + k * 1024 + square)
        acc = tl.dot(x, x, acc)
    tl.store(out_ptr + square, acc)


@triton.jit
def invariant(x_ptr, out_ptr, n, m, KEEP: tl.constexpr):
    row = tl.arange(0, 128)
    acc = tl.zeros((128,), tl.float32)
    for i in tl.range(n, disable_licm=KEEP):
        acc += tl.load(x_ptr + i * 128 + row) * tl.exp(m + row)
    tl.store(out_ptr + row, acc)
    i = 0
    while tl.condition(i < n, disable_licm=KEEP):
        acc += tl.load(x_ptr + i * 128 + row) * tl.exp(m * 2 + row)
        i += 1
    tl.store(out_ptr + 128 + row, acc)


@triton.jit
def others(x_ptr, out_ptr, n, YES: tl.constexpr):
    row = tl.arange(0, 32)
    square = row[:, None] * 32 + row[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in tl.range(n, disallow_acc_multi_buffer=YES, flatten=YES, warp_specialize=YES):
        x = tl.load(x_ptr + k * 1024 + square)
        acc = tl.dot(x, x, acc)
    tl.store(out_ptr + square, acc)


@triton.jit
def unrolled(out_ptr, n):
    row = tl.arange(0, 128)
    for i in tl.range(n, loop_unroll_factor=3):
        tl.store(out_ptr + i * 128 + row, row * 1.0)
    for i in tl.static_range(2):
        tl.store(out_ptr + i * 128 + row, row * 2.0)
