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
# $ compile used_before_assignment "*fp32"
# $ compile unknown_function "*fp32"

# Calls.
# $ compile unknown_argument "*fp32"
# $ compile too_many_arguments "*fp32"
# $ compile missing_argument "*fp32"

# Blocks.
# $ compile block_not_power_of_two "*fp32"
# $ compile block_of_run_time_size "*fp32,i32"
# $ compile block_empty "*fp32"
# $ compile shapes_differ "*i32"
# $ compile mask_of_other_shape "*fp32"

# Memory.
# $ compile load_from_number "*fp32,i32"
# $ compile store_to_number "*fp32,i32"
# $ compile store_block_to_scalar_pointer "*i32"
# $ compile pointer_plus_pointer "*fp32"
# $ compile pointer_plus_float "*fp32"

# Operators and functions.
# $ compile bits_of_float "*fp32"
# $ compile float_floor_division "*fp32"
# $ compile program_id_axis "*i32"
# $ compile constant_too_large "*i8"
# $ compile exponential_of_integer "*i32"

# Compile time.
# $ compile branch_on_block "*fp32"
# $ compile failed_assertion "*fp32,64"
# $ compile division_by_zero "*i32,0"
# $ compile returns_value "*fp32"
