"""wgmma with operands in shared memory and in registers, over types, swizzles and majors."""
import numpy as np
import pytest

import emulator
from emulator.numbers import bf16_to_f32, f32_to_bf16, f32_to_fp8, fp8_values
from handwritten import Kernel, accumulators, braces, fill_shared, matrix_of_results, store_registers

DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32}
SWIZZLE_CODE = {0: 0, 128: 1, 64: 2, 32: 3}


def random_matrix(kind, shape, seed):
    """(raw elements as unsigned integers, values)."""
    random = np.random.default_rng(seed)
    values = random.integers(-4, 5, shape).astype(np.float32)
    if kind in ("s8", "u8"):
        values = random.integers(-128, 128, shape).astype(np.int8) if kind == "s8" else random.integers(0, 256, shape).astype(np.uint8)
        return values.view(np.uint8), values.astype(np.int64)
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16), values
    if kind == "bf16":
        return f32_to_bf16(values), values
    if kind == "tf32":
        return (values.view(np.uint32) | np.uint32(0x123)), values  # what a tf32 has no room for is cut off
    raw = f32_to_fp8(values, kind).astype(np.uint8)
    return raw, fp8_values(kind)[raw]


def swizzle_bits(address, swizzle):
    for bit in range({0: 0, 32: 1, 64: 2, 128: 3}[swizzle]):
        address ^= (address >> (7 + bit) & 1) << (4 + bit)
    return address


def tile(raw, swizzle, mn_major):
    """(bytes of shared memory, descriptor without address, bytes of one K step) of a [row, K] matrix of raw elements."""
    rows, depth = raw.shape
    size = raw.dtype.itemsize
    lines = np.ascontiguousarray(raw.T if mn_major else raw)  # contiguous is the last dimension
    count, width = lines.shape[0], lines.shape[1] * size
    box = swizzle or 16
    image = np.zeros(count * width, np.uint8)
    for line, data in enumerate(lines.view(np.uint8)):
        for begin in range(0, width, 16):
            address = begin // box * box * count + line * box + begin % box
            address = swizzle_bits(address, swizzle)
            image[address:address + 16] = data[begin:begin + 16]
    if not swizzle:
        leading, stride = (128, box * count) if mn_major else (box * count, 128)
        step = 256 if mn_major else 2 * leading
    elif mn_major:
        leading, stride, step = box * count, 8 * box, 16 * box
    else:
        leading, stride, step = 16, 8 * box, None
    word = SWIZZLE_CODE[swizzle] << 62 | stride // 16 << 32 | leading // 16 << 16

    def offset(k_step):
        if step is not None:
            return step * k_step
        return 32 * k_step // box * box * count + 32 * k_step % box
    return image, word, offset


def product_kernel(result, kind, columns, depth, a_tile, b_tile, a_from_registers=False, mn_major=(False, False), threads=128,
                   drop="", kind_b=None):
    """D = A B^T over all of K; `drop` leaves out one of the statements."""
    steps = depth // DEPTH[kind]
    image_a, word_a, offset_a = a_tile
    image_b, word_b, offset_b = b_tile
    registers = accumulators(columns, result)
    immediates = "" if kind in ("s8", "u8") else ", 1, 1"
    if kind in ("f16", "bf16"):
        immediates += f", {int(mn_major[1])}" if a_from_registers else f", {int(mn_major[0])}, {int(mn_major[1])}"
    lines = [fill_shared("image", len(image_a) + len(image_b), threads), "fence.proxy.async.shared::cta;", "bar.sync 0;"]
    group_bytes = len(image_a) // (threads // 128)
    lines += ["mov.u32 %r1, global_smem; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1;",
              "mov.u32 %r2, %tid.x; shr.u32 %r2, %r2, 7;", f"mul.wide.u32 %rd3, %r2, {group_bytes // 16}; add.u64 %rd3, %rd1, %rd3;",
              f"or.b64 %rd4, %rd3, {word_a}; or.b64 %rd5, %rd1, {word_b};"]
    lines.append("wgmma.fence.sync.aligned;")
    for step in range(steps):
        a = f"%rd{10 + step}"
        lines.append(f"add.u64 %rd{10 + step}, %rd4, {offset_a(step) // 16}; add.u64 %rd{30 + step}, %rd5, {(len(image_a) + offset_b(step)) // 16};")
        if a_from_registers:
            a = braces([f"%r{10 + 4 * step + i}" for i in range(4)])
            lines.insert(0, "\n".join(f"ld.param.u64 %rd50, [fragments]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd51, %r9, {16 * steps}; "
                                      f"add.u64 %rd50, %rd50, %rd51; ld.global.b32 %r{10 + 4 * step + i}, [%rd50+{16 * step + 4 * i}];"
                                      for i in range(4)))
        lines.append(f"""// begin inline asm
    {{ .reg .pred p; setp.ne.b32 p, {int(step > 0)}, 0;
      wgmma.mma_async.sync.aligned.m64n{columns}k{DEPTH[kind]}.{result}.{kind}.{kind_b or kind} {braces(registers)}, {a}, %rd{30 + step}, p{immediates}; }}
    // end inline asm""")
    lines += ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    lines.append(store_registers("out", registers, threads))
    return Kernel("\n".join(line for line in lines if line != drop), threads, ["image", "out", "fragments"])


def fragments_of(raw, kind, threads=128):
    """Register operands of A: a word of thread, K step, index."""
    depth, size = DEPTH[kind], raw.dtype.itemsize
    steps, per_word = raw.shape[1] // depth, 4 // size
    words = np.zeros((threads, steps, 4, per_word), raw.dtype)
    for thread in range(threads):
        warp, group, place = thread // 32, thread % 32 // 4, thread % 4
        for step in range(steps):
            for index in range(4):
                row, column = 16 * warp + group + 8 * (index % 2), step * depth + place * per_word + 4 * per_word * (index // 2)
                words[thread, step, index] = raw[row, column:column + per_word]
    return words


def check(result, kind, columns, steps, swizzles=(128, 128), mn_major=(False, False), a_from_registers=False, threads=128, seed=0, kind_b=None):
    depth, rows = steps * DEPTH[kind], 64 * threads // 128
    a_raw, a = random_matrix(kind, (rows, depth), 1)
    b_raw, b = random_matrix(kind_b or kind, (columns, depth), 2)
    a_tiles = [tile(part, swizzles[0], mn_major[0]) for part in a_raw.reshape(-1, 64, depth)]
    a_tile = (np.concatenate([part[0] for part in a_tiles]), *a_tiles[0][1:])
    b_tile = tile(b_raw, swizzles[1], mn_major[1])
    kernel = product_kernel(result, kind, columns, depth, a_tile, b_tile, a_from_registers, mn_major, threads, kind_b=kind_b)
    image = np.concatenate([a_tile[0], b_tile[0]])
    out = np.zeros(threads * len(accumulators(columns, result)), np.uint32)
    out = kernel.run([image, out, fragments_of(a_raw, kind, threads)], len(image), seed)[1]
    got = matrix_of_results(out, columns, result, threads)
    assert (got == (a @ b.T).astype(got.dtype)).all()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("b_swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("a_swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("mn_major", [(False, False), (True, False), (False, True), (True, True)])
def test_layouts(a_swizzle, b_swizzle, mn_major, seed):
    check("f32", "f16", 64, 4, (a_swizzle, b_swizzle), mn_major, seed=seed)


@pytest.mark.parametrize("from_registers", [False, True])
@pytest.mark.parametrize("result,kind", [("f32", "f16"), ("f16", "f16"), ("f32", "bf16"), ("f32", "tf32"), ("f32", "e4m3"), ("f16", "e5m2"),
                                         ("s32", "s8"), ("s32", "u8")])
def test_types(result, kind, from_registers):
    check(result, kind, 32, 3 if kind != "tf32" else 4, (32, 32), a_from_registers=from_registers)


def test_mixed_fp8():
    check("f32", "e4m3", 16, 2, (64, 64), kind_b="e5m2")


@pytest.mark.parametrize("columns", [8, 24, 72, 256])
def test_columns(columns):
    check("f32", "bf16", columns, 4)


@pytest.mark.parametrize("threads", [256, 512])
def test_several_groups(threads):
    check("f32", "f16", 128, 4, mn_major=(False, True), threads=threads)


def small_kernel(drop="", extra=""):
    """One product of 64x8x16 halves."""
    lines = [fill_shared("image", 2048 + 256, 128), "fence.proxy.async;", "bar.sync 0;",
             "mov.u32 %r1, global_smem; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1;",
             f"or.b64 %rd4, %rd1, {3 << 62 | 16 << 32 | 1 << 16}; add.u64 %rd5, %rd4, 128;",
             "mov.b32 %r100, 0; mov.b32 %r101, 0; mov.b32 %r102, 0; mov.b32 %r103, 0;",
             "wgmma.fence.sync.aligned;",
             "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r100, %r101, %r102, %r103}, %rd4, %rd5, 1, 1, 1, 0, 0;",
             "wgmma.commit_group.sync.aligned;", extra, "wgmma.wait_group.sync.aligned 0;",
             store_registers("out", accumulators(8, "f32"), 128)]
    assert not drop or drop in lines
    return Kernel("\n".join(line for line in lines if line != drop), 128, ["image", "out"])


def run_small(seed=0, **changes):
    return small_kernel(**changes).run([np.zeros(2304 // 2, np.float16), np.ones(512, np.uint32)], 2304, seed)


def test_small_kernel_is_sound():
    for seed in range(4):
        assert not run_small(seed)[1].any()


@pytest.mark.parametrize("changes,complaint", [
    ({"extra": "add.f32 %r7, %r100, %r100;"}, "belongs to a wgmma"),
    ({"extra": "mov.b32 %r101, 0;"}, "belongs to a wgmma"),
    ({"drop": "wgmma.wait_group.sync.aligned 0;"}, "belongs to a wgmma"),
    ({"drop": "wgmma.commit_group.sync.aligned;"}, "belongs to a wgmma"),
])
def test_faults(changes, complaint):
    with pytest.raises(emulator.Fault, match=complaint):
        run_small(**changes)


def test_names_of_blocks():
    """Registers and labels of nested blocks of inline assembly are their own."""
    kernel = Kernel("""
    mov.b32 %r1, 5;
    { .reg .b32 t; .reg .pred p; mov.b32 t, 1; setp.eq.b32 p, t, 1;
      { .reg .b32 t; mov.b32 t, 7; bra done; mov.b32 t, 8; done: add.u32 %r1, %r1, t; }
      @!p bra done; add.u32 %r1, %r1, t;
      done: add.u32 %r1, %r1, 100; }
    { .reg .b32 t; mov.b32 t, 1000; bra done; mov.b32 t, 8; done: add.u32 %r1, %r1, t; }
    """ + store_registers("out", ["%r1"], 32), 32, ["out"])
    assert (kernel.run([np.zeros(32, np.int32)], 16)[0] == 5 + 7 + 1 + 100 + 1000).all()
