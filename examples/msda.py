"""Multi-scale deformable attention, forward: the attention of Deformable DETR and its descendants.

A query does not look at every pixel. For each head it has P sampling points on each of the L levels of an
image pyramid, and a weight for each point; its result is the weighted sum of what it reads there:

    out[b, n, h, :] = sum over levels l and points p of
        attention_weights[b, n, h, l, p] * bilinear(image of level l, sampling_points[b, n, h, l, p])

One program computes one query (axis 0 of the grid), of one batch element (axis 1), for one head (axis 2).
All L x P points go through at once, as blocks of points and channels; each reads its four neighbours.

    out_ptr                  [B, N, H, C]
    img_ptr                  [B, I, H, C], the pixels of all levels one after another, each level row by row
    sampling_points_ptr      [B, N, H, L, P, 2], x and y, where 0 and 1 are the image's edges
    attention_weights_ptr    [B, N, H, L, P]
    shapes_ptr               [L, 2], height and width of each level; integers, or floats that hold them
    B, I, C, N, H, L, P      batch elements, pixels of all levels, channels of a head, queries, heads, levels, points
    BLOCK_SIZE_C, _L, _P     powers of two, at least C, L and P
    PADDING_MODE             outside an image: 0 reads zeros, 1 the pixel at the border
    ALIGN_CORNERS            0: the coordinates 0 and 1 are the outer edges of the corner pixels, 1: their centres

Padding and alignment are those of torch.nn.functional.grid_sample.

    tessera compile --kernel-name triton_multi_scale_deformable_attention_fwd_kernel \
        --signature "*fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,i32,i32,i32,i32,i32,64,4,4,0,0" \
        --grid=100,2,8 examples/msda.py --emit ttir

    python examples/msda.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/msda.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


@triton.jit
def pixel_coordinate(point, size, PADDING_MODE: tl.constexpr, ALIGN_CORNERS: tl.constexpr):
    """Where a coordinate in [0, 1] lies among `size` pixels, whose centres are at 0, 1, ..., size - 1."""
    extent = size.to(tl.float32)
    if ALIGN_CORNERS:
        x = point * (extent - 1)
    else:
        x = point * extent - 0.5
    if PADDING_MODE == 1:
        return tl.minimum(tl.maximum(x, 0.0), extent - 1)
    # Two pixels outside reads as zero as any other place further out does, and fits an int.
    return tl.minimum(tl.maximum(x, -2.0), extent + 1)


@triton.jit
def read_pixels(img_ptrs, x, y, width, height, level_start, pixel_stride, channel, mask):
    """Block [L, P, C] of the pixels (x, y) of each point's level; zero where there is none."""
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    pixel = level_start + y * width + x
    return tl.load(img_ptrs + pixel[:, :, None].to(tl.int64) * pixel_stride + channel[None, None, :],
                   mask=inside[:, :, None] & mask, other=0.0).to(tl.float32)


# signature: *fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,i32,i32,i32,i32,i32,64,4,4,0,0
# signature: *fp16:16,*fp16:16,*fp16:16,*fp16:16,*i64:16,i32,i32,i32,i32,i32,i32,i32,32,4,8,1,1
# signature: *fp32:16,*fp32:16,*fp32:16,*fp32:16,*i32:16,i32,i32,i32,i32,i32,i32,i32,32,4,4,1,0
@triton.jit
def triton_multi_scale_deformable_attention_fwd_kernel(
        out_ptr, img_ptr, sampling_points_ptr, attention_weights_ptr, shapes_ptr,
        B, I, C, N, H, L, P,
        BLOCK_SIZE_C: tl.constexpr, BLOCK_SIZE_L: tl.constexpr, BLOCK_SIZE_P: tl.constexpr,
        PADDING_MODE: tl.constexpr, ALIGN_CORNERS: tl.constexpr):
    query = tl.program_id(0)
    batch = tl.program_id(1)
    head = tl.program_id(2)
    level = tl.arange(0, BLOCK_SIZE_L)
    point = tl.arange(0, BLOCK_SIZE_P)
    channel = tl.arange(0, BLOCK_SIZE_C)

    # The pyramid: each level's size, and the pixels before it.
    level_mask = level < L
    height = tl.load(shapes_ptr + 2 * level, mask=level_mask, other=0).to(tl.int32)
    width = tl.load(shapes_ptr + 2 * level + 1, mask=level_mask, other=0).to(tl.int32)
    pixels = height * width
    level_start = (tl.cumsum(pixels, axis=0) - pixels)[:, None]
    height = height[:, None]
    width = width[:, None]

    # This query's points, [L, P].
    row = (batch.to(tl.int64) * N + query) * H + head
    points_mask = level_mask[:, None] & (point < P)[None, :]
    points = row * L * P + level[:, None] * P + point[None, :]
    weight = tl.load(attention_weights_ptr + points, mask=points_mask, other=0.0).to(tl.float32)
    point_x = tl.load(sampling_points_ptr + 2 * points, mask=points_mask, other=0.0).to(tl.float32)
    point_y = tl.load(sampling_points_ptr + 2 * points + 1, mask=points_mask, other=0.0).to(tl.float32)
    x = pixel_coordinate(point_x, width, PADDING_MODE, ALIGN_CORNERS)
    y = pixel_coordinate(point_y, height, PADDING_MODE, ALIGN_CORNERS)

    # The four pixels around each point, each weighted by how near it is.
    left, top = tl.floor(x), tl.floor(y)
    to_right, to_bottom = x - left, y - top
    x0, y0 = left.to(tl.int32), top.to(tl.int32)
    img_ptrs = img_ptr + (batch.to(tl.int64) * I * H + head) * C
    channel_mask = channel < C
    mask = points_mask[:, :, None] & channel_mask[None, None, :]
    sample = tl.zeros((BLOCK_SIZE_L, BLOCK_SIZE_P, BLOCK_SIZE_C), tl.float32)
    for dy in tl.static_range(2):
        for dx in tl.static_range(2):
            near_x = to_right if dx == 1 else 1 - to_right
            near_y = to_bottom if dy == 1 else 1 - to_bottom
            pixel = read_pixels(img_ptrs, x0 + dx, y0 + dy, width, height, level_start, H * C, channel, mask)
            sample += (near_x * near_y)[:, :, None] * pixel

    total = tl.sum(tl.sum(sample * weight[:, :, None], axis=1), axis=0)
    tl.store(out_ptr + row * C + channel, total.to(out_ptr.dtype.element_ty), mask=channel_mask)


def msda(img, shapes, sampling_points, attention_weights, padding_mode="zeros", align_corners=False):
    """Multi-scale deformable attention of tensors shaped as the head of this file says."""
    B, I, H, C = img.shape
    _, N, _, L, P, _ = sampling_points.shape
    out = torch.empty((B, N, H, C), dtype=img.dtype, device=img.device)
    triton_multi_scale_deformable_attention_fwd_kernel[(N, B, H)](
        out, img, sampling_points, attention_weights, shapes, B, I, C, N, H, L, P,
        BLOCK_SIZE_C=triton.next_power_of_2(C), BLOCK_SIZE_L=triton.next_power_of_2(L),
        BLOCK_SIZE_P=triton.next_power_of_2(P), PADDING_MODE={"zeros": 0, "border": 1}[padding_mode],
        ALIGN_CORNERS=int(align_corners))
    return out


def msda_torch(img, shapes, sampling_points, attention_weights, padding_mode="zeros", align_corners=False):
    """The same with grid_sample, level by level, in double precision."""
    B, _, H, C = img.shape
    _, N, _, L, P, _ = sampling_points.shape
    sizes = [(int(h), int(w)) for h, w in shapes.tolist()]
    out = torch.zeros((B, N, H, C), dtype=torch.double, device=img.device)
    for l, part in enumerate(img.double().split([h * w for h, w in sizes], dim=1)):
        height, width = sizes[l]
        image = part.permute(0, 2, 3, 1).reshape(B * H, C, height, width)
        grid = (2 * sampling_points[:, :, :, l].double() - 1).permute(0, 2, 1, 3, 4).reshape(B * H, N, P, 2)
        read = torch.nn.functional.grid_sample(image, grid, "bilinear", padding_mode, align_corners)
        read = read.reshape(B, H, C, N, P).permute(0, 3, 1, 4, 2)
        out += (read * attention_weights[:, :, :, l].double()[..., None]).sum(3)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for sizes, B, N, H, C, P in (([(1, 1)], 1, 1, 1, 1, 1), ([(13, 9), (7, 5), (2, 3)], 2, 11, 3, 20, 3)):
        for dtype, shape_type, tolerance in ((torch.float32, torch.float32, 1e-4), (torch.float16, torch.int64, 2e-2)):
            L, I = len(sizes), sum(h * w for h, w in sizes)
            shapes = torch.tensor(sizes, dtype=shape_type, device=device)
            img = torch.randn(B, I, H, C, device=device).to(dtype)
            # Many points lie outside, some of them far.
            points = (torch.rand(B, N, H, L, P, 2, device=device) * 1.6 - 0.3).to(dtype)
            points.flatten()[:: 17] *= 3e4
            weights = torch.softmax(torch.randn(B, N, H, L * P, device=device), -1).reshape(B, N, H, L, P).to(dtype)
            for padding_mode in ("zeros", "border"):
                for align_corners in (False, True):
                    actual = msda(img, shapes, points, weights, padding_mode, align_corners)
                    expected = msda_torch(img, shapes, points, weights, padding_mode, align_corners)
                    error = (actual.double() - expected).abs().max().item()
                    print(f"{str(dtype):14} {L} levels, {padding_mode:6}, align_corners={str(align_corners):5}: "
                          f"largest difference from torch: {error:.1e}")
                    assert error < tolerance
