"""For tests that were written for Triton and take their helpers from there: which machine, arrays of any type, fresh knobs.

    from triton._internal_testing import is_cuda, numpy_random, to_numpy, to_triton      (python -m tessera -m pytest ...)
    x = numpy_random((64,), "uint8")        # no zeros, so that tests may divide by it
    to_numpy(to_triton(x, device="cpu"))    # the same array

The names are Triton's, so tests run unchanged; on a machine without a GPU they say so, and kernels run on the CPU. NumPy, torch
and pytest are imported where they are needed.
"""
from __future__ import annotations

from . import knobs

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["u" + name for name in int_dtypes]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted(name for name in dtypes_with_bfloat16 if not name.endswith("64"))


# ---- this machine -------------------------------------------------------------------------------------

def is_interpreter():
    return knobs.variable("TRITON_INTERPRET") == "1"


def get_current_target():
    """None under TRITON_INTERPRET."""
    if is_interpreter():
        return None
    from .runtime.driver import driver
    return driver.active.get_current_target()


def _backend_is(name):
    return getattr(get_current_target(), "backend", None) == name


def _capability():
    """The number before the last digit of an NVIDIA chip's name: 9 for sm_90. 0 on anything else."""
    return int(get_current_target().arch) // 10 if is_cuda() else 0


def is_cuda():
    return _backend_is("cuda")


def is_hip():
    return _backend_is("hip")


def is_xpu():
    return _backend_is("xpu")


def is_ampere_or_newer():
    return _capability() >= 8


def is_hopper():
    return _capability() == 9


def is_hopper_or_newer():
    return _capability() >= 9


def is_blackwell():
    return _capability() == 10


def is_sm12x():
    return _capability() == 12


def _hip_arch():
    return str(get_current_target().arch) if is_hip() else ""


def is_hip_cdna2():
    return _hip_arch() == "gfx90a"


def is_hip_cdna3():
    return _hip_arch() == "gfx942"


def is_hip_cdna4():
    return _hip_arch() == "gfx950"


def is_hip_cdna():
    return _hip_arch() in ("gfx90a", "gfx942", "gfx950")


def is_hip_gfx11():
    return "gfx11" in _hip_arch()


def is_hip_gfx12():
    return "gfx12" in _hip_arch()


def is_hip_gfx1250():
    return "gfx1250" in _hip_arch()


def get_hip_lds_size():
    return (160 if is_hip_cdna4() else 64) * 1024


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def supports_tma(byval_only=False):
    """Whether descriptors work. They do on every target of Tessera's that kernels can be launched on."""
    return is_interpreter() or is_hopper_or_newer() or _backend_is("cpu")


def supports_ws():
    """Whether kernels with warp_specialize can be launched."""
    return is_interpreter() or is_hopper_or_newer() or _backend_is("cpu")


def tma_skip_msg(byval_only=False):
    return "needs a GPU with a tensor memory accelerator: NVIDIA Hopper or later"


def __getattr__(name):
    if name == "requires_tma":
        import pytest
        return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# ---- arrays -------------------------------------------------------------------------------------------

def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """An array of a type by its name; the same one at each call, unless `rs` is a RandomState of the caller's. Integers are any
    of [low, high) but 0; a bfloat16 is a float32 that is one; 8-bit floats are integers whose bits are small numbers."""
    import numpy
    shape = (shape,) if isinstance(shape, int) else shape
    rs = rs or numpy.random.RandomState(17)
    if dtype_str in integral_dtypes:
        limits = numpy.iinfo(dtype_str)
        first = limits.min if low is None else max(low, limits.min)
        end = limits.max if high is None else min(high, limits.max)
        found = rs.randint(first, end, shape, dtype=dtype_str)
        return numpy.where(found == 0, numpy.array(1, found.dtype), found)
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype="int8")
    numbers = rs.normal(0, 1, shape)
    if dtype_str in float_dtypes:
        return numbers.astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = numbers.astype("float32").view("uint32")
        return (bits >> numpy.uint32(16) << numpy.uint32(16)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return numbers > 0
    raise RuntimeError(f"there is no dtype {dtype_str}")


def to_triton(x, device, dst_type=None):
    """A NumPy array as an argument of kernels, on torch's `device`; as elements of `dst_type` if it names an 8-bit float or
    bfloat16, which NumPy does not have."""
    import torch
    from . import language as tl
    from .runtime.jit import reinterpret
    name = x.dtype.name
    if name in uint_dtypes:  # torch has most of them in name only
        return reinterpret(torch.tensor(x.view(name[1:]), device=device), getattr(tl, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(tl, dst_type))
    return tensor.bfloat16() if name == "float32" and dst_type == "bfloat16" else tensor


def to_numpy(x):
    import torch
    from .runtime.jit import TensorWrapper
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    if not isinstance(x, torch.Tensor):
        raise ValueError(f"neither a tensor nor a reinterpreted one: {x}")
    return (x.float() if x.dtype is torch.bfloat16 else x).cpu().numpy()


def unwrap_tensor(t):
    """The tensor inside of what reinterpret has made, or the tensor itself."""
    from .runtime.jit import TensorWrapper
    return t.base if isinstance(t, TensorWrapper) else t


def str_to_triton_dtype(x):
    from . import _utils
    from .language import str_to_ty
    return str_to_ty(_utils.type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype):
    import torch
    from .language import dtype as tl_dtype
    if isinstance(dtype, tl_dtype):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return str(dtype).rpartition(".")[2]
    raise TypeError(f"neither a dtype of torch nor one of tl: {type(dtype)}")


def default_alloc_fn(size, align, _):
    """For set_allocator: memory of the current device."""
    import torch
    return torch.empty(size, dtype=torch.int8, device="cuda" if is_cuda() else "cpu")


# ---- knobs --------------------------------------------------------------------------------------------

def _fresh_knobs_impl(skipped_attr=None):
    """(start, end): start() gives the module `knobs` with all as if no variable of the environment were set, and end() puts back
    what was. `skipped_attr` are groups that stay as they are."""
    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or ())}
    names = {descriptor.key for group in groups.values() for descriptor in group.knob_descriptors.values()}
    kept = {}

    def start():
        kept.update(propagate=knobs.propagate_env, environment={name: knobs.variable(name) for name in names})
        knobs.set_variables(dict.fromkeys(names))
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        knobs.propagate_env = True
        return knobs

    def end():
        for name, group in groups.items():
            setattr(knobs, name, group)
        knobs.propagate_env = kept["propagate"]
        knobs.set_variables(kept["environment"])

    return start, end
