"""Kernels that test_autotune.py and test_heuristics.py tune and launch."""
import tessera
import tessera.language as tl


@tessera.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tessera.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@tessera.jit
def picky(x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK < 256, "blocks are small here")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, i, mask=i < n)


@tessera.jit
def scaled(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 2.0 if EVEN else 3.0, mask=i < n)
