"""What programs import from the less public modules: _utils, runtime.build, testing's statistics, the backend's assembler."""
import os
import shutil

import pytest

import tessera
import tessera.language as tl
from tessera.language.standard import sort_impl


def test_types_and_shapes():
    from tessera import _utils
    assert _utils.canonicalize_dtype("torch.float8_e4m3fn") == "fp8e4nv" and _utils.canonicalize_dtype(tl.int1) == "u1"
    assert _utils.canonicalize_ptr_dtype("bfloat16", True) == "*kbf16" and _utils.canonicalize_ptr_dtype("i8", False) == "*i8"
    assert [_utils.get_primitive_bitwidth(name) for name in ("u1", "bf16", "double", "fp8e5", "void")] == [1, 16, 64, 8, 0]
    assert _utils.validate_block_shape([4, 8]) == 32 and _utils.validate_block_shape([]) == 1
    for shape, kind in (([3], ValueError), ([2.0], TypeError), ([1 << 21], ValueError), ([0], ValueError)):
        with pytest.raises(kind):
            _utils.validate_block_shape(shape)


def test_paths_in_nested_tuples():
    import collections
    from tessera import _utils
    nested = [1, (2, [3, "x"]), ()]
    assert _utils.find_paths_if(nested, lambda path, leaf: isinstance(leaf, int)) == [(0,), (1, 0), (1, 1, 0)]
    assert _utils.find_paths_if(5, lambda path, leaf: True) == [()]
    assert _utils.get_iterable_path(nested, (1, 1, 1)) == "x" and _utils.get_iterable_path(nested, ()) is nested
    _utils.set_iterable_path(nested, (1, 1, 0), 7)
    assert nested == [1, (2, [7, "x"]), ()]
    assert _utils.is_namedtuple(collections.namedtuple("P", "x")) and not _utils.is_namedtuple((1,))


def test_the_same_answers_as_triton(triton):
    from triton import _utils as theirs
    from tessera import _utils as ours
    assert ours.type_canonicalisation_dict == theirs.type_canonicalisation_dict and ours.BITWIDTH_DICT == theirs.BITWIDTH_DICT


C_MODULE = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(%d); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "answering", "", -1, methods};
PyMODINIT_FUNC PyInit_answering(void) { return PyModule_Create(&definition); }
"""


def can_build_modules():
    import sysconfig
    return shutil.which("gcc") is not None and os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))


def test_a_c_module_of_a_program(fresh_cache, monkeypatch):
    from tessera.runtime import build
    if not can_build_modules():
        pytest.skip("no C compiler or no Python.h")
    assert build.compile_module_from_src(C_MODULE % 41, "answering").answer() == 41
    monkeypatch.setenv("CC", "false")
    assert build.compile_module_from_src(C_MODULE % 41, "answering").answer() == 41  # built before
    with pytest.raises(RuntimeError, match="'answering' does not compile: false"):
        build.compile_module_from_src(C_MODULE % 42, "answering")
    monkeypatch.delenv("CC")
    (path,) = [os.path.join(folder, name) for folder, _, names in os.walk(fresh_cache) for name in names]
    os.unlink(path)  # not written over: it is mapped
    with open(path, "wb") as file:
        file.write(b"damaged")
    assert build.compile_module_from_src(C_MODULE % 41, "answering").answer() == 41
    with pytest.raises(RuntimeError, match="error"):
        build.compile_module_from_src("no C", "answering")


def test_a_builder_of_ones_own(fresh_cache, monkeypatch):
    from tessera import knobs
    from tessera.runtime import build
    monkeypatch.setitem(vars(knobs.build), "impl", lambda *given: given)
    assert build._build("n", "n.c", "d", ["l"], ["i"], ["m"]) == ("n", "n.c", "d", ["l"], ["i"], ["m"])
    monkeypatch.setitem(vars(knobs.build), "impl", None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(RuntimeError, match="no C compiler"):
        build._build("n", "n.c", "d", [], [], [])
    assert [build._library_flag(name) for name in ("m", "libcuda.so.1", "x.a")] == ["-lm", "-l:libcuda.so.1", "-l:x.a"]


def test_statistics_of_benchmarks():
    from tessera import testing
    assert testing._summarize_statistics([3.0, 1.0, 2.0], None, "median") == 2.0
    assert testing._summarize_statistics([3.0, 1.0, 2.0], [0.5], "mean") == 2.0
    assert testing._quantile([1.0, 2.0, 3.0], [0.0, 0.25, 1.0]) == [1.0, 1.5, 3.0]


def test_the_assembler_of_the_backend(monkeypatch, tmp_path):
    from tessera.backends.nvidia import compiler
    program = tmp_path / "ptxas"
    program.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 12.9, V12.9.1'\n")
    program.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(program))
    assert "release 12.9" in compiler.get_ptxas_version() and compiler.get_ptxas(90).version == "12.9"
    assert issubclass(compiler.PTXASError, tessera.TritonError)
    assert compiler.min_dot_size(None)(tl.float16, tl.float16) == (1, 1, 16)


def test_types_of_hooks(snippet):
    """Known by name, and not at the price of every import."""
    snippet("""
import sys
before = "typing" in sys.modules
import tessera
from tessera import knobs
assert "tessera._hook_types" not in sys.modules and ("typing" in sys.modules) == before
from tessera.knobs import BuildImpl, CompilationListener, InitHandleHook, JITHook, JITHookCompileInfo, KernelAttr, LaunchHook
assert JITHookCompileInfo(key="k")["key"] == "k" and knobs.PipelineStagesHook
for name in ("Any", "Protocol", "nothing", "_hidden"):
    assert not hasattr(knobs, name), name
""", flags=["-S"])


@tessera.jit
def first_of(x_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr, DESCENDING: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, K), sort_impl(x, k=K, descending=DESCENDING))
    tl.store(out_ptr + K + tl.arange(0, K), tl.standard.sort_impl(x, K, 0, DESCENDING))


@pytest.mark.parametrize("descending", [False, True])
def test_the_body_of_sort_and_topk(numpy, descending):
    """Taken from tl.standard by programs that want the smallest elements."""
    x, out = numpy.random.RandomState(0).randn(32).astype("float32"), numpy.zeros(16, "float32")
    first_of[(1,)](x, out, 32, 8, descending)
    expected = numpy.sort(x)[::-1][:8] if descending else numpy.sort(x)[:8]
    assert numpy.array_equal(out, numpy.concatenate([expected, expected]))


def test_shared_memory_of_a_device():
    from tessera.compiler.compiler import max_shared_mem
    assert max_shared_mem(0) == tessera.runtime.driver.active.utils.get_device_properties(0)["max_shared_mem"]
