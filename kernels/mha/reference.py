"""torch.nn.functional.scaled_dot_product_attention, its inputs and what it costs."""
import math

import torch

backward = True


def plain(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """The definition; a row in which everything is masked is 0, as in torch."""
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(times, -3), value.repeat_interleave(times, -3)
    scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -float("inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    nothing = (scores == -float("inf")).all(-1, keepdim=True)
    return torch.softmax(scores.masked_fill(nothing, 0), -1).masked_fill(nothing, 0) @ value


def reference(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    attention = getattr(torch.nn.functional, "scaled_dot_product_attention", None)
    if attention is None:  # torch before 2.0
        return plain(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    more = {"enable_gqa": True} if enable_gqa else {}
    return attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, **more)


def cudnn(*args, **kwargs):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return reference(*args, **kwargs)


rivals = {"cuDNN": cudnn}


def high_precision(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    mask = attn_mask if attn_mask is None or attn_mask.dtype == torch.bool else attn_mask.double()
    return plain(query.double(), key.double(), value.double(), mask, dropout_p, is_causal, scale, enable_gqa)


def sizes(case):
    rows = case["rows"]
    return case["batch"], case["heads"], case.get("key_heads", case["heads"]), rows, case.get("keys", rows), case["head"], case.get("value", case["head"])


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])
    batch, heads, key_heads, rows, keys, head, value = sizes(case)
    shapes = ((batch, heads, rows, head), (batch, key_heads, keys, head), (batch, key_heads, keys, value))
    args = tuple(torch.randn(s, generator=generator).to(dtype).to(device) for s in shapes)
    kwargs = {"is_causal": True} if case.get("causal") else {}
    kind = case.get("mask")
    if kind == "bool":
        mask = torch.rand(rows, keys, generator=generator) < 0.7
        mask[:1] = False  # a row in which everything is masked
        kwargs["attn_mask"] = mask.to(device)
    elif kind == "additive":
        kwargs["attn_mask"] = torch.randn(batch, 1, rows, keys, generator=generator).to(dtype).to(device)
    if "scale" in case:
        kwargs["scale"] = case["scale"]
    if key_heads != heads and case.get("gqa", True):
        kwargs["enable_gqa"] = True
    if "dropout_p" in case:
        kwargs["dropout_p"] = case["dropout_p"]
    return args, kwargs


def facts(case):
    batch, heads, key_heads, rows, keys, head, value = sizes(case)
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    flops = 2 * batch * heads * rows * keys * (head + value)
    return {"bytes": size * batch * (heads * rows * (head + value) + key_heads * keys * (head + value)),
            "flops": flops // 2 if case.get("causal") else flops}


def tolerance(dtype):
    return {torch.float16: (3e-3, 3e-3), torch.bfloat16: (2e-2, 2e-2), torch.float32: (2e-5, 2e-5)}.get(dtype, (1e-6, 1e-6))
