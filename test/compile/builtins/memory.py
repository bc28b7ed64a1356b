# tl.load and tl.store through pointers: options, masks, bools as bytes, pointers to pointers.
# RUN: tessera compile %s -n options -s "*fp32,*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=OPTIONS
# RUN: tessera compile %s -n masked -s "*fp16,*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=MASKED
# RUN: tessera compile %s -n bools -s "*u1,*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix=BOOLS
# RUN: tessera compile %s -n scalars -s "*kfp32,*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=SCALARS
# RUN: tessera compile %s -n pointers -s "**fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=POINTERS
import triton
import triton.language as tl


@triton.jit
def options(x, y, n):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i, cache_modifier=".ca"), cache_modifier=".wb")
    tl.store(y + i, tl.load(x + i, cache_modifier=".cg"), cache_modifier=".cg")
    tl.store(y + i, tl.load(x + i, cache_modifier=".cv"), cache_modifier=".cs")
    tl.store(y + i, tl.load(x + i, eviction_policy="evict_first"), cache_modifier=".wt")
    tl.store(y + i, tl.load(x + i, eviction_policy="evict_last"), eviction_policy="evict_first")
    tl.store(y + i, tl.load(x + i, volatile=True), eviction_policy="evict_last")


# OPTIONS-LABEL: tt.func public @options
# OPTIONS: tt.load %{{.*}} cacheModifier = ca : tensor<64x!tt.ptr<f32>>
# OPTIONS: tt.store %{{.*}} cacheModifier = wb : tensor<64x!tt.ptr<f32>>
# OPTIONS: tt.load %{{.*}} cacheModifier = cg :
# OPTIONS: tt.store %{{.*}} cacheModifier = cg :
# OPTIONS: tt.load %{{.*}} cacheModifier = cv :
# OPTIONS: tt.store %{{.*}} cacheModifier = cs :
# OPTIONS: tt.load %{{.*}} evictionPolicy = evict_first :
# OPTIONS: tt.store %{{.*}} cacheModifier = wt :
# OPTIONS: tt.load %{{.*}} evictionPolicy = evict_last :
# OPTIONS: tt.store %{{.*}} evictionPolicy = evict_first :
# OPTIONS: tt.load %{{.*}} {isVolatile = true} :
# OPTIONS: tt.store %{{.*}} evictionPolicy = evict_last :


@triton.jit
def masked(x, y, n):
    i = tl.arange(0, 16)
    j = i[:, None] * 16 + i[None, :]
    # The mask's column and the scalar `other` take the pointer's shape; `other` takes its type.
    a = tl.load(x + j, mask=(i < n)[:, None], other=1)
    # A pointer grows with its mask.
    b = tl.load(x + i[:, None], mask=(i < n)[None, :])
    tl.store(y + j, a + b, mask=(i < n)[None, :])


# MASKED-LABEL: tt.func public @masked
# MASKED:      %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<16x16xf16>
# MASKED:      %[[ROWS:.+]] = tt.broadcast %{{.+}} : tensor<16x1xi1> -> tensor<16x16xi1>
# MASKED:      %[[A:.+]] = tt.load %{{.+}}, %[[ROWS]], %[[ONE]] : tensor<16x16x!tt.ptr<f16>>
# MASKED:      %[[COLUMNS:.+]] = tt.broadcast %{{.+}} : tensor<1x16xi1> -> tensor<16x16xi1>
# MASKED:      %[[B:.+]] = tt.load %{{.+}}, %[[COLUMNS]] : tensor<16x16x!tt.ptr<f16>>
# MASKED:      %[[SUM:.+]] = arith.addf %[[A]], %[[B]] : tensor<16x16xf16>
# MASKED:      %[[WIDE:.+]] = arith.extf %[[SUM]] : tensor<16x16xf16> to tensor<16x16xf32>
# MASKED:      tt.store %{{.+}}, %[[WIDE]], %[[COLUMNS]] : tensor<16x16x!tt.ptr<f32>>


@triton.jit
def bools(flags, y, n):
    i = tl.arange(0, 16)
    f = tl.load(flags + i, mask=i < n, other=True)
    tl.store(y + i, f)
    tl.store(flags + i, i < n)
    tl.store(flags, n)  # the low byte, as it is


# BOOLS-LABEL: tt.func public @bools(%flags: !tt.ptr<i1>
# BOOLS:      %[[BYTES:.+]] = tt.bitcast %{{.+}} : tensor<16x!tt.ptr<i1>> -> tensor<16x!tt.ptr<i8>>
# BOOLS:      %[[LOADED:.+]] = tt.load %[[BYTES]], %[[MASK:.+]], %{{.+}} : tensor<16x!tt.ptr<i8>>
# BOOLS:      %[[FLAG:.+]] = arith.cmpi ne, %[[LOADED]], %{{.+}} : tensor<16xi8>
# BOOLS:      arith.extui %[[FLAG]] : tensor<16xi1> to tensor<16xi32>
# BOOLS:      %[[BYTE:.+]] = arith.extui %[[MASK]] : tensor<16xi1> to tensor<16xi8>
# BOOLS:      tt.store %[[BYTES]], %[[BYTE]] : tensor<16x!tt.ptr<i8>>
# BOOLS:      %[[LOW:.+]] = arith.trunci %n : i32 to i8
# BOOLS:      tt.store %{{.+}}, %[[LOW]] : !tt.ptr<i8>


@triton.jit
def scalars(x, y, n):
    a = tl.load(x)
    b = tl.load(x + n, mask=n > 0, other=0)
    y.store(a + b, mask=True)


# SCALARS-LABEL: tt.func public @scalars(%x: !tt.ptr<f32>
# SCALARS:      %[[A:.+]] = tt.load %x : !tt.ptr<f32>
# SCALARS:      %[[B:.+]] = tt.load %{{.+}}, %{{.+}}, %{{.+}} : !tt.ptr<f32>
# SCALARS:      %[[SUM:.+]] = arith.addf %[[A]], %[[B]] : f32
# SCALARS:      tt.store %y, %[[SUM]]{{.*}} : !tt.ptr<f32>


@triton.jit
def pointers(x, n):
    i = tl.arange(0, 16)
    rows = tl.load(x + i, mask=i < n)
    tl.store(rows + i, 2, mask=i < n)


# POINTERS-LABEL: tt.func public @pointers(%x: !tt.ptr<!tt.ptr<f32>>
# POINTERS:      %[[ROWS:.+]] = tt.load %{{.+}}, %[[MASK:.+]] : tensor<16x!tt.ptr<!tt.ptr<f32>>>
# POINTERS:      %[[AT:.+]] = tt.addptr %[[ROWS]], %{{.+}} : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
# POINTERS:      tt.store %[[AT]], %{{.+}}, %[[MASK]] : tensor<16x!tt.ptr<f32>>
