"""Measuring and checking kernels: do_bench, perf_report, assert_close and what belongs to them.

    ms = tessera.testing.do_bench(lambda: kernel[grid](x, y, out, n))
    tessera.testing.assert_close(out, x + y, atol=1e-3)

A GPU is measured by CUDA events of the user's torch. Where torch is not loaded, or sees no GPU, the host's clock measures: on
the CPU a launch returns when it is done; on a GPU without torch the device is waited for. torch, NumPy, pandas and matplotlib
are imported by the functions that need them, and only if they are there; see each function for what it does without.
"""
from __future__ import annotations

import functools
import math
import os
import sys
import warnings
from contextlib import contextmanager

from .runtime.tuning import timing

_RETURN_MODES = {"min": min, "max": max, "mean": lambda times: math.fsum(times) / len(times),
                 "median": lambda times: timing.quantiles_of(times, (0.5,))[0], "all": list}


# ---- how long something takes ---------------------------------------------------------------------

def _summary(times, quantiles, return_mode):
    """The quantiles asked for, a single one as a number; else what `return_mode` makes of the times."""
    if quantiles is None:
        return _RETURN_MODES[return_mode](times)
    found = timing.quantiles_of(times, quantiles)
    return found[0] if len(found) == 1 else found


# Under these names in Triton, and imported from there by suites of benchmarks.
_summarize_statistics = _summary


def _quantile(a, q):
    return timing.quantiles_of(a, q)


def _check_return_mode(return_mode):
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}, not {return_mode!r}"


def _forget_gradients(tensors):
    for tensor in tensors or ():
        tensor.grad = None


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """How long fn() takes, in milliseconds: the mean of many runs, or what `return_mode` says (min, max, mean, median, all), or
    a list of `quantiles`.

    `warmup` and `rep` are the milliseconds to spend on runs that are not counted and on runs that are. The L2 cache of a GPU is
    cleared before each run. `grad_to_none`: tensors whose .grad is dropped before each counted run."""
    _check_return_mode(return_mode)
    clock = timing.default_clock()
    fn()
    clock.synchronize()
    each = max(_estimate(clock, fn), 1e-6)
    for _ in range(max(1, int(warmup / each))):
        fn()
    times = clock.samples(fn, max(1, int(rep / each)), before=lambda: _forget_gradients(grad_to_none))
    return _summary(times, quantiles, return_mode)


def _estimate(clock, fn):
    """Milliseconds for one run with the clearing of the cache, from five."""
    clear = getattr(clock, "clear_cache", lambda: None)

    def five():
        for _ in range(5):
            clear()
            fn()
    return clock.samples(five, 1)[0] / 5


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As do_bench, but the runs are recorded in a CUDA graph of about `rep` milliseconds, so that launches cost nothing, and the
    L2 cache stays as the previous run left it. Where torch has no GPU there are no graphs, and of a function that only works on
    the CPU there is nothing in them: do_bench measures."""
    _check_return_mode(return_mode)
    torch = timing.torch_with_gpu()
    without_graph = functools.partial(do_bench, fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles,
                                      return_mode=return_mode)
    if torch is None:
        return without_graph()
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
        each = _span(torch, lambda: [fn() for _ in range(5)]) / 5
        count = max(1, int(rep / each)) if each > 0 else 1000
        graph = torch.cuda.CUDAGraph()

        def record():
            with torch.cuda.graph(graph):
                for _ in range(count):
                    _forget_gradients(grad_to_none)
                    fn()
        if not _records_something(record):
            return without_graph()
        torch.cuda.synchronize()
        times = [_span(torch, graph.replay) / count for _ in range(10)]
    return _summary(times, quantiles, return_mode)


def _records_something(record):
    """Records a graph, and tells whether there is anything in it, which torch only tells by a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        record()
    told = [warning for warning in caught if "CUDA Graph is empty" not in str(warning.message)]
    for warning in told:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return len(told) == len(caught)


def _span(torch, work):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


# ---- whether something is right -------------------------------------------------------------------

def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| everywhere; NaNs equal NaNs.

    x and y are torch tensors, NumPy arrays, lists or numbers. atol is 1e-2 and rtol 0 unless given; either may be a function of
    x's dtype (torch's, where torch is loaded). Needs NumPy."""
    import numpy
    dtype = _dtype_for_tolerances(numpy, x)
    tolerances = {"atol": 1e-2 if atol is None else atol, "rtol": 0.0 if rtol is None else rtol}
    tolerances = {name: value(dtype) if callable(value) else value for name, value in tolerances.items()}
    x, y = _as_array(numpy, x), _as_array(numpy, y)
    if x.size > 1 or y.size > 1:
        numpy.testing.assert_allclose(x, y, equal_nan=True, err_msg=err_msg, **tolerances)
    elif not numpy.allclose(x, y, equal_nan=True, **tolerances):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={tolerances['atol']}, rtol={tolerances['rtol']})".lstrip())


def _as_array(numpy, value):
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return numpy.asarray(value)
    value = value.detach().cpu()
    if value.dtype == torch.bfloat16 or "float8" in str(value.dtype):  # NumPy knows neither
        value = value.float()
    return value.numpy()


def _dtype_for_tolerances(numpy, value):
    torch = sys.modules.get("torch")
    if torch is None:
        return numpy.asarray(value).dtype
    return value.dtype if isinstance(value, torch.Tensor) else torch.tensor(value).dtype


# ---- tables and plots -----------------------------------------------------------------------------

class Benchmark:
    """What perf_report measures: a line for each of `line_vals`, over `x_vals`.

    x_names     the arguments of the function that vary along the x axis
    x_vals      their values: numbers, each for all x_names, or tuples with one for each
    line_arg, line_vals, line_names   the argument that tells lines apart, its values, and what they are called
    plot_name   names the files; args  further arguments of the function; xlabel, ylabel, x_log, y_log, styles  the axes, and
    (colour, line style) for each line"""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False,
                 y_log=False, styles=None):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class _Table:
    """What a benchmark found: rows of x values and, for each line, (value, lowest, highest), the last two None if unknown."""

    def __init__(self, bench):
        self.bench, self.rows = bench, []
        self.columns = list(bench.x_names) + [f"{name} ({bench.ylabel})" for name in bench.line_names]
        self.has_difference = False

    def values(self):
        """The rows as they are printed: x values, each line's value, and the difference where it is asked for."""
        rows = [[*xs, *(found[0] for found in lines)] for xs, lines in self.rows]
        return [row + [row[-1] - row[-2]] for row in rows] if self.has_difference else rows

    def names(self):
        return self.columns + ["Diff"] * self.has_difference

    def text(self):
        """As pandas prints a frame: right-aligned columns, rows numbered."""
        cells = [["", *self.names()]]
        for index, row in enumerate(self.values()):
            cells.append([str(index), *(f"{value:.6f}" if isinstance(value, float) else str(value) for value in row)])
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)

    def write_csv(self, path, precision):
        import csv
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.names())
            writer.writerows([f"{v:.{precision}f}" if isinstance(v, float) else v for v in row] for row in self.values())

    def frame(self):
        """A pandas.DataFrame, or the table itself where there is no pandas."""
        try:
            import pandas
        except ImportError:
            return self
        return pandas.DataFrame(self.values(), columns=self.names())

    def plot(self, pyplot, show, path):
        bench, count = self.bench, len(self.bench.x_names)
        xs = [xs[0] for xs, _ in self.rows]
        pyplot.figure()
        axes = pyplot.subplot()
        for index, label in enumerate(self.columns[count:]):
            color, style = bench.styles[index] if bench.styles else (None, None)
            found = [lines[index] for _, lines in self.rows]
            axes.plot(xs, [value for value, _, _ in found], label=label, color=color, ls=style)
            if found and all(low is not None and high is not None for _, low, high in found):
                axes.fill_between(xs, [low for _, low, _ in found], [high for _, _, high in found], alpha=0.15, color=color)
        axes.legend()
        axes.set_xlabel(bench.xlabel or bench.x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        if show:
            pyplot.show()
        if path:
            pyplot.savefig(path)


class Mark:
    """A function with its benchmarks. See perf_report."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, bench, kwargs):
        table = _Table(bench)
        for x in bench.x_vals:
            xs = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(xs) != len(bench.x_names):
                raise ValueError(f"Expected {len(bench.x_names)} values, got {x}")
            lines = []
            for line in bench.line_vals:
                found = self.fn(**dict(zip(bench.x_names, xs)), **{bench.line_arg: line}, **bench.args, **kwargs)
                lines.append(tuple(found) if isinstance(found, (list, tuple)) else (found, None, None))
            table.rows.append((xs, lines))
        return table

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        table = self._measure(bench, kwargs)
        if bench.plot_name and (show_plots or save_path):
            pyplot = _pyplot()
            if pyplot is not None:
                table.plot(pyplot, show_plots, os.path.join(save_path, f"{bench.plot_name}.png") if save_path else None)
        table.has_difference = diff_col and len(bench.line_vals) == 2
        if print_data:
            print(bench.plot_name + ":")
            print(table.text())
        if save_path:
            table.write_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), save_precision)
        return table.frame()

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measures. With `save_path`, a .csv, a .png and results.html are written there; the pictures need matplotlib.
        `return_df` gives a pandas.DataFrame for each benchmark, or where there is no pandas an object with `rows`, `names()`
        and `values()`. Other arguments go to the function."""
        is_single = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if is_single else self.benchmarks
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        frames = []
        try:
            for bench in benchmarks:
                frames.append(self._run(bench, save_path, show_plots, print_data, **kwargs))
        finally:
            if save_path:
                _write_page(os.path.join(save_path, "results.html"), benchmarks[:len(frames)])
        if not return_df:
            return None
        return frames[0] if is_single else frames


def _pyplot():
    try:
        import matplotlib.pyplot
        return matplotlib.pyplot
    except ImportError:
        return None


def _write_page(path, benchmarks):
    with open(path, "w", encoding="utf-8") as file:
        images = "".join(f'<image src="{bench.plot_name}.png"/>\n' for bench in benchmarks)
        file.write(f"<html><body>\n{images}</body></html>\n")


def perf_report(benchmarks):
    """Decorator: the function measures one point, returning a value or (value, lowest, highest); .run(...) on the result
    measures all points of the Benchmark, or of a list of them."""
    return lambda fn: Mark(fn, benchmarks)


# ---- what a GPU could do --------------------------------------------------------------------------

def nvsmi(attrs):
    """The numbers that nvidia-smi reports for the first GPU, as `clocks.current.sm`."""
    import subprocess
    query = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"]
    return [int(word) for word in subprocess.check_output(query, text=True).split(",")]


def _device_properties(device):
    from .runtime.driver import driver
    return driver.active.utils.get_device_properties(device)


def get_dram_gbps(device=None):
    """The memory's bandwidth in GB/s, from its clock and width."""
    if device is None:
        from .runtime.driver import driver
        device = driver.active.get_current_device()
    facts = _device_properties(device)
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 1e6 / 8  # kHz and bits, two transfers a clock


def _subcores(device):
    """(how many, whether they are of Ampere or later)"""
    import torch
    device = torch.cuda.current_device() if device is None else device
    return _device_properties(device)["multiprocessor_count"] * 4, torch.cuda.get_device_capability(device)[0] >= 8


def _operations(table, dtype):
    """Per clock and quarter of a multiprocessor, from {operations: names of types}."""
    name = str(dtype).split(".")[-1]
    for operations, names in table.items():
        if name in names:
            return operations
    raise RuntimeError(f"dtype not supported: {dtype}")


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """What tensor cores reach at most, in TFLOP/s, at a clock in kHz."""
    count, is_recent = _subcores(device)
    table = {256: ("float32", "int32"), 512: ("float16", "bfloat16", "int16"),
             1024: ("int8", "float8_e4m3fn", "float8_e5m2", "fp8e4nv", "fp8e4b15", "fp8e5")} if is_recent else {256: ("float16",)}
    return count * clock_rate * _operations(table, dtype) * 1e-9


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The same without tensor cores."""
    count, is_recent = _subcores(device)
    table = {32: ("float32",), 64: ("float16", "bfloat16") if is_recent else ("float16",)}
    return count * clock_rate * _operations(table, dtype) * 1e-9


@contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Holds the first GPU's clocks, in MHz; gives (TFLOP/s, GB/s) that an A100 would reach with them. Needs the rights to."""
    import subprocess

    def smi(*arguments):
        subprocess.check_output(["nvidia-smi", "-i", "0", *arguments])
    try:
        smi("-pm", "1")
        smi(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        smi(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        sm_clock, mem_clock = nvsmi(["clocks.current.sm"])[0], nvsmi(["clocks.current.memory"])[0]
        assert abs(sm_clock - ref_sm_clock) < 10, f"GPU SMs must run at {ref_sm_clock} MHz"
        assert abs(mem_clock - ref_mem_clock) < 10, f"GPU memory must run at {ref_mem_clock} MHz"
        yield 1e-6 * 2 * 108 * 4 * 256 * ref_sm_clock, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        smi("-pm", "0")
        smi("-rgc")
        smi("-rmc")


def cuda_memcheck(**target_kwargs):
    """Decorator for pytest tests with a `request` fixture: calls whose arguments include these run again under the memory
    checker of the CUDA toolkit (compute-sanitizer, formerly cuda-memcheck), which must find nothing."""
    def decorator(test_fn):
        @functools.wraps(test_fn)
        def wrapper(*args, **kwargs):
            if not target_kwargs.items() <= kwargs.items() or os.environ.get("TESSERA_UNDER_MEMCHECK"):
                test_fn(*args, **kwargs)
                return
            assert "request" in kwargs, "memcheck'ed test must have a (possibly unused) `request` fixture"
            import subprocess
            path = os.path.realpath(test_fn.__globals__["__file__"])
            test = f"{path}::{test_fn.__name__}[{kwargs['request'].node.callspec.id}]"
            environment = {"PATH": os.environ["PATH"], "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "TESSERA_UNDER_MEMCHECK": "1"}
            done = subprocess.run([_memory_checker(), "pytest", "-vs", test], capture_output=True, env=environment)
            assert done.returncode == 0, "the memory checker returned an error: bounds checking failed"
            assert b"ERROR SUMMARY: 0 errors" in done.stdout
        return wrapper
    return decorator


def _memory_checker():
    import shutil
    return shutil.which("compute-sanitizer") or "cuda-memcheck"
