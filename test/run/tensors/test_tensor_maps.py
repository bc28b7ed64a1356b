"""Products whose tiles are copied by tensor maps that the launch builds from the kernel's arguments: bounds that cut tiles, rows with
slack behind them, and arguments from which no map can be built, which take the variant without maps. And products whose copies are
started by warps of their own."""
import os

import numpy as np
import pytest

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], (rm[:, None] < M) & (rk[None, :] < K), 0.0)
        y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K) & (rn[None, :] < N), 0.0)
        sum = tl.dot(x, y, sum)
    tl.store(c + rm[:, None] * sc + rn[None, :], sum, (rm[:, None] < M) & (rn[None, :] < N))
"""
BM, BN, BK = 64, 64, 32


def integers(shape, seed):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float16)


def product(run, M, N, K, slack=0, hint=":16", options="num-stages=3,tma=auto", kernel=KERNEL, grid=None):
    """The kernel's c, and NumPy's. `slack` elements lie behind each row."""
    sa, sb, sc = (-(-size // 16) * 16 + slack for size in (max(K, 1), N, N))
    a, b, c = integers((M, sa), 1), integers((max(K, 1), sb), 2), np.full((M, sc), 7, np.float32)
    signature = f"*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32{hint},i32{hint},i32{hint},{BM},{BN},{BK}"
    after = run(kernel, "matmul", signature, grid or (-(-M // BM), -(-N // BN)),
                {"a": a, "b": b, "c": c, "M": M, "N": N, "K": K, "sa": sa, "sb": sb, "sc": sc}, options=options)
    right = c.copy()
    right[:M, :N] = a[:, :K].astype(np.float32) @ b[:K, :N].astype(np.float32)
    return after["c"], right


@pytest.mark.parametrize("M,N,K", [(64, 64, 32), (100, 72, 50), (1, 64, 33), (65, 1, 16), (130, 129, 97), (63, 65, 1)])
def test_bounds_cut_tiles(run, M, N, K):
    got, right = product(run, M, N, K)
    assert (got == right).all()


@pytest.mark.parametrize("K", [31, 64])
def test_rows_with_slack(run, K):
    got, right = product(run, 70, 90, K, slack=48)
    assert (got == right).all()


def test_extents_of_zero(run):
    """No tensor map has an extent of 0: the launch takes the variant without maps, which adds nothing up."""
    got, right = product(run, 70, 90, 0)
    assert (got == right).all()


@pytest.mark.parametrize("slack", [0, 3])
def test_strides_without_a_promise(run, slack):
    """The kernel cannot have maps, as strides need not be multiples of 16 bytes."""
    got, right = product(run, 70, 90, 40, slack=slack, hint="")
    assert (got == right).all()


@pytest.mark.parametrize("options", ["num-stages=3", "num-stages=3,tma=off", "num-stages=2,num-warps=8,tma=auto", "num-stages=4,tma=auto"])
def test_other_options(run, options):
    got, right = product(run, 100, 72, 80, options=options)
    assert (got == right).all()


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize("iterations", range(9))
def test_copying_warps(run, warps, stages, iterations):
    """All warps agree on the iterations: those that copy fill no slot that nobody awaits, and wait for none that nobody releases."""
    got, right = product(run, 70, 72, max(0, BK * iterations - 5), options=f"num-warps={warps},num-stages={stages},tma=auto,warp-specialize=on")
    assert (got == right).all()


DESCRIPTORS = """
import triton
import triton.language as tl

@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    COLUMN: tl.constexpr = 8
    left = tl.make_tensor_descriptor(a, [M, K], [sa, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [sb, 1], [BK, BN])
    m, n = tl.program_id(0) * BM - 3, tl.program_id(1) * BN - COLUMN
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(-BK, K, BK):
        sum = tl.dot(left.load([m, k + COLUMN]), right.load([k + COLUMN, n]), sum)
    rm, rn = m + tl.arange(0, BM), n + tl.arange(0, BN)
    inside = ((rm >= 0) & (rm < M))[:, None] & ((rn >= 0) & (rn < N))[None, :]
    tl.store(c + rm[:, None] * sc + rn[None, :], sum, inside)
"""


@pytest.mark.parametrize("options", ["num-stages=3,warp-specialize=off", "num-stages=4,num-warps=8,warp-specialize=on"])
@pytest.mark.parametrize("column", [8, 9])
@pytest.mark.parametrize("M,N,K", [(100, 72, 80), (61, 55, 123), (1, 1, 1)])
def test_descriptors(run, M, N, K, column, options):
    """Tiles begin in front of the tensors and end behind them. Columns that do not begin at multiples of 16 bytes are loaded through
    pointers."""
    got, right = product(run, M, N, K, options=options + ",tma=auto", kernel=DESCRIPTORS.replace("COLUMN: tl.constexpr = 8", f"COLUMN: tl.constexpr = {column}"),
                         grid=(-(-(M + 3) // BM), -(-(N + column) // BN)))
    assert (got == right).all()


def test_descriptors_of_nothing(run):
    """A descriptor's extent of 0 has no map, either."""
    got, right = product(run, 70, 90, 0, kernel=DESCRIPTORS, grid=(2, 2))
    assert (got == right).all()


ATTENTION = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "attention.py")


@pytest.mark.parametrize("options", ["num-warps=4", "num-warps=8", "num-warps=4,num-stages=2", "num-warps=8,num-stages=2"])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("n_ctx", [1, 100, 200])
def test_copying_warps_of_attention(run, options, causal, n_ctx):
    """Two rings in each of two loops; where their tiles are alike, the loops use the same buffers in turns."""
    heads, dim, rows = 1, 64, 128 if "num-warps=8" in options else 64
    rng = np.random.default_rng(n_ctx)
    q, k, v = (rng.standard_normal((1, heads, n_ctx, dim)).astype(np.float16) for _ in range(3))
    strides = {f"stride_{t}{axis}": step for t in "qkvo" for axis, step in (("b", heads * n_ctx * dim), ("h", n_ctx * dim), ("n", dim))}
    after = run(ATTENTION, "attention_kernel", f"*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,{'i32:16,' * 12}i32,i32,{dim},{rows},32,{causal}",
                (-(-n_ctx // rows), heads), {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": np.full_like(q, 7), "lse_ptr": np.full(heads * n_ctx, 7, np.float32),
                                             "scale": 0.125, **strides, "n_heads": heads, "n_ctx": n_ctx}, options=options + ",tma=auto,warp-specialize=on")
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3) * 0.125
    if causal:
        scores = np.where(np.tri(n_ctx, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    right = weights / weights.sum(-1, keepdims=True) @ v
    assert np.abs(after["o_ptr"] - right).max() < 4e-3


TURNS = """
import triton
import triton.language as tl

@triton.jit
def chain(q, k, out, n, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows, columns, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    left = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, n, N):
        x = tl.load(k + (start + columns)[:, None] * D + d[None, :])
        acc = tl.dot(tl.maximum(tl.dot(left, x.T), 0).to(tl.float16), x, acc)
    tl.store(out + rows[:, None] * D + d[None, :], acc)
"""


@pytest.mark.parametrize("warps", [4, 8])
def test_limit_on_registers(run, warps):
    """Warps do not wait for registers that the limit leaves nobody."""
    got, right = product(run, 70, 72, 3 * BK, options=f"num-warps={warps},num-stages=3,maxnreg=128,warp-specialize=on")
    assert (got == right).all()


@pytest.mark.parametrize("stages", [2, 3, 5])
@pytest.mark.parametrize("iterations", [0, 1, 2, 3, 6])
def test_turns(run, stages, iterations):
    """Two warp groups take turns with products, whatever the number of iterations."""
    q, k = integers((128, 64), 3), integers((max(iterations, 1) * 32, 64), 4)
    after = run(TURNS, "chain", "*fp16:16,*fp16:16,*fp32:16,i32,64,128,32", (1,), {"q": q, "k": k, "out": np.full((128, 64), 7, np.float32),
                "n": 32 * iterations}, options=f"num-warps=8,num-stages={stages},warp-specialize=on")
    k = k[:32 * iterations].astype(np.float64)
    assert (after["out"] == np.maximum(q.astype(np.float64) @ k.T, 0) @ k).all()


UNEQUAL = """
import triton
import triton.language as tl

@triton.jit
def chain(q, k, v, out, n, D: tl.constexpr, E: tl.constexpr, N: tl.constexpr):
    rows, columns, d, e = tl.arange(0, 128), tl.arange(0, N), tl.arange(0, D), tl.arange(0, E)
    left = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((128, E), tl.float32)
    for start in range(0, n, N):
        x = tl.load(k + (start + columns)[:, None] * D + d[None, :])
        y = tl.load(v + (start + columns)[:, None] * E + e[None, :])
        acc = tl.dot(tl.clamp(tl.dot(left, x.T), -1.0, 1.0).to(tl.float16), y, acc)
    tl.store(out + rows[:, None] * E + e[None, :], acc)
"""


@pytest.mark.parametrize("D,E,N", [(128, 256, 128), (64, 256, 128), (256, 64, 64)])
def test_turns_with_little_memory(run, D, E, N):
    """Slots that have no spare ones are released behind the second product, in a turn: the groups must not wait for each other."""
    q, k, v = integers((128, D), 3), integers((3 * N, D), 4), integers((3 * N, E), 5)
    after = run(UNEQUAL, "chain", f"*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,{D},{E},{N}", (1,),
                {"q": q, "k": k, "v": v, "out": np.full((128, E), 7, np.float32), "n": 3 * N}, options="num-warps=8,num-stages=3")
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    assert (after["out"] == np.clip(q @ k.T, -1, 1) @ v).all()


AGAIN = """
import triton
import triton.language as tl

@triton.jit
def chains(q, k, out, tiles, n, M: tl.constexpr, D: tl.constexpr, LOOPS: tl.constexpr):
    d = tl.arange(0, D)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile * M + tl.arange(0, M)
        left = tl.load(q + rows[:, None] * D + d[None, :])
        acc = tl.zeros((M, D), tl.float32)
        for loop in tl.static_range(LOOPS):
            for start in range(0, n, 64):
                x = tl.load(k + (start + tl.arange(0, 64))[:, None] * D + d[None, :])
                acc = tl.dot(tl.clamp(tl.dot(left, x.T), -1.0, 1.0).to(tl.float16), x, acc)
        tl.store(out + rows[:, None] * D + d[None, :], acc)
"""


@pytest.mark.parametrize("warps,M,loops", [(16, 256, 1), (8, 128, 3)])
def test_rings_without_copying_warps(run, warps, M, loops):
    """Loops around a loop do not keep rings of kernels that cannot have copying warps: those of 16 warps, or of too many rings."""
    q, k = integers((3 * M, 128), 3), integers((192, 128), 4)
    after = run(AGAIN, "chains", f"*fp16:16,*fp16:16,*fp32:16,i32,i32,{M},128,{loops}", (2,), {"q": q, "k": k,
                "out": np.full((3 * M, 128), 7, np.float32), "tiles": 3, "n": 192}, options=f"num-warps={warps},num-stages=3")
    q, k = q.astype(np.float64), k.astype(np.float64)
    assert (after["out"] == loops * (np.clip(q @ k.T, -1, 1) @ k)).all()


@pytest.mark.parametrize("tma", ["auto", "off"])
def test_flattened_chain(run, tma):
    """Loops are not fused where the inner one reads a buffer that is filled before it."""
    q, k = integers((384, 64), 3), integers((192, 64), 4)
    text = AGAIN.replace("range(tl.program_id(0), tiles, tl.num_programs(0))", "tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True)")
    after = run(text, "chains", "*fp16:16,*fp16:16,*fp32:16,i32,i32,128,64,1", (2,), {"q": q, "k": k, "out": np.full((384, 64), 7, np.float32),
                "tiles": 3, "n": 192}, options=f"num-warps=8,num-stages=3,tma={tma}")
    q, k = q.astype(np.float64), k.astype(np.float64)
    assert (after["out"] == np.clip(q @ k.T, -1, 1) @ k).all()


OF_BYTES = KERNEL.replace("    rm =", """    a = a.to(tl.pointer_type(tl.float16), bitcast=True) + sc
    rm =""", 1)


def test_pointer_of_another_type(run):
    """The offset of a tensor counts elements of the type that the kernel casts the pointer to."""
    M, N, K = 104, 64, 96
    a, b = integers(N + M * K, 1), integers((K, N), 2)
    after = run(OF_BYTES, "matmul", f"*i8:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,{BM},{BN},{BK}", (2, 1),
                {"a": a.view(np.int8), "b": b, "c": np.full((M, N), 7, np.float32), "M": M, "N": N, "K": K, "sa": K, "sb": N, "sc": N})
    assert (after["c"] == a[N:].reshape(M, K).astype(np.float32) @ b.astype(np.float32)).all()


PERSISTENT = """
import triton
import triton.language as tl

@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0)):
        rm = tile // across * BM + tl.arange(0, BM)
        rn = tile % across * BN + tl.arange(0, BN)
        sum = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            rk = k + tl.arange(0, BK)
            x = tl.load(a + rm[:, None] * sa + rk[None, :], (rm[:, None] < M) & (rk[None, :] < K), 0.0)
            y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K) & (rn[None, :] < N), 0.0)
            sum = tl.dot(x, y, sum)
        tl.store(c + rm[:, None] * sc + rn[None, :], sum, (rm[:, None] < M) & (rn[None, :] < N))
"""


@pytest.mark.parametrize("options", ["num-warps=4,num-stages=2", "num-warps=8,num-stages=4", "num-warps=4,num-stages=3,warp-specialize=off"])
@pytest.mark.parametrize("iterations", [0, 1, 2, 3, 5])
def test_copying_warps_run_ahead(run, options, iterations):
    """A program computes several tiles of c: rings go on where the tile before has left them."""
    roles = "" if "warp-specialize" in options else ",warp-specialize=on"
    got, right = product(run, 130, 190, max(0, BK * iterations - 5), options=f"{options},tma=auto{roles}", kernel=PERSISTENT, grid=(2,))
    assert (got == right).all()


HEADS = """
import triton
import triton.language as tl

@triton.jit
def heads(a, b, c, rows, SIGN: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, D)
    head = tl.program_id(1).to(tl.int64) * rows * D
    x = tl.load(a + SIGN * head + m[:, None] * D + d[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    for first in range(0, SIGN * rows, 64):
        acc += tl.dot(x, tl.load(b + SIGN * head + (first + n)[None, :] * D + d[:, None]))
    tl.store(c + SIGN * tl.program_id(1) * rows * 64 + m[:, None] * 64 + n[None, :], acc)
"""


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("options", ["num-warps=4,num-stages=3", "num-warps=8,num-stages=2,warp-specialize=on"])
def test_rows_of_unknown_sign(run, sign, options):
    """The rows of a head are a stride of the map, so there is none if they are negative: the launch takes the variant without."""
    rows, heads = 192, 3
    a, b = integers((heads, rows, 64), 1), integers((heads, rows, 64), 2)
    after = run(HEADS, "heads", f"*fp16:16,*fp16:16,*fp32:16,i32,{sign},64", (rows // 64, heads),
                {"a": a, "b": b, "c": np.zeros((heads, rows, 64), np.float32), "rows": sign * rows}, options="tma=auto," + options)["c"]
    sums = b.astype(np.float32).reshape(heads, rows // 64, 64, 64).sum(1)
    assert np.array_equal(after, a.astype(np.float32) @ sums.transpose(0, 2, 1))
