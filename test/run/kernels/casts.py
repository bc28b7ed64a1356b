"""Conversions of one tensor to many types in one launch. 8-bit floats travel as bytes.

KINDS is 2 where all 8-bit floats exist (the CPU, AMD) and 1 on NVIDIA's chips, of which some have fp8e4nv.
"""
import triton
import triton.language as tl


@triton.jit
def read(x_ptr, i, mask, FP8: tl.constexpr, KINDS: tl.constexpr):
    # What lies at x_ptr, or the 8-bit float that its bytes are.
    x = tl.load(x_ptr + i, mask=mask)
    if FP8 == 1:
        x = x.to(tl.float8e5, bitcast=True)
    elif FP8 == 2:
        if KINDS == 2 or tl.target_info.cuda_capability_geq(8, 9):
            x = x.to(tl.float8e4nv, bitcast=True)
        else:  # a chip for which this is compiled but not run
            x = x.to(tl.float8e5, bitcast=True)
    elif FP8 == 3:
        x = x.to(tl.float8e4b8, bitcast=True)
    elif FP8 == 4:
        x = x.to(tl.float8e5b16, bitcast=True)
    else:
        tl.static_assert(FP8 == 0)
    return x


# signature: *u8,*u8,*u8,*u8,*u8,*fp16,*bf16,*fp32,*fp64,i32,1,2,256
@triton.jit
def to_floats(x_ptr, fp8e5_ptr, fp8e4nv_ptr, fp8e4b8_ptr, fp8e5b16_ptr, fp16_ptr, bf16_ptr, fp32_ptr, fp64_ptr, n,
              FP8: tl.constexpr, KINDS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = read(x_ptr, i, mask, FP8, KINDS)
    tl.store(fp8e5_ptr + i, x.to(tl.float8e5).to(tl.uint8, bitcast=True), mask=mask)
    if KINDS == 2 or tl.target_info.cuda_capability_geq(8, 9):
        tl.store(fp8e4nv_ptr + i, x.to(tl.float8e4nv).to(tl.uint8, bitcast=True), mask=mask)
    if KINDS == 2:
        tl.store(fp8e4b8_ptr + i, x.to(tl.float8e4b8).to(tl.uint8, bitcast=True), mask=mask)
        tl.store(fp8e5b16_ptr + i, x.to(tl.float8e5b16).to(tl.uint8, bitcast=True), mask=mask)
    tl.store(fp16_ptr + i, x.to(tl.float16), mask=mask)
    tl.store(bf16_ptr + i, x.to(tl.bfloat16), mask=mask)
    tl.store(fp32_ptr + i, x.to(tl.float32), mask=mask)
    tl.store(fp64_ptr + i, x.to(tl.float64), mask=mask)


# signature: *fp64,*u8,*u8,*u8,*u8,*fp16,*bf16,*fp32,i32,2,256
@triton.jit
def to_floats_toward_zero(x_ptr, fp8e5_ptr, fp8e4nv_ptr, fp8e4b8_ptr, fp8e5b16_ptr, fp16_ptr, bf16_ptr, fp32_ptr, n,
                          KINDS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    BITS: tl.constexpr = x.dtype.primitive_bitwidth
    tl.store(fp8e5_ptr + i, x.to(tl.float8e5, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True), mask=mask)
    if KINDS == 2 or tl.target_info.cuda_capability_geq(8, 9):
        tl.store(fp8e4nv_ptr + i, x.to(tl.float8e4nv, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True), mask=mask)
    if KINDS == 2:
        tl.store(fp8e4b8_ptr + i, x.to(tl.float8e4b8, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True), mask=mask)
        tl.store(fp8e5b16_ptr + i, x.to(tl.float8e5b16, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True), mask=mask)
    if BITS > 16:
        tl.store(fp16_ptr + i, x.to(tl.float16, fp_downcast_rounding="rtz"), mask=mask)
        tl.store(bf16_ptr + i, x.to(tl.bfloat16, fp_downcast_rounding="rtz"), mask=mask)
    if BITS > 32:
        tl.store(fp32_ptr + i, x.to(tl.float32, fp_downcast_rounding="rtz"), mask=mask)


# signature: *i32,*fp16,*bf16,*fp32,*fp64,i32,256
@triton.jit
def ints_to_floats(x_ptr, fp16_ptr, bf16_ptr, fp32_ptr, fp64_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    tl.store(fp16_ptr + i, x.to(tl.float16), mask=mask)
    tl.store(bf16_ptr + i, x.to(tl.bfloat16), mask=mask)
    tl.store(fp32_ptr + i, x.to(tl.float32), mask=mask)
    tl.store(fp64_ptr + i, x.to(tl.float64), mask=mask)


# signature: *fp32,*i8,*i16,*i32,*i64,*u8,*u16,*u32,*u64,*u8,i32,256
@triton.jit
def to_ints(x_ptr, i8_ptr, i16_ptr, i32_ptr, i64_ptr, u8_ptr, u16_ptr, u32_ptr, u64_ptr, bool_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    tl.store(i8_ptr + i, x.to(tl.int8), mask=mask)
    tl.store(i16_ptr + i, x.to(tl.int16), mask=mask)
    tl.store(i32_ptr + i, x.to(tl.int32), mask=mask)
    tl.store(i64_ptr + i, x.to(tl.int64), mask=mask)
    tl.store(u8_ptr + i, x.to(tl.uint8), mask=mask)
    tl.store(u16_ptr + i, x.to(tl.uint16), mask=mask)
    tl.store(u32_ptr + i, x.to(tl.uint32), mask=mask)
    tl.store(u64_ptr + i, x.to(tl.uint64), mask=mask)
    tl.store(bool_ptr + i, x.to(tl.int1).to(tl.uint8), mask=mask)


# signature: *u8,*i8,*i64,*u64,*fp16,*bf16,*fp32,*fp64,i32,256
@triton.jit
def bools(x_ptr, i8_ptr, i64_ptr, u64_ptr, fp16_ptr, bf16_ptr, fp32_ptr, fp64_ptr, n, BLOCK: tl.constexpr):
    # A bool counts as 0 or 1 everywhere.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask) > 100
    tl.store(i8_ptr + i, x.to(tl.int8), mask=mask)
    tl.store(i64_ptr + i, x.to(tl.int64), mask=mask)
    tl.store(u64_ptr + i, x.to(tl.uint64), mask=mask)
    tl.store(fp16_ptr + i, x.to(tl.float16), mask=mask)
    tl.store(bf16_ptr + i, x.to(tl.bfloat16), mask=mask)
    tl.store(fp32_ptr + i, x.to(tl.float32), mask=mask)
    tl.store(fp64_ptr + i, x.to(tl.float64), mask=mask)


# signature: *fp32,*fp32,*i32,*u32,*u64,i32,256
@triton.jit
def bitcasts(x_ptr, out_ptr, i32_ptr, u32_ptr, u64_ptr, n, BLOCK: tl.constexpr):
    # There and back again; the bits stay as they are, NaN's too.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    word = x.to(tl.int32, bitcast=True)
    tl.store(i32_ptr + i, word, mask=mask)
    tl.store(u32_ptr + i, x.to(tl.uint32, bitcast=True), mask=mask)
    tl.store(out_ptr + i, word.to(tl.float32, bitcast=True), mask=mask)
    address = (x_ptr + i).to(tl.uint64)
    tl.store(u64_ptr + i, address - x_ptr.to(tl.uint64), mask=mask)
