"""driver.active, devices, allocators, asynchronous compilation."""
import pytest

import tessera
import tessera.language as tl
from tessera.backends.compiler import GPUTarget
from tessera.runtime import driver


@tessera.jit
def fill_kernel(x_ptr, VALUE: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, 8), VALUE)


def test_the_active_driver():
    active = driver.active
    target = active.get_current_target()
    assert isinstance(target, GPUTarget) and target.backend in ("cuda", "cpu")
    assert driver.active is active
    device = active.get_current_device()
    assert isinstance(active.get_current_stream(device), int)
    properties = active.utils.get_device_properties(device)
    assert {"max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize", "sm_clock_rate", "mem_clock_rate",
            "mem_bus_width"} <= set(properties)
    assert active.get_benchmarker() is tessera.testing.do_bench


def test_the_cpu_has_a_driver(numpy):
    cpu = tessera.backends.backends["cpu"].driver()
    assert cpu.get_current_target() == GPUTarget("cpu", "native", 1)
    assert cpu.utils.get_device_properties()["multiprocessor_count"] >= 1
    interface = cpu.get_device_interface()
    begin, end = interface.Event(enable_timing=True), interface.Event(enable_timing=True)
    begin.record()
    end.record()
    interface.synchronize()
    assert begin.elapsed_time(end) >= 0
    cache = cpu.get_empty_cache_for_benchmark()
    cpu.clear_cache(cache)


def test_a_gpu_is_described(device, torch):
    if device == "cpu":
        pytest.skip("about GPUs")
    active = driver.active
    assert type(active).__name__ == "CudaDriver" and active.is_active()
    assert active.get_device_capability() == torch.cuda.get_device_capability()
    properties = active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] == torch.cuda.get_device_properties(0).multi_processor_count
    assert properties["warpSize"] == 32 and properties["max_shared_mem"] > 48 << 10
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert active.get_current_stream(active.get_current_device()) == stream.cuda_stream
    cache = active.get_empty_cache_for_benchmark()
    active.clear_cache(cache)
    assert active.get_device_interface() is torch.cuda


def test_set_and_reset():
    before = driver.active

    class Mine(tessera.backends.driver.DriverBase):
        is_active = classmethod(lambda cls: True)
        get_current_target = lambda self: GPUTarget("cuda", 80, 32)  # noqa: E731
        get_active_torch_device = lambda self: None  # noqa: E731

    driver.set_active(Mine())
    try:
        kernel = tessera.compile(tessera.compiler.ASTSource(fill_kernel, {"x_ptr": "*i32", "VALUE": "constexpr"}, {"VALUE": 1}))
        assert kernel.metadata.target.arch == 80
    finally:
        driver.reset_active()
    assert driver.active is before


def test_types_in_c():
    cpu = tessera.backends.backends["cpu"].driver()
    names = [cpu.map_python_to_cpp_type(kind) for kind in ("*fp32", "i32", "fp32", "u1")]
    assert names == ["CUdeviceptr", "int32_t", "float", "uint8_t"]


def test_a_forked_child_launches(numpy):
    import os
    x = numpy.zeros(8, "int32")
    fill_kernel[(1, )](x, VALUE=3)
    child = os.fork()
    if child == 0:
        try:
            fill_kernel[(1, )](x, VALUE=4)  # compiled in the child
            fill_kernel[(1, )](x, VALUE=3)
            os._exit(0 if (x == 3).all() else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    fill_kernel[(1, )](x, VALUE=5)
    assert (x == 5).all()


def test_torch_names_devices(torch):
    device = driver.active.get_active_torch_device()
    assert device.type in ("cpu", "cuda")


# ---- allocators -------------------------------------------------------------------------------------

def test_allocators_belong_to_a_context():
    import contextvars
    from tessera.runtime import _allocation
    with pytest.raises(RuntimeError, match="set_allocator"):
        _allocation._allocator.get()(16, 1, 0)
    contextvars.copy_context().run(tessera.set_allocator, lambda size, align, stream: None)
    assert isinstance(_allocation._allocator.get(), _allocation.NullAllocator)
    tessera.set_allocator(None)


def test_launches_ask_the_allocator_of_their_context():
    import contextvars
    from tessera.runtime import _allocation
    asked = []

    def launch():
        tessera.set_allocator(lambda size, align, stream: asked.append((size, align, stream)) or "buffer")
        return _allocation._ask_allocator(96, 128, 7)

    try:
        assert contextvars.copy_context().run(launch) == "buffer"
        assert asked == [(96, 128, 7)]
        with pytest.raises(RuntimeError, match="96 bytes"):
            _allocation._ask_allocator(96, 128, 7)
    finally:
        tessera.set_allocator(None)


# ---- asynchronous compilation -----------------------------------------------------------------------

def test_many_kernels_at_once(numpy):
    from concurrent.futures import ThreadPoolExecutor
    x = numpy.zeros(8, "int32")
    with ThreadPoolExecutor(4) as pool, tessera.AsyncCompileMode(pool):
        kernels = [fill_kernel.warmup(x, VALUE=100 + i, grid=(1, )) for i in range(6)]
        assert kernels[0].result().name == "fill_kernel"
    assert {kernel.result().hash for kernel in kernels}.__len__() == 6
    fill_kernel[(1, )](x, VALUE=103)
    assert (x == 103).all()


@tessera.jit
def broken_kernel(x_ptr):
    tl.store(x_ptr, no_such_name)  # noqa: F821


def test_errors_come_out_when_the_mode_is_left(numpy):
    from concurrent.futures import ThreadPoolExecutor
    x = numpy.zeros(8, "int32")
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(tessera.CompilationError):
            with tessera.AsyncCompileMode(pool):
                broken_kernel.warmup(x, grid=(1, ))
        with tessera.AsyncCompileMode(pool, ignore_errors=True):
            broken_kernel.warmup(x, grid=(1, ))
        with pytest.raises(RuntimeError, match="already"):
            with tessera.AsyncCompileMode(pool), tessera.AsyncCompileMode(pool):
                pass
