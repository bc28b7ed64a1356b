# tl.cdiv, tl.sigmoid, tl.softmax and tl.swizzle2d in TTIR.
# RUN: tessera compile %s -n ceiling -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix CEILING
# RUN: tessera compile %s -n activations -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix ACTIVATIONS
# RUN: tessera compile %s -n swizzle -s "*i32,i32,i32" --emit ttir -o - | FileCheck %s --check-prefix SWIZZLE
import triton
import triton.language as tl


@triton.jit
def ceiling(p, n):
    tl.store(p, tl.cdiv(n, 64))
    tl.store(p, tl.cdiv(100, 64))
    tl.store(p, n.cdiv(n))


# CEILING-LABEL: tt.func public @ceiling
# CEILING-DAG:     %[[STEP:.+]] = arith.constant 63 : i32
# CEILING-DAG:     %[[SIZE:.+]] = arith.constant 64 : i32
# CEILING-DAG:     %[[TWO:.+]] = arith.constant 2 : i32
# CEILING:         %[[UP:.+]] = arith.addi %{{.+}}, %[[STEP]] : i32
# CEILING-NEXT:    %[[BLOCKS:.+]] = arith.divsi %[[UP]], %[[SIZE]] : i32
# CEILING-NEXT:    tt.store %{{.+}}, %[[BLOCKS]] : !tt.ptr<i32>
# CEILING:         tt.store %{{.+}}, %[[TWO]] : !tt.ptr<i32>


@triton.jit
def activations(p):
    at = tl.reshape(tl.arange(0, 32), [4, 8])
    x = tl.load(p + at)
    tl.store(p + at, tl.sigmoid(x))
    tl.store(p + at, tl.softmax(x, 1, keep_dims=True))


# ACTIVATIONS-LABEL: tt.func public @activations
# ACTIVATIONS:         %[[X:.+]] = tt.load
# ACTIVATIONS:         %[[MINUS:.+]] = arith.subf %{{.+}}, %[[X]]
# ACTIVATIONS-NEXT:    %[[EXP:.+]] = math.exp %[[MINUS]]
# ACTIVATIONS:         %[[BELOW:.+]] = arith.addf %[[EXP]], %{{.+}}
# ACTIVATIONS:         arith.divf %{{.+}}, %[[BELOW]]
# ACTIVATIONS:         %[[MAX:.+]] = "tt.reduce"(%[[X]]) <{axis = 1 : i32}> ({
# ACTIVATIONS:           arith.maxnumf
# ACTIVATIONS:         %[[COLUMN:.+]] = tt.expand_dims %[[MAX]] {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
# ACTIVATIONS-NEXT:    %[[WIDE:.+]] = tt.broadcast %[[COLUMN]] : tensor<4x1xf32> -> tensor<4x8xf32>
# ACTIVATIONS-NEXT:    %[[SHIFTED:.+]] = arith.subf %[[X]], %[[WIDE]]
# ACTIVATIONS-NEXT:    %[[SCALED:.+]] = math.exp %[[SHIFTED]]
# ACTIVATIONS-NEXT:    "tt.reduce"(%[[SCALED]]) <{axis = 1 : i32}> ({
# ACTIVATIONS:           arith.addf
# ACTIVATIONS:         arith.divf %[[SCALED]], %{{.+}} : tensor<4x8xf32>


@triton.jit
def swizzle(p, rows, columns):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), rows, columns, 8)
    tl.store(p + i, j)


# SWIZZLE-LABEL: tt.func public @swizzle
# SWIZZLE-SAME:    %{{[a-z0-9_]+}}: !tt.ptr<i32>{{.*}}, %[[ROWS:[a-z0-9_]+]]: i32{{.*}}, %[[COLUMNS:[a-z0-9_]+]]: i32
# SWIZZLE:         %[[G:.+]] = arith.constant 8 : i32
# SWIZZLE:         %[[I:.+]] = tt.get_program_id x
# SWIZZLE-NEXT:    %[[J:.+]] = tt.get_program_id y
# SWIZZLE-NEXT:    %[[IJ:.+]] = arith.muli %[[I]], %[[COLUMNS]]
# SWIZZLE-NEXT:    %[[L:.+]] = arith.addi %[[IJ]], %[[J]]
# SWIZZLE-NEXT:    %[[CELLS:.+]] = arith.muli %[[COLUMNS]], %[[G]]
# SWIZZLE-NEXT:    %[[BAND:.+]] = arith.divsi %[[L]], %[[CELLS]]
# SWIZZLE-NEXT:    %[[FIRST:.+]] = arith.muli %[[BAND]], %[[G]]
# SWIZZLE-NEXT:    %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[FIRST]]
# SWIZZLE-NEXT:    %[[H:.+]] = arith.minsi %[[LEFT]], %[[G]]
# SWIZZLE-NEXT:    %[[M:.+]] = arith.remsi %[[L]], %[[CELLS]]
# SWIZZLE-NEXT:    %[[DOWN:.+]] = arith.remsi %[[M]], %[[H]]
# SWIZZLE-NEXT:    %[[NEW_I:.+]] = arith.addi %[[FIRST]], %[[DOWN]]
# SWIZZLE-NEXT:    %[[NEW_J:.+]] = arith.divsi %[[M]], %[[H]]
# SWIZZLE-NEXT:    %[[AT:.+]] = tt.addptr %{{.+}}, %[[NEW_I]]
# SWIZZLE-NEXT:    tt.store %[[AT]], %[[NEW_J]]
