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

# Names.
# $ tessera compile types.py --kernel-name undefined_name --signature "*fp32"
# $ tessera compile types.py --kernel-name used_before_assignment --signature "*fp32"
# $ tessera compile types.py --kernel-name unknown_function --signature "*fp32"

# Calls.
# $ tessera compile types.py --kernel-name unknown_argument --signature "*fp32"
# $ tessera compile types.py --kernel-name too_many_arguments --signature "*fp32"
# $ tessera compile types.py --kernel-name missing_argument --signature "*fp32"

# Blocks.
# $ tessera compile types.py --kernel-name block_not_power_of_two --signature "*fp32"
# $ tessera compile types.py --kernel-name block_of_run_time_size --signature "*fp32,i32"
# $ tessera compile types.py --kernel-name block_empty --signature "*fp32"
# $ tessera compile types.py --kernel-name shapes_differ --signature "*i32"
# $ tessera compile types.py --kernel-name mask_of_other_shape --signature "*fp32"

# Memory.
# $ tessera compile types.py --kernel-name load_from_number --signature "*fp32,i32"
# $ tessera compile types.py --kernel-name store_to_number --signature "*fp32,i32"
# $ tessera compile types.py --kernel-name store_block_to_scalar_pointer --signature "*i32"
# $ tessera compile types.py --kernel-name pointer_plus_pointer --signature "*fp32"
# $ tessera compile types.py --kernel-name pointer_plus_float --signature "*fp32"

# Operators and functions.
# $ tessera compile types.py --kernel-name bits_of_float --signature "*fp32"
# $ tessera compile types.py --kernel-name float_floor_division --signature "*fp32"
# $ tessera compile types.py --kernel-name program_id_axis --signature "*i32"
# $ tessera compile types.py --kernel-name constant_too_large --signature "*i8"
# $ tessera compile types.py --kernel-name exponential_of_integer --signature "*i32"

# Compile time.
# $ tessera compile types.py --kernel-name branch_on_block --signature "*fp32"
# $ tessera compile types.py --kernel-name failed_assertion --signature "*fp32,64"
# $ tessera compile types.py --kernel-name division_by_zero --signature "*i32,0"
# $ tessera compile types.py --kernel-name returns_value --signature "*fp32"
