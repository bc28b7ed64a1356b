# Tuples and tensor descriptors as parameters: the record flattens them, and every target takes the parts.
# RUN: split-file %s %t
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --target cpu --emit json -o - | FileCheck %s --check-prefix=RECORD
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --emit ttir -o - > %t/k.ttir
# RUN: tessera compile %t/k.ttir --emit json -o - | FileCheck %s --check-prefix=FROM-TTIR
# RECORD:      "descriptor": "tensordesc<fp16[64, 64]>",
# RECORD-NEXT: "divisibility": 16,
# RECORD-NEXT: "name": "x.base",
# RECORD:      "type": "*fp16"
# RECORD:      "name": "x.shape.0",
# RECORD-NEXT: "type": "i32"
# RECORD:      "divisibility": 8,
# RECORD-NEXT: "name": "x.shape.1",
# RECORD:      "divisibility": 8,
# RECORD-NEXT: "name": "x.strides.0",
# RECORD-NEXT: "type": "i64"
# RECORD:      "name": "x.strides.1",
# RECORD:      "descriptor": "tensordesc<fp16[64, 64]>",
# RECORD:      "name": "t.0.base",
# RECORD:      "name": "t.0.strides.1",
# RECORD:      "name": "t.1",
# RECORD-NEXT: "type": "fp16"
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64],nan>,(tensordesc<fp16[64,64]>,fp16)" --emit ttir -o - > %t/nan.ttir
# RUN: tessera compile %t/nan.ttir --target cpu --emit json -o - | FileCheck %s --check-prefix=NAN
# RUN: FileCheck %s --check-prefix=NAN-TTIR --input-file %t/nan.ttir
# NAN: "descriptor": "tensordesc<fp16[64, 64],nan>",
# NAN: "descriptor": "tensordesc<fp16[64, 64]>",
# NAN-TTIR: @copy(%x: !tt.tensordesc<tensor<64x64xf16>> {tt.padding = 2 : i32} {{.*}} %t: !tt.tensordesc<tensor<64x64xf16>> loc
# From IR the names of a tuple's elements are gone; descriptors are recognised.
# FROM-TTIR:     "descriptor": "tensordesc<fp16[64, 64]>",
# FROM-TTIR:     "name": "x.base",
# FROM-TTIR:     "name": "x.strides.1",
# FROM-TTIR:     "name": "t.base",
# FROM-TTIR:     "name": "t.strides.1",
# FROM-TTIR:     "name": "t.0",
# FROM-TTIR-NEXT: "type": "fp16"

# What a descriptor promises of its base and strides, and the signature of its last extent, makes accesses wide.
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --target cuda:80 --emit ptx -o - | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --target cuda:86 --emit ptx -o - | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --target cuda:89 --emit ptx -o - | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --target cuda:90 --emit ptx -o - | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %t/k.ttir --target cuda:90 --emit ptx -o - | FileCheck %s --check-prefix=WIDE
# WIDE:         .entry copy(
# WIDE-NEXT:    .param .u64 .ptr .global .align 16 copy_param_0,
# WIDE-NEXT:    .param .u32 copy_param_1,
# WIDE-NEXT:    .param .u32 copy_param_2,
# WIDE-NEXT:    .param .u64 copy_param_3,
# WIDE-NEXT:    .param .u64 copy_param_4,
# WIDE-NEXT:    .param .u64 .ptr .global .align 16 copy_param_5,
# WIDE-COUNT-4: ld.global.v4.b32
# WIDE-COUNT-4: st.global.v4.b32
# WIDE-NOT:     {{(ld|st).global}}

# The C functions take the parts.
# RUN: tessera compile %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>:16,fp16)" --target cpu --emit c -o %t/copy
# RUN: FileCheck %s --check-prefix=HEADER --input-file %t/copy.h
# HEADER: x_base: the bits of fp16, aligned to 16 bytes
# HEADER: x_strides_0: a multiple of 8
# HEADER: int32_t copy(uint32_t gridX, uint32_t gridY, uint32_t gridZ, const uint16_t *x_base,
# HEADER-NEXT: int32_t x_shape_0, int32_t x_shape_1, int64_t x_strides_0, int64_t x_strides_1, uint16_t *t_0_base,
# RUN: tessera compile %t/k.py -n grid -s "(i32,4),*fp32" --target cpu --grid "t_0 / t_1" --emit c -o %t/grid
# RUN: FileCheck %s --check-prefix=GRID --input-file %t/grid.c
# GRID: {(uint32_t)(t_0 / 4), (uint32_t)(1), (uint32_t)(1)}
# A parameter may already have the name of a part.
# RUN: tessera compile %t/k.py -n clash -s "(i32,i32),i32,*fp32" --target cpu --emit c -o %t/clash
# RUN: FileCheck %s --check-prefix=CLASH --input-file %t/clash.h
# CLASH: int32_t clash(uint32_t gridX, uint32_t gridY, uint32_t gridZ, int32_t arg_t_0, int32_t t_1,
# CLASH-NEXT: int32_t t_0, float *out)

# From the command line a descriptor is one array, whose shape it has; parts may be given otherwise.
# RUN: tessera run %t/k.py -n copy -s "tensordesc<fp16[64,64]>,(tensordesc<fp16[64,64]>,fp16)" --device cpu --grid 1 --arg x=rand:60x64 --arg x.shape.1=50 --arg t.0=zeros:64x64 --arg t.1=2 --save t.0=%t/out.npy | FileCheck %s --check-prefix=DONE
# RUN: not tessera run %t/k.py -n copy -s "tensordesc<fp16[64,64]>,(tensordesc<fp16[64,64]>,fp16)" --device cpu --grid 1 --arg x=rand:60x60 --arg t.0=zeros:64x64 --arg t.1=2 2>&1 | FileCheck %s --check-prefix=STRIDES
# RUN: not tessera run %t/k.py -n copy -s "tensordesc<fp16[64,64]>,(tensordesc<fp16[64,64]>,fp16)" --device cpu --grid 1 --arg x=rand:60 --arg t.0=zeros:64x64 --arg t.1=2 2>&1 | FileCheck %s --check-prefix=RANK
# RUN: not tessera run %t/k.py -n copy -s "tensordesc<fp16[64,64]>:16,(tensordesc<fp16[64,64]>,fp16)" --device cpu --grid 1 --arg x=rand:60x64 --arg x.shape.1=50 --arg t.0=zeros:64x64 --arg t.1=2 2>&1 | FileCheck %s --check-prefix=PROMISE
# RUN: not tessera run %t/k.py -n copy -s "tensordesc<fp16[64,64]>,(tensordesc<fp16[64,64]>,fp16)" --device cpu --grid 1 --arg x=rand:60x64 --arg t=5 2>&1 | FileCheck %s --check-prefix=NAMES
# RUN: not tessera run %t/k.py -n copy -s "tensordesc<fp16[64,64]>,(tensordesc<fp16[64,64]>,fp16)" --device cpu --grid 1 --arg x=rand:60x64 --arg t.1=2 2>&1 | FileCheck %s --check-prefix=MISSING
# DONE: saved t.0 to
# STRIDES: error: --arg x: along dimension 0 the array's elements are 120 bytes apart, and a descriptor's are multiples of 16; make the array larger, and give the extent that is meant as --arg x.shape.1=60
# RANK: error: --arg x: the descriptor has 2 dimensions and the array 1
# PROMISE: error: --arg x.shape.1: 50 is not divisible by 8, which the signature promises
# NAMES: error: --arg t: 'copy' has no such parameter; it has x, t.0, t.1
# MISSING: error: --arg t.0: missing; give it as --arg t.0=zeros:SHAPE

#--- k.py
import triton
import triton.language as tl

@triton.jit
def copy(x, t):
    i = tl.program_id(0) * 64
    t[0].store([i, 0], x.load([i, 0]) * t[1])

@triton.jit
def grid(t, out):
    tl.store(out + tl.program_id(0), t[0] + t[1])

@triton.jit
def clash(t, t_0, out):
    tl.store(out, t[0] + t[1] + t_0)
