"""v2_tiling: the convolution as a matrix product of tiles that are gathered on the way (implicit GEMM); tiles are chosen by measuring.

Rows are output positions, columns output channels, the inner dimension runs over channels and filter weights (ci, kd, kh, kw). The
tensor cores do the arithmetic. The left tile is gathered element by element: each has its own bounds check, and neighbouring inner
indices are neighbours in memory only along kw.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import precision, prepare

CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=w, num_stages=s)
           for m, n, k, w, s in ((64, 32, 32, 4, 2), (128, 64, 32, 4, 3), (128, 128, 32, 8, 3), (128, 128, 64, 8, 3), (64, 64, 32, 4, 3))]


@triton.autotune(configs=CONFIGS, key=["rows", "O", "CG", "KD", "KH", "KW"])
@triton.jit
def conv3d_kernel(x_ptr, w_ptr, bias_ptr, out_ptr, rows, C, D, H, W, O, CG, KD, KH, KW, OD, OH, OW, sd, sh, sw, pd, ph, pw, ld, lh, lw, per_group,
                  HAS_BIAS: tl.constexpr, PRECISION: tl.constexpr, COMPUTE: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    group = tl.program_id(1)
    columns = tl.cdiv(per_group, BN)
    m = tl.program_id(0) // columns * BM + tl.arange(0, BM)
    o = tl.program_id(0) % columns * BN + tl.arange(0, BN)
    positions = OD * OH * OW
    n = (m // positions).to(tl.int64)
    position = m % positions
    w0 = position % OW * sw - pw
    h0 = position // OW % OH * sh - ph
    d0 = position // (OW * OH) * sd - pd
    image = x_ptr + (n * C + group * CG) * D * H * W
    inner = CG * KD * KH * KW
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(0, inner, BK):
        k = first + tl.arange(0, BK)
        w = w0[:, None] + (k % KW * lw)[None, :]
        h = h0[:, None] + (k // KW % KH * lh)[None, :]
        d = d0[:, None] + (k // (KW * KH) % KD * ld)[None, :]
        inside = (d >= 0) & (d < D) & (h >= 0) & (h < H) & (w >= 0) & (w < W) & (m < rows)[:, None] & (k < inner)[None, :]
        at = ((k // (KW * KH * KD))[None, :] * D + d) * H * W + h * W + w
        x = tl.load(image[:, None] + at, mask=inside, other=0.0)
        y = tl.load(w_ptr + (group * per_group + o)[None, :] * inner + k[:, None], mask=(o < per_group)[None, :] & (k < inner)[:, None], other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=COMPUTE)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + group * per_group + o, mask=o < per_group, other=0.0).to(COMPUTE)[None, :]
    out = out_ptr + (n * O + group * per_group)[:, None] * positions + o[None, :] * positions + position[:, None]
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=(m < rows)[:, None] & (o < per_group)[None, :])


def forward(x, weight, bias, g):
    out = torch.empty(g.n, g.o, *g.out, dtype=x.dtype, device=x.device)
    rows, per_group = g.n * g.positions, g.o // g.g
    if out.numel():
        conv3d_kernel[lambda meta: (triton.cdiv(rows, meta["BM"]) * triton.cdiv(per_group, meta["BN"]), g.g)](
            x.contiguous(), weight.contiguous(), out if bias is None else bias.contiguous(), out, rows, g.c, g.d, g.h, g.w, g.o, g.cg,
            g.kd, g.kh, g.kw, *g.out, *g.stride, *g.padding, *g.dilation, per_group,
            HAS_BIAS=bias is not None, PRECISION=precision(x.dtype), COMPUTE=accumulator(x.dtype))
    return out


def triton_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As torch.nn.functional.conv3d."""
    x, weight, bias, geometry, batched = prepare(input, weight, bias, stride, padding, dilation, groups)
    out = forward(x, weight, bias, geometry)
    return out if batched else out[0]
