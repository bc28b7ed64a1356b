"""torchao, lmdeploy and xformers: quantisation, products with scales, sampling, indexed additions."""
from corpus import Case, operator, torch
from packages._load import module


def torchao(name):
    return module("torchao." + name, skip=("torchao", "torchao.kernel", "torchao.prototype", "torchao.prototype.blockwise_fp8_training"), replaced=True)


@operator(variants=[dict(name="fp8_blockwise_act_quant"), dict(name="fp8_blockwise_weight_quant")])
def torchao_quantise(w, name):
    f = getattr(torchao("kernel.blockwise_quantization"), name)
    x = w.randn(w.pick(4096, 256), w.pick(4096, 256), dtype=torch.bfloat16)
    return Case(lambda: [t.float() for t in f(x)], allowed=1e-3)


@operator()
def torchao_dequantise(w):
    f = torchao("kernel.blockwise_quantization").fp8_blockwise_weight_dequant
    q, s = w.randn(w.pick(4096, 256), w.pick(4096, 256), dtype=torch.float8_e4m3fn), w.rand(w.pick(32, 2), w.pick(32, 2))
    return Case(lambda: f(q, s), lambda: q.float() * s.repeat_interleave(128, 0).repeat_interleave(128, 1))


@operator(suspect=True)
def torchao_fp8_product(w):
    f = torchao("kernel.blockwise_quantization").blockwise_fp8_gemm
    M, N, K = w.pick(1024, 64), w.pick(4096, 256), w.pick(4096, 256)
    a, b = w.randn(M, K, dtype=torch.float8_e4m3fn), w.randn(N, K, dtype=torch.float8_e4m3fn)
    left, right = w.rand(M, K // 128), w.rand(N // 128, K // 128)

    def reference():
        return (a.float() * left.repeat_interleave(128, 1)) @ (b.float() * right.repeat_interleave(128, 0).repeat_interleave(128, 1)).t()
    return Case(lambda: f(a, left, b, right), reference, tolerance=0.03)


def lmdeploy(name):
    return module("lmdeploy.pytorch.kernels.cuda." + name,
                  skip=("lmdeploy", "lmdeploy.pytorch", "lmdeploy.pytorch.kernels", "lmdeploy.pytorch.kernels.cuda"), replaced=True)


@operator()
def lmdeploy_rotary(w):
    f = lmdeploy("apply_rotary_pos_emb").apply_rotary_pos_emb
    T, H, D = w.pick(4096, 16), w.pick(32, 4), 128
    q, k, cos, sin = w.randn(T, H, D), w.randn(T, H // 4, D), w.rand(T, D, dtype=torch.float16), w.rand(T, D, dtype=torch.float16)
    return Case(lambda: f(q, k, cos, sin))


@operator()
def lmdeploy_quantise(w):
    f = lmdeploy("w8a8_triton_kernels").per_token_quant_int8
    x = w.randn(w.pick(4096, 16), w.pick(4096, 256))
    return Case(lambda: f(x, 1e-7), allowed=1e-3)


@operator()
def lmdeploy_rms_norm_quantise(w):
    f, n = lmdeploy("w8a8_triton_kernels").rms_norm_dynamic_quant, w.pick(4096, 256)
    x, g = w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x, g, 1e-6), allowed=1e-3)


@operator(suspect=True)
def lmdeploy_int8_product(w):
    f = lmdeploy("w8a8_triton_kernels").matmul_kernel_dynamic_quant
    M, N, K = w.pick(1024, 64), w.pick(4096, 128), w.pick(4096, 256)
    a, b = w.randint(-127, 128, (M, K), torch.int8), w.randint(-127, 128, (N, K), torch.int8)
    left, right = w.rand(M, 1) * 0.001, w.rand(N, 1) * 0.01
    return Case(lambda: f(a, b, left, right), lambda: (a.double() @ b.double().t()) * left * right.t())


@operator()
def lmdeploy_sampling(w):
    f = lmdeploy("multinomial_sampling").multinomial_sampling
    scores = torch.softmax(w.randn(w.pick(256, 4), w.pick(2048, 256), dtype=torch.float32), -1)
    seeds, offsets = w.randint(0, 1000, (scores.shape[0],)), w.randint(0, 1000, (scores.shape[0],))
    return Case(lambda: f(scores, seeds, offsets), allowed=0.05)


def xformers(name):
    return module("xformers.ops._triton." + name, skip=("xformers", "xformers.ops", "xformers.ops._triton"), replaced=True)


@operator()
def xformers_rms_norm(w):
    f, n = xformers("rmsnorm_kernels")._rms_norm_forward, w.pick(4096, 256)
    x, g = w.randn(w.pick(4096, 16), n), w.randn(n)
    return Case(lambda: f(x, g, 1e-6), lambda: x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6) * g.float())


@operator()
def xformers_index_select(w):
    f, n = xformers("k_index_select_cat").index_select_cat_fwd, w.pick(4096, 64)
    source, index = w.randn(n, w.pick(1024, 64)), torch.randperm(n, device=w.device)[:n // 2]

    def call():
        out = torch.empty((n // 2, source.shape[1]), device=source.device, dtype=source.dtype)
        f(out, source, index)
        return out
    return Case(call, lambda: source[index], exact=True)


@operator()
def xformers_scaled_index_add(w):
    f, n = xformers("k_scaled_index_add").scaled_index_add_fwd, w.pick(512, 8)
    x, index = w.randn(n, w.pick(197, 9), w.pick(1024, 64)), torch.randperm(n, device=w.device)[:n // 2]
    source, scaling = w.randn(n // 2, *x.shape[1:]), w.randn(x.shape[2])

    def call():
        y = x.clone()
        f(y, index, source, scaling, 0.7)
        return y
    return Case(call, lambda: x.float().index_add(0, index, source.float() * scaling.float() * 0.7))
