"""v4_optimized: channels last, so that the inner dimension of the product is contiguous; tiles are chosen by measuring.

The input is copied once to [n, d, h, w, c] (unless it has that layout), the filter to [kd, kh, kw, c, o]. For one filter weight, a row
of the left tile is then a contiguous piece of BK channels, which is copied 16 bytes at a time and asynchronously, with one bounds check
per row. If the channels of a group are not a multiple of BK, (filter weight, channel) is one index, decoded per element. Bias is added
in registers; the result has the layout of the input.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import precision, prepare

CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=w, num_stages=s)
           for m, n, k, w, s in ((64, 32, 32, 4, 2), (128, 64, 32, 4, 4), (128, 128, 32, 4, 4), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3),
                                 (128, 64, 64, 4, 3))]


@triton.autotune(configs=CONFIGS, key=["rows", "O", "CG", "KD", "KH", "KW"])
@triton.jit
def conv3d_kernel(x_ptr, w_ptr, bias_ptr, out_ptr, rows, C, D, H, W, O, OD, OH, OW, sd, sh, sw, pd, ph, pw, ld, lh, lw, per_group,
                  out_n, out_o, out_m, CG: tl.constexpr, KD: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr,
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
    # The window's first pixel, which may lie in the padding: only the sums with a filter weight's shift are used.
    corner = x_ptr + (((n * D + d0) * H + h0) * W + w0) * C + group * CG
    filters = w_ptr + group * per_group + o % per_group  # channels past the end wrap around and are not stored
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(0, KD * KH * KW * CG, BK):
        if CG % BK == 0:
            tap = first // CG
            c = first % CG + k
            kd = tap // (KH * KW) * ld
            kh = tap // KW % KH * lh
            kw = tap % KW * lw
            inside = (d0 + kd >= 0) & (d0 + kd < D) & (h0 + kh >= 0) & (h0 + kh < H) & (w0 + kw >= 0) & (w0 + kw < W) & (m < rows)
            x = tl.load((corner + ((kd * H + kh) * W + kw).to(tl.int64) * C)[:, None] + c[None, :], mask=inside[:, None], other=0.0)
            y = tl.load(filters[None, :] + ((first + k) * O)[:, None])
        else:
            taps = (first + k) // CG
            kd = (taps // (KH * KW) * ld)[None, :]
            kh = (taps // KW % KH * lh)[None, :]
            kw = (taps % KW * lw)[None, :]
            d = d0[:, None] + kd
            h = h0[:, None] + kh
            w = w0[:, None] + kw
            used = first + k < KD * KH * KW * CG
            inside = (d >= 0) & (d < D) & (h >= 0) & (h < H) & (w >= 0) & (w < W) & (m < rows)[:, None] & used[None, :]
            x = tl.load(corner[:, None] + ((kd * H + kh) * W + kw) * C + ((first + k) % CG)[None, :], mask=inside, other=0.0)
            y = tl.load(filters[None, :] + ((first + k) * O)[:, None], mask=used[:, None], other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=COMPUTE)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + group * per_group + o, mask=o < per_group, other=0.0).to(COMPUTE)[None, :]
    out = out_ptr + (n * out_n + position.to(tl.int64) * out_m)[:, None] + ((group * per_group + o).to(tl.int64) * out_o)[None, :]
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=(m < rows)[:, None] & (o < per_group)[None, :])


def forward(x, weight, bias, g):
    last = x.is_contiguous(memory_format=torch.channels_last_3d) and not x.is_contiguous()
    out = torch.empty(g.n, g.o, *g.out, dtype=x.dtype, device=x.device, memory_format=torch.channels_last_3d if last else torch.contiguous_format)
    rows, per_group = g.n * g.positions, g.o // g.g
    if out.numel():
        layout = (g.positions * g.o, 1, g.o) if last else (g.positions * g.o, g.positions, 1)
        conv3d_kernel[lambda meta: (triton.cdiv(rows, meta["BM"]) * triton.cdiv(per_group, meta["BN"]), g.g)](
            x.permute(0, 2, 3, 4, 1).contiguous(), weight.permute(2, 3, 4, 1, 0).contiguous(), out if bias is None else bias.contiguous(), out,
            rows, g.c, g.d, g.h, g.w, g.o, *g.out, *g.stride, *g.padding, *g.dilation, per_group, *layout,
            CG=g.cg, KD=g.kd, KH=g.kh, KW=g.kw, HAS_BIAS=bias is not None, PRECISION=precision(x.dtype), COMPUTE=accumulator(x.dtype))
    return out


def triton_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As torch.nn.functional.conv3d."""
    x, weight, bias, geometry, batched = prepare(input, weight, bias, stride, padding, dilation, groups)
    out = forward(x, weight, bias, geometry)
    return out if batched else out[0]
