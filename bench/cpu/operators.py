"""Elementwise operators and reductions over 2^24 fp32 elements against torch's own CPU operators.

Run by bench/cpu/run. Both sides read the same input and have their result's memory ready: torch by out= where that
is not a copy, else from memory that glibc kept (measure.py). Where torch has two ways, the faster counts.
"""
import functools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import measure  # noqa: E402
import torch  # noqa: E402

KERNELS = "bench/cpu/kernels.py"
N = 1 << 24
SHAPES = [(16384, 1024), (4096, 4096), (256, 65536)]
aten = torch.ops.aten


def blocks_of(n, size):
    return ((n + size - 1) // size,)


def difference(a, b):
    return (a - b).abs().max().item()


def add(device):
    x, y, ours, theirs = torch.randn(N), torch.randn(N), torch.empty(N), torch.empty(N)

    def compile():
        return {f"BLOCK_SIZE {block}": device.kernel("examples/add.py", "add_kernel", f"*fp32,*fp32,*fp32,i32,{block}").bind(
            blocks_of(N, block), x, y, ours, N) for block in (1024, 8192)}
    return measure.Case("add", "2^24", {"add(out=)": lambda: torch.add(x, y, out=theirs)}, compile,
                        lambda: difference(ours, theirs), 0, 12 * N, "GB/s")


def gelu(device, form):
    x, ours, theirs = torch.randn(N), torch.empty(N), torch.empty(N)
    kernel = {"tanh": "gelu_tanh_kernel", "none": "gelu_erf_kernel"}[form]

    def compile():
        return {f"BLOCK_SIZE {block}": device.kernel(KERNELS, kernel, f"*fp32,*fp32,i32,{block}").bind(
            blocks_of(N, block), x, ours, N) for block in (1024, 8192)}
    return measure.Case("gelu, tanh" if form == "tanh" else "gelu, erf", "2^24",
                        {"gelu.out": lambda: aten.gelu.out(x, approximate=form, out=theirs)}, compile,
                        lambda: difference(ours, theirs), 1e-5, 8 * N, "GB/s")


def row_sum(device, rows, cols):
    x, ours, theirs = torch.randn(rows, cols), torch.empty(rows), torch.empty(rows)

    def compile():
        kernel = device.kernel(KERNELS, "row_sum_kernel", f"*fp32,*fp32,i32,{cols}")
        return {f"BLOCK_SIZE {cols}": kernel.bind((rows,), x, ours, cols)}
    return measure.Case("row sums", f"{rows} x {cols}", {"sum(out=)": lambda: torch.sum(x, 1, out=theirs)}, compile,
                        lambda: difference(ours, theirs), 1e-6 * cols, 4 * N, "GB/s")


def softmax(device, rows, cols):
    x, ours, theirs = torch.randn(rows, cols), torch.empty(rows, cols), torch.empty(rows, cols)

    def compile():
        kernel = device.kernel(KERNELS, "softmax_kernel", f"*fp32,*fp32,i32,{cols}")
        return {f"BLOCK_SIZE {cols}": kernel.bind((rows,), x, ours, cols)}
    return measure.Case("softmax", f"{rows} x {cols}",
                        {"_softmax.out": lambda: aten._softmax.out(x, -1, False, out=theirs),
                         "softmax": lambda: torch.softmax(x, -1)}, compile,
                        lambda: difference(ours, theirs), 1e-6, 8 * N, "GB/s")


def layer_norm(device, rows, cols):
    x, ours = torch.randn(rows, cols), torch.empty(rows, cols)
    weight, bias, mean, rstd = torch.rand(cols), torch.randn(cols), torch.empty(rows), torch.empty(rows)
    kept = []

    def theirs():  # its out= copies, and takes twice as long
        kept[:] = torch.native_layer_norm(x, (cols,), weight, bias, 1e-5)

    def compile():
        kernel = device.kernel(KERNELS, "layer_norm_kernel", f"*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,i32,fp32,{cols}")
        return {f"BLOCK_SIZE {cols}": kernel.bind((rows,), x, ours, weight, bias, mean, rstd, cols, 1e-5)}
    return measure.Case("layer norm", f"{rows} x {cols}", {"native_layer_norm": theirs}, compile,
                        lambda: difference(ours, kept[0]) + difference(mean, kept[1].flatten()), 1e-4, 8 * N, "GB/s")


def cases(device, threads):
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    yield functools.partial(add, device)
    yield functools.partial(gelu, device, "tanh")
    yield functools.partial(gelu, device, "none")
    for function in (row_sum, softmax, layer_norm):
        for shape in SHAPES:
            yield functools.partial(function, device, *shape)


def versions():
    return {"torch": torch.__version__, "torch's vectors": torch.backends.cpu.get_cpu_capability()}


if __name__ == "__main__":
    sys.exit(measure.main(cases, versions))
