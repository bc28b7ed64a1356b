# Functions of libdevice on types that they do not take.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def tanh_of_half(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = libdevice.tanh(x.to(tl.float16))


@triton.jit
def tanh_of_integer(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = libdevice.tanh(q)


@triton.jit
def pow_of_two_types(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = libdevice.pow(x, x.to(tl.float64))


@triton.jit
def mulhi_of_two_signs(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = libdevice.mulhi(q, q.to(tl.uint32))


@triton.jit
def clz_of_bytes(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = libdevice.clz(q.to(tl.int8))


@triton.jit
def tanh_of_pointer(p, n):
    r = libdevice.tanh(p)


@triton.jit
def norm3d_of_two(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = libdevice.norm3d(x, x)


@triton.jit
def fma_shapes(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = libdevice.fma(x, x[:, None], tl.arange(0, 8).to(tl.float32))


@triton.jit
def misspelt(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = libdevice.tahn(x)


@triton.jit
def not_there(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = libdevice.fast_tanhf(x)


@triton.jit
def in_the_language(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.tanh(x)


@triton.jit
def in_math(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.math.pow(x, x)

# % compile() { tessera compile libdevice.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Types.
# $ compile tanh_of_half
# | libdevice.py:10:9: error: libdevice.tanh takes (fp32) or (fp64), not (fp16); convert with .to(...)
# |     r = libdevice.tanh(x.to(tl.float16))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile tanh_of_integer
# | libdevice.py:16:9: error: libdevice.tanh takes (fp32) or (fp64), not (i32); convert with .to(...)
# |     r = libdevice.tanh(q)
# |         ^~~~~~~~~~~~~~~~~
# | libdevice.py:15:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile pow_of_two_types
# | libdevice.py:22:9: error: libdevice.pow takes (fp32, i32) or (fp64, i32) or (fp32, fp32) or (fp64, fp64), not (fp32, fp64); convert with .to(...)
# |     r = libdevice.pow(x, x.to(tl.float64))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | libdevice.py:21:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile mulhi_of_two_signs
# | libdevice.py:28:9: error: libdevice.mulhi takes (i32, i32) or (u32, u32) or (i64, i64) or (u64, u64), not (i32, u32); convert with .to(...)
# |     r = libdevice.mulhi(q, q.to(tl.uint32))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | libdevice.py:27:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile clz_of_bytes
# | libdevice.py:34:9: error: libdevice.clz takes (i32) or (i64), not (i8); convert with .to(...)
# |     r = libdevice.clz(q.to(tl.int8))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile tanh_of_pointer
# | libdevice.py:39:9: error: libdevice.tanh takes (fp32) or (fp64), not (*fp32); convert with .to(...)
# |     r = libdevice.tanh(p)
# |         ^~~~~~~~~~~~~~~~~
# | libdevice.py:38:21: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile norm3d_of_two
# | libdevice.py:45:9: error: norm3d needs 'arg2'; it takes arg0, arg1, arg2
# |     r = libdevice.norm3d(x, x)
# |         ^~~~~~~~~~~~~~~~~~~~~~
# | libdevice.py:44:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile fma_shapes
# | libdevice.py:51:9: error: shapes [16, 16] and [8] do not broadcast: axis 1 has sizes 16 and 8
# |     r = libdevice.fma(x, x[:, None], tl.arange(0, 8).to(tl.float32))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | libdevice.py:50:5: note: 'x' is a block fp32[16], from here
# = 1

# Names.
# $ compile misspelt
# | libdevice.py:57:9: error: triton.language.extra.libdevice has no 'tahn'; did you mean 'tan'?
# |     r = libdevice.tahn(x)
# |         ^~~~~~~~~~~~~~
# = 1
# $ compile not_there
# | libdevice.py:63:9: error: triton.language.extra.libdevice has no 'fast_tanhf'; did you mean 'fast_tanf'?
# |     r = libdevice.fast_tanhf(x)
# |         ^~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile in_the_language
# | libdevice.py:69:9: error: triton.language has no 'tanh'; it is in libdevice: from triton.language.extra import libdevice
# |     r = tl.tanh(x)
# |         ^~~~~~~
# = 1
# $ compile in_math
# | libdevice.py:75:9: error: triton.language.math has no 'pow'; it is in libdevice: from triton.language.extra import libdevice
# |     r = tl.math.pow(x, x)
# |         ^~~~~~~~~~~
# = 1
