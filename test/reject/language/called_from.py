# What a target cannot do inside the standard library names the line that called it.
import triton
import triton.language as tl


@triton.jit
def long_sum(x_ptr):
    i = tl.arange(0, 65536)
    tl.store(x_ptr + i, tl.cumsum(tl.load(x_ptr + i), 0))


# $ tessera compile called_from.py -s "*i32" --target cuda:90 --num-warps 1 --emit ptx
# | tessera/stdlib/sums.py:76:12: unsupported: tensor of 65536 elements in 32 threads; with so many threads use blocks of at most 32768 elements
# | called_from.py:9:25: note: called from here
# = 3
