"""A program for Triton that uses much of its API, correctly: type checkers must find nothing wrong (test_stubs.py). It is not run."""
from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
import triton
import triton.language as tl
from triton import Config, cdiv, next_power_of_2
from triton.compiler import ASTSource, CompiledKernel
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.runtime import Autotuner, JITFunction, driver
from triton.runtime.autotuner import OutOfResources
from triton.runtime.errors import PTXASError
from triton.runtime.jit import KernelInterface, MockTensor, TensorWrapper, reinterpret  # noqa: F401
from triton.testing import Benchmark, do_bench, perf_report
from triton.tools.tensor_descriptor import TensorDescriptor
from triton.backends.compiler import GPUTarget

LOG2E: tl.constexpr = tl.constexpr(1.4426950408889634)
BLOCKS = [32, 64, 128]


def configs() -> List[triton.Config]:
    return [Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=w, num_stages=s, num_ctas=1, maxnreg=None, pre_hook=None)
            for m, n, w, s in itertools.product(BLOCKS, BLOCKS, (4, 8), (2, 3))]


def prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK_M"] <= named_args["M"]]


@triton.autotune(configs=configs(), key=["M", "N", "K"], prune_configs_by={"early_config_prune": prune}, reset_to_zero=["c_ptr"],
                 warmup=5, rep=20, use_cuda_graph=False, cache_results=True)
@triton.heuristics({"EVEN_K": lambda args: args["K"] % 32 == 0, "SPLIT": lambda args: 1})
@triton.jit(do_not_specialize=["M"], debug=False, noinline=False)
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, EVEN_K: tl.constexpr,
           SPLIT: tl.constexpr, BLOCK_K: tl.constexpr = 32, ACT: tl.constexpr = ""):
    pid = tl.program_id(axis=0)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = tl.swizzle2d(pid // num_pid_n, pid % num_pid_n, tl.cdiv(M, BLOCK_M), num_pid_n, 8)
    tl.assume(pid_m >= 0)
    offs_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = tl.max_contiguous(tl.multiple_of(pid_n * BLOCK_N + tl.arange(0, BLOCK_N), BLOCK_N), BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None].to(tl.int64) * stride_am + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), num_stages=3, flatten=True):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs, eviction_policy="evict_last", cache_modifier=".ca")
        else:
            a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
            b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="tf32", out_dtype=tl.float32)
        acc += tl.dot(a, b, allow_tf32=False)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    if ACT == "leaky_relu":
        acc = leaky(acc)
    c = acc.to(c_ptr.dtype.element_ty)
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], c, mask=mask)
    tl.atomic_add(c_ptr + pid, 1.0, sem="relaxed", scope="gpu")


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def combine(a, b):
    return a * 2 + b


@triton.jit
def pair(av, ai, bv, bi):
    take = av > bv
    return tl.where(take, av, bv), tl.where(take, ai, bi)


@triton.jit
def attention(Q, K, V, Out, sm_scale, N_CTX, HEAD: tl.constexpr, BLOCK: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0)
    off_hz = tl.program_id(1)
    qvk_offset = off_hz.to(tl.int64) * N_CTX * HEAD
    q_block = tl.make_block_ptr(base=Q + qvk_offset, shape=(N_CTX, HEAD), strides=(HEAD, 1), offsets=(start * BLOCK, 0),
                                block_shape=(BLOCK, HEAD), order=(1, 0))
    k_desc = tl.make_tensor_descriptor(K + qvk_offset, shape=[N_CTX, HEAD], strides=[HEAD, 1], block_shape=[BLOCK, HEAD])
    m_i = tl.zeros([BLOCK], dtype=tl.float32) - float("inf")
    l_i = tl.full([BLOCK], 1.0, tl.float32)
    acc = tl.zeros([BLOCK, HEAD], dtype=tl.float32)
    q = tl.load(q_block, boundary_check=(0, 1), padding_option="zero")
    lo, hi = 0, (start + 1) * BLOCK if CAUSAL else N_CTX
    for n in range(lo, hi, BLOCK):
        n = tl.multiple_of(n, BLOCK)
        k = k_desc.load([n, 0])
        qk = tl.dot(q, k.T) * sm_scale * LOG2E
        qk = tl.where(start * BLOCK + tl.arange(0, BLOCK)[:, None] >= (n + tl.arange(0, BLOCK)[None, :]), qk, -1.0e6)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None]
        m_i = m_ij
    acc /= l_i[:, None]
    q_block = tl.advance(q_block, (BLOCK, 0))
    s = tl.associative_scan(acc, 0, combine)
    r = tl.reduce(acc, 1, combine)
    v, i = tl.reduce((acc, acc.to(tl.int32)), 0, pair)
    best, where = tl.max(acc, axis=1, return_indices=True, return_indices_tie_break_left=True)
    arg = tl.argmax(acc, axis=1)
    top = tl.topk(acc, 4)
    srt = tl.sort(acc, descending=True)
    cum = tl.cumsum(acc, axis=0, reverse=True)
    h = tl.histogram(acc.to(tl.int32).reshape(BLOCK * HEAD), 16)
    joined = tl.join(acc, acc)
    left, right = joined.split()
    t = tl.trans(acc, 1, 0)
    u = tl.permute(acc, (1, 0))
    w = tl.cat(arg, arg, can_reorder=True)
    g = tl.gather(acc, acc.to(tl.int32), axis=0)
    tl.device_print("acc", acc, hex=True)
    tl.device_assert(l_i > 0, "positive")
    tl.static_assert(HEAD % 16 == 0, "HEAD")
    tl.static_print("HEAD", HEAD)
    y = libdevice.tanh(acc) + cuda_libdevice.erf(acc) + tl.extra.cuda.libdevice.rsqrt(acc)
    z = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [acc], dtype=tl.float32, is_pure=True, pack=1)
    o1, o2 = tl.inline_asm_elementwise(asm="add $0, $1, $2;", constraints="=r,=r,r", args=[acc], dtype=(tl.int32, tl.int32),
                                       is_pure=True, pack=1)
    seed = tl.rand(1234, tl.arange(0, BLOCK)) + tl.randn(5, tl.arange(0, BLOCK), n_rounds=10)
    old = tl.atomic_cas(Out, 0, 1)
    while tl.atomic_xchg(Out, 1) == 1:
        pass
    tl.debug_barrier()
    for j in tl.static_range(4):
        acc += j
    tl.store(Out + tl.arange(0, BLOCK)[:, None] * HEAD + tl.arange(0, HEAD)[None, :], acc.to(Out.type.element_ty))


@triton.jit
def types(x_ptr, n: tl.int32, scale: "tl.float32", flag: tl.constexpr, DTYPE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 16)).to(tl.float8e4nv).to(DTYPE, fp_downcast_rounding="rtne")
    y = x.to(tl.int8, bitcast=True).to(tl.uint32) & 0xFF
    z = (y << 4) | (y >> 2) ^ ~y
    m = tl.min(tl.abs(x.to(tl.float32))) + tl.max(tl.sqrt_rn(x.to(tl.float32)))
    f = tl.fma(m, m, 1.0) + tl.math.fdiv(m, 2.0) + tl.clamp(m, 0.0, 1.0) + tl.sigmoid(m) + tl.softmax(x.to(tl.float32)).sum()
    if x_ptr.dtype.is_ptr() and DTYPE == tl.float32 or flag is not None:
        tl.store(x_ptr, tl.cast(f, DTYPE), mask=n > 0 and not flag)
    w = tl.view(x, (4, 4)) + tl.broadcast_to(tl.expand_dims(x, 1), [16, 16]).sum(1).reshape((4, 4)).trans()
    k = tl.dot_scaled(w, w, "e4m3", w, w, "e5m2", acc=w, out_dtype=tl.float32)
    s = w.shape[0] + w.numel + tl.num_programs(0) + len(w.shape)


def launch(a: torch.Tensor, b: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid: Callable[[Dict[str, Any]], Tuple[int, ...]] = lambda META: (cdiv(M, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)
    matmul[grid](a, b, c, M, N, K, a.stride(0), b.stride(0), ACT="leaky_relu")
    print(matmul.best_config.kwargs, matmul.cache, matmul.fn)
    k = attention[(1, 2, 3)](a, a, a, a, 1.0, 128, HEAD=64, BLOCK=next_power_of_2(100), CAUSAL=True, num_warps=4, num_stages=2)
    print(k.n_regs, k.n_spills, k.metadata.shared, k.asm["ptx"][:10], list(k.asm.keys()))
    w = attention.warmup(torch.float16, torch.float16, torch.float16, torch.float16, 1.0, 64, HEAD=64, BLOCK=64, CAUSAL=False, grid=(1,))
    w._init_handles()
    attention.run(a, a, a, a, 1.0, 128, 64, 64, True, grid=(1,), warmup=False)
    desc = TensorDescriptor(a, list(a.shape), list(a.stride()), [64, 64])
    desc2 = TensorDescriptor.from_tensor(a, [64, 64])
    desc2.block_shape = [32, 32]
    src = ASTSource(fn=attention, signature={"Q": "*fp16", "n": "i32"}, constexprs={"BLOCK": 64})
    compiled: CompiledKernel = triton.compile(src, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
    print(compiled.asm["ttir"], compiled.metadata.name, compiled.hash)
    ms: float = do_bench(lambda: launch(a, b), warmup=25, rep=100)
    lo, mid, hi = do_bench(lambda: launch(a, b), quantiles=[0.2, 0.5, 0.8])
    t = triton.testing.do_bench_cudagraph(lambda: launch(a, b), rep=20, return_mode="median")
    triton.testing.assert_close(c, c, rtol=1e-3, atol=1e-3)
    target = driver.active.get_current_target()
    if target.backend == "cuda" and target.arch >= 90:
        device = driver.active.get_current_device()
        props = driver.active.utils.get_device_properties(device)
        print(props["multiprocessor_count"], props["max_shared_mem"])
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.always_compile = True
    print(triton.__version__, triton.runtime.driver.active, isinstance(attention, triton.JITFunction))
    try:
        matmul[(1,)](a, b, c, M, N, K, 1, 1)
    except (OutOfResources, triton.CompilationError, PTXASError, triton.runtime.errors.OutOfResources) as error:
        print(error)
    return c


@triton.testing.perf_report([
    triton.testing.Benchmark(x_names=["M"], x_vals=[2**i for i in range(8, 12)], x_log=True, line_arg="provider",
                             line_vals=["triton", "torch"], line_names=["Triton", "Torch"], styles=[("blue", "-"), ("green", "--")],
                             ylabel="GB/s", plot_name="matmul", args={"N": 4096})])
def benchmark(M, N, provider):
    quantiles = [0.5, 0.2, 0.8]
    ms, min_ms, max_ms = triton.testing.do_bench(lambda: None, quantiles=quantiles)
    return ms, max_ms, min_ms


kernel: JITFunction = leaky
tuner: Autotuner = matmul
benchmark.run(show_plots=True, print_data=True, save_path=".")
