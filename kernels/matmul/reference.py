"""torch.matmul with a bias and an activation, its inputs and what it costs."""
import torch

ACTIVATIONS = {None: lambda x: x, "relu": torch.relu, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu}


def reference(input, other, *, bias=None, activation=None):
    if bias is not None and input.dim() == 2 and other.dim() == 2:
        return ACTIVATIONS[activation](torch.addmm(bias, input, other))
    product = torch.matmul(input, other)
    return ACTIVATIONS[activation](product if bias is None else product + bias)


def fused(input, other, *, bias=None, activation=None):
    """Bias and activation in the epilogue of cuBLASLt's product, which has two of the activations."""
    if bias is None or activation not in ("relu", "gelu"):
        raise NotImplementedError("cuBLASLt's epilogue has a bias, and relu or gelu")
    return torch._addmm_activation(bias, input, other, use_gelu=activation == "gelu")


rivals = {"cuBLASLt": fused}


def shapes(case):
    """The shapes of both arguments; random cases have m, n and k."""
    return (case["a"], case["b"]) if "a" in case else ((case["m"], case["k"]), (case["k"], case["n"]))


def make_inputs(case, device, generator):
    dtype = getattr(torch, case["dtype"])

    def tensor(shape):
        return torch.randn(tuple(shape), generator=generator).to(dtype).to(device)
    first, second = shapes(case)
    a, b = tensor(first), tensor(second)
    if case.get("transposed_b"):
        b = b.transpose(-1, -2).contiguous().transpose(-1, -2)
    kwargs = {"activation": case["activation"]} if "activation" in case else {}
    if case.get("bias"):
        kwargs["bias"] = tensor(second[-1:])
    return (a, b), kwargs


def facts(case):
    a, b = map(torch.Size, shapes(case))
    size = torch.tensor([], dtype=getattr(torch, case["dtype"])).element_size()
    batch = torch.broadcast_shapes(a[:-2], b[:-2]).numel() if len(b) > 2 else a[:-2].numel()
    M, N, K = (a[-2] if len(a) > 1 else 1), (b[-1] if len(b) > 1 else 1), a[-1]
    return {"bytes": size * (a.numel() + b.numel() + batch * M * N), "flops": 2 * batch * M * N * K}


def tolerance(dtype):
    return {torch.float16: (4e-3, 4e-2), torch.bfloat16: (2e-2, 2e-1), torch.float32: (1e-5, 1e-4)}.get(dtype, (1e-10, 1e-10))
