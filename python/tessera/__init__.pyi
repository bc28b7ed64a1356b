"""Tessera compiles and launches Triton kernels, without Triton."""

from typing import List

from . import backends as backends
from . import compiler as compiler
from . import knobs as knobs
from . import language as language
from . import runtime as runtime
from . import testing as testing
from . import tools as tools
from .compiler.compiler import compile as compile
from .compiler.errors import CompilationError as CompilationError
from .dropin import DropIn
from .errors import TritonError as TritonError
from .runtime._allocation import set_allocator as set_allocator
from .runtime._async_compile import AsyncCompileMode as AsyncCompileMode
from .runtime._async_compile import FutureKernel as FutureKernel
from .runtime.autotuner import Autotuner as Autotuner
from .runtime.autotuner import Config as Config, Space as Space
from .runtime.autotuner import autotune as autotune
from .runtime.autotuner import heuristics as heuristics
from .runtime.errors import DeviceAssertError as DeviceAssertError
from .runtime.errors import DeviceError as DeviceError
from .runtime.errors import InterpreterError as InterpreterError
from .runtime.errors import OutOfResources as OutOfResources
from .runtime.jit import JITFunction as JITFunction
from .runtime.jit import KernelInterface as KernelInterface
from .runtime.jit import MockTensor as MockTensor
from .runtime.jit import TensorWrapper as TensorWrapper
from .runtime.jit import constexpr_function as constexpr_function
from .runtime.jit import jit as jit
from .runtime.jit import must_use_result as must_use_result
from .runtime.jit import reinterpret as reinterpret
from .runtime.specialize import RecompilationError as RecompilationError
from .runtime.specialize import RecompilationWarning as RecompilationWarning
from .runtime.variants_file import load_variants as load_variants
from .runtime.record import record as record
from .runtime.packs import load_pack as load_pack
from .runtime.variants_file import save_variants as save_variants

__version__: str
__all__: List[str]

def install_as_triton(replace: bool = False) -> DropIn:
    """Lets `import triton`, and imports of its submodules, import Tessera, until undo() of the result, or the end of a `with`
    block. `replace` allows it after Triton itself was imported."""

def cdiv(x: int, y: int) -> int:
    """x / y, rounded up; at compile time in kernels, and on the host. tl.cdiv is for run-time values."""

def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not less than n; 0 for 0. At compile time in kernels, and on the host."""
