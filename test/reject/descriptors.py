#: Tensor descriptors whose base, shape, strides or block shape is wrong.
import triton
import triton.language as tl


@triton.jit
def base_is_number(x_ptr, n):
    d = tl.make_tensor_descriptor(n, [n], [1], [64])


@triton.jit
def base_of_bools(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])


@triton.jit
def shape_is_number(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, n, [1], [64])


@triton.jit
def no_axes(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [], [], [])


@triton.jit
def six_axes(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n] * 6, [1] * 6, [16] * 6)


@triton.jit
def lengths_differ(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [1], [16, 16])


@triton.jit
def last_stride_at_run_time(x_ptr, n, s):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, s], [16, 16])


@triton.jit
def last_stride_two(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 2], [16, 16])


@triton.jit
def narrow_block(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [16, 2])


@triton.jit
def block_not_power_of_two(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [48])


@triton.jit
def large_size(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [1 << 31], [1], [64])


@triton.jit
def padding_nan_of_integers(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64], padding_option="nan")


@triton.jit
def padding_unknown(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64], padding_option="one")


@triton.jit
def unknown_attribute(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    tl.store(x_ptr, d.pitch)


@triton.jit
def load_from_pointer(x_ptr, n):
    tl.load_tensor_descriptor(x_ptr, [0])


@triton.jit
def offsets_differ(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.load([0, 0])


@triton.jit
def offset_is_number(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.load(0)


@triton.jit
def wide_offset(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.load([n])


@triton.jit
def store_other_shape(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.store([0], tl.zeros((32,), tl.float32))


@triton.jit
def store_number(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.store([0], 1.0)


@triton.jit
def add_of_i64(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.atomic_add([0], d.load([0]))


@triton.jit
def max_of_fp32(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.atomic_max([0], d.load([0]))


@triton.jit
def and_of_fp32(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.atomic_and([0], d.load([0]))


@triton.jit
def add_other_type(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.atomic_add([0], tl.zeros((64,), tl.int32))


@triton.jit
def min_of_halves_without_tma(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
    d.atomic_min([0], d.load([0]))


@triton.jit
def gather_blocks(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [2, 64])
    d.gather(tl.arange(0, 8), 0)


@triton.jit
def gather_wide_elements(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 64])
    d.gather(tl.arange(0, 8), 0)


@triton.jit
def gather_few_rows(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 64])
    d.gather(tl.arange(0, 4), 0)


@triton.jit
def gather_narrow_rows(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 4])
    d.gather(tl.arange(0, 8), 0)


@triton.jit
def gather_one_row(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 64])
    d.gather(n, 0)


@triton.jit
def gather_wide_numbers(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 64])
    d.gather(tl.arange(0, 8).to(tl.int64), 0)


@triton.jit
def scatter_other_type(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 64])
    d.scatter(tl.zeros((8, 64), tl.float16), tl.arange(0, 8), 0)


@triton.jit
def scatter_other_shape(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [1, 64])
    d.scatter(tl.zeros((16, 64), tl.float32), tl.arange(0, 8), 0)

# % compile() { tessera compile descriptors.py --kernel-name "$1" --signature "$2" --target "${3:-cuda:90}" --emit ttir -o -; }
# Making one.
# $ compile base_is_number "*fp32,i32"
# | descriptors.py:7:9: error: make_tensor_descriptor takes a scalar pointer to numbers as its base, not a run-time scalar i32
# |     d = tl.make_tensor_descriptor(n, [n], [1], [64])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:6:27: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile base_of_bools "*u1,i32"
# | descriptors.py:12:9: error: make_tensor_descriptor takes elements of at least a byte, not bools; convert the pointer with .to(tl.pointer_type(tl.int8))
# |     d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:11:19: note: 'x_ptr' is a run-time scalar *u1, from here
# = 1
# $ compile shape_is_number "*fp32,i32"
# | descriptors.py:17:9: error: make_tensor_descriptor takes lists such as [M, N], not a run-time scalar i32
# |     d = tl.make_tensor_descriptor(x_ptr, n, [1], [64])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:16:21: note: 'x_ptr' is a run-time scalar *fp32, from here
# | descriptors.py:16:28: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile no_axes "*fp32,i32"
# | descriptors.py:22:9: error: a tensor descriptor has 1 to 5 axes, not 0
# |     d = tl.make_tensor_descriptor(x_ptr, [], [], [])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:21:13: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile six_axes "*fp32,i32"
# | descriptors.py:27:9: error: a tensor descriptor has 1 to 5 axes, not 6
# |     d = tl.make_tensor_descriptor(x_ptr, [n] * 6, [1] * 6, [16] * 6)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:26:14: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile lengths_differ "*fp32,i32"
# | descriptors.py:32:9: error: make_tensor_descriptor needs lists of one length: 'shape' has 2, 'strides' 1, 'block_shape' 2
# |     d = tl.make_tensor_descriptor(x_ptr, [n, n], [1], [16, 16])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:31:20: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile last_stride_at_run_time "*fp32,i32,i32"
# | descriptors.py:37:9: error: the last stride of a tensor descriptor is the compile-time int 1, not a run-time scalar i32; write 1, or make it a tl.constexpr parameter
# |     d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, s], [16, 16])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:36:29: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile last_stride_two "*fp32,i32"
# | descriptors.py:42:9: error: the last stride of a tensor descriptor is the compile-time int 1, not the int 2
# |     d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 2], [16, 16])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:41:21: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile narrow_block "*fp32,i32"
# | descriptors.py:47:9: error: the last axis of a descriptor's block has at least 16 bytes; that of fp32[16, 2] has 8
# |     d = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [16, 2])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:46:18: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile block_not_power_of_two "*fp32,i32"
# | descriptors.py:52:9: error: a block's extents are powers of two; axis 0 of [48] has 48
# |     d = tl.make_tensor_descriptor(x_ptr, [n], [1], [48])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:51:28: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile large_size "*fp32,i32"
# | descriptors.py:57:9: error: 'shape' is made of 32-bit integers, not of the int 2147483648
# |     d = tl.make_tensor_descriptor(x_ptr, [1 << 31], [1], [64])
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:56:16: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile padding_nan_of_integers "*i32,i32"
# | descriptors.py:62:9: error: padding_option "nan" needs a type that has NaN, and i32 has none; pad it with "zero"
# |     d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64], padding_option="nan")
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:61:29: note: 'x_ptr' is a run-time scalar *i32, from here
# = 1
# $ compile padding_unknown "*fp32,i32"
# | descriptors.py:67:9: error: padding_option is one of "zero", "nan", not the string 'one'
# |     d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64], padding_option="one")
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:66:21: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1

# Its attributes.
# $ compile unknown_attribute "*fp32,i32"
# | descriptors.py:73:21: error: a tensor descriptor has no attribute 'pitch'; it has shape, strides, block_shape, block_type, dtype and the methods load, store, gather, scatter, atomic_add, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor
# |     tl.store(x_ptr, d.pitch)
# |                     ^~~~~~~
# = 1

# Blocks.
# $ compile load_from_pointer "*fp32,i32"
# | descriptors.py:78:5: error: load_tensor_descriptor takes a tensor descriptor, not a run-time scalar *fp32
# |     tl.load_tensor_descriptor(x_ptr, [0])
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:77:23: note: 'x_ptr' is a run-time scalar *fp32, from here
# = 1
# $ compile offsets_differ "*fp32,i32"
# | descriptors.py:84:5: error: a descriptor of fp32[64] takes 1 offset, not 2
# |     d.load([0, 0])
# |     ^~~~~~~~~~~~~~
# | descriptors.py:83:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile offset_is_number "*fp32,i32"
# | descriptors.py:90:5: error: 'offsets' is a list such as [m, n], not the int 0
# |     d.load(0)
# |     ^~~~~~~~~
# | descriptors.py:89:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile wide_offset "*fp32,i64"
# | descriptors.py:96:5: error: 'offsets' is made of 32-bit integers, not of a run-time scalar i64; convert with .to(tl.int32), or use pointers, which take 64-bit offsets
# |     d.load([n])
# |     ^~~~~~~~~~~
# | descriptors.py:95:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile store_other_shape "*fp32,i32"
# | descriptors.py:102:5: error: the descriptor's block is fp32[64], and the value has to have its shape; it is a block fp32[32]
# |     d.store([0], tl.zeros((32,), tl.float32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:101:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile store_number "*fp32,i32"
# | descriptors.py:108:5: error: the descriptor's block is fp32[64], and the value has to have its shape; it is the float 1.0
# |     d.store([0], 1.0)
# |     ^~~~~~~~~~~~~~~~~
# | descriptors.py:107:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1

# Reductions.
# $ compile add_of_i64 "*i64,i32"
# | descriptors.py:114:5: error: a descriptor's atomic_add takes i32, u32, u64, fp32, fp16 or bf16, not i64
# |     d.atomic_add([0], d.load([0]))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:113:5: note: 'd' is a tensor descriptor of i64[64], from here
# = 1
# $ compile max_of_fp32 "*fp32,i32"
# | descriptors.py:120:5: error: a descriptor's atomic_max takes i32, u32, i64, u64, fp16 or bf16, not fp32
# |     d.atomic_max([0], d.load([0]))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:119:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile and_of_fp32 "*fp32,i32"
# | descriptors.py:126:5: error: a descriptor's atomic_and takes i32, u32, i64 or u64, not fp32
# |     d.atomic_and([0], d.load([0]))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:125:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile add_other_type "*fp32,i32"
# | descriptors.py:132:5: error: a descriptor's atomic_add does not convert: the block is fp32[64] and the value i32[64]; write value.to(tl.float32)
# |     d.atomic_add([0], tl.zeros((64,), tl.int32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:131:5: note: 'd' is a tensor descriptor of fp32[64], from here
# = 1
# $ compile min_of_halves_without_tma "*fp16,i32" cuda:80
# | descriptors.py:138:5: unsupported: a descriptor's atomic_min of fp16 needs a target with a TMA engine; use fp32 and tl.atomic_min on pointers
# |     d.atomic_min([0], d.load([0]))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:137:5: note: 'd' is a tensor descriptor of fp16[64], from here
# = 3

# Rows by number.
# $ compile gather_blocks "*fp32,i32"
# | descriptors.py:144:5: error: a descriptor's gather needs a block of one row, [1, N], not fp32[2, 64]
# |     d.gather(tl.arange(0, 8), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:143:5: note: 'd' is a tensor descriptor of fp32[2, 64], from here
# = 1
# $ compile gather_wide_elements "*fp64,i32"
# | descriptors.py:150:5: error: a descriptor's gather moves elements of at most 32 bits, not fp64
# |     d.gather(tl.arange(0, 8), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:149:5: note: 'd' is a tensor descriptor of fp64[1, 64], from here
# = 1
# $ compile gather_few_rows "*fp32,i32"
# | descriptors.py:156:5: error: a descriptor's gather of fp32 moves at least 8 rows of 8 elements, not 4 of 64
# |     d.gather(tl.arange(0, 4), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:155:5: note: 'd' is a tensor descriptor of fp32[1, 64], from here
# = 1
# $ compile gather_narrow_rows "*fp32,i32"
# | descriptors.py:162:5: error: a descriptor's gather of fp32 moves at least 8 rows of 8 elements, not 8 of 4
# |     d.gather(tl.arange(0, 8), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:161:5: note: 'd' is a tensor descriptor of fp32[1, 4], from here
# = 1
# $ compile gather_one_row "*fp32,i32"
# | descriptors.py:168:5: error: a descriptor's gather takes row numbers as a block of one axis of i32, not a run-time scalar i32
# |     d.gather(n, 0)
# |     ^~~~~~~~~~~~~~
# | descriptors.py:167:5: note: 'd' is a tensor descriptor of fp32[1, 64], from here
# | descriptors.py:166:27: note: 'n' is a run-time scalar i32, from here
# = 1
# $ compile gather_wide_numbers "*fp32,i32"
# | descriptors.py:174:5: error: a descriptor's gather takes row numbers as a block of one axis of i32, not a block i64[8]
# |     d.gather(tl.arange(0, 8).to(tl.int64), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:173:5: note: 'd' is a tensor descriptor of fp32[1, 64], from here
# = 1
# $ compile scatter_other_type "*fp32,i32"
# | descriptors.py:180:5: error: a descriptor's scatter writes fp32[8, 64] here, not a block fp16[8, 64]
# |     d.scatter(tl.zeros((8, 64), tl.float16), tl.arange(0, 8), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:179:5: note: 'd' is a tensor descriptor of fp32[1, 64], from here
# = 1
# $ compile scatter_other_shape "*fp32,i32"
# | descriptors.py:186:5: error: a descriptor's scatter writes fp32[8, 64] here, not a block fp32[16, 64]
# |     d.scatter(tl.zeros((16, 64), tl.float32), tl.arange(0, 8), 0)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | descriptors.py:185:5: note: 'd' is a tensor descriptor of fp32[1, 64], from here
# = 1
