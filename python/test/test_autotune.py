"""Autotuning: keys, pruning, hooks, failures, what is kept on disk, threads, and what the user sees.

The logic is tested on FakeKernel, which takes the time that it is told to (of a clock of its own) and fails where it is told
to; the searches at the end run real kernels.
"""
import copy
import json
import os
import pickle
import re
import threading
import time
import warnings

import pytest
from virtual_time import VirtualTime

import tessera
from tessera import Config
from tessera.compiler.errors import CompilationError
from tessera.runtime.tuning import progress as tuning_progress, search as tuning_search, timing
from tessera.runtime.autotuner import Autotuner, Heuristics
from tessera.runtime.errors import AutotunerError, OutOfResources, PTXASError
from tessera.runtime.jit import KernelInterface


HERE = os.path.dirname(os.path.abspath(__file__))


def fake(x, n, BLOCK, OTHER=0):
    """The function of a FakeKernel."""


class FakeKernel(KernelInterface):
    """Looks like a jit function. `seconds` and `fails` are functions of BLOCK; what happened is in `compiled` and `launched`."""

    fn = staticmethod(fake)
    arg_names = ["x", "n", "BLOCK", "OTHER"]
    cache_key = "the code of fake"

    def __init__(self, seconds=lambda block: 1e-3, compile_fails=lambda block: None, launch_fails=lambda block: None,
                 effect=None):
        self.seconds, self.compile_fails, self.launch_fails, self.effect = seconds, compile_fails, launch_fails, effect
        self.compiled, self.launched, self.last = [], [], None

    def run(self, *args, grid, warmup, **kwargs):
        block = kwargs.get("BLOCK")
        problem = None if block in self.compiled or block in self.launched else self.compile_fails(block)
        if problem:
            raise problem
        if warmup:
            self.compiled.append(block)
            return FakeCompiled(block)
        if self.launch_fails(block):
            raise self.launch_fails(block)
        self.launched.append(block)
        self.last = kwargs
        if self.effect:
            self.effect(*args)
        timing.time.sleep(self.seconds(block))
        return FakeCompiled(block)


class FakeCompiled:
    def __init__(self, block):
        self.block, self.n_regs, self.n_spills = block, 32 + (block or 0) % 100, 0


def blocks(*sizes, **options):
    return [Config({"BLOCK": size}, **options) for size in sizes]


def told(times):
    """A do_bench that does what a user's would: run the kernel, and say what it is told to say."""
    def do_bench(call, quantiles):
        call()
        return times[call.config.kwargs["BLOCK"]]
    return do_bench


@pytest.fixture(autouse=True)
def own_cache(fresh_cache, request):
    """An empty cache, and for all but real kernels the virtual clock, on whatever machine."""
    if "kernels" in request.fixturenames:
        yield fresh_cache
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "time", VirtualTime())
        patch.setattr(timing, "device_of", lambda values: "cpu")
        patch.setattr(timing, "default_clock", timing.HostClock)
        yield fresh_cache


# ---- Config ---------------------------------------------------------------------------------------

def test_config_attributes_and_text():
    config = Config({"A": 1, "B": 2}, num_warps=8)
    assert (config.num_warps, config.num_stages, config.num_ctas, config.maxnreg) == (8, 3, 1, None)
    assert (config.pre_hook, config.ir_override) == (None, None)
    assert str(config) == "A: 1, B: 2, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None"
    assert config.all_kwargs() == {"A": 1, "B": 2, "num_warps": 8, "num_ctas": 1, "num_stages": 3}
    options = Config({}, maxnreg=64, ir_override="x.ttgir").all_kwargs()
    assert list(options) == ["num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override"]


def test_config_equality_and_hash():
    hook = print
    assert Config({"A": 1}) == Config({"A": 1}) and hash(Config({"A": 1})) == hash(Config({"A": 1}))
    assert Config({"A": 1}) != Config({"A": 2})
    assert Config({"A": 1}, pre_hook=hook) != Config({"A": 1})
    assert Config({"A": 1}) != "A: 1"


def test_config_can_be_pickled_and_filled_from_old_state():
    assert pickle.loads(pickle.dumps(Config({"A": 1}, num_warps=2))) == Config({"A": 1}, num_warps=2)
    config = Config.__new__(Config)
    config.__setstate__({"kwargs": {"A": 1}, "num_ctas": 2})
    assert config == Config({"A": 1}, num_ctas=2)


# ---- keys and choices -----------------------------------------------------------------------------

class Typed:
    def __init__(self, dtype):
        self.dtype = dtype


def test_key_has_values_and_element_types():
    kernel = tessera.autotune(blocks(1, 2), key=("n", "OTHER"), do_bench=told({1: 1.0, 2: 2.0}))(FakeKernel())
    kernel[(1,)](Typed("f16"), 5)
    kernel[(1,)](Typed("f32"), 5)
    kernel[(1,)](x=Typed("f32"), n=6, OTHER=7)
    kernel[(1,)](None, 5)
    assert list(kernel.cache) == [(5, "f16"), (5, "f32"), (6, 7, "f32"), (5,)]
    assert kernel.nargs is None


def test_fastest_is_chosen_and_used_again():
    inner = FakeKernel()
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"], do_bench=told({1: [3, 3, 3], 2: [1, 1, 1], 4: [2, 2, 2]}))(inner)
    kernel[(1,)](None, 5, OTHER=9)
    assert kernel.best_config == kernel.cache[(5,)] == Config({"BLOCK": 2})
    assert inner.last == {"BLOCK": 2, "OTHER": 9, "num_warps": 4, "num_ctas": 1, "num_stages": 3}
    assert {config.kwargs["BLOCK"]: timing[0] for config, timing in kernel.configs_timings.items()} == {1: 3, 2: 1, 4: 2}
    assert kernel.bench_time > 0
    runs = len(inner.launched)
    kernel[(1,)](None, 5)
    assert inner.launched[runs:] == [2]


def test_built_in_measurement_finds_the_fastest():
    inner = FakeKernel(seconds=lambda block: {1: 3e-3, 2: 1e-3, 4: 9e-3}[block])
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(inner)
    kernel[(1,)](None, 5)
    assert kernel.best_config.kwargs == {"BLOCK": 2}
    median, low, high = kernel.configs_timings[kernel.best_config]
    assert low == median == high == pytest.approx(1)
    # What is clearly slow is not run more often than needed to know.
    assert inner.launched.count(4) < 6


def test_one_configuration_is_not_measured():
    def do_bench(call, quantiles):
        raise AssertionError("measured")
    inner = FakeKernel()
    kernel = tessera.autotune(blocks(8), key=["n"], do_bench=do_bench)(inner)
    kernel[(1,)](None, 5)
    assert inner.launched == [8] and kernel.best_config.kwargs == {"BLOCK": 8}
    pruned = tessera.autotune(blocks(8, 16), key=["n"], do_bench=do_bench,
                              prune_configs_by={"early_config_prune": lambda configs, named, **kw: configs[1:]})(FakeKernel())
    pruned[(1,)](None, 5)
    assert pruned.best_config.kwargs == {"BLOCK": 16}


def test_no_configurations_means_the_default():
    kernel = tessera.autotune([], key=[])(FakeKernel())
    kernel[(1,)](None, 5)
    assert kernel.configs == [Config({}, num_warps=4, num_stages=3, num_ctas=1)]


def test_conflicts_are_reported_before_anything_runs():
    inner = FakeKernel()
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(inner)
    with pytest.raises(ValueError, match="Conflicting meta-parameters: BLOCK"):
        kernel[(1,)](None, 5, BLOCK=3)
    with pytest.raises(TypeError, match="multiple values for num_warps"):
        kernel[(1,)](None, 5, num_warps=3)
    assert not inner.compiled and not inner.launched


def test_cache_may_be_cleared_and_filled():
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=told({1: 1.0, 2: 2.0}))(FakeKernel())
    kernel[(1,)](None, 5)
    kernel.cache[(5,)] = Config({"BLOCK": 64})
    kernel[(1,)](None, 5)
    assert kernel.fn.launched[-1] == 64
    kernel.cache.clear()
    kernel[(1,)](None, 5)
    assert kernel.fn.launched[-1] == 1


def test_ties_go_to_the_earlier():
    def trial(index, median, low, high):
        found = tuning_search.Trial(index, None)
        found.timing = [median, low, high]
        return found
    close = [trial(0, 1.005, 1.0, 1.01), trial(1, 1.0, 0.99, 1.02), trial(2, 0.999, 0.99, 1.01)]
    assert tuning_search.choose(close, with_ties=True).index == 0
    assert tuning_search.choose(close, with_ties=False).index == 2
    # 3 % is a difference, however noisy.
    assert tuning_search.choose([trial(0, 1.03, 1.0, 1.01), trial(1, 1.0, 0.9, 1.2)], with_ties=True).index == 1
    # Without noise, half a percent is one too.
    assert tuning_search.choose([trial(0, 1.005, 1.005, 1.005), trial(1, 1.0, 1.0, 1.001)], with_ties=True).index == 1


def test_who_was_disturbed_at_the_first_look_races_too():
    """The machine slows down after the looks: what was slow there is fast by comparison, and must show that it is."""
    runs = {1: 0, 2: 0, 4: 0}
    looks, later = {1: 2e-3, 2: 1e-3, 4: 1.1e-3}, {1: 9e-3, 2: 3e-3, 4: 3.3e-3}

    def seconds(block):
        runs[block] += 1
        return (looks if runs[block] < 9 else later)[block]
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(FakeKernel(seconds=seconds))
    kernel[(1,)](None, 5)
    assert kernel.best_config.kwargs == {"BLOCK": 2} and kernel.configs_timings[Config({"BLOCK": 1})][0] == pytest.approx(9)


# ---- pruning --------------------------------------------------------------------------------------

def test_early_prune_sees_arguments_and_must_leave_something():
    seen = {}

    def prune(configs, named, **kwargs):
        seen.update(named=dict(named), kwargs=kwargs)
        return [config for config in configs if config.kwargs["BLOCK"] <= named["n"]]
    kernel = tessera.autotune(blocks(8, 16, 32), key=["n"], prune_configs_by={"early_config_prune": prune},
                              do_bench=told({8: 3.0, 16: 2.0, 32: 1.0}))(FakeKernel())
    kernel[(1,)](None, 16, OTHER=3)
    assert kernel.best_config.kwargs == {"BLOCK": 16} and set(kernel.configs_timings) == set(blocks(8, 16))
    assert seen["named"] == {"x": None, "n": 16} and seen["kwargs"]["OTHER"] == 3
    with pytest.raises(AutotunerError, match="at least one"):
        kernel[(1,)](None, 1)


@pytest.mark.parametrize("top_k, expected", [(1, [64]), (2, [64, 32]), (0.5, [64, 32]), (0.1, [64]), (1.0, [8, 16, 32, 64]),
                                             (9, [8, 16, 32, 64])])
def test_perf_model_keeps_the_best(top_k, expected):
    prune = {"perf_model": lambda x, n, BLOCK, num_warps, **kw: -BLOCK, "top_k": top_k}
    kernel = tessera.autotune(blocks(8, 16, 32, 64), key=["n"], do_bench=told({8: 1, 16: 1, 32: 1, 64: 1}),
                              prune_configs_by=prune)(FakeKernel())
    kernel.nargs = {"x": None, "n": 5}
    assert [config.kwargs["BLOCK"] for config in kernel.prune_configs({})] == expected
    kernel[(1,)](None, 5)


def test_top_k_of_a_wrong_kind():
    prune = {"perf_model": lambda **kw: 0, "top_k": 1.5}
    kernel = tessera.autotune(blocks(8, 16), key=["n"], prune_configs_by=prune)(FakeKernel())
    with pytest.raises(TypeError, match="top_k"):
        kernel[(1,)](None, 5)


# ---- what trials do to arguments ------------------------------------------------------------------

def add_one(x, n):
    x += 1


@pytest.mark.parametrize("measured_by", ["itself", "the user"])
def test_arguments_are_protected(numpy, measured_by):
    x = numpy.arange(8.0)
    do_bench = None if measured_by == "itself" else told({1: 1, 2: 2})
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=do_bench)(FakeKernel(effect=add_one))
    kernel[(1,)](x[2:4], 8)
    expected = numpy.arange(8.0)
    expected[2:4] += 1
    assert numpy.array_equal(x, expected)


def test_arguments_are_protected_as_torch_tensors(torch):
    x = torch.arange(8.0, requires_grad=True)
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=lambda x, n: x.data.add_(1)))
    kernel[(1,)](x, 8)
    assert torch.equal(x.detach(), torch.arange(8.0) + 1)


def test_arguments_are_protected_from_memory_beside_a_view(numpy):
    whole = numpy.zeros(8)
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=lambda x, n: x.base.__iadd__(1)))
    kernel[(1,)](whole[:2], 8)
    assert whole.tolist() == [1.0] * 8


def test_reset_to_zero_also_before_the_launch(numpy):
    x = numpy.full(4, 7.0)
    kernel = tessera.autotune(blocks(1, 2), key=["n"], reset_to_zero=["x"])(FakeKernel(effect=add_one))
    kernel[(1,)](x, 4)
    assert x.tolist() == [1.0] * 4
    kernel[(1,)](x, 4)
    assert x.tolist() == [2.0] * 4


def test_restore_value(numpy):
    x = numpy.full(4, 7.0)
    kernel = tessera.autotune(blocks(1, 2), key=["n"], restore_value=["x"])(FakeKernel(effect=add_one))
    kernel[(1,)](x, 4)
    assert x.tolist() == [8.0] * 4
    assert kernel.reset_to_zero == [] and kernel.restore_value == ["x"]


@pytest.mark.parametrize("what", ["reset_to_zero", "restore_value"])
def test_an_argument_that_is_none_is_left_alone(what):
    kernel = tessera.autotune(blocks(1, 2), key=["n"], **{what: ["x"]})(FakeKernel())
    kernel[(1,)](None, 4)


def test_an_object_with_run_alone():
    """Not all that is tuned comes from here."""
    class Kernel:
        fn = staticmethod(fake)

        def run(self, **kwargs):
            launched.append(kwargs["BLOCK"])
    launched = []
    kernel = Autotuner(Kernel(), [], blocks(1, 2), [], None, None, do_bench=lambda call, quantiles: call() or [launched[-1]] * 3)
    kernel.run()
    assert launched == [1, 2, 1]


def test_hooks_come_in_pairs_and_hear_of_failures():
    values = {"open": 0, "resets": 0, "problems": []}

    def pre_hook(arguments, reset_only=False):
        assert arguments["n"] == 4 and "BLOCK" in arguments
        values["open" if not reset_only else "resets"] += 1

    def post_hook(arguments, exception):
        values["open"] -= 1
        assert values["open"] == 0
        if exception is not None:
            values["problems"].append(str(exception))
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"], pre_hook=pre_hook, post_hook=post_hook)(FakeKernel(
        compile_fails=lambda block: ValueError("compile") if block == 1 else None,
        launch_fails=lambda block: ValueError("launch") if block == 2 else None))
    assert kernel.user_defined_pre_hook and kernel.user_defined_post_hook
    kernel[(1,)](None, 4)
    assert values["open"] == 0 and values["resets"] == 1 and sorted(values["problems"]) == ["compile", "launch"]


def test_a_configurations_hook_runs_at_each_launch():
    seen = []
    configs = [Config({"BLOCK": 1}, pre_hook=lambda named: seen.append(named["BLOCK"])), Config({"BLOCK": 2})]
    kernel = tessera.autotune(configs, key=["n"], do_bench=told({1: 1, 2: 2}))(FakeKernel())
    kernel[(1,)](None, 4)
    assert seen == [1, 1]  # the trial, the launch
    kernel[(1,)](None, 4)
    assert seen == [1, 1, 1]


def test_hooks_are_not_measured_but_a_configurations_is():
    configs = [Config({"BLOCK": 1}, pre_hook=lambda named: timing.time.sleep(3e-3)), Config({"BLOCK": 2})]
    kernel = tessera.autotune(configs, key=["n"], pre_hook=lambda named, reset_only=False: timing.time.sleep(1e-3))(FakeKernel())
    kernel[(1,)](None, 4)
    timings = {config.kwargs["BLOCK"]: timing[0] for config, timing in kernel.configs_timings.items()}
    assert timings == {1: pytest.approx(4), 2: pytest.approx(1)}


# ---- failures -------------------------------------------------------------------------------------

PROBLEMS = [OutOfResources(300000, 232448, "shared memory"), PTXASError("no such instruction"),
            CompilationError(None, None, "static_assert"), RuntimeError("internal"), AssertionError("odd"), TypeError("what")]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("when", ["compile", "launch"])
def test_a_failing_configuration_does_not_end_the_search(problem, when):
    def fails(block):
        return problem if block == 1 else None
    inner = FakeKernel(**{f"{when}_fails": fails})
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(inner)
    kernel[(1,)](None, 5)
    assert kernel.best_config.kwargs["BLOCK"] in (2, 4)
    assert kernel.configs_timings[Config({"BLOCK": 1})] == [float("inf")] * 3


def test_all_failing_lists_each_reason():
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(compile_fails=lambda block: RuntimeError(f"no {block}")))
    with pytest.raises(AutotunerError) as caught:
        kernel[(1,)](None, 5)
    text = str(caught.value)
    assert "none of the 2 configurations of fake works" in text
    assert "[1/2] BLOCK: 1, num_warps: 4, num_stages: 3: no 1" in text and "[2/2]" in text and "no 2" in text
    assert [config.kwargs["BLOCK"] for config, _ in caught.value.failures] == [1, 2]
    assert (5,) not in kernel.cache and kernel.nargs is None


def test_all_out_of_resources_is_out_of_resources():
    inner = FakeKernel(launch_fails=lambda block: OutOfResources(block * 1000, 10, "shared memory"))
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(inner)
    with pytest.raises(OutOfResources) as caught:
        kernel[(1,)](None, 5)
    assert isinstance(caught.value, AutotunerError) and caught.value.required == 1000 and "[2/2]" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_is_no_configurations_fault_is_told_as_it_is():
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(compile_fails=lambda block: TypeError("missing argument 'y'")))
    with pytest.raises(TypeError, match="missing argument"):
        kernel[(1,)](None, 5)


def test_a_benchmark_that_returns_nonsense():
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=lambda call, quantiles: None)(FakeKernel())
    with pytest.raises(TypeError, match="do_bench returned None"):
        kernel[(1,)](None, 5)


def test_an_interrupt_ends_the_search_and_restores(numpy):
    x = numpy.zeros(4)

    def effect(x, n):
        x += 1
        if x[0] > 2:
            raise KeyboardInterrupt
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=effect))
    with pytest.raises(KeyboardInterrupt):
        kernel[(1,)](x, 5)
    assert x.tolist() == [0.0] * 4 and kernel.nargs is None and not kernel._searches
    kernel.fn.effect = None
    kernel[(1,)](x, 5)


# ---- compiling ------------------------------------------------------------------------------------

def test_configurations_compile_at_once(monkeypatch):
    monkeypatch.setattr(tuning_search, "_cores", lambda: 4)
    together = threading.Barrier(4)  # breaks unless four compile at the same time

    class Inner(FakeKernel):
        def run(self, *args, warmup, **kwargs):
            if warmup:
                together.wait(100)
            return super().run(*args, warmup=warmup, **kwargs)
    kernel = tessera.autotune(blocks(1, 2, 4, 8), key=["n"], do_bench=told({1: 4, 2: 3, 4: 2, 8: 1}))(Inner())
    kernel[(1,)](None, 5)
    assert sorted(kernel.fn.compiled) == [1, 2, 4, 8] and kernel.best_config.kwargs == {"BLOCK": 8}


class GpuLikeClock(timing.HostClock):
    """A clock that work on the host does not disturb."""
    is_host = False


def test_on_a_gpu_timing_begins_while_others_compile(monkeypatch):
    monkeypatch.setattr(tuning_search, "_cores", lambda: 3)
    monkeypatch.setattr(timing, "clock_for", lambda device: GpuLikeClock())
    first_was_timed = threading.Event()

    class Inner(FakeKernel):
        def run(self, *args, warmup, **kwargs):
            if warmup and kwargs["BLOCK"] == 4:
                assert first_was_timed.wait(100)  # a compilation that ends only after the other was timed
            elif not warmup:
                first_was_timed.set()
            return super().run(*args, warmup=warmup, **kwargs)
    kernel = tessera.autotune(blocks(4, 2), key=["n"])(Inner(seconds=lambda block: block * 1e-3))
    kernel[(1,)](None, 5)
    assert kernel.best_config.kwargs == {"BLOCK": 2} and set(kernel.configs_timings) == set(blocks(2, 4))


def test_a_device_that_is_lost_ends_the_search(monkeypatch):
    inner = FakeKernel(launch_fails=lambda block: RuntimeError("launch failed"))

    def wait():
        if inner.compiled:
            raise RuntimeError("an illegal memory access was encountered")
    monkeypatch.setattr(timing, "clock_for", lambda device: GpuLikeClock(wait))
    monkeypatch.setattr(tuning_search, "_cores", lambda: 1)
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(inner)
    with pytest.raises(AutotunerError, match="BLOCK: 1, .* broke the device.*illegal memory access"):
        kernel[(1,)](None, 5)


def test_warmup_compiles_all_and_returns_a_list():
    inner = FakeKernel(compile_fails=lambda block: RuntimeError() if block == 2 else None)
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(inner)
    assert [found.block for found in kernel.warmup(None, 5, grid=(1,))] == [1, 4]
    assert not kernel.fn.launched
    below = tessera.heuristics({"OTHER": lambda arguments: 1})(kernel)
    assert [found.block for found in below.warmup(None, 5, grid=(1,))] == [1, 4]


def test_context_variables_reach_the_compiling_threads():
    import contextvars
    variable, seen = contextvars.ContextVar("variable", default=None), []
    variable.set("the caller's")
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(compile_fails=lambda block: seen.append(variable.get())))
    kernel.warmup(None, 5, grid=(1,))
    assert seen == ["the caller's"] * 2


# ---- threads --------------------------------------------------------------------------------------

def test_threads_with_one_key_share_a_search():
    inner = FakeKernel(seconds=lambda block: block * 1e-4)
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(inner)
    problems, chosen = [], []

    def work():
        try:
            kernel[(1,)](None, 5)
            chosen.append(kernel.cache[(5,)])
        except BaseException as problem:
            problems.append(problem)
    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert not problems and chosen == [kernel.configs[0]] * 8
    assert sorted(inner.compiled) == [1, 2, 4]


def test_a_thread_that_waited_for_a_failing_search_tries_itself():
    attempts = []

    def fails(block):
        attempts.append(block)
        time.sleep(0.02)
        return RuntimeError(f"no {block}") if len(attempts) <= 2 else None
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(compile_fails=fails))
    outcomes = []

    def work():
        try:
            kernel[(1,)](None, 5)
            outcomes.append("done")
        except AutotunerError:
            outcomes.append("failed")
    threads = [threading.Thread(target=work) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert sorted(outcomes) == ["done", "done", "failed"]


def test_copies_are_independent():
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=told({1: 1, 2: 2}))(FakeKernel())
    other = copy.deepcopy(kernel)
    kernel[(1,)](None, 5)
    assert not other.cache


# ---- on disk --------------------------------------------------------------------------------------

def tune(configs, **options):
    """What a new process would do: a new kernel and a new autotuner. Returns which configurations were compiled for trials."""
    inner = FakeKernel(seconds=lambda block: block * 2e-4, compile_fails=options.pop("compile_fails", lambda block: None))
    kernel = tessera.autotune(configs, key=["n"], **options)(inner)
    kernel[(1,)](None, 5)
    return sorted(inner.compiled), kernel


def test_only_new_configurations_are_measured(own_cache):
    assert tune(blocks(4, 8))[0] == [4, 8]
    assert tune(blocks(4, 8))[0] == []
    again, kernel = tune(blocks(8, 2, 4))
    assert again == [2] and kernel.best_config.kwargs == {"BLOCK": 2} and len(kernel.configs_timings) == 3
    assert tune(blocks(4, 8, num_warps=8))[0] == [4, 8]
    files = list((own_cache / "autotune").iterdir())
    assert len(files) == 1 and files[0].name.startswith("fake-")
    content = json.loads(files[0].read_text())
    assert content["kernel"] == "fake" and content["key"] == ["5"] and len(content["results"]) == 5


def test_lasting_failures_are_stored_and_others_are_not():
    def no_memory(block):
        return OutOfResources(1, 0, "shared memory") if block == 4 else None

    def no_tool(block):
        return OSError("no assembler") if block == 4 else None
    assert tune(blocks(4, 8), compile_fails=no_tool)[0] == [8]
    assert tune(blocks(4, 8), compile_fails=no_memory)[0] == []  # tried again, in vain
    found, kernel = tune(blocks(4, 8))
    assert found == [] and kernel.best_config.kwargs == {"BLOCK": 8}


def test_stored_failures_alone_are_tried_again():
    problem = OutOfResources(1, 0, "shared memory")
    for attempt in range(2):
        with pytest.raises(OutOfResources):
            tune(blocks(4, 8), compile_fails=lambda block: problem)
    assert tune(blocks(4, 8))[0] == [4, 8]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"version": 1}', '{"version": 99, "results": {}}', "\x00\x01"])
def test_damaged_files_are_ignored_and_replaced(own_cache, damage):
    tune(blocks(4, 8))
    path, = (own_cache / "autotune").iterdir()
    path.write_text(damage)
    assert tune(blocks(4, 8))[0] == [4, 8]
    assert tune(blocks(4, 8))[0] == []


def test_a_folder_that_cannot_be_written_to(own_cache, monkeypatch):
    (own_cache / "autotune").write_text("in the way")
    assert tune(blocks(4, 8))[0] == [4, 8]


def test_knob_turns_the_store_off(monkeypatch, own_cache):
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "0")
    assert tune(blocks(4, 8))[0] == tune(blocks(4, 8))[0] == [4, 8]
    assert not (own_cache / "autotune").exists()


def test_a_users_benchmark_is_stored_on_demand_only(monkeypatch):
    times = told({4: 1, 8: [2, 2, 2]})
    assert tune(blocks(4, 8), do_bench=times)[0] == tune(blocks(4, 8), do_bench=times)[0] == [4, 8]
    assert tune(blocks(4, 8), do_bench=times, cache_results=True)[0] == [4, 8]
    assert tune(blocks(4, 8), do_bench=times, cache_results=True)[0] == []
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "1")
    assert tune(blocks(4, 8), do_bench=times)[0] == []


def test_processes_that_tune_at_once_agree():
    """Two ranks begin before either has stored anything, and measure differently: the later takes over what the other found."""
    other = tessera.autotune(blocks(4, 8), key=["n"])(FakeKernel(seconds=lambda block: 32 / block * 1e-4))

    def meanwhile(x, n):
        if not other.cache:
            other[(1,)](None, 5)
    inner = FakeKernel(seconds=lambda block: block * 1e-4, effect=meanwhile)
    kernel = tessera.autotune(blocks(4, 8), key=["n"])(inner)
    kernel[(1,)](None, 5)
    assert other.best_config.kwargs == kernel.best_config.kwargs == {"BLOCK": 8}
    assert kernel.configs_timings == other.configs_timings


def test_other_code_and_keys_that_do_not_last(own_cache, monkeypatch):
    tune(blocks(4, 8))
    monkeypatch.setattr(FakeKernel, "cache_key", "other code")
    assert tune(blocks(4, 8))[0] == [4, 8]
    kernel = tessera.autotune(blocks(4, 8), key=["x"])(FakeKernel())
    count = len(list((own_cache / "autotune").iterdir()))
    kernel[(1,)](object(), 5)  # its repr is an address
    assert len(list((own_cache / "autotune").iterdir())) == count == 2


def test_hooks_of_configurations_are_told_apart_by_their_code():
    def configs(hook):
        return [Config({"BLOCK": block}, pre_hook=hook) for block in (4, 8)]
    assert tune(configs(lambda named: named.get("a")))[0] == [4, 8]
    assert tune(configs(lambda named: named.get("a")))[0] == []
    assert tune(configs(lambda named: named.get("b")))[0] == [4, 8]


def test_check_disk_cache_for_subclasses():
    class Own(Autotuner):
        def run(self, *args, **kwargs):
            self.nargs = dict(zip(self.arg_names, args))

            def benchmark():
                self.configs_timings = {config: self._bench(*args, config=config, **kwargs) for config in self.configs}
                self.cache[(5,)] = min(self.configs_timings, key=self.configs_timings.get)
            self.was_stored = self.check_disk_cache((5,), self.configs, benchmark)
            return self.cache[(5,)]
    for was_stored in (False, True):
        inner = FakeKernel(launch_fails=lambda block: None)
        own = Own(inner, inner.arg_names, blocks(4, 8), ["n"], None, None, cache_results=True,
                  do_bench=told({4: [2, 2, 2], 8: [1, 1, 1]}))
        assert own.run(None, 5, grid=(1,), warmup=False) == Config({"BLOCK": 8}) and own.was_stored == was_stored


# ---- choosing without measuring -------------------------------------------------------------------

def test_choice_first(monkeypatch):
    tune(blocks(8, 4))
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "first")
    found, kernel = tune(blocks(8, 4))
    assert found == [8] and kernel.best_config.kwargs == {"BLOCK": 8}
    found, kernel = tune(blocks(8, 4), compile_fails=lambda block: RuntimeError() if block == 8 else None)
    assert kernel.best_config.kwargs == {"BLOCK": 4}
    with pytest.raises(AutotunerError):
        tune(blocks(8, 4), compile_fails=lambda block: RuntimeError(str(block)))


def test_choice_stored(monkeypatch):
    tune(blocks(8, 4))
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "stored")
    found, kernel = tune(blocks(2, 8, 4))
    assert found == [] and kernel.best_config.kwargs == {"BLOCK": 4}
    found, kernel = tune(blocks(1, 2))
    assert found == [1] and kernel.best_config.kwargs == {"BLOCK": 1}


def test_nothing_is_measured_while_a_graph_is_recorded(monkeypatch):
    monkeypatch.setattr(timing, "is_capturing", lambda: True)
    with pytest.warns(UserWarning, match="fake cannot be tuned while a CUDA graph is recorded") as caught:
        found, kernel = tune(blocks(8, 4))
    assert found == [8] and kernel.best_config.kwargs == {"BLOCK": 8}
    assert caught[0].filename == __file__


def test_choice_of_an_unknown_kind(monkeypatch):
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "best")
    with pytest.raises(ValueError, match="TESSERA_AUTOTUNE_CHOICE"):
        tune(blocks(1, 2))


def test_tables_of_choices(tmp_path):
    _, kernel = tune(blocks(4, 8))
    kernel.cache[(object(),)] = kernel.configs[0]
    entry, = kernel.tuned()
    assert entry["key"] == [5] and entry["kwargs"] == {"BLOCK": 4} and entry["num_warps"] == 4 and entry["device"]
    kernel.save_tuned(tmp_path / "fake.json")
    other = tessera.autotune(blocks(8, 4), key=["n"])(FakeKernel())
    assert other.load_tuned(tmp_path / "fake.json") == 1 and other.cache[(5,)] is other.configs[1]
    other[(1,)](None, 5)
    assert not other.fn.compiled and other.fn.launched == [4]
    content = json.loads((tmp_path / "fake.json").read_text())
    content["choices"][0]["device"] = "another"
    (tmp_path / "fake.json").write_text(json.dumps(content))
    assert other.load_tuned(tmp_path / "fake.json") == 0 and other.load_tuned(tmp_path / "fake.json", any_device=True) == 1
    content["kernel"] = "another"
    (tmp_path / "fake.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="no choices for fake"):
        other.load_tuned(tmp_path / "fake.json")


# ---- what is shown --------------------------------------------------------------------------------

def test_nothing_is_printed_unless_asked(capfd):
    tune(blocks(4, 8))
    assert capfd.readouterr() == ("", "")


def test_lines(capfd, monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    tune(blocks(4, 8, 2), compile_fails=lambda block: OutOfResources(300000, 232448, "shared memory") if block == 2 else None)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.strip().split("\n")
    assert lines[0] == "autotune fake: 3 configurations, key (5,)"
    line_of_first = re.compile(r"\[1/3\] BLOCK: 4, num_warps: 4, num_stages: 3: [\d.]+ ms, 36 registers, 0 spills")
    assert sum(bool(line_of_first.fullmatch(line)) for line in lines) == 1 and len(lines) == 5
    assert any(line.startswith("[3/3] BLOCK: 2, num_warps: 4, num_stages: 3: out of resource: shared memory") for line in lines)
    assert re.fullmatch(r"autotune fake: chose \[1/3\] BLOCK: 4, .* \(3 configurations, 1 failed, [\d.]+ s\)", lines[-1])
    tune(blocks(4, 8))
    assert capfd.readouterr().err == ""  # nothing was measured


class Terminal:
    encoding = "ascii"

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_a_terminal_has_one_line_that_is_written_over(monkeypatch):
    monkeypatch.setattr(tuning_progress, "QUIET_SECONDS", 0)
    monkeypatch.setattr(tuning_progress, "REDRAW_SECONDS", 0)
    stream = Terminal()
    progress = tuning_progress.Progress("fake", (5,), 2, False, stream)
    trial = tuning_search.Trial(0, Config({"BLOCK": 4}))
    progress.has_compiled()
    trial.timing = [0.02, 0.02, 0.02]
    progress.has_timed(trial)
    progress.finish(trial, 1.0)
    assert stream.text.count("\n") == 1 and stream.text.endswith("(2 configurations, 1.00 s)\n")
    drawn = ["autotune fake: 1/2 compiled, 0/2 timed", "autotune fake: 1/2 compiled, 1/2 timed, best 20.00 ?s", ""]
    assert stream.text.startswith("".join(f"\r{text}\x1b[K" for text in drawn))


def test_a_stream_that_is_gone_does_no_harm(monkeypatch):
    import sys
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    monkeypatch.setattr(sys, "stderr", None)
    tune(blocks(4, 8))


# ---- old arguments --------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [{"warmup": 1}, {"rep": 1}, {"use_cuda_graph": True}])
def test_old_arguments_warn_and_work(options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel = tessera.autotune(blocks(1, 2), key=["n"], **options)(FakeKernel(seconds=lambda block: block * block * 5e-3))
    assert [type(warning.message) for warning in caught] == [DeprecationWarning] and caught[0].filename == __file__
    kernel.num_reps = 1
    kernel[(1,)](None, 5)
    assert kernel.best_config.kwargs == {"BLOCK": 1}


def test_attributes_that_clients_read():
    inner = FakeKernel()
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(tessera.heuristics({"OTHER": lambda arguments: 1})(inner))
    assert kernel.base_fn is fake and isinstance(kernel.fn, Heuristics) and kernel.fn.fn is inner
    assert kernel.arg_names == inner.arg_names and kernel.keys == ["n"] and kernel.configs == blocks(1, 2)
    for name in ("best_config", "configs_timings", "bench_time"):
        assert not hasattr(kernel, name)


# ---- real kernels ---------------------------------------------------------------------------------

def blocks_of(n):
    return lambda meta: (tessera.cdiv(n, meta["BLOCK"]),)


@pytest.fixture
def kernels():
    import tuning_kernels
    return tuning_kernels


def test_a_real_search(device, put, get, numpy, kernels):
    n = 10000
    x, y = numpy.arange(n, dtype="float32"), numpy.ones(n, "float32")
    out = put(numpy.zeros(n, "float32"))
    kernel = tessera.autotune(blocks(64, 512, 4096), key=["n"])(kernels.add)
    for _ in range(2):
        assert kernel[blocks_of(n)](put(x), put(y), out, n).metadata.name == "add"
    assert numpy.array_equal(get(out), x + y)
    assert kernel.best_config in kernel.configs and list(kernel.cache)[0][0] == n
    assert all(timing[0] > 0 for timing in kernel.configs_timings.values()) and kernel.bench_time > 0


def test_a_kernel_in_place(device, put, get, numpy, kernels):
    x = put(numpy.arange(1000, dtype="float32"))
    kernel = tessera.autotune(blocks(64, 512), key=["n"])(kernels.add_one)
    kernel[blocks_of(900)](x, 900)
    expected = numpy.arange(1000, dtype="float32")
    expected[:900] += 1
    assert numpy.array_equal(get(x), expected)


def test_what_does_not_compile_is_left_out(device, put, get, numpy, kernels, capfd, monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    x = put(numpy.zeros(100, "int32"))
    kernel = tessera.autotune(blocks(1024, 64, 256, 100, 128), key=["n"])(kernels.picky)
    kernel[blocks_of(100)](x, 100)
    assert get(x).tolist() == list(range(100)) and kernel.best_config.kwargs["BLOCK"] in (64, 128)
    said = capfd.readouterr().err
    assert re.search(r"\[1/5\] BLOCK: 1024, .*: tuning_kernels.py:\d+:\d+: error: .*blocks are small here", said)
    assert re.search(r"\[4/5\] BLOCK: 100, .* power of two", said)


def test_none_compiles(device, put, numpy, kernels):
    x = put(numpy.zeros(100, "int32"))
    kernel = tessera.autotune(blocks(1024, 512, 3), key=["n"])(kernels.picky)
    with pytest.raises(AutotunerError) as caught:
        kernel[blocks_of(100)](x, 100)
    assert str(caught.value).count("blocks are small here") == 2 and "[3/3] BLOCK: 3" in str(caught.value)
    with pytest.raises(TypeError, match="'n'|argument"):
        kernel[blocks_of(100)](x)


def test_timings_of_real_kernels_last(device, put, numpy, kernels, monkeypatch):
    x = put(numpy.zeros(1000, "float32"))
    first = tessera.autotune(blocks(64, 512), key=["n"])(kernels.add_one)
    first[blocks_of(1000)](x, 1000)

    def search(*arguments):
        raise AssertionError("measured again")
    monkeypatch.setattr(tuning_search, "Search", search)
    second = tessera.autotune(blocks(512, 64), key=["n"])(kernels.add_one)
    second[blocks_of(1000)](x, 1000)
    assert {c: t for c, t in second.configs_timings.items()} == {c: t for c, t in first.configs_timings.items()}
    with pytest.raises(AssertionError, match="measured again"):
        second[blocks_of(999)](x, 999)


def test_real_warmup(device, put, numpy, kernels):
    x = put(numpy.zeros(1000, "float32"))
    kernel = tessera.autotune(blocks(64, 512), key=["n"])(kernels.add_one)
    assert [compiled.metadata.name for compiled in kernel.warmup(x, 1000, grid=(1,))] == ["add_one"] * 2
    assert not kernel.cache


def test_real_precompile(kernels):
    kernel = tessera.autotune(blocks(64, 1024, 128), key=["n"])(kernels.picky)
    found = kernel.precompile("*i32", "i32", target="cpu", all_variants=["n"])
    assert [len(variants) for variants in found] == [3, 3]  # n equal to 1, divisible by 16, neither; 1024 does not compile
    below = tessera.heuristics({"BLOCK": lambda arguments: 64, "EVEN": lambda arguments: arguments["n"] % 2 == 0})(kernels.scaled)
    assert len(below.precompile("*fp32", "i32", EVEN=True, target="cpu", all_variants=False)) == 1


def test_threads_with_real_kernels(numpy, kernels):
    kernel = tessera.autotune(blocks(64, 512, 1024), key=["n"])(kernels.add_one)
    problems = []

    def work(n):
        try:
            x = numpy.zeros(n, "float32")
            for _ in range(5):
                kernel[blocks_of(n)](x, n)
            assert (x == 5).all(), x
        except BaseException as problem:
            problems.append(problem)
    threads = [threading.Thread(target=work, args=(1000 + index // 2,)) for index in range(8)]
    [thread.start() for thread in threads]
    [thread.join(120) for thread in threads]
    assert not problems and len(kernel.cache) == 4


def test_choice_first_with_real_kernels(device, put, numpy, kernels, monkeypatch):
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "first")
    kernel = tessera.autotune(blocks(1024, 128, 64), key=["n"])(kernels.picky)
    kernel[blocks_of(100)](put(numpy.zeros(100, "int32")), 100)
    assert kernel.best_config.kwargs == {"BLOCK": 128}


def test_a_fork_during_a_search(snippet):
    """The child has neither the parent's threads nor its locks, and searches itself."""
    done = snippet("""
import os, sys, threading, time
import numpy
import tessera
sys.path.insert(0, sys.argv[1])
import tuning_kernels

kernel = tessera.autotune([tessera.Config({"BLOCK": block}) for block in (64, 256, 1024)], key=["n"])(tuning_kernels.add_one)
n = 100000


def work():
    x = numpy.zeros(n, "float32")
    kernel[lambda meta: (tessera.cdiv(n, meta["BLOCK"]),)](x, n)
    assert (x == 1).all()


for delay in (0.0, 0.01, 0.05, 0.2):
    kernel.cache.clear()
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(delay)
    child = os.fork()
    if child == 0:
        work()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    thread.join()
print("done")
""", HERE, timeout=600)
    assert done.stdout == "done\n"
