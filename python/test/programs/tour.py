"""A program as people write them for Triton: nothing in here knows of Tessera. test_dropin.py runs it with `python -m tessera`, and
on a GPU machine with Triton itself too."""
import torch

import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime import driver

DEVICE = driver.active.get_active_torch_device()


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        offsets = tl.arange(0, BLOCK)
        mask = offsets < columns
        values = tl.load(in_ptr + row * in_stride + offsets, mask=mask, other=-float("inf"))
        raised = tl.exp(values - tl.max(values, axis=0))
        tl.store(out_ptr + row * out_stride + offsets, raised / tl.sum(raised, axis=0), mask=mask)


def softmax(x):
    rows, columns = x.shape
    out, block = torch.empty_like(x), triton.next_power_of_2(columns)
    compiled = softmax_kernel.warmup(out, x, x.stride(0), out.stride(0), rows, columns, BLOCK=block, STAGES=2, num_warps=8, grid=(1, ))
    compiled._init_handles()
    assert compiled.n_regs >= 0 and compiled.metadata.shared >= 0
    programs = min(rows, driver.active.utils.get_device_properties(DEVICE.index or 0)["multiprocessor_count"])
    softmax_kernel[(programs, 1, 1)](out, x, x.stride(0), out.stride(0), rows, columns, block, 2, num_warps=8)
    return out


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.autotune(configs=[triton.Config({"BM": m, "BN": n, "BK": 32}, num_stages=3, num_warps=4) for m in (32, 64) for n in (32, 64)],
                 key=["M", "N", "K"])
@triton.heuristics({"EVEN_K": lambda arguments: arguments["K"] % 32 == 0})
@triton.jit
def matmul_kernel(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, ACTIVATION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, EVEN_K: tl.constexpr):
    m = tl.program_id(0) // tl.cdiv(N, BN) * BM + tl.arange(0, BM)
    n = tl.program_id(0) % tl.cdiv(N, BN) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a + (m[:, None] % M * am + k[None, :] * ak)
    b_ptrs = b + (k[:, None] * bk + n[None, :] % N * bn)
    accumulator = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        if EVEN_K:
            accumulator = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), accumulator)
        else:
            left = K - step * BK
            accumulator = tl.dot(tl.load(a_ptrs, mask=k[None, :] < left, other=0.0), tl.load(b_ptrs, mask=k[:, None] < left, other=0.0),
                                 accumulator)
        a_ptrs += BK * ak
        b_ptrs += BK * bk
    if ACTIVATION is not None:
        accumulator = ACTIVATION(accumulator)
    tl.store(c + cm * m[:, None] + cn * n[None, :], accumulator.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a, b, activation=None):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    matmul_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]), )](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1), ACTIVATION=activation)
    return c


@triton.jit
def asin_kernel(x, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + offsets, libdevice.asin(tl.load(x + offsets, mask=offsets < n)), mask=offsets < n)


class Asin(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = x.clone()
        asin_kernel[(1, )](y, y.numel(), BLOCK=128)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, = ctx.saved_tensors
        return dy / (1 - x * x).sqrt()


@triton.testing.perf_report(
    triton.testing.Benchmark(x_names=["size"], x_vals=[64, 128], line_arg="provider", line_vals=["triton", "torch"],
                             line_names=["Triton", "torch"], plot_name="softmax", args={"rows": 4}, ylabel="ms"))
def benchmark(size, rows, provider):
    x = torch.rand(rows, size, device=DEVICE)
    run = {"triton": lambda: softmax(x), "torch": lambda: torch.softmax(x, 1)}[provider]
    return triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8], warmup=1, rep=2)


def main():
    torch.manual_seed(0)
    x = torch.randn(100, 781, device=DEVICE)
    triton.testing.assert_close(softmax(x), torch.softmax(x, 1), atol=1e-5)

    for K in (64, 77):
        a, b = torch.randn((100, K), device=DEVICE).half(), torch.randn((K, 130), device=DEVICE).half()
        expected = a.float() @ b.float()
        triton.testing.assert_close(matmul(a, b).float(), expected, atol=2e-2)
        triton.testing.assert_close(matmul(a, b, leaky_relu).float(), torch.nn.functional.leaky_relu(expected), atol=2e-2)
    assert set(matmul_kernel.best_config.kwargs) == {"BM", "BN", "BK"} and isinstance(matmul_kernel, triton.runtime.Autotuner)

    x = (torch.rand(100, device=DEVICE) * 0.9).requires_grad_()
    y = Asin.apply(x)
    y.sum().backward()
    triton.testing.assert_close(y.detach(), torch.asin(x.detach()), atol=1e-5)
    triton.testing.assert_close(x.grad, 1 / (1 - x.detach()**2).sqrt(), atol=1e-4)

    benchmark.run(print_data=True)
    print(triton.__version__, DEVICE)


if __name__ == "__main__":
    main()
