"""Globals that depend on each other: what defines a name was read after it was gone."""
import triton
import triton.language as tl

FIRST = tl.constexpr(9)
SECOND = tl.constexpr(FIRST + 1)
if SECOND > FIRST:
    THIRD = tl.constexpr(SECOND * FIRST)
else:
    THIRD = tl.constexpr(FIRST)


# signature: *i32,5
@triton.jit
def chained(x_ptr, ADD: tl.constexpr = THIRD):
    tl.store(x_ptr, THIRD + ADD + SECOND)
