"""Kernels that the tests of autotuning and heuristics tune and launch."""
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


@tessera.jit
def wild(x, n, BLOCK: tl.constexpr):
    """Writes where nothing is, but only with blocks of 64."""
    i = tl.arange(0, BLOCK).to(tl.int64)
    tl.store(x + i, 1.0)
    if BLOCK == 64:
        tl.store(x + i + (1 << 44), 1.0)


@tessera.jit
def either(x, y, BLOCK: tl.constexpr):
    """Adds to one or the other, as the configuration says."""
    i = tl.arange(0, BLOCK)
    if BLOCK == 64:
        tl.atomic_add(x + i, 1.0)
    else:
        tl.atomic_add(y + i, 1.0)


@tessera.jit
def through_table(table, x, BLOCK: tl.constexpr):
    """Adds x to what an array of addresses points to."""
    i = tl.arange(0, BLOCK)
    out = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(out + i) + tl.load(x + i))


@tessera.jit
def through_tuple(pair, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out.to + i, tl.load(pair[0] + i) + tl.load(pair[1] + i) + tl.load(out.to + i))
