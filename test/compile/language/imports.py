# What a kernel's file imports from beside it: modules, packages, relative and star imports, names
# handed on, modules that import each other; and how a file chooses between two imports.
# RUN: split-file %s %t
# RUN: tessera compile %t/absolute.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=ABSOLUTE
# ABSOLUTE-DAG: arith.constant 26 : i32
# ABSOLUTE-DAG: arith.constant 22 : i32
# ABSOLUTE-DAG: arith.constant 16 : i32
# ABSOLUTE: %[[PID:.*]] = tt.get_program_id x
# ABSOLUTE: arith.muli %[[PID]], %c2_i32
# The function's own operations say where they are, and who called them.
# ABSOLUTE-DAG: utils.py":12:12)
# ABSOLUTE-DAG: loc(callsite(

# A kernel inside a package, with relative imports; the package hands its modules' names on, and its
# modules import each other.
# RUN: tessera compile %t/pkg/kernels.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=RELATIVE
# RUN: tessera compile %t/outside.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=RELATIVE
# Both stores are of the program's number and 17 = 3 + 3 + 11.
# RELATIVE: %c17_i32 = arith.constant 17 : i32
# RELATIVE: %[[SUM:.*]] = arith.addi %{{.*}}, %c17_i32
# RELATIVE: tt.store %p, %[[SUM]]
# RELATIVE: tt.store %p, %[[SUM]]

# A folder without __init__.py is a package as well.
# RUN: tessera compile %t/namespace.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=NAMESPACE
# NAMESPACE: arith.constant 5 : i32
# So may be one that the kernel's file is in, named from above; the name of no folder is no package.
# RUN: tessera compile %t/spaces/inner/inside.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=INSIDE
# RUN: cd %t/spaces/inner && tessera compile inside.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=INSIDE
# INSIDE: arith.constant 12 : i32
# RUN: not tessera compile %t/spaces/inner/elsewhere.py -s "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
# ELSEWHERE: error: 'outer.numbers.SEVEN' cannot be used in a kernel (line 1: imported from 'outer.numbers', which the compiler does not know)

# The kernel itself may be an imported one; it is not listed among the file's own.
# RUN: tessera compile %t/reexport.py -n k -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=REEXPORT
# REEXPORT: tt.func public @k
# REEXPORT: absolute.py

# Conditions that the file's own text decides, and those that only the host can.
# RUN: tessera compile %t/choices.py -n k -s "*i32" --emit ttir -o - 2>%t/warnings | FileCheck %s --check-prefix=CHOICES
# CHOICES: arith.constant 1111121 : i32
# CHOICES: arith.constant 5 : i32
# RUN: FileCheck %s --check-prefix=WARNINGS --input-file %t/warnings
# WARNINGS: choices.py:47:21: warning: 'GUESS' depends on a condition (line 31) that only Python can evaluate; its first branch was taken
# WARNINGS-NOT: warning

# A module with an error matters only to those who need it.
# RUN: tessera compile %t/unneeded.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=UNNEEDED
# UNNEEDED: arith.constant 3 : i32

# Projects wrap the import of Triton; where that module is not at hand, its names say enough.
# RUN: tessera compile %t/wrapped.py -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=WRAPPED
# WRAPPED: arith.constant 4 : i32

#--- utils.py
"""Beside the kernel's file."""
import triton
import triton.language as tl

K = 4
C = tl.constexpr(16)
SIZES = [8, 16, 32]
TABLE = {"a": 5, "b": 6}

@triton.jit
def twice(x):
    return x * FACTOR

FACTOR = tl.constexpr(2)
#--- absolute.py
import triton
import triton.language as tl
import utils
import utils as also, pkg.sub.deep as deep
import pkg.sub.deep
from utils import C, twice as double

@triton.jit
def k(p):
    tl.store(p + C, double(tl.program_id(0)))
    tl.store(p, utils.K + also.SIZES[1] + utils.TABLE["b"])  # attributes of modules are read freely
    tl.store(p, deep.PLAIN + pkg.sub.deep.PLAIN)
#--- pkg/__init__.py
from .ops import add_six
from . import ops
from .sub.deep import *
#--- pkg/ops.py
import triton
from .sub import deep
from .sub.deep import DEEP as THREE

@triton.jit
def add_six(x):
    return x + deep.DEEP + THREE.value
#--- pkg/sub/__init__.py
#--- pkg/sub/deep.py
import triton
import triton.language as tl
from ..ops import add_six as upwards  # which imports this module

DEEP = tl.constexpr(3)
PLAIN = 11

@triton.jit
def deep_function(x):
    return upwards(x) + PLAIN_CONSTEXPR

PLAIN_CONSTEXPR = tl.constexpr(PLAIN)
#--- pkg/kernels.py
import triton
import triton.language as tl
from .sub.deep import deep_function
from .sub import deep
from . import ops

@triton.jit
def k(p):
    tl.store(p, deep_function(tl.program_id(0)))
    tl.store(p, ops.add_six(tl.program_id(0)) + deep.PLAIN)
#--- outside.py
import triton
import triton.language as tl
import pkg
from pkg import deep_function

@triton.jit
def k(p):
    tl.store(p, deep_function(tl.program_id(0)))
    tl.store(p, pkg.add_six(tl.program_id(0)) + pkg.sub.deep.PLAIN)
#--- loose/constants.py
FIVE = 5
#--- namespace.py
import triton
import triton.language as tl
import loose.constants
from loose import constants as c

@triton.jit
def k(p):
    tl.store(p, loose.constants.FIVE)
    tl.store(p, c.FIVE)
#--- reexport.py
from absolute import k
#--- choices.py
from typing import TYPE_CHECKING
import sys
import torch
import triton
import triton.language as tl
from packaging import version

if TYPE_CHECKING:
    from somewhere import OLD
else:
    OLD = tl.constexpr(1)
try:
    from not_installed import helper
except ImportError:
    @triton.jit
    def helper(x):
        return x + 20
if triton.__version__ >= "3":
    NEW = tl.constexpr(100)
else:
    NEW = None
if version.parse(triton.__version__) >= version.parse("3.10"):
    NEWER = None
else:
    NEWER = tl.constexpr(1000)
HAS = tl.constexpr(10000 if hasattr(tl, "make_tensor_descriptor") else 0)
HAS_NOT = tl.constexpr(100000 if not hasattr(tl, "no_such_function") else 0)
if sys.version_info >= (3, 8):
    PYTHON = tl.constexpr(1000000)
# Only the host knows: the branch that binds what is asked is taken, and the first of two.
if torch.cuda.is_available():
    GUESS = tl.constexpr(5)
else:
    GUESS = tl.constexpr(6)
if torch.version.hip:
    pass
else:
    ONLY_HERE = tl.constexpr(7)
if __name__ == "__main__":
    HAS = tl.constexpr(0)
    torch.manual_seed(0)

@triton.jit
def k(p):
    tl.store(p, OLD + NEW + NEWER + HAS + HAS_NOT + PYTHON + helper(0))
    tl.store(p + 1, OLD + 20 + NEW + NEWER + HAS + HAS_NOT + PYTHON)
    tl.store(p + 2, GUESS)
    tl.store(p + 3, ONLY_HERE)
#--- broken.py
def f(x:
    return x
#--- unneeded.py
import triton
import triton.language as tl
import broken
from broken import f

@triton.jit
def k(p):
    tl.store(p, 3)
#--- wrapped.py
from some_project.triton_utils import tl, triton

@triton.jit
def k(p):
    tl.store(p, 4)
#--- spaces/numbers.py
SEVEN = 7
#--- spaces/inner/numbers.py
import triton.language as tl
FIVE: tl.constexpr = tl.constexpr(5)
#--- spaces/inner/inside.py
import triton
import triton.language as tl
import spaces.inner.numbers
from spaces.numbers import SEVEN as OTHER

SUM = tl.constexpr(spaces.inner.numbers.FIVE.value + OTHER)


@triton.jit
def k(p):
    tl.store(p, SUM)
#--- spaces/inner/elsewhere.py
from outer.numbers import SEVEN
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.store(p, SEVEN)
