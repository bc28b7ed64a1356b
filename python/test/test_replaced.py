"""Programs that put their own `run` or hooks into jit functions and autotuners: profilers, SGLang's recorded launches, vLLM."""
from unittest import mock

import numpy
import pytest

import tessera
import tessera.language as tl
from tessera.runtime import Autotuner
from tessera.runtime.jit import JITFunction


@tessera.jit
def add_one(x, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets) + 1)


@pytest.fixture
def x():
    x = numpy.zeros(4, "int32")
    add_one[(1,)](x, BLOCK=4)  # compiled: what follows would run in C alone
    x[:] = 0
    return x


class Recorder:
    """In the place of a class's `run`."""

    def __init__(self, original):
        self.calls = []

        def run(function, *args, **kwargs):
            self.calls.append((args, kwargs))
            return original(function, *args, **kwargs)

        self.run = run


def test_of_the_class(x):
    original = JITFunction.run
    recorder = Recorder(original)
    JITFunction.run = recorder.run
    try:
        compiled = add_one[(1,)](x, BLOCK=4)
        assert recorder.calls == [((x,), {"grid": (1,), "warmup": False, "BLOCK": 4})] and compiled.name == "add_one"
        add_one.warmup(x, BLOCK=4, grid=(1,))
        assert len(recorder.calls) == 2

        @tessera.jit
        def later(x):
            tl.store(x, tl.load(x) + 1)

        later[(1,)](x)
        assert len(recorder.calls) == 3
    finally:
        JITFunction.run = original
    add_one[(1,)](x, BLOCK=4)
    later[(1,)](x)
    assert len(recorder.calls) == 3 and x.tolist() == [4, 2, 2, 2]


def test_of_the_class_by_mock(x):
    recorder = Recorder(JITFunction.run)
    with mock.patch.object(JITFunction, "run", recorder.run):
        add_one[(1,)](x, BLOCK=4)
    add_one[(1,)](x, BLOCK=4)
    assert len(recorder.calls) == 1 and x[0] == 2


def test_of_one_function(x):
    with mock.patch.object(add_one, "run", lambda *args, **kwargs: (args, kwargs)):
        assert add_one[(3,)](x, z=2) == ((x,), {"z": 2, "grid": (3,), "warmup": False})
        assert add_one.warmup(1, grid=None) == ((1,), {"grid": None, "warmup": True})
    add_one[(1,)](x, BLOCK=4)
    assert x[0] == 1
    with pytest.raises(AttributeError):
        del add_one.run


def test_of_a_subclass(x):
    class Timed(JITFunction):
        def run(self, *args, grid, warmup, **kwargs):
            return "timed", super().run(*args, grid=grid, warmup=warmup, **kwargs)

    class Plain(JITFunction):
        pass

    timed, plain = Timed(add_one.fn), Plain(add_one.fn)
    assert timed[(1,)](x, BLOCK=4)[0] == "timed" and x[0] == 1
    assert plain[(1,)](x, BLOCK=4).name == "add_one" and x[0] == 2
    Plain.run = lambda self, *args, **kwargs: "replaced"
    assert plain[(1,)](x, BLOCK=4) == "replaced" and x[0] == 2
    del Plain.run
    assert plain[(1,)](x, BLOCK=4).name == "add_one" and x[0] == 3


def test_the_list_of_hooks(x):
    seen = []

    def hook(*args, **kwargs):
        seen.append((args, kwargs))

    for change in (lambda: add_one.pre_run_hooks.append(hook), lambda: add_one.pre_run_hooks.extend([hook]),
                   lambda: setattr(add_one, "pre_run_hooks", [hook])):
        change()
        add_one[(1,)](x, BLOCK=4)
        assert seen == [((x,), {"BLOCK": 4})]
        add_one.pre_run_hooks.remove(hook)
        add_one[(1,)](x, BLOCK=4)
        assert len(seen) == 1 and add_one.pre_run_hooks == []
        seen.clear()


@pytest.fixture
def tuned(x):
    configs = [tessera.Config({"BLOCK": 4}), tessera.Config({"BLOCK": 2})]
    tuned = tessera.autotune(configs, [], do_bench=lambda call, quantiles: (call(), 1)[1:])(add_one)
    tuned[(1,)](x)
    x[:] = 0
    return tuned


def test_of_autotuners(tuned, x):
    original = Autotuner.run
    recorder = Recorder(original)
    Autotuner.run = recorder.run
    try:
        tuned[(1,)](x)
    finally:
        Autotuner.run = original
    assert recorder.calls == [((x,), {"grid": (1,), "warmup": False})] and x[0] == 1
    tuned.run = lambda *args, **kwargs: "this one's"
    assert tuned[(1,)](x) == "this one's" and x[0] == 1


def test_what_autotuners_launch(tuned, x):
    recorder = Recorder(JITFunction.run)
    with mock.patch.object(JITFunction, "run", recorder.run):
        tuned[(1,)](x)
    ((args, kwargs),) = recorder.calls
    assert kwargs["BLOCK"] in (2, 4) and kwargs["grid"] == (1,) and x[0] == 1
