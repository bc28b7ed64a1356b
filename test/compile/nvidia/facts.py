# What is known of addresses (divisibility, contiguity, constancy) reaches the loads: each kernel takes a way that facts take
# through a program, and its load of f32 ends up 16 bytes wide; or as wide as is safe, where that is less.
# RUN: tessera compile %s -n loop -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n loop -s "*fp32:16,*fp32:16,i32,i32,64" --emit ptx -o - | FileCheck %s --check-prefix NARROW
# RUN: tessera compile %s -n nested_loops -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n while_loop -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n branch -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n branch -s "*fp32:16,*fp32:16,i32,i32,64" --emit ptx -o - | FileCheck %s --check-prefix NARROW
# RUN: tessera compile %s -n select -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n extrema -s "*fp32:16,*fp32:16,i32:16,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n from_integer -s "*i64,*fp32:16,i32,i32,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n wide_offsets -s "*fp32:16,*fp32:16,i64,i64:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n remainder -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n bits -s "*fp32:16,*fp32:16,i32,i32,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n rearranged -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n called -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n called_apart -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n block_pointer -s "*fp32:16,*fp32:16,i32:16,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n descriptor -s "*fp32:16,*fp32:16,i32:16,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n hinted_load -s "*i32,*fp32:16,i32,i32,64" --emit ptx -o - | FileCheck %s --check-prefix HINTED
# RUN: tessera compile %s -n masked -s "*fp32:16,*fp32:16,i32:16,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix WIDE
# RUN: tessera compile %s -n masked -s "*fp32:16,*fp32:16,i32,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix ENDS
# RUN: tessera compile %s -n gathered -s "*fp32:16,*fp32:16,i32:16,i32:16,64" --emit ptx -o - | FileCheck %s --check-prefix NARROW
# WIDE:       .entry
# WIDE-NOT:   ld.global.b32
# WIDE:       ld.global.v4.b32
# WIDE-NOT:   ld.global.b32
# WIDE:       st.global
# HINTED:     ld.global.b32
# HINTED:     ld.global.v4.b32
# A mask that may end inside a vector: whole vectors, and single elements instead where it does.
# ENDS:       @%{{.*}} ld.global.v4.b32
# ENDS-NEXT:  end inline asm
# ENDS-NEXT:  bra
# ENDS:       ld.global.b32
# NARROW:     .entry
# NARROW-NOT: ld.global.v
# NARROW:     ld.global.b32
import triton
import triton.language as tl


# Each loads rows of 4 * N elements, so that a thread has four side by side, and stores one sum a program.


@triton.jit
def loop(x, out, n, step, N: tl.constexpr):
    at = x + tl.arange(0, 8 * N)
    total = tl.zeros((8 * N, ), tl.float32)
    for i in range(n):
        total += tl.load(at)
        at += step
    tl.store(out, tl.sum(total))


@triton.jit
def nested_loops(x, out, n, step, N: tl.constexpr):
    at = x + tl.arange(0, 8 * N)
    total = tl.zeros((8 * N, ), tl.float32)
    for i in range(n):
        inner = at
        for j in range(i):
            total += tl.load(inner + j * 8 * N)
            inner += step
        at = inner + 16
    tl.store(out, tl.sum(total))


@triton.jit
def while_loop(x, out, n, step, N: tl.constexpr):
    at = x + tl.arange(0, 8 * N)
    offset = 0
    total = tl.zeros((8 * N, ), tl.float32)
    while tl.sum(total) < n:
        total += tl.load(at + offset)
        at += step
        offset += 4
    tl.store(out, tl.sum(total))


@triton.jit
def branch(x, out, n, step, N: tl.constexpr):
    offset = step
    if n > 3:
        offset += 32
    else:
        offset = tl.program_id(0) * 64
    tl.store(out, tl.sum(tl.load(x + offset + tl.arange(0, 8 * N))))


@triton.jit
def select(x, out, n, step, N: tl.constexpr):
    i = tl.arange(0, 8 * N)
    offset = tl.where(n > 3, step, 64) + i
    chosen = tl.where(i // 8 % 2 == 0, offset, offset + 32)
    tl.store(out, tl.sum(tl.load(x + chosen)))


@triton.jit
def extrema(x, out, n, step, N: tl.constexpr):
    offset = tl.minimum(tl.program_id(0) * 64, n)
    offset = tl.maximum(offset, min(step, 128))
    tl.store(out, tl.sum(tl.load(x + offset + tl.arange(0, 8 * N))))


@triton.jit
def from_integer(x, out, n, step, N: tl.constexpr):
    address = tl.multiple_of(tl.load(x), 16)
    row = address.to(tl.pointer_type(tl.float32))
    tl.store(out, tl.sum(tl.load(row + tl.arange(0, 8 * N))))


@triton.jit
def wide_offsets(x, out, n, step, N: tl.constexpr):
    at = x + tl.program_id(0).to(tl.int64) * step
    at = at + 4 * n
    tl.store(out, tl.sum(tl.load(at + tl.arange(0, 8 * N).to(tl.int64))))


@triton.jit
def remainder(x, out, n, step, N: tl.constexpr):
    i = tl.program_id(0) * 8 * N + tl.arange(0, 8 * N)
    tl.store(out, tl.sum(tl.load(x + i % step + i // step * step)))


@triton.jit
def bits(x, out, n, step, N: tl.constexpr):
    i = tl.program_id(0) * 8 * N + tl.arange(0, 8 * N)
    tl.store(out, tl.sum(tl.load(x + ((i & 63) | ((i >> 6) << 7)))))


@triton.jit
def rearranged(x, out, n, step, N: tl.constexpr):
    rows = (tl.arange(0, 8) * step)[None, :]
    at = tl.trans(tl.broadcast_to(rows, (N, 8))) + tl.arange(0, N)[None, :]
    flat = tl.reshape(x + at, (8 * N, ))
    tl.store(out, tl.sum(tl.load(flat)))


@triton.jit
def add_row(x, i, step):
    tl.multiple_of(x, 16)
    return x + i * step


@triton.jit
def called(x, out, n, step, N: tl.constexpr):
    at = add_row(x + n, tl.program_id(0), step)
    tl.store(out, tl.sum(tl.load(at + tl.arange(0, 8 * N))))


@triton.jit(noinline=True)
def offset_apart(i, step):
    return i * step, i + step


@triton.jit
def called_apart(x, out, n, step, N: tl.constexpr):
    offset, odd = offset_apart(tl.program_id(0), n)
    offset = tl.multiple_of(offset, 4)
    tl.store(out + odd, tl.sum(tl.load(x + offset + tl.arange(0, 8 * N))))


@triton.jit
def block_pointer(x, out, n, step, N: tl.constexpr):
    block = tl.make_block_ptr(x, (n, step), (step, 1), (0, 0), (8, N), (1, 0))
    total = tl.zeros((8, N), tl.float32)
    for i in range(0, n, 8):
        total += tl.load(block, boundary_check=(0, 1))
        block = tl.advance(block, (8, 16))
    tl.store(out, tl.sum(total))


@triton.jit
def descriptor(x, out, n, step, N: tl.constexpr):
    rows = tl.make_tensor_descriptor(x, [n, step], [step, 1], [8, N])
    total = tl.zeros((8, N), tl.float32)
    for i in range(0, n, 8):
        total += rows.load([i, i * 16])
    tl.store(out, tl.sum(total))


@triton.jit
def hinted_load(x, out, n, step, N: tl.constexpr):
    i = tl.arange(0, 8 * N)
    rows = tl.max_contiguous(tl.multiple_of(tl.load(x + i * n), 8), 8)
    tl.store(out, tl.sum(tl.load(out + rows)))


@triton.jit
def masked(x, out, n, step, N: tl.constexpr):
    i = tl.program_id(0) * step + tl.arange(0, 8 * N)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def gathered(x, out, n, step, N: tl.constexpr):
    i = tl.arange(0, 8 * N)
    order = tl.gather(i, i ^ 7, 0)
    tl.store(out, tl.sum(tl.load(x + order)))
