"""torch.nn.functional.cross_entropy, its inputs and what it costs."""
import torch

backward = True


def reference(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    return torch.nn.functional.cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)


def shape_of(case):
    """A shape, or rows and columns, which random cases have."""
    return tuple(case["shape"] if "shape" in case else (case["rows"], case["cols"]))


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])
    shape = shape_of(case)
    classes = shape[0] if len(shape) == 1 else shape[1]
    places = () if len(shape) == 1 else (shape[0], *shape[2:])
    x = (torch.randn(shape, generator=generator) * case.get("scale", 2.0)).to(dtype).to(device)
    target = torch.randint(0, max(classes, 1), places, generator=generator)
    kwargs = {name: case[name] for name in ("reduction", "label_smoothing", "ignore_index") if name in case}
    if case.get("ignored"):
        target = torch.where(torch.rand(places, generator=generator) < 0.3, torch.tensor(case.get("ignore_index", -100)), target)
    if case.get("weight"):
        kwargs["weight"] = (torch.rand(classes, generator=generator) + 0.5).to(dtype).to(device)
    if "target" in case:
        target = torch.zeros(tuple(case["target"]), dtype=torch.int64)
    return (x, target.to(device)), kwargs


def facts(case):
    n = torch.Size(shape_of(case)).numel()
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    return {"bytes": n * size, "flops": 4 * n}


def tolerance(dtype):
    return {torch.float16: (2e-3, 2e-3), torch.bfloat16: (1.6e-2, 1.6e-2), torch.float32: (2e-5, 2e-5)}.get(dtype, (1e-7, 1e-7))
