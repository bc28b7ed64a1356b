"""A matrix product, to measure how fast the CPU computes."""
import triton
import triton.language as tl


@triton.jit
def dot(a_ptr, b_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, N, DEPTH):
        a = tl.load(a_ptr + rows[:, None] * N + start + depth[None, :])
        b = tl.load(b_ptr + (start + depth)[:, None] * N + columns[None, :])
        total += tl.dot(a, b)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], total)


def launch(a, b, out, block=64):
    n = a.shape[0]
    dot[(n // block, n // block)](a, b, out, N=n, BLOCK=block, DEPTH=64)
