# A kernel whose products ptxas serialises is compiled again with a wait for each dot, and the better one is kept. The assembler here is
# a script that serialises dots which run into the next iteration.
# RUN: sed -n 's/^#! //p' %s > %t.ptxas && chmod +x %t.ptxas
# RUN: tessera compile %s -n product -s "*fp16:16,*fp16:16,*fp32:16,i32" --target cuda:90 --emit cubin,json -o %t --ptxas %t.ptxas --cache-dir %t.cache --verbose 2>&1 | FileCheck %s
# RUN: FileCheck %s --check-prefix RECORD --input-file %t.json
#! #!/bin/sh
#! for word; do
#!   [ "$last" = -o ] && printf '\177ELF' > "$word"
#!   case "$word" in -*) ;; *) [ "$last" != -o ] && grep -q "wait_group.sync.aligned 1" "$word" && says=yes ;; esac
#!   last=$word
#! done
#! [ "$says" = yes ] && echo "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to a test"
#! echo "ptxas info    : 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
#! echo "ptxas info    : Used 90 registers, used 0 barriers"
import triton
import triton.language as tl

# CHECK: tried the usual way: 90 registers, 0 bytes spilled, C7510: wgmma.mma_async instructions are serialized due to a test; awaiting each product where it is: 90 registers, 0 bytes spilled; kept awaiting each product where it is
# RECORD-NOT: assembler_advice
# RECORD: "attempts"


@triton.jit
def product(a_ptr, b_ptr, out_ptr, n):
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    total = tl.zeros((64, 64), tl.float32)
    for step in range(n):
        a = tl.load(a_ptr + step * 4096 + i[:, None] * 64 + k[None, :])
        b = tl.load(b_ptr + step * 4096 + k[:, None] * 64 + i[None, :])
        total = tl.dot(a, b, total)
    tl.store(out_ptr + i[:, None] * 64 + i[None, :], total)
