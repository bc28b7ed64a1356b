"""conch: kernels for serving: attention over pages, activations, norms, quantisation, detection."""
from corpus import Case, operator, torch
from packages._load import module


def ops(name):
    return module("conch.ops." + name)


@operator(variants=[dict(name="silu_and_mul"), dict(name="gelu_tanh_and_mul")])
def activation(w, name):
    f = getattr(ops("activation." + name), name)
    x = w.randn(w.pick(4096, 16), 2 * w.pick(11008, 64))

    def reference():
        a, b = x.float().chunk(2, -1)
        return (torch.nn.functional.silu(a) if name == "silu_and_mul" else torch.nn.functional.gelu(a, approximate="tanh")) * b
    return Case(lambda: f(x), reference)


@operator()
def rms_norm(w):
    f = ops("normalization.rms_norm").rms_norm
    n = w.pick(4096, 128)
    x, g = w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x, g, 1e-6), lambda: x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6) * g.float())


@operator()
def fused_add_rms_norm(w):
    f = ops("normalization.rms_norm").fused_add_rms_norm
    n = w.pick(4096, 128)
    x, r, g = w.randn(w.pick(4096, 16), n), w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x.clone(), r.clone(), g, 1e-6))


@operator()
def gemma_rms_norm(w):
    f = ops("normalization.gemma_rms_norm").gemma_rms_norm
    n = w.pick(4096, 128)
    x, g = w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x.clone(), g, 1e-6))


@operator()
def rotary(w):
    f = ops("embedding.rotary_embedding").rotary_embedding
    T, H, D = w.pick(4096, 32), w.pick(32, 4), 128
    q, k = w.randn(T, H * D), w.randn(T, H * D // 4)
    positions, table = w.randint(0, 4096, (T,)), w.randn(4096, D)
    return Case(lambda: f(positions, q.clone(), k.clone(), D, table, is_neox=True))


@operator(variants=[dict(name="fp8"), dict(name="int8")])
def quantise(w, name):
    f = getattr(ops("quantization." + name), f"scaled_{name}_quant")
    x, scale = w.randn(w.pick(4096, 16), w.pick(4096, 64)), w.tensor([0.02], torch.float32)
    return Case(lambda: f(x, scale)[0].float())


def pages(w, D, block):
    B, H, KH, longest = w.pick(32, 2), w.pick(32, 4), w.pick(8, 2), w.pick(2048, 64)
    per = (longest + block - 1) // block
    lengths = w.randint(longest // 2, longest + 1, (B,), torch.int32)
    table = torch.randperm(B * per, device=lengths.device).to(torch.int32).view(B, per)
    return B, H, KH, longest, per, lengths, table


@operator(suspect=True, variants=[dict(D=64), dict(D=128)])
def paged_attention(w, D):
    f = ops("attention.paged_attention").paged_attention
    B, H, KH, longest, per, lengths, table = pages(w, D, 32)
    q, k, v = w.randn(B, H, D), w.randn(B * per, 32, KH, D), w.randn(B * per, 32, KH, D)
    return Case(lambda: f(q, k, v, table, lengths, scale=D**-0.5))


@operator(suspect=True, variants=[dict(causal=True)])
def varlen_attention(w, causal):
    f = ops("attention.varlen_attention").varlen_attention
    D = 128
    B, H, KH, longest, per, lengths, table = pages(w, D, 32)
    starts = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)
    q = w.randn(int(lengths.sum()), H, D)
    k, v = w.randn(B * per, 32, KH, D), w.randn(B * per, 32, KH, D)
    return Case(lambda: f(query=q, key_cache=k, value_cache=v, block_table=table, seq_lens=lengths, cu_seqlens_q=starts,
                          max_seqlen_q=int(lengths.max()), max_seqlen_k=int(lengths.max()), causal=causal, scale=D**-0.5))


@operator()
def reshape_and_cache(w):
    f = ops("vllm.reshape_and_cache").reshape_and_cache
    T, KH, D = w.pick(4096, 16), 8, 128
    k, v, slots = w.randn(T, KH, D), w.randn(T, KH, D), torch.randperm(T).to(w.device)
    kc, vc = w.zeros(T // 16, 16, KH, D), w.zeros(T // 16, 16, KH, D)

    def call():
        f(k, v, kc, vc, slots, "auto", None, None)
        return kc, vc
    return Case(call)
