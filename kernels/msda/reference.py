"""Multi-scale deformable attention by grid_sample, level by level; its inputs and what it costs."""
import torch

torch_compile = False  # the sizes of the levels are values of a tensor


def reference(value, value_spatial_shapes, sampling_locations, attention_weights):
    batch, _, heads, channels = value.shape
    _, queries, _, _, points, _ = sampling_locations.shape
    sizes = [(int(h), int(w)) for h, w in value_spatial_shapes.tolist()]
    # grid_sample takes image and grid in one type, and 16 bits do not name the places between the pixels of a large image.
    wide = torch.promote_types(value.dtype, sampling_locations.dtype)
    out = torch.zeros(batch, queries, heads, channels, dtype=wide, device=value.device)
    for level, part in enumerate(value.to(wide).split([h * w for h, w in sizes], dim=1)):
        image = part.permute(0, 2, 3, 1).reshape(batch * heads, channels, *sizes[level])
        grid = (2 * sampling_locations[:, :, :, level].to(wide) - 1).permute(0, 2, 1, 3, 4).reshape(batch * heads, queries, points, 2)
        samples = torch.nn.functional.grid_sample(image, grid, "bilinear", "zeros", False)
        samples = samples.reshape(batch, heads, channels, queries, points).permute(0, 3, 1, 4, 2)
        out = out + (samples * attention_weights[:, :, :, level].to(wide)[..., None]).sum(3)
    return out.reshape(batch, queries, heads * channels).to(value.dtype)


PYRAMID = ((8, 8), (4, 4))  # the levels of random cases


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])
    sizes, batch, heads, queries = case.get("levels", PYRAMID), case["batch"], case["heads"], case["queries"]
    pixels, levels, points = sum(h * w for h, w in sizes), len(sizes), case["points"]
    value = torch.randn(batch, pixels, heads, case["channels"], generator=generator).to(dtype).to(device)
    # Some points lie outside the image, a few of them far. fp32: fp16 cannot name the pixels of a large image.
    locations = torch.rand(batch, queries, heads, levels, points, 2, generator=generator) * 1.2 - 0.1
    if case.get("far"):
        locations.view(-1)[::17] *= 1e6
    locations = locations.to(torch.float64 if dtype == torch.float64 else torch.float32).to(device)
    weights = torch.softmax(torch.randn(batch, queries, heads, levels * points, generator=generator), -1)
    weights = weights.reshape(batch, queries, heads, levels, points).to(dtype).to(device)
    if "points_of_weights" in case:
        weights = weights[..., :case["points_of_weights"]]
    return (value, torch.tensor(sizes, device=device), locations, weights), {}


def facts(case):
    dtype = getattr(torch, case["dtype"])
    size = torch.tensor([], dtype=dtype).element_size()
    levels = case.get("levels", PYRAMID)
    pixels = sum(h * w for h, w in levels)
    rows = case["batch"] * case["queries"] * case["heads"]
    samples = rows * len(levels) * case["points"]
    values = case["batch"] * pixels * case["heads"] * case["channels"]
    return {"bytes": size * (values + rows * case["channels"] + samples) + 8 * samples, "flops": samples * (9 * case["channels"] + 20)}


def tolerance(dtype):
    return {torch.float16: (4e-3, 4e-3), torch.bfloat16: (2e-2, 2e-2), torch.float32: (1e-4, 1e-4)}.get(dtype, (1e-4, 1e-4))
