# What a file asks of Python's own modules before it defines its kernels: the environment, which is
# empty; versions, by functions of the operator module; modules by name. Warnings are passed over.
# RUN: tessera compile %s -s "*i32" --emit ttir -o - 2>%t | FileCheck %s
# RUN: FileCheck %s --check-prefix=QUIET --allow-empty --input-file %t
# CHECK: arith.constant 1111 : i32
# QUIET-NOT: warning
import importlib
import operator
import os
import warnings

import triton
import triton.language as tl
from packaging.version import Version


def is_at_least(package, compare, version):
    try:
        module = importlib.import_module(package)
    except ImportError:
        return False
    return compare(Version(module.__version__), Version(version))


def platform():
    try:
        return triton.runtime.driver.active.get_current_target().nowhere
    except Exception:
        warnings.warn("no device", stacklevel=2)
        return "none"


if os.environ.get("FAST_MATH", "0") == "1":
    A = tl.constexpr(2)
else:
    A = tl.constexpr(1)

if is_at_least("triton", operator.ge, "3.0.0"):
    B = tl.constexpr(10)
else:
    B = tl.constexpr(20)

C = tl.constexpr(200 if platform() == "some" else 100)
D = tl.constexpr(1000 if os.getenv("SOME_SETTING") is None else 2000)


@triton.jit
def k(p):
    tl.store(p, A + B + C + D)
