"""Packages with a few kernels each: sageattention, lightning-attn, cut-cross-entropy, unsloth, bitsandbytes, flash-dmattn."""
import contextlib

from corpus import Case, operator, torch
from packages._load import module, training


@operator(suspect=True, variants=[dict(causal=False, D=64), dict(causal=True, D=128)])
def sage_attention(w, causal, D):
    quantise = module("sageattention.quant_per_block", skip=("sageattention",)).per_block_int8
    forward = module("sageattention.attn_qk_int8_per_block_causal" if causal else "sageattention.attn_qk_int8_per_block").forward
    q, k, v = (w.randn(w.pick(4, 1), w.pick(16, 2), w.pick(2048, 256), D) for _ in range(3))

    def call():
        qi, qs, ki, ks = quantise(q, k)
        return forward(qi, ki, v, qs, ks)
    return Case(call, lambda: torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal), tolerance=0.2, allowed=1e-4)


@operator(suspect=True, variants=[dict(decay=True), dict(decay=False)])
def lightning_attention(w, decay):
    name = "lightning_attn2" if decay else "lightning_attn2_no_decay"
    m = module("lightning_attn.ops.triton." + name, skip=("lightning_attn", "lightning_attn.ops", "lightning_attn.ops.triton"))
    H = w.pick(16, 2)
    inputs = [w.randn(w.pick(2, 1), H, w.pick(2048, 128), 64, dtype=torch.bfloat16, scale=0.3) for _ in range(3)]
    slopes = torch.exp2(-torch.arange(1, H + 1, device=inputs[0].device).float() / 2).view(H, 1, 1)
    if decay:
        return training(lambda q, k, v: m.LightningAttention2.apply(q, k, v, slopes), inputs, tolerance=0.05)
    return training(m.LightningAttention2NoDecay.apply, inputs, tolerance=0.05)


@operator(suspect=True, limit=240)
def cut_cross_entropy(w):
    f = module("cut_cross_entropy", skip=()).linear_cross_entropy
    e, c = w.randn(w.pick(2048, 64), w.pick(2048, 64), dtype=torch.bfloat16, scale=0.3), w.randn(w.pick(32000, 512), w.pick(2048, 64), dtype=torch.bfloat16, scale=0.1)
    y = w.randint(0, c.shape[0], (e.shape[0],))
    return training(lambda a, b: f(a, b, y), [e, c], lambda a, b: torch.nn.functional.cross_entropy(a @ b.t(), y), tolerance=0.2)


def unsloth(name):
    utils = module("unsloth.kernels.utils", skip=("unsloth", "unsloth.kernels"), replaced=True)
    utils.torch_gpu_device = lambda *_: contextlib.nullcontext()  # with one GPU it is that
    return module("unsloth.kernels." + name, replaced=True)


@operator(variants=[dict(name="geglu_exact_forward_kernel"), dict(name="geglu_approx_forward_kernel")])
def unsloth_geglu(w, name):
    f = getattr(unsloth("geglu"), name)
    a, b = (w.randn(w.pick(4, 1), w.pick(1024, 8), w.pick(11008, 64)) for _ in range(2))
    kind = "none" if "exact" in name else "tanh"
    return Case(lambda: f(a, b), lambda: torch.nn.functional.gelu(a.float(), approximate=kind) * b.float())


@operator()
def unsloth_swiglu(w):
    f = unsloth("swiglu").swiglu_fg_kernel
    a, b = (w.randn(w.pick(4, 1), w.pick(1024, 8), w.pick(11008, 64)) for _ in range(2))
    return Case(lambda: f(a, b), lambda: torch.nn.functional.silu(a.float()) * b.float())


@operator()
def unsloth_rms_norm(w):
    f = unsloth("rms_layernorm").Fast_RMS_Layernorm
    n = w.pick(4096, 128)
    x, g = w.randn(w.pick(4, 1), w.pick(1024, 8), n), w.randn(n)
    return Case(lambda: f.apply(x, g, 1e-6, False), lambda: x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6) * g.float())


@operator()
def unsloth_layer_norm(w):
    f = unsloth("layernorm").Fast_Layernorm
    n = w.pick(4096, 128)
    x, g, b = w.randn(w.pick(4, 1), w.pick(1024, 8), n), w.randn(n), w.randn(n)
    return Case(lambda: f.apply(x, g, b, 1e-5), lambda: torch.nn.functional.layer_norm(x.float(), (n,), g.float(), b.float()))


@operator()
def unsloth_cross_entropy(w):
    f = unsloth("cross_entropy_loss").Fast_CrossEntropyLoss
    x = w.randn(w.pick(2048, 16), w.pick(128256, 500), dtype=torch.float32)
    y = w.randint(0, x.shape[1], (x.shape[0],))
    return training(lambda a: f.apply(a, y, 0, 0), [x], lambda a: torch.nn.functional.cross_entropy(a, y, reduction="none"), tolerance=0.01)


@operator(variants=[dict(name="weight_dequant_block"), dict(name="act_quant")])
def unsloth_fp8(w, name):
    f = getattr(unsloth("fp8"), name)
    if name == "act_quant":
        x = w.randn(w.pick(4096, 16), w.pick(4096, 256), dtype=torch.bfloat16)
        return Case(lambda: [t.float() for t in f(x)])
    q, s = w.randn(w.pick(4096, 256), w.pick(4096, 256), dtype=torch.float8_e4m3fn), w.rand(w.pick(32, 2), w.pick(32, 2))
    return Case(lambda: f(q, s), lambda: q.float() * s.repeat_interleave(128, 0).repeat_interleave(128, 1))


def bnb(name):
    return module("bitsandbytes.backends.triton." + name, skip=("bitsandbytes", "bitsandbytes.backends", "bitsandbytes.backends.triton"), replaced=True)


@operator(variants=[dict(kind="nf4"), dict(kind="fp4")])
def bitsandbytes_dequantise_4bit(w, kind):
    f = bnb("kernels_4bit").dequantize_4bit_impl
    n = w.pick(4096 * 4096, 4096)
    q, absmax = w.randint(0, 256, (n // 2, 1), torch.uint8), w.rand(n // 64)

    def call():
        out = torch.empty(n, device=q.device, dtype=torch.float16)
        f(q, absmax, 64, kind, torch.float16, out)
        return out
    return Case(call)


@operator()
def bitsandbytes_dequantise_8bit(w):
    f = bnb("kernels_8bit_quant").dequant_8bit_blockwise
    n = w.pick(4096 * 4096, 4096)
    q, absmax, code = w.randint(0, 256, (n,), torch.uint8), w.rand(n // 256), w.rand(256)
    return Case(lambda: f(q, absmax, code, 256, torch.float16), lambda: code[q.long()] * absmax.repeat_interleave(256))


@operator(suspect=True, variants=[dict(D=64), dict(D=128)])
def dynamic_mask_attention(w, D):
    f = module("flash_dmattn.flash_dmattn_triton", skip=("flash_dmattn",)).triton_dmattn_func
    q, k, v = (w.randn(w.pick(2, 1), w.pick(2048, 128), w.pick(16, 2), D, dtype=torch.bfloat16) for _ in range(3))

    def reference():
        heads = [t.float().transpose(1, 2) for t in (q, k, v)]
        return torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2)
    return Case(lambda: f(q, k, v, is_causal=True), reference, tolerance=0.05)
