# A loop that carries more than a thread can hold is compiled, with a warning; also if it comes from the cache.
import triton
import triton.language as tl


@triton.jit
def accumulate(x_ptr, n, SIZE: tl.constexpr):
    offsets = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.float32)
    for i in range(n):
        total += tl.load(x_ptr + i * SIZE + offsets)
    tl.store(x_ptr + offsets, total)


# $ tessera compile registers.py -n accumulate -s "*fp32,i32,32768" --target cuda:90 --emit ttgir -o out
# | registers.py:10:5: warning: each thread carries 256 registers of a fp32[32768] through this loop, and has 255: the rest is spilled to memory, and ptxas may take minutes; use smaller tiles, or num_warps=8
# |     for i in range(n):
# |     ^
# + out.ttgir
# = 0
# $ tessera compile registers.py -n accumulate -s "*fp32,i32,65536" --target cuda:90 --emit ttgir -o out
# | registers.py:10:5: warning: each thread carries 512 registers of a fp32[65536] through this loop, and has 255: the rest is spilled to memory, and ptxas may take minutes; use smaller tiles
# |     for i in range(n):
# |     ^
# + out.ttgir
# = 0
# $ tessera compile registers.py -n accumulate -s "*fp32,i32,16384" --target cuda:90 --emit ttgir -o out
# + out.ttgir
# = 0
