"""Inputs of a case: special values, unusual strides, copies in float64; and memory that torch.empty fills with a pattern.

    special = "nan"          some elements of the first argument become NaN
    layout = "transposed"    the same values, with strides in reverse order
"""
import contextlib
import math

SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "zero": 0.0, "large": None, "tiny": None}


def tree(function, value):
    """The same nested tuples, lists and dicts, with function(tensor) for each tensor."""
    import torch
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        return type(value)(tree(function, part) for part in value)
    if isinstance(value, dict):
        return {name: tree(function, part) for name, part in value.items()}
    return value


def tensors(value):
    """All tensors in nested tuples, lists and dicts, in order."""
    found = []
    tree(lambda tensor: found.append(tensor) or tensor, value)
    return found


def in_float64(value):
    import torch
    return tree(lambda t: t.detach().to(torch.float64) if t.dtype.is_floating_point else t, value)


def adapt(args, kwargs, case, generator):
    """Applies the keys `special` and `layout` of a case."""
    args = list(args)
    if case.get("layout"):
        chosen = case.get("layout_args", range(len(args)))
        for i in chosen:
            args[i] = tree(lambda t: with_layout(t, case["layout"]), args[i])
    if case.get("special"):
        for i in case.get("special_args", [0]):
            for tensor in tensors(args[i]):
                plant(tensor, case["special"], generator)
    return tuple(args), kwargs


def plant(tensor, special, generator):
    """Sets about one element of 50, at least one, to a special value."""
    import torch
    if not tensor.dtype.is_floating_point or not tensor.numel():
        return
    limits = torch.finfo(tensor.dtype)
    value = {"large": limits.max / 4, "tiny": limits.tiny / 4}.get(special, SPECIAL.get(special))
    if value is None:
        raise ValueError(f"special = {special!r} is none of {', '.join(SPECIAL)}")
    count = max(1, tensor.numel() // 50)
    places = torch.randint(0, tensor.numel(), (count,), generator=generator)
    mask = torch.zeros(tensor.numel(), dtype=torch.bool)
    mask[places] = True
    with torch.no_grad():
        tensor.masked_fill_(mask.reshape(tensor.shape).to(tensor.device), value)


def with_layout(tensor, layout):
    """A tensor of the same shape with other strides."""
    import torch
    if not tensor.dim():
        return tensor
    if layout == "strided":
        wide = torch.zeros(*tensor.shape[:-1], tensor.shape[-1] * 2, dtype=tensor.dtype, device=tensor.device)
        view = wide[..., ::2]
    elif layout == "transposed":
        order = tuple(range(tensor.dim()))[::-1]
        view = torch.zeros(tensor.permute(order).shape, dtype=tensor.dtype, device=tensor.device).permute(order)
    elif layout == "offset":
        flat = torch.zeros(tensor.numel() + 1, dtype=tensor.dtype, device=tensor.device)
        view = flat[1:].view(tensor.shape)
    elif layout == "broadcast":
        return tensor[:1].expand(tensor.shape) if tensor.shape[0] else tensor
    else:
        raise ValueError(f"layout = {layout!r} is none of strided, transposed, offset, broadcast")
    view.copy_(tensor)
    return view


# ---- large random inputs ---------------------------------------------------------------------------

LARGE = 1 << 20  # elements


@contextlib.contextmanager
def random_on_device(device):
    """Within it, torch.randn, rand and randint with a CPU generator make large tensors on the GPU, from a generator with the same seed."""
    import torch
    originals = {name: getattr(torch, name) for name in ("randn", "rand", "randint")}
    made = {}

    def on_device(original):
        def function(*args, generator=None, **kwargs):
            sizes = kwargs.get("size") or next((a for a in reversed(args) if isinstance(a, (tuple, list))), None)
            sizes = sizes if sizes is not None else [a for a in args if isinstance(a, int)]
            if generator is None or generator.device.type != "cpu" or kwargs.get("device") not in (None, "cpu") or math.prod(sizes) < LARGE:
                return original(*args, generator=generator, **kwargs)
            own = made.setdefault(generator.initial_seed(), torch.Generator(device=device).manual_seed(generator.initial_seed()))
            return original(*args, generator=own, **{**kwargs, "device": device})
        return function
    try:
        for name, original in originals.items():
            setattr(torch, name, on_device(original))
        yield
    finally:
        for name, original in originals.items():
            setattr(torch, name, original)


# ---- uninitialized memory ---------------------------------------------------------------------------

def fill(tensor, pattern):
    """Fills memory that nobody has written: with NaN, or with a number that is easy to recognize."""
    import torch
    if tensor.numel() == 0:
        return tensor
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
        tensor.fill_(math.nan if pattern == "nan" else 1234.5)
    elif tensor.dtype is not torch.bool:
        tensor.fill_(100 if pattern == "nan" else 77)
    else:
        tensor.fill_(pattern == "nan")
    return tensor


@contextlib.contextmanager
def uninitialized(pattern):
    """Within it, torch's functions that return uninitialized memory return memory with a pattern."""
    import torch
    places = [(torch, "empty"), (torch, "empty_like"), (torch, "empty_strided"), (torch.Tensor, "new_empty")]
    originals = [(owner, name, getattr(owner, name)) for owner, name in places]

    def patched(original):
        return lambda *args, **kwargs: fill(original(*args, **kwargs), pattern)
    try:
        for owner, name, original in originals:
            setattr(owner, name, patched(original))
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)
