"""Gluon's names: programs that have Gluon kernels beside others can be imported, and hear of it when they launch one."""
import importlib
import pickle
import pkgutil
import types

import pytest

import tessera
import tessera.language as tl
from tessera.compiler import UnsupportedLanguageConstruct
from tessera.experimental import gluon
from tessera.experimental.gluon import language as gl


REFUSED = r"test_gluon.py:\d+: unsupported: 'gluon_kernel' is written in Gluon"


@gluon.jit
def gluon_kernel(x_ptr, layout: gl.constexpr):
    at = gl.arange(0, 128, layout=layout)
    gl.store(x_ptr + at, at)


def test_imports_under_triton_s_name(snippet):
    """The forms that packages use."""
    snippet('''if True:
        import importlib.util
        import triton, triton.language as tl
        from triton.experimental import gluon
        from triton.experimental.gluon import language as gl, GluonJITFunction
        from triton.experimental.gluon.language import extra
        from triton.experimental.gluon.language.nvidia.ampere import async_copy as cp, mma_v2
        from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, mbarrier, tcgen05_mma
        from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
        import triton.experimental.gluon.language as again
        assert again is gl and gl.constexpr is tl.constexpr and gl.float32 is tl.float32 and extra.libdevice is tl.extra.libdevice
        assert importlib.util.find_spec("triton.experimental.gluon.language.nvidia.hopper") is not None
        assert importlib.util.find_spec("triton.experimental.gluon.language.nvidia.older") is None
        try:
            from triton.experimental.gluon.language import of_a_newer_triton
        except ImportError as error:
            assert "of_a_newer_triton" in str(error)
        else:
            raise SystemExit(1)
        ''', flags=["-m", "tessera"])


def test_a_gluon_kernel_is_defined_and_refused(numpy):
    assert gluon_kernel.is_gluon() and isinstance(gluon_kernel, tessera.JITFunction)
    assert gluon_kernel.arg_names == ["x_ptr", "layout"]
    assert gluon.jit(do_not_specialize=["x_ptr"])(gluon_kernel.fn).params[0].do_not_specialize
    x, layout = numpy.zeros(128, "int32"), gl.BlockedLayout([4], [32], [4], [0])
    for launch in (lambda: gluon_kernel[(1, )](x, layout), lambda: gluon_kernel.warmup(x, layout, grid=(1, ))):
        with pytest.raises(UnsupportedLanguageConstruct, match=REFUSED):
            launch()


def test_layouts_are_constants():
    layout = gl.BlockedLayout([4], [32], warps_per_cta=[4], order=[0])
    assert layout == gl.BlockedLayout([4], [32], order=[0], warps_per_cta=[4]) and layout != gl.BlockedLayout([2], [32], [4], [0])
    assert gl.SliceLayout(0, layout) != gl.DotOperandLayout(0, layout)
    assert {layout: 1}[pickle.loads(pickle.dumps(layout))] == 1
    assert repr(gl.SliceLayout(0, layout)) == "SliceLayout(0, BlockedLayout([4], [32], order=[0], warps_per_cta=[4]))"
    shared = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    assert shared == gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)


def test_functions_are_for_kernels_that_are_not_there():
    with pytest.raises(NotImplementedError, match="convert_layout belongs to Gluon"):
        gl.convert_layout(1, 2)
    assert pickle.loads(pickle.dumps(gl.warp_specialize)).__name__ == "warp_specialize"
    assert gl.load is tl.load


def test_names_are_triton_s(triton):
    """Every public name of every module, and none that Triton lacks."""
    def below(package):
        for found in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            if not found.name.startswith("_"):
                yield module
                if found.ispkg:
                    yield from below(module)

    for module in below(importlib.import_module("triton.experimental.gluon")):
        path = module.__name__[len("triton.experimental."):]
        ours = importlib.import_module(f"tessera.experimental.{path}")
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        missing = [name for name in names if not hasattr(ours, name)]
        assert not missing, (path, missing)
        extra = [name for name, value in vars(ours).items() if not name.startswith("_") and not hasattr(module, name)
                 and not isinstance(value, types.ModuleType)]
        assert not extra, (path, extra)
