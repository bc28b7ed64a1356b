"""The names of Gluon's modules, and placeholder objects for them.

Types, dtypes and functions that are also in triton.language are those of tessera.language. A layout keeps its arguments, so that it
can be a constant of a kernel. Calling any other function on the host raises an error, as it does in Triton.

Cost: importing gluon creates all modules, which takes about a millisecond.
"""
from __future__ import annotations

import importlib.machinery
import sys
import types

_SHARED = """abs add arange associative_scan assume atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or
    atomic_xchg atomic_xor bfloat16 block_type broadcast cast cdiv ceil constexpr cos device_assert device_print div_rn
    dtype erf exp exp2 expand_dims fdiv float16 float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16
    floor fma full gather histogram inline_asm_elementwise int1 int16 int32 int64 int8 join load log log2 map_elementwise
    max max_constancy max_contiguous maximum min minimum mul multiple_of num_programs permute pointer_type program_id
    ravel reduce reduce_or reshape rsqrt sin split sqrt sqrt_rn static_assert static_print static_range store sub sum
    tensor tuple tuple_type uint16 uint32 uint64 uint8 umulhi void where xor_sum zeros zeros_like"""

_BUFFERS = """buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min buffer_atomic_or buffer_atomic_xchg
    buffer_atomic_xor buffer_load buffer_store mfma"""
_ASYNC_COPY = "async_copy_global_to_shared commit_group mbarrier_arrive wait_group"
_BARRIER = "MBarrierLayout arrive init invalidate wait"
_TMA = """async_copy_global_to_shared async_copy_shared_to_global make_tensor_descriptor store_wait tensor_descriptor
    tensor_descriptor_type"""

# The names of modules below gluon. A name that ends in Layout is a layout.
_MODULES = {
    "language": """AutoLayout BlockedLayout CoalescedLayout DistributedLinearLayout DotOperandLayout NVMMADistributedLayout
        NVMMASharedLayout PaddedSharedLayout SharedLinearLayout SliceLayout SwizzledSharedLayout allocate_shared_memory
        bank_conflicts convert_layout distributed_type dot_fma fp4_to_fp full_like num_ctas num_warps set_auto_layout
        shared_memory_descriptor shared_memory_descriptor_type thread_barrier to_linear_layout to_tensor warp_specialize""",
    "language.extra": "",
    "language.nvidia": "",
    "language.nvidia.ampere": "mma_v2",
    "language.nvidia.ampere.async_copy": _ASYNC_COPY,
    "language.nvidia.ampere.mbarrier": _BARRIER,
    "language.nvidia.hopper": """fence_async_shared mma_v2 warpgroup_mma warpgroup_mma_accumulator warpgroup_mma_accumulator_type
        warpgroup_mma_init warpgroup_mma_wait""",
    "language.nvidia.hopper.async_copy": _ASYNC_COPY,
    "language.nvidia.hopper.mbarrier": _BARRIER + " expect",
    "language.nvidia.hopper.tma": _TMA,
    "language.nvidia.blackwell": """TensorMemoryLayout TensorMemoryScalesLayout allocate_tensor_memory fence_async_shared
        get_tmem_reg_layout mma_v2 tcgen05_commit tcgen05_copy tcgen05_mma tcgen05_mma_scaled tensor_memory_descriptor
        tensor_memory_descriptor_type""",
    "language.nvidia.blackwell.async_copy": _ASYNC_COPY,
    "language.nvidia.blackwell.mbarrier": _BARRIER + " expect",
    "language.nvidia.blackwell.tma": _TMA + " async_gather async_scatter",
    "language.nvidia.blackwell.float2": "Float2Tensor fma full_like pack pack2 unpack unpack2",
    "language.amd": "AMDMFMALayout AMDWMMALayout",
    "language.amd.cdna3": _BUFFERS,
    "language.amd.cdna4": _BUFFERS + " get_mfma_scale_layout mfma_scaled",
    "language.amd.cdna4.async_copy": """buffer_load_to_shared commit_group global_load_to_shared load_shared_relaxed
        wait_group""",
    "language.amd.rdna3": "wmma",
    "language.amd.rdna4": "wmma",
    "language.amd.gfx1250": "buffer_load buffer_store get_wmma_scale_layout wmma wmma_scaled",
    "language.amd.gfx1250.async_copy": "commit_group global_to_shared mbarrier_arrive wait_group",
    "language.amd.gfx1250.mbarrier": "MBarrierLayout arrive init wait",
    "language.amd.gfx1250.tdm": """async_load async_store async_wait make_tensor_descriptor tensor_descriptor
        tensor_descriptor_type""",
    "nvidia": "",
    "nvidia.hopper": "TensorDescriptor",
    "nvidia.blackwell": "TensorDescriptor",
    "amd": "",
    "amd.gfx1250": "TensorDescriptor",
}


class GluonName:
    """A function that only Gluon kernels can use."""

    def __init__(self, name, module):
        self.__name__ = self.__qualname__ = name
        self.__module__ = module

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(f"{self.__name__} belongs to Gluon, and Tessera does not compile Gluon kernels")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return GluonName(f"{self.__name__}.{name}", self.__module__)

    def __repr__(self):
        return f"<{self.__name__} of Gluon>"

    def __reduce__(self):
        return GluonName, (self.__name__, self.__module__)


class Layout:
    """A layout's name and arguments. Layouts with equal arguments are equal, because constants of kernels are compared."""

    def __init__(self, *args, **kwargs):
        self._arguments = args, tuple(sorted(kwargs.items()))

    @classmethod
    def get_default_for(cls, *args, **kwargs):
        return cls("get_default_for", *args, **kwargs)

    @classmethod
    def with_identity_for(cls, *args, **kwargs):
        return cls("with_identity_for", *args, **kwargs)

    def __repr__(self):
        args, kwargs = self._arguments
        return f"{type(self).__name__}({', '.join([*map(repr, args), *(f'{name}={value!r}' for name, value in kwargs)])})"

    def __eq__(self, other):
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))


def _stand_in(name, module):
    if name.endswith("Layout"):
        return type(name, (Layout, ), {"__module__": module, "__doc__": Layout.__doc__})
    return GluonName(name, module)


def make_modules(package):
    """Creates every module of the table below `package`, as if it had been imported."""
    from ... import language
    for path, names in _MODULES.items():
        full = f"{package}.{path}"
        module = types.ModuleType(full, "Names of Gluon; see the package tessera.experimental.gluon.")
        module.__spec__ = importlib.machinery.ModuleSpec(full, None, is_package=True)
        module.__path__, module.__package__ = [], full
        for name in names.split():
            setattr(module, name, _stand_in(name, full))
        sys.modules[full] = module
        parent, _, own = full.rpartition(".")
        setattr(sys.modules[parent], own, module)
    gl = sys.modules[f"{package}.language"]
    for name in _SHARED.split():
        setattr(gl, name, getattr(language, name))
    gl.base_type, gl.base_value = language.core.base_type, language.core.base_value
    gl.extra.libdevice = language.extra.libdevice
