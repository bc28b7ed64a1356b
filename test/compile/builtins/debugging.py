# Hints, assertions and printing.
# RUN: tessera compile %s -n hints -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix HINT
# RUN: tessera compile %s -n assertions -s "*i32,i32,16" --emit ttir -o - | FileCheck %s --check-prefix RELEASE --implicit-check-not tt.assert
# RUN: tessera compile %s -n assertions -s "*i32,i32,16" --emit ttir --debug -o - | FileCheck %s --check-prefix DEBUG
# RUN: tessera compile %s -n prints -s "*fp32,*u8,i32" --emit ttir -o - | FileCheck %s --check-prefix PRINT
# RUN: tessera compile %s -n static_prints -s "*fp32,16" --emit ttir -o %t 2>&1 | FileCheck %s --check-prefix STATIC
# RUN: tessera compile %s -n warnings -s "*i32" --emit ttir -o %t 2>&1 | FileCheck %s --check-prefix WARN
import triton
import triton.language as tl


@triton.jit
def hints(p, n):
    i = tl.arange(0, 16)
    tl.assume(n > 0)
    at = tl.multiple_of(i * n, 8)
    x = tl.load(tl.max_contiguous(tl.multiple_of(p + at, 16), 16))
    x = tl.max_constancy(x + 1.0, [4])
    tl.debug_barrier()
    for k in range(n):
        tl.multiple_of(p, 4)
        tl.store(p + i, x)
        p += n


# HINT-LABEL: tt.func public @hints
# HINT:         %[[POSITIVE:.+]] = arith.cmpi sgt
# HINT:         llvm.intr.assume %[[POSITIVE]] : i1
# HINT:         arith.muli {{.*}} {tt.divisibility = dense<8> : tensor<1xi32>}
# HINT:         tt.addptr {{.*}} {tt.contiguity = dense<16> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}
# HINT:         arith.addf {{.*}} {tt.constancy = dense<4> : tensor<1xi32>}
# HINT:         gpu.barrier
# A promise about a value that a loop carries is known to all that uses the value there.
# HINT:         scf.for {{.*}} iter_args(%[[CARRIED:.+]] = %p)
# HINT-NEXT:      %[[PROMISED:.+]] = tt.bitcast %[[CARRIED]] {tt.divisibility = dense<4> : tensor<1xi32>} : !tt.ptr<f32> -> !tt.ptr<f32>
# HINT:           tt.splat %[[PROMISED]]
# HINT:           tt.addptr %[[PROMISED]]


@triton.jit
def assertions(p, n, N: tl.constexpr):
    tl.static_assert(N == 16)
    tl.static_assert(N > 8, f"N is {N}")
    x = tl.load(p + tl.arange(0, N))
    tl.device_assert(n > 0, "n is positive")
    tl.device_assert(x > 0, "x is positive", mask=x != 5)
    assert n < 100, "n is small"


# RELEASE-LABEL: tt.func public @assertions
# RELEASE:         tt.return

# DEBUG-LABEL: tt.func public @assertions
# DEBUG:         tt.assert %{{.+}}, "n is positive" : i1
# DEBUG:         %[[HOLDS:.+]] = arith.ori
# DEBUG:         tt.assert %[[HOLDS]], "x is positive" : tensor<16xi1>
# DEBUG:         tt.assert %{{.+}}, "n is small" : i1


@triton.jit
def prints(p, t, n):
    i = tl.arange(0, 16)
    tl.device_print("hello")
    tl.device_print("x")
    tl.device_print("n", n)
    tl.device_print("two: ", n, i)
    print("bytes", tl.load(t + i), hex=True)
    print("mixed", p, 2.5, n > 0)


# The prefix gets a blank before it and a colon after, where there are values.
# PRINT-LABEL: tt.func public @prints
# PRINT:         tt.print " hello" {hex = false, isSigned = array<i32>}
# PRINT:         tt.print "x" {hex = false, isSigned = array<i32>}
# PRINT:         tt.print " n: " {hex = false, isSigned = array<i32: 1>} : %{{.+}} : i32
# PRINT:         tt.print " two: " {hex = false, isSigned = array<i32: 1, 1>} : %{{.+}}, %{{.+}} : i32, tensor<16xi32>
# PRINT:         tt.print " bytes: " {hex = true, isSigned = array<i32: 0>} : %{{.+}} : tensor<16xi8>
# PRINT:         tt.print " mixed: " {hex = false, isSigned = array<i32: 0, 0, 0>} : %{{.+}}, %{{.+}}, %{{.+}} : !tt.ptr<f32>, f32, i1


@triton.jit
def static_prints(p, N: tl.constexpr):
    tl.static_print("N is", N, f"{N / 2}", p.dtype, tl.int32)
    tl.static_print(1, None, True, 0.1, (1, "a"), sep="|", end="!\n")
    tl.store(p, 0.0)


# STATIC:      {{^}}N is 16 8.0 pointer<fp32> int32{{$}}
# STATIC-NEXT: {{^}}1|None|True|0.1|(1, 'a')!{{$}}


@triton.jit
def warnings(p):
    i = tl.arange(0, 16)
    tl.store(p + i, tl.where(i, i << 32, 0))


# WARN: warning: a shift by 32 of i32[16], which has 32 bits, is undefined
# WARN: warning: where takes a condition of bools; this one, i32[16], is compared with 0
