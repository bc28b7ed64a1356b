"""flash-attn's Triton files: norms, rotary embeddings, cross entropy."""
from corpus import Case, operator, torch
from packages._load import module, training


def ops(name):
    return module("flash_attn.ops.triton." + name, skip=("flash_attn", "flash_attn.ops", "flash_attn.ops.triton"))


@operator(variants=[dict(rms=True), dict(rms=False)])
def layer_norm(w, rms):
    m = ops("layer_norm")
    n = w.pick(4096, 128)
    x, r, g, b = w.randn(w.pick(4096, 32), n), w.randn(w.pick(4096, 32), n), w.randn(n), w.randn(n)
    return training(lambda x, g, b, r: (m.rms_norm_fn if rms else m.layer_norm_fn)(x, g, b, residual=r, prenorm=True), [x, g, b, r], tolerance=0.05)


@operator(variants=[dict(interleaved=False), dict(interleaved=True)])
def rotary(w, interleaved):
    f = ops("rotary").apply_rotary
    B, T, H, D = w.pick(4, 1), w.pick(2048, 32), w.pick(32, 2), 128
    x = w.randn(B, T, H, D)
    angle = torch.arange(T, device=x.device)[:, None] * torch.exp(-torch.arange(D // 2, device=x.device) / 8.0)[None, :]
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)

    def reference():
        a, b = (x.float()[..., 0::2], x.float()[..., 1::2]) if interleaved else x.float().chunk(2, -1)
        c, s = cos.float()[None, :, None], sin.float()[None, :, None]
        parts = (a * c - b * s, b * c + a * s)
        return torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    return Case(lambda: f(x, cos, sin, interleaved=interleaved), reference)


@operator()
def cross_entropy(w):
    f = ops("cross_entropy").cross_entropy_loss
    x = w.randn(w.pick(4096, 16), w.pick(32000, 500))
    y = w.randint(0, x.shape[1], (x.shape[0],))
    return training(lambda a: f(a, y, label_smoothing=0.1)[0], [x],
                    lambda a: torch.nn.functional.cross_entropy(a, y, label_smoothing=0.1, reduction="none"), tolerance=0.05)
