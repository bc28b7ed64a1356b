# Philox in TTIR: ten rounds of two products each, then the conversions.
# RUN: tessera compile %s -n words -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix WORDS
# RUN: tessera compile %s -n long_words -s "*i64,i64" --emit ttir -o - | FileCheck %s --check-prefix SIXTYFOUR
# RUN: tessera compile %s -n uniform -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix UNIFORM
# RUN: tessera compile %s -n normal -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix NORMAL
import triton
import triton.language as tl


@triton.jit
def words(p, seed):
    i = tl.arange(0, 16)
    tl.store(p + i, tl.randint(seed, i, n_rounds=1))


# One round: c0 = hi(B * c2) ^ c1 ^ k0, of which c1 = c2 = 0; k0 is the seed's low word.
# WORDS-LABEL: tt.func public @words
# WORDS:         %[[WIDE:.+]] = arith.extsi %{{.+}} : i32 to i64
# WORDS:         %[[LOW:.+]] = arith.trunci %{{.+}} : i64 to i32
# WORDS:         tt.mulhiui
# WORDS:         arith.xori
# WORDS:         tt.store


@triton.jit
def long_words(p, seed):
    i = tl.arange(0, 16).to(tl.uint64)
    a, b, c, d = tl.philox(seed, i, i, i, i)
    tl.store(p + tl.arange(0, 16), a ^ b ^ c ^ d)


# SIXTYFOUR-LABEL:     tt.func public @long_words
# SIXTYFOUR-DAG:              arith.constant {{.*}}-3865633965929787049{{.*}} : {{.*}}i64
# SIXTYFOUR-DAG:              arith.constant {{.*}}-3249550476889527149{{.*}} : {{.*}}i64
# SIXTYFOUR-COUNT-20:         tt.mulhiui %{{.+}}, %{{.+}} : tensor<16xi64>
# SIXTYFOUR-NOT:              tt.mulhiui
# SIXTYFOUR:                  tt.store


@triton.jit
def uniform(p, seed):
    i = tl.arange(0, 16)
    tl.store(p + i, tl.rand(seed, i))


# The scale is the float 0x2FFFFFFF, a little below 2^-31.
# UNIFORM-LABEL: tt.func public @uniform
# UNIFORM-DAG:     %[[SCALE:.+]] = arith.constant dense<4.6566126E-10> : tensor<16xf32>
# UNIFORM-COUNT-16: tt.mulhiui %{{.+}}, %{{.+}} : tensor<16xi32>
# UNIFORM:         %[[NEGATIVE:.+]] = arith.cmpi slt, %[[WORD:.+]], %{{.+}} : tensor<16xi32>
# UNIFORM:         %[[FOLDED:.+]] = arith.select %[[NEGATIVE]], %{{.+}}, %[[WORD]] : tensor<16xi1>, tensor<16xi32>
# UNIFORM-NEXT:    %[[FLOAT:.+]] = arith.sitofp %[[FOLDED]] : tensor<16xi32> to tensor<16xf32>
# UNIFORM-NEXT:    %[[RESULT:.+]] = arith.mulf %[[FLOAT]], %[[SCALE]] : tensor<16xf32>
# UNIFORM:         tt.store %{{.+}}, %[[RESULT]]


@triton.jit
def normal(p, seed):
    i = tl.arange(0, 16)
    a, b, c, d = tl.randn4x(seed, i)
    tl.store(p + i, a + b + c + d)


# NORMAL-LABEL: tt.func public @normal
# NORMAL:         %[[SAFE:.+]] = arith.maxnumf
# NORMAL:         %[[LOG:.+]] = math.log
# NORMAL:         %[[RADIUS:.+]] = math.sqrt
# NORMAL:         math.cos
# NORMAL:         math.sin
# NORMAL:         math.cos
# NORMAL:         math.sin
# NORMAL:         tt.store
