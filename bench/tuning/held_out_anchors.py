"""Kernels that no constant of the search was chosen with: they tell how good it is (replay.py)."""
import numpy

import tessera
import tessera.language as tl


@tessera.jit
def row_dot_kernel(a, x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        v = tl.load(x + k + c, mask=k + c < columns, other=0.0)
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        total += tl.load(a + r[:, None] * columns + k + c[None, :], mask=inside, other=0.0) * v[None, :]
    tl.store(out + r, tl.sum(total, 1), mask=r < rows)


@tessera.jit
def rms_norm_kernel(x, residual, weight, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    squares = tl.zeros((ROWS, BLOCK), tl.float32)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        place = r[:, None] * columns + k + c[None, :]
        v = tl.load(x + place, mask=inside, other=0.0) + tl.load(residual + place, mask=inside, other=0.0)
        tl.store(out + place, v, mask=inside)
        squares += v * v
    scale = 1 / tl.sqrt(tl.sum(squares, 1) / columns + 1e-5)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        place = r[:, None] * columns + k + c[None, :]
        w = tl.load(weight + k + c, mask=k + c < columns)
        tl.store(out + place, tl.load(out + place, mask=inside, other=0.0) * scale[:, None] * w[None, :], mask=inside)


@tessera.jit
def stencil_kernel(x, out, rows, columns, BM: tl.constexpr, BN: tl.constexpr, STEPS: tl.constexpr):
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    for step in tl.range(0, STEPS):
        m = (tl.program_id(0) * STEPS + step) * BM + tl.arange(0, BM)
        place = m[:, None] * columns + n[None, :]
        inside = (m[:, None] > 0) & (m[:, None] < rows - 1) & (n[None, :] > 0) & (n[None, :] < columns - 1)
        around = tl.load(x + place - 1, mask=inside, other=0.0) + tl.load(x + place + 1, mask=inside, other=0.0)
        around += tl.load(x + place - columns, mask=inside, other=0.0) + tl.load(x + place + columns, mask=inside, other=0.0)
        tl.store(out + place, around - 4 * tl.load(x + place, mask=inside, other=0.0), mask=inside)


@tessera.jit
def argmax_kernel(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    best = tl.full((ROWS, BLOCK), float("-inf"), tl.float32)
    where = tl.zeros((ROWS, BLOCK), tl.int32)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        v = tl.load(x + r[:, None] * columns + k + c[None, :], mask=inside, other=float("-inf"))
        where = tl.where(v > best, k + c[None, :], where)
        best = tl.maximum(best, v)
    top = tl.max(best, 1)
    tl.store(out + r, tl.min(tl.where(best == top[:, None], where, 1 << 30), 1).to(tl.float32), mask=r < rows)


@tessera.jit
def swiglu_product_kernel(a, b, g, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    up = tl.zeros((BM, BN), tl.float32)
    gate = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        inside = ((start + k)[:, None] < K) & (n[None, :] < N)
        up = tl.dot(x, tl.load(b + (start + k)[:, None] * N + n[None, :], mask=inside, other=0.0), up, input_precision="ieee")
        gate = tl.dot(x, tl.load(g + (start + k)[:, None] * N + n[None, :], mask=inside, other=0.0), gate, input_precision="ieee")
    tl.store(out + m[:, None] * N + n[None, :], up * gate / (1 + tl.exp(-gate)), mask=(m[:, None] < M) & (n[None, :] < N))


def anchors(anchor, random):
    """{name: f(large)}; `anchor` makes an Anchor, `random` an array."""
    steps = {"ROWS": [1, 2, 4, 8, 16], "BLOCK": [32, 64, 128, 256, 512, 1024], "UNROLL": [1, 2, 4]}

    def down(rows):
        return lambda config: (tessera.cdiv(rows, config["ROWS"]),)

    def row_dot(large=False):
        rows, columns = (200, 3000) if large else (800, 700)
        a, x = random(rows, columns), random(columns)
        arguments = {"a": a, "x": x, "out": numpy.zeros(rows, "float32"), "rows": rows, "columns": columns}
        return anchor(row_dot_kernel, arguments, {}, steps, down(rows), a @ x)

    def rms_norm(large=False):
        rows, columns = (100, 5000) if large else (500, 900)
        x, residual, weight = random(rows, columns), random(rows, columns) * 0.5, random(columns)
        v = x + residual
        arguments = {"x": x, "residual": residual, "weight": weight, "out": numpy.zeros_like(x), "rows": rows, "columns": columns}
        return anchor(rms_norm_kernel, arguments, {}, steps, down(rows), v / numpy.sqrt((v * v).mean(1, keepdims=True) + 1e-5) * weight)

    def stencil(large=False):
        rows, columns = (300, 1500) if large else (500, 500)
        x = random(rows, columns)
        expected = numpy.zeros_like(x)
        expected[1:-1, 1:-1] = x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1] - 4 * x[1:-1, 1:-1]
        space = {"BM": [1, 2, 4, 8, 16, 32], "BN": [16, 32, 64, 128, 256, 512], "STEPS": [1, 2, 4]}
        return anchor(stencil_kernel, {"x": x, "out": numpy.zeros_like(x), "rows": rows, "columns": columns}, {}, space,
                      lambda config: (tessera.cdiv(rows, config["BM"] * config["STEPS"]), tessera.cdiv(columns, config["BN"])), expected)

    def argmax(large=False):
        rows, columns = (128, 4000) if large else (600, 800)
        x = random(rows, columns)
        arguments = {"x": x, "out": numpy.zeros(rows, "float32"), "rows": rows, "columns": columns}
        return anchor(argmax_kernel, arguments, {}, steps, down(rows), x.argmax(1).astype("float32"))

    def swiglu_product(large=False):
        M, N, K = (64, 640, 320) if large else (256, 256, 128)
        a, b, g = random(M, K) * 0.1, random(K, N), random(K, N) * 0.9
        up, gate = a @ b, a @ g
        arguments = {"a": a, "b": b, "g": g, "out": numpy.zeros((M, N), "float32"), "M": M, "N": N, "K": K}
        space = {"BM": [8, 16, 32, 64, 128], "BN": [16, 32, 64, 128], "BK": [16, 32, 64, 128]}
        return anchor(swiglu_product_kernel, arguments, {}, space,
                      lambda config: (tessera.cdiv(M, config["BM"]), tessera.cdiv(N, config["BN"])), up * gate / (1 + numpy.exp(-gate)))

    return {"row_dot": row_dot, "rms_norm": rms_norm, "stencil": stencil, "argmax": argmax, "swiglu_product": swiglu_product}
