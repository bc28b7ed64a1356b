# Trap 25 of the language: Run-time loop bodies are traced twice
# RUN: tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        for j in range(n):
            tl.static_print("traced")     # printed 4 times by Triton 3.6.0


# Once here: what a loop carries is found without a second look.
# CHECK: {{^}}traced
# CHECK-NOT: {{^}}traced
