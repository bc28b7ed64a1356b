#: Block pointers whose base, shape, strides, offsets or order is wrong.
import triton
import triton.language as tl


@triton.jit
def base_is_number(x_ptr, n):
    p = tl.make_block_ptr(n, (n,), (1,), (0,), (16,), (0,))


@triton.jit
def base_is_block(x_ptr, n):
    p = tl.make_block_ptr(x_ptr + tl.arange(0, 16), (n,), (1,), (0,), (16,), (0,))


@triton.jit
def base_is_block_pointer(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    q = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))


@triton.jit
def lengths_differ(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0,), (16, 16), (1, 0))


@triton.jit
def no_axes(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (), (), (), (), ())


@triton.jit
def wide_offsets(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (n,), (16,), (0,))


@triton.jit
def large_offset(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (1 << 31,), (16,), (0,))


@triton.jit
def size_is_float(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (1.5,), (1,), (0,), (16,), (0,))


@triton.jit
def stride_is_block(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (tl.arange(0, 16),), (0,), (16,), (0,))


@triton.jit
def block_shape_at_run_time(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (n,), (0,))


@triton.jit
def block_shape_not_power_of_two(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (12,), (0,))


@triton.jit
def order_out_of_range(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (1,))


@triton.jit
def order_repeats(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (16, 16), (0, 0))


@triton.jit
def advance_pointer(x_ptr, n):
    x_ptr = tl.advance(x_ptr, (1,))


@triton.jit
def advance_offsets(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    p = tl.advance(p, (1, 2))


@triton.jit
def advance_is_dropped(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.advance(p, (1,))


@triton.jit
def add_to_block_pointer(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    p = p + 16


@triton.jit
def subscript_of_block_pointer(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    p = p[None]


@triton.jit
def load_with_mask(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, mask=n > 0)


@triton.jit
def load_with_other(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, other=0.0)


@triton.jit
def store_with_mask(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, 1.0, mask=n > 0)


@triton.jit
def boundary_out_of_range(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(1,))


@triton.jit
def boundary_at_run_time(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(n,))


@triton.jit
def boundary_repeats(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0, 0))


@triton.jit
def padding_unknown(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="one")


@triton.jit
def padding_nan_of_integers(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="nan")


@triton.jit
def store_other_type(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, 1)


@triton.jit
def store_other_shape(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, tl.zeros((8,), tl.float32))


@triton.jit
def store_const(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, 1.0)


@triton.jit
def store_block_pointer(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(x_ptr, p)


@triton.jit
def atomic_of_block_pointer(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.atomic_add(p, 1.0)

# % compile() { tessera compile block_pointers.py --kernel-name "$1" --signature "$2" --target "${3:-cuda:90}" --emit ttir -o -; }
# Making one.
# $ compile base_is_number "*fp32,i32"
# | block_pointers.py:7:9: error: make_block_ptr takes a scalar pointer to numbers as its base, not a run-time scalar i32
# |     p = tl.make_block_ptr(n, (n,), (1,), (0,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:6:27: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile base_is_block "*fp32,i32"
# | block_pointers.py:12:9: error: make_block_ptr takes a scalar pointer to numbers as its base, not a block *fp32[16]
# |     p = tl.make_block_ptr(x_ptr + tl.arange(0, 16), (n,), (1,), (0,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile base_is_block_pointer "*fp32,i32"
# | block_pointers.py:18:9: error: make_block_ptr takes a scalar pointer to numbers as its base, not a block pointer to fp32[16]
# |     q = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:17:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile lengths_differ "*fp32,i32"
# | block_pointers.py:23:9: error: make_block_ptr needs lists of one length: 'shape' has 2, 'strides' 2, 'offsets' 1, 'block_shape' 2, 'order' 2
# |     p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0,), (16, 16), (1, 0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:22:20: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile no_axes "*fp32,i32"
# | block_pointers.py:28:9: error: a block pointer has at least one axis; 'block_shape' is empty
# |     p = tl.make_block_ptr(x_ptr, (), (), (), (), ())
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:27:13: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile wide_offsets "*fp32,i64"
# | block_pointers.py:33:9: error: 'offsets' is made of 32-bit integers, not of a run-time scalar i64; convert with .to(tl.int32), or use pointers, which take 64-bit offsets
# |     p = tl.make_block_ptr(x_ptr, (n,), (1,), (n,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:32:18: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile large_offset "*fp32,i32"
# | block_pointers.py:38:9: error: 'offsets' is made of 32-bit integers, not of the int 2147483648
# |     p = tl.make_block_ptr(x_ptr, (n,), (1,), (1 << 31,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:37:18: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile size_is_float "*fp32,i32"
# | block_pointers.py:43:9: error: 'shape' is made of 64-bit integers, not of the float 1.5
# |     p = tl.make_block_ptr(x_ptr, (1.5,), (1,), (0,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:42:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile stride_is_block "*fp32,i32"
# | block_pointers.py:48:9: error: 'strides' is made of 64-bit integers, not of a block i32[16]; each element is a scalar
# |     p = tl.make_block_ptr(x_ptr, (n,), (tl.arange(0, 16),), (0,), (16,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:47:21: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile block_shape_at_run_time "*fp32,i32"
# | block_pointers.py:53:9: error: a shape is made of compile-time ints, not of a run-time scalar i32; make it a tl.constexpr parameter
# |     p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (n,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:52:29: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile block_shape_not_power_of_two "*fp32,i32"
# | block_pointers.py:58:9: error: a block's extents are powers of two; axis 0 of [12] has 12
# |     p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (12,), (0,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:57:34: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile order_out_of_range "*fp32,i32"
# | block_pointers.py:63:9: error: 'order' is a permutation of axis 0; it cannot have the int 1
# |     p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (16,), (1,))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:62:24: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile order_repeats "*fp32,i32"
# | block_pointers.py:68:9: error: 'order' is a permutation of axes 0 to 1; it cannot have the int 0 twice
# |     p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (16, 16), (0, 0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:67:19: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1

# Moving it.
# $ compile advance_pointer "*fp32,i32"
# | block_pointers.py:73:13: error: advance moves a block pointer, not a run-time scalar *fp32; add to a pointer with +
# |     x_ptr = tl.advance(x_ptr, (1,))
# |             ^~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:72:21: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile advance_offsets "*fp32,i32"
# | block_pointers.py:79:9: error: a block pointer to fp32[16] takes 1 offset, not 2
# |     p = tl.advance(p, (1, 2))
# |         ^~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:78:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile advance_is_dropped "*fp32,i32"
# | block_pointers.py:85:5: error: the result of advance is not used; it changes nothing, so write x = advance(...)
# |     tl.advance(p, (1,))
# |     ^~~~~~~~~~~~~~~~~~~
# = 1
# $ compile add_to_block_pointer "*fp32,i32"
# | block_pointers.py:91:9: error: operator '+' does not take a block pointer to fp32[16] and the int 16; tl.advance moves a block pointer
# |     p = p + 16
# |         ^~~~~~
# | block_pointers.py:90:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile subscript_of_block_pointer "*fp32,i32"
# | block_pointers.py:97:9: error: a block pointer *(fp32[16]) has no shape to change; tl.load gives the block
# |     p = p[None]
# |         ^~~~~~~
# = 1

# Loading and storing.
# $ compile load_with_mask "*fp32,i32"
# | block_pointers.py:103:5: error: a block pointer knows its bounds: it takes boundary_check and padding_option, not 'mask' and 'other'
# |     tl.load(p, mask=n > 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:102:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile load_with_other "*fp32,i32"
# | block_pointers.py:109:5: error: a block pointer knows its bounds: it takes boundary_check and padding_option, not 'mask' and 'other'
# |     tl.load(p, other=0.0)
# |     ^~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:108:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile store_with_mask "*fp32,i32"
# | block_pointers.py:115:5: error: a block pointer knows its bounds: it takes boundary_check and padding_option, not 'mask' and 'other'
# |     tl.store(p, 1.0, mask=n > 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:114:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile boundary_out_of_range "*fp32,i32"
# | block_pointers.py:121:5: error: boundary_check takes axis 0 of fp32[16], not the int 1
# |     tl.load(p, boundary_check=(1,))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:120:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile boundary_at_run_time "*fp32,i32"
# | block_pointers.py:127:5: error: boundary_check takes axis 0 of fp32[16], not a run-time scalar i32
# |     tl.load(p, boundary_check=(n,))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:126:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile boundary_repeats "*fp32,i32"
# | block_pointers.py:133:5: error: boundary_check names axis 0 twice
# |     tl.load(p, boundary_check=(0, 0))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:132:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile padding_unknown "*fp32,i32"
# | block_pointers.py:139:5: error: padding_option is one of "zero", "nan", not the string 'one'
# |     tl.load(p, boundary_check=(0,), padding_option="one")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:138:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile padding_nan_of_integers "*i32,i32"
# | block_pointers.py:145:5: error: padding_option "nan" needs a type that has NaN, and i32 has none; pad it with "zero"
# |     tl.load(p, boundary_check=(0,), padding_option="nan")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:144:5: note: 'p' is a block pointer to i32[16], from here
# = 1
# $ compile store_other_type "*fp32,i32"
# | block_pointers.py:151:5: error: store through a block pointer does not convert: the block is fp32[16] and the value i32; write value.to(tl.float32)
# |     tl.store(p, 1)
# |     ^~~~~~~~~~~~~~
# | block_pointers.py:150:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile store_other_shape "*fp32,i32"
# | block_pointers.py:157:5: error: store through a block pointer needs the block's shape: the block is fp32[16] and the value fp32[8]
# |     tl.store(p, tl.zeros((8,), tl.float32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:156:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile store_const "*kfp32,i32"
# | block_pointers.py:163:5: error: cannot store through a pointer to const *(fp32[16])
# |     tl.store(p, 1.0)
# |     ^~~~~~~~~~~~~~~~
# | block_pointers.py:162:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile store_block_pointer "*fp32,i32"
# | block_pointers.py:169:5: error: a block pointer does not convert: *(fp32[16]) to fp32
# |     tl.store(x_ptr, p)
# |     ^~~~~~~~~~~~~~~~~~
# | block_pointers.py:167:25: note: 'x_ptr' is a run-time scalar *fp32, from here
# | block_pointers.py:168:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
# $ compile atomic_of_block_pointer "*fp32,i32"
# | block_pointers.py:175:5: error: atomic_add takes a pointer or a block of pointers, not a block pointer to fp32[16]
# |     tl.atomic_add(p, 1.0)
# |     ^~~~~~~~~~~~~~~~~~~~~
# | block_pointers.py:174:5: note: 'p' is a block pointer to fp32[16], from here
# = 1
