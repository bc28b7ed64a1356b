# Constants at a module's top level: each is evaluated once, however long the chain and however
# often it is used, and one that is defined by itself has no value.
# RUN: split-file %s %t
# RUN: tessera compile %t/doubles.py --signature "*i64" --emit ttir -o - | FileCheck %s --check-prefix=DOUBLES
# DOUBLES: arith.constant 1099511627776 : i64
# RUN: not tessera compile %t/cycle.py --signature "*i64" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=CYCLE
# CYCLE: cycle.py:7:17: error: 'A' cannot be used in a kernel
# RUN: python3 -c "print('import triton, triton.language as tl\nX0 = tl.constexpr(5)'); [print(f'X{i} = X{i-1}') for i in range(1, 30000)]; print('@triton.jit\ndef k(p):\n    tl.store(p, X29999)')" > %t/chain.py
# RUN: tessera compile %t/chain.py --signature "*i64" --emit ttir -o - | FileCheck %s --check-prefix=CHAIN
# CHAIN: arith.constant 5 : i64
# RUN: tessera compile %t/math.py --signature "*fp64" --emit ttir -o - | FileCheck %s --check-prefix=MATH
# MATH: arith.constant 9.500000e+00 : f64

#--- doubles.py
import triton
import triton.language as tl
A = tl.constexpr(1)
B = A + A + A + A + A + A + A + A + A + A + A + A + A + A + A + A
C = B * B * B * B * B
D = C * C
@triton.jit
def k(p):
    tl.store(p, D)
#--- cycle.py
import triton
import triton.language as tl
A = tl.constexpr(B)
B = A
@triton.jit
def k(p):
    tl.store(p, A)
#--- math.py
import math
import triton
import triton.language as tl
@triton.jit
def k(p):
    tl.store(p, math.sqrt(4.0) + math.log2(8) + math.ceil(3.2) + 0.5)
