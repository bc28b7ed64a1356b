# The functions of Python that kernels have (docs/language.md, Python's functions).
# RUN: tessera compile %s -n compile_time -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix COMPILE
# RUN: tessera compile %s -n run_time -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix RUNTIME
import triton
import triton.language as tl


@triton.jit
def compile_time(p, n):
    tl.static_assert(len((1, 2)) == 2)
    tl.static_assert(int(2.7) == 2)
    tl.static_assert(int(-2.7) == -2)
    tl.static_assert(float(2) == 2.0)
    tl.static_assert(float("inf") > 1e300)
    tl.static_assert(-float("inf") == float("-inf"))
    tl.static_assert(float("nan") != float("nan"))
    tl.static_assert(min(3, 2) == 2)
    tl.static_assert(max(3, 2, 9) == 9)
    tl.static_assert(isinstance(n, tl.tensor))
    tl.static_assert(isinstance(5, tl.tensor) == False)
    tl.static_assert(isinstance((1, n), tl.tuple))
    tl.static_assert(isinstance(tl.float32, tl.dtype))
    tl.static_assert(hasattr(n, "dtype"))
    tl.static_assert(hasattr(n, "no_such") == False)
    tl.static_assert(getattr(n, "dtype") == tl.int32)
    tl.static_assert(len(list((1, 2, 3))) == 3)
    tl.store(p, n)


# COMPILE-LABEL: tt.func public @compile_time
# COMPILE:         tt.store


@triton.jit
def run_time(p, n):
    tl.store(p, min(n, 5))
    tl.store(p, max(n, 2, 3 * n))
    tl.static_assert(max(tl.load(p).to(tl.float16), 1.0).dtype == tl.float32)
    print("n", n)
    print("n", n, hex=True)


# RUNTIME-LABEL: tt.func public @run_time
# RUNTIME:         arith.minsi %n, %{{.+}} : i32
# RUNTIME:         arith.maxsi
# RUNTIME:         arith.maxsi
# RUNTIME:         tt.print " n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
# RUNTIME:         tt.print " n: " {hex = true, isSigned = array<i32: 1>} : %n : i32
