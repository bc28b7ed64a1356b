#: Operands, shapes and options that tl.dot and tl.dot_scaled do not take.
import triton
import triton.language as tl


@triton.jit
def scalar_operand(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, 1.0)


@triton.jit
def rank_one(x_ptr, n):
    a = tl.arange(0, 32)
    tl.dot(a, a)


@triton.jit
def ranks_differ(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    b = tl.zeros((2, 32, 32), tl.float16)
    tl.dot(a, b)


@triton.jit
def inner_sizes_differ(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    b = tl.zeros((16, 32), tl.float16)
    tl.dot(a, b)


@triton.jit
def batch_sizes_differ(x_ptr, n):
    a = tl.zeros((4, 16, 16), tl.float16)
    b = tl.zeros((2, 16, 16), tl.float16)
    tl.dot(a, b)


@triton.jit
def inner_size_small(x_ptr, n):
    a = tl.zeros((16, 8), tl.float16)
    b = tl.zeros((8, 16), tl.float16)
    tl.dot(a, b)


@triton.jit
def inner_size_small_for_bytes(x_ptr, n):
    a = tl.zeros((16, 16), tl.int8)
    tl.dot(a, a)


@triton.jit
def result_too_large(x_ptr, n):
    a = tl.zeros((2048, 16), tl.float16)
    b = tl.zeros((16, 2048), tl.float16)
    tl.dot(a, b)


@triton.jit
def types_differ(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a.to(tl.float32))


@triton.jit
def unsigned_bytes(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot(a, a)


@triton.jit
def integers(x_ptr, n):
    a = tl.zeros((32, 32), tl.int32)
    tl.dot(a, a)


@triton.jit
def accumulator_shape(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))


@triton.jit
def accumulator_number(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, 0.0)


@triton.jit
def accumulator_needs_out_dtype(x_ptr, n):
    a = tl.zeros((32, 32), tl.int8)
    tl.dot(a, a, tl.zeros((32, 32), tl.int32))


@triton.jit
def accumulator_type(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, tl.zeros((32, 32), tl.int32))


@triton.jit
def accumulator_not_the_sum(x_ptr, n):
    a = tl.zeros((32, 32), tl.bfloat16)
    tl.dot(a, a, tl.zeros((32, 32), tl.float16), out_dtype=tl.float16)


@triton.jit
def out_dtype_bf16(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, out_dtype=tl.bfloat16)


@triton.jit
def out_dtype_integer(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, out_dtype=tl.int32)


@triton.jit
def out_dtype_string(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, out_dtype="fp32")


@triton.jit
def precision_unknown(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, input_precision="fp32")


@triton.jit
def precision_twice(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, input_precision="tf32", allow_tf32=True)


@triton.jit
def imprecise_sums_too_many(x_ptr, n):
    a = tl.zeros((32, 32), tl.float8e5)
    tl.dot(a, a, max_num_imprecise_acc=64)


@triton.jit
def imprecise_sums_negative(x_ptr, n):
    a = tl.zeros((32, 32), tl.float16)
    tl.dot(a, a, max_num_imprecise_acc=-1)


@triton.jit
def scaled_rank_four(x_ptr, n):
    a = tl.zeros((2, 2, 64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")


@triton.jit
def scaled_ranks_differ(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    b = tl.zeros((2, 64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", b, None, "e4m3")


@triton.jit
def scaled_batches_differ(x_ptr, n):
    a = tl.zeros((2, 64, 64), tl.uint8)
    b = tl.zeros((4, 64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", b, None, "e4m3")


@triton.jit
def scaled_inner_sizes_differ(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, None, "e2m1")


@triton.jit
def format_unknown(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e3m2", a, None, "e4m3")


@triton.jit
def format_of_floats(x_ptr, n):
    a = tl.zeros((64, 64), tl.float32)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")


@triton.jit
def format_of_pairs(x_ptr, n):
    a = tl.zeros((64, 64), tl.int8)
    tl.dot_scaled(a, None, "e2m1", a, None, "e2m1")


@triton.jit
def format_not_on_target(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")


@triton.jit
def packed_singles(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3", lhs_k_pack=False)


@triton.jit
def scale_shape(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, tl.zeros((64, 4), tl.uint8), "e4m3", a, None, "e4m3")


@triton.jit
def scale_transposed(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, tl.zeros((2, 64), tl.uint8), "e4m3")


@triton.jit
def scale_type(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, tl.zeros((64, 2), tl.float32), "e4m3", a, None, "e4m3")


@triton.jit
def scaled_out_dtype(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3", out_dtype=tl.float16)


@triton.jit
def scaled_accumulator(x_ptr, n):
    a = tl.zeros((64, 64), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3", acc=tl.zeros((64, 64), tl.float16))

# % compile() { tessera compile dot.py --kernel-name "$1" --signature "$2" --target "${3:-cuda:90}" --emit ttir -o -; }
# Operands.
# $ compile scalar_operand "*fp32,i32"
# | dot.py:8:5: error: tl.dot multiplies blocks of at least two axes; 'other' is the float 1.0
# |     tl.dot(a, 1.0)
# |     ^~~~~~~~~~~~~~
# | dot.py:7:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile rank_one "*fp32,i32"
# | dot.py:14:5: error: tl.dot multiplies blocks of at least two axes; 'input' is a block i32[32]
# |     tl.dot(a, a)
# |     ^~~~~~~~~~~~
# | dot.py:13:5: note: 'a' is a block i32[32], from here
# = 1
# $ compile ranks_differ "*fp32,i32"
# | dot.py:21:5: error: tl.dot multiplies blocks of one rank, not fp16[32, 32] and fp16[2, 32, 32]
# |     tl.dot(a, b)
# |     ^~~~~~~~~~~~
# | dot.py:19:5: note: 'a' is a block fp16[32, 32], from here
# | dot.py:20:5: note: 'b' is a block fp16[2, 32, 32], from here
# = 1
# $ compile inner_sizes_differ "*fp32,i32"
# | dot.py:28:5: error: tl.dot inner sizes differ: 32 and 16; the operands are fp16[32, 32] and fp16[16, 32]
# |     tl.dot(a, b)
# |     ^~~~~~~~~~~~
# | dot.py:26:5: note: 'a' is a block fp16[32, 32], from here
# | dot.py:27:5: note: 'b' is a block fp16[16, 32], from here
# = 1
# $ compile batch_sizes_differ "*fp32,i32"
# | dot.py:35:5: error: tl.dot batch sizes differ: [4] and [2]; the operands are fp16[4, 16, 16] and fp16[2, 16, 16]
# |     tl.dot(a, b)
# |     ^~~~~~~~~~~~
# | dot.py:33:5: note: 'a' is a block fp16[4, 16, 16], from here
# | dot.py:34:5: note: 'b' is a block fp16[2, 16, 16], from here
# = 1
# $ compile inner_size_small "*fp32,i32"
# | dot.py:42:5: error: tl.dot of fp16 needs an inner size of at least 16, not 8; the operands are fp16[16, 8] and fp16[8, 16]
# |     tl.dot(a, b)
# |     ^~~~~~~~~~~~
# | dot.py:40:5: note: 'a' is a block fp16[16, 8], from here
# | dot.py:41:5: note: 'b' is a block fp16[8, 16], from here
# = 1
# $ compile inner_size_small_for_bytes "*fp32,i32"
# | dot.py:48:5: error: tl.dot of i8 needs an inner size of at least 32, not 16; the operands are i8[16, 16] and i8[16, 16]
# |     tl.dot(a, a)
# |     ^~~~~~~~~~~~
# | dot.py:47:5: note: 'a' is a block i8[16, 16], from here
# = 1
# $ compile result_too_large "*fp32,i32"
# | dot.py:55:5: error: a block has at most 1048576 elements; shape [2048, 2048] has more
# |     tl.dot(a, b)
# |     ^~~~~~~~~~~~
# | dot.py:53:5: note: 'a' is a block fp16[2048, 16], from here
# | dot.py:54:5: note: 'b' is a block fp16[16, 2048], from here
# = 1
# $ compile types_differ "*fp32,i32"
# | dot.py:61:5: error: tl.dot takes operands of one type, not fp16[32, 32] and fp32[32, 32]; convert one with .to(...)
# |     tl.dot(a, a.to(tl.float32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:60:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile unsigned_bytes "*fp32,i32"
# | dot.py:67:5: error: tl.dot takes i8, fp8, fp16, bf16, fp32 or fp64, not u8; the operands are u8[64, 64] and u8[64, 64]
# |     tl.dot(a, a)
# |     ^~~~~~~~~~~~
# | dot.py:66:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile integers "*fp32,i32"
# | dot.py:73:5: error: tl.dot takes i8, fp8, fp16, bf16, fp32 or fp64, not i32; the operands are i32[32, 32] and i32[32, 32]
# |     tl.dot(a, a)
# |     ^~~~~~~~~~~~
# | dot.py:72:5: note: 'a' is a block i32[32, 32], from here
# = 1

# The accumulator.
# $ compile accumulator_shape "*fp32,i32"
# | dot.py:79:5: error: the product has shape [32, 32] and the accumulator fp32[16, 32]
# |     tl.dot(a, a, tl.zeros((16, 32), tl.float32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:78:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile accumulator_number "*fp32,i32"
# | dot.py:85:5: error: the accumulator of tl.dot is a block, not the float 0.0
# |     tl.dot(a, a, 0.0)
# |     ^~~~~~~~~~~~~~~~~
# | dot.py:84:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile accumulator_needs_out_dtype "*fp32,i32"
# | dot.py:91:5: error: the accumulator is i32[32, 32] and out_dtype fp32; pass out_dtype=tl.int32
# |     tl.dot(a, a, tl.zeros((32, 32), tl.int32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:90:5: note: 'a' is a block i8[32, 32], from here
# = 1
# $ compile accumulator_type "*fp32,i32"
# | dot.py:97:5: error: the accumulator is i32[32, 32] and out_dtype fp32; convert the accumulator to fp32
# |     tl.dot(a, a, tl.zeros((32, 32), tl.int32))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:96:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile accumulator_not_the_sum "*fp32,i32"
# | dot.py:103:5: error: these operands are summed in fp32, and the accumulator is fp16[32, 32]
# |     tl.dot(a, a, tl.zeros((32, 32), tl.float16), out_dtype=tl.float16)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:102:5: note: 'a' is a block bf16[32, 32], from here
# = 1
# $ compile out_dtype_bf16 "*fp32,i32"
# | dot.py:109:5: error: tl.dot does not sum in bf16; leave out_dtype fp32 and convert the result with .to(tl.bfloat16)
# |     tl.dot(a, a, out_dtype=tl.bfloat16)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:108:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile out_dtype_integer "*fp32,i32"
# | dot.py:115:5: error: tl.dot of fp16 sums in fp32 or fp16, not in out_dtype i32
# |     tl.dot(a, a, out_dtype=tl.int32)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:114:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile out_dtype_string "*fp32,i32"
# | dot.py:121:5: error: out_dtype is a dtype such as tl.float32, not the string 'fp32'
# |     tl.dot(a, a, out_dtype="fp32")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:120:5: note: 'a' is a block fp16[32, 32], from here
# = 1

# Precision.
# $ compile precision_unknown "*fp32,i32"
# | dot.py:127:5: error: input_precision is one of "tf32", "tf32x3", "ieee", "bf16x3", "bf16x6", not the string 'fp32'
# |     tl.dot(a, a, input_precision="fp32")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:126:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile precision_twice "*fp32,i32"
# | dot.py:133:5: error: tl.dot takes input_precision or the deprecated allow_tf32, not both
# |     tl.dot(a, a, input_precision="tf32", allow_tf32=True)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:132:5: note: 'a' is a block fp16[32, 32], from here
# = 1
# $ compile imprecise_sums_too_many "*fp32,i32"
# | dot.py:139:5: error: max_num_imprecise_acc is at most the inner size, 32, not 64
# |     tl.dot(a, a, max_num_imprecise_acc=64)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:138:5: note: 'a' is a block fp8e5[32, 32], from here
# = 1
# $ compile imprecise_sums_negative "*fp32,i32"
# | dot.py:145:5: error: max_num_imprecise_acc is a compile-time int from 0 to 2147483647, not the int -1
# |     tl.dot(a, a, max_num_imprecise_acc=-1)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:144:5: note: 'a' is a block fp16[32, 32], from here
# = 1

# Scaled products.
# $ compile scaled_rank_four "*fp32,i32"
# | dot.py:151:5: error: tl.dot_scaled multiplies blocks of two or three axes; 'lhs' is u8[2, 2, 64, 64]
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:150:5: note: 'a' is a block u8[2, 2, 64, 64], from here
# = 1
# $ compile scaled_ranks_differ "*fp32,i32"
# | dot.py:158:5: error: tl.dot_scaled multiplies blocks of one rank, not fp8e4nv[64, 64] and fp8e4nv[2, 64, 64]
# |     tl.dot_scaled(a, None, "e4m3", b, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:156:5: note: 'a' is a block u8[64, 64], from here
# | dot.py:157:5: note: 'b' is a block u8[2, 64, 64], from here
# = 1
# $ compile scaled_batches_differ "*fp32,i32"
# | dot.py:165:5: error: tl.dot_scaled batch sizes differ: 2 and 4; the operands are fp8e4nv[2, 64, 64] and fp8e4nv[4, 64, 64]
# |     tl.dot_scaled(a, None, "e4m3", b, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:163:5: note: 'a' is a block u8[2, 64, 64], from here
# | dot.py:164:5: note: 'b' is a block u8[4, 64, 64], from here
# = 1
# $ compile scaled_inner_sizes_differ "*fp32,i32"
# | dot.py:171:5: error: tl.dot_scaled inner sizes differ: 64 and 128 elements; the operands are fp8e4nv[64, 64] and u8[64, 64]
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e2m1")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:170:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile format_unknown "*fp32,i32"
# | dot.py:177:5: error: lhs_format is one of "e2m1", "e4m3", "e5m2", "bf16", "fp16", not the string 'e3m2'
# |     tl.dot_scaled(a, None, "e3m2", a, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:176:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile format_of_floats "*fp32,i32"
# | dot.py:183:5: error: 'lhs' in format e4m3 is made of fp8e4nv or u8, not of fp32[64, 64]
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:182:5: note: 'a' is a block fp32[64, 64], from here
# = 1
# $ compile format_of_pairs "*fp32,i32"
# | dot.py:189:5: error: 'lhs' in format e2m1 is made of u8, not of i8[64, 64]
# |     tl.dot_scaled(a, None, "e2m1", a, None, "e2m1")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:188:5: note: 'a' is a block i8[64, 64], from here
# = 1
# $ compile format_not_on_target "*fp32,i32" cuda:80
# | dot.py:195:5: error: the target has no type fp8e4nv; its 8-bit floats are fp8e5, fp8e4b15
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:194:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile packed_singles "*fp32,i32"
# | dot.py:201:5: error: lhs_k_pack=False is for "e2m1", which comes in pairs; 'lhs' is e4m3
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e4m3", lhs_k_pack=False)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:200:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile scale_shape "*fp32,i32"
# | dot.py:207:5: error: lhs_scale has one scale for each 32 of the 64 elements along K: shape [64, 2], not [64, 4]
# |     tl.dot_scaled(a, tl.zeros((64, 4), tl.uint8), "e4m3", a, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:206:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile scale_transposed "*fp32,i32"
# | dot.py:213:5: error: rhs_scale has one scale for each 32 of the 64 elements along K: shape [64, 2], not [2, 64]
# |     tl.dot_scaled(a, None, "e4m3", a, tl.zeros((2, 64), tl.uint8), "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:212:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile scale_type "*fp32,i32"
# | dot.py:219:5: error: lhs_scale is a block of u8 (exponents) or fp8e4nv, or None, not a block fp32[64, 2]
# |     tl.dot_scaled(a, tl.zeros((64, 2), tl.float32), "e4m3", a, None, "e4m3")
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:218:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile scaled_out_dtype "*fp32,i32"
# | dot.py:225:5: error: tl.dot_scaled sums in fp32, not in out_dtype fp16
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e4m3", out_dtype=tl.float16)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:224:5: note: 'a' is a block u8[64, 64], from here
# = 1
# $ compile scaled_accumulator "*fp32,i32"
# | dot.py:231:5: error: the accumulator is fp16[64, 64] and out_dtype fp32; convert the accumulator to fp32
# |     tl.dot_scaled(a, None, "e4m3", a, None, "e4m3", acc=tl.zeros((64, 64), tl.float16))
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | dot.py:230:5: note: 'a' is a block u8[64, 64], from here
# = 1
