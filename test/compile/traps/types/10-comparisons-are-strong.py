# Trap 10 of the language: Comparisons ignore weak typing
# RUN: tessera compile %s --kernel-name k --signature "*fp16,*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, q):
    h = tl.load(p)                # fp16
    tl.store(q + 0, h < 0.1)      # compared in fp32 against fp32(0.1)
    tl.store(q + 1, h - 0.1)      # subtracted in fp16 against fp16(0.1)


# CHECK: arith.cmpf olt, {{.*}} : f32
# CHECK: arith.subf {{.*}} : f16
