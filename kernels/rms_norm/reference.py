"""torch.nn.functional.rms_norm, its inputs and what it costs."""
import torch

backward = True


def reference(input, normalized_shape, weight=None, eps=None):
    if hasattr(torch.nn.functional, "rms_norm"):
        return torch.nn.functional.rms_norm(input, normalized_shape, weight, eps)
    return high_precision(input, normalized_shape, weight, eps).to(input.dtype)  # torch before 2.4


def high_precision(input, normalized_shape, weight=None, eps=None):
    """The definition in fp64; the default of eps belongs to the type before the conversion, and is too small to be seen."""
    dims = tuple(range(-len(normalized_shape), 0))
    x = input.double()
    y = x * torch.rsqrt((x * x).mean(dims, keepdim=True) + (1.2e-7 if eps is None else eps))
    return y if weight is None else y * weight.double()


def shape_of(case):
    """A shape, or rows and columns, which random cases have."""
    return tuple(case["shape"] if "shape" in case else (case["rows"], case["cols"]))


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])
    shape, over = shape_of(case), case.get("over", 1)

    def tensor(size, shift):
        return (torch.randn(size, generator=generator) + shift).to(dtype).to(device)
    normalized = shape[-over:]
    x = tensor(shape, case.get("shift", 0.5))
    weight = tensor(normalized, 1.0) if case.get("weight", True) else None
    return (x, list(case.get("normalized", normalized)), weight), {"eps": case["eps"]} if "eps" in case else {}


def facts(case):
    shape = torch.Size(shape_of(case))
    n = torch.Size(shape_of(case)[-case.get("over", 1):]).numel()
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    return {"bytes": (2 * shape.numel() + n) * size, "flops": 4 * shape.numel()}


def tolerance(dtype):
    return {torch.float16: (2e-3, 4e-3), torch.bfloat16: (1.6e-2, 3e-2), torch.float32: (1e-5, 2e-5)}.get(dtype, (1e-10, 1e-10))
