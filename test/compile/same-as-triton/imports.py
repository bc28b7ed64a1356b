# Imported functions, globals, host code, named tuples and aggregates: Triton prints the same TTIR.
# REQUIRES: triton
# RUN: split-file %s %t
# RUN: tessera compile %t/kernels.py -n imported -s "*i32,i32" --emit ttir -o %t/imported
# RUN: env PYTHONPATH=%t %triton_python %S/Inputs/same-as-triton.py %t/kernels.py imported %t/imported.ttir "*i32" i32 | FileCheck %s
# RUN: tessera compile %t/kernels.py -n computed -s "*i32,64" --emit ttir -o %t/computed
# RUN: env PYTHONPATH=%t %triton_python %S/Inputs/same-as-triton.py %t/kernels.py computed %t/computed.ttir "*i32" 64 | FileCheck %s
# RUN: tessera compile %t/kernels.py -n tuples -s "*i32,i32" --emit ttir -o %t/tuples
# RUN: env PYTHONPATH=%t %triton_python %S/Inputs/same-as-triton.py %t/kernels.py tuples %t/tuples.ttir "*i32" i32 | FileCheck %s
# RUN: tessera compile %t/kernels.py -n aggregates -s "*i32,i32" --emit ttir -o %t/aggregates
# RUN: env PYTHONPATH=%t %triton_python %S/Inputs/same-as-triton.py %t/kernels.py aggregates %t/aggregates.ttir "*i32" i32 | FileCheck %s
# CHECK: the same text{{.*}}; {{[0-9]+}} bytes of cubin from it

#--- utils.py
import triton
import triton.language as tl
K = 4
FACTOR = tl.constexpr(2)

@triton.jit
def scaled(x, factor=FACTOR, offset=K + 1):
    return x * factor + offset
#--- pkg/__init__.py
from .ops import add_three
from . import ops
#--- pkg/ops.py
import triton
import triton.language as tl
THREE = tl.constexpr(3)

@triton.jit
def add_three(x, y=None):
    if y is not None:
        x += y
    return x + THREE
#--- kernels.py
import math
from typing import NamedTuple
import triton
import triton.language as tl
import utils
import pkg.ops
from pkg import add_three
from utils import scaled as sc
SIZES = [8, 16]
SIZE = tl.constexpr(SIZES[1] * 2)

@triton.jit
def imported(p, n):
    tl.store(p, sc(tl.program_id(0), offset=7))
    tl.store(p + 1, add_three(n, pkg.ops.add_three(n)) + utils.K)
    tl.store(p + 2, sc(n) + SIZE)

@triton.constexpr_function
def steps(n):
    result = []
    while n > 1:
        n //= 2
        result.append(n)
    return len(result)

@triton.constexpr_function
def pick(n, name):
    return {"log": int(math.log2(n)), "half": n // 2}[name]

@triton.jit
def computed(p, BLOCK: tl.constexpr):
    offsets = tl.arange(0, pick(BLOCK, "half"))
    tl.store(p + offsets, offsets * steps(BLOCK) + pick(BLOCK, name="log"))

class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor

@triton.jit
def swap(point):
    return Point(point.y, point.x)

@triton.jit
def tuples(p, n):
    pid = tl.program_id(0)
    point = swap(Point(pid, n))
    for i in range(n):
        point = Point(point.x + i, point.y)
    tl.store(p, point.x + point[1])

@tl.core._aggregate
class Sum:
    total: tl.tensor
    SCALE: tl.constexpr

    @triton.constexpr_function
    def __init__(self, total, SCALE):
        self.total = total
        self.SCALE = tl.constexpr(SCALE)

    @triton.jit
    def add(self, value):
        return Sum(self.total + value * self.SCALE, self.SCALE)

    @triton.constexpr_function
    def scale(self):
        return self.SCALE

@triton.jit
def aggregates(p, n):
    sums = Sum(tl.program_id(0), 3)
    for i in range(n):
        sums = sums.add(i)
    if n > 3:
        sums = sums.add(n)
    tl.store(p, sums.total + sums.scale())
