# Functions that no other test of TTIR calls: grids, numbers as tensors, methods of bools, the pieces of tl.rand and tl.randn.
# RUN: tessera compile %s -n grid -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix GRID
# RUN: tessera compile %s -n numbers -s "*i32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix NUMBERS
# RUN: tessera compile %s -n random -s "*i32,*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix RANDOM
import triton
import triton.language as tl


@triton.jit
def grid(p):
    tl.store(p + tl.program_id(0), tl.num_programs(0))
    tl.store(p + tl.program_id(axis=1), tl.num_programs(axis=1))
    tl.store(p + tl.program_id(2), tl.num_programs(2))


# GRID-LABEL: tt.func public @grid
# GRID:         tt.get_program_id x : i32
# GRID:         tt.get_num_programs x : i32
# GRID:         tt.get_program_id y : i32
# GRID:         tt.get_num_programs y : i32
# GRID:         tt.get_program_id z : i32
# GRID:         tt.get_num_programs z : i32


@triton.jit
def numbers(p, q):
    tl.static_assert(tl.core.to_tensor(3).dtype == tl.int32)
    tl.static_assert(tl.core.to_tensor(2**31).dtype == tl.uint32)
    tl.static_assert(tl.core.to_tensor(0.5).dtype == tl.float32)
    tl.static_assert(tl.core.to_tensor(True).dtype == tl.int1)
    x = tl.load(p)
    both = (x > 1).logical_and(x < 5)
    either = (x > 1).logical_or(x < 5)
    tl.store(p, both)
    tl.store(p, either)


# NUMBERS-LABEL: tt.func public @numbers
# NUMBERS:         arith.andi %{{.+}}, %{{.+}} : i1
# NUMBERS:         arith.ori %{{.+}}, %{{.+}} : i1


@triton.jit
def random(p, q, seed):
    i = tl.arange(0, 16)
    a, b, c, d = tl.randint4x(seed, i)
    tl.static_assert(d.dtype == tl.uint32)
    zero = tl.zeros((16,), tl.uint32)
    e, f, g, h = tl.philox_impl(zero, zero, zero, zero, zero, zero, 7)
    tl.store(p + i, a ^ b ^ c ^ d ^ e ^ f ^ g ^ h)
    u, v, w, x = tl.rand4x(seed, i)
    tl.static_assert(x.dtype == tl.float32)
    y = tl.uint_to_uniform_float(a)
    z, z2 = tl.pair_uniform_to_normal(u, v)
    n0, n1, n2, n3 = tl.randn4x(seed, i)
    tl.store(q + i, u + v + w + x + y + z + z2 + n0 + n1 + n2 + n3 + tl.randn(seed, i))


# RANDOM-LABEL: tt.func public @random
# RANDOM:         tt.mulhiui
# RANDOM:         tt.store
# RANDOM-DAG:     math.log
# RANDOM-DAG:     math.sqrt
# RANDOM-DAG:     math.cos
# RANDOM-DAG:     math.sin
