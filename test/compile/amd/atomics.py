# No chip loops around compare-and-swap for an atomic that it has an instruction for: sums of f16 by the instruction for two, with a neighbour
# that stays. The chips without an instruction are named: f64 on RDNA, bf16 on gfx90a, both halves on gfx11.
#
# RUN: tessera compile %s --kernel-name sums -s "*fp32,*fp64,*fp16,*bf16,256" --target hip:gfx942 --emit amdgcn -o - | FileCheck %s --check-prefixes=CDNA,BF16 --implicit-check-not=cmpswap
# RUN: tessera compile %s --kernel-name sums -s "*fp32,*fp64,*fp16,*bf16,256" --target hip:gfx950 --emit amdgcn -o - | FileCheck %s --check-prefixes=CDNA,BF16 --implicit-check-not=cmpswap
# RUN: tessera compile %s --kernel-name sums -s "*fp32,*fp64,*fp16,*bf16,256" --target hip:gfx90a --emit amdgcn -o - | FileCheck %s --check-prefixes=CDNA,LOOP32
# RUN: tessera compile %s --kernel-name sums -s "*fp32,*fp64,*fp16,*bf16,256" --target hip:gfx1201 --emit amdgcn -o - | FileCheck %s --check-prefix=RDNA4
# RUN: tessera compile %s --kernel-name sums -s "*fp32,*fp64,*fp16,*bf16,256" --target hip:gfx1100 --emit amdgcn -o - | FileCheck %s --check-prefix=RDNA3
# RUN: tessera compile %s --kernel-name others -s "*i32,*i64,*fp32,*fp64,256" --target hip:gfx942 --emit amdgcn -o - | FileCheck %s --check-prefix=OTHERS --implicit-check-not=cmpswap
# RUN: tessera compile %s --kernel-name others -s "*i32,*i64,*fp32,*fp64,256" --target hip:gfx1100 --emit amdgcn -o - | FileCheck %s --check-prefix=OTHERS --implicit-check-not=cmpswap
# RUN: tessera compile %s --kernel-name others -s "*i32,*i64,*fp32,*fp64,256" --target hip:gfx1201 --emit amdgcn -o - | FileCheck %s --check-prefix=OTHERS --implicit-check-not=cmpswap
import triton
import triton.language as tl


# CDNA: global_atomic_add_f32
# CDNA: global_atomic_add_f64
# CDNA: global_atomic_pk_add_f16
# BF16: global_atomic_pk_add_bf16
# LOOP32: global_atomic_cmpswap v
# RDNA4: global_atomic_add_f32
# RDNA4: global_atomic_cmpswap_b64
# RDNA4: global_atomic_pk_add_f16
# RDNA4-NOT: cmpswap_b32
# RDNA4: global_atomic_pk_add_bf16
# RDNA3: global_atomic_add_f32
# RDNA3: global_atomic_cmpswap_b64
# RDNA3: global_atomic_cmpswap_b32
@triton.jit
def sums(single, double, half, brain, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(single + i, 1.0)
    tl.atomic_add(double + i, 1.0)
    tl.atomic_add(half + i, 1.0)
    tl.atomic_add(brain + i, 1.0)


# OTHERS: global_atomic_{{s?max|max_i32}}
@triton.jit
def others(i32, i64, f32, f64, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_max(i32 + i, i)
    tl.atomic_min(i64 + i, i.to(tl.int64))
    tl.atomic_max(f32 + i, i.to(tl.float32))
    tl.atomic_min(f64 + i, i.to(tl.float64))
    tl.atomic_xchg(f32 + i, i.to(tl.float32))
    tl.atomic_xor(i64 + i, i.to(tl.int64))
