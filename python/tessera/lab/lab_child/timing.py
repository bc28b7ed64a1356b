"""Clocks, the device's measured ceilings, and the metronome that notices moving clocks.

    cold   each call finds none of its inputs in the L2 cache (on the CPU: in the last-level cache): a large buffer is written before it
    warm   calls follow each other; on a GPU in a CUDA graph, so that the host's cost of a launch does not count

Times are microseconds.
"""
import os
import statistics
import time
import traceback

GIB = 1 << 30


def clock_for(device):
    if device not in _clocks:
        _clocks[device] = CudaClock() if str(device).startswith("cuda") else HostClock()
    return _clocks[device]


def forget(device):
    """Drops what a clock keeps of a size."""
    if device in _clocks:
        _clocks[device].forget()


_clocks = {}


class CudaClock:
    def __init__(self):
        import torch
        self.torch = torch
        properties = torch.cuda.get_device_properties(0)
        self.cache_bytes = getattr(properties, "L2_cache_size", 0) or 50 << 20
        # Clearing it takes about 0.2 ms, in which the host queues the call that is measured.
        self.buffer = torch.empty(max(4 * self.cache_bytes, 768 << 20) // 4, dtype=torch.int32, device="cuda")
        self.graphs = {}

    def wait(self):
        self.torch.cuda.synchronize()

    def cold(self, call, count):
        """Times of single calls. The buffer's clearing keeps the GPU busy while the host queues the call."""
        cuda, times = self.torch.cuda, []
        pairs = [(cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)) for _ in range(count)]
        for begin, end in pairs:
            self.buffer.zero_()
            begin.record()
            call()
            end.record()
        self.wait()
        times = [begin.elapsed_time(end) * 1e3 for begin, end in pairs]
        return times, "events"

    def warm(self, call, count, key=None):
        graph, inner = self.graph(call, key)
        if graph is None:
            return self.without_graph(call, count)
        times = []
        for _ in range(count):
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / inner)
        return times, "graph"

    def without_graph(self, call, count, inner=10):
        times = []
        for _ in range(count):
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.buffer[:1 << 22].zero_()
            begin.record()
            for _ in range(inner):
                call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / inner)
        return times, "events"

    def graph(self, call, key):
        """(a CUDA graph of some calls, how many); (None, 0) if the call cannot be captured."""
        if key is not None and key in self.graphs:
            return self.graphs[key]
        found = (None, 0)
        try:
            once = min(self.cold(call, 3)[0])
            inner = max(1, min(50, int(2000 / max(once, 1.0))))
            stream = self.torch.cuda.Stream()
            stream.wait_stream(self.torch.cuda.current_stream())
            with self.torch.cuda.stream(stream):
                call()
            self.wait()
            graph = self.torch.cuda.CUDAGraph()
            with self.torch.cuda.graph(graph, stream=stream):
                for _ in range(inner):
                    call()
            graph.replay()
            self.wait()
            found = (graph, inner)
        except Exception:
            traceback.print_exc()  # into the contestant's log; it is measured without a graph
        if key is not None:
            self.graphs[key] = found
        return found

    def forget(self):
        self.graphs.clear()


class HostClock:
    def __init__(self):
        import torch
        self.cache_bytes = last_level_cache()
        self.buffer = torch.zeros(min(2 * self.cache_bytes, 64 << 20) // 4, dtype=torch.int32)

    def wait(self):
        pass

    def cold(self, call, count):
        times = []
        for _ in range(count):
            self.buffer.add_(1)
            begin = time.perf_counter()
            call()
            times.append((time.perf_counter() - begin) * 1e6)
        return times, "host clock"

    def warm(self, call, count, key=None):
        begin = time.perf_counter()
        call()
        inner = max(1, min(200, int(0.001 / max(1e-7, time.perf_counter() - begin))))
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            for _ in range(inner):
                call()
            times.append((time.perf_counter() - begin) * 1e6 / inner)
        return times, "host clock"

    def forget(self):
        pass


def last_level_cache():
    """Bytes of the CPU's largest cache; 32 MiB if the system does not say."""
    largest, folder = 0, "/sys/devices/system/cpu/cpu0/cache"
    try:
        for name in os.listdir(folder):
            if name.startswith("index"):
                with open(os.path.join(folder, name, "size")) as file:
                    text = file.read().strip()
                largest = max(largest, int(text[:-1]) << {"K": 10, "M": 20}.get(text[-1], 0))
    except (OSError, ValueError):
        pass
    return largest or 32 << 20


# ---- what the device can do -------------------------------------------------------------------------

MATMUL = {"cuda": 8192, "cpu": 256}
COPY_BYTES = {"cuda": 2 * GIB, "cpu": 64 << 20}


def ceilings(device, dtypes):
    """Measured rates: bytes per second of a copy and of a read, operations per second of torch.matmul by dtype."""
    import torch
    kind = "cuda" if str(device).startswith("cuda") else "cpu"
    clock = clock_for(device)
    count = COPY_BYTES[kind] // 8
    source = torch.ones(count, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    found = {"copy": 8 * count / best(clock, lambda: target.copy_(source)),
             "read": 4 * count / best(clock, lambda: source.max()), "matmul": {}}
    found["copy"] = max(found["copy"], 8 * count / best(clock, lambda: torch.add(source, 1.0, out=target)))
    del source, target
    for name in dtypes:
        rate = matmul_rate(torch, clock, device, name, MATMUL[kind])
        if rate:
            found["matmul"][name] = rate
    return found


def best(clock, call):
    """Seconds of the median of a few calls."""
    call()
    clock.wait()
    return statistics.median(clock.cold(call, 5)[0]) / 1e6


def matmul_rate(torch, clock, device, name, n):
    """Operations per second. float32 may use TensorFloat-32, because tl.dot does."""
    dtype = getattr(torch, name, None)
    if dtype is None or not dtype.is_floating_point:
        return None
    before = torch.backends.cuda.matmul.allow_tf32
    try:
        torch.backends.cuda.matmul.allow_tf32 = True
        size = n // 4 if name == "float64" else n
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        return 2 * size**3 / best(clock, lambda: torch.mm(a, b))
    except RuntimeError:
        return None
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def dot_rate(n=512):
    """Operations per second of tl.dot in float32 on the CPU: torch's own matmul is slow in builds without a BLAS."""
    import torch

    from . import dot_kernel
    a, b, out = (torch.randn(n, n) for _ in range(3))
    return 2 * n**3 / best(clock_for("cpu"), lambda: dot_kernel.launch(a, b, out))


class Metronome:
    """A fixed piece of arithmetic that no cache and no memory slows: its time moves only if the clocks do."""

    def __init__(self, device):
        import torch
        size = 2048 if str(device).startswith("cuda") else 96
        self.clock = clock_for(device)
        self.a = torch.randn(size, size, device=device)
        self.out = torch.empty_like(self.a)
        self.call = lambda: torch.mm(self.a, self.a, out=self.out)
        self.call()

    def beat(self):
        """Microseconds: the least of a few, because noise only adds."""
        return min(self.clock.warm(self.call, 9, key="metronome")[0])
