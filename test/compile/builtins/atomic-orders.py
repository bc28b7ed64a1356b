# The PTX of every atomic on one element: each order as the program says it, whether or not its result is used. `red`
# serves where nothing is acquired and nobody reads.
# RUN: tessera compile %s -n used -s "*i32,*fp32,i32,'relaxed'" --emit ptx -o - | FileCheck %s --check-prefix=RELAXED-USED
# RUN: tessera compile %s -n unused -s "*i32,*fp32,i32,'relaxed'" --emit ptx -o - | FileCheck %s --check-prefix=RELAXED-UNUSED
# RUN: tessera compile %s -n used -s "*i32,*fp32,i32,'acquire'" --emit ptx -o - | FileCheck %s --check-prefix=ACQUIRE-USED
# RUN: tessera compile %s -n unused -s "*i32,*fp32,i32,'acquire'" --emit ptx -o - | FileCheck %s --check-prefix=ACQUIRE-UNUSED
# RUN: tessera compile %s -n used -s "*i32,*fp32,i32,'release'" --emit ptx -o - | FileCheck %s --check-prefix=RELEASE-USED
# RUN: tessera compile %s -n unused -s "*i32,*fp32,i32,'release'" --emit ptx -o - | FileCheck %s --check-prefix=RELEASE-UNUSED
# RUN: tessera compile %s -n used -s "*i32,*fp32,i32,'acq_rel'" --emit ptx -o - | FileCheck %s --check-prefix=ACQ-REL-USED
# RUN: tessera compile %s -n unused -s "*i32,*fp32,i32,'acq_rel'" --emit ptx -o - | FileCheck %s --check-prefix=ACQ-REL-UNUSED
import triton
import triton.language as tl


@triton.jit
def used(p, f, n, SEM: tl.constexpr):
    tl.store(p + 20, tl.atomic_add(p + 0, 1, sem=SEM))
    tl.store(p + 21, tl.atomic_max(p + 1, n, sem=SEM))
    tl.store(p + 22, tl.atomic_min(p + 2, n, sem=SEM))
    tl.store(p + 23, tl.atomic_and(p + 3, n, sem=SEM))
    tl.store(p + 24, tl.atomic_or(p + 4, n, sem=SEM))
    tl.store(p + 25, tl.atomic_xor(p + 5, n, sem=SEM))
    tl.store(p + 26, tl.atomic_xchg(p + 6, n, sem=SEM))
    tl.store(p + 27, tl.atomic_cas(p + 7, 0, n, sem=SEM))
    tl.store(f + 28, tl.atomic_add(f + 8, 2.0, sem=SEM))


@triton.jit
def unused(p, f, n, SEM: tl.constexpr):
    tl.atomic_add(p + 0, 1, sem=SEM)
    tl.atomic_max(p + 1, n, sem=SEM)
    tl.atomic_min(p + 2, n, sem=SEM)
    tl.atomic_and(p + 3, n, sem=SEM)
    tl.atomic_or(p + 4, n, sem=SEM)
    tl.atomic_xor(p + 5, n, sem=SEM)
    tl.atomic_xchg(p + 6, n, sem=SEM)
    tl.atomic_cas(p + 7, 0, n, sem=SEM)
    tl.atomic_add(f + 8, 2.0, sem=SEM)


# RELAXED-USED-LABEL: .entry used(
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.add.u32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.max.s32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.min.s32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.and.b32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.or.b32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.xor.b32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.exch.b32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.cas.b32
# RELAXED-USED: bar.sync
# RELAXED-USED: @%p{{[0-9]+}} atom.relaxed.gpu.global.add.f32
# RELAXED-USED: bar.sync

# RELAXED-UNUSED-LABEL: .entry unused(
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.add.u32
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.max.s32
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.min.s32
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.and.b32
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.or.b32
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.xor.b32
# RELAXED-UNUSED: @%p{{[0-9]+}} atom.relaxed.gpu.global.exch.b32
# RELAXED-UNUSED: @%p{{[0-9]+}} atom.relaxed.gpu.global.cas.b32
# RELAXED-UNUSED: @%p{{[0-9]+}} red.relaxed.gpu.global.add.f32

# ACQUIRE-USED-LABEL: .entry used(
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.add.u32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.max.s32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.min.s32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.and.b32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.or.b32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.xor.b32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.exch.b32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.cas.b32
# ACQUIRE-USED: bar.sync
# ACQUIRE-USED: @%p{{[0-9]+}} atom.acquire.gpu.global.add.f32
# ACQUIRE-USED: bar.sync

# ACQUIRE-UNUSED-LABEL: .entry unused(
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.add.u32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.max.s32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.min.s32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.and.b32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.or.b32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.xor.b32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.exch.b32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.cas.b32
# ACQUIRE-UNUSED: bar.sync
# ACQUIRE-UNUSED: @%p{{[0-9]+}} atom.acquire.gpu.global.add.f32

# RELEASE-USED-LABEL: .entry used(
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.add.u32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.max.s32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.min.s32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.and.b32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.or.b32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.xor.b32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.exch.b32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.cas.b32
# RELEASE-USED: bar.sync
# RELEASE-USED: bar.sync
# RELEASE-USED: @%p{{[0-9]+}} atom.release.gpu.global.add.f32
# RELEASE-USED: bar.sync

# RELEASE-UNUSED-LABEL: .entry unused(
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.add.u32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.max.s32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.min.s32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.and.b32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.or.b32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.xor.b32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} atom.release.gpu.global.exch.b32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} atom.release.gpu.global.cas.b32
# RELEASE-UNUSED: bar.sync
# RELEASE-UNUSED: @%p{{[0-9]+}} red.release.gpu.global.add.f32

# ACQ-REL-USED-LABEL: .entry used(
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.add.u32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.max.s32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.min.s32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.and.b32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.or.b32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.xor.b32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.exch.b32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.cas.b32
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: bar.sync
# ACQ-REL-USED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.add.f32
# ACQ-REL-USED: bar.sync

# ACQ-REL-UNUSED-LABEL: .entry unused(
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.add.u32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.max.s32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.min.s32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.and.b32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.or.b32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.xor.b32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.exch.b32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.cas.b32
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: bar.sync
# ACQ-REL-UNUSED: @%p{{[0-9]+}} atom.acq_rel.gpu.global.add.f32
