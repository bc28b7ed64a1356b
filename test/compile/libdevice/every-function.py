# Every function of libdevice with every overload: the types of the arguments pick the symbol, and the result has the type
# that the table of docs/language.md gives (appendix: libdevice).
# RUN: tessera compile %s -n every_function -s "*i32,*i64,*u32,*u64,*fp32,*fp64" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def show(x, dtype):
    tl.static_assert(x.dtype == dtype)
    tl.device_print("x", x)


@triton.jit
def every_function(ip, lp, up, mp, xp, dp):
    i, l, u, m, x, d = tl.load(ip), tl.load(lp), tl.load(up), tl.load(mp), tl.load(xp), tl.load(dp)
    show(libdevice.clz(i), tl.int32)
    show(libdevice.clz(l), tl.int32)
    show(libdevice.popc(i), tl.int32)
    show(libdevice.popc(l), tl.int32)
    show(libdevice.byte_perm(i, i, i), tl.int32)
    show(libdevice.mulhi(i, i), tl.int32)
    show(libdevice.mulhi(u, u), tl.uint32)
    show(libdevice.mulhi(l, l), tl.int64)
    show(libdevice.mulhi(m, m), tl.uint64)
    show(libdevice.mul24(i, i), tl.int32)
    show(libdevice.mul24(u, u), tl.uint32)
    show(libdevice.brev(i), tl.int32)
    show(libdevice.brev(l), tl.int64)
    show(libdevice.sad(i, i, u), tl.int32)
    show(libdevice.sad(u, u, u), tl.uint32)
    show(libdevice.abs(i), tl.int32)
    show(libdevice.abs(l), tl.int64)
    show(libdevice.abs(x), tl.float32)
    show(libdevice.abs(d), tl.float64)
    show(libdevice.floor(x), tl.float32)
    show(libdevice.floor(d), tl.float64)
    show(libdevice.rcp64h(d), tl.float64)
    show(libdevice.rsqrt(x), tl.float32)
    show(libdevice.rsqrt(d), tl.float64)
    show(libdevice.ceil(d), tl.float64)
    show(libdevice.ceil(x), tl.float32)
    show(libdevice.trunc(d), tl.float64)
    show(libdevice.trunc(x), tl.float32)
    show(libdevice.exp2(x), tl.float32)
    show(libdevice.exp2(d), tl.float64)
    show(libdevice.saturatef(x), tl.float32)
    show(libdevice.fma_rn(x, x, x), tl.float32)
    show(libdevice.fma_rn(d, d, d), tl.float64)
    show(libdevice.fma_rz(x, x, x), tl.float32)
    show(libdevice.fma_rz(d, d, d), tl.float64)
    show(libdevice.fma_rd(x, x, x), tl.float32)
    show(libdevice.fma_rd(d, d, d), tl.float64)
    show(libdevice.fma_ru(x, x, x), tl.float32)
    show(libdevice.fma_ru(d, d, d), tl.float64)
    show(libdevice.fast_dividef(x, x), tl.float32)
    show(libdevice.div_rn(x, x), tl.float32)
    show(libdevice.div_rn(d, d), tl.float64)
    show(libdevice.div_rz(x, x), tl.float32)
    show(libdevice.div_rz(d, d), tl.float64)
    show(libdevice.div_rd(x, x), tl.float32)
    show(libdevice.div_rd(d, d), tl.float64)
    show(libdevice.div_ru(x, x), tl.float32)
    show(libdevice.div_ru(d, d), tl.float64)
    show(libdevice.rcp_rn(x), tl.float32)
    show(libdevice.rcp_rn(d), tl.float64)
    show(libdevice.rcp_rz(x), tl.float32)
    show(libdevice.rcp_rz(d), tl.float64)
    show(libdevice.rcp_rd(x), tl.float32)
    show(libdevice.rcp_rd(d), tl.float64)
    show(libdevice.rcp_ru(x), tl.float32)
    show(libdevice.rcp_ru(d), tl.float64)
    show(libdevice.sqrt_rn(x), tl.float32)
    show(libdevice.sqrt_rn(d), tl.float64)
    show(libdevice.sqrt_rz(x), tl.float32)
    show(libdevice.sqrt_rz(d), tl.float64)
    show(libdevice.sqrt_rd(x), tl.float32)
    show(libdevice.sqrt_rd(d), tl.float64)
    show(libdevice.sqrt_ru(x), tl.float32)
    show(libdevice.sqrt_ru(d), tl.float64)
    show(libdevice.sqrt(x), tl.float32)
    show(libdevice.sqrt(d), tl.float64)
    show(libdevice.add_rn(d, d), tl.float64)
    show(libdevice.add_rn(x, x), tl.float32)
    show(libdevice.add_rz(d, d), tl.float64)
    show(libdevice.add_rz(x, x), tl.float32)
    show(libdevice.add_rd(d, d), tl.float64)
    show(libdevice.add_rd(x, x), tl.float32)
    show(libdevice.add_ru(d, d), tl.float64)
    show(libdevice.add_ru(x, x), tl.float32)
    show(libdevice.mul_rn(d, d), tl.float64)
    show(libdevice.mul_rn(x, x), tl.float32)
    show(libdevice.mul_rz(d, d), tl.float64)
    show(libdevice.mul_rz(x, x), tl.float32)
    show(libdevice.mul_rd(d, d), tl.float64)
    show(libdevice.mul_rd(x, x), tl.float32)
    show(libdevice.mul_ru(d, d), tl.float64)
    show(libdevice.mul_ru(x, x), tl.float32)
    show(libdevice.double2float_rn(d), tl.float32)
    show(libdevice.double2float_rz(d), tl.float32)
    show(libdevice.double2float_rd(d), tl.float32)
    show(libdevice.double2float_ru(d), tl.float32)
    show(libdevice.double2int_rn(d), tl.int32)
    show(libdevice.double2int_rz(d), tl.int32)
    show(libdevice.double2int_rd(d), tl.int32)
    show(libdevice.double2int_ru(d), tl.int32)
    show(libdevice.double2uint_rn(d), tl.int32)
    show(libdevice.double2uint_rz(d), tl.int32)
    show(libdevice.double2uint_rd(d), tl.int32)
    show(libdevice.double2uint_ru(d), tl.int32)
    show(libdevice.int2double_rn(i), tl.float64)
    show(libdevice.uint2double_rn(u), tl.float64)
    show(libdevice.float2int_rn(x), tl.int32)
    show(libdevice.float2int_rz(x), tl.int32)
    show(libdevice.float2int_rd(x), tl.int32)
    show(libdevice.float2int_ru(x), tl.int32)
    show(libdevice.float2uint_rn(x), tl.int32)
    show(libdevice.float2uint_rz(x), tl.int32)
    show(libdevice.float2uint_rd(x), tl.int32)
    show(libdevice.float2uint_ru(x), tl.int32)
    show(libdevice.int2float_rn(i), tl.float32)
    show(libdevice.int2float_rz(i), tl.float32)
    show(libdevice.int2float_rd(i), tl.float32)
    show(libdevice.int2float_ru(i), tl.float32)
    show(libdevice.uint2float_rn(u), tl.float32)
    show(libdevice.uint2float_rz(u), tl.float32)
    show(libdevice.uint2float_rd(u), tl.float32)
    show(libdevice.uint2float_ru(u), tl.float32)
    show(libdevice.hiloint2double(i, i), tl.float64)
    show(libdevice.double2loint(d), tl.int32)
    show(libdevice.double2hiint(d), tl.int32)
    show(libdevice.float2ll_rn(x), tl.int64)
    show(libdevice.float2ll_rz(x), tl.int64)
    show(libdevice.float2ll_rd(x), tl.int64)
    show(libdevice.float2ll_ru(x), tl.int64)
    show(libdevice.float2ull_rn(x), tl.int64)
    show(libdevice.float2ull_rz(x), tl.int64)
    show(libdevice.float2ull_rd(x), tl.int64)
    show(libdevice.float2ull_ru(x), tl.int64)
    show(libdevice.double2ll_rn(d), tl.int64)
    show(libdevice.double2ll_rz(d), tl.int64)
    show(libdevice.double2ll_rd(d), tl.int64)
    show(libdevice.double2ll_ru(d), tl.int64)
    show(libdevice.double2ull_rn(d), tl.int64)
    show(libdevice.double2ull_rz(d), tl.int64)
    show(libdevice.double2ull_rd(d), tl.int64)
    show(libdevice.double2ull_ru(d), tl.int64)
    show(libdevice.ll2float_rn(l), tl.float32)
    show(libdevice.ll2float_rz(l), tl.float32)
    show(libdevice.ll2float_rd(l), tl.float32)
    show(libdevice.ll2float_ru(l), tl.float32)
    show(libdevice.ull2float_rn(m), tl.float32)
    show(libdevice.ull2float_rz(m), tl.float32)
    show(libdevice.ull2float_rd(m), tl.float32)
    show(libdevice.ull2float_ru(m), tl.float32)
    show(libdevice.ll2double_rn(l), tl.float64)
    show(libdevice.ll2double_rz(l), tl.float64)
    show(libdevice.ll2double_rd(l), tl.float64)
    show(libdevice.ll2double_ru(l), tl.float64)
    show(libdevice.ull2double_rn(m), tl.float64)
    show(libdevice.ull2double_rz(m), tl.float64)
    show(libdevice.ull2double_rd(m), tl.float64)
    show(libdevice.ull2double_ru(m), tl.float64)
    show(libdevice.int_as_float(i), tl.float32)
    show(libdevice.float_as_int(x), tl.int32)
    show(libdevice.uint_as_float(u), tl.float32)
    show(libdevice.float_as_uint(x), tl.int32)
    show(libdevice.longlong_as_double(l), tl.float64)
    show(libdevice.double_as_longlong(d), tl.int64)
    show(libdevice.fast_sinf(x), tl.float32)
    show(libdevice.fast_cosf(x), tl.float32)
    show(libdevice.fast_log2f(x), tl.float32)
    show(libdevice.fast_logf(x), tl.float32)
    show(libdevice.fast_expf(x), tl.float32)
    show(libdevice.fast_tanf(x), tl.float32)
    show(libdevice.fast_exp10f(x), tl.float32)
    show(libdevice.fast_log10f(x), tl.float32)
    show(libdevice.fast_powf(x, x), tl.float32)
    show(libdevice.hadd(i, i), tl.int32)
    show(libdevice.hadd(u, u), tl.uint32)
    show(libdevice.rhadd(i, i), tl.int32)
    show(libdevice.rhadd(u, u), tl.uint32)
    show(libdevice.sub_rn(x, x), tl.float32)
    show(libdevice.sub_rn(d, d), tl.float64)
    show(libdevice.sub_rz(x, x), tl.float32)
    show(libdevice.sub_rz(d, d), tl.float64)
    show(libdevice.sub_rd(x, x), tl.float32)
    show(libdevice.sub_rd(d, d), tl.float64)
    show(libdevice.sub_ru(x, x), tl.float32)
    show(libdevice.sub_ru(d, d), tl.float64)
    show(libdevice.rsqrt_rn(x), tl.float32)
    show(libdevice.ffs(i), tl.int32)
    show(libdevice.ffs(l), tl.int32)
    show(libdevice.rint(x), tl.float32)
    show(libdevice.rint(d), tl.float64)
    show(libdevice.llrint(x), tl.int64)
    show(libdevice.llrint(d), tl.int64)
    show(libdevice.nearbyint(x), tl.float32)
    show(libdevice.nearbyint(d), tl.float64)
    show(libdevice.isnan(x), tl.int1)
    show(libdevice.isnan(d), tl.int1)
    show(libdevice.signbit(x), tl.int32)
    show(libdevice.signbit(d), tl.int32)
    show(libdevice.copysign(x, x), tl.float32)
    show(libdevice.copysign(d, d), tl.float64)
    show(libdevice.finitef(x), tl.int1)
    show(libdevice.isinf(x), tl.int1)
    show(libdevice.isinf(d), tl.int1)
    show(libdevice.nextafter(x, x), tl.float32)
    show(libdevice.nextafter(d, d), tl.float64)
    show(libdevice.sin(x), tl.float32)
    show(libdevice.sin(d), tl.float64)
    show(libdevice.cos(x), tl.float32)
    show(libdevice.cos(d), tl.float64)
    show(libdevice.sinpi(x), tl.float32)
    show(libdevice.sinpi(d), tl.float64)
    show(libdevice.cospi(x), tl.float32)
    show(libdevice.cospi(d), tl.float64)
    show(libdevice.tan(x), tl.float32)
    show(libdevice.tan(d), tl.float64)
    show(libdevice.log2(x), tl.float32)
    show(libdevice.log2(d), tl.float64)
    show(libdevice.exp(x), tl.float32)
    show(libdevice.exp(d), tl.float64)
    show(libdevice.exp10(x), tl.float32)
    show(libdevice.exp10(d), tl.float64)
    show(libdevice.cosh(x), tl.float32)
    show(libdevice.cosh(d), tl.float64)
    show(libdevice.sinh(x), tl.float32)
    show(libdevice.sinh(d), tl.float64)
    show(libdevice.tanh(x), tl.float32)
    show(libdevice.tanh(d), tl.float64)
    show(libdevice.atan2(x, x), tl.float32)
    show(libdevice.atan2(d, d), tl.float64)
    show(libdevice.atan(x), tl.float32)
    show(libdevice.atan(d), tl.float64)
    show(libdevice.asin(x), tl.float32)
    show(libdevice.asin(d), tl.float64)
    show(libdevice.acos(x), tl.float32)
    show(libdevice.acos(d), tl.float64)
    show(libdevice.log(x), tl.float32)
    show(libdevice.log(d), tl.float64)
    show(libdevice.log10(x), tl.float32)
    show(libdevice.log10(d), tl.float64)
    show(libdevice.log1p(x), tl.float32)
    show(libdevice.log1p(d), tl.float64)
    show(libdevice.acosh(x), tl.float32)
    show(libdevice.acosh(d), tl.float64)
    show(libdevice.asinh(x), tl.float32)
    show(libdevice.asinh(d), tl.float64)
    show(libdevice.atanh(x), tl.float32)
    show(libdevice.atanh(d), tl.float64)
    show(libdevice.expm1(x), tl.float32)
    show(libdevice.expm1(d), tl.float64)
    show(libdevice.hypot(x, x), tl.float32)
    show(libdevice.hypot(d, d), tl.float64)
    show(libdevice.rhypot(x, x), tl.float32)
    show(libdevice.rhypot(d, d), tl.float64)
    show(libdevice.norm3d(x, x, x), tl.float32)
    show(libdevice.norm3d(d, d, d), tl.float64)
    show(libdevice.rnorm3d(x, x, x), tl.float32)
    show(libdevice.rnorm3d(d, d, d), tl.float64)
    show(libdevice.norm4d(x, x, x, x), tl.float32)
    show(libdevice.norm4d(d, d, d, d), tl.float64)
    show(libdevice.rnorm4d(x, x, x, x), tl.float32)
    show(libdevice.rnorm4d(d, d, d, d), tl.float64)
    show(libdevice.cbrt(x), tl.float32)
    show(libdevice.cbrt(d), tl.float64)
    show(libdevice.rcbrt(x), tl.float32)
    show(libdevice.rcbrt(d), tl.float64)
    show(libdevice.j0(x), tl.float32)
    show(libdevice.j0(d), tl.float64)
    show(libdevice.j1(x), tl.float32)
    show(libdevice.j1(d), tl.float64)
    show(libdevice.y0(x), tl.float32)
    show(libdevice.y0(d), tl.float64)
    show(libdevice.y1(x), tl.float32)
    show(libdevice.y1(d), tl.float64)
    show(libdevice.yn(i, x), tl.float32)
    show(libdevice.yn(i, d), tl.float64)
    show(libdevice.jn(i, x), tl.float32)
    show(libdevice.jn(i, d), tl.float64)
    show(libdevice.cyl_bessel_i0(x), tl.float32)
    show(libdevice.cyl_bessel_i0(d), tl.float64)
    show(libdevice.cyl_bessel_i1(x), tl.float32)
    show(libdevice.cyl_bessel_i1(d), tl.float64)
    show(libdevice.erf(x), tl.float32)
    show(libdevice.erf(d), tl.float64)
    show(libdevice.erfinv(x), tl.float32)
    show(libdevice.erfinv(d), tl.float64)
    show(libdevice.erfc(x), tl.float32)
    show(libdevice.erfc(d), tl.float64)
    show(libdevice.erfcx(x), tl.float32)
    show(libdevice.erfcx(d), tl.float64)
    show(libdevice.erfcinv(x), tl.float32)
    show(libdevice.erfcinv(d), tl.float64)
    show(libdevice.normcdfinv(x), tl.float32)
    show(libdevice.normcdfinv(d), tl.float64)
    show(libdevice.normcdf(x), tl.float32)
    show(libdevice.normcdf(d), tl.float64)
    show(libdevice.lgamma(x), tl.float32)
    show(libdevice.lgamma(d), tl.float64)
    show(libdevice.ldexp(x, i), tl.float32)
    show(libdevice.ldexp(d, i), tl.float64)
    show(libdevice.scalbn(x, i), tl.float32)
    show(libdevice.scalbn(d, i), tl.float64)
    show(libdevice.fmod(x, x), tl.float32)
    show(libdevice.fmod(d, d), tl.float64)
    show(libdevice.remainder(x, x), tl.float32)
    show(libdevice.remainder(d, d), tl.float64)
    show(libdevice.fma(x, x, x), tl.float32)
    show(libdevice.fma(d, d, d), tl.float64)
    show(libdevice.pow(x, i), tl.float32)
    show(libdevice.pow(d, i), tl.float64)
    show(libdevice.pow(x, x), tl.float32)
    show(libdevice.pow(d, d), tl.float64)
    show(libdevice.tgamma(x), tl.float32)
    show(libdevice.tgamma(d), tl.float64)
    show(libdevice.round(x), tl.float32)
    show(libdevice.round(d), tl.float64)
    show(libdevice.llround(x), tl.int64)
    show(libdevice.llround(d), tl.int64)
    show(libdevice.fdim(x, x), tl.float32)
    show(libdevice.fdim(d, d), tl.float64)
    show(libdevice.ilogb(x), tl.int32)
    show(libdevice.ilogb(d), tl.int32)
    show(libdevice.logb(x), tl.float32)
    show(libdevice.logb(d), tl.float64)
    show(libdevice.isfinited(d), tl.int1)

# CHECK-LABEL: tt.func public @every_function
# CHECK: symbol = "__nv_clz"} : (i32) -> i32
# CHECK: symbol = "__nv_clzll"} : (i64) -> i32
# CHECK: symbol = "__nv_popc"} : (i32) -> i32
# CHECK: symbol = "__nv_popcll"} : (i64) -> i32
# CHECK: symbol = "__nv_byte_perm"} : (i32, i32, i32) -> i32
# CHECK: symbol = "__nv_mulhi"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_umulhi"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_mul64hi"} : (i64, i64) -> i64
# CHECK: symbol = "__nv_umul64hi"} : (i64, i64) -> i64
# CHECK: symbol = "__nv_mul24"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_umul24"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_brev"} : (i32) -> i32
# CHECK: symbol = "__nv_brevll"} : (i64) -> i64
# CHECK: symbol = "__nv_sad"} : (i32, i32, i32) -> i32
# CHECK: symbol = "__nv_usad"} : (i32, i32, i32) -> i32
# CHECK: symbol = "__nv_abs"} : (i32) -> i32
# CHECK: symbol = "__nv_llabs"} : (i64) -> i64
# CHECK: symbol = "__nv_fabsf"} : (f32) -> f32
# CHECK: symbol = "__nv_fabs"} : (f64) -> f64
# CHECK: symbol = "__nv_floorf"} : (f32) -> f32
# CHECK: symbol = "__nv_floor"} : (f64) -> f64
# CHECK: symbol = "__nv_rcp64h"} : (f64) -> f64
# CHECK: symbol = "__nv_rsqrtf"} : (f32) -> f32
# CHECK: symbol = "__nv_rsqrt"} : (f64) -> f64
# CHECK: symbol = "__nv_ceil"} : (f64) -> f64
# CHECK: symbol = "__nv_ceilf"} : (f32) -> f32
# CHECK: symbol = "__nv_trunc"} : (f64) -> f64
# CHECK: symbol = "__nv_truncf"} : (f32) -> f32
# CHECK: symbol = "__nv_exp2f"} : (f32) -> f32
# CHECK: symbol = "__nv_exp2"} : (f64) -> f64
# CHECK: symbol = "__nv_saturatef"} : (f32) -> f32
# CHECK: symbol = "__nv_fmaf_rn"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_fma_rn"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_fmaf_rz"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_fma_rz"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_fmaf_rd"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_fma_rd"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_fmaf_ru"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_fma_ru"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_fast_fdividef"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_fdiv_rn"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_ddiv_rn"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fdiv_rz"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_ddiv_rz"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fdiv_rd"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_ddiv_rd"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fdiv_ru"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_ddiv_ru"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_frcp_rn"} : (f32) -> f32
# CHECK: symbol = "__nv_drcp_rn"} : (f64) -> f64
# CHECK: symbol = "__nv_frcp_rz"} : (f32) -> f32
# CHECK: symbol = "__nv_drcp_rz"} : (f64) -> f64
# CHECK: symbol = "__nv_frcp_rd"} : (f32) -> f32
# CHECK: symbol = "__nv_drcp_rd"} : (f64) -> f64
# CHECK: symbol = "__nv_frcp_ru"} : (f32) -> f32
# CHECK: symbol = "__nv_drcp_ru"} : (f64) -> f64
# CHECK: symbol = "__nv_fsqrt_rn"} : (f32) -> f32
# CHECK: symbol = "__nv_dsqrt_rn"} : (f64) -> f64
# CHECK: symbol = "__nv_fsqrt_rz"} : (f32) -> f32
# CHECK: symbol = "__nv_dsqrt_rz"} : (f64) -> f64
# CHECK: symbol = "__nv_fsqrt_rd"} : (f32) -> f32
# CHECK: symbol = "__nv_dsqrt_rd"} : (f64) -> f64
# CHECK: symbol = "__nv_fsqrt_ru"} : (f32) -> f32
# CHECK: symbol = "__nv_dsqrt_ru"} : (f64) -> f64
# CHECK: symbol = "__nv_sqrtf"} : (f32) -> f32
# CHECK: symbol = "__nv_sqrt"} : (f64) -> f64
# CHECK: symbol = "__nv_dadd_rn"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fadd_rn"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dadd_rz"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fadd_rz"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dadd_rd"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fadd_rd"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dadd_ru"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fadd_ru"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dmul_rn"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fmul_rn"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dmul_rz"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fmul_rz"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dmul_rd"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fmul_rd"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dmul_ru"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fmul_ru"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_double2float_rn"} : (f64) -> f32
# CHECK: symbol = "__nv_double2float_rz"} : (f64) -> f32
# CHECK: symbol = "__nv_double2float_rd"} : (f64) -> f32
# CHECK: symbol = "__nv_double2float_ru"} : (f64) -> f32
# CHECK: symbol = "__nv_double2int_rn"} : (f64) -> i32
# CHECK: symbol = "__nv_double2int_rz"} : (f64) -> i32
# CHECK: symbol = "__nv_double2int_rd"} : (f64) -> i32
# CHECK: symbol = "__nv_double2int_ru"} : (f64) -> i32
# CHECK: symbol = "__nv_double2uint_rn"} : (f64) -> i32
# CHECK: symbol = "__nv_double2uint_rz"} : (f64) -> i32
# CHECK: symbol = "__nv_double2uint_rd"} : (f64) -> i32
# CHECK: symbol = "__nv_double2uint_ru"} : (f64) -> i32
# CHECK: symbol = "__nv_int2double_rn"} : (i32) -> f64
# CHECK: symbol = "__nv_uint2double_rn"} : (i32) -> f64
# CHECK: symbol = "__nv_float2int_rn"} : (f32) -> i32
# CHECK: symbol = "__nv_float2int_rz"} : (f32) -> i32
# CHECK: symbol = "__nv_float2int_rd"} : (f32) -> i32
# CHECK: symbol = "__nv_float2int_ru"} : (f32) -> i32
# CHECK: symbol = "__nv_float2uint_rn"} : (f32) -> i32
# CHECK: symbol = "__nv_float2uint_rz"} : (f32) -> i32
# CHECK: symbol = "__nv_float2uint_rd"} : (f32) -> i32
# CHECK: symbol = "__nv_float2uint_ru"} : (f32) -> i32
# CHECK: symbol = "__nv_int2float_rn"} : (i32) -> f32
# CHECK: symbol = "__nv_int2float_rz"} : (i32) -> f32
# CHECK: symbol = "__nv_int2float_rd"} : (i32) -> f32
# CHECK: symbol = "__nv_int2float_ru"} : (i32) -> f32
# CHECK: symbol = "__nv_uint2float_rn"} : (i32) -> f32
# CHECK: symbol = "__nv_uint2float_rz"} : (i32) -> f32
# CHECK: symbol = "__nv_uint2float_rd"} : (i32) -> f32
# CHECK: symbol = "__nv_uint2float_ru"} : (i32) -> f32
# CHECK: symbol = "__nv_hiloint2double"} : (i32, i32) -> f64
# CHECK: symbol = "__nv_double2loint"} : (f64) -> i32
# CHECK: symbol = "__nv_double2hiint"} : (f64) -> i32
# CHECK: symbol = "__nv_float2ll_rn"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ll_rz"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ll_rd"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ll_ru"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ull_rn"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ull_rz"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ull_rd"} : (f32) -> i64
# CHECK: symbol = "__nv_float2ull_ru"} : (f32) -> i64
# CHECK: symbol = "__nv_double2ll_rn"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ll_rz"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ll_rd"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ll_ru"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ull_rn"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ull_rz"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ull_rd"} : (f64) -> i64
# CHECK: symbol = "__nv_double2ull_ru"} : (f64) -> i64
# CHECK: symbol = "__nv_ll2float_rn"} : (i64) -> f32
# CHECK: symbol = "__nv_ll2float_rz"} : (i64) -> f32
# CHECK: symbol = "__nv_ll2float_rd"} : (i64) -> f32
# CHECK: symbol = "__nv_ll2float_ru"} : (i64) -> f32
# CHECK: symbol = "__nv_ull2float_rn"} : (i64) -> f32
# CHECK: symbol = "__nv_ull2float_rz"} : (i64) -> f32
# CHECK: symbol = "__nv_ull2float_rd"} : (i64) -> f32
# CHECK: symbol = "__nv_ull2float_ru"} : (i64) -> f32
# CHECK: symbol = "__nv_ll2double_rn"} : (i64) -> f64
# CHECK: symbol = "__nv_ll2double_rz"} : (i64) -> f64
# CHECK: symbol = "__nv_ll2double_rd"} : (i64) -> f64
# CHECK: symbol = "__nv_ll2double_ru"} : (i64) -> f64
# CHECK: symbol = "__nv_ull2double_rn"} : (i64) -> f64
# CHECK: symbol = "__nv_ull2double_rz"} : (i64) -> f64
# CHECK: symbol = "__nv_ull2double_rd"} : (i64) -> f64
# CHECK: symbol = "__nv_ull2double_ru"} : (i64) -> f64
# CHECK: symbol = "__nv_int_as_float"} : (i32) -> f32
# CHECK: symbol = "__nv_float_as_int"} : (f32) -> i32
# CHECK: symbol = "__nv_uint_as_float"} : (i32) -> f32
# CHECK: symbol = "__nv_float_as_uint"} : (f32) -> i32
# CHECK: symbol = "__nv_longlong_as_double"} : (i64) -> f64
# CHECK: symbol = "__nv_double_as_longlong"} : (f64) -> i64
# CHECK: symbol = "__nv_fast_sinf"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_cosf"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_log2f"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_logf"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_expf"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_tanf"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_exp10f"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_log10f"} : (f32) -> f32
# CHECK: symbol = "__nv_fast_powf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_hadd"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_uhadd"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_rhadd"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_urhadd"} : (i32, i32) -> i32
# CHECK: symbol = "__nv_fsub_rn"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dsub_rn"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fsub_rz"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dsub_rz"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fsub_rd"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dsub_rd"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fsub_ru"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_dsub_ru"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_frsqrt_rn"} : (f32) -> f32
# CHECK: symbol = "__nv_ffs"} : (i32) -> i32
# CHECK: symbol = "__nv_ffsll"} : (i64) -> i32
# CHECK: symbol = "__nv_rintf"} : (f32) -> f32
# CHECK: symbol = "__nv_rint"} : (f64) -> f64
# CHECK: symbol = "__nv_llrintf"} : (f32) -> i64
# CHECK: symbol = "__nv_llrint"} : (f64) -> i64
# CHECK: symbol = "__nv_nearbyintf"} : (f32) -> f32
# CHECK: symbol = "__nv_nearbyint"} : (f64) -> f64
# CHECK: symbol = "__nv_isnanf"} : (f32) -> i32
# CHECK: symbol = "__nv_isnand"} : (f64) -> i32
# CHECK: symbol = "__nv_signbitf"} : (f32) -> i32
# CHECK: symbol = "__nv_signbitd"} : (f64) -> i32
# CHECK: symbol = "__nv_copysignf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_copysign"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_finitef"} : (f32) -> i32
# CHECK: symbol = "__nv_isinff"} : (f32) -> i32
# CHECK: symbol = "__nv_isinfd"} : (f64) -> i32
# CHECK: symbol = "__nv_nextafterf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_nextafter"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_sinf"} : (f32) -> f32
# CHECK: symbol = "__nv_sin"} : (f64) -> f64
# CHECK: symbol = "__nv_cosf"} : (f32) -> f32
# CHECK: symbol = "__nv_cos"} : (f64) -> f64
# CHECK: symbol = "__nv_sinpif"} : (f32) -> f32
# CHECK: symbol = "__nv_sinpi"} : (f64) -> f64
# CHECK: symbol = "__nv_cospif"} : (f32) -> f32
# CHECK: symbol = "__nv_cospi"} : (f64) -> f64
# CHECK: symbol = "__nv_tanf"} : (f32) -> f32
# CHECK: symbol = "__nv_tan"} : (f64) -> f64
# CHECK: symbol = "__nv_log2f"} : (f32) -> f32
# CHECK: symbol = "__nv_log2"} : (f64) -> f64
# CHECK: symbol = "__nv_expf"} : (f32) -> f32
# CHECK: symbol = "__nv_exp"} : (f64) -> f64
# CHECK: symbol = "__nv_exp10f"} : (f32) -> f32
# CHECK: symbol = "__nv_exp10"} : (f64) -> f64
# CHECK: symbol = "__nv_coshf"} : (f32) -> f32
# CHECK: symbol = "__nv_cosh"} : (f64) -> f64
# CHECK: symbol = "__nv_sinhf"} : (f32) -> f32
# CHECK: symbol = "__nv_sinh"} : (f64) -> f64
# CHECK: symbol = "__nv_tanhf"} : (f32) -> f32
# CHECK: symbol = "__nv_tanh"} : (f64) -> f64
# CHECK: symbol = "__nv_atan2f"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_atan2"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_atanf"} : (f32) -> f32
# CHECK: symbol = "__nv_atan"} : (f64) -> f64
# CHECK: symbol = "__nv_asinf"} : (f32) -> f32
# CHECK: symbol = "__nv_asin"} : (f64) -> f64
# CHECK: symbol = "__nv_acosf"} : (f32) -> f32
# CHECK: symbol = "__nv_acos"} : (f64) -> f64
# CHECK: symbol = "__nv_logf"} : (f32) -> f32
# CHECK: symbol = "__nv_log"} : (f64) -> f64
# CHECK: symbol = "__nv_log10f"} : (f32) -> f32
# CHECK: symbol = "__nv_log10"} : (f64) -> f64
# CHECK: symbol = "__nv_log1pf"} : (f32) -> f32
# CHECK: symbol = "__nv_log1p"} : (f64) -> f64
# CHECK: symbol = "__nv_acoshf"} : (f32) -> f32
# CHECK: symbol = "__nv_acosh"} : (f64) -> f64
# CHECK: symbol = "__nv_asinhf"} : (f32) -> f32
# CHECK: symbol = "__nv_asinh"} : (f64) -> f64
# CHECK: symbol = "__nv_atanhf"} : (f32) -> f32
# CHECK: symbol = "__nv_atanh"} : (f64) -> f64
# CHECK: symbol = "__nv_expm1f"} : (f32) -> f32
# CHECK: symbol = "__nv_expm1"} : (f64) -> f64
# CHECK: symbol = "__nv_hypotf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_hypot"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_rhypotf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_rhypot"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_norm3df"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_norm3d"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_rnorm3df"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_rnorm3d"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_norm4df"} : (f32, f32, f32, f32) -> f32
# CHECK: symbol = "__nv_norm4d"} : (f64, f64, f64, f64) -> f64
# CHECK: symbol = "__nv_rnorm4df"} : (f32, f32, f32, f32) -> f32
# CHECK: symbol = "__nv_rnorm4d"} : (f64, f64, f64, f64) -> f64
# CHECK: symbol = "__nv_cbrtf"} : (f32) -> f32
# CHECK: symbol = "__nv_cbrt"} : (f64) -> f64
# CHECK: symbol = "__nv_rcbrtf"} : (f32) -> f32
# CHECK: symbol = "__nv_rcbrt"} : (f64) -> f64
# CHECK: symbol = "__nv_j0f"} : (f32) -> f32
# CHECK: symbol = "__nv_j0"} : (f64) -> f64
# CHECK: symbol = "__nv_j1f"} : (f32) -> f32
# CHECK: symbol = "__nv_j1"} : (f64) -> f64
# CHECK: symbol = "__nv_y0f"} : (f32) -> f32
# CHECK: symbol = "__nv_y0"} : (f64) -> f64
# CHECK: symbol = "__nv_y1f"} : (f32) -> f32
# CHECK: symbol = "__nv_y1"} : (f64) -> f64
# CHECK: symbol = "__nv_ynf"} : (i32, f32) -> f32
# CHECK: symbol = "__nv_yn"} : (i32, f64) -> f64
# CHECK: symbol = "__nv_jnf"} : (i32, f32) -> f32
# CHECK: symbol = "__nv_jn"} : (i32, f64) -> f64
# CHECK: symbol = "__nv_cyl_bessel_i0f"} : (f32) -> f32
# CHECK: symbol = "__nv_cyl_bessel_i0"} : (f64) -> f64
# CHECK: symbol = "__nv_cyl_bessel_i1f"} : (f32) -> f32
# CHECK: symbol = "__nv_cyl_bessel_i1"} : (f64) -> f64
# CHECK: symbol = "__nv_erff"} : (f32) -> f32
# CHECK: symbol = "__nv_erf"} : (f64) -> f64
# CHECK: symbol = "__nv_erfinvf"} : (f32) -> f32
# CHECK: symbol = "__nv_erfinv"} : (f64) -> f64
# CHECK: symbol = "__nv_erfcf"} : (f32) -> f32
# CHECK: symbol = "__nv_erfc"} : (f64) -> f64
# CHECK: symbol = "__nv_erfcxf"} : (f32) -> f32
# CHECK: symbol = "__nv_erfcx"} : (f64) -> f64
# CHECK: symbol = "__nv_erfcinvf"} : (f32) -> f32
# CHECK: symbol = "__nv_erfcinv"} : (f64) -> f64
# CHECK: symbol = "__nv_normcdfinvf"} : (f32) -> f32
# CHECK: symbol = "__nv_normcdfinv"} : (f64) -> f64
# CHECK: symbol = "__nv_normcdff"} : (f32) -> f32
# CHECK: symbol = "__nv_normcdf"} : (f64) -> f64
# CHECK: symbol = "__nv_lgammaf"} : (f32) -> f32
# CHECK: symbol = "__nv_lgamma"} : (f64) -> f64
# CHECK: symbol = "__nv_ldexpf"} : (f32, i32) -> f32
# CHECK: symbol = "__nv_ldexp"} : (f64, i32) -> f64
# CHECK: symbol = "__nv_scalbnf"} : (f32, i32) -> f32
# CHECK: symbol = "__nv_scalbn"} : (f64, i32) -> f64
# CHECK: symbol = "__nv_fmodf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_fmod"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_remainderf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_remainder"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_fmaf"} : (f32, f32, f32) -> f32
# CHECK: symbol = "__nv_fma"} : (f64, f64, f64) -> f64
# CHECK: symbol = "__nv_powif"} : (f32, i32) -> f32
# CHECK: symbol = "__nv_powi"} : (f64, i32) -> f64
# CHECK: symbol = "__nv_powf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_pow"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_tgammaf"} : (f32) -> f32
# CHECK: symbol = "__nv_tgamma"} : (f64) -> f64
# CHECK: symbol = "__nv_roundf"} : (f32) -> f32
# CHECK: symbol = "__nv_round"} : (f64) -> f64
# CHECK: symbol = "__nv_llroundf"} : (f32) -> i64
# CHECK: symbol = "__nv_llround"} : (f64) -> i64
# CHECK: symbol = "__nv_fdimf"} : (f32, f32) -> f32
# CHECK: symbol = "__nv_fdim"} : (f64, f64) -> f64
# CHECK: symbol = "__nv_ilogbf"} : (f32) -> i32
# CHECK: symbol = "__nv_ilogb"} : (f64) -> i32
# CHECK: symbol = "__nv_logbf"} : (f32) -> f32
# CHECK: symbol = "__nv_logb"} : (f64) -> f64
# CHECK: symbol = "__nv_isfinited"} : (f64) -> i32
