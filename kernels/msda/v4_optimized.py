"""v4_optimized: a tile of (query, head) pairs, all heads of a query together; no load is masked.

Rows of a tile are (query, head) pairs in the order of memory, so that locations, weights and results are contiguous, as in v3, and
programs next to each other read pixels near each other (queries are pixels in raster order in an encoder). Coordinates are clamped to
the image, and a corner outside gets the weight 0: the four loads of a point need no mask and run together (an infinity or NaN at the
image's border therefore spreads to points just outside, unlike in the other versions). Levels and points are
compile-time constants, so that the loop unrolls and the loads of several points overlap. Pairs and warps are chosen by measuring.
"""
import triton
import triton.language as tl

from .arguments import prepare, result

CONFIGS = [triton.Config({"PAIRS": p}, num_warps=w) for p, w in ((8, 1), (16, 4), (32, 4), (16, 2), (64, 4))]


@triton.autotune(configs=CONFIGS, key=["pairs", "channels"])
@triton.jit
def msda_kernel(value_ptr, shapes_ptr, locations_ptr, weights_ptr, out_ptr, pixels, pairs, queries, heads, channels,
                LEVELS: tl.constexpr, POINTS: tl.constexpr, EXACT: tl.constexpr, BLOCK: tl.constexpr, PAIRS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * PAIRS + tl.arange(0, PAIRS)
    inside = row < pairs
    row = tl.minimum(row, pairs - 1)  # pairs past the end repeat the last one and are not stored
    channel = tl.arange(0, BLOCK)
    if not EXACT:
        channel = tl.minimum(channel, channels - 1)
    start = row // (queries * heads) * pixels
    h = row % heads
    acc = tl.zeros((PAIRS, BLOCK), tl.float32)
    for level in tl.static_range(LEVELS):
        height = tl.load(shapes_ptr + 2 * level)
        width = tl.load(shapes_ptr + 2 * level + 1)
        for point in range(0, POINTS):
            at = (row * LEVELS + level) * POINTS + point
            weight = tl.load(weights_ptr + at).to(tl.float32)
            x = tl.load(locations_ptr + 2 * at).to(tl.float32) * width - 0.5
            y = tl.load(locations_ptr + 2 * at + 1).to(tl.float32) * height - 0.5
            x = tl.minimum(tl.maximum(x, -2.0), width + 1.0)
            y = tl.minimum(tl.maximum(y, -2.0), height + 1.0)
            left = tl.floor(x)
            top = tl.floor(y)
            x0 = left.to(tl.int32)
            y0 = top.to(tl.int32)
            right = tl.where((x0 >= -1) & (x0 < width - 1), x - left, 0.0)
            left = tl.where((x0 >= 0) & (x0 < width), 1 - (x - left), 0.0)
            lower = tl.where((y0 >= -1) & (y0 < height - 1), y - top, 0.0) * weight
            upper = tl.where((y0 >= 0) & (y0 < height), 1 - (y - top), 0.0) * weight
            xa = tl.minimum(tl.maximum(x0, 0), width - 1)
            xb = tl.minimum(tl.maximum(x0 + 1, 0), width - 1)
            ya = tl.minimum(tl.maximum(y0, 0), height - 1) * width
            yb = tl.minimum(tl.maximum(y0 + 1, 0), height - 1) * width
            c00 = tl.load(value_ptr + (((start + ya + xa) * heads + h) * channels)[:, None] + channel[None, :]).to(tl.float32)
            c01 = tl.load(value_ptr + (((start + ya + xb) * heads + h) * channels)[:, None] + channel[None, :]).to(tl.float32)
            c10 = tl.load(value_ptr + (((start + yb + xa) * heads + h) * channels)[:, None] + channel[None, :]).to(tl.float32)
            c11 = tl.load(value_ptr + (((start + yb + xb) * heads + h) * channels)[:, None] + channel[None, :]).to(tl.float32)
            acc += (upper * left)[:, None] * c00 + (upper * right)[:, None] * c01
            acc += (lower * left)[:, None] * c10 + (lower * right)[:, None] * c11
        start += height * width
    mask = inside[:, None] & (tl.arange(0, BLOCK) < channels)[None, :]
    tl.store(out_ptr + row[:, None] * channels + tl.arange(0, BLOCK)[None, :], acc.to(out_ptr.dtype.element_ty), mask=mask)


def triton_msda(value, value_spatial_shapes, sampling_locations, attention_weights):
    """As multi_scale_deformable_attn_pytorch of MMCV."""
    value, shapes, locations, weights = prepare(value, value_spatial_shapes, sampling_locations, attention_weights)
    out = result(value, locations)
    batch, queries, heads, levels, points, _ = locations.shape
    channels = value.shape[3]
    pairs = batch * queries * heads
    if out.numel():
        block = triton.next_power_of_2(channels)
        msda_kernel[lambda meta: (triton.cdiv(pairs, meta["PAIRS"]),)](
            value, shapes, locations, weights, out, value.shape[1], pairs, queries, heads, channels,
            LEVELS=levels, POINTS=points, EXACT=block == channels, BLOCK=block)
    return out
