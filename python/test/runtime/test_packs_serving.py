"""Kernels as serving engines write them run from a pack: no compilation, no tuning, in an environment without tools."""
import shutil

from pack_programs import run, tessera

# In the style of vLLM, SGLang and Inductor: types and functions as constants, heuristics, values that are not specialised,
# wrappers that choose blocks by the shape, strides and optional pointers, kernels made by a function.
PROGRAM = '''
import sys, numpy as np
import triton, triton.language as tl


@triton.jit
def silu(x):
    return x / (1 + tl.exp(-x))


@triton.jit
def gelu(x):
    return x * 0.5 * (1 + tl.erf(x * 0.7071067811865475))


@triton.jit
def rms_norm(x_ptr, w_ptr, residual_ptr, out_ptr, stride, n, eps, BLOCK: tl.constexpr, HAS_RESIDUAL: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
    if HAS_RESIDUAL:
        x += tl.load(residual_ptr + row * stride + cols, mask=cols < n, other=0.0)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / n + eps)
    tl.store(out_ptr + row * stride + cols, x * scale * tl.load(w_ptr + cols, mask=cols < n, other=0.0), mask=cols < n)


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit(do_not_specialize=["num_tokens"])
def fused_linear(a_ptr, b_ptr, c_ptr, num_tokens, N, K, stride_am, stride_bk, stride_cm, ACTIVATION: tl.constexpr,
                 compute_type: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                 EVEN_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        rk = k + tl.arange(0, BLOCK_K)
        if EVEN_K:
            a = tl.load(a_ptr + rm[:, None] * stride_am + rk[None, :], mask=rm[:, None] < num_tokens, other=0.0)
            b = tl.load(b_ptr + rk[:, None] * stride_bk + rn[None, :], mask=rn[None, :] < N, other=0.0)
        else:
            a = tl.load(a_ptr + rm[:, None] * stride_am + rk[None, :], mask=(rm[:, None] < num_tokens) & (rk[None, :] < K), other=0.0)
            b = tl.load(b_ptr + rk[:, None] * stride_bk + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    total = ACTIVATION(total)
    tl.store(c_ptr + rm[:, None] * stride_cm + rn[None, :], total.to(compute_type), mask=(rm[:, None] < num_tokens) & (rn[None, :] < N))


def make_pointwise(op):
    """As a code generator makes kernels: each has the same name, and another source."""
    namespace = {"triton": triton, "tl": tl, "__name__": "generated"}
    text = f"""
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + xindex, xmask)
    tl.store(out_ptr0 + xindex, {op}, xmask)
"""
    import linecache
    name = f"<inductor {op}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), namespace)
    return namespace["triton_poi_fused_0"]


compiled = []
triton.knobs.compilation.listener = lambda src, cache_hit, **_: cache_hit or compiled.append(src.name)
rng = np.random.default_rng(1)


def norm(rows, n, residual):
    x, w, r = (rng.standard_normal((rows, n), "float32") for _ in range(3))
    out = np.empty_like(x)
    rms_norm[(rows,)](x, w[0], r if residual else None, out, n, n, 1e-6, BLOCK=triton.next_power_of_2(n), HAS_RESIDUAL=residual, num_warps=8)
    y = x + r if residual else x
    assert np.allclose(out, y / np.sqrt((y * y).mean(1, keepdims=True) + 1e-6) * w[0], atol=1e-4)


def linear(tokens, n, k, activation, expected):
    a, b = rng.standard_normal((tokens, k), "float32"), rng.standard_normal((k, n), "float32")
    c = np.empty((tokens, n), "float32")
    config = {"BLOCK_M": 16 if tokens <= 16 else 32, "BLOCK_N": 32, "BLOCK_K": 32}
    grid = lambda meta: (triton.cdiv(tokens, meta["BLOCK_M"]), triton.cdiv(n, meta["BLOCK_N"]))
    fused_linear[grid](a, b, c, tokens, n, k, k, n, n, ACTIVATION=activation, compute_type=tl.float32, **config, num_stages=3)
    assert np.allclose(c, expected(a @ b), atol=1e-3), (tokens, n, k)


from math import erf
for tokens in map(int, sys.argv[1].split(",")):
    norm(tokens, 96, False)
    norm(tokens, 128, True)
    linear(tokens, 64, 64, silu, lambda x: x / (1 + np.exp(-x)))
    linear(tokens, 40, 72, gelu, lambda x: x * 0.5 * (1 + np.vectorize(erf)(x * 0.7071067811865475)))
    for op, expected in (("tmp0 * 2", lambda x: x * 2), ("tmp0 + 1", lambda x: x + 1)):
        x = rng.standard_normal(tokens * 10, "float32")
        out = np.empty_like(x)
        make_pointwise(op)[(triton.cdiv(x.size, 64),)](x, out, x.size, XBLOCK=64)
        assert np.allclose(out, expected(x))
print("compiled", len(compiled))
'''


def test_kernels_of_serving_engines(tmp_path):
    (tmp_path / "serve.py").write_text(PROGRAM)
    recorded = run(tmp_path, "1,16,17", TESSERA_RECORD=tmp_path / "recorded")
    assert int(recorded.stdout.split()[1]) >= 10
    manifest, pack = tmp_path / "recorded" / "kernels.toml", tmp_path / "model.tpack"
    tessera("pack", manifest, "--targets", "cpu", "-o", pack, "--cache-dir", tmp_path / "build")
    shutil.rmtree(tmp_path / "cache")
    # Other numbers of tokens than those that were recorded, too.
    done = run(tmp_path, "1,16,17,5,32", TESSERA_PACK=pack, TESSERA_ON_COMPILE="error", cache="none")
    assert done.stdout == "compiled 0\n" and done.stderr == "" and not (tmp_path / "none").exists()
    # GPUs: all variants compile without one.
    said = tessera("pack", manifest, "--targets", "cuda:80", "-o", tmp_path / "gpu.tpack", "--cache-dir", tmp_path / "build", "-q")
    assert said == "" and "fused_linear  cuda:80" in tessera("pack", "ls", tmp_path / "gpu.tpack")
