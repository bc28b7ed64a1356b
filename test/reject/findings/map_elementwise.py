"""What a function does that map_elementwise calls shows when it is inlined: once reported as a bug of the compiler."""
import triton
import triton.language as tl


@triton.jit
def store_one(pointer):
    tl.store(pointer, 1)
    return 1


# signature: *i32
@triton.jit
def writes(x_ptr):
    x = tl.arange(0, 16)
    tl.store(x_ptr + x, tl.map_elementwise(store_one, x_ptr + x))


@triton.jit
def triple(n):
    return 3 * n + 1


# Overflow checks are assertions inside the function.
# signature: *i32 --debug
@triton.jit
def checks(x_ptr):
    x = tl.arange(0, 16)
    tl.store(x_ptr + x, tl.map_elementwise(triple, x))
