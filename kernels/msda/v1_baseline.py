"""v1_baseline: one program per query and head; a loop over levels and points, four scalars' worth of pixels at a time.

A direct translation of the definition. The loads of one point wait for those of the last one, and the addresses of all points are
computed as scalars.
"""
import triton
import triton.language as tl

from .arguments import prepare, result


@triton.jit
def corner(value_ptr, x, y, width, height, first, stride, channel, mask):
    """The pixel (x, y) of a level, 0 outside."""
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    at = (first + y * width + x).to(tl.int64) * stride
    return tl.load(value_ptr + at + channel, mask=mask & inside, other=0.0).to(tl.float32)


@triton.jit
def msda_kernel(value_ptr, shapes_ptr, locations_ptr, weights_ptr, out_ptr, pixels, queries, heads, channels, levels, points,
                BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    h = row % heads
    b = row // (queries * heads)
    channel = tl.arange(0, BLOCK)
    mask = channel < channels
    value_ptr += (b * pixels * heads + h) * channels
    stride = heads * channels
    acc = tl.zeros((BLOCK,), tl.float32)
    first = 0
    for level in range(0, levels):
        height = tl.load(shapes_ptr + 2 * level)
        width = tl.load(shapes_ptr + 2 * level + 1)
        for point in range(0, points):
            at = (row * levels + level) * points + point
            weight = tl.load(weights_ptr + at).to(tl.float32)
            # Two pixels outside reads as zero as any other place further out does, and fits an int.
            x = tl.load(locations_ptr + 2 * at).to(tl.float32) * width - 0.5
            y = tl.load(locations_ptr + 2 * at + 1).to(tl.float32) * height - 0.5
            x = tl.minimum(tl.maximum(x, -2.0), width + 1.0)
            y = tl.minimum(tl.maximum(y, -2.0), height + 1.0)
            left = tl.floor(x)
            top = tl.floor(y)
            right_part = x - left
            lower_part = y - top
            x0 = left.to(tl.int32)
            y0 = top.to(tl.int32)
            sample = (1 - lower_part) * (1 - right_part) * corner(value_ptr, x0, y0, width, height, first, stride, channel, mask)
            sample += (1 - lower_part) * right_part * corner(value_ptr, x0 + 1, y0, width, height, first, stride, channel, mask)
            sample += lower_part * (1 - right_part) * corner(value_ptr, x0, y0 + 1, width, height, first, stride, channel, mask)
            sample += lower_part * right_part * corner(value_ptr, x0 + 1, y0 + 1, width, height, first, stride, channel, mask)
            acc += weight * sample
        first += height * width
    tl.store(out_ptr + row * channels + channel, acc.to(out_ptr.dtype.element_ty), mask=mask)


def triton_msda(value, value_spatial_shapes, sampling_locations, attention_weights):
    """As multi_scale_deformable_attn_pytorch of MMCV."""
    value, shapes, locations, weights = prepare(value, value_spatial_shapes, sampling_locations, attention_weights)
    out = result(value, locations)
    _, queries, heads, levels, points, _ = locations.shape
    channels = value.shape[3]
    if out.numel():
        msda_kernel[(out.numel() // channels,)](value, shapes, locations, weights, out, value.shape[1], queries, heads, channels, levels, points,
                                                BLOCK=triton.next_power_of_2(channels))
    return out
