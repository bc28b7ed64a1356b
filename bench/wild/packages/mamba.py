"""mamba-ssm: the state-space dual form, forward and backward, its norms and the decoding step."""
from corpus import Case, operator, torch
from packages._load import module, training

BARE = ("mamba_ssm", "mamba_ssm.ops", "mamba_ssm.ops.triton")


def ops(name):
    return module("mamba_ssm.ops.triton." + name, skip=BARE, replaced=name == "ssd_combined")


@operator(suspect=True, limit=240, variants=[dict(dtype="bfloat16"), dict(dtype="float32")])
def chunk_scan_combined(w, dtype):
    f, kind = ops("ssd_combined").mamba_chunk_scan_combined, getattr(torch, dtype)
    B, T, H, P, N, G = w.pick(2, 1), w.pick(2048, 128), w.pick(24, 2), 64, w.pick(128, 32), 1
    x, dt = w.randn(B, T, H, P, dtype=kind), torch.nn.functional.softplus(w.randn(B, T, H, dtype=torch.float32) - 4)
    A, b, c = -torch.exp(w.rand(H)), w.randn(B, T, G, N, dtype=kind), w.randn(B, T, G, N, dtype=kind)
    D = w.randn(H, dtype=torch.float32)
    return training(lambda x, dt, A, b, c, D: f(x, dt, A, b, c, 64, D=D), [x, dt, A, b, c, D], tolerance=0.05)


@operator(variants=[dict(rms=True), dict(rms=False)])
def layer_norm(w, rms):
    m = ops("layer_norm")
    n = w.pick(2048, 128)
    x, r, g, b = w.randn(w.pick(4096, 32), n), w.randn(w.pick(4096, 32), n), w.randn(n), w.randn(n)
    return training(lambda x, g, b, r: (m.rms_norm_fn if rms else m.layer_norm_fn)(x, g, b, residual=r, prenorm=True), [x, g, b, r], tolerance=0.05)


@operator(variants=[dict(before=True), dict(before=False)])
def norm_gated(w, before):
    f = ops("layernorm_gated").rmsnorm_fn
    n = w.pick(2048, 128)
    x, z, g = w.randn(w.pick(4096, 32), n), w.randn(w.pick(4096, 32), n), w.randn(n)
    return training(lambda x, z, g: f(x, g, None, z=z, norm_before_gate=before), [x, z, g], tolerance=0.05)


@operator()
def state_update(w):
    f = ops("selective_state_update").selective_state_update
    B, DIM, N = w.pick(64, 2), w.pick(4096, 64), 16
    state, x, dt = w.randn(B, DIM, N, dtype=torch.float32), w.randn(B, DIM), w.randn(B, DIM)
    A, b, c, D, z = -w.rand(DIM, N) - 1, w.randn(B, N), w.randn(B, N), w.randn(DIM, dtype=torch.float32), w.randn(B, DIM)
    bias = w.randn(DIM, dtype=torch.float32)

    def call():
        s = state.clone()
        return f(s, x, dt, A, b, c, D=D, z=z, dt_bias=bias, dt_softplus=True), s
    return Case(call)


@operator()
def swiglu(w):
    f = ops("k_activations").SwiGLU
    return training(f.apply, [w.randn(w.pick(4096, 32), 2 * w.pick(5632, 64))], tolerance=0.05)
