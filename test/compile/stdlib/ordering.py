# tl.sort, tl.topk, tl.bitonic_merge and tl.flip in TTIR: networks over a cube of two elements an axis.
# RUN: tessera compile %s -n sort_four -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix SORT
# RUN: tessera compile %s -n best -s "*fp32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix BEST
# RUN: tessera compile %s -n merge -s "*i16" --emit ttir -o - | FileCheck %s --check-prefix MERGE
# RUN: tessera compile %s -n reverse -s "*fp16" --emit ttir -o - | FileCheck %s --check-prefix FLIP
import triton
import triton.language as tl


@triton.jit
def sort_four(p):
    at = p + tl.arange(0, 4)
    tl.store(at, tl.sort(tl.load(at)))


# Pairs up and down in turns; then distance 2, then distance 1, all up.
# SORT-LABEL: tt.func public @sort_four
# SORT:         %[[X:.+]] = tt.load
# SORT:         %[[CUBE:.+]] = tt.reshape %[[X]] : tensor<4xf32> -> tensor<2x2xf32>
# SORT:         %[[BITS:.+]] = tt.bitcast %[[CUBE]] : tensor<2x2xf32> -> tensor<2x2xi32>
# SORT-NEXT:    %[[BOTH:.+]] = "tt.reduce"(%[[BITS]]) <{axis = 1 : i32}> ({
# SORT:           arith.xori
# SORT:         }) : (tensor<2x2xi32>) -> tensor<2xi32>
# SORT-NEXT:    %[[KEPT:.+]] = tt.expand_dims %[[BOTH]] {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
# SORT-NEXT:    %[[WIDE:.+]] = tt.broadcast %[[KEPT]] : tensor<2x1xi32> -> tensor<2x2xi32>
# SORT-NEXT:    %[[OTHER:.+]] = arith.xori %[[BITS]], %[[WIDE]] : tensor<2x2xi32>
# SORT-NEXT:    %[[PARTNER:.+]] = tt.bitcast %[[OTHER]] : tensor<2x2xi32> -> tensor<2x2xf32>
# SORT:         %[[GREATER:.+]] = arith.cmpf ogt, %[[CUBE]], %[[PARTNER]] : tensor<2x2xf32>
# SORT:         %[[SWAP:.+]] = arith.cmpi ne
# SORT-NEXT:    %[[RUNS:.+]] = arith.select %[[SWAP]], %[[PARTNER]], %[[CUBE]] : tensor<2x2xi1>, tensor<2x2xf32>
# SORT-NEXT:    %[[BITS2:.+]] = tt.bitcast %[[RUNS]]
# SORT-NEXT:    "tt.reduce"(%[[BITS2]]) <{axis = 0 : i32}> ({
# SORT:         arith.select
# SORT:         "tt.reduce"(%{{.+}}) <{axis = 1 : i32}> ({
# SORT:         %[[SORTED:.+]] = arith.select
# SORT-NEXT:    %[[ROW:.+]] = tt.reshape %[[SORTED]] : tensor<2x2xf32> -> tensor<4xf32>
# SORT-NEXT:    tt.store %{{.+}}, %[[ROW]]
# SORT-NOT:     tt.reduce


@triton.jit
def best(p, out):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(out + tl.arange(0, 2), tl.topk(x, 2))
    tl.store(out + tl.arange(0, 1), tl.topk(x, 1))


# Pairs are sorted once; then two reductions by max, each followed by a merge of pairs.
# BEST-LABEL: tt.func public @best
# BEST:         tt.reshape %{{.+}} : tensor<8xf32> -> tensor<2x2x2xf32>
# BEST:           arith.xori
# BEST:           arith.maxnumf
# BEST:         }) : (tensor<2x2x2xf32>) -> tensor<2x2xf32>
# BEST:           arith.xori
# BEST:           arith.maxnumf
# BEST:         }) : (tensor<2x2xf32>) -> tensor<2xf32>
# BEST:           arith.xori
# BEST:         tt.store
# The best alone needs no exchange, and is a block of one element.
# BEST-NOT:       arith.xori
# BEST:         }) : (tensor<2xf32>) -> f32
# BEST-NEXT:    tt.splat %{{.+}} : f32 -> tensor<1xf32>


@triton.jit
def merge(p):
    at = p + tl.reshape(tl.arange(0, 8), [2, 4])
    tl.store(at, tl.bitonic_merge(tl.load(at), descending=True))


# MERGE-LABEL: tt.func public @merge
# MERGE:         tt.reshape %{{.+}} : tensor<2x4xi16> -> tensor<2x2x2xi16>
# MERGE:         "tt.reduce"(%{{.+}}) <{axis = 1 : i32}> ({
# MERGE:         arith.cmpi sgt
# MERGE:         "tt.reduce"(%{{.+}}) <{axis = 2 : i32}> ({
# MERGE:         arith.cmpi sgt
# MERGE-NOT:     tt.reduce
# MERGE:         tt.reshape %{{.+}} : tensor<2x2x2xi16> -> tensor<2x4xi16>


@triton.jit
def reverse(p):
    at = p + tl.reshape(tl.arange(0, 8), [2, 4])
    tl.store(at, tl.flip(tl.load(at)))


# FLIP-LABEL: tt.func public @reverse
# FLIP:         %[[BITS:.+]] = tt.bitcast %{{.+}} : tensor<2x4xf16> -> tensor<2x4xi16>
# FLIP-NEXT:    %[[CUBE:.+]] = tt.reshape %[[BITS]] : tensor<2x4xi16> -> tensor<2x2x2xi16>
# FLIP-NEXT:    "tt.reduce"(%[[CUBE]]) <{axis = 1 : i32}> ({
# FLIP:         "tt.reduce"(%{{.+}}) <{axis = 2 : i32}> ({
# FLIP:         %[[BACK:.+]] = tt.reshape %{{.+}} : tensor<2x2x2xi16> -> tensor<2x4xi16>
# FLIP-NEXT:    tt.bitcast %[[BACK]] : tensor<2x4xi16> -> tensor<2x4xf16>
