# tl.max, tl.min, tl.argmax and tl.argmin in TTIR.
# RUN: tessera compile %s -n values -s "*fp16,*fp32" --emit ttir -o - | FileCheck %s --check-prefix VALUES
# RUN: tessera compile %s -n values -s "*u8,*fp32" --emit ttir -o - | FileCheck %s --check-prefix BYTES
# RUN: tessera compile %s -n values -s "*u32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix WORDS
# RUN: tessera compile %s -n first_index -s "*fp32,*i32" --emit ttir -o - | FileCheck %s --check-prefix FIRST
# RUN: tessera compile %s -n any_index -s "*i32,*i32" --emit ttir -o - | FileCheck %s --check-prefix ANY
import triton
import triton.language as tl


@triton.jit
def values(p, out):
    x = tl.load(p + tl.arange(0, 32))
    tl.store(out, tl.max(x))
    tl.store(out, x.min(0))


# Compared in float32; of two operands the one that is not NaN wins.
# VALUES-LABEL: tt.func public @values
# VALUES:         %[[X:.+]] = tt.load
# VALUES:         %[[WIDE:.+]] = arith.extf %[[X]] : tensor<32xf16> to tensor<32xf32>
# VALUES:         "tt.reduce"(%{{.+}}) <{axis = 0 : i32}> ({
# VALUES-NEXT:    ^bb0(%[[A:.+]]: f32{{.*}}, %[[B:.+]]: f32
# VALUES-NEXT:      %[[C:.+]] = arith.maxnumf %[[A]], %[[B]] : f32
# VALUES-NEXT:      tt.reduce.return %[[C]] : f32
# VALUES-NEXT:    }) : (tensor<32xf32>) -> f32
# VALUES:         "tt.reduce"(%[[WIDE]]) <{axis = 0 : i32}> ({
# VALUES:           arith.minnumf
# VALUES:         }) : (tensor<32xf32>) -> f32

# BYTES-LABEL: tt.func public @values
# BYTES:         arith.extui %{{.+}} : tensor<32xi8> to tensor<32xi32>
# BYTES:           arith.maxsi
# BYTES:           arith.minsi

# WORDS-LABEL: tt.func public @values
# WORDS:           arith.maxui
# WORDS:           arith.minui


@triton.jit
def first_index(p, out):
    x = tl.load(p + tl.reshape(tl.arange(0, 64), [2, 4, 8]))
    largest, index = tl.max(x, 1, return_indices=True)
    tl.store(out + tl.reshape(tl.arange(0, 16), [2, 8]), index)


# FIRST-LABEL: tt.func public @first_index
# FIRST:         %[[X:.+]] = tt.load
# FIRST-NEXT:    %[[RANGE:.+]] = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
# FIRST-NEXT:    %[[ROW:.+]] = tt.expand_dims %[[RANGE]] {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
# FIRST-NEXT:    %[[BOX:.+]] = tt.expand_dims %[[ROW]] {axis = 2 : i32} : tensor<1x4xi32> -> tensor<1x4x1xi32>
# FIRST-NEXT:    %[[INDEX:.+]] = tt.broadcast %[[BOX]] : tensor<1x4x1xi32> -> tensor<2x4x8xi32>
# FIRST-NEXT:    %[[BEST:.+]]:2 = "tt.reduce"(%[[X]], %[[INDEX]]) <{axis = 1 : i32}> ({
# FIRST-NEXT:    ^bb0(%[[V1:.+]]: f32{{.*}}, %[[I1:.+]]: i32{{.*}}, %[[V2:.+]]: f32{{.*}}, %[[I2:[^:]+]]: i32
# FIRST-NEXT:      %[[TIE:.+]] = arith.cmpf oeq, %[[V1]], %[[V2]] : f32
# FIRST-NEXT:      %[[LEFT:.+]] = arith.cmpi slt, %[[I1]], %[[I2]] : i32
# FIRST-NEXT:      %[[EARLIER:.+]] = arith.andi %[[TIE]], %[[LEFT]] : i1
# FIRST-NEXT:      %[[GREATER:.+]] = arith.cmpf ogt, %[[V1]], %[[V2]] : f32
# FIRST-NEXT:      %[[TAKE:.+]] = arith.ori %[[GREATER]], %[[EARLIER]] : i1
# FIRST-NEXT:      %[[V:.+]] = arith.select %[[TAKE]], %[[V1]], %[[V2]] : f32
# FIRST-NEXT:      %[[I:.+]] = arith.select %[[TAKE]], %[[I1]], %[[I2]] : i32
# FIRST-NEXT:      tt.reduce.return %[[V]], %[[I]] : f32, i32
# FIRST-NEXT:    }) : (tensor<2x4x8xf32>, tensor<2x4x8xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
# FIRST:         tt.store %{{.+}}, %[[BEST]]#1


@triton.jit
def any_index(p, out):
    x = tl.load(p + tl.arange(0, 32))
    tl.store(out, tl.argmin(x, 0, tie_break_left=False))


# ANY-LABEL: tt.func public @any_index
# ANY:         %[[BEST:.+]]:2 = "tt.reduce"
# ANY-NOT:       arith.cmpi eq
# ANY:           arith.cmpi slt
# ANY:         }) : (tensor<32xi32>, tensor<32xi32>) -> (i32, i32)
# ANY-NEXT:    tt.store %{{.+}}, %[[BEST]]#1 : !tt.ptr<i32>
