"""What all versions of mha do with their arguments."""
import math

import torch

from ..shared import require_floating, require_same_device

NO_MASK, BOOL_MASK, ADDITIVE_MASK = 0, 1, 2


def four_dimensions(x):
    """Returns a tensor as [batch, heads, rows, elements]; elements are contiguous."""
    x = x.reshape(-1, *x.shape[-3:]) if x.dim() > 4 else x[(None,) * (4 - x.dim())]
    return x if x.stride(-1) == 1 or x.shape[-1] == 1 else x.contiguous()


def check(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa):
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if not isinstance(tensor, torch.Tensor) or tensor.dim() < 2:
            raise ValueError(f"mha: {name} must be a tensor with at least 2 dimensions")
    require_floating("mha", query=query, key=key, value=value)
    require_same_device("mha", query=query, key=key, value=value, attn_mask=attn_mask)
    if not query.dtype == key.dtype == value.dtype:
        raise TypeError(f"mha: query, key and value must have one type, got {query.dtype}, {key.dtype} and {value.dtype}")
    if dropout_p:
        raise NotImplementedError("mha: dropout_p is not supported")
    if attn_mask is not None and is_causal:
        raise ValueError("mha: attn_mask and is_causal exclude each other")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"mha: query and key must have the same last size, got {query.shape[-1]} and {key.shape[-1]}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"mha: key and value must have the same number of rows, got {key.shape[-2]} and {value.shape[-2]}")
    if max(query.shape[-1], value.shape[-1]) > 256:
        raise NotImplementedError("mha: a head has at most 256 elements")
    if attn_mask is not None and attn_mask.requires_grad:
        raise NotImplementedError("mha: the gradient of attn_mask is not supported")
    heads, key_heads = (x.shape[-3] if x.dim() > 2 else 1 for x in (query, key))
    if enable_gqa and (key_heads == 0 or heads % key_heads):
        raise ValueError(f"mha: the heads of query must be a multiple of those of key, got {heads} and {key_heads}")
    if not enable_gqa and heads != key_heads and 1 not in (heads, key_heads):
        raise ValueError(f"mha: query and key must have the same number of heads without enable_gqa, got {heads} and {key_heads}")


def prepare(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """Returns (q, k, v, mask, causal, scale): tensors of four dimensions, and the mask expanded to [batch, heads, rows, keys]."""
    check(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa)
    q, k, v = (four_dimensions(x) for x in (query, key, value))
    batch = torch.broadcast_shapes(q.shape[:1], k.shape[:1], v.shape[:1])[0]
    if not enable_gqa:
        heads = torch.broadcast_shapes(q.shape[1:2], k.shape[1:2], v.shape[1:2])[0]
        q, k, v = (x.expand(batch, heads, *x.shape[2:]) for x in (q, k, v))
    q, k, v = (x.expand(batch, *x.shape[1:]) for x in (q, k, v))
    mask = attn_mask
    if mask is not None:
        if mask.dtype != torch.bool and mask.dtype != query.dtype:
            raise TypeError(f"mha: attn_mask must be of type bool or of query's type {query.dtype}, got {mask.dtype}")
        mask = four_dimensions(mask).expand(batch, q.shape[1], q.shape[2], k.shape[2])
    return q, k, v, mask, bool(is_causal), 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else float(scale)


def result_shape(query, key, value, enable_gqa):
    """The shape that torch's result has: of query, broadcast with the others, with value's last size."""
    if query.dim() == key.dim() and query.shape[:-2] == key.shape[:-2] or enable_gqa:
        lead = query.shape[:-2]
    else:
        lead = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    return (*lead, query.shape[-2], value.shape[-1])


def mask_facts(mask, q):
    """Returns (pointer, strides, kind) that kernels take for a mask or for none."""
    if mask is None:
        return q, (0, 0, 0, 0), NO_MASK
    if mask.dtype == torch.bool:
        return mask.view(torch.uint8), mask.stride(), BOOL_MASK
    return mask, mask.stride(), ADDITIVE_MASK


def outputs(q, v):
    """Empty tensors for the result and for the logarithm (base 2) of each row's sum of exponentials."""
    batch, heads, rows, _ = q.shape
    out = torch.empty(batch, heads, rows, v.shape[-1], dtype=q.dtype, device=q.device)
    return out, torch.empty(batch, heads, rows, dtype=torch.float64 if q.dtype == torch.float64 else torch.float32, device=q.device)
