#: Arguments that functions of the standard library do not take.
import triton
import triton.language as tl


@triton.jit
def indices_of_everything(p):
    value, index = tl.max(tl.load(p + tl.arange(0, 8)), return_indices=True)
    tl.store(p, value)


@triton.jit
def no_such_axis(p):
    tl.store(p, tl.argmin(tl.load(p + tl.arange(0, 8)), 1))


@triton.jit
def xor_of_floats(p):
    tl.store(p, tl.xor_sum(tl.load(p + tl.arange(0, 8))))


@triton.jit
def or_of_floats(p):
    tl.store(p, tl.reduce_or(tl.load(p + tl.arange(0, 8)), 0))


@triton.jit
def sum_of_scalar(p):
    tl.store(p, tl.sum(tl.load(p)))


@triton.jit
def sort_first_axis(p):
    at = p + tl.reshape(tl.arange(0, 32), [4, 8])
    tl.store(at, tl.sort(tl.load(at), 0))


@triton.jit
def sort_scalar(p):
    tl.store(p, tl.sort(tl.load(p)))


@triton.jit
def best_three(p):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(p + tl.arange(0, 4), tl.topk(x, 3))


@triton.jit
def best_of_too_few(p):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(p + tl.arange(0, 16), tl.topk(x, 16))


@triton.jit
def flip_no_such_axis(p):
    at = p + tl.arange(0, 8)
    tl.store(at, tl.flip(tl.load(at), 1))


@triton.jit
def float_seed(p):
    i = tl.arange(0, 8)
    tl.store(p + i, tl.rand(1.5, i))


@triton.jit
def small_counter(p):
    i = tl.arange(0, 8).to(tl.int16)
    a, b, c, d = tl.philox(0, i, i, i, i)
    tl.store(p + tl.arange(0, 8), a)


@triton.jit
def sum_without_block(p):
    tl.store(p, tl.sum())


@triton.jit
def sum_over_unknown_keyword(p):
    tl.store(p, tl.sum(tl.load(p + tl.arange(0, 8)), axes=0))


@triton.jit
def run_time_axis(p, n):
    tl.store(p, tl.sum(tl.load(p + tl.arange(0, 8)), n))


@triton.jit
def squeeze_wide_axis(p):
    at = p + tl.arange(0, 8)
    tl.store(at, tl.squeeze(tl.load(at), 0))


# What the standard library's functions refuse: the error points at the kernel's call, not into the library.
# % k() { tessera compile stdlib.py -n "$1" -s "${2:-*fp32}" --emit ttir -o -; }
# $ k indices_of_everything
# | stdlib.py:7:20: error: tl.max: indices are along one axis: pass axis=
# |     value, index = tl.max(tl.load(p + tl.arange(0, 8)), return_indices=True)
# |                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ k no_such_axis
# | stdlib.py:13:17: error: tl.argmin: axis 1 is not one of a block of rank 1
# |     tl.store(p, tl.argmin(tl.load(p + tl.arange(0, 8)), 1))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ k xor_of_floats
# | stdlib.py:18:17: error: tl.xor_sum: only integers have bits to combine
# |     tl.store(p, tl.xor_sum(tl.load(p + tl.arange(0, 8))))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ k or_of_floats
# | stdlib.py:23:17: error: tl.reduce_or: only integers have bits to combine
# |     tl.store(p, tl.reduce_or(tl.load(p + tl.arange(0, 8)), 0))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ k sum_of_scalar
# | stdlib.py:28:17: error: tl.sum: reduce takes a block or a tuple of blocks, not a run-time scalar fp32
# |     tl.store(p, tl.sum(tl.load(p)))
# |                 ^~~~~~~~~~~~~~~~~~
# = 1
# $ k sort_first_axis
# | stdlib.py:34:18: error: tl.sort: only the last axis, 1, can be sorted, not 0
# |     tl.store(at, tl.sort(tl.load(at), 0))
# |                  ^~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ k sort_scalar
# | stdlib.py:39:17: error: tl.sort: a scalar has no elements to be sorted
# |     tl.store(p, tl.sort(tl.load(p)))
# |                 ^~~~~~~~~~~~~~~~~~~
# = 1
# $ k best_three
# | stdlib.py:45:35: error: tl.topk: k is a power of two up to 8, not 3
# |     tl.store(p + tl.arange(0, 4), tl.topk(x, 3))
# |                                   ^~~~~~~~~~~~~
# | stdlib.py:44:5: note: 'x' is a block fp32[8], from here
# = 1
# $ k best_of_too_few
# | stdlib.py:51:36: error: tl.topk: k is a power of two up to 8, not 16
# |     tl.store(p + tl.arange(0, 16), tl.topk(x, 16))
# |                                    ^~~~~~~~~~~~~~
# | stdlib.py:50:5: note: 'x' is a block fp32[8], from here
# = 1
# $ k flip_no_such_axis
# | stdlib.py:57:18: error: tl.flip: dim 1 is not an axis of a block of rank 1
# |     tl.store(at, tl.flip(tl.load(at), 1))
# |                  ^~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ k float_seed
# | stdlib.py:63:21: error: tl.rand: a seed is an integer
# |     tl.store(p + i, tl.rand(1.5, i))
# |                     ^~~~~~~~~~~~~~~
# | stdlib.py:62:5: note: 'i' is a block i32[8], from here
# = 1
# $ k small_counter
# | stdlib.py:69:18: error: tl.philox: a counter's words have 32 or 64 bits
# |     a, b, c, d = tl.philox(0, i, i, i, i)
# |                  ^~~~~~~~~~~~~~~~~~~~~~~~
# | stdlib.py:68:5: note: 'i' is a block i16[8], from here
# = 1
# $ k sum_without_block
# | stdlib.py:75:17: error: 'sum' needs 'input'; it takes input, axis=, keep_dims=, dtype=
# |     tl.store(p, tl.sum())
# |                 ^~~~~~~~
# = 1
# $ k sum_over_unknown_keyword
# | stdlib.py:80:54: error: 'sum' has no parameter 'axes'; it takes input, axis=, keep_dims=, dtype=
# |     tl.store(p, tl.sum(tl.load(p + tl.arange(0, 8)), axes=0))
# |                                                      ^~~~~~
# = 1
# $ k run_time_axis "*fp32,i32"
# | stdlib.py:85:17: error: tl.sum: reduce takes an axis of fp32[8], from -1 to 0, not a run-time scalar i32
# |     tl.store(p, tl.sum(tl.load(p + tl.arange(0, 8)), n))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | stdlib.py:84:22: note: 'n' is a run-time scalar i32, from here
# = 1
# $ k squeeze_wide_axis
# | stdlib.py:91:18: error: tl.squeeze: only an axis of size 1 can be dropped, not one of 8
# |     tl.store(at, tl.squeeze(tl.load(at), 0))
# |                  ^~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
