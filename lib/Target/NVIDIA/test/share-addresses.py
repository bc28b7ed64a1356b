# The rows of a tile step from one to the next by the stride, where the program multiplies 64 bits
# for each: one product per tensor, and 64-bit sums for the rest.
# RUN: tessera compile %s --kernel-name rows --signature "*fp16:16,*fp16:16,i32,i32,i32,i32,16,128" --target cuda:90 --emit llir -o - | FileCheck %s --check-prefix=ROWS
# RUN: tessera compile %s --kernel-name rows --signature "*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,32,128" --target cuda:90 --emit llir -o - | FileCheck %s --check-prefix=THREADS
# RUN: tessera compile %s --kernel-name columns --signature "*fp16:16,*fp16:16,i32,i32,i32,8,128" --target cuda:90 --emit llir -o - | FileCheck %s --check-prefix=COLUMNS
# RUN: tessera compile %s --kernel-name one_row --signature "*fp16:16,*fp16:16,i32,i32" --target cuda:90 --emit llir -o - | FileCheck %s --check-prefix=ONE
# RUN: tessera compile %s --kernel-name rows --signature "*fp16:16,*fp16:16,i32,i32,96,64,16,128" --target cuda:90 --emit ptx -o - | FileCheck %s --check-prefix=CONSTANT
# RUN: tessera compile %s --kernel-name rows --signature "*fp16:16,*fp16:16,i32,i32,i32,i32,16,128" --target cuda:90 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
# The pointer of one group of addresses is itself an address that another group rewrites (it was read after it had been freed).
# RUN: tessera compile %S/../../../../kernels/conv3d/v4_optimized.py -n conv3d_kernel -s "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32,i32,i32,i32,i32,i32,i32,i32,i32,1,1,1,i32,i32,i32,i32,1,i32,i32,i32,i32,1,4,3,2,3,True,'ieee',tl.float32,128,64,32" --num-stages 4 --target cuda:90 --no-cache --emit ptx -o /dev/null
# REMARK: llir-share-addresses: 48 sums and addresses share products (they are multiples of the same strides, and differ by constants)
import triton
import triton.language as tl


# Four rows in each thread, four apart. Row 12 is row 8 and four strides, row 8 is row 0 and
# eight.
# ROWS-LABEL: define ptx_kernel void @rows
# ROWS: %[[FIRST:[0-9]+]] = mul i64 %[[STRIDE:[0-9]+]], %
# ROWS-NEXT: %[[ROW:[0-9]+]] = getelementptr half, ptr addrspace(1) %1, i64 %[[FIRST]],
# ROWS: %[[AT0:[0-9]+]] = getelementptr half, ptr addrspace(1) %[[ROW]], i64
# ROWS: %[[FOUR:[0-9]+]] = shl i64 %[[STRIDE]], 2,
# ROWS-NEXT: getelementptr half, ptr addrspace(1) %[[AT0]], i64 %[[FOUR]],
# ROWS: %[[EIGHT:[0-9]+]] = shl i64 %[[STRIDE]], 3,
# ROWS-NEXT: %[[AT8:[0-9]+]] = getelementptr half, ptr addrspace(1) %[[AT0]], i64 %[[EIGHT]],
# ROWS: getelementptr half, ptr addrspace(1) %[[AT8]], i64 %[[FOUR]],
# ROWS: mul i64
# ROWS-NOT: mul i64

# A constant stride makes rows constants apart: 8 times 192 bytes, and 8 times 128.
# CONSTANT-LABEL: .entry rows
# CONSTANT: shl.b64 %{{rd[0-9]+}}, %[[ROW:rd[0-9]+]], 7;
# CONSTANT: mad.lo.s64 %[[IN:rd[0-9]+]], %[[ROW]], 192
# CONSTANT: add.s64 %[[AT:rd[0-9]+]], %[[IN]]
# CONSTANT: add.s64 %[[NEXT:rd[0-9]+]], %[[AT]], 1536;
# CONSTANT: ld.global.v4.b32 {{.*}}, [%[[AT]]];
# CONSTANT: ld.global.v4.b32 {{.*}}, [%[[NEXT]]];
# CONSTANT-NOT: {{(shl.b64|mul.lo.s64|mad.lo.s64|mul.wide.u32)}}

# The constants are inside of the thread's part, which is extended to 64 bits.
# THREADS-LABEL: define ptx_kernel void @rows
# THREADS-COUNT-2: mul i64
# THREADS-NOT: mul i64
@triton.jit
def rows(x, out, M, N, x_stride, out_stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (r[:, None] < M) & (c[None, :] < N)
    tl.store(out + r[:, None] * out_stride + c[None, :], tl.load(x + r[:, None] * x_stride + c[None, :], inside), inside)


# Products of 32 bits are one instruction each; each of two rows is added once, before its four
# columns.
# COLUMNS-LABEL: define ptx_kernel void @columns
# COLUMNS: %[[AT:[0-9]+]] = getelementptr half, ptr addrspace(1) %0, i64
# COLUMNS: %[[NEXT:[0-9]+]] = getelementptr half, ptr addrspace(1) %0, i64
# COLUMNS-COUNT-4: getelementptr half, ptr addrspace(1) %[[AT]], i64
# COLUMNS-COUNT-4: getelementptr half, ptr addrspace(1) %[[NEXT]], i64
# COLUMNS-NOT: getelementptr half, ptr addrspace(1) %0, i64
@triton.jit
def columns(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.arange(0, BN)
    inside = (r[:, None] < M) & (c[None, :] < N)
    tl.store(out + r[:, None] * stride + c[None, :], tl.load(x + r[:, None] * stride + c[None, :], inside), inside)


# A single product stays.
# ONE-LABEL: define ptx_kernel void @one_row
# ONE: mul nsw i64
# ONE-NOT: mul i64
@triton.jit
def one_row(x, out, n, stride):
    row = tl.program_id(0).to(tl.int64) + 3
    tl.store(out + row * stride, tl.load(x + row * stride))
