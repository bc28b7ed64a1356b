"""tessera.testing: measuring, comparing, tables of results."""
import contextlib
import math
import subprocess
import time
import warnings

import pytest
from virtual_time import VirtualTime

from tessera import testing
from tessera.runtime.tuning import timing


def wait(seconds):
    timing.time.sleep(seconds)


@pytest.fixture
def virtual_time(monkeypatch):
    monkeypatch.setattr(timing, "time", VirtualTime())
    monkeypatch.setattr(timing, "default_clock", timing.HostClock)


# ---- quantiles and summaries ----------------------------------------------------------------------

def test_quantiles_as_numpys(numpy):
    samples = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0]
    fractions = [0, 0.1, 0.2, 0.5, 0.77, 1]
    assert timing.quantiles_of(samples, fractions) == pytest.approx(list(numpy.quantile(samples, fractions)))
    assert timing.quantiles_of([2.5], [0.2]) == [2.5]
    with pytest.raises(ValueError, match="1.5"):
        timing.quantiles_of(samples, [1.5])


def test_return_modes_and_quantiles(virtual_time):
    def run():
        wait(1e-3)
    for mode in ("min", "max", "mean", "median"):
        assert testing.do_bench(run, warmup=1, rep=5, return_mode=mode) == pytest.approx(1)
    times = testing.do_bench(run, warmup=1, rep=5, return_mode="all")
    assert isinstance(times, list) and len(times) in (4, 5)
    low, high = testing.do_bench(run, warmup=1, rep=5, quantiles=[0.2, 0.8])
    assert low <= high
    assert isinstance(testing.do_bench(run, warmup=1, rep=5, quantiles=[0.5]), float)
    with pytest.raises(AssertionError, match="return_mode"):
        testing.do_bench(run, return_mode="average")


def test_warmup_and_rep_are_milliseconds(virtual_time):
    calls = []

    def run():
        calls.append(1)
        wait(1e-3)
    testing.do_bench(run, warmup=10, rep=20)
    assert 34 <= len(calls) <= 36  # one, five to estimate, ten to warm up, twenty


def test_a_function_that_takes_no_time():
    assert testing.do_bench(lambda: None, warmup=0, rep=0.1) >= 0


def test_what_runs_on_the_cpu_is_measured_without_graphs():
    """Also where there is a GPU, whose graph of it would be empty."""
    assert testing.do_bench_cudagraph(lambda: time.sleep(1e-3), rep=3) > 0.9


def test_gradients_are_dropped_before_counted_runs():
    class Tensor:
        grad = "something"
    tensor = Tensor()
    testing.do_bench(lambda: None, warmup=0, rep=0.01, grad_to_none=[tensor])
    assert tensor.grad is None


def test_problems_are_the_callers():
    with pytest.raises(ZeroDivisionError):
        testing.do_bench(lambda: 1 / 0)


def test_only_the_call_is_measured(virtual_time):
    log = []
    times = timing.HostClock().samples(lambda: log.append("call"), 2, before=lambda: (wait(2e-3), log.append("before")),
                                       after=lambda problem: (wait(2e-3), log.append("after")))
    assert log == ["before", "call", "after"] * 2 and times == [0, 0]

    def fail():
        raise KeyError("x")
    heard = []
    with pytest.raises(KeyError):
        timing.HostClock().samples(fail, 1, after=heard.append)
    assert isinstance(heard[0], KeyError)


def test_events_measure_a_gpu(torch):
    if timing.torch_with_gpu() is None:
        pytest.skip("torch sees no GPU")
    x = torch.ones(1 << 26, device="cuda")
    for measure in (testing.do_bench, testing.do_bench_cudagraph):
        assert 0.01 < measure(lambda: x.mul_(1.0)) < 10


class FakeTorch:
    """As much of torch as the clock uses; its GPU's time passes by `work`, and by 7 ms for each clearing of the cache."""

    int32 = "int32"

    def __init__(self, free=1 << 30):
        self.free = free
        self.now, self.queued, self.waits = 0, 0, 0
        self.cuda, self.zero_ = self, lambda: self.work(7)

    def empty(self, size, dtype, device):
        if size * 4 > self.free:
            raise RuntimeError("out of memory")
        return self

    def work(self, milliseconds):
        self.now += milliseconds
        self.queued += 1

    def synchronize(self):
        self.waits += 1

    def Event(self, enable_timing):
        torch = self

        class Event:
            def record(self):
                self.time = torch.now

            def elapsed_time(self, end):
                return end.time - self.time
        return Event()


def test_events_span_the_call_alone():
    torch = FakeTorch()
    clock = timing.CudaClock(torch)
    times = clock.samples(lambda: torch.work(3), 2500, before=lambda: torch.work(100), after=lambda problem: torch.work(1000))
    assert times == [3] * 2500 and torch.queued == 4 * 2500
    assert torch.waits == 3  # now and then, not at each call
    assert not clock.is_host


class FakeTorchWithGraphs(FakeTorch):
    """Recorded work takes a tenth of its time, and no time while it is recorded."""

    Stream = staticmethod(lambda: None)
    stream = staticmethod(lambda stream: contextlib.nullcontext())

    class CUDAGraph:
        def replay(self):
            self.torch.now += self.recorded / 10

    @contextlib.contextmanager
    def graph(self, graph):
        begin = self.now
        yield
        graph.torch, graph.recorded, self.now = self, self.now - begin, begin
        warnings.warn("a warning about something else")
        if graph.recorded == 0:
            warnings.warn("The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device")


def test_graphs_and_what_is_not_in_them(monkeypatch):
    torch = FakeTorchWithGraphs()
    monkeypatch.setattr(timing, "torch_with_gpu", lambda: torch)
    with pytest.warns(UserWarning, match="something else") as caught:
        assert testing.do_bench_cudagraph(lambda: torch.work(4)) == pytest.approx(0.4)
        torch.now = 0.0
        monkeypatch.setattr(timing, "default_clock", timing.HostClock)
        assert testing.do_bench_cudagraph(lambda: time.sleep(1e-3), rep=3) > 0.9
    assert not any("empty" in str(warning.message) for warning in caught)


def test_a_gpu_with_little_memory():
    for free, cleared in ((200 << 20, 1), (1 << 20, 0)):
        torch = FakeTorch(free)
        assert timing.CudaClock(torch).samples(lambda: torch.work(3), 5) == [3] * 5
        assert torch.queued == 5 + 5 * cleared


def test_where_tensors_are(numpy):
    from tessera import _native
    assert timing.device_of([1, numpy.zeros(3), "x"]) == "cpu"
    assert timing.device_of([(1, (numpy.zeros(3),))]) == "cpu"
    assert timing.device_of([1, None, 2.0]) == _native.current_device()

    class Device:
        type, index = "cuda", 1

    class Tensor:
        device = Device()

    class Descriptor:
        base = Tensor()
    assert timing.device_of([numpy.zeros(3), Descriptor()]) == "cuda:1"


# ---- assert_close ---------------------------------------------------------------------------------

def test_assert_close_of_arrays(numpy):
    x = numpy.linspace(0, 1, 10)
    testing.assert_close(x, x + 5e-3)
    testing.assert_close(x, x * 1.05, atol=0, rtol=0.1)
    with pytest.raises(AssertionError):
        testing.assert_close(x, x + 2e-2)
    with pytest.raises(AssertionError, match="the second layer"):
        testing.assert_close(x, x + 1, err_msg="the second layer")
    with pytest.raises(AssertionError):
        testing.assert_close(x, numpy.zeros(11))


def test_assert_close_of_numbers_and_lists():
    testing.assert_close(1.0, 1.001)
    testing.assert_close([1, 2], [1, 2])
    testing.assert_close(math.nan, math.nan)
    testing.assert_close([1.0, math.nan], [1.0, math.nan])
    with pytest.raises(AssertionError, match="sum: 1.0 is not close to 2.0"):
        testing.assert_close(1.0, 2.0, err_msg="sum:")


def test_tolerances_may_depend_on_the_type(snippet):
    snippet("""
import numpy
from tessera import testing
seen = []
def tolerance(dtype):
    seen.append(dtype)
    return 0.1
testing.assert_close(numpy.zeros(3, "float16"), numpy.zeros(3), atol=tolerance, rtol=lambda dtype: 0.0)
assert seen == [numpy.dtype("float16")]
""")


def test_assert_close_of_tensors(torch, numpy):
    for dtype in (torch.float32, torch.bfloat16, torch.int32):
        testing.assert_close(torch.ones(4, dtype=dtype), numpy.ones(4))
    seen = []

    def tolerance(dtype):
        seen.append(dtype)
        return 0.1
    testing.assert_close(numpy.zeros(3, "float16"), torch.zeros(3), atol=tolerance)
    testing.assert_close(torch.zeros(3, dtype=torch.bfloat16, requires_grad=True), [0, 0, 0], rtol=tolerance)
    assert seen == [torch.float16, torch.bfloat16]


# ---- perf_report ----------------------------------------------------------------------------------

def bench(**options):
    return testing.Benchmark(**{**dict(x_names=["n"], x_vals=[1, 2], line_arg="who", line_vals=["a", "b"], line_names=["A", "B"],
                                       plot_name="speeds", args={"more": 10}, ylabel="ms"), **options})


def rows(found):
    return found.values() if callable(found.values) else found.values.tolist()


def test_report_calls_and_prints(capsys):
    calls = []

    @testing.perf_report(bench())
    def measure(n, who, more, extra=0):
        calls.append((n, who, more, extra))
        return n * 1.5 + (who == "b")
    assert isinstance(measure, testing.Mark)
    assert measure.run(print_data=True, extra=7) is None
    assert calls == [(1, "a", 10, 7), (1, "b", 10, 7), (2, "a", 10, 7), (2, "b", 10, 7)]
    out = capsys.readouterr().out
    assert out.startswith("speeds:\n") and "A (ms)" in out and "2.500000" in out
    assert rows(measure.run(return_df=True)) == [[1, 1.5, 2.5], [2, 3.0, 4.0]]


def test_report_files(tmp_path):
    measure = testing.perf_report([bench(), bench(plot_name="more")])(lambda n, who, more: (n * 1.0, n * 0.9, n * 1.1))
    folder = tmp_path / "not there yet"
    found = measure.run(save_path=str(folder), return_df=True)
    assert len(found) == 2
    assert (folder / "speeds.csv").read_text() == "n,A (ms),B (ms)\n1,1.000000,1.000000\n2,2.000000,2.000000\n"
    page = (folder / "results.html").read_text()
    assert page == '<html><body>\n<image src="speeds.png"/>\n<image src="more.png"/>\n</body></html>\n'


def test_report_of_several_arguments_and_differences(capsys):
    report = testing.perf_report(bench(x_names=["m", "n"], x_vals=[3, (4, 5)]))
    measure = report(lambda m, n, who, more: float(m + n + (who == "b")))
    assert rows(measure.run(return_df=True, diff_col=True)) == [[3, 3, 6.0, 7.0, 1.0], [4, 5, 9.0, 10.0, 1.0]]
    with pytest.raises(ValueError, match="Expected 2 values"):
        testing.perf_report(bench(x_names=["m", "n"], x_vals=[(1, 2, 3)]))(lambda **kw: 0.0).run()


# ---- the rest -------------------------------------------------------------------------------------

def test_nvidia_smi_and_clocks(monkeypatch):
    asked = []

    def answer(command, **options):
        asked.append(command)
        answers = {"--query-gpu=clocks.current.sm": "1350\n", "--query-gpu=clocks.current.memory": "1215\n"}
        return answers.get(command[3], "1, 22\n")
    monkeypatch.setattr(subprocess, "check_output", answer)
    assert testing.nvsmi(["a", "b"]) == [1, 22]
    with testing.set_gpu_clock() as (tflops, gbps):
        assert tflops > 0 and gbps > 0
    assert asked[-1][-1] == "-rmc" and asked[-2][-1] == "-rgc"
    with pytest.raises(AssertionError, match="must run at 99"):
        with testing.set_gpu_clock(99):
            pass
    assert asked[-1][-1] == "-rmc"


def test_rates(monkeypatch):
    monkeypatch.setattr(testing.gpu_limits, "_device_properties", lambda device: {"mem_clock_rate": 1215000, "mem_bus_width": 5120})
    assert testing.get_dram_gbps(0) == pytest.approx(1555.2)
    monkeypatch.setattr(testing.gpu_limits, "_subcores", lambda device: (432, True))
    assert testing.get_max_tensorcore_tflops("torch.float16", 1410000) == pytest.approx(311.87, abs=0.01)
    assert testing.get_max_simd_tflops("torch.float32", 1410000) == pytest.approx(19.49, abs=0.01)
    with pytest.raises(RuntimeError, match="not supported"):
        testing.get_max_simd_tflops("torch.complex64", 1)


def test_memory_checker_runs_only_what_it_is_told(monkeypatch):
    runs = []

    @testing.cuda_memcheck(size=3)
    def check(size, request=None):
        runs.append(size)
    check(size=2)
    monkeypatch.setenv("TESSERA_UNDER_MEMCHECK", "1")
    check(size=3)
    assert runs == [2, 3]


def test_nothing_heavy_is_imported(snippet):
    snippet("""
import sys
import tessera.testing, tessera.runtime.autotuner
heavy = {"torch", "numpy", "pandas", "matplotlib"} & set(sys.modules)
assert not heavy, heavy
""")
