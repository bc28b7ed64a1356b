"""Programs that put their own `run` or hooks into jit functions and autotuners: profilers, SGLang's recorded launches, vLLM."""
import weakref
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


def test_what_the_class_holds(x):
    """Some take a method out of the class's dictionary, and ask it for its signature."""
    import inspect
    original, calls = vars(JITFunction)["run"], []
    JITFunction.run = lambda self, *args, **kwargs: calls.append(1) or original(self, *args, **kwargs)
    try:
        add_one[(1,)](x, BLOCK=4)
    finally:
        JITFunction.run = original
    add_one[(1,)](x, BLOCK=4)
    assert x[0] == 2 and calls == [1] and original.__name__ == "run" and "Run" not in repr(JITFunction.run)
    assert inspect.signature(original) == inspect.signature(JITFunction.run)


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


def test_of_a_function_that_is_being_made(x):
    class Own(JITFunction):
        def __init__(self, fn):
            self.run = lambda *args, **kwargs: "own"
            super().__init__(fn)

    assert Own(add_one.fn)[(1,)](x, BLOCK=4) == "own"


@pytest.mark.parametrize("of", [tessera.KernelInterface, JITFunction])
def test_of_the_brackets(x, tuned, of):
    """Programs that report grids, or compile where others launch: asked once for each kernel[grid]."""
    original, seen = of.__getitem__, []

    def getitem(kernel, grid):
        seen.append((type(kernel).__name__, grid))
        return original(kernel, grid)

    with mock.patch.object(of, "__getitem__", getitem):
        for kernel in (add_one, tessera.heuristics({})(add_one)):
            kernel[(1,)](x, BLOCK=4)
        tuned[(1,)](x)
    assert x[0] == 3
    asked = ["JITFunction"] if of is JITFunction else ["JITFunction", "Heuristics", "Autotuner"]
    assert seen == [(name, (1,)) for name in asked]
    add_one[(1,)](x, BLOCK=4)
    tuned[(1,)](x)
    assert x[0] == 5 and len(seen) in (1, 3) and "__getitem__" not in vars(JITFunction)


def test_launches_are_quick_again_when_an_autotuners_run_is_put_back(x, tuned):
    from tessera.runtime import monkey_patching
    with mock.patch.object(Autotuner, "run", lambda *_, **__: "mine"):
        assert tuned[(1,)](x) == "mine"
    assert not monkey_patching._classes and tuned[(1,)](x) != "mine" and x[0] == 1


def test_mixed_with_abstract_classes(x):
    import abc

    class Timed(JITFunction, abc.ABC):
        pass

    class Own(tessera.KernelInterface, abc.ABC):
        @abc.abstractmethod
        def run(self, *args, grid, warmup, **kwargs):
            """Launches."""

    Timed(add_one.fn)[(1,)](x, BLOCK=4)
    assert x[0] == 1 and isinstance(add_one, tessera.KernelInterface) and not isinstance(x, tessera.KernelInterface)
    with pytest.raises(TypeError, match="abstract"):
        Own()


def test_the_list_of_hooks(x):
    seen = []

    def hook(*args, **kwargs):
        seen.append((args, kwargs))

    hooks = add_one.pre_run_hooks
    for change, back in ((lambda: hooks.append(hook), lambda: hooks.remove(hook)),
                         (lambda: hooks.extend([hook]), lambda: hooks.pop()),
                         (lambda: hooks.insert(0, hook), lambda: hooks.clear()),
                         (lambda: hooks.__iadd__([hook]), lambda: hooks.__delitem__(0)),
                         (lambda: hooks.__setitem__(slice(0), [hook]), lambda: hooks.__imul__(0)),
                         (lambda: setattr(add_one, "pre_run_hooks", [hook]), lambda: setattr(add_one, "pre_run_hooks", ()))):
        change()
        assert add_one._uses_slow_path
        add_one[(1,)](x, BLOCK=4)
        assert seen == [((x,), {"BLOCK": 4})]
        back()
        assert not add_one._uses_slow_path
        add_one[(1,)](x, BLOCK=4)
        assert len(seen) == 1 and add_one.pre_run_hooks == []
        seen.clear()


def test_functions_go_with_their_last_user():
    """No cycle keeps one that was never launched."""
    kernel = tessera.jit(add_one.fn)
    gone, hooks = weakref.ref(kernel), kernel.pre_run_hooks
    del kernel
    assert gone() is None
    hooks.append(print)  # nobody hears of it


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


@pytest.mark.parametrize("do_bench", [None, lambda call, quantiles: (call(), 1)[1:]])
@pytest.mark.parametrize("of", ["the class", "a subclass", "one tuner"])
def test_of_what_measures(x, of, do_bench):
    """Programs guard the measurements of a tuner, or make them their own: `_bench` is called for each configuration."""
    original, seen = Autotuner._bench, []

    def bench(tuner, *args, config, **meta):
        seen.append((args, config.kwargs, meta["grid"]))
        original(tuner, *args, config=config, **meta)
        return [float(config.kwargs["BLOCK"])] * 3

    kind = type("Guarded", (Autotuner,), {"_bench": bench}) if of == "a subclass" else Autotuner
    configs = [tessera.Config({"BLOCK": 4}), tessera.Config({"BLOCK": 2})]
    tuner = kind(add_one, add_one.arg_names, configs, [], None, None, do_bench=do_bench)
    if of == "one tuner":
        tuner._bench = bench.__get__(tuner)
    with mock.patch.object(Autotuner, "_bench", bench if of == "the class" else original):
        tuner[(1,)](x)
    assert seen == [((x,), {"BLOCK": 4}, (1,)), ((x,), {"BLOCK": 2}, (1,))] and tuner.best_config is configs[1]
    assert x.tolist() == [1, 1, 0, 0]  # and put back


def test_what_autotuners_launch(tuned, x):
    recorder = Recorder(JITFunction.run)
    with mock.patch.object(JITFunction, "run", recorder.run):
        tuned[(1,)](x)
    ((args, kwargs),) = recorder.calls
    assert kwargs["BLOCK"] in (2, 4) and kwargs["grid"] == (1,) and x[0] == 1


class Counting(tessera.KernelInterface):
    """A kernel of a program's own. What `run` is given, it passes on; it launches always."""

    fn, arg_names = add_one, add_one.arg_names

    def __init__(self):
        self.runs = []

    def run(self, *args, **kwargs):
        self.runs.append(kwargs.pop("warmup"))
        return add_one[kwargs.pop("grid")](*args, **kwargs)


class Heeding(Counting):
    def run(self, *args, warmup, **kwargs):
        return add_one.run(*args, warmup=warmup, **kwargs) if warmup else super().run(*args, warmup=warmup, **kwargs)


@pytest.mark.parametrize("kind, wrap", [(Counting, lambda fn: fn), (Counting, tessera.heuristics({})), (Heeding, lambda fn: fn)])
def test_trials_of_a_programs_own_kernels(x, kind, wrap):
    """Nothing is launched that is not measured, and put back."""
    kernel = kind()
    configs = [tessera.Config({"BLOCK": 4}), tessera.Config({"BLOCK": 2})]
    tuned = tessera.autotune(configs, [], restore_value=["x"], do_bench=lambda call, quantiles: (call(), 1)[1:])(wrap(kernel))
    tuned[(1,)](x)
    assert kernel.runs == [False] * 3 and x[0] == 1


def test_trials_of_a_run_that_comes_from_no_module(x):
    """As those of texts that are given to exec."""
    kernel, calls = tessera.jit(add_one.fn), []

    def run(*args, grid, warmup, **kwargs):
        calls.append(warmup)
        return add_one.run(*args, grid=grid, warmup=warmup, **kwargs)

    run.__module__ = None
    kernel.run = run
    configs = [tessera.Config({"BLOCK": 4}), tessera.Config({"BLOCK": 2})]
    tessera.autotune(configs, [], do_bench=lambda call, quantiles: (call(), 1)[1:])(kernel)[(1,)](x)
    assert sorted(calls) == [False] * 3 + [True] * 2 and x[0] == 1


def test_hooks_and_trials(x):
    """They are called for launches, once for each, and on the thread that launches."""
    import threading
    kernel, seen = tessera.jit(add_one.fn), []
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((threading.current_thread(), kwargs["BLOCK"])))
    configs = [tessera.Config({"BLOCK": 4}), tessera.Config({"BLOCK": 2})]
    tuned = tessera.autotune(configs, [], do_bench=lambda call, quantiles: (call(), 1)[1:])(kernel)
    tuned[(1,)](x)
    assert seen == [(threading.current_thread(), block) for block in (4, 2, 4)]


def test_warming_up_by_types(torch):
    tuned = tessera.autotune([tessera.Config({"BLOCK": 4}), tessera.Config({"BLOCK": 2})], [])(tessera.heuristics({})(add_one))
    assert [kernel.name for kernel in tuned.warmup(torch.int32, grid=(1,))] == ["add_one"] * 2
