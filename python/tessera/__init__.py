"""Tessera compiles and launches Triton kernels, without Triton.

    import tessera
    import tessera.language as tl

    @tessera.jit
    def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask) + tl.load(y_ptr + offsets, mask), mask)

    add_kernel[(tessera.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)      # torch tensors or NumPy arrays, on their device

The API is that of `triton` 3.6.0; with `python -m tessera script.py` or `install_as_triton()`, `import triton` imports this
package. Modules that a launch does not need are imported at first use.
"""
from __future__ import annotations

from .errors import TritonError
from .runtime.jit import (JITFunction, KernelInterface, MockTensor, TensorWrapper, constexpr_function, jit, must_use_result,
                          reinterpret)

__version__ = "0.1.0"

# Public name -> the module that has it, imported at first use; "" is the module of that name itself.
_LATER = {
    "AsyncCompileMode": "runtime._async_compile", "FutureKernel": "runtime._async_compile",
    "Autotuner": "runtime.autotuner", "Config": "runtime.autotuner", "autotune": "runtime.autotuner",
    "heuristics": "runtime.autotuner", "Space": "runtime.autotuner",
    "CompilationError": "compiler.errors", "compile": "compiler",
    "OutOfResources": "runtime.errors", "InterpreterError": "runtime.errors", "DeviceError": "runtime.errors",
    "DeviceAssertError": "runtime.errors",
    "RecompilationError": "runtime.specialize", "RecompilationWarning": "runtime.specialize",
    "record": "runtime.record", "load_pack": "runtime.packs",
    "load_variants": "runtime.variants_file", "save_variants": "runtime.variants_file",
    "set_allocator": "runtime._allocation",
    "_C": "", "backends": "", "compiler": "", "knobs": "", "language": "", "runtime": "", "testing": "", "tools": "",
}

__all__ = [
    "AsyncCompileMode", "CompilationError", "Config", "DeviceAssertError", "DeviceError", "FutureKernel", "InterpreterError", "JITFunction", "KernelInterface",
    "MockTensor", "OutOfResources", "RecompilationError", "RecompilationWarning", "Space", "TensorWrapper", "TritonError", "autotune",
    "cdiv", "compile", "constexpr_function", "heuristics", "install_as_triton", "jit", "language", "load_pack", "load_variants",
    "must_use_result", "next_power_of_2", "record", "reinterpret", "runtime", "save_variants", "set_allocator", "testing", "tools",
]


def __getattr__(name):
    place = _LATER.get(name)
    if place is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module
    found = import_module(f"{__name__}.{place or name}")
    found = getattr(found, name) if place else found
    globals()[name] = found
    return found


def __dir__():
    return sorted(set(globals()) | set(_LATER))


def install_as_triton(replace=False):
    """Lets `import triton`, and imports of its submodules, import Tessera. `replace` allows it after Triton itself was imported."""
    from .dropin import install_as_triton as install
    return install(replace)


@constexpr_function
def cdiv(x: int, y: int):
    """x / y, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int):
    """The smallest power of two that is not less than n; 0 for 0."""
    if isinstance(n, float):
        raise TypeError(f"next_power_of_2 takes an int, not {n!r}")
    return 1 << (n - 1).bit_length() if n > 0 else 0
