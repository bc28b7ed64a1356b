"""Tiles that tensor maps store: of products in loops over tiles and outside of them, with maps that the launch builds and maps that
the kernel makes, over bounds that cut tiles; and what is ordered with such stores.

A copy out of shared memory writes whole steps of 16 bytes at the end of a row, and must not begin in front of the tensor: tests with
other sizes and starts are about tiles that threads store instead. All memory around the tensor is compared, too."""
import numpy as np
import pytest

HEAD = """
import triton
import triton.language as tl

"""

# Each program computes several tiles. MADE: 0 the launch builds all maps, 1 the kernel makes that of the stores, whose rows are read
# from memory, 2 that of the loads, too.
PERSISTENT = HEAD + """
@triton.jit
def products(a, b, c, sizes, M, N, K, sa, sb, sc, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
             MADE: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, tl.load(sizes + 1) if MADE == 2 else K], [sa, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [tl.load(sizes + 2) if MADE == 2 else sb, 1], [BN, BK])
    rows = tl.load(sizes) if MADE else M
    out = tl.make_tensor_descriptor(c, [rows, N], [sc, 1], [BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS):
        row, column = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.ACC)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(left.load([row, k * BK]), right.load([column, k * BK]).T, acc)
        out.store([row, column], acc.to(tl.TYPE))
"""
TYPES = {"fp16": ("float16", np.float16), "fp32": ("float32", np.float32)}


def integers(shape, seed, dtype=np.float16, most=4):
    return np.random.default_rng(seed).integers(-most, most + 1, shape).astype(dtype)


def wide(n, unit=16):
    return -(-n // unit) * unit


def products(run, M, N, K, made=0, programs=2, tiles=(64, 64, 32), options="", source=PERSISTENT, rows=None, inner=None, out=np.float16):
    """c as the kernel leaves it, and as it should be; `rows`, `inner`: those that the descriptors have."""
    sa, sb, sc = wide(max(K, 1)), wide(max(K, 1)), wide(N) + 16
    kind = {np.float16: "fp16", np.float32: "fp32"}[out]
    a, b, c = integers((M, sa), 1), integers((N, sb), 2), np.full((M, sc), 7, out)
    source = source.replace("tl.ACC", "tl.float32").replace("tl.TYPE", f"tl.{TYPES[kind][0]}")
    signature = f"*fp16:16,*fp16:16,*{kind}:16,*i32,i32,i32,i32,i32:16,i32:16,i32:16,{programs},{','.join(map(str, tiles))},{made}"
    rows = M if rows is None else rows
    after = run(source, "products", signature, (programs,),
                {"a": a, "b": b, "c": c, "sizes": np.array([rows, K if inner is None else inner, sb], np.int32), "M": M, "N": N, "K": K, "sa": sa, "sb": sb, "sc": sc},
                options="tma=auto," + options)
    right = c.copy()
    inner = min(K, K if inner is None else inner)
    right[:rows, :N] = (a[:, :inner].astype(np.float32) @ b[:, :inner].astype(np.float32).T)[:rows]
    return after["c"], right


@pytest.mark.parametrize("made", [0, 1, 2])
@pytest.mark.parametrize("M,N,K", [(64, 64, 32), (150, 136, 70), (63, 1, 40), (1, 200, 16), (130, 65, 97), (70, 191, 40)])
def test_bounds_cut_tiles(run, M, N, K, made):
    got, right = products(run, M, N, K, made)
    assert np.array_equal(got, right)


@pytest.mark.parametrize("made", [0, 1, 2])
@pytest.mark.parametrize("options", ["num-warps=4,num-stages=3", "num-warps=8,num-stages=4", "num-warps=4,num-stages=1",
                                     "num-warps=8,num-stages=3,warp-specialize=on", "num-warps=4,num-stages=2,warp-specialize=on"])
@pytest.mark.parametrize("N", [136, 133])
def test_other_options(run, N, options, made):
    got, right = products(run, 200, N, 100, made, options=options)
    assert np.array_equal(got, right)


@pytest.mark.parametrize("made", [0, 1])
@pytest.mark.parametrize("tiles", [(64, 16, 32), (64, 32, 32), (64, 128, 32), (128, 64, 64), (128, 128, 32), (64, 256, 32), (256, 64, 32)])
def test_other_tiles(run, tiles, made):
    got, right = products(run, 2 * tiles[0] + 30, tiles[1] + 17, 50, made, tiles=tiles, options="num-warps=8")
    assert np.array_equal(got, right)


@pytest.mark.parametrize("options", ["num-warps=4,num-stages=3", "num-warps=8,num-stages=4", "num-warps=8,num-stages=3,warp-specialize=on"])
@pytest.mark.parametrize("N,K", [(136, 0), (136, 16), (136, 100), (133, 0), (133, 100)])
def test_flattened_loops(run, N, K, options):
    """No product, one iteration for each, and several."""
    source = PERSISTENT.replace("in range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS)",
                                "in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS, flatten=True)")
    assert "flatten" in source
    got, right = products(run, 200, N, K, source=source, options=options)
    assert np.array_equal(got, right)


@pytest.mark.parametrize("N", [136, 135, 132])
def test_of_f32(run, N):
    got, right = products(run, 150, N, 70, out=np.float32)
    assert np.array_equal(got, right)


@pytest.mark.parametrize("rows", [0, 1, 70])
def test_sizes_from_memory(run, rows):
    """No map has an extent of 0: the kernel makes another one, and nothing is stored."""
    got, right = products(run, 150, 136, 70, made=1, rows=rows)
    assert np.array_equal(got, right)


@pytest.mark.parametrize("inner", [0, 1, 33])
def test_sizes_of_loads_from_memory(run, inner):
    """What is loaded through such a map is zero."""
    got, right = products(run, 150, 136, 70, made=2, inner=inner)
    assert np.array_equal(got, right)


def test_without_maps(run):
    got, right = products(run, 150, 136, 70, options="tma=off")
    assert np.array_equal(got, right)


TYPED = HEAD + """
@triton.jit
def product(a, b, c, M, N, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    out = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [BM, BN])
    for tile in range(0, M, BM):
        x = tl.load(a + (tile + rm)[:, None] * BK + rk[None, :], (tile + rm)[:, None] < M, 0)
        y = tl.load(b + rk[:, None] + rn[None, :] * BK)
        out.store([tile, 0], tl.dot(x, y).to(c.dtype.element_ty))
"""


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("kind,width", [("bf16", 2), ("fp16", 2), ("fp32", 4), ("i8", 1), ("i16", 2), ("i32", 4), ("fp8e4nv", 1), ("fp8e5", 1)])
def test_types(run, kind, width, warps):
    is_whole = kind.startswith("i")
    a, b = (integers((rows, 32), seed, np.int8 if is_whole else np.float16, 1) for rows, seed in ((150, 1), (128, 2)))
    dtype = {"fp16": np.float16, "fp32": np.float32, "i8": np.int8, "i16": np.int16, "i32": np.int32}.get(kind, {1: np.uint8, 2: np.uint16}[width] if width < 4 else None)
    c = np.full((150, 144), 7, dtype)
    operand = "i8" if is_whole else "fp16"
    after = run(TYPED, "product", f"*{operand}:16,*{operand}:16,*{kind}:16,i32,i32,i32:16,64,128,32", (1,),
                {"a": a, "b": b, "c": c, "M": 150, "N": 120, "sc": 144}, options=f"tma=auto,num-warps={warps}")["c"]
    sums = (a.astype(np.int64) @ b.astype(np.int64).T)[:, :120]
    right = c.copy()
    if kind == "bf16":
        right[:, :120] = sums.astype(np.float32).view(np.uint32) >> 16
        assert (np.abs(sums) < 200).all()
    elif kind.startswith("fp8"):
        table = {value: code for code, value in fp8_values(kind)}
        right[:, :120] = np.vectorize(lambda value: table[min(table, key=lambda each: (abs(each - value), table[each] & 1))])(sums + 0.0)
    else:
        right[:, :120] = sums.astype(dtype)
    assert np.array_equal(after, right)


def fp8_values(kind):
    """(code, value) of all finite numbers, without -0."""
    exponent_bits, bias = (4, 7) if kind == "fp8e4nv" else (5, 15)
    mantissa_bits = 7 - exponent_bits
    for code in range(256):
        exponent, mantissa = code >> mantissa_bits & (1 << exponent_bits) - 1, code & (1 << mantissa_bits) - 1
        if code == 0x80 or (kind == "fp8e4nv" and code & 0x7F == 0x7F) or (kind == "fp8e5" and exponent == 31):
            continue
        size = (mantissa * 2.0 ** (1 - bias - mantissa_bits) if exponent == 0 else (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias))
        yield code, -size if code & 0x80 else size


# Two tiles of different shapes, or of one shape, in each iteration, of one tensor or of two.
TWO = HEAD + """
@triton.jit
def two(a, c, d, M, N, sc, WIDTH: tl.constexpr, SAME: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    first = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [64, 64])
    second = tl.make_tensor_descriptor(c if SAME else d, [M, N], [sc, 1], [64, WIDTH])
    w = tl.arange(0, WIDTH)
    for row in range(0, M, 64):
        x = tl.load(a + (row + r)[:, None] * 32 + k[None, :], (row + r)[:, None] < M, 0.0)
        y = tl.load(a + r[None, :] * 32 + k[:, None])
        z = tl.load(a + w[None, :] * 32 + k[:, None])
        first.store([row, 0], tl.dot(x, y).to(tl.float16))
        second.store([row, 32], (tl.dot(x, z) + 1.0).to(tl.float16))
"""


@pytest.mark.parametrize("options", ["num-warps=4", "num-warps=8"])
@pytest.mark.parametrize("same", [0, 1])
@pytest.mark.parametrize("width", [16, 32, 64, 128])
@pytest.mark.parametrize("N", [120, 90, 45])
def test_two_stores(run, N, width, same, options):
    """The second tile overlaps the first one: it wins."""
    M, sc = 200, 128
    a, c, d = integers((max(M, 256), 32), 1), np.full((M, sc), 7, np.float16), np.full((M, sc), 8, np.float16)
    after = run(TWO, "two", f"*fp16:16,*fp16:16,*fp16:16,i32,i32,i32:16,{width},{same}", (1,), {"a": a, "c": c, "d": d, "M": M, "N": N, "sc": sc},
                options="tma=auto," + options)
    products = a[:M].astype(np.float32) @ a[:128].astype(np.float32).T
    first, second = c.copy(), c.copy() if same else d.copy()
    first[:, :min(N, 64)] = products[:, :min(N, 64)]
    second = first if same else second
    end = min(32 + width, N)
    second[:, 32:end] = products[:, :end - 32] + 1
    assert np.array_equal(after["c"], first)
    assert same or np.array_equal(after["d"], second)


# The same place several times: the last store wins.
AGAIN = HEAD + """
@triton.jit
def again(a, c, n, ORDER: tl.constexpr, flag):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    out = tl.make_tensor_descriptor(c, [64, 64], [64, 1], [64, 64])
    x = tl.load(a + r[:, None] * 32 + k[None, :])
    y = tl.load(a + r[None, :] * 32 + k[:, None])
    for i in range(n):
        out.store([0, 0], (tl.dot(x, y) + i).to(tl.float16))
        if ORDER == 1:
            tl.debug_barrier()
        if ORDER == 2:
            tl.atomic_add(flag, 1, sem="release")
        if ORDER == 3:
            tl.atomic_add(flag, 1, sem="relaxed")
"""


@pytest.mark.parametrize("order", range(4))
def test_one_place(run, order):
    a, c = integers((64, 32), 1), np.full((64, 64), 7, np.float16)
    after = run(AGAIN, "again", f"*fp16:16,*fp16:16,i32,{order},*i32", (1,), {"a": a, "c": c, "n": 3, "flag": np.zeros(1, np.int32)}, options="tma=auto")
    assert np.array_equal(after["c"], (a.astype(np.float32) @ a.astype(np.float32).T + 2).astype(np.float16))
    assert after["flag"] == (3 if order > 1 else 0)


# What is stored is read again: by the same threads or others, in the next iteration, and after a barrier.
READ = HEAD + """
@triton.jit
def read(a, c, d, n, HOW: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    out = tl.make_tensor_descriptor(c, [64, 64], [64, 1], [64, 64])
    x = tl.load(a + r[:, None] * 32 + k[None, :])
    y = tl.load(a + r[None, :] * 32 + k[:, None])
    for i in range(n):
        if HOW == 0:
            before = out.load([0, 0])
            out.store([0, 0], (tl.dot(x, y) + before).to(tl.float16))
        else:
            out.store([0, 0], (tl.dot(x, y) + i).to(tl.float16))
            if HOW == 1:
                z = out.load([0, 0])
            if HOW == 2:
                tl.debug_barrier()
                z = tl.load(c + r[:, None] + 64 * r[None, :])
            tl.store(d + r[:, None] * 64 + r[None, :], z)
"""


@pytest.mark.parametrize("how", range(3))
def test_reads_what_was_stored(run, how):
    a, c, d = integers((64, 32), 1), np.zeros((64, 64), np.float16), np.zeros((64, 64), np.float16)
    after = run(READ, "read", f"*fp16:16,*fp16:16,*fp16:16,i32,{how}", (1,), {"a": a, "c": c, "d": d, "n": 3}, options="tma=auto")
    square = a.astype(np.float32) @ a.astype(np.float32).T
    assert np.array_equal(after["c"], (3 * square if how == 0 else square + 2).astype(np.float16))
    if how:
        assert np.array_equal(after["d"], after["c"] if how == 1 else after["c"].T)


# Tiles overlap each other and the tensor's edges: copies and threads store to the same places in turns. MADE: the kernel makes the
# map, whose rows are read from memory.
MIXED = HEAD + """
@triton.jit
def mixed(a, c, sizes, M, N, sc, n, MADE: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    rows = tl.load(sizes) if MADE else M
    out = tl.make_tensor_descriptor(c, [rows, N], [sc, 1], [64, 64])
    x = tl.load(a + r[:, None] * 32 + k[None, :])
    y = tl.load(a + r[None, :] * 32 + k[:, None])
    for i in range(n):
        out.store([i * 5 % 9 * 16 - 40, i * 3 % 7 * 16 - 48], (tl.dot(x, y) + i).to(tl.float16))
"""


@pytest.mark.parametrize("made", [0, 1])
@pytest.mark.parametrize("M,N", [(100, 64), (100, 61), (3, 77), (64, 1), (50, 200)])
@pytest.mark.parametrize("options", ["num-warps=4", "num-warps=8,num-stages=1"])
def test_copies_and_stores_in_turns(run, M, N, made, options):
    a, c, n, sc = integers((64, 32), 1), np.full((M + 2, wide(N) + 16), 7, np.float16), 40, wide(N) + 16
    after = run(MIXED, "mixed", f"*fp16:16,*fp16:16,*i32,i32,i32,i32:16,i32,{made}", (1,),
                {"a": a, "c": c, "sizes": np.array([M], np.int32), "M": M, "N": N, "sc": sc, "n": n}, options="tma=auto," + options)
    square, right = a.astype(np.float32) @ a.astype(np.float32).T, c.copy()
    for i in range(n):
        row, column = i * 5 % 9 * 16 - 40, i * 3 % 7 * 16 - 48
        place = np.s_[max(row, 0):max(min(row + 64, M), 0), max(column, 0):max(min(column + 64, N), 0)]
        right[place] = (square + i)[max(-row, 0):, max(-column, 0):][:right[place].shape[0], :right[place].shape[1]]
    assert np.array_equal(after["c"], right)


ALONE = HEAD + """
@triton.jit
def alone(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [sa, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [sb, 1], [BN, BK])
    out = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [BM, BN])
    row, column = tl.program_id(0) * BM - 3, tl.program_id(1) * BN - 8
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(left.load([row, k]), right.load([column, k]).T, acc)
    out.store([row, column], acc.to(tl.float16))
"""


@pytest.mark.parametrize("options", ["num-warps=4,num-stages=3", "num-warps=8,num-stages=4,warp-specialize=on"])
@pytest.mark.parametrize("M,N,K", [(100, 72, 80), (1, 1, 1), (61, 119, 130)])
def test_outside_of_loops(run, M, N, K, options):
    """Tiles begin in front of the tensors and end behind them."""
    sa, sb, sc = wide(K), wide(K), wide(N)
    a, b, c = integers((M, sa), 1), integers((N, sb), 2), np.full((M, sc), 7, np.float16)
    after = run(ALONE, "alone", "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:16,i32:16,64,64,32", (-(-(M + 3) // 64), -(-(N + 8) // 64)),
                {"a": a, "b": b, "c": c, "M": M, "N": N, "K": K, "sa": sa, "sb": sb, "sc": sc}, options="tma=auto," + options)
    right = c.copy()
    right[:, :N] = a[:, :K].astype(np.float32) @ b[:, :K].astype(np.float32).T
    assert np.array_equal(after["c"], right)


# Rows of tiles in bands of two: a program of a band behind the last row divides by a negative number.
BANDS = HEAD + """
@triton.jit
def bands(a, c, M, N, sc):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    columns = tl.cdiv(N, 64)
    band, within = tl.program_id(0) // (2 * columns), tl.program_id(0) % (2 * columns)
    height = min(tl.cdiv(M, 64) - band * 2, 2)
    row, column = band * 2 + within % height, within // height
    out = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [64, 64])
    x = tl.load(a + (row * 64 + r)[:, None] * 32 + k[None, :], (row * 64 + r)[:, None] < M, 0.0)
    y = tl.load(a + r[None, :] * 32 + k[:, None])
    out.store([row * 64, column * 64], tl.dot(x, y).to(tl.float16))
"""


@pytest.mark.parametrize("hint", ["", ":16"])
def test_programs_outside(run, hint):
    M, N, sc = 60, 160, 176
    a, c = integers((64, 32), 1), np.full((M, sc), 7, np.float16)
    after = run(BANDS, "bands", f"*fp16:16,*fp16:16,i32,i32{hint},i32:16", (12,), {"a": a, "c": c, "M": M, "N": N, "sc": sc}, options="tma=auto")
    right, square = c.copy(), a[:M].astype(np.float32) @ a.astype(np.float32).T
    for column in range(0, N, 64):
        right[:, column:min(column + 64, N)] = square[:, :min(64, N - column)]
    assert np.array_equal(after["c"], right)


BATCHES = HEAD + """
@triton.jit
def batches(a, c, B, M, N, sb, sm, WIDTH: tl.constexpr):
    r, n, k = tl.arange(0, 64), tl.arange(0, WIDTH), tl.arange(0, 32)
    out = tl.make_tensor_descriptor(c, [B, M, N], [sb, sm, 1], [1, 64, WIDTH])
    for batch in range(B):
        x = tl.load(a + batch * 64 * 32 + r[:, None] * 32 + k[None, :])
        y = tl.load(a + batch * 64 * 32 + n[None, :] * 32 + k[:, None])
        out.store([batch, 3, 8], tl.dot(x, y).to(tl.float16).reshape(1, 64, WIDTH))
"""


@pytest.mark.parametrize("N", [41, 40])
@pytest.mark.parametrize("width", [16, 64])
def test_three_dimensions(run, width, N):
    B, M = 3, 50
    a, c = integers((B, 64, 32), 1), np.full((B, M, 64), 7, np.float16)
    after = run(BATCHES, "batches", f"*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:16,{width}", (1,),
                {"a": a, "c": c, "B": B, "M": M, "N": N, "sb": M * 64, "sm": 64}, options="tma=auto")
    right = c.copy()
    for batch in range(B):
        square = a[batch].astype(np.float32) @ a[batch, :width].astype(np.float32).T
        right[batch, 3:, 8:min(N, 8 + width)] = square[:M - 3, :min(N, 8 + width) - 8]
    assert np.array_equal(after["c"], right)


# Both warp groups take turns in the loop; the tile is stored behind it.
ATTENTION = HEAD + """
@triton.jit
def attention(q, k, v, o, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows, columns, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + rows[:, None] * D + d[None, :], (rows < n)[:, None], 0.0)
    keys = tl.make_tensor_descriptor(k, [n, D], [D, 1], [BN, D])
    values = tl.make_tensor_descriptor(v, [n, D], [D, 1], [BN, D])
    out = tl.make_tensor_descriptor(o, [n, D], [D, 1], [BM, D])
    acc, total, most = tl.zeros((BM, D), tl.float32), tl.zeros((BM,), tl.float32), tl.full((BM,), -1e9, tl.float32)
    for i in range(0, n, BN):
        s = tl.where((i + columns < n)[None, :], tl.dot(x, keys.load([i, 0]).T) * scale, -1e9)
        grown = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - grown[:, None])
        shrink = tl.exp(most - grown)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), values.load([i, 0]), acc * shrink[:, None])
        most = grown
    out.store([tl.program_id(0) * BM, 0], (acc / total[:, None]).to(tl.float16))
"""


@pytest.mark.parametrize("options", ["num-warps=8,num-stages=2,warp-specialize=on", "num-warps=8,num-stages=3", "num-warps=4,num-stages=3"])
@pytest.mark.parametrize("n", [1, 200])
def test_attention(run, n, options):
    q, k, v = (np.random.default_rng(seed).standard_normal((n, 64)).astype(np.float16) for seed in range(3))
    after = run(ATTENTION, "attention", "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32,fp32,64,128,32", (-(-n // 128),),
                {"q": q, "k": k, "v": v, "o": np.full((n, 64), 7, np.float16), "n": n, "scale": 0.125}, options="tma=auto," + options)
    scores = q.astype(np.float64) @ k.astype(np.float64).T * 0.125
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    assert np.abs(after["o"] - weights / weights.sum(-1, keepdims=True) @ v).max() < 4e-3
