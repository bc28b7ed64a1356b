"""v2_tiling: a tile of queries of one head per program; the number of queries and of warps is chosen by measuring.

The positions of a point are computed for all queries of the tile at once, and the loads of many queries are in flight together. A
program's queries are neighbours, but their points lie anywhere, and each reads only one head's channels of a pixel.
"""
import triton
import triton.language as tl

from .arguments import prepare, result


@triton.jit
def corner(value_ptr, x, y, near, width, height, first, stride, channel, mask):
    """The pixels (x, y) of a level, one per row of the tile, 0 outside, times how near they are."""
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    at = (first + y * width + x).to(tl.int64) * stride
    pixel = tl.load(value_ptr + at[:, None] + channel[None, :], mask=mask & inside[:, None], other=0.0).to(tl.float32)
    return near[:, None] * pixel


@triton.autotune(configs=[triton.Config({"QUERIES": q}, num_warps=w) for q, w in ((16, 4), (32, 4), (64, 4), (64, 8))],
                 key=["queries", "channels"])
@triton.jit
def msda_kernel(value_ptr, shapes_ptr, locations_ptr, weights_ptr, out_ptr, pixels, queries, heads, channels, levels, points,
                BLOCK: tl.constexpr, QUERIES: tl.constexpr):
    tiles = tl.cdiv(queries, QUERIES)
    h = tl.program_id(0) // tiles % heads
    b = (tl.program_id(0) // (tiles * heads)).to(tl.int64)
    q = tl.program_id(0) % tiles * QUERIES + tl.arange(0, QUERIES)
    channel = tl.arange(0, BLOCK)
    inside = q < queries
    mask = inside[:, None] & (channel < channels)[None, :]
    value_ptr += (b * pixels * heads + h) * channels
    row = (b * queries + q) * heads + h
    acc = tl.zeros((QUERIES, BLOCK), tl.float32)
    first = 0
    for level in range(0, levels):
        height = tl.load(shapes_ptr + 2 * level)
        width = tl.load(shapes_ptr + 2 * level + 1)
        for point in range(0, points):
            at = (row * levels + level) * points + point
            weight = tl.load(weights_ptr + at, mask=inside, other=0.0).to(tl.float32)
            x = tl.load(locations_ptr + 2 * at, mask=inside, other=0.0).to(tl.float32) * width - 0.5
            y = tl.load(locations_ptr + 2 * at + 1, mask=inside, other=0.0).to(tl.float32) * height - 0.5
            x = tl.minimum(tl.maximum(x, -2.0), width + 1.0)
            y = tl.minimum(tl.maximum(y, -2.0), height + 1.0)
            left = tl.floor(x)
            top = tl.floor(y)
            right_part = x - left
            lower_part = y - top
            x0 = left.to(tl.int32)
            y0 = top.to(tl.int32)
            stride = heads * channels
            acc += corner(value_ptr, x0, y0, weight * (1 - lower_part) * (1 - right_part), width, height, first, stride, channel, mask)
            acc += corner(value_ptr, x0 + 1, y0, weight * (1 - lower_part) * right_part, width, height, first, stride, channel, mask)
            acc += corner(value_ptr, x0, y0 + 1, weight * lower_part * (1 - right_part), width, height, first, stride, channel, mask)
            acc += corner(value_ptr, x0 + 1, y0 + 1, weight * lower_part * right_part, width, height, first, stride, channel, mask)
        first += height * width
    tl.store(out_ptr + row[:, None] * channels + channel[None, :], acc.to(out_ptr.dtype.element_ty), mask=mask)


def triton_msda(value, value_spatial_shapes, sampling_locations, attention_weights):
    """As multi_scale_deformable_attn_pytorch of MMCV."""
    value, shapes, locations, weights = prepare(value, value_spatial_shapes, sampling_locations, attention_weights)
    out = result(value, locations)
    batch, queries, heads, levels, points, _ = locations.shape
    channels = value.shape[3]
    if out.numel():
        msda_kernel[lambda meta: (batch * heads * triton.cdiv(queries, meta["QUERIES"]),)](
            value, shapes, locations, weights, out, value.shape[1], queries, heads, channels, levels, points, BLOCK=triton.next_power_of_2(channels))
    return out
