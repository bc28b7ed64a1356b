"""Types of tl.core: what kernels compute with, and the functions that the compiler itself implements.

A `Value` is anything that numbers are computed from, at run time or before. Where a function takes an int, a bool or a
str, it must be known while compiling: written down, or taken from a parameter `: tl.constexpr`. Of several overloads the
last one is the general one. help() at run time prints the texts of this file.
"""

import builtins
import enum
from typing import Any, Callable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypeVar, Union, overload

from ..runtime.jit import JITCallable as JITCallable
from ..runtime.jit import constexpr_function as constexpr_function
from ..runtime.jit import must_use_result as must_use_result

_F = TypeVar("_F", bound=Callable[..., Any])
_C = TypeVar("_C", bound=type)

TRITON_BUILTIN: str
TRITON_MAX_TENSOR_NUMEL: int
CONSTEXPR_0: constexpr

# Values

class base_value:
    """What every value that a kernel computes with derives from."""

    type: Any

class const:
    """Annotates a kernel's parameter: a pointer through which nothing is stored."""

# Kernels write `BLOCK: tl.constexpr = 64`: what is declared so takes any compile-time object, and has its attributes. No
# class says that to a checker. Pyright and the editors that use it take the class below for Any, because of its decorator,
# and still show its text; mypy takes a name that it cannot import for Any, and assumes a name MYPY to be true.
MYPY: bool

def _accepts_anything(cls: Any) -> Any: ...

if MYPY:
    from ._compile_time import constexpr as constexpr  # type: ignore # pyright: ignore
else:
    @_accepts_anything
    class constexpr(base_value):
        """A value known while kernels are compiled; wraps any Python object, never another constexpr.

        As the annotation of a parameter: the argument is a compile-time constant, and each value is a kernel of its own.
        """

        value: Any
        def __init__(self, value: Any) -> None: ...
        @property
        def type(self) -> constexpr_type: ...
        def __call__(self, *args: Any, **kwds: Any) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __index__(self) -> int: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __hash__(self) -> int: ...
        def __not__(self) -> constexpr: ...
        def logical_and(self, other: Any) -> constexpr:
            """`and`, which Python does not let a class define."""
        def logical_or(self, other: Any) -> constexpr:
            """`or`, likewise."""
        def __add__(self, other: Any) -> constexpr: ...
        def __radd__(self, other: Any) -> constexpr: ...
        def __sub__(self, other: Any) -> constexpr: ...
        def __rsub__(self, other: Any) -> constexpr: ...
        def __mul__(self, other: Any) -> constexpr: ...
        def __rmul__(self, other: Any) -> constexpr: ...
        def __truediv__(self, other: Any) -> constexpr: ...
        def __rtruediv__(self, other: Any) -> constexpr: ...
        def __floordiv__(self, other: Any) -> constexpr: ...
        def __rfloordiv__(self, other: Any) -> constexpr: ...
        def __mod__(self, other: Any) -> constexpr: ...
        def __rmod__(self, other: Any) -> constexpr: ...
        def __pow__(self, other: Any) -> constexpr: ...
        def __rpow__(self, other: Any) -> constexpr: ...
        def __lshift__(self, other: Any) -> constexpr: ...
        def __rlshift__(self, other: Any) -> constexpr: ...
        def __rshift__(self, other: Any) -> constexpr: ...
        def __rrshift__(self, other: Any) -> constexpr: ...
        def __and__(self, other: Any) -> constexpr: ...
        def __rand__(self, other: Any) -> constexpr: ...
        def __or__(self, other: Any) -> constexpr: ...
        def __ror__(self, other: Any) -> constexpr: ...
        def __xor__(self, other: Any) -> constexpr: ...
        def __rxor__(self, other: Any) -> constexpr: ...
        def __lt__(self, other: Any) -> constexpr: ...
        def __le__(self, other: Any) -> constexpr: ...
        def __gt__(self, other: Any) -> constexpr: ...
        def __ge__(self, other: Any) -> constexpr: ...
        def __eq__(self, other: Any) -> constexpr: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> constexpr: ...  # type: ignore[override]
        def __neg__(self) -> constexpr: ...
        def __pos__(self) -> constexpr: ...
        def __invert__(self) -> constexpr: ...

class PropagateNan(enum.IntEnum):
    """Which operand wins in minimum, maximum and clamp if one is NaN: the number, or NaN."""

    NONE = 0
    ALL = 65535

class slice:
    """`start:stop:step` in a subscript."""

    start: Any
    stop: Any
    step: Any
    type: slice_type
    def __init__(self, start: Any, stop: Any, step: Any) -> None: ...

class tuple(base_value):
    """Values side by side; with `type.fields`, also by name."""

    values: List[Any]
    type: tuple_type
    def __init__(self, args: Sequence[Any], type: Optional[tuple_type] = None) -> None: ...
    def __getitem__(self, idx: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __add__(self, other: Any) -> tuple: ...
    def __radd__(self, other: Any) -> tuple: ...
    def __mul__(self, other: Any) -> tuple: ...
    def __rmul__(self, other: Any) -> tuple: ...
    def __eq__(self, other: Any) -> constexpr: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> constexpr: ...  # type: ignore[override]
    def __hash__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...

# Names that class bodies below use for attributes of their own.
_dtype = dtype
_block_type = block_type

# What functions take

Value = Union[tensor, int, float]
DType = dtype
Shape = Union[tuple, Sequence[int]]
Axes = Union[tuple, Sequence[int]]
Numbers = Union[tuple, Sequence[Value]]
Extents = Union[int, Shape]
Subscript = Union[None, builtins.slice, Tuple[Union[None, builtins.slice], ...]]

class tensor(base_value):
    """A block of elements of one type, or a scalar that is known at run time."""

    handle: Any
    type: _dtype
    dtype: _dtype
    """The type of one element; of pointers, a pointer type."""
    shape: Tuple[int, ...]
    numel: int
    def __init__(self, handle: Any, type: _dtype) -> None: ...
    @property
    def T(self) -> tensor:
        """A matrix with its axes swapped."""
    def __getitem__(self, slices: Subscript) -> tensor:
        """x[:, None]: each None is a new axis of size 1, each `:` keeps one."""
    # A run-time bound of Python's range(), which kernels read as tl.range().
    def __index__(self) -> int: ...
    def __add__(self, other: Value) -> tensor: ...
    def __radd__(self, other: Value) -> tensor: ...
    def __sub__(self, other: Value) -> tensor: ...
    def __rsub__(self, other: Value) -> tensor: ...
    def __mul__(self, other: Value) -> tensor: ...
    def __rmul__(self, other: Value) -> tensor: ...
    def __truediv__(self, other: Value) -> tensor: ...
    def __rtruediv__(self, other: Value) -> tensor: ...
    def __floordiv__(self, other: Value) -> tensor: ...
    def __rfloordiv__(self, other: Value) -> tensor: ...
    def __mod__(self, other: Value) -> tensor: ...
    def __rmod__(self, other: Value) -> tensor: ...
    def __lshift__(self, other: Value) -> tensor: ...
    def __rlshift__(self, other: Value) -> tensor: ...
    def __rshift__(self, other: Value) -> tensor: ...
    def __rrshift__(self, other: Value) -> tensor: ...
    def __and__(self, other: Value) -> tensor: ...
    def __rand__(self, other: Value) -> tensor: ...
    def __or__(self, other: Value) -> tensor: ...
    def __ror__(self, other: Value) -> tensor: ...
    def __xor__(self, other: Value) -> tensor: ...
    def __rxor__(self, other: Value) -> tensor: ...
    def __lt__(self, other: Value) -> tensor: ...
    def __le__(self, other: Value) -> tensor: ...
    def __gt__(self, other: Value) -> tensor: ...
    def __ge__(self, other: Value) -> tensor: ...
    def __eq__(self, other: Value) -> tensor: ...  # type: ignore[override]
    def __ne__(self, other: Value) -> tensor: ...  # type: ignore[override]
    def __neg__(self) -> tensor: ...
    def __invert__(self) -> tensor: ...
    def __not__(self) -> tensor: ...
    def to(self, dtype: DType, fp_downcast_rounding: Optional[str] = None, bitcast: bool = False) -> tensor:
        """The value in another type.

        `fp_downcast_rounding` ("rtne" or "rtz") is for narrower floats; `bitcast` keeps the bits and needs equal
        widths.
        """
    def cast(self, dtype: DType, fp_downcast_rounding: Optional[str] = None, bitcast: bool = False) -> tensor:
        """The value in another type.

        `fp_downcast_rounding` ("rtne" or "rtz") is for narrower floats; `bitcast` keeps the bits and needs equal
        widths.
        """
    def broadcast_to(self, *shape: Extents) -> tensor:
        """The value in a larger shape: axes of size 1 grow. The shape is a tuple or several arguments."""
    def expand_dims(self, axis: Union[int, Sequence[int]]) -> tensor:
        """New axes of size 1, at these positions of the result."""
    def reshape(self, *shape: Extents, can_reorder: bool = False) -> tensor:
        """The elements in row-major order in another shape of as many; `can_reorder` lets the order be arbitrary."""
    def view(self, *shape: Extents) -> tensor:
        """reshape(..., can_reorder=True); prefer reshape."""
    def permute(self, *dims: Extents) -> tensor:
        """The axes in another order: permute(x, 1, 0) transposes."""
    def trans(self, *dims: Extents) -> tensor:
        """permute; without dims the last two axes are swapped."""
    def split(self) -> Tuple[tensor, tensor]:
        """The two halves along the last axis, whose size is 2."""
    def item(self) -> tensor:
        """The scalar in a block of one element."""
    def reduce(self, axis: Optional[int], combine_fn: Callable[..., Any], keep_dims: bool = False) -> tensor:
        """Combines the elements along an axis (None: all) with an associative jit function of scalars.

        A tuple of tensors is reduced together: combine_fn(a0, a1, ..., b0, b1, ...) returns as many values.
        """
    def associative_scan(self, axis: int, combine_fn: Callable[..., Any], reverse: bool = False) -> tensor:
        """The running combination along an axis, each element included, with an associative jit function of scalars."""
    def histogram(self, num_bins: int, mask: Optional[Value] = None) -> tensor:
        """How often each of 0 ... num_bins - 1 occurs, int32; mask out values outside."""
    def gather(self, index: tensor, axis: int) -> tensor:
        """The elements of src that `index` picks along an axis; the other axes agree."""
    def store(self, value: Value, mask: Optional[Value] = None, boundary_check: Axes = (), cache_modifier: str = "",
              eviction_policy: str = "") -> None:
        """Writes memory through a pointer, a block of pointers or a block pointer; nothing where `mask` is false.

        The value is converted to what the pointer points to. cache_modifier: "", ".wb", ".cg", ".cs", ".wt".
        """
    def advance(self, offsets: Numbers) -> tensor:
        """The block pointer moved by int32 offsets; the old one stays where it was."""
    def atomic_add(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Adds to memory as one step; returns what was there.

        sem: "acquire", "release", "acq_rel" (default) or "relaxed"; scope: "gpu" (default), "cta" or "sys".
        """
    def atomic_max(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Puts the larger of memory and `val` there as one step; returns what was there."""
    def atomic_min(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Puts the smaller of memory and `val` there as one step; returns what was there."""
    def atomic_and(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Bitwise and with memory as one step; returns what was there. 32- and 64-bit integers."""
    def atomic_or(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                  scope: Optional[str] = None) -> tensor:
        """Bitwise or with memory as one step; returns what was there. 32- and 64-bit integers."""
    def atomic_xor(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Bitwise exclusive or with memory as one step; returns what was there. 32- and 64-bit integers."""
    def atomic_xchg(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                    scope: Optional[str] = None) -> tensor:
        """Writes memory as one step; returns what was there."""
    def atomic_cas(self, cmp: Value, val: Value, sem: Optional[str] = None, scope: Optional[str] = None) -> tensor:
        """Writes `val` where memory equals `cmp`, as one step; returns what was there. Types and shapes must match exactly."""
    def exp(self) -> tensor:
        """e to the power of x; float32 and float64."""
    def exp2(self) -> tensor:
        """2 to the power of x; float32 and float64."""
    def log(self) -> tensor:
        """The natural logarithm; float32 and float64."""
    def log2(self) -> tensor:
        """The logarithm to base 2; float32 and float64."""
    def cos(self) -> tensor:
        """The cosine of radians; float32 and float64."""
    def sin(self) -> tensor:
        """The sine of radians; float32 and float64."""
    def sqrt(self) -> tensor:
        """The square root, approximately in float32; sqrt_rn is exact."""
    def sqrt_rn(self) -> tensor:
        """The square root, correctly rounded; float32."""
    def rsqrt(self) -> tensor:
        """1 / sqrt(x), approximately in float32."""
    def abs(self) -> tensor:
        """The absolute value."""
    def erf(self) -> tensor:
        """The error function; float32 and float64."""
    def floor(self) -> tensor:
        """Rounded down; stays a float."""
    def ceil(self) -> tensor:
        """Rounded up; stays a float."""
    def cdiv(self, div: Value) -> tensor:
        """x / div rounded up, of non-negative integers, at run time; triton.cdiv is the compile-time one."""
    def sigmoid(self) -> tensor:
        """1 / (1 + exp(-x))"""
    def softmax(self, dim: Optional[int] = None, keep_dims: bool = False, ieee_rounding: bool = False) -> tensor:
        """exp(x) over its sum along an axis, by default the first. Along the last axis of a matrix, pass keep_dims=True."""
    def ravel(self, can_reorder: bool = False) -> tensor:
        """All elements along one axis."""
    def squeeze(self, dim: int) -> tensor:
        """Without an axis of size 1."""
    def unsqueeze(self, dim: int) -> tensor:
        """With a new axis of size 1."""
    @overload
    def max(self, axis: Optional[int] = None, return_indices: Literal[False] = False,
            return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
        """The largest element along an axis (None: of all); NaN is passed over.

        With return_indices also where it is, the leftmost unless return_indices_tie_break_left is false; give an axis
        then.
        """
    @overload
    def max(self, axis: int, return_indices: Literal[True], return_indices_tie_break_left: bool = True,
            keep_dims: bool = False) -> Tuple[tensor, tensor]: ...
    @overload
    def max(self, axis: Optional[int] = None, return_indices: bool = False, return_indices_tie_break_left: bool = True,
            keep_dims: bool = False) -> Any: ...
    @overload
    def min(self, axis: Optional[int] = None, return_indices: Literal[False] = False,
            return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
        """The smallest element along an axis (None: of all); NaN is passed over.

        With return_indices also where it is, the leftmost unless return_indices_tie_break_left is false; give an axis
        then.
        """
    @overload
    def min(self, axis: int, return_indices: Literal[True], return_indices_tie_break_left: bool = True,
            keep_dims: bool = False) -> Tuple[tensor, tensor]: ...
    @overload
    def min(self, axis: Optional[int] = None, return_indices: bool = False, return_indices_tie_break_left: bool = True,
            keep_dims: bool = False) -> Any: ...
    def argmax(self, axis: int, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
        """The index of the largest element along an axis, int32."""
    def argmin(self, axis: int, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
        """The index of the smallest element along an axis, int32."""
    def sum(self, axis: Optional[int] = None, keep_dims: bool = False, dtype: Optional[DType] = None) -> tensor:
        """The sum along an axis (None: of all). Narrow integers are added in int32, or in `dtype`."""
    def xor_sum(self, axis: Optional[int] = None, keep_dims: bool = False) -> tensor:
        """The exclusive or along an axis (None: of all); integers."""
    def reduce_or(self, axis: Optional[int], keep_dims: bool = False) -> tensor:
        """The bitwise or along an axis (None: of all); integers."""
    def cumsum(self, axis: int = 0, reverse: bool = False, dtype: Optional[DType] = None) -> tensor:
        """Running sums along an axis, by default the first."""
    def cumprod(self, axis: int = 0, reverse: bool = False) -> tensor:
        """Running products along an axis, by default the first."""
    def sort(self, dim: Optional[int] = None, descending: bool = False) -> tensor:
        """The elements in order along the last axis, the only one that `dim` may name."""
    def flip(self, dim: Optional[int] = None) -> tensor:
        """The elements in reverse along an axis, by default the last."""
    def logical_and(self, other: Value) -> tensor:
        """`and` of bools, element by element; both are computed."""
    def logical_or(self, other: Value) -> tensor:
        """`or` of bools, element by element; both are computed."""

class tensor_descriptor_base(base_value):
    """A tensor in memory from which blocks are loaded by their offsets; those outside are padded, or dropped."""

    handle: Any
    def __init__(self, handle: Any, block_type: _block_type) -> None: ...
    @property
    def block_type(self) -> _block_type: ...
    @property
    def block_shape(self) -> Tuple[int, ...]: ...
    @property
    def dtype(self) -> _dtype: ...
    def load(self, offsets: Numbers) -> tensor:
        """The block at these offsets, in elements, one for each axis."""
    def store(self, offsets: Numbers, value: tensor) -> None:
        """Writes a block; its shape is the descriptor's."""
    def gather(self, x_offsets: tensor, y_offset: Value) -> tensor:
        """The rows x_offsets of a matrix, from column y_offset on; block_shape is (1, width)."""
    def scatter(self, value: tensor, x_offsets: tensor, y_offset: Value) -> None:
        """Writes rows; the inverse of gather."""
    def atomic_add(self, offsets: Numbers, value: tensor) -> None:
        """Adds a block to memory, each element as one step."""
    def atomic_min(self, offsets: Numbers, value: tensor) -> None:
        """Puts the smaller elements into memory, each element as one step."""
    def atomic_max(self, offsets: Numbers, value: tensor) -> None:
        """Puts the larger elements into memory, each element as one step."""
    def atomic_and(self, offsets: Numbers, value: tensor) -> None:
        """Bitwise and of a block with memory, each element as one step."""
    def atomic_or(self, offsets: Numbers, value: tensor) -> None:
        """Bitwise or of a block with memory, each element as one step."""
    def atomic_xor(self, offsets: Numbers, value: tensor) -> None:
        """Bitwise exclusive or of a block with memory, each element as one step."""

class tensor_descriptor(tensor_descriptor_base):
    """What make_tensor_descriptor makes, and what a kernel gets for a descriptor that the host made."""

    shape: Any
    strides: Any
    def __init__(self, handle: Any, shape: Sequence[tensor], strides: Sequence[tensor], block_type: _block_type) -> None: ...

class range(base_value):
    """A run-time loop: for i in tl.range(0, n, BLOCK, num_stages=3).

    num_stages: how many iterations' loads are under way at once; loop_unroll_factor: copies of the body;
    disallow_acc_multi_buffer: one accumulator; flatten: merge with the loop inside; warp_specialize: loads and
    arithmetic in different warps; disable_licm: keep code inside that does not change.
    """

    start: Any
    end: Any
    step: Any
    num_stages: Any
    loop_unroll_factor: Any
    disallow_acc_multi_buffer: Any
    flatten: Any
    warp_specialize: Any
    disable_licm: Any
    def __init__(self, arg1: Value, arg2: Optional[Value] = None, step: Optional[Value] = None,
                 num_stages: Optional[int] = None, loop_unroll_factor: Optional[int] = None,
                 disallow_acc_multi_buffer: bool = False, flatten: bool = False, warp_specialize: bool = False,
                 disable_licm: bool = False) -> None: ...
    def __iter__(self) -> Iterator[tensor]: ...
    def __next__(self) -> tensor: ...

class static_range(base_value):
    """A loop that is unrolled while compiling; its index is a compile-time int."""

    start: Any
    end: Any
    step: Any
    def __init__(self, arg1: int, arg2: Optional[int] = None,
                 step: Optional[int] = None) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __next__(self) -> int: ...

class condition(base_value):
    """The condition of a `while` loop, with a hint: while tl.condition(n > 0, disable_licm=True)."""

    condition: Any
    disable_licm: Any
    def __init__(self, arg1: Value, disable_licm: bool = False) -> None: ...

# Types

class base_type:
    """What every type of the language derives from."""

    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def mangle(self) -> str:
        """The type as part of a symbol's name."""

class dtype(base_type):
    """The type of a scalar, or of a tensor's elements: tl.float32, tl.int8, ..."""

    SINT_TYPES: List[str]
    UINT_TYPES: List[str]
    FP_TYPES: List[str]
    STANDARD_FP_TYPES: List[str]
    OTHER_TYPES: List[str]
    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    name: str
    """"fp32", "int8", ...; str() gives it too."""
    primitive_bitwidth: int
    itemsize: int
    int_signedness: SIGNEDNESS
    int_bitwidth: int
    fp_mantissa_width: int
    exponent_bias: int
    # Of pointers and blocks; here because x.dtype may be a pointer type.
    element_ty: dtype
    def __init__(self, name: str) -> None: ...
    def codegen_name(self) -> str:
        """The name that generated Python code writes after `tl.`: "float32" for "fp32"."""
    @property
    def cache_key_part(self) -> str: ...
    @property
    def scalar(self) -> dtype:
        """The type of one element."""
    def with_element_ty(self, element_ty: dtype) -> dtype:
        """The type of this shape with other elements."""
    def is_fp8(self) -> bool: ...
    def is_fp8e4nv(self) -> bool: ...
    def is_fp8e4b8(self) -> bool: ...
    def is_fp8e4b15(self) -> bool: ...
    def is_fp8e5(self) -> bool: ...
    def is_fp8e5b16(self) -> bool: ...
    def is_fp16(self) -> bool: ...
    def is_bf16(self) -> bool: ...
    def is_fp32(self) -> bool: ...
    def is_fp64(self) -> bool: ...
    def is_int1(self) -> bool: ...
    def is_int8(self) -> bool: ...
    def is_int16(self) -> bool: ...
    def is_int32(self) -> bool: ...
    def is_int64(self) -> bool: ...
    def is_uint8(self) -> bool: ...
    def is_uint16(self) -> bool: ...
    def is_uint32(self) -> bool: ...
    def is_uint64(self) -> bool: ...
    def is_floating(self) -> bool: ...
    def is_standard_floating(self) -> bool: ...
    def is_int_signed(self) -> bool: ...
    def is_int_unsigned(self) -> bool: ...
    def is_int(self) -> bool: ...
    def is_bool(self) -> bool: ...
    def is_void(self) -> bool: ...
    def is_block(self) -> bool: ...
    def is_ptr(self) -> bool: ...
    def is_const(self) -> bool: ...
    @staticmethod
    def is_dtype(type_str: str) -> bool:
        """Whether there is a scalar type of that name, such as "fp32"."""
    def kind(self) -> KIND: ...
    def get_int_max_value(self) -> int:
        """The largest value of an integer type."""
    def get_int_min_value(self) -> int:
        """The smallest value of an integer type."""

class pointer_type(dtype):
    """A pointer to elements of a type; through one to const nothing is stored."""

    address_space: int
    const: bool
    def __init__(self, element_ty: DType, address_space: int = 1, const: bool = False) -> None: ...

class block_type(dtype):
    """The type of a tensor: elements of one type in a shape of powers of two."""

    shape: Tuple[int, ...]
    numel: int
    def __init__(self, element_ty: DType, shape: Shape) -> None: ...
    def get_block_shapes(self) -> Tuple[int, ...]: ...
    def with_element_ty(self, element_ty: dtype) -> block_type: ...
    @property
    def nbytes(self) -> int:
        """The size of such a block in memory."""

class tuple_type(base_type):
    """The type of a tuple; `fields` are the names of a named tuple's elements."""

    types: Sequence[Any]
    fields: Sequence[str]
    def __init__(self, types: Sequence[Any], fields: Optional[Sequence[str]] = None) -> None: ...
    @property
    def name(self) -> str: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> Any: ...

class constexpr_type(base_type):
    """The type of a compile-time value: the value itself."""

    value: Any
    def __init__(self, value: Any) -> None: ...

class slice_type(dtype):
    """The type of `a:b:c` in a subscript."""

    def __init__(self) -> None: ...

class tensor_descriptor_base_type(base_type):
    """The type of a tensor descriptor, by the blocks that it loads and stores."""

    block_type: _block_type
    def __init__(self, block_type: _block_type) -> None: ...

class tensor_descriptor_type(tensor_descriptor_base_type):
    """The same with the types of the tensor's extents and strides."""

    shape_type: tuple_type
    strides_type: tuple_type
    def __init__(self, block_type: _block_type, shape_type: tuple_type, strides_type: tuple_type) -> None: ...

void: dtype
pi32_t: pointer_type

# Kernels annotate parameters with them, too (`n: tl.int64`), and pass numbers and tensors there: as constexpr above.
if MYPY:
    from ._compile_time import (  # type: ignore # pyright: ignore
        int1 as int1,
        int8 as int8,
        int16 as int16,
        int32 as int32,
        int64 as int64,
        uint8 as uint8,
        uint16 as uint16,
        uint32 as uint32,
        uint64 as uint64,
        float8e5 as float8e5,
        float8e5b16 as float8e5b16,
        float8e4nv as float8e4nv,
        float8e4b8 as float8e4b8,
        float8e4b15 as float8e4b15,
        float16 as float16,
        bfloat16 as bfloat16,
        float32 as float32,
        float64 as float64,
    )
else:
    @_accepts_anything
    class int1(dtype):
        """A bool: the type of comparisons and masks."""

    @_accepts_anything
    class int8(dtype):
        """An integer of 8 bits."""

    @_accepts_anything
    class int16(dtype):
        """An integer of 16 bits."""

    @_accepts_anything
    class int32(dtype):
        """An integer of 32 bits."""

    @_accepts_anything
    class int64(dtype):
        """An integer of 64 bits."""

    @_accepts_anything
    class uint8(dtype):
        """An unsigned integer of 8 bits."""

    @_accepts_anything
    class uint16(dtype):
        """An unsigned integer of 16 bits."""

    @_accepts_anything
    class uint32(dtype):
        """An unsigned integer of 32 bits."""

    @_accepts_anything
    class uint64(dtype):
        """An unsigned integer of 64 bits."""

    @_accepts_anything
    class float8e5(dtype):
        """8 bits, 5 of exponent and 2 of mantissa."""

    @_accepts_anything
    class float8e5b16(dtype):
        """8 bits, 5 of exponent with a bias of 16 and 2 of mantissa; of AMD's GPUs."""

    @_accepts_anything
    class float8e4nv(dtype):
        """8 bits, 4 of exponent and 3 of mantissa, without infinities."""

    @_accepts_anything
    class float8e4b8(dtype):
        """8 bits, 4 of exponent with a bias of 8 and 3 of mantissa; of AMD's GPUs."""

    @_accepts_anything
    class float8e4b15(dtype):
        """8 bits, 4 of exponent with a bias of 15 and 3 of mantissa, without infinities and NaNs."""

    @_accepts_anything
    class float16(dtype):
        """Half precision: 5 bits of exponent, 10 of mantissa."""

    @_accepts_anything
    class bfloat16(dtype):
        """The upper half of a float32: 8 bits of exponent, 7 of mantissa."""

    @_accepts_anything
    class float32(dtype):
        """Single precision: 8 bits of exponent, 23 of mantissa."""

    @_accepts_anything
    class float64(dtype):
        """Double precision: 11 bits of exponent, 52 of mantissa."""

def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type of so many bits."""

# For users' own functions

def builtin(fn: _F) -> _F:
    """Marks a function as one that the compiler runs: kernels call it, and it hands `_semantic` on to others."""

def extern(fn: _F) -> _F:
    """`builtin`, for functions that call extern_elementwise."""

def is_builtin(fn: Any) -> bool:
    """Whether the compiler knows the function itself, or runs it (`builtin`)."""

def _aggregate(cls: _C) -> _C:
    """Makes a class with annotated fields a value of kernels."""

def _unwrap_if_constexpr(value: Any) -> Any:
    """The value inside a constexpr; lists and tuples element by element; anything else as it is."""

# Functions

def program_id(axis: int) -> tensor:
    """The index of this program along a grid axis (0, 1 or 2), an int32 scalar."""

def num_programs(axis: int) -> tensor:
    """The extent of the grid along an axis (0, 1 or 2), an int32 scalar."""

def arange(start: int, end: int) -> tensor:
    """The int32 block start, start + 1, ..., end - 1. Both are compile-time; end - start is a power of two."""

def full(shape: Shape, value: Value, dtype: DType) -> tensor:
    """A block with `value` everywhere; with the shape () a scalar."""

def cast(input: Value, dtype: DType, fp_downcast_rounding: Optional[str] = None, bitcast: bool = False) -> tensor:
    """The value in another type.

    `fp_downcast_rounding` ("rtne" or "rtz") is for narrower floats; `bitcast` keeps the bits and needs equal
    widths.
    """

def to_tensor(x: Value) -> tensor:
    """A number as a run-time scalar; ints become int32 where they fit, floats float32."""

def broadcast(input: Value, other: Value) -> Tuple[tensor, tensor]:
    """Both in their common shape."""

def broadcast_to(input: Value, *shape: Extents) -> tensor:
    """The value in a larger shape: axes of size 1 grow. The shape is a tuple or several arguments."""

def expand_dims(input: tensor, axis: Union[int, Sequence[int]]) -> tensor:
    """New axes of size 1, at these positions of the result."""

def reshape(input: tensor, *shape: Extents, can_reorder: bool = False) -> tensor:
    """The elements in row-major order in another shape of as many; `can_reorder` lets the order be arbitrary."""

def view(input: tensor, *shape: Extents) -> tensor:
    """reshape(..., can_reorder=True); prefer reshape."""

def permute(input: tensor, *dims: Extents) -> tensor:
    """The axes in another order: permute(x, 1, 0) transposes."""

def trans(input: tensor, *dims: Extents) -> tensor:
    """permute; without dims the last two axes are swapped."""

def join(a: Value, b: Value) -> tensor:
    """Both along a new last axis of size 2."""

def split(a: tensor) -> Tuple[tensor, tensor]:
    """The two halves along the last axis, whose size is 2."""

def cat(input: tensor, other: tensor, can_reorder: bool = False) -> tensor:
    """Two blocks of one axis as one; needs can_reorder=True: the order of the elements is not kept."""

def item(input: tensor) -> tensor:
    """The scalar in a block of one element."""

def add(x: Value, y: Value, sanitize_overflow: bool = True) -> tensor:
    """x + y, with a say in the debug mode's overflow check."""

def sub(x: Value, y: Value, sanitize_overflow: bool = True) -> tensor:
    """x - y, with a say in the debug mode's overflow check."""

def mul(x: Value, y: Value, sanitize_overflow: bool = True) -> tensor:
    """x * y, with a say in the debug mode's overflow check."""

def minimum(x: Value, y: Value, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The smaller of the two, element by element; of a number and NaN the number, unless PropagateNan.ALL."""

def maximum(x: Value, y: Value, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The larger of the two, element by element; of a number and NaN the number, unless PropagateNan.ALL."""

def clamp(x: Value, min: Value, max: Value, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """x, but at least `min` and at most `max`; floats only."""

def where(condition: Value, x: Value, y: Value) -> tensor:
    """x where the condition holds, else y. Both are computed everywhere: guard loads with their own mask."""

@overload
def reduce(input: tensor, axis: Optional[int], combine_fn: Callable[..., Any], keep_dims: bool = False) -> tensor:
    """Combines the elements along an axis (None: all) with an associative jit function of scalars.

    A tuple of tensors is reduced together: combine_fn(a0, a1, ..., b0, b1, ...) returns as many values.
    """
@overload
def reduce(input: Sequence[tensor], axis: Optional[int], combine_fn: Callable[..., Any],
           keep_dims: bool = False) -> Tuple[tensor, ...]: ...
@overload
def reduce(input: Union[tensor, Sequence[tensor]], axis: Optional[int], combine_fn: Callable[..., Any],
           keep_dims: bool = False) -> Any: ...

@overload
def associative_scan(input: tensor, axis: int, combine_fn: Callable[..., Any], reverse: bool = False) -> tensor:
    """The running combination along an axis, each element included, with an associative jit function of scalars."""
@overload
def associative_scan(input: Sequence[tensor], axis: int, combine_fn: Callable[..., Any],
                     reverse: bool = False) -> Tuple[tensor, ...]: ...
@overload
def associative_scan(input: Union[tensor, Sequence[tensor]], axis: int, combine_fn: Callable[..., Any],
                     reverse: bool = False) -> Any: ...

def histogram(input: tensor, num_bins: int, mask: Optional[Value] = None) -> tensor:
    """How often each of 0 ... num_bins - 1 occurs, int32; mask out values outside."""

def gather(src: tensor, index: tensor, axis: int) -> tensor:
    """The elements of src that `index` picks along an axis; the other axes agree."""

def map_elementwise(scalar_fn: Callable[..., Any], *args: tensor, pack: int = 1) -> Any:
    """A jit function of scalars for every element, with control flow of its own; `pack` elements at a time."""

def load(pointer: Value, mask: Optional[Value] = None, other: Optional[Value] = None, boundary_check: Axes = (),
         padding_option: str = "", cache_modifier: str = "", eviction_policy: str = "",
         volatile: bool = False) -> tensor:
    """Reads memory through a pointer, a block of pointers or a block pointer.

    Where `mask` is false nothing is read and the result is `other`, or undefined without it.
    `boundary_check` (axes) and `padding_option` ("zero", "nan") are for block pointers, which take no mask.
    cache_modifier: "", ".ca", ".cg", ".cv"; eviction_policy: "", "evict_first", "evict_last".
    """

def store(pointer: Value, value: Value, mask: Optional[Value] = None, boundary_check: Axes = (),
          cache_modifier: str = "", eviction_policy: str = "") -> None:
    """Writes memory through a pointer, a block of pointers or a block pointer; nothing where `mask` is false.

    The value is converted to what the pointer points to. cache_modifier: "", ".wb", ".cg", ".cs", ".wt".
    """

def make_block_ptr(base: tensor, shape: Numbers, strides: Numbers, offsets: Numbers, block_shape: Shape,
                   order: Axes) -> tensor:
    """A pointer to a block within a larger tensor, for load, store and advance.

    `order` lists the axes from the one whose elements lie closest, as (1, 0) for rows; it is a hint.
    """

def advance(base: tensor, offsets: Numbers) -> tensor:
    """The block pointer moved by int32 offsets; the old one stays where it was."""

def make_tensor_descriptor(base: tensor, shape: Numbers, strides: Numbers, block_shape: Shape,
                           padding_option: str = "zero") -> tensor_descriptor:
    """A descriptor of a tensor in memory, from which blocks are loaded by their offsets.

    The last stride is the constant 1, base and the other strides are multiples of 16 bytes. Out of bounds, loads
    give
    zeros, or NaN with padding_option="nan". On NVIDIA it needs scratch memory: triton.set_allocator.
    """

def load_tensor_descriptor(desc: tensor_descriptor_base, offsets: Numbers) -> tensor:
    """desc.load(offsets)"""

def store_tensor_descriptor(desc: tensor_descriptor_base, offsets: Numbers, value: tensor) -> None:
    """desc.store(offsets, value)"""

def atomic_add(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Adds to memory as one step; returns what was there.

    sem: "acquire", "release", "acq_rel" (default) or "relaxed"; scope: "gpu" (default), "cta" or "sys".
    """

def atomic_max(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Puts the larger of memory and `val` there as one step; returns what was there."""

def atomic_min(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Puts the smaller of memory and `val` there as one step; returns what was there."""

def atomic_and(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Bitwise and with memory as one step; returns what was there. 32- and 64-bit integers."""

def atomic_or(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
              scope: Optional[str] = None) -> tensor:
    """Bitwise or with memory as one step; returns what was there. 32- and 64-bit integers."""

def atomic_xor(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Bitwise exclusive or with memory as one step; returns what was there. 32- and 64-bit integers."""

def atomic_xchg(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                scope: Optional[str] = None) -> tensor:
    """Writes memory as one step; returns what was there."""

def atomic_cas(pointer: Value, cmp: Value, val: Value, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Writes `val` where memory equals `cmp`, as one step; returns what was there. Types and shapes must match exactly."""

def dot(input: tensor, other: tensor, acc: Optional[tensor] = None, input_precision: Optional[str] = None,
        allow_tf32: Optional[bool] = None, max_num_imprecise_acc: Optional[int] = None,
        out_dtype: DType = float32) -> tensor:
    """The matrix product of (..., M, K) and (..., K, N), added to `acc`.

    input_precision: "tf32" (default), "tf32x3", "ieee", "bf16x3", "bf16x6", for float32 operands. acc has the type
    `out_dtype`. allow_tf32 is the older form of input_precision.
    """

def dot_scaled(lhs: tensor, lhs_scale: Optional[tensor], lhs_format: str, rhs: tensor, rhs_scale: Optional[tensor],
               rhs_format: str, acc: Optional[tensor] = None, fast_math: bool = False, lhs_k_pack: bool = True,
               rhs_k_pack: bool = True, out_dtype: DType = float32) -> tensor:
    """The matrix product of microscaled operands: each group of 32 elements along K has its own scale.

    Formats: "e2m1" (two values in a uint8), "e4m3", "e5m2", "bf16", "fp16". Scales are e8m0 in uint8, shaped (M, K
    / 32)
    and (N, K / 32).
    """

def inline_asm_elementwise(asm: str, constraints: str, args: Sequence[Value], dtype: Union[DType, Sequence[dtype]],
                           is_pure: bool, pack: int) -> Any:
    """Assembly for every `pack` elements. Results come first in `constraints` and in $0, $1, ...; narrow elements
    share registers.

    `dtype` is the type of the result, or a tuple of types for several. is_pure=False keeps it from being removed
    or moved.
    """

def extern_elementwise(lib_name: str, lib_path: str, args: Sequence[Value], arg_type_symbol_dict: Mapping[Any, Any],
                       is_pure: bool, _semantic: Any = None) -> Any:
    """A function of a library, for every element: {(argument dtypes, ...): (symbol, result dtype)}."""

def multiple_of(input: Value, values: Union[int, Sequence[int]]) -> tensor:
    """Promises that every element is a multiple of this, an int for each axis."""

def max_contiguous(input: Value, values: Union[int, Sequence[int]]) -> tensor:
    """Promises runs of so many consecutive numbers, an int for each axis."""

def max_constancy(input: Value, values: Union[int, Sequence[int]]) -> tensor:
    """Promises runs of so many equal elements, an int for each axis."""

def assume(cond: Value) -> None:
    """Promises that a scalar condition holds."""

def debug_barrier() -> None:
    """Waits until all threads of the program are here."""

def device_print(prefix: str, *args: Value, hex: bool = False) -> None:
    """Prints, for each element, where it is, the prefix and the value."""

def device_assert(cond: Value, msg: str = "", mask: Optional[Value] = None) -> None:
    """Ends the kernel with a message where the condition is false and the mask true; in debug mode only."""

def static_print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """Prints while the kernel is compiled."""

def static_assert(cond: Any, msg: str = "") -> None:
    """Fails to compile, with this message, unless the compile-time condition holds."""
