"""torch.compile, whose backend writes Triton kernels, served by Tessera: on GPUs, and on the CPU where torch can ask for it."""
import importlib.util

import pytest
from pack_programs import tessera as pack_tool

import tessera
import tessera.language as tl

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
    results, expectations = (torch.utils._pytree.tree_leaves(each) for each in (result, expected))
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
check(lambda x: x.cumsum(0), torch.randn(130, 5))  # split over programs, with values and flags packed into one word
check(lambda x: x.cumsum(0), torch.ones(20000), tolerance=1e-2)
check(lambda x: (x.sort(dim=-1, stable=True), torch.logcumsumexp(x, -1), torch.cummax(x, 0)), x)
check(lambda x, i, v: x.index_put((i, ), v, accumulate=True), torch.zeros(9, 4), torch.randint(0, 9, (50, )), torch.randn(50, 4))

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


PACKED = """
import sys, torch, torch._inductor.config as config
import triton
config.cpu_backend, config.compile_threads = "triton", 1
compiled = []
triton.knobs.compilation.listener = lambda src, cache_hit, **_: cache_hit or compiled.append(src.name)
torch.manual_seed(0)
x, y = torch.randn(2, 32, 64)
for function in (lambda x, y: torch.softmax(torch.relu(x) + y, -1), lambda x, y: (x * y).sum(0) + torch.sigmoid(y).mean(0),
                 lambda x, y: torch.nn.functional.layer_norm(x, (64,)) * y):
    torch.testing.assert_close(torch.compile(function)(x, y), function(x, y), atol=1e-4, rtol=1e-4)
print("compiled", len(compiled))
"""


def test_inductor_from_a_pack(torch, snippet, tmp_path):
    """What torch.compile generates and compiles by itself is recorded, packed, and found in a new process with an empty cache of torch's."""
    if importlib.util.find_spec("torch._inductor") is None:
        pytest.skip("this torch does not compile")
    import torch._inductor.config
    if not hasattr(torch._inductor.config, "cpu_backend"):
        pytest.skip("this torch writes no Triton kernels for the CPU")

    def run(number, **variables):
        env = {"TORCHINDUCTOR_CACHE_DIR": tmp_path / f"inductor{number}", "TESSERA_CACHE_DIR": tmp_path / f"cache{number}", **variables}
        return snippet(PACKED, flags=["-m", "tessera"], timeout=300, env={name: str(value) for name, value in env.items()})
    recorded = run(1, TESSERA_RECORD=tmp_path / "recorded")
    assert int(recorded.stdout.split()[1]) >= 3
    pack_tool("pack", tmp_path / "recorded" / "kernels.toml", "-o", tmp_path / "model.tpack", "--cache-dir", tmp_path / "build")
    served = run(2, TESSERA_PACK=tmp_path / "model.tpack", TESSERA_ON_COMPILE="error")
    assert served.stdout == "compiled 0\n"


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

@triton.heuristics({"EVEN": lambda named: named["n"] % 64 == 0})
@triton.jit
def store_kernel(values, out_ptr, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(values + offsets, offsets < n) + EVEN, offsets < n)

def store(x):
    out = torch.empty_like(x)
    store_kernel[(triton.cdiv(x.numel(), 64), )](x, out, x.numel(), BLOCK=64)
    return out

# In one graph, the grid's cdiv included: torch follows its code, first with numbers, then with sizes that are symbols.
if hasattr(torch._dynamo.variables.functions, "TritonKernelVariable"):
    for backend in ("eager", "aot_eager"):
        whole = torch.compile(add, backend=backend, fullgraph=True)
        for n in (100, 65, 7):
            assert torch.equal(whole(x[:n], x[:n]), 2 * x[:n])
        assert torch.equal(torch.compile(store, backend=backend, fullgraph=True)(x), x)

# torch reads the kernel's IR to learn what it writes to.
from torch._higher_order_ops import triton_kernel_wrap as wrap
find = getattr(wrap, "identify_accessed_tensors", None)
if find is not None:
    found = find(add_kernel, {"x_ptr": x, "y_ptr": x, "out_ptr": x, "n": 100, "BLOCK": 64}, {})
    assert [each.name for each in found.read_writes.writes] == ["out_ptr"], found
"""


def test_a_user_kernel_inside(device, torch, snippet):
    if not hasattr(torch, "compile"):
        pytest.skip("this torch does not compile")
    done = snippet(USER_KERNEL, device, flags=["-m", "tessera"], timeout=300)
    assert "assuming every input is mutated" not in done.stderr, done.stderr


WALK = """
import collections, tessera, tessera.language as tl
from tessera._C.libtriton import ir, native_specialize_impl
from tessera.backends.compiler import BaseBackend, GPUTarget
from tessera.compiler.compiler import ASTSource, make_backend

@tessera.jit
def helper(p, n):
    tl.store(p, n)

@tessera.jit
def kernel(p, n):
    for i in range(n):
        if i > 3:
            helper(p + i, n)

target = GPUTarget("cuda", 90, 32)
backend = make_backend(target)
options = backend.parse_options({"num_warps": 8})
context = ir.context()
ir.load_dialects(context)
module = ASTSource(kernel, {"p": "*i32", "n": "i32"}).make_ir(target, options, backend.get_codegen_implementation(options),
                                                            backend.get_module_map(), context)
assert module.verify() and str(module).count("tt.func") == 2
seen, blocks = [], collections.defaultdict(list)
def visit(op):
    seen.append(op.get_name())
    block = op.get_block()
    if block is not None:
        blocks[block.get_parent().id()].append(op.get_name())
    if op.get_name() == "tt.func":
        (region, ) = [op.get_region(i) for i in range(op.get_num_regions())]
        assert blocks[region.id()][-1] == "tt.return" and op.get_str_attr("sym_name")
    if op.get_name() == "tt.call":
        assert "helper" in op.get_flat_symbol_ref_attr("callee") and op.get_num_operands() == 2
    if op.get_name() == "scf.for":
        assert op.get_num_operands() == 3 and op.get_num_results() == 0 and "scf.if" in blocks[op.get_region(0).id()]
    assert op.get_bool_attr("noinline") is None or op.get_name() == "tt.func"
module.walk(visit)
assert seen[-1] == "builtin.module" and module.get_block() is None
assert seen.index("tt.call") < seen.index("scf.if") < seen.index("scf.for") < seen.index("tt.func", seen.index("scf.for"))
try:
    ir.module("tt.func @f(")
except ValueError as error:
    assert "error" in str(error)
else:
    raise AssertionError
assert native_specialize_impl(BaseBackend, 16, False, True, True) == ("i32", "D")
assert native_specialize_impl(BaseBackend, 16, False, True, False)[1] != "D"
assert native_specialize_impl(BaseBackend, 1, False, True, True) == ("constexpr", 1)
assert native_specialize_impl(BaseBackend, 1, False, False, True)[0] == "i32"
assert native_specialize_impl(BaseBackend, 2.5, False, True, True)[0] == "fp32"
assert native_specialize_impl(BaseBackend, None, False, True, True) == ("constexpr", None)
"""


def test_ir_can_be_looked_at(snippet):
    snippet(WALK)


@pytest.mark.parametrize("debug", [False, True])
def test_ir_is_made_with_the_options(debug):
    from tessera._C.libtriton import ir
    from tessera.backends.compiler import GPUTarget
    from tessera.compiler import ASTSource, make_backend

    @tessera.jit
    def kernel(x):
        tl.device_assert(tl.load(x) > 0, "text")

    target = GPUTarget("cuda", 90, 32)
    options, names = make_backend(target).parse_options({"debug": debug}), []
    ASTSource(kernel, {"x": "*i32"}).make_ir(target, options, {}, {}, ir.context()).walk(lambda op: names.append(op.get_name()))
    assert "tt.load" in names and ("tt.assert" in names) == debug


BUILTINS = """
import numpy, tessera, tessera.language as tl

def marked(function):
    function.__triton_builtin__ = True
    return function

@marked
def next_power(n, *, _builder=None):
    assert isinstance(n, tl.constexpr)
    return tl.constexpr(tessera.next_power_of_2(n.value))

@marked
def only_python(n, *, _builder=None):
    assert isinstance(n, tl.constexpr)
    return tl.constexpr(int(numpy.log2(n.value)))

@marked
def or_nothing(mask, value, *, _builder=None):
    return tl.constexpr(None) if isinstance(mask, tl.constexpr) and mask.value is None else value

@tessera.constexpr_function
def unwrapped(n):
    return not isinstance(n, tl.constexpr)

@tessera.jit
def kernel(out, N: tl.constexpr):
    tl.static_assert(unwrapped(N))
    tl.static_assert(only_python(N * 8) == 3 + only_python(8))
    tl.static_assert(or_nothing(None, 3) is None)
    offsets = tl.arange(0, next_power(N + 1))
    inside = offsets < 5
    tl.store(out + offsets, or_nothing(inside, 7), inside)

out = numpy.zeros(16, "int32")
kernel[(1, )](out, 8)
assert list(out) == [7] * 5 + [0] * 11
"""


def test_functions_that_extend_the_language_get_constexprs(snippet):
    """As torch's helpers for cooperative reductions expect."""
    snippet(BUILTINS)


COPIED = """
import copy, pickle, sys, types, tessera
module = types.ModuleType("made_at_run_time")
source = "import tessera, tessera.language as tl\\n@tessera.jit\\ndef kernel(x, N: tl.constexpr = 3):\\n    tl.store(x, N)\\n"
path = sys.argv[1]
open(path, "w").write(source)
sys.modules[module.__name__] = module
exec(compile(source, path, "exec"), module.__dict__)
kernel = module.kernel

kept = kernel.fn, kernel.__globals__, kernel.repr
kernel.fn = kernel.__globals__ = None
copied = copy.deepcopy({"fn": kernel})["fn"]
kernel.fn, kernel.__globals__, kernel.repr = kept
assert copied is not kernel and copied.fn is None and kernel.fn is not None
assert copy.deepcopy(kernel) is kernel
data = pickle.dumps(copied)
del sys.modules[module.__name__]
again = pickle.loads(data)
assert (again.__name__, again.arg_names, again.constexprs) == ("kernel", ["x", "N"], [1]), again
"""


def test_a_copy_without_the_function_outlives_its_module(snippet, tmp_path):
    """torch keeps such copies in its cache, for processes that never see the module."""
    snippet(COPIED, tmp_path / "made.py")


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
    has_inductor = importlib.util.find_spec("torch._inductor") is not None  # a missing parent would be an exception
    if not has_inductor or importlib.util.find_spec("torch._inductor.runtime.static_triton_launcher") is None:
        pytest.skip("this torch launches no kernels by itself")
    done = snippet(STATIC_LAUNCH, flags=["-W", "error::RuntimeWarning", "-m", "tessera"], timeout=300, status=None,
                   env={"TRITON_CACHE_DIR": tmp_path / "kernels"})
    if "skip:" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
