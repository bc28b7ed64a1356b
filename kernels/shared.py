"""Host-side helpers of the operators: argument checks, memory layouts, gradients. No kernels.

The kernels themselves stand in each version's file, whole, so that a version can be read, copied and compiled alone.
"""
import torch
import triton.language as tl


def accumulator(dtype):
    """Returns the type that a kernel computes in: fp64 for fp64, otherwise fp32."""
    return tl.float64 if dtype == torch.float64 else tl.float32


def require_floating(operator, **tensors):
    """Raises TypeError if one of the tensors (None is skipped) is not of a floating-point type."""
    for name, tensor in tensors.items():
        if tensor is not None and not tensor.is_floating_point():
            raise TypeError(f"{operator}: {name} must have a floating-point type, got {tensor.dtype}")


def require_same_device(operator, **tensors):
    """Raises ValueError if the tensors (None is skipped) are on different devices."""
    present = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    devices = {tensor.device for tensor in present.values()}
    if len(devices) > 1:
        places = ", ".join(f"{name} on {tensor.device}" for name, tensor in present.items())
        raise ValueError(f"{operator}: all tensors must be on one device, got {places}")


def normalize_dim(operator, dim, rank):
    """Returns a dimension's index as a number from 0; a tensor without dimensions counts as one with one."""
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(f"{operator}: dim must be from {-rank} to {rank - 1}, got {dim}")
    return dim % rank


def processors(device):
    """Returns how many programs run at once: a GPU's multiprocessors, or the CPU's threads."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).multi_processor_count
    return torch.get_num_threads()


def memory_order(x):
    """Returns the permutation that makes a dense tensor contiguous, or None if the tensor has gaps or overlaps."""
    order = sorted(range(x.dim()), key=lambda d: (-x.stride(d), d))
    return order if x.permute(order).is_contiguous() else None


def collapse(shape, *strides):
    """Merges the dimensions that all tensors can walk with one stride. Returns (sizes, strides), outermost dimension first.

    Dimensions come out in the order of the first tensor's strides, so its innermost dimension is the last one; those of
    size 1 are dropped."""
    dims = [d for d in range(len(shape)) if shape[d] != 1]
    dims.sort(key=lambda d: -strides[0][d])
    sizes, merged = [], [[] for _ in strides]
    for d in dims:
        if sizes and all(m[-1] == s[d] * shape[d] for m, s in zip(merged, strides)):
            sizes[-1] *= shape[d]
            for m, s in zip(merged, strides):
                m[-1] = s[d]
            continue
        sizes.append(shape[d])
        for m, s in zip(merged, strides):
            m.append(s[d])
    if not sizes:
        return [1], [[1] for _ in strides]
    return sizes, merged


def differentiable(function, forward, *arguments):
    """Calls `forward`, through the torch.autograd.Function if a gradient is wanted. Both return the result alone."""
    if torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in arguments):
        return function.apply(forward, *arguments)
    return forward(*arguments)[0]
