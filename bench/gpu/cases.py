"""What is measured: inputs, launches, configurations, and what the results must be.

A Group shares a kernel and a type; its Cases are sizes. A case makes its tensors when it runs, in the process that has the
GPU; what is needed to compile (signature, constants) follows from `arguments` alone, where a type stands for a pointer.
"""
import dataclasses

import libraries

MATMUL_TILES = ([(128, 256, 64, 8, s) for s in (3, 4)] + [(128, 128, 64, w, s) for w in (4, 8) for s in (3, 4)]
                + [(64, 256, 64, 4, 4), (256, 128, 64, 8, 3)])
ATTENTION_TILES = [(128, 64, 8, 3), (128, 128, 8, 2), (128, 128, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3)]
WIDE_ATTENTION_TILES = [(128, 64, 8, 2), (128, 64, 8, 3), (64, 64, 4, 2), (128, 32, 8, 3), (64, 32, 4, 3)]  # for heads of 256
#                          rows of a program's block, rows of a step, warps, stages
BACKWARD_TILES = [(128, 32, 4, 5), (128, 32, 8, 3), (128, 64, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3), (64, 32, 4, 3)]
BATCHED_TILES = [(128, 128, 64, 4, 3), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3), (64, 128, 64, 4, 4), (64, 64, 64, 4, 3)]
CONV_TILES = [(128, 64, 32, 4, 3), (128, 128, 32, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 2)]


@dataclasses.dataclass(frozen=True)
class Config:
    constants: tuple  # of (name, value)
    num_warps: int = 4
    num_stages: int = 3

    def __str__(self):
        return "×".join(str(v) for n, v in self.constants if n[0] == "B") + f", {self.num_warps} warps, {self.num_stages} stages"


@dataclasses.dataclass(frozen=True)
class Step:
    """A kernel that runs in front of a case's own and is timed with it."""
    kernel: str
    arguments: tuple
    pointers: tuple  # which of the case's tensors its pointers are
    config: Config
    grid: tuple


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # "matmul fp16 4096"
    kernel: str
    arguments: tuple  # a type's name for a pointer ("fp16"), else the value
    configs: tuple  # of Config
    grid: object  # (config) -> extents
    work: float  # operations, or bytes
    unit: str  # "TFLOP/s", "TB/s"
    tensors: object  # (torch) -> (the pointers' tensors, the output among them, check() -> error or None)
    steps: tuple = ()  # of Step
    library: tuple | None = None  # its name, and a function of libraries.py


@dataclasses.dataclass(frozen=True)
class Group:
    name: str
    cases: tuple


def cdiv(a, b):
    return -(-a // b)


def relative_error(torch, actual, expected, limit):
    """None, or what is wrong: the largest difference against the largest value expected."""
    actual, expected = actual.double(), expected.double()
    if not torch.isfinite(actual).all():
        return "not all values are finite"
    error = ((actual - expected).abs().max() / expected.abs().max()).item()
    return None if error <= limit else f"off by {error:.1e} of the largest value, {limit:.0e} is allowed"


# ---- memory-bound ---------------------------------------------------------------------------------

def add_case(n):
    def tensors(torch):
        x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        out = torch.empty_like(x)
        return (x, y, out), out, lambda: None if torch.equal(out, x + y) else "other sums than torch's"
    return Case(f"add fp32 2^{n.bit_length() - 1}", "add_kernel", ("fp32", "fp32", "fp32", n),
                tuple(Config((("BLOCK_SIZE", b),)) for b in (1024, 4096)),
                lambda c: (cdiv(n, dict(c.constants)["BLOCK_SIZE"]), 1, 1), 12 * n, "TB/s", tensors)


def softmax_case(rows, n):
    def tensors(torch):
        x = torch.randn(rows, n, device="cuda", dtype=torch.float16)
        out = torch.empty_like(x)
        return (out, x), out, lambda: relative_error(torch, out, torch.softmax(x.float(), -1), 2e-3)
    return Case(f"softmax fp16 {rows}×{n}", "softmax_kernel", ("fp16", "fp16", n, n, n),
                tuple(Config((("BLOCK", n),), w) for w in (4, 8, 16)), lambda c: (rows, 1, 1), 4 * rows * n, "TB/s", tensors)


def layernorm_case(rows, n):
    def tensors(torch):
        x = torch.randn(rows, n, device="cuda", dtype=torch.float16)
        w, b = (torch.randn(n, device="cuda", dtype=torch.float16) for _ in range(2))
        out = torch.empty_like(x)

        def check():
            return relative_error(torch, out, torch.nn.functional.layer_norm(x.float(), (n,), w.float(), b.float()), 2e-3)
        return (x, out, w, b), out, check
    return Case(f"layernorm fp16 {rows}×{n}", "layernorm_kernel", ("fp16",) * 4 + (n, n, 1e-5),
                tuple(Config((("BLOCK", n),), w) for w in (4, 8, 16)), lambda c: (rows, 1, 1), 4 * rows * n, "TB/s", tensors)


# ---- products -------------------------------------------------------------------------------------

#         type of A and B, type of C, inner tile, tolerance
PRODUCTS = {"fp16": ("fp16", "fp16", 64, 2e-3), "bf16": ("bf16", "bf16", 64, 1.2e-2), "fp8": ("fp8e4nv", "fp16", 128, 1e-2),
            "int8": ("i8", "i32", 128, 0.0), "tf32": ("fp32", "fp32", 32, 2e-3)}
TORCH = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp8e4nv": "float8_e4m3fn", "i8": "int8", "i32": "int32"}


def matmul_case(kind, n):
    inputs, output, inner, limit = PRODUCTS[kind]
    column_major = kind == "fp8"  # what the hardware wants of 8-bit floats, and what people pass

    def tensors(torch):
        dtype = getattr(torch, TORCH[inputs])
        if kind == "int8":
            a, b = (torch.randint(-128, 128, (n, n), device="cuda", dtype=dtype) for _ in range(2))
        else:
            a, b = (torch.randn(n, n, device="cuda").to(dtype) for _ in range(2))
        if column_major:
            b = b.t()
        c = torch.empty(n, n, device="cuda", dtype=getattr(torch, TORCH[output]))
        expected = a.double() @ b.double()
        return (a, b, c), c, lambda: relative_error(torch, c, expected, limit)
    strides = (n, 1, 1, n, n, 1) if column_major else (n, 1, n, 1, n, 1)
    configs = tuple(Config((("BM", m), ("BN", k), ("BK", inner), ("GROUP", 8)), w, s) for m, k, _, w, s in MATMUL_TILES)

    def grid(config):
        tile = dict(config.constants)
        return cdiv(n, tile["BM"]) * cdiv(n, tile["BN"]), 1, 1
    return Case(f"matmul {kind} {n}", "matmul_int8_kernel" if kind == "int8" else "matmul_kernel",
                (inputs, inputs, output, n, n, n, *strides), configs, grid, 2 * n ** 3, "TFLOP/s", tensors,
                library=(libraries.CUBLAS, libraries.matmul(kind)))


def batched_tensors(batch, n):
    def tensors(torch):
        a, b = (torch.randn(batch, n, n, device="cuda", dtype=torch.float16) for _ in range(2))
        c = torch.empty_like(a)
        expected = a.double() @ b.double()
        return (a, b, c), c, lambda: relative_error(torch, c, expected, 2e-3)
    return tensors


def descriptor_case(n):
    """The product of matmul_case through descriptors; B lies along K."""
    def tensors(torch):
        a, b = (torch.randn(n, n, device="cuda").half() for _ in range(2))
        c = torch.empty(n, n, device="cuda", dtype=torch.float16)
        expected = a.double() @ b.double().t()
        return (a, b, c), c, lambda: relative_error(torch, c, expected, PRODUCTS["fp16"][3])
    plain = matmul_case("fp16", n)
    return dataclasses.replace(plain, name=f"matmul desc fp16 {n}", kernel="matmul_desc_kernel", arguments=("fp16",) * 3 + (n, n, n), tensors=tensors,
                               library=(libraries.CUBLAS, libraries.matmul("transposed")))


def batched_case(batch, n):
    configs = tuple(Config((("BM", m), ("BN", k), ("BK", inner), ("GROUP", 8)), w, s) for m, k, inner, w, s in BATCHED_TILES)

    def grid(config):
        tile = dict(config.constants)
        return cdiv(n, tile["BM"]) * cdiv(n, tile["BN"]), batch, 1
    return Case(f"batched fp16 {batch}×{n}", "batched_kernel", ("fp16",) * 3 + (n, n, n) + (n * n, n, 1) * 3, configs, grid,
                2 * batch * n ** 3, "TFLOP/s", batched_tensors(batch, n), library=(libraries.CUBLAS, libraries.batched))


def batched_dot_case(batch, n):
    """Tiles of two and four products: tl.dot of three-dimensional tensors."""
    tiles = [(2, 64, 64, 64, 4, 3), (2, 64, 64, 32, 4, 3), (2, 64, 128, 64, 8, 3), (4, 64, 64, 32, 8, 3)]
    configs = tuple(Config((("BB", b), ("BM", m), ("BN", k), ("BK", inner)), w, s) for b, m, k, inner, w, s in tiles)

    def grid(config):
        tile = dict(config.constants)
        return n // tile["BM"], n // tile["BN"], batch // tile["BB"]
    return Case(f"batched dot fp16 {batch}×{n}", "batched_dot_kernel", ("fp16",) * 3 + (n, n, n) + (n * n, n) * 3, configs, grid,
                2 * batch * n ** 3, "TFLOP/s", batched_tensors(batch, n), library=(libraries.CUBLAS, libraries.batched))


def attention_name(D, causal, backward=False):
    """Heads of 128 carry no mark."""
    return "attention" + " backward" * backward + " causal" * causal + (f" D{D}" if D != 128 else "")


def attention_case(S, causal, D=128):
    """As many heads as give the same work for every D."""
    heads = 64 * 128 // D

    def tensors(torch):
        q, k, v = (torch.randn(heads, S, D, device="cuda", dtype=torch.float16) for _ in range(3))
        out = torch.empty_like(q)

        def check():
            """Some rows of some heads: all of them would not fit into memory."""
            rows = torch.randint(0, S, (256,), device="cuda")
            rows[:2] = torch.tensor([0, S - 1])
            for head in (0, heads - 1):
                score = q[head, rows].double() @ k[head].double().T * D ** -0.5
                if causal:
                    score.masked_fill_(torch.arange(S, device="cuda")[None, :] > rows[:, None], -float("inf"))
                wrong = relative_error(torch, out[head, rows], torch.softmax(score, -1) @ v[head].double(), 5e-3)
                if wrong:
                    return wrong
            return None
        return (q, k, v, out), out, check
    tiles = ATTENTION_TILES if D <= 128 else WIDE_ATTENTION_TILES
    configs = tuple(Config((("D", D), ("BM", m), ("BN", n), ("CAUSAL", causal)), w, s) for m, n, w, s in tiles)
    return Case(f"{attention_name(D, causal)} {S}", "attention_kernel", ("fp16",) * 4 + (D ** -0.5, S * D, S), configs,
                lambda c: (S // dict(c.constants)["BM"], heads, 1), 4 * heads * S * S * D * (0.5 if causal else 1), "TFLOP/s", tensors,
                library=(libraries.CUDNN, libraries.attention(bool(causal), D ** -0.5)))


# ---- attention backward ---------------------------------------------------------------------------

def plain_scores(torch, q, k, causal, scale):
    """One head's scores in single precision."""
    score = q.float() @ k.float().T * scale
    if causal:
        score.masked_fill_(torch.ones(score.shape, dtype=torch.bool, device=score.device).triu_(1), -float("inf"))
    return score


def plain_gradients(torch, q, k, v, do, causal, scale):
    """One head's gradients of q, k and v, by their definition."""
    weight = torch.softmax(plain_scores(torch, q, k, causal, scale), -1)
    q, k, v, do = (t.float() for t in (q, k, v, do))
    dv = weight.T @ do
    delta = ((weight @ v) * do).sum(-1, keepdim=True)
    ds = weight.mul_(do @ v.T - delta)
    return ds @ k * scale, ds.T @ q * scale, dv


def backward_tensors(S, causal, heads, D, device="cuda"):
    """The tensors in the order of the kernel's pointers, then the forward pass's output and the keys before scaling."""
    scale, log2e = D ** -0.5, 1.4426950408889634

    def tensors(torch):
        q, k, v, do = (torch.randn(heads, S, D, device=device).half() for _ in range(4))
        out, lse = torch.empty_like(q), torch.empty(heads, S, device=device)
        for head in range(heads):
            score = plain_scores(torch, q[head], k[head], causal, scale)
            lse[head] = torch.logsumexp(score, -1) * log2e
            out[head] = (torch.softmax(score, -1) @ v[head].float()).half()
        gradients = torch.empty(3, heads, S, D, device=device, dtype=torch.float16)

        def check():
            for head in (0, heads - 1):
                expected = plain_gradients(torch, q[head], k[head], v[head], do[head], causal, scale)
                for name, actual, right in zip(("dq", "dk", "dv"), gradients[:, head], expected):
                    wrong = relative_error(torch, actual, right, 2e-2)
                    if wrong:
                        return f"{name} {wrong}"
            return None
        scaled = (k.float() * (scale * log2e)).half()
        return (q, scaled, v, do, lse, torch.empty_like(lse), *gradients, out, k), gradients, check
    return tensors


def attention_backward_case(S, causal, D=128):
    heads = 32 * 128 // D
    kernel_arguments = ("fp16",) * 4 + ("fp32",) * 2 + ("fp16",) * 3 + (D ** -0.5, S * D, S)
    configs = tuple(Config((("D", D), ("BLOCK", b), ("BSTEP", step), ("CAUSAL", causal)), w, s) for b, step, w, s in BACKWARD_TILES)
    delta = Step("attention_delta_kernel", ("fp16", "fp16", "fp32", S * D, S), (9, 3, 5), Config((("D", D), ("BM", 128))), (S // 128, heads, 1))
    return Case(f"{attention_name(D, causal, True)} {S}", "attention_backward_kernel", kernel_arguments, configs,
                lambda c: (S // dict(c.constants)["BLOCK"], heads, 1), 10 * heads * S * S * D * (0.5 if causal else 1), "TFLOP/s",
                backward_tensors(S, causal, heads, D), steps=(delta,),
                library=(libraries.CUDNN, libraries.attention_backward(bool(causal), D ** -0.5, lambda t: (t[0], t[10], t[2], t[3]))))


# ---- convolution ----------------------------------------------------------------------------------


def conv3d_case(kind):
    N, C, D, H, W, out_channels, k = 4, 64, 16, 56, 56, 128, 3
    inputs, output = {"int8": ("i8", "i32"), "fp16": ("fp16", "fp16"), "fp32": ("fp32", "fp32")}[kind]

    def tensors(torch):
        # Small integers: every sum is exact in fp32, so the results are known to the last bit.
        x = torch.randint(-8, 8, (N, C, D, H, W), device="cuda").to(getattr(torch, TORCH[inputs]))
        w = torch.randint(-8, 8, (out_channels, C, k, k, k), device="cuda").to(x.dtype)
        out = torch.empty(N, out_channels, D, H, W, device="cuda", dtype=getattr(torch, TORCH[output]))
        torch.backends.cudnn.allow_tf32 = False
        expected = torch.nn.functional.conv3d(x.float(), w.float(), padding=1).to(out.dtype)
        return (x, w, out), out, lambda: None if torch.equal(out, expected) else "other values than torch's"
    configs = tuple(Config((("BLOCK_M", m), ("BLOCK_N", n), ("BLOCK_K", kk), ("IS_INT8", int(kind == "int8")), ("IS_FP16", int(kind == "fp16"))), w, s)
                    for m, n, kk, w, s in CONV_TILES)

    def grid(config):
        tile = dict(config.constants)
        return cdiv(N * D * H * W, tile["BLOCK_M"]) * cdiv(out_channels, tile["BLOCK_N"]), 1, 1
    sizes = (N, C, D, H, W, out_channels, k, k, k, D, H, W, 1, 1, 1, 1, 1, 1)
    return Case(f"conv3d {kind}", "conv3d_kernel", (inputs, inputs, output, *sizes), configs, grid,
                2 * N * out_channels * D * H * W * C * k ** 3, "TFLOP/s", tensors,
                library=None if kind == "int8" else (libraries.CUDNN, libraries.conv3d))


def groups():
    return [Group("add", tuple(add_case(2 ** k) for k in (20, 24, 28))),
            Group("softmax", tuple(softmax_case(8192, n) for n in (1024, 4096, 16384))),
            Group("layernorm", tuple(layernorm_case(8192, n) for n in (1024, 4096, 16384))),
            *[Group(f"matmul {kind}", tuple(matmul_case(kind, n) for n in (1024, 4096, 8192))) for kind in PRODUCTS],
            Group("matmul desc fp16", tuple(descriptor_case(n) for n in (1024, 4096, 8192))),
            Group("batched fp16", tuple(batched_case(*size) for size in ((64, 512), (16, 1024), (16, 2048)))),
            Group("batched dot fp16", tuple(batched_dot_case(*size) for size in ((64, 512), (16, 1024), (16, 2048)))),
            *[Group(attention_name(D, causal), tuple(attention_case(S, causal, D) for S in (1024, 4096, 16384)))
              for D in (128, 64, 256) for causal in (0, 1)],
            *[Group(attention_name(D, causal, True), tuple(attention_backward_case(S, causal, D) for S in (1024, 4096, 16384)))
              for D in (128, 64) for causal in (0, 1)],
            *[Group(f"conv3d {kind}", (conv3d_case(kind),)) for kind in ("int8", "fp16", "fp32")]]


def compile_time_cases():
    """The seven kernels whose way from source to PTX is timed: (name, kernel, arguments, config)."""
    tile = (("BM", 128), ("BN", 256), ("BK", 64), ("GROUP", 8))
    return [("add", "add_kernel", ("fp32", "fp32", "fp32", 4096), Config((("BLOCK_SIZE", 1024),))),
            ("softmax", "softmax_kernel", ("fp16", "fp16", 4096, 4096, 4096), Config((("BLOCK", 4096),))),
            ("layernorm", "layernorm_kernel", ("fp16",) * 4 + (4096, 4096, 1e-5), Config((("BLOCK", 4096),))),
            ("matmul", "matmul_kernel", ("fp16",) * 3 + (4096, 4096, 4096, 4096, 1, 4096, 1, 4096, 1), Config(tile, 8, 3)),
            ("matmul_desc", "matmul_desc_kernel", ("fp16",) * 3 + (4096, 4096, 4096), Config(tile, 8, 3)),
            ("attention", "attention_kernel", ("fp16",) * 4 + (0.1, 4096 * 128, 4096),
             Config((("D", 128), ("BM", 128), ("BN", 64), ("CAUSAL", 1)), 8, 3)),
            ("conv3d_int8", "conv3d_kernel", ("i8", "i8", "i32", 4, 64, 16, 28, 28, 128, 3, 3, 3, 16, 28, 28, 1, 1, 1, 1, 1, 1),
             Config((("BLOCK_M", 128), ("BLOCK_N", 64), ("BLOCK_K", 32), ("IS_INT8", 1), ("IS_FP16", 0))))]
