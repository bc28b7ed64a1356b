# The ways to the standard library: tl, its modules standard and random, names imported from them, methods, aliases.
# Kernels in the wild use the helpers whose names begin with an underscore, too.
# RUN: tessera compile %s -n names -s "*i32,*fp32" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n accepted_here -s "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl
from triton.language.random import randint4x as words
from triton.language.standard import _log2, cdiv, max as largest


@triton.jit
def names(p, q):
    i = tl.arange(0, 16)
    x = tl.load(p + i)
    tl.static_assert(_log2(x.numel) == 4)
    tl.static_assert(tl.standard._log2(256) == 8)
    tl.static_assert(largest(x).dtype == tl.int32)
    tl.store(p, tl.reduce(x, 0, tl.standard._sum_combine))
    tl.store(p, tl.reduce(x, 0, tl.standard._elementwise_max))
    tl.store(p, tl.standard.sum(x, 0) + cdiv(x.sum(), 4))
    a, b, c, d = words(0, i)
    tl.store(p + i, a)
    tl.store(q + i, tl.random.rand(0, i))


# What Triton 3.6.0 refuses by accident (docs/language.md).
@triton.jit
def accepted_here(p, seed):
    at = p + tl.arange(0, 8)
    x = tl.load(at)
    tl.store(at, tl.flip(x))
    tl.store(at, x.sort())
    tl.store(at, tl.sort(x, -1))
    tl.store(at, tl.squeeze(tl.unsqueeze(x, 1), -1))
    tl.store(p + tl.arange(0, 1), tl.topk(x, 1))
    tl.store(p, tl.rand(seed, 5))


# CHECK: tt.return
