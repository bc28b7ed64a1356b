# Trap 27 of the language: No early exit from loops
# RUN: not tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
# RUN: not tessera compile %s -n breaks -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix BREAK
# RUN: not tessera compile %s -n continues -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix CONTINUE
# RUN: tessera compile %s -n flag -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix FLAG
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            return


@triton.jit
def breaks(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            break


@triton.jit
def continues(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            continue


@triton.jit
def flag(p, n):
    i = 0
    go = n > 0
    while go:
        i += 1
        go = (i < n) & (tl.load(p + i) != 0)
    tl.store(p, i)


# CHECK: error: a 'return' inside a loop is not part of the kernel language
# BREAK: error: 'break' is not part of the kernel language
# CONTINUE: error: 'continue' is not part of the kernel language
# FLAG: scf.while
