# Trap 39 of the language: Descriptor strides must be provably contiguous
# RUN: tessera compile %s -n k -s "*fp32,i32,i32,i32,i32:1" --emit ttir -o - | FileCheck %s --check-prefix ONE
# RUN: not tessera compile %s -n k -s "*fp32,i32,i32,i32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix OTHER
import triton
import triton.language as tl


@triton.jit
def k(p, M, N, s0, s1):
    d = tl.make_tensor_descriptor(p, [M, N], [s0, s1], [16, 16])
    d.store([0, 0], tl.zeros((16, 16), tl.float32))


# ONE: tt.make_tensor_descriptor
# OTHER: error: the last stride of a tensor descriptor is the compile-time int 1, not a run-time scalar i32
