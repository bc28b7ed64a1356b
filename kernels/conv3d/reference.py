"""torch.nn.functional.conv3d, its inputs and what it costs."""
import torch


def reference(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return torch.nn.functional.conv3d(input, weight, bias, stride, padding, dilation, groups)


def shapes(case):
    """The shapes of input and weight; random cases have numbers of channels and sides of cubes."""
    if "input" in case:
        return case["input"], case["weight"]
    return (1, case["channels"], *[case["side"]] * 3), (case["filters"], case["channels"], *[case["filter_side"]] * 3)


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])

    def tensor(shape):
        return torch.randn(tuple(shape), generator=generator).to(dtype).to(device)
    first, second = shapes(case)
    x, weight = tensor(first), tensor(second)
    if case.get("channels_last"):
        x = x.contiguous(memory_format=torch.channels_last_3d)
    bias = tensor(second[:1]) if case.get("bias", True) else None
    return (x, weight, bias), {name: case[name] for name in ("stride", "padding", "dilation", "groups") if name in case}


def facts(case):
    def three(name, default):
        value = case.get(name, default)
        if isinstance(value, str):  # padding: "valid" is none, "same" about half of the filter's reach
            value = 0 if value == "valid" else [k // 2 for k in shapes(case)[1][2:]]
        return [value] * 3 if isinstance(value, int) else value
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    x, w = shapes(case)
    out = [(s + 2 * p - l * (k - 1) - 1) // t + 1
           for s, p, l, k, t in zip(x[-3:], three("padding", 0), three("dilation", 1), w[2:], three("stride", 1))]
    n = (x[0] if len(x) == 5 else 1) * w[0] * torch.Size(out).numel()
    return {"bytes": size * (torch.Size(x).numel() + torch.Size(w).numel() + n), "flops": 2 * n * torch.Size(w[1:]).numel()}


def tolerance(dtype):
    """fp32 may be tf32 on a GPU, in torch as here."""
    fp32 = (3e-3, 5e-2) if torch.cuda.is_available() and torch.backends.cudnn.allow_tf32 else (1e-5, 1e-4)
    return {torch.float16: (4e-3, 4e-2), torch.bfloat16: (2e-2, 3e-1), torch.float32: fp32}.get(dtype, (1e-10, 1e-10))
