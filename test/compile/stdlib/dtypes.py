# The types that reductions, scans and orderings compute in and return (docs/language.md, result types).
# RUN: tessera compile %s -n result_types -s "*fp32" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n random_types -s "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def result_types(p):
    i = tl.arange(0, 16)
    i1, i8, u8, u16, i64, u64 = i > 3, i.to(tl.int8), i.to(tl.uint8), i.to(tl.uint16), i.to(tl.int64), i.to(tl.uint64)
    fp32 = i.to(tl.float32)
    fp16, bf16, fp64, fp8 = fp32.to(tl.float16), fp32.to(tl.bfloat16), fp32.to(tl.float64), fp32.to(tl.float8e5)

    tl.static_assert(tl.sum(i8).dtype == tl.int32)
    tl.static_assert(tl.sum(u8).dtype == tl.uint32)
    tl.static_assert(tl.sum(u16, 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(i1).dtype == tl.uint32)
    tl.static_assert(tl.sum(i).dtype == tl.int32)
    tl.static_assert(tl.sum(u64).dtype == tl.uint64)
    tl.static_assert(tl.sum(fp16).dtype == tl.float16)
    tl.static_assert(tl.sum(bf16).dtype == tl.bfloat16)
    tl.static_assert(tl.sum(fp64).dtype == tl.float64)
    tl.static_assert(tl.sum(fp8).dtype == tl.float8e5)
    tl.static_assert(tl.sum(i8, dtype=tl.int64).dtype == tl.int64)
    tl.static_assert(fp16.sum(dtype=tl.float32).dtype == tl.float32)

    tl.static_assert(tl.max(i8).dtype == tl.int32)
    tl.static_assert(tl.max(u8).dtype == tl.int32)
    tl.static_assert(tl.min(i1).dtype == tl.int32)
    tl.static_assert(tl.min(u64).dtype == tl.uint64)
    tl.static_assert(tl.max(fp16).dtype == tl.float32)
    tl.static_assert(tl.min(bf16).dtype == tl.float32)
    tl.static_assert(tl.max(fp8).dtype == tl.float32)
    tl.static_assert(tl.max(fp64).dtype == tl.float64)
    value, index = tl.max(i8, 0, return_indices=True)
    tl.static_assert(value.dtype == tl.int8)
    tl.static_assert(index.dtype == tl.int32)
    value, index = tl.min(fp16, 0, return_indices=True)
    tl.static_assert(value.dtype == tl.float16)
    value, index = tl.min(bf16, 0, return_indices=True)
    tl.static_assert(value.dtype == tl.float32)
    tl.static_assert(tl.argmax(u8, 0).dtype == tl.int32)
    tl.static_assert(tl.argmin(fp64, 0).dtype == tl.int32)

    tl.static_assert(tl.cumsum(i8).dtype == tl.int32)
    tl.static_assert(tl.cumsum(u8).dtype == tl.uint32)
    tl.static_assert(tl.cumsum(i1).dtype == tl.uint32)
    tl.static_assert(tl.cumsum(fp16).dtype == tl.float16)
    tl.static_assert(tl.cumsum(bf16).dtype == tl.float32)
    tl.static_assert(tl.cumsum(bf16, dtype=tl.bfloat16).dtype == tl.bfloat16)
    tl.static_assert(tl.cumprod(i8).dtype == tl.int8)
    tl.static_assert(tl.cumprod(bf16).dtype == tl.float32)

    tl.static_assert(tl.xor_sum(u8).dtype == tl.uint8)
    tl.static_assert(tl.reduce_or(i64, 0).dtype == tl.int64)
    tl.static_assert(tl.sort(i8).dtype == tl.int8)
    tl.static_assert(tl.sort(bf16).dtype == tl.bfloat16)
    tl.static_assert(tl.topk(i8, 4).dtype == tl.int32)
    tl.static_assert(tl.topk(fp16, 4).dtype == tl.float32)
    tl.static_assert(tl.topk(fp16, 16).dtype == tl.float16)
    tl.static_assert(tl.flip(u8, 0).dtype == tl.uint8)
    tl.static_assert(tl.softmax(fp16.to(tl.float32)).dtype == tl.float32)
    tl.static_assert(tl.zeros_like(fp8).dtype == tl.float8e5)
    tl.static_assert(tl.cdiv(u8, 3).dtype == tl.uint8)
    tl.static_assert(tl.cdiv(i8, i).dtype == tl.int32)


@triton.jit
def random_types(p, seed):
    i = tl.arange(0, 16)
    tl.static_assert(tl.randint(seed, i).dtype == tl.uint32)
    tl.static_assert(tl.randint(seed, i.to(tl.int64)).dtype == tl.uint32)
    tl.static_assert(tl.rand(seed, i).dtype == tl.float32)
    tl.static_assert(tl.randn(seed, i).dtype == tl.float32)
    words = tl.philox(seed, i.to(tl.uint64), i.to(tl.uint64), i.to(tl.uint64), i.to(tl.uint64))
    tl.static_assert(words[0].dtype == tl.uint64)
    tl.static_assert(tl.uint_to_uniform_float(words[3]).dtype == tl.float32)


# CHECK: tt.return
