"""driver.active, devices, allocators, asynchronous compilation."""
import os

import pytest

import tessera
import tessera.language as tl
from tessera.backends.compiler import GPUTarget
from tessera.backends.driver import DriverBase
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
    names = [cpu.map_python_to_cpp_type(kind) for kind in ("*fp32", "i32", "fp32", "u1", "i1", "bf16", "fp8e4nv")]
    assert names == ["CUdeviceptr", "int32_t", "float", "uint8_t", "uint8_t", "uint16_t", "uint8_t"]


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


# ---- a GPU's driver, played by one that only keeps notes ---------------------------------------------

GPU_PROGRAM = """
import ctypes, sys
import tessera, tessera.language as tl
from tessera.runtime import driver
notes = ctypes.CDLL("libcuda.so.1")
notes.fakeNotes.restype = ctypes.c_char_p

@tessera.jit
def fill(out, n):
    tl.store(out, n)

class Tensor:
    dtype, is_cuda = "int32", True
    def data_ptr(self):
        return 0x100000

def told():
    text = notes.fakeNotes().decode()
    notes.fakeForget()
    return text

def raises(kind, call):
    try:
        call()
    except kind as problem:
        return str(problem)
    raise AssertionError(f"no {kind}")

kernel = fill[(1,)](Tensor(), 7)
active, utils = driver.active, driver.active.utils
assert type(active).__name__ == "CudaDriver"
told()
"""

GPU_CASES = {
    "occupancy": """
assert utils.cuOccupancyMaxActiveClusters(kernel.function, 65536, 2) == 66
assert told().endswith("occupancy of 128 threads, shared 65536, grid 2 with 4 = 2\\n")
assert "cluster of 17" in raises(RuntimeError, lambda: utils.cuOccupancyMaxActiveClusters(kernel.function, 0, 17))
for bad in (0, 1, kernel.function + 8, -1, 2**70, None, "f"):
    assert "no function" in raises(ValueError, lambda: utils.cuOccupancyMaxActiveClusters(bad, 0, 1))
for shared, cluster in ((-1, 1), (2**40, 1), (0, 0), (0, -1), (0, 2**33)):
    raises(ValueError, lambda: utils.cuOccupancyMaxActiveClusters(kernel.function, shared, cluster))
""",
    "the_size_of_the_printf_buffer": """
utils.set_printf_fifo_size(1 << 20)
assert told() == ""  # as it was
utils.set_printf_fifo_size(4 << 20)
assert told() == "limit 1 = 4194304\\n"
raises(ValueError, lambda: utils.set_printf_fifo_size(-1))
raises(OverflowError, lambda: utils.set_printf_fifo_size(2**70))
ctypes.CDLL(None).setenv(b"FAKE_CUDA_LIMIT", b"1", 1)
assert "cuCtxSetLimit failed" in raises(RuntimeError, lambda: utils.set_printf_fifo_size(1))
""",
    "any_binary_can_be_loaded": """
module, function, registers, spills, threads = utils.load_binary("someone_elses", b"ELF", 0, 1)
assert module and function and (registers, spills, threads) == (40, 0, 512)
assert told() == "retain\\nload cubin\\n"
assert utils.load_binary("someone_elses", b"ELF", 0, 1)[1] == function and told() == ""
assert utils.cuOccupancyMaxActiveClusters(function, 0, 2) == 66
loaded = tessera._native.Device("cuda:1").load_binary("f", b".version 8.0")
assert told().endswith("retain\\nload ptx\\n")
assert "parameters are not known" in raises(RuntimeError, lambda: loaded.launch(1, 1, 1, 0, ()))
assert "missing" in raises(RuntimeError, lambda: utils.load_binary("missing", b"ELF", 0, 0))
assert "shared memory" in raises(RuntimeError, lambda: utils.load_binary("big", b"ELF", 300000, 0))
assert "cuda:7" in raises(RuntimeError, lambda: utils.load_binary("f", b"ELF", 0, 7))
for arguments in (("f", 5, 0, 0), (5, b"ELF", 0, 0), ("f", b"ELF", -1, 0), ("f", b"ELF", 2**40, 0), ("f\\0g", b"ELF", 0, 0)):
    raises((TypeError, ValueError), lambda: utils.load_binary(*arguments))
assert utils.load_binary(kernel.name, kernel.asm["cubin" if "cubin" in kernel.asm else "ptx"], 0, 0)[2] == 40
""",
    "a_launcher_for_a_function": """
launcher = active.launcher_cls(kernel.src, kernel.metadata)
seen = []
launcher(2, 3, 4, 0, kernel.function, None, "about", seen.append, seen.append, Tensor(), 9)
assert "launch 2 3 4 x 128 shared 0 n 9" in told() and seen == ["about", "about"]
raises(ValueError, lambda: launcher(1, 1, 1, 0, 12345, None, None, None, None, Tensor(), 9))
""",
    "functions_are_forgotten_with_their_kernels": """
import gc
from tessera.backends.nvidia import driver as nvidia
source = tessera.compiler.ASTSource(fill, {"out": "*i32", "n": "i64"})
kernel = tessera.compile(source)
kernel._init_handles()
handle = kernel.function
assert nvidia.find_function(handle) is not None
del kernel
gc.collect()
assert "unload" in told()
raises(ValueError, lambda: nvidia.find_function(handle))
""",
    "a_load_that_fails": """
from tessera.runtime.errors import OutOfResources
text = raises(OutOfResources, lambda: fill[(1,)](Tensor(), 7, num_warps=32))
assert "threads, Required: 1024, Hardware limit: 512" in text, text
@tessera.jit
def missing(out):
    tl.store(out, 1)
text = raises(RuntimeError, lambda: missing[(1,)](Tensor()))
assert "cannot load kernel missing" in text and "cuModuleGetFunction failed" in text, text
""",
    "the_rest_of_the_driver": """
assert active.get_device_capability() == (9, 0) and active.get_current_device() == 0
active.set_current_device(1)
assert active.get_current_device() == 1
assert "multiprocessor_count" in utils.get_device_properties(1)
from tessera.backends.nvidia import driver as nvidia
assert nvidia.ty_to_cpp("*fp32") == "CUdeviceptr" and nvidia.library_dirs() == nvidia.libcuda_dirs() != []
""",
}


@pytest.mark.parametrize("name", GPU_CASES)
def test_the_driver_of_a_gpu(snippet, fake_gpu, name):
    snippet(GPU_PROGRAM + GPU_CASES[name], env=fake_gpu)


WORKER_PROGRAM = """
import pickle, sys, types
import tessera, tessera.language as tl

sys.modules["torch"] = torch = types.ModuleType("torch")
torch.cuda, torch.version = types.SimpleNamespace(is_available=lambda: True), types.SimpleNamespace(hip=None)

@tessera.jit
def fill(out, n):
    tl.store(out, n)

# As torch._inductor.runtime.triton_helpers.set_driver_to_gpu does it.
name, backend = next(pair for pair in tessera.backends.backends.items() if pair[1].driver.is_active() and pair[0] != "cpu")
assert name == "nvidia" and not isinstance(tessera.runtime.driver.active, backend.driver)
tessera.runtime.driver.set_active(backend.driver())
source = tessera.compiler.ASTSource(fill, {"out": "*i32", "n": "i32"})
kernel = tessera.compile(source, target=tessera.backends.compiler.GPUTarget("cuda", 90, 32))
assert ".visible .entry fill" in pickle.loads(pickle.dumps(kernel)).asm["ptx"]
torch.version.hip = "7.0"
assert not backend.driver.is_active() and tessera.backends.backends["amd"].driver.is_active()
"""

# torch for ROCm, on a HIP that only keeps notes.
ROCM_PROGRAM = """
import ctypes, os, sys, types
sys.modules["torch"] = torch = types.ModuleType("torch")
sys.modules["torch.version"] = torch.version = types.SimpleNamespace(hip="7.0")
torch.cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0)
import tessera, tessera.language as tl

@tessera.jit
def fill(out, n):
    tl.store(out, n)

@tessera.jit
def fill_block(out, n, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), n)

class Tensor:  # torch's own say is_cuda, too
    is_cuda, dtype, shape = True, "torch.int32", (4,)
    def __init__(self, size=None):
        self.size = size
    def data_ptr(self):
        return 4096
    def untyped_storage(self):
        return types.SimpleNamespace(size=lambda: self.size)  # None is no size

active = tessera.runtime.driver.active
assert type(active).__name__ == "HIPDriver", active
target = active.get_current_target()
assert (target.backend, target.arch, target.warp_size) == ("hip", "gfx942", 64), target
assert active.get_device_capability() == (9, 4)
assert active.utils.get_device_properties(0)["warpSize"] == 64
fill[(3, 2)](Tensor(), 7)
notes = ctypes.CDLL(os.environ["FAKE_HIP"])
notes.fakeNotes.restype = ctypes.c_char_p
text = notes.fakeNotes().decode()
assert "launch 3 2 1 x 256 shared 0 n 7" in text and "on device 0" in text, text

# Only tensors whose storage is known to have less than 2 GiB are accessed by buffer instructions.
for size, stores in [(2**31 - 1, 1), (2**31, 0), (None, 0)]:
    assert fill_block[(1,)](Tensor(size), 7, 64).asm["ttgir"].count("amdg.buffer_store") == stores
fill_block.warmup(tessera.runtime.jit.MockTensor("torch.int32"), 7, 64, grid=(1,))
assert [each.types["out"] for each in fill_block.specializations()] == ["*i32:16S", "*i32:16"]
small, large = fill_block.specializations()
assert "out is part of memory of 2 GiB or more" in large.why, large.why
tessera.knobs.amd.use_buffer_ops = False
assert "amdg.buffer_store" not in fill_block[(1,)](Tensor(64), 7, 128).asm["ttgir"]
"""


def test_torch_for_rocm(snippet, fake_gpu):
    hip = os.path.join(fake_gpu["LD_LIBRARY_PATH"], "libamdhip64.so.7")
    os.rename(os.path.join(fake_gpu["LD_LIBRARY_PATH"], "libcuda.so.1"), hip)
    snippet(ROCM_PROGRAM, env=dict(fake_gpu, FAKE_HIP=hip))


def test_where_only_torch_knows_the_gpu_kernels_are_compiled_for_it(snippet, fake_gpu):
    snippet(WORKER_PROGRAM, env=dict(fake_gpu, FAKE_CUDA_INIT="3"))  # what cuInit answers in a forked child


def test_what_needs_a_gpu_says_so():
    from tessera.backends.nvidia.driver import CudaUtils
    if driver.active.get_current_target().backend != "cpu":
        pytest.skip("there is one")
    for call in (lambda: CudaUtils().load_binary("f", b"ELF", 0, 0), lambda: CudaUtils().get_device_properties(0)):
        with pytest.raises(RuntimeError, match="CUDA driver"):
            call()
    with pytest.raises(RuntimeError, match="no CUDA driver on this machine|no device|GPU"):
        CudaUtils().set_printf_fifo_size(1 << 20)


def test_utils_of_the_cpu_say_what_they_lack():
    from tessera.backends.cpu.driver import CPUUtils
    with pytest.raises(AttributeError, match="driver.utils of the CPU has no 'load_binary'; with a GPU"):
        CPUUtils().load_binary("kernel", b"", 0, 0)
    assert not hasattr(CPUUtils(), "set_printf_fifo_size")


# ---- drivers of programs ------------------------------------------------------------------------------

@tessera.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, offsets < n), offsets < n)


class OneHopper(DriverBase):
    """A driver for a GPU that is not here, as programs write them to compile for one."""

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        return None

    def get_benchmarker(self):
        return None

    def map_python_to_cpp_type(self, ty):
        return ty


def test_warming_up_for_the_target_of_a_programs_driver(numpy, fresh_cache):
    x = numpy.zeros(32, "float32")
    kernel = tessera.jit(copy_kernel.fn)
    kernel.precompile(x, x, 7, BLOCK=32, target="cuda:80")
    driver.set_active(OneHopper())
    try:
        compiled = kernel.warmup(x, x, 7, BLOCK=32, grid=(1,))
        assert compiled.metadata.target == driver.active.get_current_target() and ".target sm_90a" in compiled.asm["ptx"]
        assert list(kernel.device_caches[0][0].values()) == [compiled] and kernel.device_caches[0][2] == compiled.metadata.target
    finally:
        driver.reset_active()
    kernel[(1,)](x + 1, x, 7, BLOCK=32)  # arrays on the CPU
    assert x.sum() == 7 and kernel.warmup(x, x, 7, BLOCK=32, grid=(1,)).metadata.target.backend == "cpu"


@pytest.mark.parametrize("name", ["device", "stream", "device_type"])
def test_no_choice_of_devices_and_streams(numpy, name):
    x = numpy.zeros(32, "float32")
    with pytest.raises(AssertionError, match=f"no option {name}"):
        copy_kernel[(1,)](x, x, 7, BLOCK=32, **{name: 0})
