"""Every kernel of examples/: compiles to TTIR for each of its signatures, and computes what NumPy computes.

The numbers are checked on every device that can run the kernel, on the CPU with several numbers of threads.
"""
import os
import re
import subprocess

import numpy as np
import pytest

import features
import signatures
from launch import BF16, EXAMPLES, FP16, FP32, I8, I32, TESSERA, blocks, poison
from session import Addresses, Inside

TESSERA_OPT = os.path.join(os.path.dirname(TESSERA), "tessera-opt")
CASES = signatures.cases("^examples/")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kernel}-{case.signature}")
def test_compiles_to_ttir(case):
    """The text is valid TTIR of one public function, prints the same twice, and knows where each operation came from."""
    command = [*case.command(TESSERA), "--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    assert re.findall(r"tt\.func (\w+) @(\w+)", done.stdout) == [("public", case.kernel)]
    assert subprocess.run(command, capture_output=True, text=True, timeout=300).stdout == done.stdout
    parsed = subprocess.run([TESSERA_OPT, "-", "--mlir-print-debuginfo"], input=done.stdout, capture_output=True, text=True,
                            timeout=300)
    assert parsed.returncode == 0, parsed.stderr
    assert "loc(unknown)" not in done.stdout


@pytest.mark.parametrize("name", sorted({os.path.basename(case.file)[:-3] for case in CASES} - {"add"}))
def test_checks_pass_in_tritons_interpreter(name):
    """Each file's own comparison with torch: the examples are right in Triton's eyes."""
    python = features.triton_python()
    if not python:
        pytest.skip(features.WHY_NOT["triton"])
    probe = "import numpy, torch, triton; assert triton.__version__ == '3.6.0'; print(numpy.__version__)"
    found = subprocess.run([python, "-c", probe], capture_output=True, text=True)
    if found.returncode:
        pytest.skip("no torch and Triton 3.6.0 in that Python")
    if tuple(map(int, found.stdout.split(".")[:2])) >= (2, 4):
        pytest.skip(f"Triton's interpreter does not work with NumPy {found.stdout.strip()}")
    done = subprocess.run([python, "-B", os.path.join(EXAMPLES, name + ".py")], capture_output=True, text=True, timeout=600,
                          env=dict(os.environ, TRITON_INTERPRET="1", CUDA_VISIBLE_DEVICES=""))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def example(run):
    """example("FILE:KERNEL SIGNATURE", grid, arguments): the arrays after a launch, whatever the number of threads."""
    def launch(case, grid, arguments):
        place, signature = case.split(" ")
        file, kernel = place.split(":")
        return run(os.path.join(EXAMPLES, file), kernel, signature, grid, arguments, threads=(1, 2, 7))
    return launch


def normal(dtype, *shape, seed=1):
    values = np.random.default_rng([seed, *shape]).standard_normal(shape)
    return dtype.narrow(values) if dtype.is_float else (values * 40).round().clip(-128, 127).astype(dtype.storage)


def assert_near(dtype, actual, expected, what, terms=1, through_dot_on="cpu"):
    """Within a few roundings of the type, relative to the largest result; `terms` is how many were added up."""
    digits = {"fp16": 11, "bf16": 8, "fp32": 24}[dtype.name]
    if through_dot_on != "cpu":
        digits = min(digits, 11)  # a GPU's tl.dot rounds fp32 to tf32
    tolerance = 4 * max(1, np.abs(expected).max()) * (2.0**-digits + terms**0.5 * 2.0**-23)
    error = np.abs(dtype.widen(actual).reshape(expected.shape) - expected).max()
    assert error <= tolerance, f"{what}: off by {error}, more than {tolerance}"


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("n_cols", [1, 31, 97, 128])
@pytest.mark.parametrize("dtype", [FP32, FP16, BF16], ids=lambda t: t.name)
@pytest.mark.parametrize("kernel", ["softmax_kernel", "online_softmax_kernel"])
def test_softmax(example, kernel, dtype, n_cols):
    x = normal(dtype, 5, n_cols)
    rows, block = ("i32,i32,", 128) if kernel == "softmax_kernel" else ("i32,", 32)
    arguments = {"output_ptr": poison(dtype, x.size).reshape(x.shape), "input_ptr": x, "output_row_stride": n_cols,
                 "input_row_stride": n_cols, "n_rows": 5, "n_cols": n_cols}
    if kernel == "online_softmax_kernel":
        del arguments["n_rows"]
    grid = (3,) if kernel == "softmax_kernel" else (5,)
    after = example(f"softmax.py:{kernel} *{dtype.name},*{dtype.name},i32,i32,{rows}{block}", grid, arguments)
    assert_near(dtype, after["output_ptr"], softmax(dtype.widen(x)), "softmax", n_cols)


@pytest.mark.parametrize("n_cols", [1, 100])
@pytest.mark.parametrize("dtype", [FP32, FP16], ids=lambda t: t.name)
def test_layer_norm(example, dtype, n_cols):
    x, weight, bias = normal(dtype, 3, n_cols), normal(dtype, n_cols), normal(dtype, n_cols, seed=2)
    after = example(f"layer_norm.py:layer_norm_kernel {f'*{dtype.name},' * 4}*fp32,*fp32,i32,i32,fp32,32", (3,),
                    {"x_ptr": x, "y_ptr": poison(dtype, x.size).reshape(x.shape), "weight_ptr": weight, "bias_ptr": bias,
                     "mean_ptr": poison(FP32, 3), "rstd_ptr": poison(FP32, 3), "row_stride": n_cols, "n_cols": n_cols, "eps": 1e-5})
    wide = dtype.widen(x)
    rstd = 1 / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    expected = (wide - wide.mean(1, keepdims=True)) * rstd * dtype.widen(weight) + dtype.widen(bias)
    assert_near(dtype, after["y_ptr"], expected, "y", n_cols)
    assert_near(FP32, after["mean_ptr"], wide.mean(1), "mean", n_cols)
    assert_near(FP32, after["rstd_ptr"], rstd[:, 0], "rstd", n_cols)


@pytest.mark.parametrize("M,N,K", [(1, 1, 1), (45, 70, 37), (64, 64, 64), (100, 5, 200)])
@pytest.mark.parametrize("dtype", [FP32, FP16, I8], ids=lambda t: t.name)
@pytest.mark.parametrize("name", ["matmul", "matmul_block_ptr", "matmul_descriptor"])
def test_matmul(example, device, name, dtype, M, N, K):
    if name != "matmul" and dtype is I8:
        pytest.skip("only matmul.py has an int8 path")
    if name == "matmul_descriptor":
        M, N, K = M, -(-N // 8) * 8, -(-K // 8) * 8  # rows of a multiple of 16 bytes
    a, b = normal(dtype, M, K), normal(dtype, K, N, seed=2)
    out = I32 if dtype is I8 else dtype
    arguments = {"a_ptr": a, "b_ptr": b, "c_ptr": poison(out, M * N).reshape(M, N), "M": M, "N": N, "K": K}
    signature = f"*{dtype.name},*{dtype.name},*{out.name},i32,i32,i32,"
    if name == "matmul_descriptor":
        arguments["b_ptr"] = np.ascontiguousarray(b.T)
    else:
        arguments |= {"stride_am": K, "stride_ak": 1, "stride_bk": N, "stride_bn": 1, "stride_cm": N, "stride_cn": 1}
        signature += "i32,i32,i32,i32,i32,i32,"
    signature += "32,32,32,2" + (",0" if name == "matmul" else "")
    after = example(f"{name}.py:{name}_kernel {signature}", (blocks(M, 32) * blocks(N, 32),), arguments)
    expected = dtype.widen(a) @ dtype.widen(b)
    if dtype is I8:
        assert (after["c_ptr"] == expected).all()
    else:
        assert_near(dtype, after["c_ptr"], expected, "product", K, through_dot_on=device)


@pytest.mark.parametrize("programs", [1, 5])
@pytest.mark.parametrize("tiles", ["64,64,32", "32,64,16"])
def test_grouped_gemm(example, device, programs, tiles):
    if device != "cpu":
        pytest.skip("addresses of a GPU's memory are not this process's to know")
    shapes = [(1, 1, 1), (70, 33, 50), (64, 64, 64), (5, 130, 7)]
    pairs = [(normal(FP16, m, k, seed=i), normal(FP16, k, n, seed=i + 9)) for i, (m, n, k) in enumerate(shapes)]
    matrices, places = {}, []
    for i, (a, b) in enumerate(pairs):
        for name, matrix in (("a", a), ("b", b), ("c", poison(FP16, a.shape[0] * b.shape[1]).reshape(a.shape[0], -1))):
            matrices[f"_{name}{i}"] = matrix
            places.append(Inside(f"_{name}{i}", 0))
    sizes = np.array([[m, n, k, k, n, n] for m, n, k in shapes], np.int32)
    after = example(f"grouped_gemm.py:grouped_gemm_kernel *i64,*i32,i32,{tiles}", (programs,),
                    {**matrices, "addresses_ptr": Addresses(tuple(places)), "sizes_ptr": sizes, "n_products": len(shapes)})
    for i, (a, b) in enumerate(pairs):
        assert_near(FP16, after[f"_c{i}"], FP16.widen(a) @ FP16.widen(b), f"product {i}", a.shape[1])


@pytest.mark.parametrize("n_ctx", [1, 50, 64, 150])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("dtype", [FP32, FP16], ids=lambda t: t.name)
def test_attention(example, device, dtype, causal, n_ctx):
    heads, dim = 2, 16
    q, k, v = (normal(dtype, 1, heads, n_ctx, dim, seed=seed) for seed in (1, 2, 3))
    strides = {f"stride_{t}{axis}": step for t in "qkvo" for axis, step in
               (("b", heads * n_ctx * dim), ("h", n_ctx * dim), ("n", dim))}
    after = example(f"attention.py:attention_kernel {f'*{dtype.name},' * 4}*fp32,fp32,{'i32,' * 14}{dim},32,16,{causal}",
                    (blocks(n_ctx, 32), heads),
                    {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": poison(dtype, q.size).reshape(q.shape),
                     "lse_ptr": poison(FP32, heads * n_ctx), "scale": 0.25, **strides, "n_heads": heads, "n_ctx": n_ctx})
    scores = dtype.widen(q) @ dtype.widen(k).swapaxes(2, 3) * 0.25
    if causal:
        scores = np.where(np.tri(n_ctx, dtype=bool), scores, -np.inf)
    assert_near(dtype, after["o_ptr"], softmax(scores) @ dtype.widen(v), "output", n_ctx, through_dot_on=device)
    lse = np.log(np.exp(scores).sum(-1)).reshape(-1)
    assert_near(FP32, after["lse_ptr"], lse, "log-sum-exp", n_ctx, through_dot_on=device)


def convolve(x, w, stride, padding):
    """A 3-D convolution, one filter tap at a time."""
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    out = [(size - k) // s + 1 for size, k, s in zip(x.shape[2:], w.shape[2:], stride)]
    result = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    for tap in np.ndindex(*w.shape[2:]):
        part = x[(slice(None), slice(None), *[slice(t, t + s * n, s) for t, s, n in zip(tap, stride, out)])]
        result += np.einsum("ncdhw,oc->nodhw", part, w[(slice(None), slice(None), *tap)])
    return result


@pytest.mark.parametrize("shape,filters,stride,padding", [
    ((1, 1, 1, 1, 1), (1, 1, 1, 1, 1), (1, 1, 1), (0, 0, 0)),
    ((2, 3, 4, 5, 6), (5, 3, 3, 3, 3), (1, 1, 1), (1, 1, 1)),
    ((1, 17, 3, 4, 7), (20, 17, 2, 1, 3), (1, 2, 2), (0, 1, 2))])
@pytest.mark.parametrize("dtype", [I8, FP16, FP32], ids=lambda t: t.name)
def test_conv3d(example, device, dtype, shape, filters, stride, padding):
    x, w = normal(dtype, *shape), normal(dtype, *filters, seed=2)
    expected = convolve(dtype.widen(x), dtype.widen(w), stride, padding)
    out = I32 if dtype is I8 else dtype
    names = ("N C_in D H W C_out KD KH KW D_out H_out W_out stride_d stride_h stride_w padding_d padding_h padding_w").split()
    values = [*shape, *filters[:1], *filters[2:], *expected.shape[2:], *stride, *padding]
    flags = f"{int(dtype is I8)},{int(dtype is FP16)}"
    positions = expected.size // filters[0]
    after = example(f"conv3d.py:conv3d_kernel *{dtype.name},*{dtype.name},*{out.name},{'i32,' * 18}32,16,32,{flags}",
                    (blocks(positions, 32) * blocks(filters[0], 16),),
                    {"input_ptr": x, "weight_ptr": w, "output_ptr": poison(out, expected.size).reshape(expected.shape),
                     **dict(zip(names, values))})
    if dtype is I8:
        assert (after["output_ptr"] == expected).all()
    else:
        assert_near(dtype, after["output_ptr"], expected, "convolution", w[0].size, through_dot_on=device)


def sample(image, x, y, border):
    """Bilinear interpolation of image [height, width, channels] at pixel coordinates [...]."""
    height, width, channels = image.shape
    if border:
        x, y = x.clip(0, width - 1), y.clip(0, height - 1)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    result = np.zeros((*x.shape, channels))
    for dy in (0, 1):
        for dx in (0, 1):
            i, j = left + dx, top + dy
            inside = (i >= 0) & (i < width) & (j >= 0) & (j < height)
            near = (1 - np.abs(x - i)) * (1 - np.abs(y - j)) * inside
            result += near[..., None] * image[j.clip(0, height - 1), i.clip(0, width - 1)]
    return result


@pytest.mark.parametrize("border", [0, 1])
@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("shape_type", ["fp32", "i64"])
def test_msda(example, border, corners, shape_type):
    sizes, B, N, H, C, P = [(5, 7), (3, 2), (1, 1)], 2, 4, 3, 20, 3
    L, I = len(sizes), sum(h * w for h, w in sizes)
    rng = np.random.default_rng(5)
    img, weights = normal(FP32, B, I, H, C), rng.random((B, N, H, L, P)).astype(np.float32)
    points = (rng.random((B, N, H, L, P, 2)) * 1.6 - 0.3).astype(np.float32)
    points.reshape(-1)[::13] *= 1e30
    after = example("msda.py:triton_multi_scale_deformable_attention_fwd_kernel "
                    f"*fp32,*fp32,*fp32,*fp32,*{shape_type},{'i32,' * 7}32,4,4,{border},{corners}", (N, B, H),
                    {"out_ptr": poison(FP32, B * N * H * C), "img_ptr": img, "sampling_points_ptr": points,
                     "attention_weights_ptr": weights, "shapes_ptr": np.array(sizes, np.float32 if shape_type == "fp32" else np.int64),
                     "B": B, "I": I, "C": C, "N": N, "H": H, "L": L, "P": P})
    expected, first = np.zeros((B, N, H, C)), 0
    for l, (height, width) in enumerate(sizes):
        image = img[:, first:first + height * width].astype(np.float64).reshape(B, height, width, H, C)
        first += height * width
        at = points[:, :, :, l].astype(np.float64)
        x, y = (at[..., 0] * (width - 1), at[..., 1] * (height - 1)) if corners else (at[..., 0] * width - 0.5, at[..., 1] * height - 0.5)
        x, y = x.clip(-9, width + 9), y.clip(-9, height + 9)
        for b in range(B):
            for h in range(H):
                read = sample(image[b, :, :, h], x[b, :, h], y[b, :, h], border)
                expected[b, :, h] += (read * weights[b, :, h, l, :, None]).sum(1)
    assert_near(FP32, after["out_ptr"], expected, "attention", 64)


def philox(seed, count):
    """The first word of Philox 4x32-10 for the counters 0 … count - 1."""
    c = [np.arange(count, dtype=np.uint64), *[np.zeros(count, np.uint64) for _ in range(3)]]
    k, low = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)], np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & low, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
    return c[0].astype(np.uint32)


@pytest.mark.parametrize("seed", [0, 123, 2**31 - 1])
def test_dropout(example, seed):
    n, p = 1000, 0.25
    x = normal(FP32, n)
    after = example("dropout.py:dropout_kernel *fp32,*fp32,i32,fp32,i32,256", (4,),
                    {"x_ptr": x, "output_ptr": poison(FP32, n), "n_elements": n, "p": p, "seed": seed})
    words = philox(seed, n).view(np.int32)
    uniform = np.where(words < 0, ~words, words).astype(np.float32) * np.float32(4.6566127342e-10)
    assert_near(FP32, after["output_ptr"], np.where(uniform >= p, x.astype(np.float64) / (1 - p), 0), "kept elements")


@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("n_cols", [1, 100])
def test_cumsum(example, n_cols, reverse):
    x = np.random.default_rng(1).integers(-10**6, 10**6, (3, n_cols)).astype(np.int32)
    after = example(f"scan.py:cumsum_kernel *i32,*i32,i32,i32,32,{reverse}", (3,),
                    {"x_ptr": x, "y_ptr": poison(I32, x.size).reshape(x.shape), "row_stride": n_cols, "n_cols": n_cols})
    step = -1 if reverse else 1
    assert (after["y_ptr"] == np.cumsum(x[:, ::step], 1, dtype=np.int32)[:, ::step]).all()


@pytest.mark.parametrize("n_cols", [1, 100])
def test_linear_recurrence(example, n_cols):
    a, x = np.random.default_rng(1).random((3, n_cols)).astype(np.float32), normal(FP32, 3, n_cols)
    after = example("scan.py:linear_recurrence_kernel *fp32,*fp32,*fp32,i32,i32,32", (3,),
                    {"a_ptr": a, "x_ptr": x, "h_ptr": poison(FP32, x.size).reshape(x.shape), "row_stride": n_cols, "n_cols": n_cols})
    h, expected = np.zeros(3), np.zeros((3, n_cols))
    for t in range(n_cols):
        h = expected[:, t] = a[:, t].astype(np.float64) * h + x[:, t]
    assert_near(FP32, after["h_ptr"], expected, "h", n_cols)


@pytest.mark.parametrize("n_cols", [1, 50, 64])
@pytest.mark.parametrize("dtype", [FP32, FP16, I32], ids=lambda t: t.name)
def test_sort(example, dtype, n_cols):
    x = np.random.default_rng(1).integers(-20, 20, (3, n_cols)).astype(dtype.storage)
    strides = {"row_stride": n_cols, "n_cols": n_cols}
    for descending in (0, 1):
        after = example(f"sort.py:sort_kernel *{dtype.name},*{dtype.name},i32,i32,64,{descending}", (3,),
                        {"x_ptr": x, "y_ptr": poison(dtype, x.size).reshape(x.shape), **strides})
        assert (after["y_ptr"] == np.sort(x, 1)[:, ::-1 if descending else 1]).all()


@pytest.mark.parametrize("k", [2, 8, 32])
@pytest.mark.parametrize("dtype", [FP32, FP16, I32], ids=lambda t: t.name)
def test_topk(example, dtype, k):
    x = np.random.default_rng(1).integers(-20, 20, (3, 50)).astype(dtype.storage)
    after = example(f"sort.py:topk_kernel *{dtype.name},*{dtype.name},i32,i32,64,{k}", (3,),
                    {"x_ptr": x, "y_ptr": poison(dtype, 3 * k).reshape(3, k), "row_stride": 50, "n_cols": 50})
    assert (after["y_ptr"] == np.sort(x, 1)[:, ::-1][:, :k]).all()


@pytest.mark.parametrize("n_cols", [1, 50, 64])
def test_argsort(example, n_cols):
    x = np.random.default_rng(1).integers(-20, 20, (3, n_cols)).astype(np.float32) * 0.5
    x[:, n_cols // 2] = -0.0
    after = example("sort.py:argsort_kernel *fp32,*i32,i32,i32,64", (3,),
                    {"x_ptr": x, "index_ptr": poison(I32, x.size).reshape(x.shape), "row_stride": n_cols, "n_cols": n_cols})
    assert (after["index_ptr"] == np.argsort(x, 1, kind="stable")).all()


@pytest.mark.parametrize("kernel", ["atomic_histogram_kernel", "block_histogram_kernel"])
@pytest.mark.parametrize("n", [1, 1000])
def test_histogram(example, kernel, n):
    bins = 16
    x = np.random.default_rng(1).integers(-3, bins + 3, n).astype(np.int32)
    after = example(f"histogram.py:{kernel} *i32,*i32,i32,{bins},64", (blocks(n, 64),),
                    {"x_ptr": x, "counts_ptr": np.zeros(bins, np.int32), "n_elements": n})
    assert (after["counts_ptr"] == np.bincount(x[(x >= 0) & (x < bins)], minlength=bins)).all()
