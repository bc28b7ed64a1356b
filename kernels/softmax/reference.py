"""torch.softmax, its inputs and what it costs."""
import torch

backward = True


def reference(input, dim, *, dtype=None):
    return torch.softmax(input, dim, dtype=dtype)


def high_precision(input, dim, *, dtype=None):
    return torch.softmax(input.double(), dim)


def shape_of(case):
    """A shape, or rows and columns, which random cases have."""
    return tuple(case["shape"] if "shape" in case else (case["rows"], case["cols"]))


def make_inputs(case, device, generator):
    x = torch.randn(shape_of(case), generator=generator) * case.get("scale", 1.0)
    kwargs = {"dtype": getattr(torch, case["to"])} if "to" in case else {}
    return (x.to(getattr(torch, case["dtype"])).to(device), case.get("dim", -1)), kwargs


def facts(case):
    n = torch.Size(shape_of(case)).numel()
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    return {"bytes": 2 * n * size, "flops": 5 * n}


def tolerance(dtype):
    return {torch.float16: (2e-3, 1e-6), torch.bfloat16: (1.6e-2, 1e-6), torch.float32: (2e-5, 1e-7)}.get(dtype, (1e-10, 1e-12))
