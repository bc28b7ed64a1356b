# An attempt whose PTX is that of an earlier one is not assembled again: a kernel without
# products is the same with and without loads carried in registers, and one element a thread
# leaves no arithmetic to move. The assembler here is a
# script that says of every kernel that it spills.
# RUN: sed -n 's/^#! //p' %s > %t.ptxas && chmod +x %t.ptxas
# RUN: tessera compile %s -s "*fp32:16,128" --target cuda:90 --emit cubin -o %t --ptxas %t.ptxas --cache-dir %t.cache --verbose 2>&1 | FileCheck %s
#! #!/bin/sh
#! for word; do [ "$last" = -o ] && printf '\177ELF' > "$word"; last=$word; done
#! echo "ptxas info    : 0 bytes stack frame, 400 bytes spill stores, 400 bytes spill loads"
#! echo "ptxas info    : Used 40 registers, used 0 barriers"
import triton
import triton.language as tl


# CHECK: tried the usual way: 40 registers, 800 bytes spilled; with all registers: 40 registers, 800 bytes spilled; kept the usual way
@triton.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))
