"""kernel.warmup(...) of what is compiled already: it is found as quickly as by a launch, and never the wrong one."""
import pickle
import timeit

import pytest
import tessera
import tessera.language as tl
from tessera.backends.compiler import GPUTarget
from tessera.runtime.jit import KernelInterface

np = pytest.importorskip("numpy")

FACTOR = tl.constexpr(2)


def make_kernel():
    @tessera.jit
    def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + at, tl.load(x_ptr + at, at < n) * FACTOR, at < n)
    return scale


@tessera.jit
def copy_kernel(x_ptr, y_ptr):
    tl.store(y_ptr, tl.load(x_ptr))


@pytest.fixture
def kernel():
    return make_kernel()


@pytest.fixture
def compiled(kernel, monkeypatch):
    """The calls of Python that warm-ups of the kernel make: one for each variant."""
    calls, compile = [], kernel._compile_for_warmup
    monkeypatch.setattr(kernel, "_compile_for_warmup", lambda *args: calls.append(args) or compile(*args), raising=False)
    return calls


def arrays(dtype="float32"):
    return np.ones(64, dtype), np.zeros(64, dtype)


def test_a_compiled_variant_is_found_without_python(kernel, compiled):
    x, y = arrays()
    first = kernel.warmup(x, y, 64, BLOCK=64, grid=(1,))
    assert first is not None and y[0] == 0
    assert all(kernel.warmup(x, y, 64, grid=(9,)) is first for _ in range(3))
    assert kernel.warmup(n=64, y_ptr=y, x_ptr=x, grid=None) is first and kernel.run(x, y, 32, grid=(1,), warmup=True) is first
    assert len(compiled) == 1
    assert kernel[(1,)](x, y, 64) is first and y[0] == 2


def test_variants_are_told_apart(kernel, compiled):
    x, y = arrays()
    calls = [lambda: kernel.warmup(x, y, 64, grid=(1,)), lambda: kernel.warmup(x, y, 63, grid=(1,)),
             lambda: kernel.warmup(x, y, 1, grid=(1,)), lambda: kernel.warmup(x, y, 64, BLOCK=32, grid=(1,)),
             lambda: kernel.warmup(x, y, 64, num_warps=8, grid=(1,)), lambda: kernel.warmup(x, y, 64, num_stages=1, grid=(1,)),
             lambda: kernel.warmup(x[1:], y, 64, grid=(1,)), lambda: kernel.warmup(*arrays("int32"), 64, grid=(1,))]
    found = [call() for call in calls]
    assert len({id(each) for each in found}) == len(calls) == len(compiled)
    assert [call() for call in calls] == found and len(compiled) == len(calls)


def test_a_global_that_changes(kernel, compiled, monkeypatch):
    x, y = arrays()
    double = kernel.warmup(x, y, 64, grid=(1,))
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(3))
    triple = kernel.warmup(x, y, 64, grid=(1,))
    assert triple is not double and kernel.warmup(x, y, 64, grid=(1,)) is triple
    monkeypatch.undo()
    assert kernel.warmup(x, y, 64, grid=(1,)) is double


def test_stand_ins_for_tensors(torch, kernel, compiled):
    x = torch.zeros(64)
    mock = tessera.MockTensor(torch.float32)
    for arguments in [(torch.float32, torch.float32, 64), (mock, tessera.MockTensor(tl.float32), 64), (x, x, 64),
                      (tessera.reinterpret(x, tl.int32), tessera.reinterpret(x, tl.int32), 64)]:
        before = len(compiled)
        first = kernel.warmup(*arguments, grid=(1,))
        assert kernel.warmup(*arguments, grid=(1,)) is first and len(compiled) <= before + 1
    assert kernel.warmup(torch.float16, torch.float16, 64, grid=(1,)) is not kernel.warmup(torch.float32, torch.float32, 64, grid=(1,))
    with pytest.raises(TypeError, match="'x_ptr'"):
        kernel[(1,)](torch.float32, x, 64)


def test_a_driver_of_the_program_decides_the_target(kernel, compiled):
    class Driver:
        arch = 80

        def get_current_target(self):
            return GPUTarget("cuda", self.arch, 32)

    x, y = arrays()
    here = kernel.warmup(x, y, 64, grid=(1,))
    driver, other = tessera.runtime.driver, Driver()
    driver.set_active(other)
    try:
        ampere = kernel.warmup(x, y, 64, grid=(1,))
        assert kernel.warmup(x, y, 64, grid=(1,)) is ampere and ampere.metadata.target.arch == 80
        other.arch = 90
        assert kernel.warmup(x, y, 64, grid=(1,)).metadata.target.arch == 90 and len(compiled) == 3
    finally:
        driver.reset_active()
    assert kernel.warmup(x, y, 64, grid=(1,)) is here and len(compiled) == 3


def test_hooks_and_replacements_are_called(kernel, monkeypatch):
    x, y = arrays()
    first = kernel.warmup(x, y, 64, grid=(1,))
    seen = []
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((args, kwargs)))
    assert kernel.warmup(x, y, 64, grid=(1,)) is first and seen == [((x, y, 64), {})]
    kernel.pre_run_hooks.clear()
    monkeypatch.setattr(KernelInterface, "warmup", lambda self, *args, **kwargs: "mine")
    assert kernel.warmup(x, y, 64, grid=(1,)) == "mine"
    monkeypatch.undo()
    assert kernel.warmup(x, y, 64, grid=(1,)) is first
    kernel.run = lambda *args, **kwargs: "replaced"
    assert kernel.warmup(x, y, 64, grid=(1,)) == "replaced"
    del kernel.run
    assert kernel.warmup(x, y, 64, grid=(1,)) is first


def test_launch_hooks_do_not_slow_warm_ups(kernel, monkeypatch):
    x, y = arrays()
    first = kernel.warmup(x, y, 64, grid=(1,))
    monkeypatch.setattr(kernel, "_warm_up_by_run", None, raising=False)
    hook = lambda metadata: None  # noqa: E731
    tessera.knobs.runtime.launch_enter_hook.add(hook)
    try:
        assert kernel.warmup(x, y, 64, grid=(1,)) is first
    finally:
        tessera.knobs.runtime.launch_enter_hook.remove(hook)


def test_wrong_calls(kernel):
    x, y = arrays()
    for _ in range(2):
        with pytest.raises(TypeError, match="grid"):
            kernel.warmup(x, y, 64)
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
            kernel.warmup(x, y, grid=(1,))
        with pytest.raises(TypeError, match="takes 4 positional arguments but 5 were given"):
            kernel.warmup(x, y, 64, 64, 64, grid=(1,))
        with pytest.raises(TypeError, match="warmup"):
            kernel.warmup(x, y, 64, grid=(1,), warmup=True)
        kernel.warmup(x, y, 64, grid=(1,))


def test_forgotten_variants_are_compiled_again(kernel, compiled):
    x, y = arrays()
    kernel.warmup(x, y, 64, grid=(1,))
    kernel.device_caches.clear()
    kernel.warmup(x, y, 64, grid=(1,))
    assert len(compiled) == 2


def test_autotune_and_heuristics(kernel, compiled):
    configs = [tessera.Config({"BLOCK": 32}), tessera.Config({"BLOCK": 64}, num_warps=8)]
    x, y = arrays()
    tuned = tessera.autotune(configs=configs, key=["n"])(kernel)
    first = tuned.warmup(x, y, 64, grid=(1,))
    assert len(first) == 2 and tuned.warmup(x, y, 64, grid=(1,)) == first and len(compiled) == 2
    ruled = tessera.heuristics({"BLOCK": lambda arguments: 32})(make_kernel())
    assert ruled.warmup(x, y, 64, grid=(1,)) is ruled.warmup(x, y, 64, grid=(1,))


def test_it_takes_a_few_microseconds(kernel):
    x, y = arrays()
    call = timeit.Timer(lambda: kernel.warmup(x, y, 64, BLOCK=64, num_warps=8, grid=(1,)))
    call.timeit(10)
    assert min(call.repeat(50, 100)) / 100 < 10e-6


def test_what_is_read_before_each_launch_is_plain():
    """An attribute of the object itself once it was read, and not a property."""
    x, y = arrays()
    found = copy_kernel.warmup(x, y, grid=(1,))
    assert found.module is None and found.n_max_threads >= 0  # which loads it
    found._init_handles()
    names = ["metadata", "packed_metadata", "name", "hash", "asm", "n_regs", "n_spills", "n_max_threads", "module", "function"]
    values = [getattr(found, name) for name in names]
    assert [vars(found)[name] for name in names] == values
    assert found.run is found.run and found.function is not None
    again = pickle.loads(pickle.dumps(found))
    assert again.metadata == found.metadata and again.packed_metadata == found.packed_metadata and again.module is None
    again[1, 1, 1](x, y)
    assert y[0] == 1
