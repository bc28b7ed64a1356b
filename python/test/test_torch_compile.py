"""torch.compile, whose backend writes Triton kernels, served by Tessera: on GPUs, and on the CPU where torch can ask for it."""
import importlib.util

import pytest

PROGRAM = """
import sys, torch, torch._inductor.config as config
import tessera
device = sys.argv[1]
config.cpu_backend = "triton"
in_workers = sys.argv[2] == "workers"
if in_workers:
    from torch._inductor.async_compile import AsyncCompile
    config.compile_threads = 2
    AsyncCompile.wait_pool_ready()
    assert AsyncCompile.use_process_pool()
else:
    config.force_disable_caches = True
    config.compile_threads = 1
compiled = []
tessera.knobs.compilation.listener = lambda **facts: compiled.append(facts["src"].name)

def check(function, *arguments, tolerance=1e-4):
    before = len(compiled)
    arguments = [each.to(device) for each in arguments]
    result, expected = torch.compile(function)(*arguments), function(*arguments)
    results, expectations = (each if isinstance(each, tuple) else (each,) for each in (result, expected))
    for got, wanted in zip(results, expectations):
        torch.testing.assert_close(got, wanted, atol=tolerance, rtol=tolerance)
    assert in_workers or len(compiled) > before, "no kernel went through Tessera"

torch.manual_seed(0)
x, y = torch.randn(2, 64, 128)
check(lambda x, y: torch.relu(x + y).sum(-1) * 2, x, y)
check(lambda x: torch.softmax(x, -1), x)
if in_workers:
    print("compiled", len(compiled))
    sys.exit()
check(lambda x: torch.nn.functional.layer_norm(x, (128,)) + torch.sigmoid(x).exp().log1p(), x)
check(lambda x: (x.argmax(-1), x.cumsum(-1), x.var(-1), x.sort(-1)[0], torch.where(x > 0, x, -x).prod(-1)), x, tolerance=1e-3)
check(lambda i, t: t[i].mean(1), torch.randint(0, 50, (8, 5)), torch.randn(50, 32))

twice = torch.compile(lambda x: (x * 2).sum(0), dynamic=True)
for n in (3, 64, 100):
    torch.testing.assert_close(twice(torch.ones(n, 7, device=device)), torch.full((7,), 2.0 * n, device=device))

model = torch.nn.Sequential(torch.nn.Linear(128, 64), torch.nn.GELU(), torch.nn.LayerNorm(64)).to(device)
inputs = x.to(device).requires_grad_()
torch.compile(model)(inputs).square().mean().backward()
gradient, inputs.grad = inputs.grad, None
model(inputs).square().mean().backward()
torch.testing.assert_close(gradient, inputs.grad, atol=1e-4, rtol=1e-3)
print("compiled", len(compiled))
"""


@pytest.mark.parametrize("where", ["here", "workers"])
def test_inductor(device, where, torch, snippet, tmp_path):
    if importlib.util.find_spec("torch._inductor") is None:
        pytest.skip("this torch does not compile")
    import torch._inductor.config
    if device == "cpu" and not hasattr(torch._inductor.config, "cpu_backend"):
        pytest.skip("this torch writes no Triton kernels for the CPU")
    done = snippet(PROGRAM, device, where, flags=["-m", "tessera"], timeout=300,
                   env={"TORCHINDUCTOR_CACHE_DIR": tmp_path / "inductor"})
    assert "compiled" in done.stdout


USER_KERNEL = """
import sys, torch, triton, triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, inside) + tl.load(y_ptr + offsets, inside), inside)

def add(x, y):
    out = torch.empty_like(x)
    add_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=64)
    return out

x = torch.arange(100.0, device=sys.argv[1])
assert torch.equal(torch.compile(add, backend="eager")(x, x), 2 * x)
# In one graph, the grid's cdiv included: torch follows its code, first with numbers, then with sizes that are symbols.
if hasattr(torch._dynamo.variables.functions, "TritonKernelVariable"):
    whole = torch.compile(add, backend="eager", fullgraph=True)
    for n in (100, 65, 7):
        assert torch.equal(whole(x[:n], x[:n]), 2 * x[:n])
"""


def test_a_user_kernel_inside(device, torch, snippet):
    if not hasattr(torch, "compile"):
        pytest.skip("this torch does not compile")
    snippet(USER_KERNEL, device, flags=["-m", "tessera"], timeout=300)


STATIC_LAUNCH = """
import os, pickle, sys, types
import torch, triton, triton.language as tl
from torch._inductor.runtime import triton_heuristics as heuristics
from torch._inductor.runtime.triton_compat import ASTSource, GPUTarget

@triton.jit
def twice_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 2 * tl.load(x_ptr + offsets, offsets < n), offsets < n)

source = ASTSource(twice_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i64", "BLOCK": "constexpr"}, {"BLOCK": 64}, {})
hits = []
triton.knobs.compilation.listener = lambda cache_hit, **facts: hits.append(cache_hit)
def compile():
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"debug": True, "num_warps": 2})
kernel = compile()
if "cubin" not in kernel.asm:
    sys.exit("skip: no ptxas")
facts = {"device_type": "cuda", "device": 0}
launched = heuristics.StaticTritonCompileResult.can_statically_launch(kernel, {}, facts, heuristics.HeuristicType.POINTWISE)
assert launched is not None, os.listdir(os.environ["TRITON_CACHE_DIR"])
assert open(launched.cubin_path, "rb").read() == kernel.asm["cubin"] == launched.cubin_raw
assert (launched.name, launched.arg_tys, launched.num_warps) == ("twice_kernel", "OOl", 2)
assert launched.has_global_scratch and launched.has_profile_scratch  # the two pointers at the end that every kernel takes
pickle.loads(pickle.dumps(launched))

# What torch keeps with a graph and puts back on another machine is found there, and nothing is compiled.
from torch._inductor.runtime.runtime_utils import triton_hash_to_path_key
import shutil, tempfile
folder = os.path.join(os.environ["TRITON_CACHE_DIR"], triton_hash_to_path_key(kernel.hash))
elsewhere = tempfile.mkdtemp()
shutil.copytree(folder, os.path.join(elsewhere, os.path.basename(folder)))
for name in os.listdir(elsewhere + "/" + os.path.basename(folder)):
    path = os.path.join(elsewhere, os.path.basename(folder), name)
    if name.endswith(".json"):
        text = open(path).read()
        open(path, "w").write(text.replace(os.environ["TRITON_CACHE_DIR"], elsewhere))
os.environ["TRITON_CACHE_DIR"] = elsewhere
assert compile().asm["cubin"] == kernel.asm["cubin"]
assert hits == [False, True], hits
# A folder that nobody can write to costs nothing but the files.
os.environ["TRITON_CACHE_DIR"] = "/proc/none"
compile()
"""


def test_torch_launches_kernels_from_their_files(torch, snippet, tmp_path):
    if importlib.util.find_spec("torch._inductor.runtime.static_triton_launcher") is None:
        pytest.skip("this torch launches no kernels by itself")
    done = snippet(STATIC_LAUNCH, flags=["-W", "error::RuntimeWarning", "-m", "tessera"], timeout=300, status=None,
                   env={"TRITON_CACHE_DIR": tmp_path / "kernels"})
    if "skip:" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
