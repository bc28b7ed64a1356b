#: Operations on types that do not go together, and numbers that do not fit.
import triton
import triton.language as tl


@triton.jit
def literal_too_large(p):
    tl.store(p, tl.load(p) + 300)


@triton.jit
def literal_too_small(p):
    tl.store(p, tl.load(p) * -200)


@triton.jit
def negative_for_unsigned(p):
    tl.store(p, tl.load(p) + -1)


@triton.jit
def mixed_signs(p, n):
    tl.store(p, tl.load(p) // n)


@triton.jit
def fp8_with_integer(p, n):
    tl.store(p, tl.load(p) + n)


@triton.jit
def pointer_difference(p, q):
    tl.store(p, p - q)


@triton.jit
def integer_minus_pointer(p, n):
    tl.store(n - p, 1.0)


@triton.jit
def scaled_pointer(p):
    tl.store(p * 2, 1.0)


@triton.jit
def float_offset(p, x):
    tl.store(p + x, 1.0)


@triton.jit
def float_division(p, x):
    tl.store(p, x // 2)


@triton.jit
def float_shift(p, x):
    tl.store(p, x << 2)


@triton.jit
def float_bits(p, x):
    tl.store(p, x | 1)


@triton.jit
def axes_differ(p):
    i = tl.arange(0, 8)
    a = i[:, None] + i[None, :]
    b = tl.arange(0, 4)
    tl.store(p + a, a + b)


@triton.jit
def cast_unknown_rounding(p, n):
    tl.store(p, tl.load(p).to(tl.float16, fp_downcast_rounding="up"))


@triton.jit
def cast_needless_rounding(p, n):
    tl.store(p, n.to(tl.float32, fp_downcast_rounding="rtz"))


@triton.jit
def cast_bits_widths(p, n):
    tl.store(p, n.to(tl.float16, bitcast=True))


@triton.jit
def cast_integer_to_fp8(p, n):
    tl.store(p, n.to(tl.float8e5))


@triton.jit
def cast_pointer_narrow(p):
    tl.store(p, p.to(tl.int32))


@triton.jit
def cast_to_number(p):
    tl.store(p, tl.load(p).to(32))


@triton.jit
def shape_not_power_of_two(p):
    tl.store(p, tl.sum(tl.zeros((3, 4), tl.float32)))


@triton.jit
def shape_too_large(p):
    tl.store(p, tl.sum(tl.zeros((1024, 2048), tl.float32)))


@triton.jit
def shape_at_run_time(p, n):
    tl.store(p, tl.sum(tl.zeros((n,), tl.float32)))


@triton.jit
def type_of_another_target(p):
    tl.store(p, tl.load(p))

# % compile() { tessera compile types.py --kernel-name "$1" --signature "$2" --emit ttir -o -; }
# Numbers in arithmetic.
# $ compile literal_too_large "*u8"
# | types.py:7:17: error: the int 300 does not fit in u8, the type the operation computes in
# |     tl.store(p, tl.load(p) + 300)
# |                 ^~~~~~~~~~~~~~~~
# = 1
# $ compile literal_too_small "*i8"
# | types.py:12:17: error: the int -200 does not fit in i8, the type the operation computes in
# |     tl.store(p, tl.load(p) * -200)
# |                 ^~~~~~~~~~~~~~~~~
# = 1
# $ compile negative_for_unsigned "*u8"
# | types.py:17:17: error: the int -1 is negative and the operation computes in u8; convert explicitly with .to(...)
# |     tl.store(p, tl.load(p) + -1)
# |                 ^~~~~~~~~~~~~~~
# = 1

# Operands.
# $ compile mixed_signs "*u32,i32"
# | types.py:22:17: error: cannot divide u32 by i32: the signedness differs; convert one with .to(...) first
# |     tl.store(p, tl.load(p) // n)
# |                 ^~~~~~~~~~~~~~~
# | types.py:21:20: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile fp8_with_integer "*fp8e5,i32"
# | types.py:27:17: error: cannot combine fp8e5 and i32; convert one with .to(...) first
# |     tl.store(p, tl.load(p) + n)
# |                 ^~~~~~~~~~~~~~
# | types.py:26:25: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile pointer_difference "*fp32,*fp32"
# | types.py:32:17: error: operator '-' does not take a run-time scalar *fp32 and a run-time scalar *fp32; tl.load reads what a pointer points to, .to(tl.int64) gives its address
# |     tl.store(p, p - q)
# |                 ^~~~~
# | types.py:31:24: note: 'p' is a run-time scalar *fp32, from here
# | types.py:31:27: note: 'q' is a run-time scalar *fp32, from here
# = 1
# $ compile integer_minus_pointer "*fp32,i32"
# | types.py:37:14: error: operator '-' does not take a run-time scalar i32 and a run-time scalar *fp32; a pointer takes + and - with an integer; tl.load reads what it points to, .to(tl.int64) gives its address
# |     tl.store(n - p, 1.0)
# |              ^~~~~
# | types.py:36:30: note: 'n' is a run-time scalar i32, from here
# | types.py:36:27: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile scaled_pointer "*fp32"
# | types.py:42:14: error: operator '*' does not take a run-time scalar *fp32 and the int 2; a pointer takes + and - with an integer; tl.load reads what it points to, .to(tl.int64) gives its address
# |     tl.store(p * 2, 1.0)
# |              ^~~~~
# | types.py:41:20: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile float_offset "*fp32,fp32"
# | types.py:47:14: error: operator '+' does not take a run-time scalar *fp32 and a run-time scalar fp32; offsets are integers: // divides them, .to(tl.int32) rounds
# |     tl.store(p + x, 1.0)
# |              ^~~~~
# | types.py:46:18: note: 'p' is a run-time scalar *fp32, from here
# | types.py:46:21: note: 'x' is a run-time scalar fp32, from here
# = 1
# $ compile float_division "*fp32,fp32"
# | types.py:52:17: error: operator '//' does not take a run-time scalar fp32 and the int 2; use tl.floor(x / y)
# |     tl.store(p, x // 2)
# |                 ^~~~~~
# | types.py:51:23: note: 'x' is a run-time scalar fp32, from here
# = 1
# $ compile float_shift "*fp32,fp32"
# | types.py:57:17: error: operator '<<' does not take a run-time scalar fp32 and the int 2; it is for integers
# |     tl.store(p, x << 2)
# |                 ^~~~~~
# | types.py:56:20: note: 'x' is a run-time scalar fp32, from here
# = 1
# $ compile float_bits "*fp32,fp32"
# | types.py:62:17: error: operator '|' does not take a run-time scalar fp32 and the int 1; it is for integers
# |     tl.store(p, x | 1)
# |                 ^~~~~
# | types.py:61:19: note: 'x' is a run-time scalar fp32, from here
# = 1
# $ compile axes_differ "*fp32"
# | types.py:70:21: error: shapes [8, 8] and [4] do not broadcast: axis 1 has sizes 8 and 4
# |     tl.store(p + a, a + b)
# |                     ^~~~~
# | types.py:68:5: note: 'a' is a block i32[8, 8], from here
# | types.py:69:5: note: 'b' is a block i32[4], from here
# = 1

# Casts.
# $ compile cast_unknown_rounding "*fp32,i32"
# | types.py:75:17: error: fp_downcast_rounding is "rtne" or "rtz", not the string 'up'
# |     tl.store(p, tl.load(p).to(tl.float16, fp_downcast_rounding="up"))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile cast_needless_rounding "*fp32,i32"
# | types.py:80:17: error: fp_downcast_rounding is for conversions to a narrower float, not for i32 to fp32
# |     tl.store(p, n.to(tl.float32, fp_downcast_rounding="rtz"))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | types.py:79:31: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile cast_bits_widths "*fp32,i32"
# | types.py:85:17: error: a bitcast keeps the width, and i32 has 32 bits where fp16 has 16
# |     tl.store(p, n.to(tl.float16, bitcast=True))
# |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | types.py:84:25: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile cast_integer_to_fp8 "*fp8e5,i32"
# | types.py:90:17: error: cannot convert i32 to fp8e5 directly; go through fp16 or fp32
# |     tl.store(p, n.to(tl.float8e5))
# |                 ^~~~~~~~~~~~~~~~~
# | types.py:89:28: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile cast_pointer_narrow "*fp32"
# | types.py:95:17: error: a pointer converts to i64, u64 or bool, not to i32
# |     tl.store(p, p.to(tl.int32))
# |                 ^~~~~~~~~~~~~~
# | types.py:94:25: note: 'p' is a run-time scalar *fp32, from here
# = 1
# $ compile cast_to_number "*fp32"
# | types.py:100:17: error: expected a dtype such as tl.float32, got the int 32
# |     tl.store(p, tl.load(p).to(32))
# |                 ^~~~~~~~~~~~~~~~~
# = 1

# Shapes and types.
# $ compile shape_not_power_of_two "*fp32"
# | types.py:105:24: error: tl.zeros: a block's extents are powers of two; axis 0 of [3, 4] has 3
# |     tl.store(p, tl.sum(tl.zeros((3, 4), tl.float32)))
# |                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile shape_too_large "*fp32"
# | types.py:110:24: error: tl.zeros: a block has at most 1048576 elements; shape [1024, 2048] has more
# |     tl.store(p, tl.sum(tl.zeros((1024, 2048), tl.float32)))
# |                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile shape_at_run_time "*fp32,i32"
# | types.py:115:24: error: tl.zeros: a shape is made of compile-time ints, not of a run-time scalar i32; make it a tl.constexpr parameter
# |     tl.store(p, tl.sum(tl.zeros((n,), tl.float32)))
# |                        ^~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile type_of_another_target "*fp8e4b8"
# | types.py:119:28: error: the target has no type fp8e4b8; its 8-bit floats are fp8e5, fp8e4b15, fp8e4nv
# | def type_of_another_target(p):
# |                            ^
# = 1
