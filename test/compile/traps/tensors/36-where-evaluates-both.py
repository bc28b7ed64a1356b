# Trap 36 of the language: `where` evaluates both sides
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    i = tl.arange(0, 64)
    bad = tl.where(i < n, tl.load(p + i), 0.0)      # loads out of bounds
    ok = tl.load(p + i, mask=i < n, other=0.0)
    tl.store(p, tl.sum(ok + bad * 0))


# CHECK: tt.load %{{[^,]+}} :
# CHECK: tt.load %{{[^,]+}}, %{{[^,]+}}, %
