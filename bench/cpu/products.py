"""matmul against NumPy's BLAS, and attention against its composition from matmuls and a softmax.

Run by bench/cpu/run, whose environment variables hold every BLAS to the number of threads. The kernels are those of
examples/, each with a few block sizes of which the fastest counts, as an autotuner would choose.
For attention the fastest composition counts, of NumPy's and torch's; torch's fused operator is listed beside it.
"""
import functools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import measure  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

TYPES = {torch.float32: "fp32", torch.float16: "fp16"}
MATMUL_BLOCKS = [(64, 64, 64), (64, 128, 128), (128, 128, 64), (128, 128, 256)]
ATTENTION_BLOCKS = [(64, 32), (64, 64), (128, 64), (128, 128)]


def matmul(device, size):
    a, b, ours, theirs = (torch.randn(size, size) for _ in range(4))
    arrays = [tensor.numpy() for tensor in (a, b, theirs)]

    def compile():
        found = {}
        for m, n, k in MATMUL_BLOCKS:
            kernel = device.kernel("examples/matmul.py", "matmul_kernel", "*fp32:16,*fp32:16,*fp32:16,i32,i32,i32,"
                                   f"i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,{m},{n},{k},8,0")
            grid = (-(-size // m) * -(-size // n),)
            found[f"{m} x {n} x {k}"] = kernel.bind(grid, a, b, ours, size, size, size, size, size, size)
        return found
    return measure.Case("matmul, fp32", f"{size}^3", {"numpy.matmul(out=)": lambda: numpy.matmul(*arrays[:2], out=arrays[2])},
                        compile, lambda: (ours - theirs).abs().max().item(), 1e-3, 2 * size**3, "GFLOP/s",
                        {"torch.mm(out=)": lambda: torch.mm(a, b, out=theirs)})


def numpy_attention(q, k, v, scale, causal):
    scores = numpy.matmul(q, k.swapaxes(2, 3))
    scores *= scale
    if causal:
        scores[..., numpy.triu(numpy.ones(scores.shape[-2:], bool), 1)] = -numpy.inf
    scores -= scores.max(axis=-1, keepdims=True)
    numpy.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return numpy.matmul(scores, v)


def torch_attention(q, k, v, scale, mask, dtype):
    scores = torch.matmul(q.to(dtype), k.to(dtype).transpose(2, 3)) * scale
    if mask is not None:
        scores.masked_fill_(mask, -float("inf"))
    return torch.matmul(torch.softmax(scores, -1), v.to(dtype)).to(q.dtype)


def attention(device, dtype, causal, batch, heads, length, dim):
    q, k, v = (torch.randn(batch, heads, length, dim).to(dtype) for _ in range(3))
    ours, lse, scale = torch.empty_like(q), torch.empty(batch, heads, length), dim**-0.5
    mask = torch.ones(length, length).triu(1).bool() if causal else None
    kept = []

    def compose(name):
        if name == "numpy":
            return lambda: kept.__setitem__(slice(None), [torch.from_numpy(numpy_attention(*arrays, scale, causal))])
        return lambda: kept.__setitem__(slice(None), [torch_attention(q, k, v, scale, mask, name)])

    arrays = [tensor.numpy() for tensor in (q, k, v)]
    peers = {"torch": compose(torch.float32)}
    if dtype == torch.float16:
        peers = {"torch in fp32": compose(torch.float32), "torch in fp16": compose(torch.float16)}
    else:
        peers["numpy"] = compose("numpy")

    def compile():
        found = {}
        kind = TYPES[dtype]
        for m, n in ATTENTION_BLOCKS:
            kernel = device.kernel("examples/attention.py", "attention_kernel", f"*{kind}:16,*{kind}:16,*{kind}:16,*{kind}:16,"
                                   f"*fp32:16,fp32,{'i32:16,' * 12}i32,i32,{dim},{m},{n},{int(causal)}")
            strides = [stride for tensor in (q, k, v, ours) for stride in tensor.stride()[:3]]
            found[f"{m} x {n}"] = kernel.bind((-(-length // m), batch * heads), q, k, v, ours, lse, scale, *strides, heads, length)
        return found

    def error():
        return (ours.float() - kept[0].float()).abs().max().item()
    flops = 4 * batch * heads * length * length * dim // (2 if causal else 1)
    name = f"attention, {TYPES[dtype]}{', causal' if causal else ''}"
    return measure.Case(name, f"{batch} x {heads} x {length} x {dim}", peers, compile, error,
                        1e-3 if dtype == torch.float32 else 4e-3, flops, "GFLOP/s",
                        {"torch's fused operator": lambda: torch.nn.functional.scaled_dot_product_attention(
                            q, k, v, is_causal=causal)})


def cases(device, threads):
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    yield functools.partial(matmul, device, 1024)
    for dtype in (torch.float32, torch.float16):
        for causal in (False, True):
            for length in (1024, 2048):
                yield functools.partial(attention, device, dtype, causal, 1, 8, length, 64)


def versions():
    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"] if numpy.__version__ >= "1.25" else {}
    return {"torch": torch.__version__, "NumPy": numpy.__version__,
            "NumPy's BLAS": " ".join(str(blas.get(key, "")) for key in ("name", "version")).strip() or "unknown"}


if __name__ == "__main__":
    sys.exit(measure.main(cases, versions))
