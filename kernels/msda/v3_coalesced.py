"""v3_coalesced: the points of a query are read as one contiguous piece, and the heads of a query by one program.

One program has a query with all its heads: its locations and weights are one contiguous range of memory, read once as a tile of
heads times points, and the result is one contiguous row. Channels lie across the threads, so that a pixel of a head is one access.
All points of a level go through together.
"""
import triton
import triton.language as tl

from .arguments import prepare, result


@triton.jit
def corner(value_ptr, x, y, near, width, height, first, stride, place, mask):
    """The pixels (x, y) of a level for a tile [heads, points], 0 outside, weighted and added over the points: [heads, channels]."""
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    at = (first + y * width + x).to(tl.int64) * stride
    pixel = tl.load(value_ptr + at[:, :, None] + place, mask=mask & inside[:, :, None], other=0.0).to(tl.float32)
    return tl.sum(near[:, :, None] * pixel, axis=1)


@triton.jit
def msda_kernel(value_ptr, shapes_ptr, locations_ptr, weights_ptr, out_ptr, pixels, queries, heads, channels, levels, points,
                HEADS: tl.constexpr, POINTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    b = row // queries
    h = tl.arange(0, HEADS)
    point = tl.arange(0, POINTS)
    channel = tl.arange(0, BLOCK)
    taken = (h < heads)[:, None] & (point < points)[None, :]
    mask = taken[:, :, None] & (channel < channels)[None, None, :]
    place = h[:, None, None] * channels + channel[None, None, :]
    value_ptr += b * pixels * heads * channels
    stride = heads * channels
    acc = tl.zeros((HEADS, BLOCK), tl.float32)
    first = 0
    for level in range(0, levels):
        height = tl.load(shapes_ptr + 2 * level)
        width = tl.load(shapes_ptr + 2 * level + 1)
        at = ((row * heads + h[:, None]) * levels + level) * points + point[None, :]
        weight = tl.load(weights_ptr + at, mask=taken, other=0.0).to(tl.float32)
        x = tl.load(locations_ptr + 2 * at, mask=taken, other=0.0).to(tl.float32) * width - 0.5
        y = tl.load(locations_ptr + 2 * at + 1, mask=taken, other=0.0).to(tl.float32) * height - 0.5
        x = tl.minimum(tl.maximum(x, -2.0), width + 1.0)
        y = tl.minimum(tl.maximum(y, -2.0), height + 1.0)
        left = tl.floor(x)
        top = tl.floor(y)
        right_part = x - left
        lower_part = y - top
        x0 = left.to(tl.int32)
        y0 = top.to(tl.int32)
        acc += corner(value_ptr, x0, y0, weight * (1 - lower_part) * (1 - right_part), width, height, first, stride, place, mask)
        acc += corner(value_ptr, x0 + 1, y0, weight * (1 - lower_part) * right_part, width, height, first, stride, place, mask)
        acc += corner(value_ptr, x0, y0 + 1, weight * lower_part * (1 - right_part), width, height, first, stride, place, mask)
        acc += corner(value_ptr, x0 + 1, y0 + 1, weight * lower_part * right_part, width, height, first, stride, place, mask)
        first += height * width
    out = out_ptr + row * heads * channels + h[:, None] * channels + channel[None, :]
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=(h < heads)[:, None] & (channel < channels)[None, :])


def triton_msda(value, value_spatial_shapes, sampling_locations, attention_weights):
    """As multi_scale_deformable_attn_pytorch of MMCV."""
    value, shapes, locations, weights = prepare(value, value_spatial_shapes, sampling_locations, attention_weights)
    out = result(value, locations)
    batch, queries, heads, levels, points, _ = locations.shape
    channels = value.shape[3]
    if out.numel():
        msda_kernel[(batch * queries,)](value, shapes, locations, weights, out, value.shape[1], queries, heads, channels, levels, points,
                                        HEADS=triton.next_power_of_2(heads), POINTS=triton.next_power_of_2(points),
                                        BLOCK=triton.next_power_of_2(channels))
    return out
