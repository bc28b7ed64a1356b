"""tessera.kernels: torch's operators as functions that choose a version from the lab's records."""
import importlib
import json
import os
import sys

import pytest

torch = pytest.importorskip("torch")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, os.environ.get("BUILD", "build"), "python")]
os.environ["TESSERA_AUTOTUNE_CHOICE"] = "first"
import tessera.kernels as kernels  # noqa: E402
from tessera.kernels import choice, dispatch, loading  # noqa: E402

# operator: its arguments
CALLS = {
    "add": lambda: ((torch.randn(5, 7), torch.randn(7)), {"alpha": 2}),
    "softmax": lambda: ((torch.randn(5, 7), 0), {}),
    "mha": lambda: ((torch.randn(2, 3, 9, 16), torch.randn(2, 3, 9, 16), torch.randn(2, 3, 9, 16)), {"is_causal": True}),
    "layer_norm": lambda: ((torch.randn(5, 7), (7,), torch.randn(7), torch.randn(7)), {}),
    "rms_norm": lambda: ((torch.randn(5, 7), (7,), torch.randn(7), 1e-6), {}),
    "gelu": lambda: ((torch.randn(5, 7),), {"approximate": "tanh"}),
    "matmul": lambda: ((torch.randn(5, 7), torch.randn(7, 6)), {"bias": torch.randn(6), "activation": "silu"}),
    "conv3d": lambda: ((torch.randn(1, 2, 4, 5, 6), torch.randn(3, 2, 2, 2, 2), torch.randn(3)), {"padding": 1}),
    "msda": lambda: ((torch.randn(1, 20, 2, 8), torch.tensor([[4, 4], [2, 2]]), torch.rand(1, 3, 2, 2, 2, 2), torch.rand(1, 3, 2, 2, 2)), {}),
    "cross_entropy": lambda: ((torch.randn(5, 7), torch.tensor([0, 1, 6, -100, 2])), {"label_smoothing": 0.1}),
    "rope": lambda: ((torch.randn(1, 2, 5, 8), torch.randn(1, 1, 5, 8), torch.randn(5, 8), torch.randn(5, 8)), {}),
}


def references(operator):
    module = loading.load(operator, "reference")
    return getattr(module, "high_precision", None) if operator in ("mha", "rms_norm") else module.reference


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("operator", CALLS)
def test_results_and_gradients_are_torchs(operator):
    torch.manual_seed(0)
    args, kwargs = CALLS[operator]()
    inputs = [a.requires_grad_() for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor) and a.is_floating_point()]
    ours, theirs = parts(getattr(kernels, operator)(*args, **kwargs)), parts(references(operator)(*args, **kwargs))
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape and torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-5)
    grads = [torch.autograd.grad([r.double().sin().sum() for r in results], inputs, allow_unused=True) for results in (ours, theirs)]
    for a, b in zip(*grads):
        assert (a is None) == (b is None) and (a is None or torch.allclose(a.double(), b.double(), rtol=1e-3, atol=1e-4))


def test_all_operators_are_functions():
    folders = os.listdir(os.path.join(ROOT, "kernels"))
    assert sorted(kernels.OPERATORS) == sorted(f for f in folders if os.path.exists(os.path.join(ROOT, "kernels", f, "cases.toml")))
    from tessera.kernels import softmax
    importlib.import_module("tessera.kernels.softmax.reference")
    from tessera.kernels import softmax as again
    assert softmax is again and callable(softmax)


def test_triton_is_not_replaced():
    """The versions import `triton`; the program's own `import triton` is what it was."""
    assert not getattr(sys.modules.get("triton"), "__file__", "").startswith(os.path.dirname(kernels.__file__))


def test_dropout_follows_the_seed():
    x = torch.ones(1000)
    assert torch.equal(kernels.dropout(x, 0.5, seed=1), kernels.dropout(x, 0.5, seed=1))
    assert not torch.equal(kernels.dropout(x, 0.5, seed=1), kernels.dropout(x, 0.5, seed=2))
    torch.manual_seed(3)
    first = kernels.dropout(x)
    torch.manual_seed(3)
    assert torch.equal(first, kernels.dropout(x))


def test_torch_does_what_no_version_supports():
    x = torch.randn(4, 6)
    probabilities = torch.softmax(torch.randn(4, 6), -1)
    assert torch.allclose(kernels.cross_entropy(x, probabilities), torch.nn.functional.cross_entropy(x, probabilities))
    with pytest.raises(ValueError, match="reduction"):
        kernels.cross_entropy(x, torch.zeros(4, dtype=torch.int64), reduction="median")


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Records in a folder of their own: small inputs are best in v2, large ones in v1."""
    def size(version, moved, config):
        return {"case": {}, "facts": {"bytes": moved, "flops": 1}, "best": version, "contestants": {f"tessera:{version}": {"config": config}}}
    sizes = {"Small": size("v2_tiling", 1000, {"add_kernel": {"BLOCK": 2048, "num_warps": 4}}), "Large": size("v1_baseline", 10 ** 7, {})}
    newest = {"kind": "time", "device": {"type": "cpu", "name": "any"}, "sizes": sizes, "choice": {"Small": "v2_tiling", "Large": "v1_baseline"}}
    older = {"kind": "time", "device": {"type": "cpu"}, "sizes": {"Small": size("v3_coalesced", 1000, {})}, "choice": {"Small": "v3_coalesced"}}
    other = {"kind": "time", "device": {"type": "cuda", "name": "GPU"}, "sizes": {"Small": size("v3_coalesced", 1000, {})}, "choice": {}}
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "add.json").write_text(json.dumps({"format": 1, "op": "add", "records": [older, newest, other, {"kind": "check"}]}))
    monkeypatch.setattr(choice, "FOLDER", str(tmp_path))
    choice.forget()
    yield
    choice.forget()


def test_the_newest_record_chooses_by_size(recorded):
    small, large = torch.randn(100), torch.randn(10 ** 6)
    assert kernels.chosen("add", small, small) == ("v2_tiling", {"add_kernel": {"BLOCK": 2048, "num_warps": 4}})
    assert kernels.chosen("add", large, large)[0] == "v1_baseline"
    assert kernels.chosen("softmax", small, 0) == ("v4_optimized", "first")
    assert torch.equal(kernels.add(small, small), small + small)
    function = choice.function_for("add", small.device, (small, small), {})
    tuner = sys.modules[function.__module__].add_kernel
    assert [c.kwargs for c in tuner.configs] == [{"BLOCK": 2048}]
    assert len(loading.load("add", "v2_tiling").add_kernel.configs) > 1


def test_a_record_does_not_decide_for_rows_that_do_not_fit():
    config = {"rows_kernel": {"TILE": 2048, "num_warps": 4, "num_stages": 3}}
    loaded = loading.load("softmax", "v4_optimized", json.dumps(config))
    tuner = loaded.rows_kernel
    assert [c.kwargs["TILE"] for c in tuner.early_config_prune(tuner.configs, {}, BLOCK=512)] == [2048]
    assert {c.kwargs["TILE"] for c in tuner.early_config_prune(tuner.configs, {}, BLOCK=8192)} == {8192}
    x = torch.randn(4, 300)
    assert torch.allclose(loaded.triton_softmax(x, -1), torch.softmax(x, -1), atol=1e-6)


def test_a_limit_of_registers_is_part_of_a_configuration():
    with_limit = {"persistent_kernel": {"ROWS": 1, "PROGRAMS": 0, "num_warps": 8, "num_stages": 3, "maxnreg": 64}}
    without = {"persistent_kernel": {name: value for name, value in with_limit["persistent_kernel"].items() if name != "maxnreg"}}
    for config, limit in ((with_limit, 64), (without, None)):
        tuner = loading.load("rms_norm", "v4_optimized", json.dumps(config)).persistent_kernel
        assert [c.maxnreg for c in tuner.early_config_prune(tuner.configs, {}, BLOCK=8192)] == [limit]


def test_a_device_without_kernels_is_torchs():
    x = torch.empty(3, 4, device="meta")
    assert dispatch.eager("gelu", (x,), {}).shape == (3, 4)


@pytest.mark.skipif(not hasattr(torch.library, "custom_op"), reason="this torch has no torch.library.custom_op")
@pytest.mark.parametrize("operator", CALLS)
def test_inside_torch_compile(operator):
    """One graph without breaks, with gradients; aot_eager traces as inductor does, without compiling C++."""
    torch.manual_seed(0)
    torch._dynamo.reset()  # the compiled programs count per line of source
    args, kwargs = CALLS[operator]()
    inputs = [a.requires_grad_() for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor) and a.is_floating_point()]

    def program():
        return [2 * part for part in parts(getattr(kernels, operator)(*args, **kwargs))]
    eager, compiled = program(), torch.compile(program, fullgraph=True, backend="aot_eager")()
    for a, b in zip(eager, compiled):
        assert torch.allclose(a, b)
    grads = [torch.autograd.grad([r.sin().sum() for r in results], inputs, allow_unused=True) for results in (eager, compiled)]
    for a, b in zip(*grads):
        assert torch.allclose(torch.zeros_like(b) if a is None else a, b, atol=1e-6)
