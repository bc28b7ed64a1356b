"""More kernels that searches are compared on: memory-bound ones, with other spaces than those of anchors.py."""
import numpy

import tessera
import tessera.language as tl


@tessera.jit
def column_sum_kernel(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.arange(0, ROWS)
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for k in tl.range(0, rows, ROWS, loop_unroll_factor=UNROLL):
        inside = (k + r[:, None] < rows) & (c[None, :] < columns)
        total += tl.load(x + (k + r[:, None]) * columns + c[None, :], mask=inside, other=0.0)
    tl.store(out + c, tl.sum(total, 0), mask=c < columns)


@tessera.jit
def cumsum_kernel(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    carry = tl.zeros((ROWS,), tl.float32)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        v = tl.load(x + r[:, None] * columns + k + c[None, :], mask=inside, other=0.0)
        tl.store(out + r[:, None] * columns + k + c[None, :], tl.cumsum(v, 1) + carry[:, None], mask=inside)
        carry += tl.sum(v, 1)


@tessera.jit
def transpose_kernel(x, out, rows, columns, BM: tl.constexpr, BN: tl.constexpr, STEPS: tl.constexpr):
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    for step in tl.range(0, STEPS):
        m = (tl.program_id(0) * STEPS + step) * BM + tl.arange(0, BM)
        v = tl.load(x + m[:, None] * columns + n[None, :], mask=(m[:, None] < rows) & (n[None, :] < columns), other=0.0)
        tl.store(out + n[:, None] * rows + m[None, :], tl.trans(v), mask=(n[:, None] < columns) & (m[None, :] < rows))


@tessera.jit
def gelu_kernel(x, out, n, BLOCK: tl.constexpr, STEPS: tl.constexpr, UNROLL: tl.constexpr):
    first = tl.program_id(0) * BLOCK * STEPS
    for start in tl.range(first, first + BLOCK * STEPS, BLOCK, loop_unroll_factor=UNROLL):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0)
        t = 1 - 2 / (1 + tl.exp(1.5957691216 * (v + 0.044715 * v * v * v)))
        tl.store(out + i, 0.5 * v * (1 + t), mask=i < n)


@tessera.jit
def rope_kernel(x, cos, sin, out, tokens, heads, HALF: tl.constexpr, TOKENS: tl.constexpr, HEADS: tl.constexpr, UNROLL: tl.constexpr):
    t = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    d = tl.arange(0, HALF)
    c = tl.load(cos + t[:, None] * HALF + d[None, :], mask=t[:, None] < tokens, other=0.0)
    s = tl.load(sin + t[:, None] * HALF + d[None, :], mask=t[:, None] < tokens, other=0.0)
    first = tl.program_id(1) * HEADS
    for head in tl.range(first, first + HEADS, loop_unroll_factor=UNROLL):
        place = (t[:, None] * heads + head) * 2 * HALF + d[None, :]
        inside = (t[:, None] < tokens) & (head < heads)
        a = tl.load(x + place, mask=inside, other=0.0)
        b = tl.load(x + place + HALF, mask=inside, other=0.0)
        tl.store(out + place, a * c - b * s, mask=inside)
        tl.store(out + place + HALF, b * c + a * s, mask=inside)


@tessera.jit
def cross_entropy_kernel(x, target, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    top = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        v = tl.load(x + r[:, None] * columns + k + c[None, :], mask=inside, other=float("-inf"))
        new = tl.maximum(top, tl.max(v, 1))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new[:, None]), 1)
        top = new
    t = tl.load(target + r, mask=r < rows, other=0)
    value = tl.load(x + r * columns + t, mask=r < rows, other=0.0)
    tl.store(out + r, tl.log(total) + top - value, mask=r < rows)


def anchors(anchor, random):
    """{name: f(size)}; `anchor` makes an Anchor, `random` an array."""
    steps = {"ROWS": [1, 2, 4, 8, 16], "BLOCK": [32, 64, 128, 256, 512, 1024], "UNROLL": [1, 2, 4]}

    def down(sizes):
        return lambda config: (tessera.cdiv(sizes, config["ROWS"]),)

    def column_sum(rows, columns):
        x = random(rows, columns)
        space = {"ROWS": [1, 2, 4, 8, 16, 32], "BLOCK": [16, 32, 64, 128, 256], "UNROLL": [1, 2, 4]}
        return anchor(column_sum_kernel, {"x": x, "out": numpy.zeros(columns, "float32"), "rows": rows, "columns": columns}, {}, space,
                      lambda config: (tessera.cdiv(columns, config["BLOCK"]),), x.sum(0))

    def cumsum(rows, columns):
        x = random(rows, columns)
        arguments = {"x": x, "out": numpy.zeros_like(x), "rows": rows, "columns": columns}
        return anchor(cumsum_kernel, arguments, {}, steps, down(rows), numpy.cumsum(x, 1))

    def transpose(rows, columns):
        x = random(rows, columns)
        arguments = {"x": x, "out": numpy.zeros((columns, rows), "float32"), "rows": rows, "columns": columns}
        space = {"BM": [4, 8, 16, 32, 64, 128], "BN": [4, 8, 16, 32, 64, 128], "STEPS": [1, 2, 4]}
        return anchor(transpose_kernel, arguments, {}, space,
                      lambda config: (tessera.cdiv(rows, config["BM"] * config["STEPS"]), tessera.cdiv(columns, config["BN"])), x.T)

    def gelu(n):
        x = random(n)
        space = {"BLOCK": [16, 32, 64, 128, 256, 512, 1024, 2048], "STEPS": [1, 4, 16, 64], "UNROLL": [1, 2, 4]}
        return anchor(gelu_kernel, {"x": x, "out": numpy.zeros_like(x), "n": n}, {}, space,
                      lambda config: (tessera.cdiv(n, config["BLOCK"] * config["STEPS"]),),
                      0.5 * x * (1 + numpy.tanh(0.7978845608 * (x + 0.044715 * x ** 3))))

    def rope(tokens, heads, half):
        x, cos, sin = random(tokens, heads, 2 * half), random(tokens, half), random(tokens + 1, half)[1:].copy()
        a, b, c, s = x[..., :half], x[..., half:], cos[:, None], sin[:, None]
        arguments = {"x": x, "cos": cos, "sin": sin, "out": numpy.zeros_like(x), "tokens": tokens, "heads": heads}
        space = {"TOKENS": [1, 2, 4, 8, 16, 32], "HEADS": [1, 2, 4, 8, 16], "UNROLL": [1, 2, 4]}
        return anchor(rope_kernel, arguments, {"HALF": half}, space,
                      lambda config: (tessera.cdiv(tokens, config["TOKENS"]), tessera.cdiv(heads, config["HEADS"])),
                      numpy.concatenate([a * c - b * s, b * c + a * s], -1))

    def cross_entropy(rows, columns):
        x = random(rows, columns)
        target = numpy.random.default_rng(rows).integers(0, columns, rows)
        expected = numpy.log(numpy.exp(x).sum(1)) - x[numpy.arange(rows), target]
        arguments = {"x": x, "target": target, "out": numpy.zeros(rows, "float32"), "rows": rows, "columns": columns}
        return anchor(cross_entropy_kernel, arguments, {}, steps, down(rows), expected)

    return {"column_sum": lambda large=False: column_sum(*((4096, 200) if large else (1000, 512))),
            "cumsum": lambda large=False: cumsum(*((256, 3000) if large else (512, 1000))),
            "transpose": lambda large=False: transpose(*((400, 1200) if large else (512, 512))),
            "gelu": lambda large=False: gelu(1 << 19 if large else 200_000),
            "rope": lambda large=False: rope(*((300, 12, 64) if large else (512, 16, 32))),
            "cross_entropy": lambda large=False: cross_entropy(*((128, 5000) if large else (512, 1000)))}
