"""A program with autotuned kernels, which the tests of `tessera tune` record. Its arguments name the kernels to launch."""
import sys

import numpy

import tessera
import tessera.language as tl
from tessera import Config, Space


def blocks(*sizes):
    return [Config({"BLOCK": size}) for size in sizes]


def grid(meta):
    return (tessera.cdiv(meta["n"], meta["BLOCK"]),)


@tessera.autotune(blocks(16, 32, 64, 128, 256, 512), key=["n"])
@tessera.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tessera.autotune(blocks(16, 32, 64, 128, 256), key=["n"])
@tessera.jit
def shaky(x, n, BLOCK: tl.constexpr):
    """Writes where nothing is, hangs, or does not compile, as the configuration says."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK).to(tl.int64)
    if BLOCK == 64:
        tl.store(x + i + (1 << 44), 1.0)
    if BLOCK == 128:
        while n > 0:
            tl.atomic_add(x, 1.0)
    if BLOCK == 256:
        i += tl.arange(0, BLOCK - 1)
    tl.store(x + i, 1.0, mask=i < n)


@tessera.autotune(Space({"BLOCK": [16, 32, 64, 128, 256, 512, 1024], "REPEAT": [1, 2, 4, 8], "num_warps": [4, 8]}), key=["n"])
@tessera.jit
def spread(x, out, n, BLOCK: tl.constexpr, REPEAT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    for _ in range(REPEAT):
        v = tl.exp(v) - 1.0
    tl.store(out + i, v, mask=i < n)


@tessera.autotune(blocks(16, 64), key=["n"])
@tessera.heuristics({"EVEN": lambda named: named["n"] % named["BLOCK"] == 0})
@tessera.jit
def gather(sources, index, out, n, scale, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    """Reads where an array of integers says; `sources` is a tuple of two views of one array."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n if not EVEN else i >= 0
    at = tl.load(index + i, mask=inside, other=0)
    left = tl.load(sources[0] + at, mask=inside)
    right = tl.load(sources[1] + at, mask=inside)
    tl.store(out + i, (left + right) * scale, mask=inside)


@tessera.autotune([Config({"BLOCK": size}, pre_hook=lambda named: named["x"].fill(0)) for size in (16, 32)], key=["n"])
@tessera.jit
def hooked(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


x, out = numpy.ones(5000, "float32"), numpy.zeros(5000, "float32")


def launch(name):
    if name == "add":
        add[grid](x, x, out, 5000)
        assert (out == 2).all()
    elif name == "shaky":
        shaky[grid](out, 5000)
    elif name == "spread":
        spread[grid](x, out, 5000)
    elif name == "gather":
        both, index = numpy.arange(2000, dtype="float32"), numpy.arange(1000, dtype="int32")[::-1].copy()
        gather[grid]((both[:1000], both[1000:]), index, out, 1000, 0.5)
        assert (out[:1000] == (both[:1000][index] + both[1000:][index]) * 0.5).all()
    elif name == "hooked":
        hooked[grid](out, 5000)


if __name__ == "__main__":
    for each in sys.argv[1:]:
        launch(each)
        print(each, globals()[each].best_config)
