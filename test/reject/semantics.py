#: Undefined names, missing and unknown arguments, and other mistakes of a kernel's code.
import triton
import triton.language as tl


@triton.jit
def undefined_name(x_ptr):
    tl.store(x_ptr, scale * 2)


@triton.jit
def used_before_assignment(x_ptr):
    tl.store(x_ptr, later)
    later = 1


@triton.jit
def unknown_function(x_ptr):
    tl.store(x_ptr, tl.sinus(1.0))


@triton.jit
def unknown_argument(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr, masc=None))


@triton.jit
def too_many_arguments(x_ptr):
    tl.store(x_ptr, tl.program_id(0, 1))


@triton.jit
def missing_argument(x_ptr):
    tl.store(x_ptr)


@triton.jit
def block_not_power_of_two(x_ptr):
    tl.store(x_ptr + tl.arange(0, 48), 1.0)


@triton.jit
def block_of_run_time_size(x_ptr, n):
    tl.store(x_ptr + tl.arange(0, n), 1.0)


@triton.jit
def block_empty(x_ptr):
    tl.store(x_ptr + tl.arange(4, 4), 1.0)


@triton.jit
def shapes_differ(x_ptr):
    a = tl.arange(0, 64)
    b = tl.arange(0, 32)
    tl.store(x_ptr + a, a + b)


@triton.jit
def mask_of_other_shape(x_ptr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i, mask=tl.arange(0, 32) < 7)
    tl.store(x_ptr + i, x)


@triton.jit
def load_from_number(x_ptr, n):
    tl.store(x_ptr, tl.load(n))


@triton.jit
def store_to_number(x_ptr, n):
    tl.store(n, 1.0)


@triton.jit
def store_block_to_scalar_pointer(x_ptr):
    tl.store(x_ptr, tl.arange(0, 64))


@triton.jit
def pointer_plus_pointer(x_ptr):
    tl.store(x_ptr + x_ptr, 1.0)


@triton.jit
def pointer_plus_float(x_ptr):
    tl.store(x_ptr + 1.5, 1.0)


@triton.jit
def bits_of_float(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) & 1)


@triton.jit
def float_floor_division(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) // 2.0)


@triton.jit
def program_id_axis(x_ptr):
    tl.store(x_ptr, tl.program_id(3))


@triton.jit
def constant_too_large(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) + 300)


@triton.jit
def exponential_of_integer(x_ptr):
    tl.store(x_ptr, tl.exp(tl.load(x_ptr)))


@triton.jit
def branch_on_block(x_ptr):
    i = tl.arange(0, 64)
    if i > 3:
        tl.store(x_ptr + i, 1.0)


@triton.jit
def failed_assertion(x_ptr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK > 64, "blocks are larger")
    tl.store(x_ptr, 1.0)


@triton.jit
def division_by_zero(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, 7 // N)


@triton.jit
def returns_value(x_ptr):
    return tl.load(x_ptr)

# % compile() { tessera compile semantics.py --kernel-name "$1" --signature "$2" --emit ptx; }
# Names.
# $ compile undefined_name "*fp32"
# | semantics.py:7:21: error: 'scale' is not defined
# |     tl.store(x_ptr, scale * 2)
# |                     ^~~~~
# = 1
# $ compile used_before_assignment "*fp32"
# | semantics.py:12:21: error: 'later' is used before it is assigned, at line 13
# |     tl.store(x_ptr, later)
# |                     ^~~~~
# = 1
# $ compile unknown_function "*fp32"
# | semantics.py:18:21: error: triton.language has no 'sinus'; did you mean 'sin'?
# |     tl.store(x_ptr, tl.sinus(1.0))
# |                     ^~~~~~~~
# = 1

# Calls.
# $ compile unknown_argument "*fp32"
# | semantics.py:23:36: error: load has no parameter 'masc' (did you mean 'mask'?); it takes pointer, mask, other, boundary_check, padding_option, cache_modifier, eviction_policy, volatile
# |     tl.store(x_ptr, tl.load(x_ptr, masc=None))
# |                                    ^~~~~~~~~
# | semantics.py:22:22: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile too_many_arguments "*fp32"
# | semantics.py:28:38: error: program_id takes 1 argument: axis
# |     tl.store(x_ptr, tl.program_id(0, 1))
# |                                      ^
# = 1
# $ compile missing_argument "*fp32"
# | semantics.py:33:5: error: store needs 'value'; it takes pointer, value, mask, boundary_check, cache_modifier, eviction_policy
# |     tl.store(x_ptr)
# |     ^~~~~~~~~~~~~~~
# | semantics.py:32:22: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1

# Blocks.
# $ compile block_not_power_of_two "*fp32"
# | semantics.py:38:22: error: arange's length must be a power of two, got 48; next_power_of_2(48) is 64, with a mask for the rest
# |     tl.store(x_ptr + tl.arange(0, 48), 1.0)
# |                      ^~~~~~~~~~~~~~~~
# = 1
# $ compile block_of_run_time_size "*fp32,i32"
# | semantics.py:43:22: error: arange takes compile-time ints, not a run-time scalar i32; make it a tl.constexpr parameter
# |     tl.store(x_ptr + tl.arange(0, n), 1.0)
# |                      ^~~~~~~~~~~~~~~
# | semantics.py:42:35: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile block_empty "*fp32"
# | semantics.py:48:22: error: arange needs end > start; got 4 and 4
# |     tl.store(x_ptr + tl.arange(4, 4), 1.0)
# |                      ^~~~~~~~~~~~~~~
# = 1
# $ compile shapes_differ "*i32"
# | semantics.py:55:25: error: shapes [64] and [32] do not broadcast: axis 0 has sizes 64 and 32
# |     tl.store(x_ptr + a, a + b)
# |                         ^~~~~
# | semantics.py:53:5: note: 'a' is a block i32[64], from here
# | semantics.py:54:5: note: 'b' is a block i32[32], from here
# = 1
# $ compile mask_of_other_shape "*fp32"
# | semantics.py:61:9: error: shapes [64] and [32] do not broadcast: axis 0 has sizes 64 and 32
# |     x = tl.load(x_ptr + i, mask=tl.arange(0, 32) < 7)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Memory.
# $ compile load_from_number "*fp32,i32"
# | semantics.py:67:21: error: load takes a pointer or a block of pointers, not a run-time scalar i32; add the offsets to a pointer: array arguments are pointers
# |     tl.store(x_ptr, tl.load(n))
# |                     ^~~~~~~~~~
# | semantics.py:66:29: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile store_to_number "*fp32,i32"
# | semantics.py:72:5: error: store takes a pointer or a block of pointers, not a run-time scalar i32; add the offsets to a pointer: array arguments are pointers
# |     tl.store(n, 1.0)
# |     ^~~~~~~~~~~~~~~~
# | semantics.py:71:28: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile store_block_to_scalar_pointer "*i32"
# | semantics.py:77:5: error: the pointer is a scalar and the value a block i32[64]; add an offset block to the pointer
# |     tl.store(x_ptr, tl.arange(0, 64))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | semantics.py:76:35: note: 'x_ptr' is a run-time scalar *i32, from here
# = 1
# $ compile pointer_plus_pointer "*fp32"
# | semantics.py:82:14: error: operator '+' does not take a run-time scalar *fp32 and a run-time scalar *fp32; tl.load reads what a pointer points to, .to(tl.int64) gives its address
# |     tl.store(x_ptr + x_ptr, 1.0)
# |              ^~~~~~~~~~~~~
# | semantics.py:81:26: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile pointer_plus_float "*fp32"
# | semantics.py:87:14: error: operator '+' does not take a run-time scalar *fp32 and the float 1.5; offsets are integers: // divides them, .to(tl.int32) rounds
# |     tl.store(x_ptr + 1.5, 1.0)
# |              ^~~~~~~~~~~
# | semantics.py:86:24: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1

# Operators and functions.
# $ compile bits_of_float "*fp32"
# | semantics.py:92:21: error: operator '&' does not take a run-time scalar fp32 and the int 1; it is for integers
# |     tl.store(x_ptr, tl.load(x_ptr) & 1)
# |                     ^~~~~~~~~~~~~~~~~~
# = 1
# $ compile float_floor_division "*fp32"
# | semantics.py:97:21: error: operator '//' does not take a run-time scalar fp32 and the float 2.0; use tl.floor(x / y)
# |     tl.store(x_ptr, tl.load(x_ptr) // 2.0)
# |                     ^~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile program_id_axis "*i32"
# | semantics.py:102:21: error: a grid axis is 0, 1 or 2, not the int 3
# |     tl.store(x_ptr, tl.program_id(3))
# |                     ^~~~~~~~~~~~~~~~
# = 1
# $ compile constant_too_large "*i8"
# | semantics.py:107:21: error: the int 300 does not fit in i8, the type the operation computes in
# |     tl.store(x_ptr, tl.load(x_ptr) + 300)
# |                     ^~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile exponential_of_integer "*i32"
# | semantics.py:112:21: error: exp takes fp32 or fp64, not i32; convert with .to(tl.float32)
# |     tl.store(x_ptr, tl.exp(tl.load(x_ptr)))
# |                     ^~~~~~~~~~~~~~~~~~~~~~
# = 1

# Compile time.
# $ compile branch_on_block "*fp32"
# | semantics.py:118:8: error: the block u1[64] has no single truth value; reduce it (tl.max, tl.sum), or choose element by element with tl.where
# |     if i > 3:
# |        ^~~~~
# = 1
# $ compile failed_assertion "*fp32,64"
# | semantics.py:124:5: error: static assertion failed: blocks are larger
# |     tl.static_assert(BLOCK > 64, "blocks are larger")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile division_by_zero "*i32,0"
# | semantics.py:130:21: error: division of a compile-time value by zero
# |     tl.store(x_ptr, 7 // N)
# |                     ^~~~~~
# = 1
# $ compile returns_value "*fp32"
# | semantics.py:135:5: error: a kernel returns nothing; store the result through a pointer
# |     return tl.load(x_ptr)
# |     ^~~~~~~~~~~~~~~~~~~~~
# = 1
