"""What all versions of msda do with their arguments.

    value                 [batch, pixels, heads, channels]   the pixels of all levels, one level after another, each row by row
    spatial_shapes        [levels, 2]                        height and width of each level, integers
    sampling_locations    [batch, queries, heads, levels, points, 2]   x and y, where 0 and 1 are the image's edges
    attention_weights     [batch, queries, heads, levels, points]
    result                [batch, queries, heads * channels]

Sampling is that of grid_sample(mode="bilinear", padding_mode="zeros", align_corners=False).
"""
import torch

from ..shared import require_floating, require_same_device


def prepare(value, spatial_shapes, sampling_locations, attention_weights):
    """Checks the arguments; returns them contiguous, with the shapes as int32."""
    require_floating("msda", value=value, sampling_locations=sampling_locations, attention_weights=attention_weights)
    require_same_device("msda", value=value, value_spatial_shapes=spatial_shapes, sampling_locations=sampling_locations,
                        attention_weights=attention_weights)
    if value.dim() != 4:
        raise ValueError(f"msda: value must be [batch, pixels, heads, channels], got {list(value.shape)}")
    if sampling_locations.dim() != 6 or sampling_locations.shape[-1] != 2:
        raise ValueError(f"msda: sampling_locations must be [batch, queries, heads, levels, points, 2], got {list(sampling_locations.shape)}")
    if sampling_locations.shape[:-1] != attention_weights.shape:
        raise ValueError(f"msda: attention_weights must have the shape {list(sampling_locations.shape[:-1])}, got {list(attention_weights.shape)}")
    batch, _, heads, levels, _, _ = sampling_locations.shape
    if value.shape[0] != batch or value.shape[2] != heads:
        raise ValueError(f"msda: value must have batch {batch} and {heads} heads, got {list(value.shape)}")
    if spatial_shapes.is_floating_point() or tuple(spatial_shapes.shape) != (levels, 2):
        raise ValueError(f"msda: value_spatial_shapes must be integers of the shape [{levels}, 2], got {list(spatial_shapes.shape)}")
    return value.contiguous(), spatial_shapes.to(torch.int32).contiguous(), sampling_locations.contiguous(), attention_weights.contiguous()


def result(value, locations):
    batch, queries, heads = locations.shape[:3]
    return torch.empty(batch, queries, heads * value.shape[3], dtype=value.dtype, device=value.device)
