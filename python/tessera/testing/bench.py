"""do_bench and do_bench_cudagraph measure the duration of a call.

On a GPU they use CUDA events of the user's torch. Without torch, or without a GPU, they use the host's clock: on the CPU a launch
returns when it is done; on a GPU without torch they synchronize with the device.
"""
from __future__ import annotations

import functools
import math
import warnings

from ..runtime.tuning import timing

_RETURN_MODES = {"min": min, "max": max, "mean": lambda times: math.fsum(times) / len(times),
                 "median": lambda times: timing.quantiles_of(times, (0.5,))[0], "all": list}


def _summary(times, quantiles, return_mode):
    """The requested quantiles, a single one as a number; without quantiles, the value of `return_mode`."""
    if quantiles is None:
        return _RETURN_MODES[return_mode](times)
    found = timing.quantiles_of(times, quantiles)
    return found[0] if len(found) == 1 else found


# Triton's names; benchmark suites import them.
_summarize_statistics = _summary


def _quantile(a, q):
    return timing.quantiles_of(a, q)


def _check_return_mode(return_mode):
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}, not {return_mode!r}"


def _forget_gradients(tensors):
    for tensor in tensors or ():
        tensor.grad = None


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The duration of fn() in milliseconds: the mean of many runs, or another `return_mode` (min, max, mean, median, all), or a
    list of `quantiles`.

    `warmup` and `rep` are the milliseconds to spend on runs that are not counted and on runs that are. The L2 cache of a GPU is
    cleared before each run. `grad_to_none`: tensors whose .grad is dropped before each counted run."""
    _check_return_mode(return_mode)
    clock = timing.default_clock()
    if not callable(fn):
        raise TypeError(f"do_bench calls a function, and {type(fn).__name__} is none; write lambda: kernel[grid](...)")
    fn()
    clock.synchronize()
    each = max(_estimate(clock, fn), 1e-6)
    for _ in range(max(1, int(warmup / each))):
        fn()
    times = clock.samples(fn, max(1, int(rep / each)), before=lambda: _forget_gradients(grad_to_none))
    return _summary(times, quantiles, return_mode)


def _estimate(clock, fn):
    """The milliseconds of one run including the clearing of the cache, estimated from five runs."""
    clear = getattr(clock, "clear_cache", lambda: None)

    def five():
        for _ in range(5):
            clear()
            fn()
    return clock.samples(five, 1)[0] / 5


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Like do_bench, but records the runs in a CUDA graph of about `rep` milliseconds, which excludes the cost of launches. The L2
    cache is not cleared. Without a GPU, or if fn launches nothing on it, do_bench measures instead."""
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
    """Records a graph; returns whether it is not empty, which torch reports only by a warning."""
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
