"""Short programs that once made the compiler take forever, or all memory, or the whole stack."""
import triton
import triton.language as tl


@triton.jit
def pairs_of_pairs(a):
    return pairs_of_pairs((a, a))


# The key of an instance was made twice at each level of a tuple.
# signature: *i32,i32
@triton.jit
def tuples_of_tuples(x_ptr, n):
    tl.store(x_ptr, pairs_of_pairs((n, n)))


@triton.constexpr_function
def nest(a):
    while True:
        a = (a,)


# Freed recursively, one stack frame for each level.
# signature: *i32
@triton.jit
def a_tuple_in_a_tuple(x_ptr):
    tl.store(x_ptr, nest(()))


@triton.constexpr_function
def double(a):
    while True:
        a = a + a


# Sums were not limited as products were.
# signature: *i32
@triton.jit
def doubled_integers(x_ptr):
    tl.store(x_ptr, double(3))


@triton.constexpr_function
def quote(a):
    while True:
        a = f"{a}{a}"


# signature: *i32
@triton.jit
def doubled_texts(x_ptr):
    tl.store(x_ptr, quote("a"))


# An error of the program, but it came out of a pass and was reported as one of the compiler.
# signature: *i32,i32
@triton.jit
def unrolled(x_ptr, n):
    for i in tl.range(0, n, loop_unroll_factor=100000000):
        tl.store(x_ptr + i, i)
