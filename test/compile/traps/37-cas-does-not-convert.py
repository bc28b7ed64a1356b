# Trap 37 of the language: CAS does not convert
# RUN: tessera compile %s --kernel-name k --signature "*i64" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: not tessera compile %s --kernel-name k --signature "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=CHECK2
import triton
import triton.language as tl


@triton.jit
def k(lock):                                   # int64 pointer
    one = tl.full((), 1, tl.int64)
    zero = tl.full((), 0, tl.int64)
    old = tl.atomic_cas(lock, zero, one)
    tl.store(lock, old)


# CHECK1: tt.atomic_cas acq_rel, gpu, %lock, 
# CHECK2: atomic_cas
