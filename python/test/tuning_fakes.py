"""For the tests of autotuning: kernels that take the time that they are told to, of a clock of its own, and fail where told to.

    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=told({1: 3.0, 2: 1.0}))(FakeKernel())
    kernel[(1,)](None, 5)                   # x, n

`own_cache` must be imported by name: it gives each test of a file an empty cache and the virtual clock.
"""
import pytest
from virtual_time import VirtualTime

import tessera
from tessera import Config
from tessera.runtime.jit import KernelInterface
from tessera.runtime.tuning import timing


def fake(x, n, BLOCK, OTHER=0):
    """The function of a FakeKernel."""


class FakeKernel(KernelInterface):
    """Looks like a jit function. `seconds` and `fails` are functions of BLOCK; what happened is in `compiled` and `launched`."""

    fn = staticmethod(fake)
    arg_names = ["x", "n", "BLOCK", "OTHER"]
    cache_key = "the code of fake"

    def __init__(self, seconds=lambda block: 1e-3, compile_fails=lambda block: None, launch_fails=lambda block: None,
                 effect=None, record=None):
        self.seconds, self.compile_fails, self.launch_fails, self.effect = seconds, compile_fails, launch_fails, effect
        self.record = record  # of what it writes to (docs/abi.md)
        self.compiled, self.launched, self.last = [], [], None

    def run(self, *args, grid, warmup, **kwargs):
        block = kwargs.get("BLOCK")
        problem = None if block in self.compiled or block in self.launched else self.compile_fails(block)
        if problem:
            raise problem
        if warmup:
            self.compiled.append(block)
            return FakeCompiled(block, self.record)
        if self.launch_fails(block):
            raise self.launch_fails(block)
        self.launched.append(block)
        self.last = kwargs
        if self.effect:
            self.effect(*args)
        timing.time.sleep(self.seconds(block))
        return FakeCompiled(block)


class FakeCompiled:
    def __init__(self, block, record=None):
        self.block, self.n_regs, self.n_spills, self.record = block, 32 + (block or 0) % 100, 0, record


def blocks(*sizes, **options):
    return [Config({"BLOCK": size}, **options) for size in sizes]


def told(times):
    """A do_bench that does what a user's would: run the kernel, and say what it is told to say."""
    def do_bench(call, quantiles):
        call()
        return times[call.config.kwargs["BLOCK"]]
    return do_bench


def tune(configs, **options):
    """What a new process would do: a new kernel and a new autotuner. Returns which configurations were compiled for trials."""
    inner = FakeKernel(seconds=lambda block: block * 2e-4, compile_fails=options.pop("compile_fails", lambda block: None),
                       record=options.pop("record", None))
    kernel = tessera.autotune(configs, key=["n"], **options)(inner)
    kernel[(1,)](None, 5)
    return sorted(inner.compiled), kernel


class GpuLikeClock(timing.HostClock):
    """A clock that work on the host does not disturb."""
    is_host = False


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
