"""Autotuning: configurations, keys, pruning, compiling, threads, what the user sees, and searches among real kernels.

test_autotune_arguments.py has what trials do to arguments, and failures; test_autotune_store.py what is kept on disk.
"""
import copy
import gc
import os
import pickle
import re
import threading
import time
import warnings
import weakref

import pytest
from places import HERE
from tuning_fakes import FakeKernel, GpuLikeClock, blocks, fake, own_cache, told, tune  # noqa: F401

import tessera
import tessera.language as tl
from tessera import Config
from tessera.runtime.autotuner import Heuristics
from tessera.runtime.errors import AutotunerError, OutOfResources
from tessera.runtime.tuning import progress as tuning_progress, search as tuning_search, timing

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


def test_classes_that_are_made_for_each_call_are_let_go():
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=told({1: 1.0, 2: 2.0}))(FakeKernel())
    first = type("Made", (Typed, ), {"dtype": None})
    gone = weakref.ref(first)
    kernel[(1,)](first("f16"), 5)
    del first
    for _ in range(1000):
        kernel[(1,)](type("Made", (Typed, ), {"dtype": None})("f16"), 5)
    gc.collect()
    assert gone() is None and list(kernel.cache) == [(5, "f16")]


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


def test_early_prune_is_asked_for_constants_that_are_not_in_the_key(numpy, kernels):
    """Of the configurations for one constant some may be wrong for another one, and the key need not tell."""
    asked = []

    def prune(configs, named, EVEN, **kwargs):
        asked.append(EVEN)
        return [config for config in configs if EVEN or config.kwargs["BLOCK"] >= 128]
    measured = []

    def do_bench(call, quantiles):
        measured.append(call)
        return float(len(measured))  # the first is the fastest
    kernel = tessera.autotune(blocks(64, 128, 256), key=["n"], do_bench=do_bench,
                              prune_configs_by={"early_config_prune": prune})(kernels.scaled)
    x = numpy.zeros(100, "float32")
    for _ in range(3):
        kernel[(2,)](x, 100, EVEN=True)
        assert kernel.best_config.kwargs == {"BLOCK": 64} and (x == 2).all() and len(measured) == 3
    for _ in range(3):
        kernel.run(x, 100, EVEN=False, grid=(2,), warmup=False)
        kernel[(2,)](x, 100, EVEN=False)
        assert kernel.best_config.kwargs == {"BLOCK": 128} and (x == 3).all() and len(measured) == 5
    kernel[(2,)](x, 100, EVEN=True)
    assert kernel.best_config.kwargs == {"BLOCK": 64} and len(measured) == 5
    assert asked == [True, True, False, False]  # each is asked once more when its choice is known; a search asks too
    kernel.cache[next(iter(kernel.cache))] = own = tessera.Config({"BLOCK": 32})
    kernel[(4,)](x, 100, EVEN=False)
    assert kernel.best_config is own  # by hand


def test_early_prune_is_asked_for_each_constant_by_its_name():
    """`A=1` and `B=1` are not the same call."""
    @tessera.jit
    def kernel(x, n, A: tl.constexpr = 0, B: tl.constexpr = 0, BLOCK: tl.constexpr = 1):
        pass

    measured = []

    def prune(configs, named, A=0, **kwargs):
        assert kwargs["grid"] == (1,)
        return configs[:2] if A else configs[2:]

    def do_bench(call, quantiles):
        call()
        measured.append(call)
        return float(len(measured))  # the first is the fastest
    tuned = tessera.autotune(blocks(1, 2, 4, 8), key=["n"], do_bench=do_bench,
                             prune_configs_by={"early_config_prune": prune})(kernel)
    for name, block in (("A", 1), ("B", 4), ("A", 1), ("B", 4)):
        tuned[(1,)](None, 5, **{name: 1})
        assert tuned.best_config.kwargs == {"BLOCK": block}, name
    assert len(measured) == 4


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


def test_an_interrupt_while_threads_are_started(monkeypatch):
    """Those that run already find nothing more to do, and nobody waits for the rest to be compiled."""
    monkeypatch.setattr(tuning_search, "_cores", lambda: 2)
    start, started, may_go_on = threading.Thread.start, [], threading.Event()

    def interrupted(thread):
        if started:
            raise KeyboardInterrupt
        started.append(thread)
        start(thread)
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    inner = FakeKernel(compile_fails=lambda block: not may_go_on.wait(100) or None)
    kernel = tessera.autotune(blocks(1, 2, 4, 8), key=["n"])(inner)
    with pytest.raises(KeyboardInterrupt):
        kernel[(1,)](None, 5)
    may_go_on.set()
    started[0].join(100)
    assert len(inner.compiled) <= 1


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


def test_lines_say_what_was_tried_where_a_kernel_spills(capfd, monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    report = "the usual way: 32 registers, 900 bytes spilled; with all registers: 255 registers, 0 bytes spilled; kept with all registers"
    tune(blocks(4, 8), record={"attempts": report})
    lines = capfd.readouterr().err.split("\n")
    assert sum(line.endswith(f"0 spills, tried {report}") for line in lines if line.startswith("[")) == 2


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
    drawn = ["autotune fake: 1/2 compiled, 0/2 timed", "autotune fake: 1/2 compiled, 1/2 timed, best 20.00 us", ""]
    assert stream.text.startswith("".join(f"\r{text}\x1b[K" for text in drawn))


def progress_on(stream, monkeypatch, columns=80, total=200, full=False):
    monkeypatch.setattr(tuning_progress, "QUIET_SECONDS", 0)
    monkeypatch.setattr(tuning_progress, "REDRAW_SECONDS", 0)
    monkeypatch.setenv("COLUMNS", str(columns))
    progress = tuning_progress.Progress("kernel_with_a_name", (5,), total, full, stream)
    progress.compiled, progress.timed, progress.failed, progress.best = 150, 20, 30, 0.412
    return progress


@pytest.mark.parametrize("columns, line", [
    (100, "autotune kernel_with_a_name: 150/200 compiled, 20/200 timed, 30 failed, best 0.412 ms"),
    (80, "autotune: 150/200 compiled, 20/200 timed, 30 failed, best 0.412 ms"),
    (60, "autotune: 150/200, 20 timed, 30 failed, best 0.412 ms"),
    (50, "150/200, 20 timed, 30 failed, best 0.412 ms"),
    (20, "150/200, 20 timed, "),
])
def test_a_narrow_terminal_shows_what_fits(monkeypatch, columns, line):
    stream = Terminal()
    progress = progress_on(stream, monkeypatch, columns)
    progress._draw()
    assert stream.text == f"\r{line}\x1b[K"
    progress.stop()  # Ctrl-C: it stays
    progress.clear()
    assert stream.text == 2 * f"\r{line}\x1b[K" + "\n"


def test_an_interrupted_search_leaves_its_line(monkeypatch):
    stream, calls = Terminal(), []
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    progress_on(stream, monkeypatch)  # draws at once

    def do_bench(call, quantiles):
        calls.append(call)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return 1.0
    with pytest.raises(KeyboardInterrupt):
        tessera.autotune(blocks(1, 2), key=["n"], do_bench=do_bench)(FakeKernel())[(1,)](1, 5)
    assert stream.text.endswith("1/2 timed, best 1.000 ms\x1b[K\n") and stream.text.count("\n") == 1


def test_long_configurations_do_not_fill_a_terminal(monkeypatch):
    config = Config({f"PARAMETER_{i}": i for i in range(40)})
    trial = tuning_search.Trial(7, config)
    trial.timing = 0.412
    stream = Terminal()
    progress_on(stream, monkeypatch).finish(trial, 14.48)
    assert "chose [8/200] PARAMETER_0: 0, " in stream.text and len(stream.text) <= 3 * 80 + 2
    assert stream.text.endswith("...: 0.412 ms (200 configurations, 30 failed, 14.48 s; TRITON_PRINT_AUTOTUNING=1 says why)\n")
    stream = Terminal()
    progress_on(stream, monkeypatch, full=True).finish(trial, 14.48)
    assert "PARAMETER_39: 39, num_warps: 4, num_stages: 3: 0.412 ms (200 configurations, 30 failed, 14.48 s)\n" in stream.text


def test_a_dumb_terminal_is_none(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    progress_on(stream, monkeypatch)._draw()
    assert stream.text == ""


def test_stored_failures_read_like_new_ones(capfd, monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    trial = tuning_search.Trial(0, Config({"BLOCK": 3}))
    progress = tuning_progress.Progress("fake", (5,), 2, True)
    trial.error = RuntimeError("/some/folder/kernels.py:6:23: error: arange's length is a power of two, not 3")
    progress.report(trial)
    trial.error, trial.is_stored = AutotunerError(str(trial.error)), True
    progress.report(trial)
    lines = capfd.readouterr().err.split("\n")[1:3]
    assert lines[0].endswith(": kernels.py:6:23: error: arange's length is a power of two, not 3") and lines[1] == lines[0] + " (stored)"


def test_a_stream_that_is_gone_does_no_harm(monkeypatch):
    import sys
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    monkeypatch.setattr(sys, "stderr", None)
    tune(blocks(4, 8))


# ---- old arguments --------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [{"warmup": 1}, {"rep": 1}])
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


def test_graphs_measure_a_search(device, put, get, numpy, kernels):
    n = 1 << 16
    x, out = put(numpy.arange(n, dtype="float32")), put(numpy.zeros(n, "float32"))
    with pytest.warns(DeprecationWarning, match="use_cuda_graph"):
        kernel = tessera.autotune(blocks(64, 1024), key=["n"], use_cuda_graph=True)(kernels.add)
    kernel[lambda meta: (n // meta["BLOCK"] * (100 if meta["BLOCK"] == 64 else 1), )](x, x, out, n)
    assert numpy.array_equal(get(out), 2 * numpy.arange(n, dtype="float32"))
    assert kernel.best_config.kwargs == {"BLOCK": 1024}, kernel.configs_timings


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


def test_programs_replace_methods(monkeypatch, numpy):
    """With what they find in the module, as some packages do to tune under a lock of their own."""
    from tessera.runtime import autotuner as module
    assert module.builtins.min is min and module.json.dumps([1]) == "[1]" and module.hashlib.sha256
    assert module.driver.active.get_current_target() and module.get_cache_manager and module.triton_key()
    assert isinstance(module.get_cache_invalidating_env_vars(), dict)
    with pytest.raises(AttributeError, match="no attribute 'pickle'"):
        module.pickle

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        timings = {config: self._bench(*args, config=config, **kwargs) for config in self.prune_configs(kwargs)}
        self.best_config = config = module.builtins.min(timings, key=timings.get)
        self.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()}, reset_only=True)
        return self.fn.run(*args, **kwargs, **config.all_kwargs())

    monkeypatch.setattr(module.Autotuner, "run", run)

    @tessera.autotune(configs=[tessera.Config({"BLOCK": 64}), tessera.Config({"BLOCK": 128})], key=["n"],
                      do_bench=lambda call, quantiles: [call() or 1.0] * 3)
    @tessera.jit
    def increment(x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + at + n, tl.load(x + at, at < n) + 1, at < n)

    x = numpy.arange(2000, dtype="float32")
    increment[lambda meta: (tessera.cdiv(1000, meta["BLOCK"]), )](x, 1000)
    assert (x[1000:] == x[:1000] + 1).all() and increment.best_config in increment.configs
