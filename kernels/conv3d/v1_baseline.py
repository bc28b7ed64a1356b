"""v1_baseline: one program computes 256 output positions of one channel, one multiply-add per filter weight.

A direct translation of the definition, without matrix products: every output channel reads the whole input again.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import prepare


@triton.jit
def conv3d_kernel(x_ptr, w_ptr, bias_ptr, out_ptr, C, D, H, W, O, CG, KD, KH, KW, OD, OH, OW, sd, sh, sw, pd, ph, pw, ld, lh, lw, per_group,
                  HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    n = (tl.program_id(1) // O).to(tl.int64)
    o = tl.program_id(1) % O
    position = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    positions = OD * OH * OW
    w0 = position % OW * sw - pw
    h0 = position // OW % OH * sh - ph
    d0 = position // (OW * OH) * sd - pd
    acc = tl.zeros((BLOCK,), COMPUTE)
    for c in range(0, CG):
        channel = x_ptr + (n * C + o // per_group * CG + c) * D * H * W
        for tap in range(0, KD * KH * KW):
            d = d0 + tap // (KH * KW) * ld
            h = h0 + tap // KW % KH * lh
            w = w0 + tap % KW * lw
            inside = (d >= 0) & (d < D) & (h >= 0) & (h < H) & (w >= 0) & (w < W) & (position < positions)
            x = tl.load(channel + (d * H + h) * W + w, mask=inside, other=0.0).to(COMPUTE)
            acc += x * tl.load(w_ptr + (o * CG + c) * KD * KH * KW + tap).to(COMPUTE)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + o).to(COMPUTE)
    tl.store(out_ptr + (n * O + o) * positions + position, acc.to(out_ptr.dtype.element_ty), mask=position < positions)


def forward(x, weight, bias, g):
    out = torch.empty(g.n, g.o, *g.out, dtype=x.dtype, device=x.device)
    if out.numel():
        conv3d_kernel[(triton.cdiv(g.positions, 256), g.n * g.o)](
            x.contiguous(), weight.contiguous(), out if bias is None else bias.contiguous(), out, g.c, g.d, g.h, g.w, g.o, g.cg, g.kd, g.kh, g.kw,
            *g.out, *g.stride, *g.padding, *g.dilation, g.o // g.g, HAS_BIAS=bias is not None, COMPUTE=accumulator(x.dtype), BLOCK=256)
    return out


def triton_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As torch.nn.functional.conv3d."""
    x, weight, bias, geometry, batched = prepare(input, weight, bias, stride, padding, dilation, groups)
    out = forward(x, weight, bias, geometry)
    return out if batched else out[0]
