# Functions of each element that do not take what they are given.
import triton
import triton.language as tl


@triton.jit
def where_pointer_and_number(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.where(x > 0, p, 1)


@triton.jit
def where_shapes(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.where(x > 0, x, tl.arange(0, 8))


@triton.jit
def minimum_of_pointers(p, n):
    r = tl.minimum(p, p)


@triton.jit
def maximum_nan_flag(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.maximum(x, x, propagate_nan=True)


@triton.jit
def clamp_of_integers(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.clamp(q, 0, 5)


@triton.jit
def min_of_text(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = min(x, 'small')


@triton.jit
def max_of_nan(p, n):
    r = max(1.0, float('nan'))


@triton.jit
def max_of_one(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = max(x)


@triton.jit
def exp_of_half(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.exp(x.to(tl.float16))


@triton.jit
def sqrt_rn_of_double(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.sqrt_rn(x.to(tl.float64))


@triton.jit
def div_rn_of_double(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.div_rn(x, x.to(tl.float64))


@triton.jit
def fdiv_of_integers(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.fdiv(q, q)


@triton.jit
def fdiv_of_two_types(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.fdiv(x, x.to(tl.float64))


@triton.jit
def fma_of_integers(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.fma(q, q, q)


@triton.jit
def umulhi_of_bytes(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = tl.umulhi(q.to(tl.int8), 5)


@triton.jit
def umulhi_of_floats(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.umulhi(x, x)


@triton.jit
def abs_of_pointer(p, n):
    r = tl.abs(p)


@triton.jit
def logical_and_of_integers(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = q.logical_and(q)


@triton.jit
def method_of_number(p, n):
    r = (5).exp()


@triton.jit
def cast_to_number(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(32)


@triton.jit
def cast_rounding_name(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float16, fp_downcast_rounding='up')


@triton.jit
def cast_rounding_wider(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float64, fp_downcast_rounding='rtz')


@triton.jit
def cast_rounding_integer(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.int32, fp_downcast_rounding='rtz')


@triton.jit
def cast_bits(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.int16, bitcast=True)


@triton.jit
def cast_pointer(p, n):
    r = p.to(tl.int32)


@triton.jit
def cast_to_pointer(p, n):
    q = tl.load(n + tl.arange(0, 16))
    r = q.to(tl.pointer_type(tl.float32))


@triton.jit
def cast_fp8_to_integer(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float8e5).to(tl.int8)


@triton.jit
def cast_fp8_of_other_targets(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float8e4b8)


@triton.jit
def cast_storage(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float8e4b15).to(tl.bfloat16)


@triton.jit
def storage_arithmetic(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float8e4b15) + x.to(tl.float8e4b15)


@triton.jit
def storage_comparison(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float8e4b15) < x.to(tl.float8e4b15)

# % compile() { tessera compile elementwise.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Choices and extrema.
# $ compile where_pointer_and_number
# | elementwise.py:9:9: error: where cannot choose between a run-time scalar *fp32 and the int 1
# |     r = tl.where(x > 0, p, 1)
# |         ^~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:7:30: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile where_shapes
# | elementwise.py:15:9: error: shapes [16] and [8] do not broadcast: axis 0 has sizes 16 and 8
# |     r = tl.where(x > 0, x, tl.arange(0, 8))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:14:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile minimum_of_pointers
# | elementwise.py:20:9: error: minimum takes numbers, not *fp32
# |     r = tl.minimum(p, p)
# |         ^~~~~~~~~~~~~~~~
# | elementwise.py:19:25: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile maximum_nan_flag
# | elementwise.py:26:9: error: maximum takes propagate_nan=tl.PropagateNan.ALL or NONE, not True
# |     r = tl.maximum(x, x, propagate_nan=True)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:25:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile clamp_of_integers
# | elementwise.py:32:9: error: clamp takes floats, not i32[16]; use tl.minimum and tl.maximum for integers
# |     r = tl.clamp(q, 0, 5)
# |         ^~~~~~~~~~~~~~~~~
# | elementwise.py:31:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile min_of_text
# | elementwise.py:38:9: error: min and max take numbers and tensors, not the string 'small'
# |     r = min(x, 'small')
# |         ^~~~~~~~~~~~~~~
# | elementwise.py:37:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile max_of_nan
# | elementwise.py:43:9: error: min and max of a compile-time NaN or -0.0; tl.minimum and tl.maximum define it
# |     r = max(1.0, float('nan'))
# |         ^~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile max_of_one
# | elementwise.py:49:9: error: min and max take two operands or more here; tl.min(x, axis) and tl.max(x, axis) reduce a tensor
# |     r = max(x)
# |         ^~~~~~
# | elementwise.py:48:5: note: 'x' is a block fp32[16], from here
# = 1

# Functions of tl.math.
# $ compile exp_of_half
# | elementwise.py:55:9: error: exp takes fp32 or fp64, not fp16[16]; convert with .to(tl.float32)
# |     r = tl.exp(x.to(tl.float16))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile sqrt_rn_of_double
# | elementwise.py:61:9: error: sqrt_rn takes fp32, not fp64[16]; convert with .to(tl.float32)
# |     r = tl.sqrt_rn(x.to(tl.float64))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile div_rn_of_double
# | elementwise.py:67:9: error: div_rn takes fp32, not fp64[16]; convert with .to(tl.float32)
# |     r = tl.div_rn(x, x.to(tl.float64))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:66:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile fdiv_of_integers
# | elementwise.py:73:9: error: fdiv takes two floats of one type, not i32[16] and i32[16]; convert with .to(...)
# |     r = tl.fdiv(q, q)
# |         ^~~~~~~~~~~~~
# | elementwise.py:72:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile fdiv_of_two_types
# | elementwise.py:79:9: error: fdiv takes two floats of one type, not fp32[16] and fp64[16]; convert with .to(...)
# |     r = tl.fdiv(x, x.to(tl.float64))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:78:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile fma_of_integers
# | elementwise.py:85:9: error: fma takes floats, not i32[16]
# |     r = tl.fma(q, q, q)
# |         ^~~~~~~~~~~~~~~
# | elementwise.py:84:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile umulhi_of_bytes
# | elementwise.py:91:9: error: umulhi takes integers of 32 or 64 bits, not i8[16]; convert with .to(tl.uint32)
# |     r = tl.umulhi(q.to(tl.int8), 5)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile umulhi_of_floats
# | elementwise.py:97:9: error: umulhi takes integers of 32 or 64 bits, not fp32[16]; convert with .to(tl.uint32)
# |     r = tl.umulhi(x, x)
# |         ^~~~~~~~~~~~~~~
# | elementwise.py:96:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile abs_of_pointer
# | elementwise.py:102:9: error: abs takes integers and floats, not *fp32
# |     r = tl.abs(p)
# |         ^~~~~~~~~
# | elementwise.py:101:20: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile logical_and_of_integers
# | elementwise.py:108:9: error: logical_and and logical_or take bools, not i32[16]; compare with 0
# |     r = q.logical_and(q)
# |         ^~~~~~~~~~~~~~~~
# | elementwise.py:107:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile method_of_number
# | elementwise.py:113:9: error: '.exp' is for tensors, not for the compile-time value the int 5; write tl.exp(...)
# |     r = (5).exp()
# |         ^~~~~~~
# = 1

# Casts.
# $ compile cast_to_number
# | elementwise.py:119:9: error: expected a dtype such as tl.float32, got the int 32
# |     r = x.to(32)
# |         ^~~~~~~~
# | elementwise.py:118:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cast_rounding_name
# | elementwise.py:125:9: error: fp_downcast_rounding is "rtne" or "rtz", not the string 'up'
# |     r = x.to(tl.float16, fp_downcast_rounding='up')
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:124:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cast_rounding_wider
# | elementwise.py:131:9: error: fp_downcast_rounding is for conversions to a narrower float, not for fp32[16] to fp64
# |     r = x.to(tl.float64, fp_downcast_rounding='rtz')
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:130:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cast_rounding_integer
# | elementwise.py:137:9: error: fp_downcast_rounding is for conversions to a narrower float, not for fp32[16] to i32
# |     r = x.to(tl.int32, fp_downcast_rounding='rtz')
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:136:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cast_bits
# | elementwise.py:143:9: error: a bitcast keeps the width, and fp32[16] has 32 bits where i16[16] has 16
# |     r = x.to(tl.int16, bitcast=True)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:142:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cast_pointer
# | elementwise.py:148:9: error: a pointer converts to i64, u64 or bool, not to i32
# |     r = p.to(tl.int32)
# |         ^~~~~~~~~~~~~~
# | elementwise.py:147:18: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile cast_to_pointer
# | elementwise.py:154:9: error: only a 64-bit integer converts to a pointer, not i32[16]
# |     r = q.to(tl.pointer_type(tl.float32))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | elementwise.py:153:5: note: 'q' is a block i32[16], from here
# = 1
# $ compile cast_fp8_to_integer
# | elementwise.py:160:9: error: cannot convert fp8e5 to i8 directly; go through fp16 or fp32
# |     r = x.to(tl.float8e5).to(tl.int8)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile cast_fp8_of_other_targets
# | elementwise.py:166:9: error: the target has no type fp8e4b8; its 8-bit floats are fp8e5, fp8e4b15, fp8e4nv
# |     r = x.to(tl.float8e4b8)
# |         ^~~~~~~~~~~~~~~~~~~
# | elementwise.py:165:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile cast_storage
# | elementwise.py:172:9: error: fp8e4b15 converts from and to fp16 and fp32, not to bf16
# |     r = x.to(tl.float8e4b15).to(tl.bfloat16)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile storage_arithmetic
# | elementwise.py:178:9: error: operator '+' does not take a block fp8e4b15[16] and a block fp8e4b15[16]; fp8e4b15 is for storage, convert with .to(...)
# |     r = x.to(tl.float8e4b15) + x.to(tl.float8e4b15)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile storage_comparison
# | elementwise.py:184:9: error: operator '<' does not take a block fp8e4b15[16] and a block fp8e4b15[16]; fp8e4b15 is for storage, convert with .to(...)
# |     r = x.to(tl.float8e4b15) < x.to(tl.float8e4b15)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
