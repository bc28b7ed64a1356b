# broadcast, reshape, permute, join and their kin, as functions and as methods (docs/language.md, shape manipulation).
# RUN: tessera compile %s -n broadcasts -s "*fp32,fp32" --emit ttir -o - | FileCheck %s --check-prefix BROADCAST
# RUN: tessera compile %s -n reshapes -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix RESHAPE
# RUN: tessera compile %s -n permutations -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix PERMUTE
# RUN: tessera compile %s -n pairs -s "*fp32,fp32,fp32" --emit ttir -o - | FileCheck %s --check-prefix PAIR
# RUN: tessera compile %s -n scalars -s "*fp32,fp32" --emit ttir -o - | FileCheck %s --check-prefix SCALAR
import triton
import triton.language as tl


@triton.jit
def show(x):
    tl.device_print("x", x)


@triton.jit
def broadcasts(p, f):
    x = tl.load(p + tl.arange(0, 16))
    a, b = tl.broadcast(x[:, None], x[None, :])
    show(a)
    show(b)
    show(tl.broadcast_to(x[:, None], (16, 8)))
    show(x[None, :].broadcast_to(4, 16))
    show(tl.broadcast_to(f, (4, 4)))
    show(tl.expand_dims(x, 0))
    show(x.expand_dims((0, -1)))
    show(tl.expand_dims(f, 0))


# BROADCAST-LABEL: tt.func public @broadcasts
# BROADCAST:         %[[X:.+]] = tt.load
# BROADCAST:         %[[COLUMN:.+]] = tt.expand_dims %[[X]] {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
# BROADCAST:         %[[ROW:.+]] = tt.expand_dims %[[X]] {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
# BROADCAST:         %[[A:.+]] = tt.broadcast %[[COLUMN]] : tensor<16x1xf32> -> tensor<16x16xf32>
# BROADCAST:         %[[B:.+]] = tt.broadcast %[[ROW]] : tensor<1x16xf32> -> tensor<16x16xf32>
# BROADCAST:         tt.print " x: " {{.*}} : %[[A]]
# BROADCAST:         tt.print " x: " {{.*}} : %[[B]]
# BROADCAST:         tt.broadcast %{{.+}} : tensor<16x1xf32> -> tensor<16x8xf32>
# BROADCAST:         tt.broadcast %{{.+}} : tensor<1x16xf32> -> tensor<4x16xf32>
# BROADCAST:         tt.splat %{{.+}} : f32 -> tensor<4x4xf32>
# BROADCAST:         tt.print {{.*}} : tensor<1x16xf32>
# BROADCAST:         tt.expand_dims %{{.+}} {axis = 2 : i32} : tensor<1x16xf32> -> tensor<1x16x1xf32>
# BROADCAST:         tt.splat %{{.+}} : f32 -> tensor<1xf32>


@triton.jit
def reshapes(p):
    x = tl.load(p + tl.arange(0, 16))
    show(tl.reshape(x, (4, 4)))
    show(tl.reshape(x, 2, 8))
    show(x.reshape([8, 2], can_reorder=True))
    show(tl.view(x, 2, 2, 4))
    show(x.view((16, 1)))


# RESHAPE-LABEL: tt.func public @reshapes
# RESHAPE:         tt.reshape %{{[a-z0-9_]+}} : tensor<16xf32> -> tensor<4x4xf32>
# RESHAPE:         tt.reshape %{{[a-z0-9_]+}} : tensor<16xf32> -> tensor<2x8xf32>
# RESHAPE:         tt.reshape %{{[a-z0-9_]+}} allow_reorder : tensor<16xf32> -> tensor<8x2xf32>
# RESHAPE:         tt.reshape %{{[a-z0-9_]+}} allow_reorder : tensor<16xf32> -> tensor<2x2x4xf32>
# RESHAPE:         tt.reshape %{{[a-z0-9_]+}} allow_reorder : tensor<16xf32> -> tensor<16x1xf32>


@triton.jit
def permutations(p):
    x = tl.load(p + tl.arange(0, 16))
    matrix = x.reshape(2, 8)
    cube = x.reshape(2, 2, 4)
    show(matrix.T)
    show(tl.trans(matrix))
    show(matrix.trans(1, 0))
    show(tl.trans(cube))
    show(cube.permute(2, 0, 1))
    show(tl.permute(cube, (1, 0, 2)))


# PERMUTE-LABEL:   tt.func public @permutations
# PERMUTE:         tt.trans %{{.+}} {order = array<i32: 1, 0>} : tensor<2x8xf32> -> tensor<8x2xf32>
# PERMUTE-COUNT-3: tt.print {{.*}} : tensor<8x2xf32>
# PERMUTE:         tt.trans %{{.+}} {order = array<i32: 0, 2, 1>} : tensor<2x2x4xf32> -> tensor<2x4x2xf32>
# PERMUTE:         tt.trans %{{.+}} {order = array<i32: 2, 0, 1>} : tensor<2x2x4xf32> -> tensor<4x2x2xf32>
# PERMUTE:         tt.trans %{{.+}} {order = array<i32: 1, 0, 2>} : tensor<2x2x4xf32> -> tensor<2x2x4xf32>


@triton.jit
def pairs(p, f, g):
    x = tl.load(p + tl.arange(0, 16))
    y = tl.load(p + 16 + tl.arange(0, 16))
    show(tl.join(x, y))
    show(tl.join(x, f))
    a, b = tl.split(x.reshape(8, 2))
    show(a)
    show(b)
    show(tl.cat(x, y, can_reorder=True))
    both = tl.join(f, g)
    show(both)
    left, right = both.split()
    show(left)


# PAIR-LABEL: tt.func public @pairs
# PAIR:         %[[X:.+]] = tt.load
# PAIR:         %[[Y:.+]] = tt.load
# PAIR:         tt.join %[[X]], %[[Y]] : tensor<16xf32> -> tensor<16x2xf32>
# PAIR:         %[[F:.+]] = tt.splat %{{.+}} : f32 -> tensor<16xf32>
# PAIR-NEXT:    tt.join %[[X]], %[[F]] : tensor<16xf32> -> tensor<16x2xf32>
# PAIR:         %[[A:.+]], %[[B:.+]] = tt.split %{{.+}} : tensor<8x2xf32> -> tensor<8xf32>
# PAIR:         tt.print {{.*}} : %[[A]]
# PAIR:         tt.print {{.*}} : %[[B]]
# PAIR:         tt.cat %[[X]], %[[Y]] : tensor<16xf32> -> tensor<32xf32>
# Two scalars join to a block of two, by way of blocks of one.
# PAIR:         tt.join %{{.+}}, %{{.+}} : tensor<1xf32> -> tensor<1x2xf32>
# PAIR:         tt.reshape %{{.+}} : tensor<1x2xf32> -> tensor<2xf32>
# PAIR:         tt.print {{.*}} : tensor<2xf32>
# PAIR:         tt.split %{{.+}} : tensor<1x2xf32> -> tensor<1xf32>
# PAIR:         tt.unsplat %{{.+}} : tensor<1xf32>


@triton.jit
def scalars(p, f):
    one = tl.load(p + tl.arange(0, 1))
    show(one.item())
    show(one.reshape(()))
    show(f.item())
    show(tl.reshape(f, (1, 1)))


# SCALAR-LABEL:   tt.func public @scalars
# SCALAR-SAME:    %[[F:[a-z0-9_]+]]: f32
# SCALAR:         %[[ONE:.+]] = tt.unsplat %{{.+}} : tensor<1xf32>
# SCALAR-COUNT-2: tt.print {{.*}} : %[[ONE]] : f32
# SCALAR:         tt.print {{.*}} : %[[F]] : f32
# SCALAR:         tt.splat %[[F]] : f32 -> tensor<1x1xf32>
