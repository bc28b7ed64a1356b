# A kernel is found whatever its decorator is called and however it is wrapped; where it cannot be
# reached, the message says where it is.
# RUN: split-file %s %t
# RUN: bash -c 'cd %t; for f in alias name call call-as autotune wrapped star conditional; do tessera compile $f.py --kernel-name k --signature "*i32" --emit ttir -o - | FileCheck %s || exit 1; done'
# CHECK: tt.func public @k(
# CHECK: arith.constant 7 : i32

# RUN: not tessera compile %t/class.py --signature "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=CLASS
# CLASS: at its top level; 'k' (line 5) is inside the class 'Kernels'
# RUN: not tessera compile %t/maker.py --signature "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=MAKER
# MAKER: 'k' (line 5) is inside the function 'make'
# RUN: not tessera compile %t/unimported.py --signature "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=UNIMPORTED
# UNIMPORTED: 'k' (line 2) has @triton.jit, and nothing imports it from triton
# RUN: not tessera compile %t/gluon.py --signature "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=GLUON
# GLUON: 'k' (line 3) is a Gluon kernel, which is not supported yet

#--- alias.py
import triton
import triton.language as tl
compiled = triton.jit
@compiled
def k(p):
    tl.store(p, 7)
#--- name.py
from triton import jit as j, language as tl
@j(noinline=False)
def k(p):
    tl.store(p, 7)
#--- call.py
import triton
import triton.language as tl
def k(p):
    tl.store(p, 7)
k = triton.jit(k)
#--- call-as.py
import triton
import triton.language as tl
@triton.jit
def k(p):
    tl.store(p, 7)
tuned = triton.autotune(configs=[], key=[])(k)
#--- autotune.py
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({}, num_warps=8)], key=[])
@triton.heuristics({})
@triton.jit
def k(p):
    tl.store(p, 7)
#--- wrapped.py
import triton
import triton.language as tl
@triton.jit
def k(p):
    tl.store(p, 7)
k = triton.heuristics({})(k)
#--- star.py
from triton.language import *
import triton
@triton.jit
def k(p):
    store(p, 7)
#--- conditional.py
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None
if triton is not None:
    @triton.jit
    def k(p):
        tl.store(p, 7)
#--- class.py
import triton
import triton.language as tl
class Kernels:
    @triton.jit
    def k(p):
        tl.store(p, 7)
#--- maker.py
import triton
import triton.language as tl
def make():
    @triton.jit
    def k(p):
        tl.store(p, 7)
    return k
#--- unimported.py
@triton.jit
def k(p):
    tl.store(p, 7)
#--- gluon.py
from triton.experimental import gluon
@gluon.jit
def k(p):
    pass
