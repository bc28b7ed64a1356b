# What ptxas rejects is told with the line of Python that the instruction came from.
#
# REQUIRES: ptxas
# RUN: not tessera compile %s -s "*i32" --target cuda:90 --emit cubin -o %t 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def wrong(x):
    i = tl.arange(0, 128)
    y = tl.inline_asm_elementwise("no.such.instruction $0, $1;", "=r,r", [tl.load(x + i)], tl.int32, True, 1)
    tl.store(x + i, y)


# CHECK: cannot assemble kernel 'wrong': ptxas ended with exit status 255
# CHECK-NEXT: {{.*}}assembler-errors.py:12: {{.*}}error
# CHECK-NEXT: no.such.instruction
