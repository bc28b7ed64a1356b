"""torch.nn.functional.gelu, its inputs and what it costs."""
import torch


def reference(input, *, approximate="none"):
    return torch.nn.functional.gelu(input, approximate=approximate)


def shape_of(case):
    """A shape, or rows and columns, which random cases have."""
    return tuple(case["shape"] if "shape" in case else (case["rows"], case["cols"]))


def make_inputs(case, device, generator):
    x = torch.randn(shape_of(case), generator=generator) * case.get("scale", 2.0)
    kwargs = {"approximate": case["approximate"]} if "approximate" in case else {}
    return (x.to(getattr(torch, case["dtype"])).to(device),), kwargs


def facts(case):
    n = torch.Size(shape_of(case)).numel()
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    return {"bytes": 2 * n * size, "flops": 12 * n}


def tolerance(dtype):
    return {torch.float16: (2e-3, 2e-6), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1e-5, 1e-6)}.get(dtype, (1e-10, 1e-12))
