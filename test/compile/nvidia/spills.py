# A kernel that spills is compiled again in other ways, and the best is kept; --verbose says so.
# REQUIRES: ptxas
# RUN: tessera compile %s --kernel-name wide --signature "*fp16:16,*fp16:16,*fp32:16,i32,128,256" --target cuda:80 --num-warps 4 --num-stages 3 --emit cubin,json -o %t --verbose 2>&1 | FileCheck %s
# RUN: FileCheck %s --check-prefix=RECORD --input-file %t.json
# Dumps of one attempt do not overwrite those of another.
# RUN: tessera compile %s --kernel-name wide --signature "*fp16:16,*fp16:16,*fp32:16,i32,128,256" --target cuda:80 --num-warps 4 --num-stages 3 --emit cubin -o %t4 --dump-dir %t4.dump --cache-dir %t4.cache
# RUN: ls %t4.dump | FileCheck %s --check-prefix=DUMPS
# A limit that the user sets is kept to, whatever it costs.
# RUN: tessera compile %s --kernel-name wide --signature "*fp16:16,*fp16:16,*fp32:16,i32,128,256" --target cuda:80 --num-warps 4 --num-stages 3 --maxnreg 128 --emit cubin -o %t2 --verbose 2>&1 | FileCheck %s --check-prefix=LIMITED
# A kernel that fits is compiled once.
# RUN: tessera compile %s --kernel-name wide --signature "*fp16:16,*fp16:16,*fp32:16,i32,64,64" --target cuda:80 --emit cubin -o %t3 --verbose 2>&1 | FileCheck %s --check-prefix=FITS
import triton
import triton.language as tl


# CHECK: wide: ptxas {{.*}}: 255 registers, {{[0-9]+}} bytes spilled
# CHECK-NEXT: tried the usual way: {{[0-9]+}} registers, {{[0-9]+}} bytes spilled; with all registers: 255 registers, {{.*}}; kept {{.*}}with all registers
# DUMPS: make_ttgir
# DUMPS: make_ttgir-attempt-3
# RECORD: "attempts": "the usual way: {{.*}}; kept
# LIMITED: wide: ptxas {{.*}}: 128 registers
# LIMITED-NOT: tried
# FITS: wide: ptxas {{.*}} 0 bytes spilled
# FITS-NOT: tried
@triton.jit
def wide(a, b, c, count, M: tl.constexpr, N: tl.constexpr):
    """256 sums in each thread: more than a thread has registers for, operands and addresses included."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64)
    total = tl.zeros((M, N), tl.float32)
    for i in range(count):
        x = tl.load(a + m[:, None] * 4096 + (i * 64 + k)[None, :])
        y = tl.load(b + (i * 64 + k)[:, None] * 4096 + n[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total)
