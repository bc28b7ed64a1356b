"""flash-linear-attention (fla-core): linear attention of many kinds, forward and backward, and its modules."""
from corpus import operator, torch
from packages._load import module, training

SIZE = dict(B=2, T=2048, H=8, D=64)


def tensor(w, kind, sizes, dtype):
    """An input by its kind: heads' vectors, gates in log space, decay rates, mixing factors."""
    B, T, H, D = (sizes[k] for k in "BTHD")
    vectors, scalars = (B, T, H, D), (B, T, H)
    log_sigmoid, normalize = torch.nn.functional.logsigmoid, torch.nn.functional.normalize
    makers = {
        "q": lambda: w.randn(*vectors, dtype=dtype), "v": lambda: w.randn(*vectors, dtype=dtype),
        "unit": lambda: normalize(w.randn(*vectors, dtype=torch.float32), dim=-1).to(dtype),
        "gates": lambda: log_sigmoid(w.randn(*vectors, dtype=torch.float32) + 3).to(dtype),
        "gate": lambda: log_sigmoid(w.randn(*scalars, dtype=torch.float32) + 3),
        "beta": lambda: torch.sigmoid(w.randn(*scalars, dtype=torch.float32)).to(dtype),
        "betas": lambda: torch.sigmoid(w.randn(*vectors, dtype=torch.float32)).to(dtype),
        "slots": lambda: w.randn(B, T, H, 64, dtype=dtype),
        "slot gates": lambda: log_sigmoid(w.randn(B, T, H, 64, dtype=torch.float32) + 3).to(dtype),
        "per head": lambda: w.randn(H, D, dtype=dtype), "rows": lambda: w.randn(B, T, H * D, dtype=dtype),
        "row gates": lambda: log_sigmoid(w.randn(B, T, H * D, dtype=torch.float32) + 3).to(dtype),
        "unit32": lambda: normalize(w.randn(*vectors, dtype=torch.float32), dim=-1),
        "beta32": lambda: torch.sigmoid(w.randn(*scalars, dtype=torch.float32)),
        "small": lambda: w.randn(*vectors, dtype=dtype, scale=0.1),
    }
    return makers[kind]()


# Left out are those that refuse to run with Triton 3.4 to 3.7 on Hopper (simple_gla, gated_delta_rule, comba in chunks), and kda,
# which takes minutes to compile. Name: the function below fla.ops, the inputs' kinds, sizes that differ, further keywords
OPERATORS = {
    "chunk_linear_attn": ("linear_attn", "q q v", {}, dict(normalize=False)),
    "fused_chunk_linear_attn": ("linear_attn", "q q v", {}, dict(normalize=False)),
    "fused_recurrent_linear_attn": ("linear_attn", "q q v", dict(T=512), dict(normalize=False)),
    "chunk_retention": ("retention", "q q v", {}, {}),
    "fused_chunk_retention": ("retention", "q q v", {}, {}),
    "parallel_retention": ("retention", "q q v", {}, {}),
    "fused_recurrent_retention": ("retention", "q q v", dict(T=512), {}),
    "parallel_based": ("based", "small small v", dict(D=16), {}),
    "fused_chunk_based": ("based", "small small v", dict(D=16), {}),
    "parallel_rebased": ("rebased", "small small v", dict(D=16), {}),
    "chunk_gla": ("gla", "q q v gates", {}, {}),
    "fused_recurrent_gla": ("gla", "q q v gates", dict(T=512), {}),
    "parallel_simple_gla": ("simple_gla", "q q v gate", {}, {}),
    "fused_recurrent_simple_gla": ("simple_gla", "q q v gate", dict(T=512), {}),
    "chunk_delta_rule": ("delta_rule", "q unit v beta", {}, {}),
    "fused_recurrent_delta_rule": ("delta_rule", "q unit v beta", dict(T=512), {}),
    "chunk_gsa": ("gsa", "q q v slots slot gates", {}, {}),
    "chunk_abc": ("abc", "q q v slots", {}, {}),
    "chunk_hgrn": ("hgrn", "rows row gates", {}, {}),
    "fused_recurrent_hgrn": ("hgrn", "rows row gates", dict(T=1024), {}),
    "chunk_rwkv6": ("rwkv6", "q q v gates per head", {}, {}),
    "fused_recurrent_rwkv6": ("rwkv6", "q q v gates per head", dict(T=512), {}),
    "chunk_rwkv7": ("rwkv7", "q gates small v small small", {}, {}),
    "chunk_lightnet": ("lightnet", "q q v", {}, {}),
    "parallel_attn": ("attn", "q q v", {}, {}),
    "parallel_forgetting_attn": ("forgetting_attn", "q q v gate", {}, {}),
    "parallel_stickbreaking_attn": ("stickbreaking_attn", "q q v", dict(T=1024), {}),
    "parallel_path_attn": ("path_attn", "q q v unit32 beta32", {}, {}),
}
SUSPECTS = {"parallel_retention", "parallel_based", "parallel_rebased", "parallel_simple_gla", "parallel_attn"}


def kinds_of(text):
    return text.replace("slot gates", "slot_gates").replace("row gates", "row_gates").replace("per head", "per_head").split()


def linear_attention(w, name, dtype):
    folder, kinds, sizes, keywords = OPERATORS[name]
    function = getattr(module("fla.ops." + folder, skip=("fla", "fla.ops", "fla.modules")), name)
    sizes = dict(SIZE, **sizes)
    if w.small:
        sizes.update(B=1, T=128, H=2)
    inputs = [tensor(w, kind.replace("_", " "), sizes, dtype) for kind in kinds_of(kinds)]

    def call(*tensors):
        found = function(*tensors, **keywords)
        return found[0] if isinstance(found, tuple) else found
    return training(call, inputs, tolerance=0.05, allowed=1e-4)


@operator(limit=240, variants=[dict(name=name) for name in OPERATORS if name not in SUSPECTS])
def bf16(w, name):
    return linear_attention(w, name, torch.bfloat16)


@operator(suspect=True, limit=240, variants=[dict(name=name) for name in sorted(SUSPECTS)])
def parallel(w, name):
    return linear_attention(w, name, torch.bfloat16)


@operator(suspect=True, limit=240, variants=[dict(name=name) for name in ("parallel_retention", "parallel_based", "parallel_rebased", "chunk_linear_attn",
                                                                         "chunk_retention", "fused_chunk_retention")])
def fp32(w, name):
    return linear_attention(w, name, torch.float32)


# ---- modules --------------------------------------------------------------------------------------

def modules(name):
    return module("fla.modules." + name, skip=("fla", "fla.modules", "fla.ops", "fla.modules.norm", "fla.modules.activations", "fla.modules.rotary",
                                               "fla.modules.fused_cross_entropy"))


def rows(w, N=2048, dtype=None):
    return w.randn(w.pick(8192, 64), w.pick(N, 256), dtype=dtype or torch.bfloat16)


@operator(variants=[dict(rms=False), dict(rms=True)])
def layer_norm(w, rms):
    m = modules("norm.layernorm")
    x, r = rows(w), rows(w)
    weight, bias = w.randn(x.shape[1], dtype=torch.float32), w.randn(x.shape[1], dtype=torch.float32)
    return training(lambda a, b, c, d: (m.rms_norm if rms else m.layer_norm)(a, b, c, residual=d, prenorm=True), [x, weight, bias, r], tolerance=0.05)


@operator(variants=[dict(rms=False), dict(rms=True)])
def norm_gated(w, rms):
    m = modules("norm.fused_norm_gate")
    x, g = rows(w, 128), rows(w, 128)
    weight, bias = w.randn(x.shape[1], dtype=torch.float32), w.randn(x.shape[1], dtype=torch.float32)
    return training(lambda a, b, c, d: (m.rms_norm_gated if rms else m.layer_norm_gated)(a, b, c, d), [x, g, weight, bias], tolerance=0.05)


@operator()
def group_norm(w):
    m = modules("norm.layernorm")
    x = rows(w)
    weight, bias = w.randn(x.shape[1], dtype=torch.float32), w.randn(x.shape[1], dtype=torch.float32)
    return training(lambda a, b, c: m.group_norm(a, b, c, num_groups=4), [x, weight, bias], tolerance=0.05)


@operator(variants=[dict(N=64), dict(N=2048)])
def l2norm(w, N):
    return training(modules("norm.l2norm").l2norm, [rows(w, N)], lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6), tolerance=0.05)


@operator(variants=[dict(name="swiglu"), dict(name="powglu"), dict(name="logsigmoid"), dict(name="swish")])
def activation(w, name):
    f = getattr(modules("activations.ops"), name)
    inputs = [rows(w, 5632) for _ in range(2 if name.endswith("glu") else 1)]
    return training(f, inputs, tolerance=0.05)


@operator(variants=[dict(interleaved=False), dict(interleaved=True)])
def rotary(w, interleaved):
    f = modules("rotary.ops").rotary_embedding
    B, T, H, D = w.pick(4, 1), w.pick(2048, 64), w.pick(32, 2), 128
    x = w.randn(B, T, H, D, dtype=torch.bfloat16)
    angle = torch.arange(T, device=x.device)[:, None] * torch.exp(-torch.arange(D // 2, device=x.device) / 8.0)[None, :]
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    return training(lambda a: f(a, cos, sin, interleaved=interleaved), [x], tolerance=0.05)


@operator()
def causal_conv1d(w):
    f = modules("causal_conv1d.ops").causal_conv1d
    x = w.randn(w.pick(4, 1), w.pick(2048, 64), w.pick(2048, 128), dtype=torch.bfloat16)
    weight = w.randn(x.shape[2], 4, dtype=torch.bfloat16)

    def call(a, b):
        found = f(a, b, activation="silu")
        return found[0] if isinstance(found, tuple) else found
    return training(call, [x, weight], tolerance=0.05)


@operator()
def cross_entropy(w):
    f = modules("fused_cross_entropy.ops").cross_entropy_loss
    x = w.randn(w.pick(4096, 16), w.pick(32000, 500), dtype=torch.bfloat16)
    y = w.randint(0, x.shape[1], (x.shape[0],))
    return training(lambda a: f(a, y)[0], [x], lambda a: torch.nn.functional.cross_entropy(a, y, reduction="none"), tolerance=0.05)


@operator()
def token_shift(w):
    f = modules("token_shift").token_shift
    x = w.randn(w.pick(4, 1), w.pick(2048, 64), w.pick(2048, 128), dtype=torch.bfloat16)
    return training(f, [x], tolerance=0.02)


@operator(variants=[dict(name="chunk_local_cumsum", D=0), dict(name="chunk_local_cumsum", D=64), dict(name="chunk_global_cumsum", D=0),
                    dict(name="chunk_global_cumsum", D=64)])
def cumsum(w, name, D):
    from corpus import Case
    f = getattr(module("fla.ops.utils.cumsum", skip=("fla", "fla.ops", "fla.ops.utils")), name)
    g = w.randn(w.pick(4, 1), w.pick(4096, 256), w.pick(16, 2), *([D] if D else []), dtype=torch.float32)
    return Case(lambda: f(g, 64) if "local" in name else f(g), tolerance=1e-3)


@operator()
def mean_pooling(w):
    f = module("fla.ops.utils.pooling", skip=("fla", "fla.ops", "fla.ops.utils")).mean_pooling
    return training(lambda x: f(x, 64), [w.randn(w.pick(4, 1), w.pick(4096, 256), 8, 64, dtype=torch.bfloat16)], tolerance=0.02)


@operator()
def solve_tril(w):
    from corpus import Case
    f = module("fla.ops.utils.solve_tril", skip=("fla", "fla.ops", "fla.ops.utils")).solve_tril
    A = w.randn(w.pick(4, 1), w.pick(2048, 128), 8, 64, dtype=torch.float32, scale=0.1)
    B, T, H, C = A.shape
    lower = torch.ones(C, C, device=A.device, dtype=torch.bool).tril(-1)
    A = torch.where(lower[None, None, :, None], A.view(B, T // C, C, H, C), torch.zeros_like(A.view(B, T // C, C, H, C))).view(A.shape).contiguous()
    return Case(lambda: f(A), tolerance=0.02)
