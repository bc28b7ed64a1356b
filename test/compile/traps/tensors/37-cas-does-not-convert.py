# Trap 37 of the language: CAS does not convert
# RUN: tessera compile %s -n k -s "*i64" --emit ttir -o - | FileCheck %s --check-prefix SAME
# RUN: not tessera compile %s -n k -s "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix OTHER
# RUN: not tessera compile %s -n numbers -s "*i64" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix NUMBERS
# RUN: tessera compile %s -n adds -s "*i64" --emit ttir -o - | FileCheck %s --check-prefix ADDS
import triton
import triton.language as tl


@triton.jit
def k(lock):                                   # int64 pointer
    one = tl.full((), 1, tl.int64)
    zero = tl.full((), 0, tl.int64)
    old = tl.atomic_cas(lock, zero, one)
    tl.store(lock, old)


@triton.jit
def numbers(lock):
    tl.store(lock, tl.atomic_cas(lock, 0, 1))


@triton.jit
def adds(lock):
    tl.atomic_add(lock, 1)


# SAME: tt.atomic_cas acq_rel, gpu, %lock, %{{.+}}, %{{.+}} : (!tt.ptr<i64>, i64, i64) -> i64
# OTHER: error: atomic_cas converts nothing: 'cmp' is i64 and the pointer *i32
# NUMBERS: error: atomic_cas converts nothing: 'cmp' is i32 and the pointer *i64
# ADDS: tt.atomic_rmw add, acq_rel, gpu, %lock, %{{.+}}, %{{.+}} : (!tt.ptr<i64>, i64, i1) -> i64
