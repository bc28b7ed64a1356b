"""The extension by itself: sessions, devices, generic launches, and Launchable without the rest of the package."""
import json
import types

import numpy as np
import pytest
from tessera import _native

ADD = """
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
"""


def compile_add(session=None, signature="*fp32,*fp32,*fp32,i32,64"):
    return (session or _native.Session()).compile_file("add.py", ADD, "add", signature, "cpu")


def test_session_compiles_and_kernel_tells():
    kernel = compile_add()
    record = json.loads(kernel.metadata)
    assert record["name"] == "add" and record["target"] == "cpu"
    assert len(kernel.key) == 64 and kernel.is_cached is False and kernel.warnings is None
    assert kernel.artifact("obj")[:4] == b"\x7fELF" and kernel.artifact("ptx") is None
    assert kernel.stage_seconds("frontend") > 0 > kernel.stage_seconds("make_cubin")


def test_failures_carry_status_and_report():
    with pytest.raises(_native.CompileFailure) as failure:
        _native.Session().compile_file("add.py", ADD, "nothing", "*fp32", "cpu")
    assert failure.value.status in (1, 2) and "nothing" in failure.value.report
    with pytest.raises(_native.CompileFailure) as failure:
        _native.Session().compile_program("{", "cpu")
    assert failure.value.status != 0 and str(failure.value)
    with pytest.raises(ValueError, match="bogus"):
        _native.Session({"bogus": "1"})
    with pytest.raises(TypeError):
        _native.Session({"ptxas": 3})
    with pytest.raises(TypeError):
        _native.Kernel()
    with pytest.raises(TypeError):
        _native.LoadedKernel()


def test_references():
    assert _native.references("def f(x):\n    return tl.load(x) + BLOCK\n", "a.py", 1) == ["tl.load", "BLOCK"]
    with pytest.raises(ValueError, match="a.py:7"):
        _native.references("def f(:\n", "a.py", 7)


def test_devices():
    cpu = _native.Device("cpu", "threads=2")
    assert (cpu.name, cpu.target) == ("cpu", "cpu")
    assert cpu.property("multiprocessor_count") == 2 and cpu.property("memory_bytes") > 0
    assert cpu.property("nonsense") == -1 and cpu.can_access(0x1000)
    cpu.synchronize()
    with pytest.raises(_native.DeviceFailure, match="toaster"):
        _native.Device("toaster")
    with pytest.raises(_native.DeviceFailure):
        _native.Device("cpu", "threads=0")


def test_generic_launch():
    loaded = _native.Device("cpu").load(compile_add())
    assert loaded.resource("registers") == -1 and loaded.handle("function") == 0
    x, y, out = np.arange(100, dtype="f4"), np.ones(100, "f4"), np.zeros(100, "f4")
    loaded.launch(2, 1, 1, 0, (x, y.ctypes.data, out, 100))
    assert np.array_equal(out, x + y)
    with pytest.raises(TypeError, match="takes 4 arguments and was given 1"):
        loaded.launch(1, 1, 1, 0, (x,))
    with pytest.raises(OverflowError, match="'n' of kernel 'add'"):
        loaded.launch(1, 1, 1, 0, (x, y, out, 1 << 40))
    with pytest.raises(TypeError, match="'n' of kernel 'add'"):
        loaded.launch(1, 1, 1, 0, (x, y, out, 1.5))
    with pytest.raises(ValueError, match="extent"):
        loaded.launch(-1, 1, 1, 0, (x, y, out, 1))


def test_kernel_of_another_target_is_refused():
    kernel = _native.Session().compile_file("add.py", ADD, "add", "*fp32,*fp32,*fp32,i32,64", "cuda:90", outputs="ptx")
    with pytest.raises(_native.DeviceFailure, match="cuda:90"):
        _native.Device("cpu").load(kernel)


class Adder(_native.Launchable):
    """add() with what JITFunction does reduced to the least."""

    def __init__(self):
        self._set_parameters("add", [("x", 0, None, False, None), ("y", 0, None, False, None), ("out", 0, None, False, None),
                                     ("n", 0, "i32", False, None), ("BLOCK", 1, None, True, 64)])
        self.made, self.changed, self.runs = [], 0, []

    def _make_variant(self, bound, specialization, options, device):
        self.made.append((bound, specialization, options, device))
        assert list(bound) == ["x", "y", "out", "n", "BLOCK"] and device == "cpu"
        names = [f"{type}:16" if key == "D" else type for type, key in specialization[:-1]]
        kernel = compile_add(signature=",".join(names + [str(bound["BLOCK"])]))
        return _native.Variant(_native.Device("cpu").load(kernel), f"result {len(self.made)}")

    def _guards_changed(self):
        self.changed += 1
        self._guards = [(space, name, space.get(name, _native.absent)) for space, name, _ in self._guards]
        self._state = tuple(value for _, _, value in self._guards)

    def run(self, *args, grid, warmup, **kwargs):
        self.runs.append((args, grid, warmup, kwargs))
        return "slow"


def arrays(n=100):
    out = np.zeros(n, "f4")
    return np.arange(n, dtype="f4"), np.ones(n, "f4"), out


def test_launchable_compiles_once_for_each_key():
    kernel = Adder()
    x, y, out = arrays()
    assert kernel[(2,)](x, y, out, 100) == "result 1"
    assert np.array_equal(out, x + y)
    assert kernel[2, 1](x, y, out, n=100, BLOCK=64) == "result 1"
    assert kernel[(2,)](x, y, out, 96) == "result 2"  # divisible by 16
    assert kernel[(2,)](x, y, out, 100, num_warps=2) == "result 3"
    assert kernel[(2,)](x, y, out, 100, BLOCK=32, num_warps=2) == "result 4"
    assert kernel[(2,)](x, y, out, 100, num_warps=2, BLOCK=64) == "result 3"
    assert [variant.result for variant in kernel._variants()] == [f"result {i}" for i in range(1, 5)]
    assert [variant.launches for variant in kernel._variants()] == [2, 1, 2, 1]
    assert kernel.made[0][1] == [("*fp32", "D")] * 3 + [("i32", ""), ("constexpr", 64)]
    kernel._clear_variants()
    assert kernel._variants() == [] and kernel[(2,)](x, y, out, 100) == "result 5"


def test_added_variants_are_hit():
    kernel, donor = Adder(), Adder()
    x, y, out = arrays()
    donor[(2,)](x, y, out, 100, num_warps=2)
    _, specialization, options, device = donor.made[0]
    kernel._add_variant(specialization, options, device, donor._variants()[0])
    assert kernel[(2,)](x, y, out, 100, num_warps=2) == "result 1" and kernel.made == []
    with pytest.raises(ValueError, match="no specialization"):
        kernel._add_variant([("x9", None)] * 5, {}, "cpu", donor._variants()[0])
    with pytest.raises(RuntimeError, match="compiled for other arguments"):
        kernel._add_variant([("i32", "")] * 3 + [("i32", ""), ("constexpr", 1)], {}, "cpu", donor._variants()[0])


def test_guards_by_identity():
    kernel = Adder()
    x, y, out = arrays()
    space = {"A": 1000, "B": (1, 2)}
    kernel._guards = [(space, "A", space["A"]), (space, "B", space["B"]), (space, "C", _native.absent)]
    kernel._state = "first"
    assert kernel[(2,)](x, y, out, 100) == "result 1" and kernel.changed == 0
    space["C"] = 5
    assert kernel[(2,)](x, y, out, 100) == "result 2" and kernel.changed == 1
    del space["C"]
    kernel[(2,)](x, y, out, 100)
    space["C"] = 5
    assert kernel[(2,)](x, y, out, 100) == "result 2" and kernel.changed == 3  # an old state finds its variant
    kernel._guards = [(Adder, "answer", 42)]
    kernel[(2,)](x, y, out, 100) if hasattr(Adder, "answer") else None
    with pytest.raises(TypeError, match="a guard is"):
        kernel._guards = [("A", 1)]


def test_guards_and_state_change_in_one_step():
    """What runs between two assignments, as the end of an old value does, would see new guards and an old state."""
    kernel, space, seen = Adder(), {"A": 1}, []

    class Value:
        def __del__(self):
            seen.append((kernel._guards, kernel._state))

    kernel._set_guards([(space, "A", Value())], Value())
    kernel._set_guards([(space, "A", 1)], "second")
    assert seen == [(((space, "A", 1), ), "second")] * 2
    with pytest.raises(TypeError, match="a guard is"):
        kernel._set_guards([("A", 1)], "third")
    assert kernel._guards == ((space, "A", 1), ) and kernel._state == "second"


def test_guards_of_modules():
    """A module is asked as Python asks it: its dict, then its __getattr__, or its class where that has become another."""
    class Changed(types.ModuleType):
        A = property(lambda self: 1)

    class Watching(Adder):
        def _guards_changed(self):
            self.changed += 1

    kernel, module = Watching(), types.ModuleType("module")
    x, y, out = arrays()
    module.A, module.__getattr__ = 1000, {"B": "lazy"}.__getitem__
    kernel._guards = [(module, "A", module.A), (module, "B", module.B), (module, "__name__", module.__name__)]

    def changes():
        before = kernel.changed
        kernel[(2,)](x, y, out, 100)
        return kernel.changed - before

    assert changes() == 0
    module.B = "eager"
    assert changes() == 1
    del module.B
    assert changes() == 0
    module.__class__ = Changed
    assert changes() == 1
    module.__class__, module.A = types.ModuleType, 1001
    assert changes() == 1
    del module.A
    kernel._guards = [(module, "A", 1000)]
    with pytest.raises(KeyError):  # what __getattr__ raises
        changes()


def test_slow_path_and_hooks():
    kernel = Adder()
    x, y, out = arrays()
    kernel._uses_slow_path = True
    assert kernel[(2,)](x, y, out, 100, num_warps=4) == "slow"
    args, grid, warmup, kwargs = kernel.runs[0]
    assert args[2] is out and grid == (2,) and warmup is False and kwargs == {"num_warps": 4}
    assert kernel._launch((2,), (x, y, out, 100), {}) == "result 1"
    kernel._uses_slow_path = False
    _native.set_launch_hooks(True)
    try:
        assert kernel[(2,)](x, y, out, 100) == "slow"
    finally:
        _native.set_launch_hooks(False)
    assert kernel[(2,)](x, y, out, 100) == "result 1"


def test_vetoes_and_errors_of_make_variant_are_not_kept():
    kernel = Adder()
    x, y, out = arrays()
    kernel._make_variant = lambda *args: None
    assert kernel[(2,)](x, y, out, 100) is None and kernel._variants() == []

    def fail(*args):
        raise KeyError("no")
    kernel._make_variant = fail
    with pytest.raises(KeyError):
        kernel[(2,)](x, y, out, 100)
    kernel._make_variant = lambda *args: 5
    with pytest.raises(TypeError, match="neither a Variant, nor"):
        kernel[(2,)](x, y, out, 100)
    del kernel._make_variant
    assert kernel[(2,)](x, y, out, 100) == "result 1"


def test_misuse():
    with pytest.raises(RuntimeError, match="_set_parameters"):
        _native.Launchable()[(1,)]()
    kernel = Adder()
    with pytest.raises(RuntimeError, match="set already"):
        kernel._set_parameters("add", [])
    for bad in ([("x",)], [5], [("x", 0, "nonsense", False, None)], [("x", 0, 5, False, None)], 7):
        with pytest.raises(TypeError):
            _native.Launchable()._set_parameters("add", bad)
    with pytest.raises(TypeError):
        _native.register_type("constexpr", 5)
    with pytest.raises(ValueError):
        _native.register_type("wonder", int)
    with pytest.raises(ValueError):
        _native.set_default_device("toaster")
