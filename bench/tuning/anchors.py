"""The kernels that searches for configurations are compared on, with spaces that are small enough to be measured exhaustively.

    anchors.ANCHORS["matmul"]()                  Anchor: the kernel, its arguments, its space, and the grid of a configuration
    anchors.ANCHORS["matmul"](large=True)        the same kernel with other sizes: another tuning key

simple_anchors.py has the memory-bound ones. Sizes fit into the caches of one core, so that the choice of tiles matters and a launch takes about half a millisecond.
"""
import itertools

import numpy
import held_out_anchors
import simple_anchors

import tessera
import tessera.language as tl


@tessera.jit
def softmax_kernel(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
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
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        v = tl.load(x + r[:, None] * columns + k + c[None, :], mask=inside, other=float("-inf"))
        tl.store(out + r[:, None] * columns + k + c[None, :], tl.exp(v - top[:, None]) / total[:, None], mask=inside)


@tessera.jit
def layer_norm_kernel(x, weight, bias, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    squares = tl.zeros((ROWS, BLOCK), tl.float32)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        v = tl.load(x + r[:, None] * columns + k + c[None, :], mask=inside, other=0.0)
        total += v
        squares += v * v
    mean = tl.sum(total, 1) / columns
    scale = 1 / tl.sqrt(tl.sum(squares, 1) / columns - mean * mean + 1e-5)
    for k in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        inside = (r[:, None] < rows) & (k + c[None, :] < columns)
        w = tl.load(weight + k + c, mask=k + c < columns)
        b = tl.load(bias + k + c, mask=k + c < columns)
        v = tl.load(x + r[:, None] * columns + k + c[None, :], mask=inside, other=0.0)
        y = (v - mean[:, None]) * scale[:, None] * w[None, :] + b[None, :]
        tl.store(out + r[:, None] * columns + k + c[None, :], y, mask=inside)


@tessera.jit
def matmul_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    across = tl.cdiv(N, BN)
    down = tl.cdiv(M, BM)
    first = pid // (GROUP * across) * GROUP
    size = min(down - first, GROUP)
    m = (first + pid % (GROUP * across) % size) * BM + tl.arange(0, BM)
    n = pid % (GROUP * across) // size * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        y = tl.load(b + (start + k)[:, None] * N + n[None, :], mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@tessera.jit
def attention_kernel(q, k, v, out, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, UNROLL: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * S * D
    d = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < S, other=0.0) * scale
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, S, BN, loop_unroll_factor=UNROLL):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * D + d[:, None], mask=columns[None, :] < S, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee")
        scores = tl.where(columns[None, :] < S, scores, float("-inf"))
        new = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp(scores - new[:, None])
        shrink = tl.exp(top - new)
        total = total * shrink + tl.sum(p, 1)
        values = tl.load(v + head + columns[:, None] * D + d[None, :], mask=columns[:, None] < S, other=0.0)
        acc = tl.dot(p, values, acc * shrink[:, None], input_precision="ieee")
        top = new
    tl.store(out + head + rows[:, None] * D + d[None, :], acc / total[:, None], mask=rows[:, None] < S)


class Anchor:
    """A kernel with its arguments. `space` is {parameter: values}; `grid(config)` is that of a launch."""

    def __init__(self, kernel, arguments, constants, space, grid, expected):
        self.kernel, self.arguments, self.constants, self.space, self.grid, self.expected = kernel, arguments, constants, space, grid, expected
        self.out = next(value for name, value in arguments.items() if name == "out")

    def configs(self):
        return [dict(zip(self.space, chosen)) for chosen in itertools.product(*self.space.values())]

    def is_right(self):
        return numpy.allclose(self.out, self.expected, atol=1e-3, rtol=1e-3)

    def launch(self, config):
        return self.kernel[self.grid(config)](*self.arguments.values(), **self.constants, **config)


def _random(*shape):
    return numpy.random.default_rng(sum(shape)).standard_normal(shape, dtype=numpy.float32)


def _rows(kernel, rows, columns, extra, expected):
    x = _random(rows, columns)
    arguments = {"x": x, **extra, "out": numpy.zeros_like(x), "rows": rows, "columns": columns}
    space = {"ROWS": [1, 2, 4, 8, 16], "BLOCK": [32, 64, 128, 256, 512, 1024], "UNROLL": [1, 2, 4]}
    return Anchor(kernel, arguments, {}, space, lambda config: (tessera.cdiv(rows, config["ROWS"]),), expected(x))


def softmax(large=False):
    def expected(x):
        e = numpy.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)
    return _rows(softmax_kernel, *((200, 4000) if large else (1024, 1000)), {}, expected)


def layer_norm(large=False):
    rows, columns = (120, 3000) if large else (400, 1000)
    weight, bias = _random(columns), _random(columns + 1)[:columns].copy()

    def expected(x):
        return (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5) * weight + bias
    return _rows(layer_norm_kernel, rows, columns, {"weight": weight, "bias": bias}, expected)


def matmul(large=False):
    M, N, K = (128, 768, 512) if large else (384, 512, 256)
    a, b = _random(M, K), _random(K, N)
    arguments = {"a": a, "b": b, "out": numpy.zeros((M, N), "float32"), "M": M, "N": N, "K": K}
    space = {"BM": [16, 32, 64, 128], "BN": [16, 32, 64, 128], "BK": [16, 32, 64, 128], "GROUP": [1, 4]}
    return Anchor(matmul_kernel, arguments, {}, space,
                  lambda config: (tessera.cdiv(M, config["BM"]) * tessera.cdiv(N, config["BN"]),), a @ b)


def attention(large=False):
    heads, S, D = (2, 512, 64) if large else (4, 256, 64)
    q, k, v = _random(heads, S, D), _random(heads, S, D) * 0.9, _random(heads, S, D) * 1.1
    scores = numpy.einsum("hsd,htd->hst", q, k) * 0.125
    p = numpy.exp(scores - scores.max(-1, keepdims=True))
    expected = numpy.einsum("hst,htd->hsd", p / p.sum(-1, keepdims=True), v)
    arguments = {"q": q, "k": k, "v": v, "out": numpy.zeros_like(q), "S": S, "scale": 0.125}
    space = {"BM": [16, 32, 64, 128, 256], "BN": [16, 32, 64, 128], "UNROLL": [1, 2, 4]}
    return Anchor(attention_kernel, arguments, {"D": D}, space, lambda config: (tessera.cdiv(S, config["BM"]), heads), expected)


ANCHORS = {"softmax": softmax, "layer_norm": layer_norm, "matmul": matmul, "attention": attention,
           **simple_anchors.anchors(Anchor, _random), **held_out_anchors.anchors(Anchor, _random)}
