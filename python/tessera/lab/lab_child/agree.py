"""Compares results with a reference, and describes the first wrong element.

An element is right if |a - b| <= rtol * |b| + atol * s, where s is the root mean square of b, at least 1e-6; or if its error is at
most three times the largest error that torch makes in the same type, or the distance of that type's smallest numbers; or if it is
exactly what torch computes in that type. NaN must meet NaN, and an infinity the same infinity.
"""
import math

TORCH_FACTOR = 3.0
CHUNK = 1 << 24  # elements that are compared at once: a comparison takes many times their memory


def flatten(value):
    """The tensors of a result, a tensor or nested tuples of them."""
    from .inputs import tensors
    return tensors(value)


def describe(index, shape):
    """[3, 17]: the coordinates of a flat index."""
    where = []
    for extent in reversed(shape):
        where.append(index % extent)
        index //= extent
    return "[" + ", ".join(str(i) for i in reversed(where)) + "]"


def number(value):
    return str(value) if isinstance(value, (bool, int)) else f"{value:.6g}"


def torch_error(wanted, native):
    """The largest error of torch's result in the case's own type; 0 where there is none to compare."""
    import torch
    if native is None or native.shape != wanted.shape:
        return 0.0
    difference = (native.to(torch.float64) - wanted.to(torch.float64)).abs()
    difference = difference[difference.isfinite()]
    return difference.max().item() if difference.numel() else 0.0


def wrong_elements(found, wanted, native, tolerance):
    """(a mask of wrong elements, the largest error relative to the reference's size)"""
    import torch
    if not found.dtype.is_floating_point:
        return found != wanted.to(found.dtype), 0.0
    a, b = found.to(torch.float64), wanted.to(torch.float64)
    rtol, atol = tolerance
    b = b.to(found.dtype).to(torch.float64) if found.dtype != torch.float64 else b  # what overflows to inf there is inf here
    finite = b[b.isfinite()]
    size = max(1e-6, finite.square().mean().sqrt().item()) if finite.numel() else 1.0
    error = (a - b).abs()
    kind = torch.finfo(found.dtype)
    slack = max(TORCH_FACTOR * torch_error(wanted, native), kind.tiny * kind.eps)
    near = a.isfinite() & b.isfinite() & ((error <= rtol * b.abs() + atol * size) | (error <= slack))
    right = (a == b) | (a.isnan() & b.isnan()) | near
    if native is not None and native.shape == found.shape:  # what overflows in torch may overflow here
        right |= (found == native) | (found.isnan() & native.isnan())
    finite_error = error[error.isfinite()]
    return ~right, (finite_error.max().item() / size if finite_error.numel() else 0.0)


def compare(found, wanted, native, tolerance_of):
    """(None or a dict about the first wrong element, the largest relative error). `tolerance_of(dtype)` gives (rtol, atol)."""
    found, wanted = flatten(found), flatten(wanted)
    natives = flatten(native) if native is not None else [None] * len(wanted)
    if len(found) != len(wanted):
        return {"what": "count", "message": f"{len(found)} results instead of {len(wanted)}"}, math.inf
    worst = 0.0
    for i, (a, b) in enumerate(zip(found, wanted)):
        own = natives[i] if i < len(natives) else None
        problem, error = compare_one(a.detach(), b.detach(), own, tolerance_of, f"result {i}" if len(found) > 1 else "the result")
        worst = max(worst, error)
        if problem:
            return problem, worst
    return None, worst


def compare_one(a, b, native, tolerance_of, name):
    if tuple(a.shape) != tuple(b.shape):
        return {"what": "shape", "message": f"{name} has shape {list(a.shape)} instead of {list(b.shape)}"}, math.inf
    if native is not None and a.dtype != native.dtype:
        return {"what": "dtype", "message": f"{name} is {a.dtype} instead of {native.dtype}"}, math.inf
    if not a.numel():
        return None, 0.0
    if a.numel() > CHUNK:
        return compare_chunks(a, b, native, tolerance_of, name)
    wrong, error = wrong_elements(a, b.to(a.device), None if native is None else native.detach(), tolerance_of(a.dtype))
    count = int(wrong.sum())
    if not count:
        return None, error
    first = int(wrong.reshape(-1).to("cpu").int().argmax())
    got, expected = a.reshape(-1)[first].item(), b.reshape(-1)[first].item()
    where = describe(first, a.shape)
    return {"what": "value", "index": where, "got": number(got), "expected": number(expected), "wrong": count, "of": a.numel(),
            "message": f"{name}{where} is {number(got)} instead of {number(expected)}; "
                       f"{count} of {a.numel()} elements are wrong"}, error


def compare_chunks(a, b, native, tolerance_of, name):
    """compare_one for large results, a part at a time; each part has its own root mean square."""
    worst = 0.0
    flat_a, flat_b = a.reshape(-1), b.reshape(-1)
    flat_native = None if native is None else native.detach().reshape(-1)
    for start in range(0, a.numel(), CHUNK):
        part = slice(start, start + CHUNK)
        problem, error = compare_one(flat_a[part], flat_b[part], None if native is None else flat_native[part], tolerance_of, name)
        worst = max(worst, error)
        if problem:
            where = describe(start + int(problem["index"].strip("[]")), a.shape)
            problem.update(index=where, of=a.numel(), message=f"{name}{where} is {problem['got']} instead of {problem['expected']}; "
                           f"{problem['wrong']} of {flat_a[part].numel()} elements around it are wrong")
            return problem, worst
    return None, worst


def bits(tensor):
    """A copy that equal bits make equal, NaN included."""
    import torch
    flat = tensor.detach().contiguous().reshape(-1)
    if not flat.numel() or flat.dtype == torch.bool:
        return flat.clone()
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return flat.view(kinds.get(flat.element_size(), torch.uint8)).clone()


def same_bits(one, other):
    import torch
    return len(one) == len(other) and all(a.shape == b.shape and torch.equal(a, b) for a, b in zip(one, other))
