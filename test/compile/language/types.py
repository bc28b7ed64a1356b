# Types as compile-time objects: each static_assert is a line of the dtype API, and of isinstance, hasattr and getattr.
# RUN: tessera compile %s -n scalars -s "*fp32,16" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n predicates -s "*fp32,*i8,*u16,*fp8e5,*kbf16" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n composites -s "*fp32,*ki32,**fp16" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n classes -s "*fp32,i32,16" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n types_of_constants -s "*fp32,i32,16,'x'" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n python -s "*fp32,i32,16" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n target -s "*fp32" --target cuda:90 --emit ttir -o - | FileCheck %s
# CHECK: tt.return
import triton
import triton.language as tl


@triton.jit
def scalars(p, N: tl.constexpr):
    tl.static_assert(tl.float32.name == "fp32")
    tl.static_assert(tl.int1.name == "int1")
    tl.static_assert(tl.uint8.name == "uint8")
    tl.static_assert(tl.float32.primitive_bitwidth == 32)
    tl.static_assert(tl.int1.itemsize == 0)
    tl.static_assert(tl.bfloat16.itemsize == 2)
    tl.static_assert(tl.int16.int_bitwidth == 16)
    tl.static_assert(tl.int16.int_signedness != tl.uint16.int_signedness)
    tl.static_assert(tl.float16.fp_mantissa_width == 10)
    tl.static_assert(tl.float8e4nv.exponent_bias == 7)
    tl.static_assert(tl.float64.exponent_bias == 1023)
    tl.static_assert(tl.float32.scalar == tl.float32)
    tl.static_assert(tl.int8.get_int_max_value() == 127)
    tl.static_assert(tl.int8.get_int_min_value() == -128)
    tl.static_assert(tl.uint64.get_int_max_value() == 2**64 - 1)
    tl.static_assert(tl.int1.get_int_max_value() == 1)
    tl.static_assert(tl.uint32.get_int_min_value() == 0)
    tl.static_assert(tl.dtype.is_dtype("bf16"))
    tl.static_assert(not tl.dtype.is_dtype("fp128"))
    tl.static_assert(tl.dtype("int32") == tl.int32)
    tl.static_assert(tl.core.get_int_dtype(16, False) == tl.uint16)
    tl.static_assert(tl.core._unwrap_if_constexpr(tl.uint16) == tl.uint16)
    tl.static_assert(tl.TRITON_MAX_TENSOR_NUMEL == 1048576)
    tl.static_assert(tl.void.name == "void")
    tl.static_assert(p.dtype.element_ty != tl.float16)


@triton.jit
def predicates(p, s, u, e, b):
    tl.static_assert(p.dtype.is_ptr())
    tl.static_assert(not p.dtype.is_floating())
    f: tl.constexpr = p.dtype.element_ty
    tl.static_assert(f.is_fp32() and f.is_floating() and f.is_standard_floating())
    tl.static_assert(not (f.is_fp16() or f.is_bf16() or f.is_fp64() or f.is_fp8() or f.is_int() or f.is_bool()))
    i: tl.constexpr = s.dtype.element_ty
    tl.static_assert(i.is_int8() and i.is_int() and i.is_int_signed() and not i.is_int_unsigned())
    tl.static_assert(not (i.is_int16() or i.is_int32() or i.is_int64() or i.is_uint8() or i.is_int1()))
    w: tl.constexpr = u.dtype.element_ty
    tl.static_assert(w.is_uint16() and w.is_int_unsigned() and not (w.is_uint32() or w.is_uint64()))
    tl.static_assert(e.dtype.element_ty.is_fp8() and not e.dtype.element_ty.is_standard_floating())
    tl.static_assert(e.dtype.element_ty.is_fp8e5() and not e.dtype.element_ty.is_fp8e4nv())
    tl.static_assert(b.dtype.is_const() and not p.dtype.is_const())
    mask: tl.constexpr = (tl.arange(0, 16) < 3).dtype
    tl.static_assert(mask.is_bool() and mask.is_int1() and mask.is_int_unsigned())


@triton.jit
def composites(p, k, pp):
    x = tl.load(p + tl.arange(0, 16))
    tl.static_assert(x.dtype == tl.float32)
    tl.static_assert(x.type.is_block() and not x.dtype.is_block())
    tl.static_assert(x.type == tl.block_type(tl.float32, [16]))
    tl.static_assert(x.type.element_ty == tl.float32)
    tl.static_assert(x.type.scalar == tl.float32)
    tl.static_assert(x.type.shape == (16, ) and x.type.numel == 16 and x.type.nbytes == 64)
    tl.static_assert(x.type.get_block_shapes()[0] == 16)
    tl.static_assert(p.dtype == tl.pointer_type(tl.float32))
    tl.static_assert(p.dtype.name == "pointer<fp32>")
    tl.static_assert(k.dtype == tl.pointer_type(tl.int32, const=True))
    tl.static_assert(k.dtype != tl.pi32_t)
    tl.static_assert(k.dtype.name == "const_pointer<int32>")
    tl.static_assert(pp.dtype.element_ty == tl.pointer_type(tl.float16))
    tl.static_assert(pp.dtype.element_ty.element_ty == tl.float16)
    tl.static_assert(x.shape == (16, ) and x.numel == 16)
    tl.static_assert(len(p.shape) == 0 and p.numel == 1)


@triton.jit
def classes(p, n, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    tl.static_assert(isinstance(x, tl.tensor) and isinstance(n, tl.tensor))
    tl.static_assert(isinstance(N, int) and not isinstance(N, tl.tensor))
    tl.static_assert(isinstance(1.5, float) and not isinstance(1.5, int))
    tl.static_assert(isinstance((1, x), tl.tuple) and not isinstance(x, tl.tuple))
    tl.static_assert(isinstance(x.dtype, tl.dtype) and isinstance(tl.float32, tl.core.dtype))
    tl.static_assert(isinstance(p.dtype, tl.pointer_type) and not isinstance(x.dtype, tl.pointer_type))
    tl.static_assert(isinstance(x.type, tl.block_type))
    tl.static_assert(isinstance(x, (int, tl.tensor)))
    # The reference unwraps a compile-time value before it asks what it is.
    tl.static_assert(not isinstance(N, tl.constexpr))
    tl.static_assert(hasattr(x, "dtype") and hasattr(x, "exp") and hasattr(x, "sum"))
    tl.static_assert(not hasattr(x, "backward"))
    tl.static_assert(hasattr(x.reshape(4, 4), "T"))
    tl.static_assert(getattr(x, "dtype") == tl.float32)
    tl.static_assert(getattr(x, "backward", None) is None)
    tl.static_assert(getattr(tl, "float16") == tl.float16)


@triton.jit
def types_of_constants(p, n, N: tl.constexpr, S: tl.constexpr):
    tl.static_assert(N.type == tl.constexpr_type(16) and N.type != tl.constexpr_type(17))
    tl.static_assert(S.type == tl.constexpr_type("x") and S.type != N.type)
    tl.static_assert(n.type != tl.constexpr_type(16) and n.type == tl.int32)
    tl.static_assert(tl.constexpr_type(16) != tl.int32)
    c: tl.constexpr = tl.float16
    tl.static_assert(c.type == tl.constexpr_type(tl.float16) and c.type.value == tl.float16)
    tl.static_assert(isinstance(N.type, tl.constexpr_type) and not isinstance(n.type, tl.constexpr_type))
    tl.static_assert(f"{N.type}" == "constexpr_type[16]" and f"{c.type}" == "constexpr_type[fp16]")
    tl.static_assert(tl.constexpr(None).type == tl.constexpr_type(None))
    seven = 7
    tl.static_assert(seven.type == tl.int32)


@triton.jit
def python(p, n, N: tl.constexpr):
    tl.static_assert(len((1, 2, 3)) == 3 and len("abc") == 3)
    tl.static_assert(int(3.9) == 3 and int(-3.9) == -3 and int("12") == 12 and int("ff", 16) == 255)
    tl.static_assert(float("-inf") < 0 and float("2.5") == 2.5 and float(3) == 3.0)
    tl.static_assert(min(3, 1, 2) == 1 and max(3, 1.5) == 3 and max(7) == 7)
    tl.static_assert(list((1, 2))[1] == 2)
    tl.static_assert(max(n, 2).dtype == tl.int32 and min(n, 2.5).dtype == tl.float32)
    tl.static_assert(tl.PropagateNan.ALL != tl.PropagateNan.NONE)


@triton.jit
def target(p):
    tl.static_assert(tl.target_info.is_cuda() and not tl.target_info.is_hip())
    tl.static_assert(not (tl.target_info.is_hip_cdna3() or tl.target_info.is_hip_cdna4()))
    tl.static_assert(tl.target_info.cuda_capability_geq(9) and not tl.target_info.cuda_capability_geq(9, 1))
    tl.static_assert(tl.target_info.cuda_capability_geq(minor=6, major=8))
    tl.static_assert(tl.target_info.current_target().backend == "cuda")
    tl.static_assert(tl.target_info.current_target().arch == 90)
    tl.static_assert(tl.target_info.current_target().warp_size == 32)
