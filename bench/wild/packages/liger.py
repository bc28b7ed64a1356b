"""liger-kernel: the operators of training, each forward and backward."""
from corpus import Case, operator, torch
from packages._load import module, training



def ops(name):
    return module("liger_kernel.ops." + name, skip=("liger_kernel", "liger_kernel.ops"))


def functional():
    return torch.nn.functional


def rms(x, weight, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


@operator(variants=[dict(rows=4096, N=4096), dict(rows=16384, N=128)])
def rms_norm(w, rows, N):
    f = ops("rms_norm").LigerRMSNormFunction
    x, weight = w.randn(w.pick(rows, 32), N, dtype=torch.bfloat16), w.randn(N, dtype=torch.bfloat16)
    return training(lambda a, b: f.apply(a, b, 1e-6, 0.0, "llama", False), [x, weight], rms, tolerance=0.05)


@operator()
def fused_add_rms_norm(w):
    f = ops("fused_add_rms_norm").LigerFusedAddRMSNormFunction
    n = w.pick(4096, 256)
    x, r, weight = w.randn(w.pick(4096, 32), n), w.randn(w.pick(4096, 32), n), w.randn(n)
    return training(lambda a, b, c: f.apply(a, b, c, 1e-6), [x, r, weight], lambda a, b, c: (rms(a + b, c), a + b), tolerance=0.05)


@operator()
def layer_norm(w):
    f = ops("layer_norm").LigerLayerNormFunction
    n = w.pick(4096, 256)
    inputs = [w.randn(w.pick(4096, 32), n), w.randn(n), w.randn(n)]
    return training(lambda a, b, c: f.apply(a, b, c, 1e-5), inputs, lambda a, b, c: functional().layer_norm(a, (n,), b, c, 1e-5), tolerance=0.05)


@operator()
def group_norm(w):
    f = ops("group_norm").LigerGroupNormFunction
    C = 320
    inputs = [w.randn(w.pick(8, 1), C, w.pick(1024, 64), dtype=torch.float32), w.randn(C, dtype=torch.float32), w.randn(C, dtype=torch.float32)]
    return training(lambda a, b, c: f.apply(a, b, c, C, 32, 1e-5), inputs, lambda a, b, c: functional().group_norm(a, 32, b, c, 1e-5))


@operator()
def poly_norm(w):
    f = ops("poly_norm").LigerPolyNormFunction
    inputs = [w.randn(w.pick(4096, 32), w.pick(2048, 128), dtype=torch.float32), w.randn(3, dtype=torch.float32), w.randn(dtype=torch.float32)]
    return training(lambda a, b, c: f.apply(a, b, c, 1e-6, False), inputs)


@operator(variants=[dict(N=1024), dict(N=32000)])
def softmax(w, N):
    f = ops("softmax").LigerSoftmaxFunction
    return training(f.apply, [w.randn(w.pick(2048, 16), w.pick(N, 500))], lambda a: a.softmax(-1))


@operator()
def sparsemax(w):
    f = ops("sparsemax").LigerSparsemaxFunction
    return training(lambda a: f.apply(a, -1), [w.randn(w.pick(2048, 16), w.pick(4096, 256), dtype=torch.float32)])


@operator(variants=[dict(name="swiglu"), dict(name="geglu")])
def gated(w, name):
    f = ops(name).LigerSiLUMulFunction if name == "swiglu" else ops(name).LigerGELUMulFunction
    inputs = [w.randn(w.pick(4096, 16), w.pick(11008, 512), dtype=torch.bfloat16) for _ in range(2)]

    def reference(a, b):
        return (functional().silu(a) if name == "swiglu" else functional().gelu(a, approximate="tanh")) * b
    return training(f.apply, inputs, reference, tolerance=0.05)


@operator()
def fused_gate_up(w):
    f = ops("swiglu").LigerFusedGateUpSiLUMulFunction

    def reference(y):
        a, b = y.chunk(2, -1)
        return functional().silu(a) * b
    return training(f.apply, [w.randn(w.pick(4096, 16), w.pick(22016, 512), dtype=torch.bfloat16)], reference, tolerance=0.05)


@operator()
def relu_squared(w):
    f = ops("relu_squared").LigerReLUSquaredFunction
    return training(f.apply, [w.randn(w.pick(4096, 16), w.pick(8192, 512))], lambda a: functional().relu(a).square())


@operator()
def dyt(w):
    f = ops("dyt").LigerDyTFunction
    n = w.pick(4096, 256)
    inputs = [w.randn(w.pick(4096, 16), n, dtype=torch.float32), w.randn(1, dtype=torch.float32), w.randn(n, dtype=torch.float32),
              w.randn(n, dtype=torch.float32)]
    return training(f.apply, inputs, lambda x, a, g, b: g * torch.tanh(a * x) + b, tolerance=0.02)


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos[:, None] + torch.cat([-b, a], -1) * sin[:, None]


@operator()
def rope(w):
    f = ops("rope").LigerRopeFunction
    B, T, D = w.pick(4, 1), w.pick(2048, 32), 128
    q, k = w.randn(B, w.pick(32, 4), T, D, dtype=torch.float32), w.randn(B, w.pick(8, 2), T, D, dtype=torch.float32)
    angle = torch.arange(T, device=q.device)[None, :, None] * torch.exp(-torch.arange(D // 2, device=q.device) / 8.0)
    angle = torch.cat([angle, angle], -1)
    cos, sin = angle.cos().float(), angle.sin().float()
    return training(lambda a, b: f.apply(a, b, cos, sin), [q, k], lambda a, b: (rotated(a, cos, sin), rotated(b, cos, sin)), tolerance=1e-3)


@operator()
def qwen2vl_mrope(w):
    f = ops("qwen2vl_mrope").LigerQwen2VLMRopeFunction
    B, T, D = w.pick(2, 1), w.pick(2048, 32), 128
    q, k = w.randn(B, w.pick(32, 4), T, D, dtype=torch.float32), w.randn(B, w.pick(8, 2), T, D, dtype=torch.float32)
    cos, sin = torch.rand(3, B, T, D, device=q.device), torch.rand(3, B, T, D, device=q.device)
    return training(lambda a, b: f.apply(a, b, cos, sin, [16, 24, 24]), [q, k])


@operator(variants=[dict(V=32000, dtype="bfloat16"), dict(V=128256, dtype="float32")])
def cross_entropy(w, V, dtype):
    f = ops("cross_entropy").LigerCrossEntropyFunction
    x = w.randn(w.pick(2048, 8), w.pick(V, 1000), dtype=getattr(torch, dtype))
    y = w.randint(0, x.shape[1], (x.shape[0],))

    def first(*results):
        return results[0][0] if isinstance(results[0], tuple) else results[0]
    return training(lambda a: first(f.apply(a, y, None, -100, 0.0, 0.1, "mean", None, False)), [x],
                    lambda a: functional().cross_entropy(a, y, label_smoothing=0.1), tolerance=0.05)


@operator(limit=180)
def fused_linear_cross_entropy(w):
    f = ops("fused_linear_cross_entropy").LigerFusedLinearCrossEntropyFunction
    x, weight = w.randn(w.pick(2048, 16), w.pick(2048, 64), dtype=torch.bfloat16, scale=0.1), w.randn(w.pick(32000, 300), w.pick(2048, 64), dtype=torch.bfloat16, scale=0.1)
    y = w.randint(0, weight.shape[0], (x.shape[0],))
    return training(lambda a, b: f.apply(a, b, y)[0], [x, weight], lambda a, b: functional().cross_entropy(a @ b.t(), y), tolerance=0.1)


@operator()
def kl_divergence(w):
    f = ops("kl_div").LigerKLDivLossFunction
    p = torch.log_softmax(w.randn(w.pick(2048, 8), w.pick(32000, 500), dtype=torch.float32), -1)
    q = torch.softmax(w.randn(*p.shape, dtype=torch.float32), -1)
    return training(lambda a: f.apply(a, q, "batchmean", False, 1e-10), [p], lambda a: functional().kl_div(a, q, reduction="batchmean"))


@operator()
def jsd(w):
    f = ops("jsd").LigerJSDFunction
    p, q = (torch.log_softmax(w.randn(w.pick(2048, 8), w.pick(32000, 500), dtype=torch.float32), -1) for _ in range(2))
    return training(lambda a: f.apply(a, q, None, 0.5), [p])


@operator()
def tvd(w):
    f = ops("tvd").LigerTVDLossFunction
    p, q = (torch.softmax(w.randn(w.pick(2048, 8), w.pick(32000, 500), dtype=torch.float32), -1) for _ in range(2))
    return training(lambda a: f.apply(a, q, None, "batchmean", -100), [p])


@operator()
def grpo_log_softmax(w):
    f = ops("grpo_loss").fused_selective_log_softmax
    logits = w.randn(w.pick(4, 1), w.pick(513, 9), w.pick(32000, 500))
    ids = w.randint(0, logits.shape[2], (logits.shape[0], logits.shape[1] - 1))
    return Case(lambda: f(logits, ids, 0.9), lambda: torch.log_softmax(logits[:, :-1].float() / 0.9, -1).gather(-1, ids[..., None])[..., 0])


@operator()
def neighborhood_attention(w):
    f = ops("fused_neighborhood_attention").LigerFusedNeighborhoodAttentionFunction
    inputs = [w.randn(w.pick(4, 1), w.pick(8, 2), w.pick(512, 64), 64, dtype=torch.float32) for _ in range(3)]
    return training(lambda q, k, v: f.apply(q, k, v, 7, 1, 0.125), inputs)


@operator()
def multi_token_attention(w):
    f = ops("multi_token_attention").LigerMultiTokenAttentionFunction
    L = w.pick(256, 32)
    scores, weight = w.randn(w.pick(4, 1), 4, L, L, dtype=torch.float32), w.randn(4, 4, 3, 3, dtype=torch.float32, scale=0.2)
    return training(lambda a, b: f.apply(a, b, None, 1, 1, 1, 1, False), [scores, weight], tolerance=0.02)


@operator()
def attention_residual(w):
    m = ops("attn_res")
    blocks = w.randn(6, w.pick(4096, 32), w.pick(2048, 128), dtype=torch.float32)
    query, norm = w.randn(blocks.shape[2], dtype=torch.float32, scale=0.05), w.randn(blocks.shape[2], dtype=torch.float32)
    return training(lambda v, q, n: m.LigerAttnResFunction.apply(v, q, n, 1e-6), [blocks, query, norm])


@operator(limit=180)
def fused_moe(w):
    m = ops("fused_moe")
    T, E, K, H, I = w.pick(2048, 32), 8, 2, w.pick(1024, 64), w.pick(1024, 64)
    x, up, down = (w.randn(*s, dtype=torch.bfloat16, scale=0.1) for s in ((T, H), (E, 2 * I, H), (E, H, I)))
    weights, index = torch.topk(torch.softmax(torch.randn(T, E, device=x.device), -1), K)

    def reference(x, up, down):
        out = torch.zeros(T, H, device=x.device)
        for e in range(E):
            rows, slot = (index == e).nonzero(as_tuple=True)
            g, u = (x[rows] @ up[e].t()).chunk(2, -1)
            out = out.index_add(0, rows, functional().silu(g) * u @ down[e].t() * weights[rows, slot, None])
        return out
    return training(lambda a, b, c: m.LigerFusedMoEFunction.apply(a, b, c, index, weights.to(a.dtype)), [x, up, down], reference, tolerance=0.1)


@operator()
def mhc_post_residual(w):
    m = ops("mhc")
    N, HC, C = w.pick(4096, 32), 4, w.pick(2048, 128)
    x, f_out = w.randn(N, HC, C, dtype=torch.bfloat16), w.randn(N, C, dtype=torch.bfloat16)
    post, res = w.randn(N, HC, dtype=torch.float32), w.randn(N, HC, HC, dtype=torch.float32)
    return training(m.LigerMHCPostResFunction.apply, [x, f_out, post, res])
