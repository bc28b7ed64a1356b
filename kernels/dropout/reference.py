"""torch.nn.functional.dropout, its inputs and what it costs; and the mask that a seed defines (arguments.py)."""
import torch

backward = True


def reference(input, p=0.5, training=True, inplace=False, *, seed=None):
    """torch's own, for comparing times: its random numbers are others."""
    return torch.nn.functional.dropout(input, p, training, inplace)


def philox(seed, counters):
    """Four words of Philox 4x32 with ten rounds for each counter (Salmon et al., 2011), as int64."""
    low = 0xFFFFFFFF
    c = [counters & low, torch.zeros_like(counters), torch.zeros_like(counters), torch.zeros_like(counters)]
    k = [seed & low, seed >> 32 & low]
    for _ in range(10):
        products = []
        for factor, word in ((0xD2511F53, c[0]), (0xCD9E8D57, c[2])):  # in two halves: int64 holds 63 bits
            a, b = word * (factor & 0xFFFF), word * (factor >> 16)
            total = (a >> 16) + b
            products.append((total >> 16, (((total & 0xFFFF) << 16) | (a & 0xFFFF)) & low))
        (high0, low0), (high1, low1) = products
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0]
        k = [k[0] + 0x9E3779B9 & low, k[1] + 0xBB67AE85 & low]
    return c


def uniform(seed, n, device="cpu"):
    """The number of each element, as tl.rand4x makes it: the sign is folded away, the rest scaled to [0, 1) in fp32."""
    words = torch.stack(philox(seed, torch.arange((n + 3) // 4, device=device)), 1).reshape(-1)[:n]
    folded = torch.where(words >= 2 ** 31, 2 ** 32 - 1 - words, words)
    return folded.float() * torch.tensor(4.6566127342e-10, device=device)


def check(result, args, kwargs):
    """Returns what is wrong with a result, or None: compares with the mask that the seed defines. Computes where the input is: a CPU takes
    half a minute for the largest."""
    input, *rest = args
    given = dict(zip(("p", "training", "inplace"), rest), **kwargs)
    p = given.get("p", 0.5)
    expected = input.double()
    if given.get("training", True):
        keep = uniform(given["seed"] % 2 ** 31, input.numel(), input.device).reshape(input.shape) >= torch.tensor(p, dtype=torch.float32, device=input.device)
        expected = torch.where(keep, expected / (1 - p) if p < 1 else torch.zeros_like(expected), torch.zeros_like(expected))
    if result.shape != input.shape or result.dtype != input.dtype:
        return f"the result has shape {list(result.shape)} and type {result.dtype}, not those of the input"
    rtol, atol = tolerance(input.dtype)
    wrong = ~torch.isclose(result.double(), expected, rtol=rtol, atol=atol, equal_nan=True)
    if wrong.any():
        first = tuple(wrong.nonzero()[0].tolist())
        return f"{int(wrong.sum())} elements are wrong, first at {list(first)}: {result[first].item()!r}, expected {expected[first].item()!r}"
    return None


def shape_of(case):
    """A shape, or rows and columns, which random cases have."""
    return tuple(case["shape"] if "shape" in case else (case["rows"], case["cols"]))


def make_inputs(case, device, generator):
    x = torch.randn(shape_of(case), generator=generator) + case.get("shift", 0.0)
    kwargs = {name: case[name] for name in ("p", "training", "inplace", "seed") if name in case}
    return (x.to(getattr(torch, case["dtype"])).to(device),), dict({"seed": 123}, **kwargs)


def facts(case):
    n = torch.Size(shape_of(case)).numel()
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    return {"bytes": 2 * n * size, "flops": 20 * n}


def tolerance(dtype):
    return {torch.float16: (1e-3, 1e-4), torch.bfloat16: (8e-3, 1e-3), torch.float32: (1e-6, 1e-7)}.get(dtype, (1e-6, 1e-12))
