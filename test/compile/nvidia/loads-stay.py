# A load happens before what may write to its memory, though its value is used only in a branch after that; and again
# after a lock was taken, a barrier, or where it says so.
# RUN: tessera compile %s -n before_store -s "*fp32,*fp32,i32,i32" --emit ptx -o - | FileCheck %s --check-prefix=STORE
# RUN: tessera compile %s -n before_atomic -s "*fp32,*fp32,*i32,i32" --emit ptx -o - | FileCheck %s --check-prefix=ATOMIC
# RUN: tessera compile %s -n before_assembly -s "*fp32,*fp32,*i32,i32" --emit ptx -o - | FileCheck %s --check-prefix=ASSEMBLY
# RUN: tessera compile %s -n around_lock -s "*fp32,*fp32,*i32" --emit ptx -o - | FileCheck %s --check-prefix=LOCK
# RUN: tessera compile %s -n twice -s "*fp32,*fp32,i32" --emit ptx -o - | FileCheck %s --check-prefix=TWICE
import triton
import triton.language as tl


@triton.jit
def before_store(x, out, n, c):
    i = tl.arange(0, 128)
    value = tl.load(x + i)
    tl.store(x + i, 1.0, mask=i < n)
    if c > 3:
        tl.store(out + i, value)


# STORE-LABEL: .entry before_store(
# STORE: ld.global
# STORE: @%p{{[0-9]+}} st.global
# STORE: bra
# STORE: st.global


@triton.jit
def before_atomic(x, out, ready, c):
    i = tl.arange(0, 128)
    value = tl.load(x + i)
    tl.atomic_add(ready + i, 1, sem="relaxed")
    if c > 3:
        tl.store(out + i, value)


# ATOMIC-LABEL: .entry before_atomic(
# ATOMIC: ld.global
# ATOMIC: red.relaxed
# ATOMIC: bra
# ATOMIC: st.global


@triton.jit
def before_assembly(x, out, ready, c):
    i = tl.arange(0, 128)
    value = tl.load(x + i)
    tl.inline_asm_elementwise("red.global.add.u32 [$1], 1; mov.b32 $0, 0;", "=r,l", [ready + i], dtype=tl.int32, is_pure=False, pack=1)
    if c > 3:
        tl.store(out + i, value)


# ASSEMBLY-LABEL: .entry before_assembly(
# ASSEMBLY: ld.global
# ASSEMBLY: red.global.add.u32
# ASSEMBLY: bra
# ASSEMBLY: st.global


@triton.jit
def around_lock(x, out, lock):
    i = tl.arange(0, 128)
    before = tl.load(x + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(x + i) - before)
    tl.atomic_xchg(lock, 0)


# LOCK-LABEL: .entry around_lock(
# LOCK: ld.global
# LOCK: atom.acq_rel.gpu.global.cas
# LOCK: bra
# LOCK: ld.global
# LOCK: st.global
# LOCK: bar.sync
# LOCK: atom.acq_rel.gpu.global.exch


@triton.jit
def twice(x, out, n):
    i = tl.arange(0, 128)
    sum = tl.load(x + i)
    tl.debug_barrier()
    sum += tl.load(x + i)
    sum += tl.load(x + i, volatile=True)
    sum += tl.load(x + i, volatile=True)
    for _ in range(n):
        sum += tl.load(x + i, cache_modifier=".cv")
    sum += tl.load(x + i, mask=i < n, cache_modifier=".cv")
    sum += tl.load(x + i, mask=i < n, cache_modifier=".cv")
    tl.store(out + i, sum)


# TWICE-LABEL: .entry twice(
# TWICE: ld.global
# TWICE: bar.sync
# TWICE: ld.global
# TWICE: ld.volatile.global
# TWICE: ld.volatile.global
# TWICE: $L__BB
# TWICE: ld.volatile.global
# TWICE: bra
# TWICE: ld.volatile.global
# TWICE: ld.volatile.global
