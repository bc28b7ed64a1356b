"""Clocks that measure the duration of a call in milliseconds, by CUDA events or by the host's clock.

    clock = clock_for(device_of([x, y, out]))
    clock.samples(lambda: kernel[grid](x, y, out), 20)      # 20 numbers

`before` and `after` run before and after each call, outside of the measured time. torch is never imported here: a user with torch
tensors has imported it.

On a GPU a buffer larger than its L2 cache is cleared before each call, as Triton does, so that no call finds its input in the
cache. On the CPU nothing is cleared, and calls are assumed to wait for their result, as launches do.
"""
from __future__ import annotations

import math
import sys
import time

L2_BUFFER_BYTES = (256 << 20, 96 << 20)  # the size that Triton clears; if it is not free, one that still exceeds most L2 caches


def quantiles_of(samples, fractions):
    """The quantiles, interpolated linearly between the two nearest samples."""
    ordered = sorted(samples)
    found = []
    for fraction in fractions:
        if not 0 <= fraction <= 1:
            raise ValueError(f"a quantile is between 0 and 1, not {fraction}")
        place = fraction * (len(ordered) - 1)
        low, high = math.floor(place), math.ceil(place)
        found.append(ordered[low] + (ordered[high] - ordered[low]) * (place - low))
    return found


def _measured(call, before, after):
    """One call, between `before` and `after`. `after` gets an exception before it is raised to the caller."""
    if before is not None:
        before()
    try:
        call()
    except Exception as problem:
        if after is not None:
            after(problem)
        raise
    if after is not None:
        after(None)


class HostClock:
    """The host's clock. `wait` synchronizes with an asynchronous device, before the call and at the end of the measured time."""

    is_host = True

    def __init__(self, wait=None):
        self.synchronize = wait or (lambda: None)

    def samples(self, call, count, before=None, after=None):
        found = []

        def span():
            self.synchronize()
            begin = time.perf_counter()
            call()
            self.synchronize()
            found.append((time.perf_counter() - begin) * 1e3)
        for _ in range(count):
            _measured(span, before, after)
        return found


class CudaClock:
    """CUDA events on torch's current stream. Calls are queued without waiting, so that the GPU never idles."""

    is_host = False
    _CHUNK = 1000  # calls between two synchronizations, which limits the number of events

    def __init__(self, torch):
        self.cuda = torch.cuda
        self.synchronize = torch.cuda.synchronize
        self.buffer = self._allocate(torch)

    @staticmethod
    def _allocate(torch):
        """The buffer, or None if there is not enough memory; then the cache is not cleared."""
        for size in L2_BUFFER_BYTES:
            try:
                return torch.empty(size // 4, dtype=torch.int32, device="cuda")
            except RuntimeError:
                continue
        return None

    def clear_cache(self):
        if self.buffer is not None:
            self.buffer.zero_()

    def samples(self, call, count, before=None, after=None):
        found = []
        while len(found) < count:
            found += self._chunk(call, min(count - len(found), self._CHUNK), before, after)
        return found

    def _chunk(self, call, count, before, after):
        pairs = [(self.cuda.Event(enable_timing=True), self.cuda.Event(enable_timing=True)) for _ in range(count)]
        for begin, end in pairs:
            def span():
                self.clear_cache()
                begin.record()
                call()
                end.record()
            _measured(span, before, after)
        self.synchronize()
        return [begin.elapsed_time(end) for begin, end in pairs]


def torch_with_gpu():
    """torch, if it is imported and sees a GPU; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available() else None


def is_capturing():
    """Returns whether a CUDA graph is being recorded. Then nothing can be synchronized, and so nothing measured."""
    torch = torch_with_gpu()
    return torch is not None and torch.cuda.is_current_stream_capturing()


def device_of(values):
    """The device of the tensors among the values, "cuda:N" or "cpu"; without tensors, the current device."""
    found = None
    for value in values:
        device = _device_of_value(value)
        if device is not None and device.startswith(("cuda", "hip")):
            return device
        found = found or device
    if found is not None:
        return found
    from ... import _native
    return _native.current_device()


def _device_of_value(value):
    if isinstance(value, (bool, int, float, str, type(None))):
        return None
    if isinstance(value, (tuple, list)):
        return device_of(value) if any(_device_of_value(item) for item in value) else None
    kind = getattr(getattr(value, "device", None), "type", None)
    if isinstance(kind, str):  # a torch tensor
        return f"{kind}:{value.device.index or 0}" if kind == "cuda" else kind
    if hasattr(value, "__cuda_array_interface__"):
        return "cuda:0"
    if hasattr(value, "__array_interface__"):
        return "cpu"
    base = getattr(value, "base", None)  # a tensor descriptor or a reinterpreted tensor
    return _device_of_value(base) if base is not None else None


def waiter_for(device):
    """A function that waits for all work on "cuda:N", and raises if the device is lost; None for "cpu", where launches wait."""
    if not device.startswith(("cuda", "hip")):
        return None
    torch = torch_with_gpu()
    if torch is not None:
        return torch.cuda.synchronize
    from ..driver import native_device
    return native_device(device).synchronize


def clock_for(device):
    """The clock for launches on "cuda:N" or "cpu"."""
    if not device.startswith(("cuda", "hip")):
        return HostClock()
    torch = torch_with_gpu()
    return CudaClock(torch) if torch is not None else HostClock(waiter_for(device))


def default_clock():
    """The clock for an unknown call: a GPU's, if the process uses one."""
    torch = torch_with_gpu()
    if torch is not None:
        return CudaClock(torch)
    from ... import _native
    return clock_for(_native.current_device())
