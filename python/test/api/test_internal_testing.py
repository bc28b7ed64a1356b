"""_internal_testing: the helpers that tests written for Triton import."""
import os

import pytest

import tessera
import tessera.language as tl
from tessera import _internal_testing as helpers


@pytest.mark.parametrize("dtype", [*helpers.dtypes_with_bfloat16, "bool"])
def test_arrays_there_and_back(numpy, torch, dtype):
    x = helpers.numpy_random((64,), dtype)
    tensor = helpers.to_triton(x, "cpu", dst_type=dtype)
    assert numpy.array_equal(helpers.to_numpy(tensor), x) and numpy.array_equal(helpers.numpy_random(64, dtype), x)
    if dtype in helpers.integral_dtypes:
        assert x.dtype == dtype and (x != 0).all()
        assert set(helpers.numpy_random(64, dtype, low=0, high=3)) <= {1, 2}
    assert helpers.torch_dtype_name(tensor.dtype) == dtype


def test_what_numpy_does_not_have(numpy, torch):
    x = helpers.numpy_random(16, "float8e5")
    tensor = helpers.to_triton(x, "cpu", dst_type="float8e5")
    assert tensor.dtype == tl.float8e5 and helpers.unwrap_tensor(tensor).dtype == torch.int8
    assert helpers.to_triton(helpers.numpy_random(16, "bfloat16"), "cpu", "bfloat16").dtype == torch.bfloat16
    with pytest.raises(RuntimeError, match="float9"):
        helpers.numpy_random(16, "float9")
    with pytest.raises(ValueError):
        helpers.to_numpy(x)


def test_types_by_name(torch):
    assert helpers.str_to_triton_dtype("float32") == tl.float32 and helpers.str_to_triton_dtype("bool") == tl.int1
    assert helpers.torch_dtype_name(torch.int64) == "int64" and helpers.torch_dtype_name(tl.int8) == "int8"
    with pytest.raises(TypeError):
        helpers.torch_dtype_name("int8")


def test_this_machine(torch, monkeypatch):
    backend = tessera.runtime.driver.active.get_current_target().backend
    assert (helpers.is_cuda(), helpers.is_hip(), helpers.is_xpu()) == (backend == "cuda", False, False)
    assert helpers.default_alloc_fn(64, 16, None).nelement() == 64 and helpers.requires_tma.name == "skipif"
    monkeypatch.setattr(helpers, "get_current_target", lambda: tessera.backends.compiler.GPUTarget("cuda", 90, 32))
    assert helpers.is_hopper() and helpers.is_hopper_or_newer() and helpers.is_ampere_or_newer() and helpers.supports_tma()
    assert not helpers.is_blackwell() and helpers.get_arch() == "90" and not helpers.is_hip_cdna()
    monkeypatch.setattr(helpers, "get_current_target", lambda: tessera.backends.compiler.GPUTarget("hip", "gfx942", 64))
    assert helpers.is_hip_cdna3() and helpers.is_hip_cdna() and not helpers.is_cuda() and helpers.get_hip_lds_size() == 65536


def test_fresh_knobs(monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    before = tessera.knobs.autotuning
    start, end = helpers._fresh_knobs_impl(skipped_attr={"build"})
    knobs = start()
    assert knobs is tessera.knobs and not knobs.autotuning.print and "TRITON_PRINT_AUTOTUNING" not in os.environ
    knobs.compilation.always_compile = True
    assert os.environ["TRITON_ALWAYS_COMPILE"] == "1"
    end()
    assert knobs.autotuning is before and before.print and "TRITON_ALWAYS_COMPILE" not in os.environ
    assert not knobs.compilation.always_compile


def test_the_names_are_tritons(triton):
    path = os.path.join(os.path.dirname(triton.__file__), "_internal_testing.py")
    if not os.path.exists(path):
        pytest.skip("this Triton has no _internal_testing")
    import ast
    with open(path, encoding="utf-8") as file:
        body = ast.parse(file.read()).body
    names = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    names += [target.id for node in body if isinstance(node, ast.Assign) for target in node.targets]
    assert [name for name in names if not hasattr(helpers, name)] == []
