"""v3_coalesced: tiles of channels times positions; the positions, which are contiguous in memory, lie across the threads.

The product is turned around: rows are output channels, columns output positions, as the result lies in memory, so that the stores are
contiguous. The loop runs over the filter's weights outside and over channels inside: within one step all elements have the same
shift, neighbouring positions are neighbours in memory, and the bounds check is one per position. The filter is copied once to
[weights, output channels, input channels], which makes its tiles contiguous. Tile sizes are fixed.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import precision, prepare


@triton.jit
def conv3d_kernel(x_ptr, w_ptr, bias_ptr, out_ptr, rows, C, D, H, W, O, CG, OD, OH, OW, sd, sh, sw, pd, ph, pw, ld, lh, lw, per_group,
                  KD: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr, HAS_BIAS: tl.constexpr, PRECISION: tl.constexpr, COMPUTE: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    group = tl.program_id(1)
    tiles = tl.cdiv(per_group, BM)
    o = tl.program_id(0) % tiles * BM + tl.arange(0, BM)
    m = tl.program_id(0) // tiles * BN + tl.arange(0, BN)
    positions = OD * OH * OW
    n = (m // positions).to(tl.int64)
    position = m % positions
    w0 = position % OW * sw - pw
    h0 = position // OW % OH * sh - ph
    d0 = position // (OW * OH) * sd - pd
    image = x_ptr + (n * C + group * CG) * D * H * W
    volume = D * H * W
    acc = tl.zeros((BM, BN), COMPUTE)
    for tap in range(0, KD * KH * KW):
        d = d0 + tap // (KH * KW) * ld
        h = h0 + tap // KW % KH * lh
        w = w0 + tap % KW * lw
        inside = (d >= 0) & (d < D) & (h >= 0) & (h < H) & (w >= 0) & (w < W) & (m < rows)
        at = image + (d * H + h) * W + w
        filters = w_ptr + (tap * O + group * per_group + o) * CG
        for first in range(0, CG, BK):
            c = first + tl.arange(0, BK)
            x = tl.load(at[None, :] + (c * volume)[:, None], mask=inside[None, :] & (c < CG)[:, None], other=0.0)
            y = tl.load(filters[:, None] + c[None, :], mask=(o < per_group)[:, None] & (c < CG)[None, :], other=0.0)
            acc = tl.dot(y, x, acc, input_precision=PRECISION, out_dtype=COMPUTE)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + group * per_group + o, mask=o < per_group, other=0.0).to(COMPUTE)[:, None]
    out = out_ptr + ((n * O + group * per_group) * positions + position)[None, :] + o[:, None] * positions
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=(o < per_group)[:, None] & (m < rows)[None, :])


def forward(x, weight, bias, g):
    out = torch.empty(g.n, g.o, *g.out, dtype=x.dtype, device=x.device)
    rows, per_group = g.n * g.positions, g.o // g.g
    if out.numel():
        filters = weight.permute(2, 3, 4, 0, 1).contiguous()
        tile = dict(BM=64, BN=128, BK=32, num_warps=4, num_stages=3) if x.element_size() <= 2 else dict(BM=32, BN=64, BK=32, num_warps=4, num_stages=2)
        conv3d_kernel[(triton.cdiv(rows, tile["BN"]) * triton.cdiv(per_group, tile["BM"]), g.g)](
            x.contiguous(), filters, out if bias is None else bias.contiguous(), out, rows, g.c, g.d, g.h, g.w, g.o, g.cg,
            *g.out, *g.stride, *g.padding, *g.dilation, per_group, KD=g.kd, KH=g.kh, KW=g.kw,
            HAS_BIAS=bias is not None, PRECISION=precision(x.dtype), COMPUTE=accumulator(x.dtype), **tile)
    return out


def triton_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As torch.nn.functional.conv3d."""
    x, weight, bias, geometry, batched = prepare(input, weight, bias, stride, padding, dilation, groups)
    out = forward(x, weight, bias, geometry)
    return out if batched else out[0]
