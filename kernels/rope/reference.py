"""Rotary position embedding by its definition, its inputs and what it costs."""
import torch


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


def reference(q, k, cos, sin):
    if cos.dim() == 3:
        cos, sin = cos[:, None], sin[:, None]
    return tuple((x * cos + rotate_half(x) * sin).to(x.dtype) for x in (q, k))


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])
    batch, heads, rows, head = case["batch"], case["heads"], case["rows"], case["head"]
    q = torch.randn(batch, rows, heads, head, generator=generator).to(dtype).to(device)
    k = torch.randn(batch, rows, case.get("key_heads", heads), head, generator=generator).to(dtype).to(device)
    angles = torch.arange(rows)[:, None] * 10000.0 ** (-torch.arange(0, head, 2) / max(head, 1))[None, :]
    angles = torch.cat((angles, angles), -1)
    if case.get("batched"):
        angles = angles[None] + torch.arange(batch)[:, None, None]
    cos, sin = (t.to(dtype).to(device) for t in (angles.cos(), angles.sin()))
    if case.get("projected", True):  # [batch, rows, heads, elements] in memory, as a projection leaves them
        q, k = q.transpose(1, 2), k.transpose(1, 2)
    else:
        q, k = q.transpose(1, 2).contiguous(), k.transpose(1, 2).contiguous()
    return (q, k, cos, sin[..., :case["sines"]] if "sines" in case else sin), {}


def facts(case):
    batch, heads, rows, head = case["batch"], case["heads"], case["rows"], case["head"]
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    n = batch * rows * head * (heads + case.get("key_heads", heads))
    return {"bytes": size * (2 * n + 2 * rows * head * (batch if case.get("batched") else 1)), "flops": 3 * n}


def tolerance(dtype):
    return {torch.float16: (2e-3, 2e-3), torch.bfloat16: (1.6e-2, 1.6e-2), torch.float32: (1e-5, 1e-6)}.get(dtype, (1e-10, 1e-10))
