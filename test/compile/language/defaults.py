# Default values: of functions that a kernel calls, where they may read any global; and of the kernel
# itself, for the last parameters that a signature leaves out.
# RUN: split-file %s %t
# RUN: tessera compile %t/defaults.py -n callee -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix=CALLEE
# CALLEE-DAG: arith.constant 9 : i32
# CALLEE-DAG: arith.constant 2 : i32
# CALLEE-DAG: arith.constant 7.000000e+00 : f32
# CALLEE: tt.store
# RUN: tessera compile %t/defaults.py -n kernel -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=KERNEL
# KERNEL: tt.func public @kernel(%p: !tt.ptr<f32> {{.*}}, %n: i32 loc({{.*}})) attributes
# KERNEL-DAG: arith.constant 84 : i32
# KERNEL-DAG: arith.constant 5.000000e-01 : f32
# RUN: tessera compile %t/defaults.py -n kernel -s "*fp32,i32,1,fp32" --emit ttir -o - | FileCheck %s --check-prefix=GIVEN
# GIVEN: tt.func public @kernel(%p: !tt.ptr<f32> {{.*}}, %n: i32 {{.*}}, %eps: f32 loc({{.*}})) attributes
# GIVEN: arith.constant 21 : i32
# The metadata say what was compiled in.
# RUN: tessera compile %t/defaults.py -n kernel -s "*fp32,i32" --emit json -g 1,1,1 -o %t/kernel && FileCheck %s --check-prefix=JSON --input-file %t/kernel.json
# JSON: "constant": "64"
# JSON-NEXT: "name": "BLOCK"
# JSON: "constant": "0.5"
# JSON: "constant": "None"
# JSON: "constant": "tl.float32"

#--- defaults.py
import triton
import triton.language as tl
import settings
BLOCK_SIZE = 32
LIST = [1, 2, 3]

@triton.jit
def double(x):
    return x * 2

@triton.jit
def apply(x, fn=double, scale=BLOCK_SIZE // 8 + len(LIST), dtype=tl.float32, extra=None, name: tl.constexpr = "plus"):
    if extra is not None:
        x += extra
    return fn(x).to(dtype) + scale if name == "plus" else fn(x)

@triton.jit
def callee(p):
    tl.store(p, apply(tl.program_id(0), extra=9))

@triton.jit
def kernel(p, n, BLOCK: tl.constexpr = BLOCK_SIZE * 2, eps=settings.EPS, bias=None, TYPE: tl.constexpr = tl.float32):
    if bias is None:
        tl.store(p, (n * (BLOCK + 20) + eps).to(TYPE))
#--- settings.py
EPS = 1 / 2
