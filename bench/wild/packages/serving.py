"""Systems that serve language models: lightllm and vLLM (kernel files only, with stand-ins for the rest)."""
from corpus import Case, operator, torch
from packages._load import bare, module, prepare_path, stand_ins


def batch(w, H, KH, D, longest):
    """Requests of different lengths; every token of the cache has a slot, named by a table."""
    B = w.pick(16, 2)
    lengths = w.randint(longest // 2, longest + 1, (B,), torch.int32)
    starts = (lengths.cumsum(0) - lengths).to(torch.int32)
    table = torch.randperm(B * longest, device=lengths.device).to(torch.int32).view(B, longest)
    k, v = w.randn(B * longest, KH, D), w.randn(B * longest, KH, D)
    return B, lengths, starts, table, w.randn(B, H, D), k, v


def attention_of(q, k, v, causal, scale):
    s = torch.einsum("qhd,khd->hqk", q.float(), k.float()) * scale
    if causal:
        s = s.masked_fill(torch.ones(s.shape[1:], dtype=torch.bool, device=s.device).triu(1), float("-inf"))
    return torch.einsum("hqk,khd->qhd", s.softmax(-1), v.float())


# ---- lightllm -------------------------------------------------------------------------------------

def llama(name):
    return module("lightllm.models.llama.triton_kernel." + name,
                  skip=("lightllm", "lightllm.models", "lightllm.models.llama", "lightllm.models.llama.triton_kernel"), replaced=True)


def common(name):
    return module("lightllm.common.basemodel.triton_kernel." + name,
                  skip=("lightllm", "lightllm.common", "lightllm.common.basemodel", "lightllm.common.basemodel.triton_kernel"), replaced=True)


@operator(suspect=True, variants=[dict(D=128), dict(D=64)])
def lightllm_prefill(w, D):
    f, H, longest = llama("context_flashattention_nopad").context_attention_fwd_no_prompt_cache, w.pick(32, 2), w.pick(1024, 96)
    B = w.pick(8, 2)
    lengths = w.randint(longest // 2, longest + 1, (B,), torch.int32)
    starts = (lengths.cumsum(0) - lengths).to(torch.int32)
    q, k, v = (w.randn(int(lengths.sum()), H, D) for _ in range(3))

    def call():
        o = torch.empty_like(q)
        f(q, k, v, o, starts, lengths, int(lengths.max()))
        return o

    def reference():
        parts = zip(*(t.split(lengths.tolist()) for t in (q, k, v)))
        return torch.cat([attention_of(a, b, c, True, D**-0.5) for a, b, c in parts])
    return Case(call, reference)


def decoded(q, k, v, lengths, table):
    H, KH = q.shape[1], k.shape[1]
    rows = []
    for b in range(q.shape[0]):
        slots = table[b, :int(lengths[b])].long()
        keys, values = k[slots].repeat_interleave(H // KH, 1), v[slots].repeat_interleave(H // KH, 1)
        rows.append(attention_of(q[b:b + 1], keys, values, False, q.shape[2]**-0.5)[0])
    return torch.stack(rows)


@operator(suspect=True)
def lightllm_token_scores(w):
    f, H, D, longest = llama("token_attention_nopad_att1").token_att_fwd, w.pick(32, 2), 128, w.pick(1024, 96)
    B, lengths, starts, table, q, k, v = batch(w, H, H, D, longest)

    def call():
        scores = torch.zeros((H, int(lengths.sum())), device=q.device, dtype=torch.float32)
        f(q, k, scores, table, w.arange(B, dtype=torch.int32), starts, lengths, int(lengths.max()))
        return scores
    return Case(call)


@operator(suspect=True)
def lightllm_softmax_values(w):
    f, H, D, longest = llama("token_attention_softmax_and_reducev").token_softmax_reducev_fwd, w.pick(32, 2), 128, w.pick(1024, 96)
    B, lengths, starts, table, q, k, v = batch(w, H, H, D, longest)
    scores = w.randn(H, int(lengths.sum()), dtype=torch.float32)

    def call():
        o = torch.empty_like(q)
        f(scores, v, o, table, w.arange(B, dtype=torch.int32), starts, lengths, 0)
        return o

    def reference():
        rows = []
        for b in range(B):
            begin, n = int(starts[b]), int(lengths[b])
            rows.append(torch.einsum("ht,thd->hd", scores[:, begin:begin + n].softmax(-1), v[table[b, :n].long()].float()))
        return torch.stack(rows)
    return Case(call, reference)


@operator(suspect=True)
def lightllm_gqa_decode(w):
    f = llama("gqa_decode_flashattention_nopad").gqa_decode_attention_fwd
    B, lengths, starts, table, q, k, v = batch(w, w.pick(32, 4), w.pick(8, 2), 128, w.pick(1024, 96))

    def call():
        o = torch.empty_like(q)
        f(q, k, v, o, table, w.arange(B, dtype=torch.int32), lengths)
        return o
    return Case(call, lambda: decoded(q, k, v, lengths, table))


@operator(suspect=True)
def lightllm_flash_decode(w):
    one, two = llama("flash_decoding_stage1").flash_decode_stage1, llama("flash_decoding_stage2").flash_decode_stage2
    B, lengths, starts, table, q, k, v = batch(w, w.pick(32, 4), w.pick(8, 2), 128, w.pick(1024, 96))
    blocks = (int(lengths.max()) + 255) // 256

    def call():
        o = torch.empty_like(q)
        mid = torch.empty((*q.shape[:2], blocks, q.shape[2]), device=q.device, dtype=torch.float32)
        lse = torch.empty((*q.shape[:2], blocks), device=q.device, dtype=torch.float32)
        one(q, k, v, table, w.arange(B, dtype=torch.int32), lengths, int(lengths.max()), mid, lse, 256)
        two(mid, lse, lengths, o, 256)
        return o
    return Case(call, lambda: decoded(q, k, v, lengths, table))


@operator()
def lightllm_rms_norm(w):
    f, n = llama("rmsnorm").rmsnorm_forward, w.pick(4096, 256)
    x, g = w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x, g, 1e-6), lambda: x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6) * g.float())


@operator()
def lightllm_rotary(w):
    f = llama("rotary_emb").rotary_emb_fwd
    T, H, D = w.pick(4096, 16), w.pick(32, 4), 128
    q, k, cos, sin = w.randn(T, H, D), w.randn(T, H // 4, D), w.rand(T, D // 2, dtype=torch.float16), w.rand(T, D // 2, dtype=torch.float16)

    def call():
        a, b = q.clone(), k.clone()
        f(a, b, cos, sin)
        return a, b
    return Case(call)


@operator()
def lightllm_silu_and_mul(w):
    f = llama("silu_and_mul").silu_and_mul_fwd
    x = w.randn(w.pick(4096, 16), 2 * w.pick(11008, 256))

    def call():
        y = x.clone()
        out = f(y)
        return y if out is None else out
    return Case(call)


@operator()
def lightllm_copy_kv(w):
    f = common("destindex_copy_kv").destindex_copy_kv
    T, H, D = w.pick(8192, 32), 8, 128
    new, place = w.randn(T, H, D), torch.randperm(2 * T, device=w.device)[:T].to(torch.int32)

    def call():
        out = torch.zeros((2 * T, H, D), device=new.device, dtype=new.dtype)
        f(new, place, out)
        return out
    return Case(call, lambda: torch.zeros(2 * T, H, D, device=new.device, dtype=new.dtype).index_copy(0, place.long(), new), exact=True)


@operator(suspect=True)
def lightllm_int8_product(w):
    m = common("dequantize_gemm_int8")
    M, N, K = w.pick(512, 32), w.pick(4096, 128), w.pick(4096, 128)
    a, b, s = w.randn(M, K), w.randint(-127, 128, (K, N), torch.int8), w.rand(N, dtype=torch.float16) * 0.01
    return Case(lambda: m.matmul_dequantize_int8(a, b, s), lambda: a.float() @ (b.float() * s.float()))


# ---- vLLM -----------------------------------------------------------------------------------------

VLLM = ("vllm", "vllm.v1", "vllm.v1.attention", "vllm.v1.attention.ops", "vllm.v1.sample", "vllm.v1.sample.ops", "vllm.model_executor",
        "vllm.model_executor.layers", "vllm.model_executor.layers.quantization", "vllm.model_executor.layers.quantization.utils",
        "vllm.model_executor.layers.fused_moe", "vllm.model_executor.layers.mamba", "vllm.model_executor.layers.mamba.ops",
        "vllm.model_executor.determinism", "vllm.kernels", "vllm.kernels.triton")


class Platform:
    """What kernel files ask of vLLM's platform."""

    def __getattr__(self, name):
        answers = {"is_cuda_alike": True, "is_cuda": True, "fp8_dtype": torch.float8_e4m3fn, "has_device_capability": True,
                   "get_device_name": "NVIDIA_H200", "get_device_capability": None, "is_device_capability_family": False}
        return lambda *_, **__: answers.get(name, False)


def vllm(name):
    import sys
    import types
    import triton
    from triton.language.extra import libdevice
    prepare_path()
    bare(*VLLM)
    stand_ins()
    utils = types.ModuleType("vllm.triton_utils")
    utils.triton, utils.tl, utils.HAS_TRITON = triton, triton.language, True
    utils.tldevice = libdevice
    sys.modules.setdefault("vllm.triton_utils", utils)
    platforms = types.ModuleType("vllm.platforms")
    platforms.current_platform = Platform()
    platforms.CpuArchEnum = platforms.Platform = Platform
    sys.modules.setdefault("vllm.platforms", platforms)
    numbers = types.ModuleType("vllm.utils.math_utils")
    numbers.cdiv, numbers.next_power_of_2, numbers.RCP_LN2 = triton.cdiv, triton.next_power_of_2, 1.4426950408889634
    sys.modules.setdefault("vllm.utils.math_utils", numbers)
    units = types.ModuleType("vllm.utils.platform_utils")
    units.num_compute_units = lambda *_: torch.cuda.get_device_properties(0).multi_processor_count
    sys.modules.setdefault("vllm.utils.platform_utils", units)
    return module("vllm." + name, replaced=True)


@operator(suspect=True, variants=[dict(D=128), dict(D=64)])
def vllm_prefill(w, D):
    f, H, longest = vllm("v1.attention.ops.triton_prefill_attention").context_attention_fwd, w.pick(32, 4), w.pick(1024, 96)
    B = w.pick(8, 2)
    lengths = w.randint(longest // 2, longest + 1, (B,), torch.int32)
    starts = (lengths.cumsum(0) - lengths).to(torch.int32)
    q = w.randn(int(lengths.sum()), H, D)
    k, v = w.randn(int(lengths.sum()), H // 4, D), w.randn(int(lengths.sum()), H // 4, D)

    def call():
        o = torch.empty_like(q)
        f(q, k, v, o, starts, lengths, int(lengths.max()), is_causal=True)
        return o

    def reference():
        parts = zip(*(t.split(lengths.tolist()) for t in (q, k.repeat_interleave(4, 1), v.repeat_interleave(4, 1))))
        return torch.cat([attention_of(a, b, c, True, D**-0.5) for a, b, c in parts])
    return Case(call, reference)


@operator(suspect=True, variants=[dict(KH=32), dict(KH=8)])
def vllm_decode(w, KH):
    f = vllm("v1.attention.ops.triton_decode_attention").decode_attention_fwd
    B, lengths, starts, table, q, k, v = batch(w, w.pick(32, 4), w.pick(KH, 4 if KH == 32 else 2), 128, w.pick(2048, 96))
    splits = 8

    def call():
        o = torch.empty_like(q)
        lse = torch.empty(q.shape[:2], device=q.device, dtype=torch.float32)
        logits = torch.empty((*q.shape[:2], splits, q.shape[2] + 1), device=q.device, dtype=torch.float32)
        one = torch.ones(1, device=q.device)
        f(q, k, v, o, lse, table, lengths, logits, splits, 128**-0.5, page_size=1, k_scale=one, v_scale=one)
        return o
    return Case(call, lambda: decoded(q, k, v, lengths, table))


@operator()
def vllm_merge_states(w):
    f = vllm("v1.attention.ops.triton_merge_attn_states").merge_attn_states
    T, H, D = w.pick(4096, 16), w.pick(32, 2), 128
    a, b, la, lb = w.randn(T, H, D), w.randn(T, H, D), w.randn(H, T, dtype=torch.float32), w.randn(H, T, dtype=torch.float32)

    def call():
        o = torch.empty_like(a)
        f(o, a, la, b, lb)
        return o

    def reference():
        share = torch.sigmoid(la - lb).t()[..., None]
        return a.float() * share + b.float() * (1 - share)
    return Case(call, reference)


@operator(suspect=True, variants=[dict(M=16), dict(M=256)])
def vllm_awq_product(w, M):
    f = vllm("model_executor.layers.quantization.awq_triton").awq_gemm_triton
    N, K = w.pick(4096, 128), w.pick(4096, 256)
    x, q = w.randn(M, K), w.randint(-2**31, 2**31 - 1, (K, N // 8), torch.int32)
    s, z = w.rand(K // 128, N, dtype=torch.float16), w.randint(-2**31, 2**31 - 1, (K // 128, N // 8), torch.int32)
    return Case(lambda: f(x, q, s, z, 8), tolerance=0.05)


@operator()
def vllm_awq_dequantise(w):
    f = vllm("model_executor.layers.quantization.awq_triton").awq_dequantize_triton
    N, K = w.pick(4096, 128), w.pick(4096, 256)
    q = w.randint(-2**31, 2**31 - 1, (K, N // 8), torch.int32)
    s, z = w.rand(K // 128, N, dtype=torch.float16), w.randint(-2**31, 2**31 - 1, (K // 128, N // 8), torch.int32)
    return Case(lambda: f(q, s, z))


@operator(suspect=True, variants=[dict(name="bmm_batch_invariant")])
def vllm_invariant_product(w, name):
    m = vllm("model_executor.determinism.batch_invariant")
    m.get_max_shared_memory_bytes = lambda *_: 232448
    f, n = getattr(m, name), w.pick(2048, 256)
    shape = (4, n // 2, n // 2) if name.startswith("bmm") else (n, n)
    a, b = w.randn(*shape, dtype=torch.bfloat16), w.randn(*shape, dtype=torch.bfloat16)
    return Case(lambda: f(a, b), lambda: a.float() @ b.float())


@operator(variants=[dict(name="log_softmax"), dict(name="mean_dim"), dict(name="rms_norm_batch_invariant")])
def vllm_invariant_rows(w, name):
    f = getattr(vllm("model_executor.determinism.batch_invariant"), name)
    x, g = w.randn(w.pick(2048, 16), w.pick(8192, 256), dtype=torch.bfloat16), w.randn(w.pick(8192, 256), dtype=torch.bfloat16)
    if name == "log_softmax":
        return Case(lambda: f(x), lambda: x.float().log_softmax(-1))
    if name == "mean_dim":
        return Case(lambda: f(x, 1), lambda: x.float().mean(1))
    return Case(lambda: f(x, g), lambda: x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6) * g.float())


@operator(variants=[dict(name="per_token_quant_int8")])
def vllm_quantise_int8(w, name):
    f = getattr(vllm("model_executor.layers.quantization.utils.int8_utils"), name)
    x = w.randn(w.pick(4096, 16), w.pick(4096, 256), dtype=torch.bfloat16)
    return Case(lambda: f(x), allowed=1e-3)


@operator(suspect=True)
def vllm_fp8_product(w):
    f = vllm("model_executor.layers.quantization.utils.fp8_utils").w8a8_triton_block_scaled_mm
    M, N, K = w.pick(512, 64), w.pick(4096, 256), w.pick(4096, 256)
    a, b = w.randn(M, K, dtype=torch.float8_e4m3fn), w.randn(N, K, dtype=torch.float8_e4m3fn)
    left, right = w.rand(M, K // 128), w.rand(N // 128, K // 128)
    return Case(lambda: f(a, b, left, right, [128, 128]),
                lambda: (a.float() * left.repeat_interleave(128, 1)) @ (b.float() * right.repeat_interleave(128, 0).repeat_interleave(128, 1)).t())


@operator()
def vllm_norm_gated(w):
    f, n = vllm("model_executor.layers.mamba.ops.layernorm_gated").rms_norm_gated, w.pick(4096, 256)
    x, z, g = w.randn(w.pick(4096, 16), n), w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x, g, None, z=z))


@operator(suspect=True)
def vllm_lightning_attention(w):
    f, H, T = vllm("model_executor.layers.lightning_attn").lightning_attention, w.pick(16, 2), w.pick(2048, 256)
    q, k, v = (w.randn(1, H, T, 128, dtype=torch.float32, scale=0.3) for _ in range(3))
    rate = torch.exp2(-torch.arange(1, H + 1, device=q.device).float() / 2)
    return Case(lambda: f(q, k, v, rate)[0], tolerance=0.05)
