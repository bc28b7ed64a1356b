# tl.sum, tl.xor_sum, tl.reduce_or, tl.cumsum and tl.cumprod in TTIR: the conversion, the region, the axis.
# RUN: tessera compile %s -n sum_all -s "*fp32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix ALL
# RUN: tessera compile %s -n sum_rows -s "*i8,*i32" --emit ttir -o - | FileCheck %s --check-prefix ROWS
# RUN: tessera compile %s -n sum_rows -s "*u8,*i32" --emit ttir -o - | FileCheck %s --check-prefix UNSIGNED
# RUN: tessera compile %s -n sum_rows -s "*fp16,*i32" --emit ttir -o - | FileCheck %s --check-prefix HALF
# RUN: tessera compile %s -n bitwise -s "*i16,*i16" --emit ttir -o - | FileCheck %s --check-prefix BITWISE
# RUN: tessera compile %s -n scans -s "*bf16,*fp32" --emit ttir -o - | FileCheck %s --check-prefix SCANS
import triton
import triton.language as tl


@triton.jit
def sum_all(p, out):
    x = tl.load(p + tl.reshape(tl.arange(0, 32), [4, 8]))
    tl.store(out, tl.sum(x))


# All axes: one reduction over the flattened block, whose elements may come in any order.
# ALL-LABEL: tt.func public @sum_all
# ALL:         %[[X:.+]] = tt.load
# ALL:         %[[FLAT:.+]] = tt.reshape %{{.+}} allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
# ALL-NEXT:    %[[SUM:.+]] = "tt.reduce"(%[[FLAT]]) <{axis = 0 : i32}> ({
# ALL-NEXT:    ^bb0(%[[A:.+]]: f32{{.*}}, %[[B:.+]]: f32
# ALL-NEXT:      %[[C:.+]] = arith.addf %[[A]], %[[B]] : f32
# ALL-NEXT:      tt.reduce.return %[[C]] : f32
# ALL-NEXT:    }) : (tensor<32xf32>) -> f32
# ALL-NEXT:    tt.store %{{.+}}, %[[SUM]] : !tt.ptr<f32>


@triton.jit
def sum_rows(p, out):
    x = tl.load(p + tl.reshape(tl.arange(0, 32), [4, 8]))
    y = tl.sum(x, -1, keep_dims=True)
    tl.store(out + tl.arange(0, 4)[:, None], y)


# ROWS-LABEL: tt.func public @sum_rows
# ROWS:         %[[X:.+]] = tt.load
# ROWS:         %[[WIDE:.+]] = arith.extsi %[[X]] : tensor<4x8xi8> to tensor<4x8xi32>
# ROWS:         %[[SUM:.+]] = "tt.reduce"(%[[WIDE]]) <{axis = 1 : i32}> ({
# ROWS:           arith.addi
# ROWS:         }) : (tensor<4x8xi32>) -> tensor<4xi32>
# ROWS-NEXT:    tt.expand_dims %[[SUM]] {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>

# UNSIGNED-LABEL: tt.func public @sum_rows
# UNSIGNED:         arith.extui %{{.+}} : tensor<4x8xi8> to tensor<4x8xi32>

# Half precision is added in half precision.
# HALF-LABEL: tt.func public @sum_rows
# HALF-NOT:     arith.extf
# HALF:         }) : (tensor<4x8xf16>) -> tensor<4xf16>


@triton.jit
def bitwise(p, out):
    x = tl.load(p + tl.arange(0, 32))
    tl.store(out, tl.xor_sum(x))
    tl.store(out, x.reduce_or(0))


# BITWISE-LABEL: tt.func public @bitwise
# BITWISE:         %[[X:.+]] = tt.load
# BITWISE:         "tt.reduce"(%{{.+}}) <{axis = 0 : i32}> ({
# BITWISE:           arith.xori %{{.+}}, %{{.+}} : i16
# BITWISE:         }) : (tensor<32xi16>) -> i16
# BITWISE:         "tt.reduce"(%[[X]]) <{axis = 0 : i32}> ({
# BITWISE:           arith.ori %{{.+}}, %{{.+}} : i16
# BITWISE:         }) : (tensor<32xi16>) -> i16


@triton.jit
def scans(p, out):
    at = tl.reshape(tl.arange(0, 32), [4, 8])
    x = tl.load(p + at)
    tl.store(out + at, tl.cumsum(x, 1))
    tl.store(out + at, tl.cumprod(x, reverse=True))


# A running total of bfloat16 is kept in float32.
# SCANS-LABEL: tt.func public @scans
# SCANS:         %[[X:.+]] = tt.load
# SCANS:         %[[WIDE:.+]] = arith.extf %[[X]] : tensor<4x8xbf16> to tensor<4x8xf32>
# SCANS:         %[[SUMS:.+]] = "tt.scan"(%[[WIDE]]) <{axis = 1 : i32, reverse = false}> ({
# SCANS-NEXT:    ^bb0(%[[A:.+]]: f32{{.*}}, %[[B:.+]]: f32
# SCANS-NEXT:      %[[C:.+]] = arith.addf %[[A]], %[[B]] : f32
# SCANS-NEXT:      tt.scan.return %[[C]] : f32
# SCANS-NEXT:    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
# SCANS-NEXT:    tt.store %{{.+}}, %[[SUMS]]
# SCANS:         "tt.scan"(%{{.+}}) <{axis = 0 : i32, reverse = true}> ({
# SCANS:           arith.mulf
