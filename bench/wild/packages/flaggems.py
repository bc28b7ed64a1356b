"""flag-gems: torch's own operators as Triton kernels, checked against torch's."""
import os

from corpus import Case, operator, torch
from packages._load import module


def gems():
    os.environ.setdefault("GEMS_VENDOR", "nvidia")
    return module("flag_gems").ops


def square(w):
    return w.pick(4096, 48)


def half(w, *shape):
    return w.randn(*(shape or (square(w), square(w))))


def single(w, *shape):
    return w.randn(*(shape or (square(w), square(w))), dtype=torch.float32)


UNARY = ["abs", "exp", "gelu", "silu", "tanh", "sigmoid", "rsqrt", "sin", "cos", "erf", "relu", "neg", "reciprocal", "isnan", "isfinite",
         "logical_not", "sqrt", "ceil", "softplus", "elu", "log_sigmoid"]
BINARY = ["add", "mul", "sub", "maximum", "minimum", "eq", "lt", "ge", "atan2", "true_divide", "hypot", "fmin", "logaddexp", "copysign"]
TORCH = {"silu": "nn.functional.silu", "gelu": "nn.functional.gelu", "softplus": "nn.functional.softplus", "elu": "nn.functional.elu",
         "log_sigmoid": "nn.functional.logsigmoid"}


def torch_function(name):
    found = torch
    for part in TORCH.get(name, name).split("."):
        found = getattr(found, part)
    return found


@operator(variants=[dict(name=name) for name in UNARY])
def unary(w, name):
    f, x = getattr(gems(), name), half(w)
    if name in ("rsqrt", "sqrt"):
        x = x.abs() + 0.1
    return Case(lambda: f(x), lambda: torch_function(name)(x.float()))


@operator(variants=[dict(name=name) for name in BINARY])
def binary(w, name):
    f, x, y = getattr(gems(), name), half(w), half(w)
    return Case(lambda: f(x, y), lambda: torch_function(name)(x.float(), y.float()), allowed=1e-3)


# name: (the inputs, the call under flag_gems, torch's)
def reductions(w):
    x, y = single(w), single(w)
    index = w.randint(0, x.shape[1], (x.shape[0], w.pick(2048, 16)))
    mask = x > 0
    return {
        "sum": lambda o: o.sum(x), "sum_dim": lambda o: o.sum_dim(x, [1]), "mean": lambda o: o.mean(x), "mean_dim": lambda o: o.mean_dim(x, [0]),
        "max": lambda o: o.max(x), "max_dim": lambda o: tuple(o.max_dim(x, 1)), "argmax": lambda o: o.argmax(x, 1), "amax": lambda o: o.amax(x, [1]),
        "min_dim": lambda o: tuple(o.min_dim(x, 1)), "prod_dim": lambda o: o.prod_dim(x, 1), "var_mean": lambda o: o.var_mean(x, [1], correction=1),
        "vector_norm": lambda o: o.vector_norm(x, 2, [1]), "any": lambda o: o.any(mask), "all": lambda o: o.all(mask), "cumsum": lambda o: o.cumsum(x, 1),
        "softmax": lambda o: o.softmax(x, 1, False), "log_softmax": lambda o: o.log_softmax(x, 1, False),
        "sort": lambda o: tuple(o.sort(x[:256], 1, False)), "topk": lambda o: tuple(o.topk(x[:1024], 8, 1, True, True)),
        "gather": lambda o: o.gather(x, 1, index), "index_select": lambda o: o.index_select(x, 0, index[:, 0]),
        "where_self": lambda o: o.where_self(mask, x, y), "masked_fill": lambda o: o.masked_fill(x, mask, 1.0), "triu": lambda o: o.triu(x, 0),
        "cat": lambda o: o.cat([x, y], 0), "stack": lambda o: o.stack([x, y], 0), "flip": lambda o: o.flip(x, [1]), "repeat": lambda o: o.repeat(x, [1, 2]),
        "clamp": lambda o: o.clamp(x, -0.5, 0.5), "count_nonzero": lambda o: o.count_nonzero(x), "mse_loss": lambda o: o.mse_loss(x, y),
        "dot": lambda o: o.dot(x.view(-1), y.view(-1)), "cummax": lambda o: tuple(o.cummax(x[:256], 1)), "isin": lambda o: o.isin(index[:64], index[64:65]),
        "nonzero": lambda o: o.nonzero(x[:256] > 1.0), "masked_select": lambda o: o.masked_select(x, mask), "diag_embed": lambda o: o.diag_embed(x[:64, :256]),
    }


@operator(variants=[dict(name=name) for name in (
    "sum", "sum_dim", "mean", "mean_dim", "max", "max_dim", "argmax", "amax", "min_dim", "prod_dim", "var_mean", "vector_norm", "any", "all", "cumsum",
    "softmax", "log_softmax", "sort", "topk", "gather", "index_select", "where_self", "masked_fill", "triu", "cat", "stack", "flip", "repeat", "clamp",
    "count_nonzero", "mse_loss", "dot", "cummax", "isin", "nonzero", "masked_select", "diag_embed")])
def table(w, name):
    call, ops = reductions(w)[name], gems()
    return Case(lambda: call(ops), tolerance=1e-2)


@operator(suspect=True, variants=[dict(name="mm"), dict(name="addmm"), dict(name="bmm"), dict(name="baddbmm"), dict(name="mv")])
def product(w, name):
    n = w.pick(2048, 64)
    ops, a, b, c = gems(), half(w, n, n), half(w, n, n), half(w, n)
    if name in ("bmm", "baddbmm"):
        x, y, z = half(w, 8, n // 2, n // 2), half(w, 8, n // 2, n // 2), half(w, 8, n // 2, n // 2)
        if name == "bmm":
            return Case(lambda: ops.bmm(x, y), lambda: x.float() @ y.float())
        return Case(lambda: ops.baddbmm(z, x, y), lambda: z.float() + x.float() @ y.float())
    if name == "mv":
        return Case(lambda: ops.mv(a, c), lambda: a.float() @ c.float())
    if name == "addmm":
        return Case(lambda: ops.addmm(c, a, b), lambda: c.float() + a.float() @ b.float())
    return Case(lambda: ops.mm(a, b), lambda: a.float() @ b.float())


@operator(variants=[dict(name="layer_norm"), dict(name="rms_norm"), dict(name="group_norm"), dict(name="batch_norm")])
def norm(w, name):
    ops, n = gems(), w.pick(4096, 64)
    x, g, b = half(w, n, n), half(w, n), half(w, n)
    if name == "layer_norm":
        return Case(lambda: ops.layer_norm(x, (n,), g, b)[0], lambda: torch.nn.functional.layer_norm(x.float(), (n,), g.float(), b.float()), tolerance=0.03)
    if name == "rms_norm":
        return Case(lambda: ops.rms_norm(x, (n,), g, 1e-5), lambda: x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5) * g.float())
    y = half(w, 16, 256, w.pick(1024, 32))
    g, b = half(w, 256), half(w, 256)
    if name == "group_norm":
        return Case(lambda: ops.group_norm(y, g, b, 16, 256, y.shape[2], 16)[0],
                    lambda: torch.nn.functional.group_norm(y.float(), 16, g.float(), b.float()), tolerance=0.03)
    mean, var = torch.zeros(256, device=y.device), torch.ones(256, device=y.device)
    return Case(lambda: ops.batch_norm(y, g, b, mean.clone(), var.clone(), True, 0.1, 1e-5)[0],
                lambda: torch.nn.functional.batch_norm(y.float(), None, None, g.float(), b.float(), True), tolerance=0.03)


@operator(suspect=True, variants=[dict(causal=False), dict(causal=True)])
def attention(w, causal):
    ops = gems()
    q, k, v = (half(w, w.pick(4, 1), w.pick(16, 2), w.pick(2048, 128), 128) for _ in range(3))
    return Case(lambda: ops.scaled_dot_product_attention(q, k, v, is_causal=causal),
                lambda: torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal))


@operator(variants=[dict(name="conv2d"), dict(name="embedding"), dict(name="dropout"), dict(name="upsample_nearest2d"), dict(name="max_pool2d_with_indices"),
                    dict(name="avg_pool2d"), dict(name="randn"), dict(name="uniform_"), dict(name="arange"), dict(name="full"), dict(name="linspace")])
def others(w, name):
    ops = gems()
    image, weight = half(w, w.pick(8, 1), 32, w.pick(64, 9), w.pick(64, 9)), half(w, 32, 32, 3, 3)
    table_, index = half(w, w.pick(32000, 50), w.pick(1024, 32)), w.randint(0, w.pick(32000, 50), (w.pick(8192, 9),))
    n, device = w.pick(1 << 22, 1000), torch.device(w.device)
    calls = {"conv2d": lambda: ops.conv2d(image, weight, padding=1), "embedding": lambda: ops.embedding(table_, index),
             "dropout": lambda: ops.dropout(image, 0.3, True), "upsample_nearest2d": lambda: ops.upsample_nearest2d(image, [2 * image.shape[2], 2 * image.shape[3]]),
             "max_pool2d_with_indices": lambda: ops.max_pool2d_with_indices(image, [2, 2], [2, 2]), "avg_pool2d": lambda: ops.avg_pool2d(image, [2, 2], [2, 2]),
             "randn": lambda: ops.randn([n], device=device), "uniform_": lambda: ops.uniform_(torch.empty(n, device=device)),
             "arange": lambda: ops.arange(n, device=device), "full": lambda: ops.full([n], 1.5, device=device), "linspace": lambda: ops.linspace(0, 1, 10000, device=device)}
    return Case(calls[name])
