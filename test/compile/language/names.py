# Where a name is looked up, and which globals a kernel may read (docs/language.md, names).
# RUN: rm -rf %t && mkdir -p %t/helpers && cp %s %t/kernels.py
# RUN: echo 'import triton, triton.language as tl' > %t/config.py
# RUN: echo 'BLOCK = 32' >> %t/config.py
# RUN: cp %t/config.py %t/helpers/__init__.py && cp %t/config.py %t/helpers/sizes.py
# RUN: tessera compile %t/kernels.py -n globals_ -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix GLOBAL
# RUN: tessera compile %t/kernels.py -n shadowed -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix SHADOW
# RUN: tessera compile %t/kernels.py -n attributes -s "*fp16,i32,5" --emit ttir -o - | FileCheck %s --check-prefix ATTR
import math

import config
import helpers.sizes
import triton
import triton.language as tl
from helpers import sizes as alias

WIDTH = tl.constexpr(16)
TWICE = tl.constexpr(WIDTH * 2)
HALF = tl.float16
NOTHING = None
ACTIVATION: tl.constexpr = tl.constexpr("relu")


@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)


FUNCTION = relu


@triton.jit
def globals_(p, n):
    i = tl.arange(0, TWICE)
    tl.static_assert(NOTHING is None)
    tl.static_assert(config.BLOCK == 32)
    tl.static_assert(helpers.sizes.BLOCK + alias.BLOCK == 64)
    tl.static_assert(tl.zeros((4,), HALF).dtype == tl.float16)
    x = tl.load(p + i)
    if ACTIVATION == "relu":
        x = FUNCTION(x)
    tl.store(p + i, x * math.pi)


# GLOBAL-LABEL: tt.func public @globals_
# GLOBAL-DAG:     arith.constant dense<3.14159274> : tensor<32xf32>
# GLOBAL-DAG:     tt.make_range {end = 32 : i32
# GLOBAL:         arith.select


@triton.jit
def shadowed(p, n):
    WIDTH = n  # a local name hides the global, and Python's
    max = WIDTH + 1
    len = max + 1
    tl.store(p, len)


# SHADOW-LABEL: tt.func public @shadowed
# SHADOW:         %[[SUM:.+]] = arith.addi %n, %{{.+}} : i32
# SHADOW:         tt.store %p, %[[SUM]]


@triton.jit
def attributes(p, n, C: tl.constexpr):
    x = tl.load(p + tl.arange(0, 8))
    tl.static_assert(x.dtype == tl.float16)
    tl.static_assert(x.type.scalar == tl.float16)
    tl.static_assert(x.shape == (8,))
    tl.static_assert(x.numel == 8)
    tl.static_assert(p.dtype.element_ty == tl.float16)
    tl.static_assert(C.value == 5)
    tl.static_assert(WIDTH.value == 16)
    square = x[:, None] + x[None, :]
    tl.store(p + (tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]), square.T)


# ATTR-LABEL: tt.func public @attributes
# ATTR:         tt.trans %{{.+}} {order = array<i32: 1, 0>}
