"""NVIDIA's devices, through the library, which opens libcuda.so.1 when a device is asked for."""
from __future__ import annotations

import functools
import os
import weakref

from ... import _native
from ..compiler import GPUTarget
from ..driver import GPUDriver, _c_type as ty_to_cpp, loaded_torch, require_torch  # noqa: F401  (ty_to_cpp: Triton's name)

_PROPERTIES = ("max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize", "sm_clock_rate", "mem_clock_rate",
               "mem_bus_width")

include_dirs: list = []  # nothing of ours needs cuda.h
libraries = ["libcuda.so.1"]


@functools.lru_cache(maxsize=None)
def libcuda_dirs() -> list:
    """Returns the folders of the driver's library, for programs that link to it."""
    from ... import knobs
    if knobs.nvidia.libcuda_path:
        return [knobs.nvidia.libcuda_path]
    import subprocess
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    try:
        listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    except OSError:
        listing = ""
    folders += [os.path.dirname(line.split()[-1]) for line in listing.splitlines() if libraries[0] in line]
    found = [folder for folder in folders if os.path.exists(os.path.join(folder, libraries[0]))]
    if not found:
        raise RuntimeError("no CUDA driver on this machine: libcuda.so.1 is in no folder of ldconfig or LD_LIBRARY_PATH")
    return list(dict.fromkeys(found))


def library_dirs() -> list:
    return libcuda_dirs()


class CudaUtils:
    """Queries of a device, under the names of Triton's driver. A function is identified by its CUfunction, and must have been loaded
    here: the CUDA driver would follow any other number as a pointer."""

    def __init__(self) -> None:
        self._binaries: dict = {}  # (device, symbol, binary, shared) -> loaded kernel; never unloaded, as handles are out

    def get_device_properties(self, device: int) -> dict:
        return dict(_properties(device))

    def load_binary(self, name: str, binary: bytes, shared: int, device: int):
        """(module, function, registers, spilled words, threads at most) of the kernel `name` in a CUBIN or a PTX text."""
        if isinstance(binary, str):
            binary = binary.encode()
        key = (device, name, binary, shared)
        loaded = self._binaries.get(key)
        if loaded is None:
            loaded = self._binaries.setdefault(key, _device(device).load_binary(name, binary, shared))
            remember_function(loaded.handle("function"), self, loaded)
        words = max(loaded.resource("local_bytes"), 0) // 4
        return (loaded.handle("module"), loaded.handle("function"), loaded.resource("registers"), words,
                loaded.resource("max_threads_per_block"))

    def cuOccupancyMaxActiveClusters(self, function: int, shared: int, clusterDim: int) -> int:
        """How many clusters of so many blocks, each with so much shared memory, the device holds at once."""
        if clusterDim < 1:
            raise ValueError(f"a cluster has at least one block, not {clusterDim}")
        return find_function(function).occupancy(shared, clusterDim)

    def set_printf_fifo_size(self, size: int) -> None:
        """How many bytes kernels may print before output is lost. The driver refuses once a kernel that prints has run."""
        from ...runtime.driver import driver
        if size < 0:
            raise ValueError(f"a size is not negative: {size}")
        _device(driver.active.get_current_device()).set_limit("printf_bytes", size)


@functools.lru_cache(maxsize=None)
def _properties(device: int) -> dict:
    opened = _device(device)
    return {name: opened.property(name) for name in _PROPERTIES}


@functools.lru_cache(maxsize=None)
def _target(device: int) -> GPUTarget:
    return GPUTarget("cuda", _device(device).property("capability"), 32)


def _device(number: int):
    from ...runtime.driver import native_device
    return native_device(f"cuda:{number}")


# CUfunction -> (who keeps it loaded, the library's loaded kernel). A handle may be used again once its module is unloaded.
_functions: dict = {}


def remember_function(handle: int, owner, loaded) -> None:
    """Told of every function that is loaded, for who comes back with its handle alone."""
    def forget(reference) -> None:
        if _functions.get(handle, (None, ))[0] is reference:
            del _functions[handle]

    if handle:
        _functions[handle] = (weakref.ref(owner, forget), loaded)


def find_function(handle):
    """The library's loaded kernel of a CUfunction."""
    known = _functions.get(handle)
    if known is None:
        raise ValueError(f"{handle!r} is no function of a kernel that was loaded here")
    return known[1]


class CudaLauncher:
    """The class `driver.active.launcher_cls`: launches a function with arguments for all parameters of a source."""

    def __init__(self, src, metadata) -> None:
        self._passed = src.passed
        self.num_ctas = metadata.num_ctas
        self.global_scratch_size, self.global_scratch_align = metadata.global_scratch_size, metadata.global_scratch_align
        self.profile_scratch_size, self.profile_scratch_align = metadata.profile_scratch_size, metadata.profile_scratch_align

    def __call__(self, gridX, gridY, gridZ, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook,
                 *args) -> None:
        launch = find_function(function).launch
        if enter_hook is not None:
            enter_hook(launch_metadata)
        launch(gridX, gridY, gridZ, stream or 0, self._passed(args))
        if exit_hook is not None:
            exit_hook(launch_metadata)


class CudaDriver(GPUDriver):

    def __init__(self) -> None:
        self.utils = CudaUtils()
        self.launcher_cls = CudaLauncher

    @classmethod
    def is_active(cls) -> bool:
        torch = loaded_torch()
        if torch is None:
            return _native.current_device().startswith("cuda")
        # torch's word counts. It remembers its GPUs in a forked child, which cannot use CUDA, but compiles for them: so work the
        # processes of torch.compile.
        return torch.cuda.is_available() and torch.version.hip is None

    # C functions: programs call them before each launch.
    get_current_device = staticmethod(_native.current_gpu)
    get_current_stream = staticmethod(_native.current_stream)

    def get_device_capability(self, device: int | None = None) -> tuple:
        return divmod(_target(self.get_current_device() if device is None else device).arch, 10)

    def get_current_target(self) -> GPUTarget:
        return _target(self.get_current_device())

    def get_active_torch_device(self):
        return require_torch("get_active_torch_device").device("cuda", self.get_current_device())

    def get_device_interface(self):
        return require_torch("get_device_interface").cuda

    def get_empty_cache_for_benchmark(self):
        torch = require_torch("a benchmark on a GPU")
        return torch.empty((256 << 20) // 4, dtype=torch.int, device="cuda")
