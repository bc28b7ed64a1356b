# What kernels read of their module: constants made by tl.constexpr, types, functions, modules; and
# how a module's top level is run as far as they ask.
# RUN: split-file %s %t
# RUN: tessera compile %t/constants.py -s "*i64" --emit ttir -o - | FileCheck %s --check-prefix=CONSTANTS
# CONSTANTS-DAG: arith.constant 6 : i64
# CONSTANTS-DAG: arith.constant 128 : i64
# CONSTANTS-DAG: arith.constant 3 : i64
# CONSTANTS-DAG: arith.constant 40 : i64
# CONSTANTS-DAG: arith.constant 1 : i64
# CONSTANTS-DAG: arith.constant 31 : i64
# CONSTANTS: tt.store
# RUN: tessera compile %t/objects.py -n k -s "*fp16" --emit ttir -o - | FileCheck %s --check-prefix=OBJECTS
# OBJECTS-DAG: arith.constant 2.500000e+00 : f16
# OBJECTS-DAG: arith.constant 3.140630e+00 : f16
# OBJECTS: tt.store
# RUN: tessera compile %t/top_level.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=TOP
# TOP-DAG: arith.constant 60 : i32
# TOP-DAG: arith.constant 1 : i32
# TOP-DAG: arith.constant 2 : i32
# TOP-DAG: arith.constant 77 : i32
# TOP-DAG: arith.constant 12 : i32
# TOP: tt.store
# A file whose top level would take for ever is compiled as soon as any other.
# RUN: tessera compile %t/endless.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=ENDLESS
# ENDLESS: arith.constant 9 : i32
# `:=` at a module's top level binds a global.
# RUN: tessera compile %t/walrus.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=WALRUS
# WALRUS-DAG: arith.constant 21 : i32
# WALRUS-DAG: arith.constant 22 : i32
# WALRUS-DAG: arith.constant 23 : i32
# WALRUS: tt.store

#--- constants.py
import triton
import triton.language as tl
A = tl.constexpr(2)
B = A * 3  # arithmetic on a constant is one
C: tl.constexpr = tl.constexpr(128)
D = E = tl.constexpr(3)
TABLE = tl.constexpr({"x": (4, 40)})
F, G = tl.constexpr(1), tl.constexpr(2)
X = 31
H = tl.constexpr(X)
X = 32

@triton.jit
def k(p):
    tl.store(p, B)
    tl.store(p, C)
    tl.store(p, D)
    tl.store(p, TABLE["x"][1])
    tl.store(p, G - F)
    tl.store(p, H)
#--- objects.py
import math
from math import pi
import triton
import triton.language as tl
DTYPE = tl.float16
NOTHING = None
def make(x):
    return x * 2
HALF = tl.constexpr(make(1.25))
reduce = tl.sum
cdiv = triton.cdiv

@triton.jit
def first(x):
    return later(x)

@triton.jit
def later(x):
    return x.to(DTYPE)

OPS = {"first": first}
CHOSEN = OPS["first"]

@triton.jit
def k(p):
    if NOTHING is None:
        tl.store(p, CHOSEN(HALF + 0.0 * tl.program_id(0)))
    tl.store(p, tl.full([], HALF, DTYPE))
    tl.store(p, tl.full([], math.pi, DTYPE))
    tl.store(p, reduce(tl.zeros([cdiv(30, 16)], DTYPE), 0))
#--- top_level.py
import triton
import triton.language as tl
NUMBERS = []
for i in range(4):
    NUMBERS.append(i * 10)
NUMBERS += [0]
TOTAL = tl.constexpr(sum(NUMBERS))
COUNT = 0
COUNT += 1
ONE = tl.constexpr(COUNT)
COUNT += 1
TWO = tl.constexpr(COUNT)
SETTINGS = {}
SETTINGS["block"] = 77
def read(name, default=0):
    return SETTINGS.get(name, default)
BLOCK = tl.constexpr(read("block"))
with open("somewhere") as file:
    INSIDE = tl.constexpr(12)
n = 0
while n < 5:
    n += 1
    if n == 3:
        break
print("nothing is printed")

@triton.jit
def k(p):
    tl.store(p, TOTAL)
    tl.store(p, ONE)
    tl.store(p, TWO)
    tl.store(p, BLOCK)
    tl.store(p, INSIDE)
#--- endless.py
import triton
import triton.language as tl
NINE = tl.constexpr(9)
x = 0
while True:
    x += 1
def spin():
    while True:
        pass
y = spin()

@triton.jit
def k(p):
    tl.store(p, NINE)
#--- walrus.py
import triton
import triton.language as tl
A = [(B := tl.constexpr(21)), 0]
if (C := tl.constexpr(22)):
    D = [E := tl.constexpr(23) for _ in range(1)]

@triton.jit
def k(p):
    tl.store(p, B)
    tl.store(p, C)
    tl.store(p, E)
