# tl.reduce, tl.associative_scan and tl.map_elementwise call a jit function in a region; tl.histogram and tl.gather do not.
# RUN: tessera compile %s -n reductions -s "*fp32,*i32" --emit ttir -o - | FileCheck %s --check-prefix REDUCE
# RUN: tessera compile %s -n scans -s "*fp32,*i32" --emit ttir -o - | FileCheck %s --check-prefix SCAN
# RUN: tessera compile %s -n maps -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix MAP
# RUN: tessera compile %s -n counts -s "*fp32,*i32" --emit ttir -o - | FileCheck %s --check-prefix COUNT
import triton
import triton.language as tl


@triton.jit
def show(x):
    tl.device_print("x", x)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def largest(value, index, other, other_index):
    first = value > other
    return tl.where(first, value, other), tl.where(first, index, other_index)


@triton.jit
def reductions(p, q):
    i = tl.arange(0, 16)
    x, n = tl.load(p + i), tl.load(q + i)
    show(tl.reduce(x, 0, multiply))
    show(tl.reduce(x, 0, tl.maximum))
    matrix = x.reshape(4, 4)
    show(matrix.reduce(-1, multiply, keep_dims=True))
    show(tl.reduce(matrix, None, multiply))
    show(tl.reduce(matrix, axis=None, combine_fn=multiply, keep_dims=True))
    value, index = tl.reduce((x, n), 0, largest)
    show(index)


# REDUCE-LABEL: tt.func public @reductions
# REDUCE:         %[[X:.+]] = tt.load
# REDUCE:         %[[N:.+]] = tt.load
# REDUCE:         "tt.reduce"(%[[X]]) <{axis = 0 : i32}> ({
# REDUCE-NEXT:    ^bb0(%[[A:[a-z0-9_]+]]: f32 {{.*}}, %[[B:[a-z0-9_]+]]: f32
# REDUCE-NEXT:      %[[C:.+]] = arith.mulf %[[A]], %[[B]] : f32
# REDUCE-NEXT:      tt.reduce.return %[[C]] : f32
# REDUCE-NEXT:    }) : (tensor<16xf32>) -> f32
# A function of the language does as well.
# REDUCE:           arith.maxnumf %{{.+}}, %{{.+}} : f32
# REDUCE:         %[[ROWS:.+]] = "tt.reduce"(%{{.+}}) <{axis = 1 : i32}>
# REDUCE:         }) : (tensor<4x4xf32>) -> tensor<4xf32>
# REDUCE:         tt.expand_dims %[[ROWS]] {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
# All elements, in any order.
# REDUCE:         %[[FLAT:.+]] = tt.reshape %[[X]] allow_reorder : tensor<16xf32> -> tensor<16xf32>
# REDUCE:         "tt.reduce"(%[[FLAT]]) <{axis = 0 : i32}>
# REDUCE:         tt.print {{.*}} : f32
# REDUCE:         tt.print {{.*}} : tensor<1x1xf32>
# REDUCE:         %[[BEST:.+]]:2 = "tt.reduce"(%[[X]], %[[N]]) <{axis = 0 : i32}> ({
# REDUCE-NEXT:    ^bb0(%{{.+}}: f32 {{.*}}, %{{.+}}: i32 {{.*}}, %{{.+}}: f32 {{.*}}, %{{.+}}: i32
# REDUCE:           tt.reduce.return %{{.+}}, %{{.+}} : f32, i32
# REDUCE:         tt.print {{.*}} : %[[BEST]]#1 : i32


@triton.jit
def scans(p, q):
    i = tl.arange(0, 16)
    x, n = tl.load(p + i), tl.load(q + i)
    show(tl.associative_scan(x, 0, multiply))
    show(x.reshape(4, 4).associative_scan(-1, multiply, reverse=True))
    values, indices = tl.associative_scan((x, n), 0, largest)
    show(indices)


# SCAN-LABEL: tt.func public @scans
# SCAN:         "tt.scan"(%{{.+}}) <{axis = 0 : i32, reverse = false}> ({
# SCAN:           arith.mulf
# SCAN-NEXT:      tt.scan.return
# SCAN-NEXT:    }) : (tensor<16xf32>) -> tensor<16xf32>
# SCAN:         "tt.scan"(%{{.+}}) <{axis = 1 : i32, reverse = true}>
# SCAN:         }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
# SCAN:         %[[BOTH:.+]]:2 = "tt.scan"
# SCAN:         tt.print {{.*}} : %[[BOTH]]#1 : tensor<16xi32>


@triton.jit
def halve_positive(x):
    if x > 0:
        return x * 0.5
    else:
        return x


@triton.jit
def sum_and_difference(a, b):
    return a + b, a - b


@triton.jit
def swap_pairs(a0, a1):
    return a1, a0


@triton.jit
def maps(p):
    x = tl.load(p + tl.arange(0, 16))
    show(tl.map_elementwise(halve_positive, x))
    total, difference = tl.map_elementwise(sum_and_difference, x[:, None], x[None, :])
    show(total)
    (swapped, ) = tl.map_elementwise(swap_pairs, x, pack=2)
    show(swapped)


# Real control flow for each element.
# MAP-LABEL: tt.func public @maps
# MAP:         "tt.map_elementwise"(%{{.+}}) <{pack = 1 : i32}> ({
# MAP-NEXT:    ^bb0(%{{.+}}: f32
# MAP:           {{scf.if|cf.cond_br}}
# MAP:           tt.map_elementwise.return %{{.+}} : f32
# MAP:         }) : (tensor<16xf32>) -> tensor<16xf32>
# MAP:         %[[TWO:.+]]:2 = "tt.map_elementwise"
# MAP:         }) : (tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>)
# MAP:         tt.print {{.*}} : %[[TWO]]#0
# MAP:         "tt.map_elementwise"(%{{.+}}) <{pack = 2 : i32}> ({
# MAP-NEXT:    ^bb0(%[[A:[a-z0-9_]+]]: f32 {{.*}}, %[[B:[a-z0-9_]+]]: f32
# MAP-NEXT:      tt.map_elementwise.return %[[B]], %[[A]] : f32, f32
# MAP-NEXT:    }) : (tensor<16xf32>) -> tensor<16xf32>


@triton.jit
def counts(p, q):
    i = tl.arange(0, 16)
    x, n = tl.load(p + i), tl.load(q + i)
    show(tl.histogram(n, 32))
    show(n.histogram(16, mask=n > 0))
    show(tl.gather(x, n, 0))
    show(x.reshape(4, 4).gather(tl.arange(0, 8).reshape(4, 2), axis=-1))


# COUNT-LABEL: tt.func public @counts
# COUNT:         tt.histogram %{{.+}} : tensor<16xi32> -> tensor<32xi32>
# COUNT:         tt.histogram %{{.+}}, %{{.+}} : tensor<16xi32> -> tensor<16xi32>
# COUNT:         tt.gather %{{.+}}[%{{.+}}] {axis = 0 : i32} : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
# COUNT:         tt.gather %{{.+}}[%{{.+}}] {axis = 1 : i32} : (tensor<4x4xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
