"""torch.add, its inputs and what it costs."""
import torch

backward = True


def reference(input, other, *, alpha=1):
    return torch.add(input, other, alpha=alpha)


def shape_of(case):
    """A shape, or rows and columns, which random cases have."""
    return tuple(case["shape"] if "shape" in case else (case["rows"], case["cols"]))


def shapes(case):
    shape = shape_of(case)
    return shape, tuple(case.get("other", shape))


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])
    tensors = []
    for shape in shapes(case):
        if dtype.is_floating_point:
            tensors.append(torch.randn(shape, generator=generator).to(dtype).to(device))
        else:
            tensors.append(torch.randint(-100, 100, shape, generator=generator).to(dtype).to(device))
    if "number" in case:
        tensors[1] = case["number"]
    return tuple(tensors), {"alpha": case["alpha"]} if "alpha" in case else {}


def facts(case):
    first, second = shapes(case)
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    n = torch.broadcast_shapes(first, second).numel()
    read = torch.Size(first).numel() + (0 if "number" in case else torch.Size(second).numel())
    return {"bytes": size * (read + n), "flops": 2 * n}


def tolerance(dtype):
    return {torch.float16: (1e-3, 1e-4), torch.bfloat16: (8e-3, 1e-3), torch.float32: (1e-6, 1e-6)}.get(dtype, (1e-12, 1e-12))
