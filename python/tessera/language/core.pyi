"""Types of tl.core: the values of kernels, and the functions that the compiler itself implements.

A `Value` is a tensor or a number, at run time or at compile time. An argument of type int, bool or str must be known at compile
time: a literal, or a parameter `: tl.constexpr`. The last of several overloads is the most general one. help() prints the
docstrings of this file.
"""

import builtins
import enum
from typing import Any, Callable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypeVar, Union, overload

from ..runtime.jit import JITCallable as JITCallable
from ..runtime.jit import constexpr_function as constexpr_function
from ..runtime.jit import must_use_result as must_use_result

_F = TypeVar("_F", bound=Callable[..., Any])
_C = TypeVar("_C", bound=type)
_V = TypeVar("_V", bound="Value")

TRITON_BUILTIN: str
TRITON_MAX_TENSOR_NUMEL: int
CONSTEXPR_0: constexpr

# Values

class base_value:
    """The base class of all values that kernels compute with."""

    type: Any

class const:
    """Annotates a kernel's parameter: a pointer that the kernel does not write through."""

# Kernels write `BLOCK: tl.constexpr = 64`. Such a parameter takes any compile-time object and has its attributes, which no class
# can express. Pyright, and editors that use it, treat the class below as Any because of its decorator, and still show its
# docstring. mypy treats a name that it cannot import as Any, and assumes that a name MYPY is true.
MYPY: bool

def _accepts_anything(cls: Any) -> Any: ...

if MYPY:
    from ._compile_time import constexpr as constexpr  # type: ignore # pyright: ignore
else:
    @_accepts_anything
    class constexpr(base_value):
        """A value that is known at compile time; wraps any Python object except another constexpr.

        As the annotation of a parameter: the argument is a compile-time constant, and each value has its own variant of the kernel.
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
            """Implements `and` in kernels, which a Python class cannot define."""
        def logical_or(self, other: Any) -> constexpr:
            """Implements `or` in kernels."""
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
    """The result of minimum, maximum and clamp if one operand is NaN: the other operand, or NaN."""

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
    """A tuple of values; with `type.fields`, a named tuple."""

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
    """A block of elements of one type, or a run-time scalar."""

    handle: Any
    type: _dtype
    dtype: _dtype
    """The type of one element; of pointers, a pointer type."""
    shape: Tuple[int, ...]
    numel: int
    def __init__(self, handle: Any, type: _dtype) -> None: ...
    @property
    def T(self) -> tensor:
        """The transposed matrix."""
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
        """Converts the value to another type.

        `fp_downcast_rounding` ("rtne" or "rtz") applies to narrower floats; `bitcast` keeps the bits and needs equal
        widths.
        """
    def cast(self, dtype: DType, fp_downcast_rounding: Optional[str] = None, bitcast: bool = False) -> tensor:
        """Converts the value to another type.

        `fp_downcast_rounding` ("rtne" or "rtz") applies to narrower floats; `bitcast` keeps the bits and needs equal
        widths.
        """
    def broadcast_to(self, *shape: Extents) -> tensor:
        """Broadcasts the value to a larger shape: axes of size 1 are repeated. The shape is a tuple or several arguments."""
    def expand_dims(self, axis: Union[int, Sequence[int]]) -> tensor:
        """Inserts axes of size 1, at these positions of the result."""
    def reshape(self, *shape: Extents, can_reorder: bool = False) -> tensor:
        """Changes the shape and keeps the elements in row-major order; with `can_reorder` their order is arbitrary."""
    def view(self, *shape: Extents) -> tensor:
        """reshape(..., can_reorder=True); prefer reshape."""
    def permute(self, *dims: Extents) -> tensor:
        """Permutes the axes: permute(x, 1, 0) transposes."""
    def trans(self, *dims: Extents) -> tensor:
        """Permutes the axes like permute; without dims it swaps the last two axes."""
    def split(self) -> Tuple[tensor, tensor]:
        """Splits the last axis, whose size is 2, into two tensors."""
    def item(self) -> tensor:
        """The element of a block of one element, as a scalar."""
    def reduce(self, axis: Optional[int], combine_fn: Callable[..., Any], keep_dims: bool = False) -> tensor:
        """Combines the elements along an axis (None: all) with an associative jit function of scalars.

        A tuple of tensors is reduced together: combine_fn(a0, a1, ..., b0, b1, ...) returns as many values.
        """
    def associative_scan(self, axis: int, combine_fn: Callable[..., Any], reverse: bool = False) -> tensor:
        """An inclusive scan along an axis with an associative jit function of scalars."""
    def histogram(self, num_bins: int, mask: Optional[Value] = None) -> tensor:
        """Counts how often each of 0 ... num_bins - 1 occurs, in int32. Values outside of these must be masked."""
    def gather(self, index: tensor, axis: int) -> tensor:
        """Selects elements of src along an axis by their index; the other axes must be equal."""
    def store(self, value: Value, mask: Optional[Value] = None, boundary_check: Axes = (), cache_modifier: str = "",
              eviction_policy: str = "") -> None:
        """Writes memory through a pointer, a block of pointers or a block pointer. Elements whose `mask` is false are not written.

        The value is converted to the type of the memory. cache_modifier: "", ".wb", ".cg", ".cs", ".wt".
        """
    def advance(self, offsets: Numbers) -> tensor:
        """A block pointer moved by int32 offsets; the original is not changed."""
    def atomic_add(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Atomically adds to memory; returns the old value.

        sem: "acquire", "release", "acq_rel" (default) or "relaxed"; scope: "gpu" (default), "cta" or "sys".
        """
    def atomic_max(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Atomically stores the maximum of memory and `val`; returns the old value."""
    def atomic_min(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Atomically stores the minimum of memory and `val`; returns the old value."""
    def atomic_and(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Atomic bitwise and with memory; returns the old value. For 32- and 64-bit integers."""
    def atomic_or(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                  scope: Optional[str] = None) -> tensor:
        """Atomic bitwise or with memory; returns the old value. For 32- and 64-bit integers."""
    def atomic_xor(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                   scope: Optional[str] = None) -> tensor:
        """Atomic bitwise exclusive or with memory; returns the old value. For 32- and 64-bit integers."""
    def atomic_xchg(self, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                    scope: Optional[str] = None) -> tensor:
        """Atomically writes memory; returns the old value."""
    def atomic_cas(self, cmp: Value, val: Value, sem: Optional[str] = None, scope: Optional[str] = None) -> tensor:
        """Atomic compare and swap: writes `val` if memory equals `cmp`; returns the old value. Types and shapes must be equal."""
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
        """Rounds down to an integral float."""
    def ceil(self) -> tensor:
        """Rounds up to an integral float."""
    def cdiv(self, div: Value) -> tensor:
        """x / div rounded up, of non-negative run-time integers; triton.cdiv is for compile time."""
    def sigmoid(self) -> tensor:
        """1 / (1 + exp(-x))"""
    def softmax(self, dim: Optional[int] = None, keep_dims: bool = False, ieee_rounding: bool = False) -> tensor:
        """exp(x) divided by its sum along an axis, by default the first. For the last axis of a matrix, pass keep_dims=True."""
    def ravel(self, can_reorder: bool = False) -> tensor:
        """Flattens the tensor to one axis."""
    def squeeze(self, dim: int) -> tensor:
        """Removes an axis of size 1."""
    def unsqueeze(self, dim: int) -> tensor:
        """Inserts an axis of size 1."""
    @overload
    def max(self, axis: Optional[int] = None, return_indices: Literal[False] = False,
            return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
        """The largest element along an axis (None: of all). NaN is ignored.

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
        """The smallest element along an axis (None: of all). NaN is ignored.

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
        """Sorts along the last axis, which is the only one that `dim` may name."""
    def flip(self, dim: Optional[int] = None) -> tensor:
        """Reverses the elements along an axis, by default the last."""
    def logical_and(self, other: Value) -> tensor:
        """Elementwise `and` of bools; both operands are computed."""
    def logical_or(self, other: Value) -> tensor:
        """Elementwise `or` of bools; both operands are computed."""

class tensor_descriptor_base(base_value):
    """A tensor in memory whose blocks are loaded and stored by their offsets. Loads out of bounds are padded, stores are dropped."""

    handle: Any
    def __init__(self, handle: Any, block_type: _block_type) -> None: ...
    @property
    def block_type(self) -> _block_type: ...
    @property
    def block_shape(self) -> Tuple[int, ...]: ...
    @property
    def dtype(self) -> _dtype: ...
    def load(self, offsets: Numbers) -> tensor:
        """Loads the block at these offsets, in elements, one for each axis."""
    def store(self, offsets: Numbers, value: tensor) -> None:
        """Stores a block of the descriptor's block shape."""
    def gather(self, x_offsets: tensor, y_offset: Value) -> tensor:
        """Loads the rows x_offsets of a matrix, from column y_offset on; block_shape is (1, width)."""
    def scatter(self, value: tensor, x_offsets: tensor, y_offset: Value) -> None:
        """Stores rows; the inverse of gather."""
    def atomic_add(self, offsets: Numbers, value: tensor) -> None:
        """Atomically adds the elements of a block to memory."""
    def atomic_min(self, offsets: Numbers, value: tensor) -> None:
        """Atomically stores the minimum of memory and each element of a block."""
    def atomic_max(self, offsets: Numbers, value: tensor) -> None:
        """Atomically stores the maximum of memory and each element of a block."""
    def atomic_and(self, offsets: Numbers, value: tensor) -> None:
        """Atomic bitwise and of each element of a block with memory."""
    def atomic_or(self, offsets: Numbers, value: tensor) -> None:
        """Atomic bitwise or of each element of a block with memory."""
    def atomic_xor(self, offsets: Numbers, value: tensor) -> None:
        """Atomic bitwise exclusive or of each element of a block with memory."""

class tensor_descriptor(tensor_descriptor_base):
    """The result of make_tensor_descriptor, and a kernel's argument for a descriptor that the host created."""

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
    """A loop that is unrolled at compile time; its index is a compile-time int."""

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
    """The base class of all types of the language."""

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
        """Returns whether there is a scalar type of that name, such as "fp32"."""
    def kind(self) -> KIND: ...
    def get_int_max_value(self) -> int:
        """The largest value of an integer type."""
    def get_int_min_value(self) -> int:
        """The smallest value of an integer type."""

class pointer_type(dtype):
    """A pointer to elements of a type; a const pointer is not written through."""

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
        """The size of a block of this type in memory."""

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
    """The type of a compile-time value; it holds the value itself."""

    value: Any
    def __init__(self, value: Any) -> None: ...

class slice_type(dtype):
    """The type of `a:b:c` in a subscript."""

    def __init__(self) -> None: ...

class tensor_descriptor_base_type(base_type):
    """The type of a tensor descriptor, which holds the type of its blocks."""

    block_type: _block_type
    def __init__(self, block_type: _block_type) -> None: ...

class tensor_descriptor_type(tensor_descriptor_base_type):
    """The same, with the types of the tensor's extents and strides."""

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
    """Returns whether the compiler implements the function, or runs it (`builtin`)."""

def _aggregate(cls: _C) -> _C:
    """Lets kernels create and use objects of a class with annotated fields."""

def _unwrap_if_constexpr(value: Any) -> Any:
    """The value inside a constexpr; lists and tuples are unwrapped element by element; other values are returned unchanged."""

# Functions

def program_id(axis: int) -> tensor:
    """The index of this program along a grid axis (0, 1 or 2), an int32 scalar."""

def num_programs(axis: int) -> tensor:
    """The extent of the grid along an axis (0, 1 or 2), an int32 scalar."""

def arange(start: int, end: int) -> tensor:
    """The int32 block start, start + 1, ..., end - 1. Both bounds are compile-time values; end - start is a power of two."""

def full(shape: Shape, value: Value, dtype: DType) -> tensor:
    """A block filled with `value`; with the shape () a scalar."""

def cast(input: Value, dtype: DType, fp_downcast_rounding: Optional[str] = None, bitcast: bool = False) -> tensor:
    """Converts the value to another type.

    `fp_downcast_rounding` ("rtne" or "rtz") applies to narrower floats; `bitcast` keeps the bits and needs equal
    widths.
    """

def to_tensor(x: Value) -> tensor:
    """Converts a number to a run-time scalar; ints become int32 if they fit, floats float32."""

def broadcast(input: Value, other: Value) -> Tuple[tensor, tensor]:
    """Broadcasts both values to their common shape."""

def broadcast_to(input: Value, *shape: Extents) -> tensor:
    """Broadcasts the value to a larger shape: axes of size 1 are repeated. The shape is a tuple or several arguments."""

def expand_dims(input: tensor, axis: Union[int, Sequence[int]]) -> tensor:
    """Inserts axes of size 1, at these positions of the result."""

def reshape(input: tensor, *shape: Extents, can_reorder: bool = False) -> tensor:
    """Changes the shape and keeps the elements in row-major order; with `can_reorder` their order is arbitrary."""

def view(input: tensor, *shape: Extents) -> tensor:
    """reshape(..., can_reorder=True); prefer reshape."""

def permute(input: tensor, *dims: Extents) -> tensor:
    """Permutes the axes: permute(x, 1, 0) transposes."""

def trans(input: tensor, *dims: Extents) -> tensor:
    """Permutes the axes like permute; without dims it swaps the last two axes."""

def join(a: Value, b: Value) -> tensor:
    """Stacks two tensors along a new last axis of size 2."""

def split(a: tensor) -> Tuple[tensor, tensor]:
    """Splits the last axis, whose size is 2, into two tensors."""

def cat(input: tensor, other: tensor, can_reorder: bool = False) -> tensor:
    """Concatenates two blocks of one axis. Needs can_reorder=True, because the order of the elements is not kept."""

def item(input: tensor) -> tensor:
    """The element of a block of one element, as a scalar."""

def add(x: Value, y: Value, sanitize_overflow: bool = True) -> tensor:
    """x + y; `sanitize_overflow` turns the overflow check of debug mode on or off."""

def sub(x: Value, y: Value, sanitize_overflow: bool = True) -> tensor:
    """x - y; `sanitize_overflow` turns the overflow check of debug mode on or off."""

def mul(x: Value, y: Value, sanitize_overflow: bool = True) -> tensor:
    """x * y; `sanitize_overflow` turns the overflow check of debug mode on or off."""

def minimum(x: Value, y: Value, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The elementwise minimum; of a number and NaN the number, unless PropagateNan.ALL."""

def maximum(x: Value, y: Value, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """The elementwise maximum; of a number and NaN the number, unless PropagateNan.ALL."""

def clamp(x: Value, min: Value, max: Value, propagate_nan: PropagateNan = PropagateNan.NONE) -> tensor:
    """Limits x to the range from `min` to `max`; floats only."""

def where(condition: Value, x: Value, y: Value) -> tensor:
    """Selects x where the condition holds, else y. Both are always computed, so loads need a mask of their own."""

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
    """An inclusive scan along an axis with an associative jit function of scalars."""
@overload
def associative_scan(input: Sequence[tensor], axis: int, combine_fn: Callable[..., Any],
                     reverse: bool = False) -> Tuple[tensor, ...]: ...
@overload
def associative_scan(input: Union[tensor, Sequence[tensor]], axis: int, combine_fn: Callable[..., Any],
                     reverse: bool = False) -> Any: ...

def histogram(input: tensor, num_bins: int, mask: Optional[Value] = None) -> tensor:
    """Counts how often each of 0 ... num_bins - 1 occurs, in int32. Values outside of these must be masked."""

def gather(src: tensor, index: tensor, axis: int) -> tensor:
    """Selects elements of src along an axis by their index; the other axes must be equal."""

def map_elementwise(scalar_fn: Callable[..., Any], *args: tensor, pack: int = 1) -> Any:
    """Calls a jit function of scalars, which may have control flow, for every `pack` elements."""

def load(pointer: Value, mask: Optional[Value] = None, other: Optional[Value] = None, boundary_check: Axes = (),
         padding_option: str = "", cache_modifier: str = "", eviction_policy: str = "",
         volatile: bool = False) -> tensor:
    """Reads memory through a pointer, a block of pointers or a block pointer.

    Where `mask` is false nothing is read, and the result is `other`, or undefined without it.
    `boundary_check` (axes) and `padding_option` ("zero", "nan") apply to block pointers, which take no mask.
    cache_modifier: "", ".ca", ".cg", ".cv"; eviction_policy: "", "evict_first", "evict_last".
    """

def store(pointer: Value, value: Value, mask: Optional[Value] = None, boundary_check: Axes = (),
          cache_modifier: str = "", eviction_policy: str = "") -> None:
    """Writes memory through a pointer, a block of pointers or a block pointer. Elements whose `mask` is false are not written.

    The value is converted to the type of the memory. cache_modifier: "", ".wb", ".cg", ".cs", ".wt".
    """

def make_block_ptr(base: tensor, shape: Numbers, strides: Numbers, offsets: Numbers, block_shape: Shape,
                   order: Axes) -> tensor:
    """A pointer to a block within a larger tensor, for load, store and advance.

    `order` lists the axes by increasing stride, (1, 0) for a row-major matrix; it is a hint.
    """

def advance(base: tensor, offsets: Numbers) -> tensor:
    """A block pointer moved by int32 offsets; the original is not changed."""

def make_tensor_descriptor(base: tensor, shape: Numbers, strides: Numbers, block_shape: Shape,
                           padding_option: str = "zero") -> tensor_descriptor:
    """A descriptor of a tensor in memory, whose blocks are loaded and stored by their offsets.

    The last stride is the constant 1, base and the other strides are multiples of 16 bytes. Loads out of
    bounds give zeros, or NaN with padding_option="nan". On NVIDIA it needs scratch memory: triton.set_allocator.
    """

def load_tensor_descriptor(desc: tensor_descriptor_base, offsets: Numbers) -> tensor:
    """desc.load(offsets)"""

def store_tensor_descriptor(desc: tensor_descriptor_base, offsets: Numbers, value: tensor) -> None:
    """desc.store(offsets, value)"""

def atomic_add(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Atomically adds to memory; returns the old value.

    sem: "acquire", "release", "acq_rel" (default) or "relaxed"; scope: "gpu" (default), "cta" or "sys".
    """

def atomic_max(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Atomically stores the maximum of memory and `val`; returns the old value."""

def atomic_min(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Atomically stores the minimum of memory and `val`; returns the old value."""

def atomic_and(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Atomic bitwise and with memory; returns the old value. For 32- and 64-bit integers."""

def atomic_or(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
              scope: Optional[str] = None) -> tensor:
    """Atomic bitwise or with memory; returns the old value. For 32- and 64-bit integers."""

def atomic_xor(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Atomic bitwise exclusive or with memory; returns the old value. For 32- and 64-bit integers."""

def atomic_xchg(pointer: Value, val: Value, mask: Optional[Value] = None, sem: Optional[str] = None,
                scope: Optional[str] = None) -> tensor:
    """Atomically writes memory; returns the old value."""

def atomic_cas(pointer: Value, cmp: Value, val: Value, sem: Optional[str] = None,
               scope: Optional[str] = None) -> tensor:
    """Atomic compare and swap: writes `val` if memory equals `cmp`; returns the old value. Types and shapes must be equal."""

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

    Formats: "e2m1" (two values in a uint8), "e4m3", "e5m2", "bf16", "fp16". Scales are e8m0 in uint8, of the shapes
    (M, K / 32) and (N, K / 32).
    """

def inline_asm_elementwise(asm: str, constraints: str, args: Sequence[Value], dtype: Union[DType, Sequence[dtype]],
                           is_pure: bool, pack: int) -> Any:
    """Inline assembly for every `pack` elements. Results come first in `constraints` and in $0, $1, ...; narrow elements
    share registers.

    `dtype` is the type of the result, or a tuple of types for several. is_pure=False prevents the compiler
    from removing or moving it.
    """

def extern_elementwise(lib_name: str, lib_path: str, args: Sequence[Value], arg_type_symbol_dict: Mapping[Any, Any],
                       is_pure: bool, _semantic: Any = None) -> Any:
    """Calls a function of a library for every element: {(argument dtypes, ...): (symbol, result dtype)}."""

def multiple_of(input: _V, values: Union[int, Sequence[int]]) -> _V:
    """Promises that every element is a multiple of these values, one for each axis."""

def max_contiguous(input: _V, values: Union[int, Sequence[int]]) -> _V:
    """Promises that elements come in runs of so many consecutive numbers, one value for each axis."""

def max_constancy(input: _V, values: Union[int, Sequence[int]]) -> _V:
    """Promises that elements come in runs of so many equal values, one number for each axis."""

def assume(cond: Value) -> None:
    """Promises that a scalar condition holds."""

def debug_barrier() -> None:
    """A barrier of all threads of the program."""

def device_print(prefix: str, *args: Value, hex: bool = False) -> None:
    """Prints the position, the prefix and the value of each element."""

def device_assert(cond: Value, msg: str = "", mask: Optional[Value] = None) -> None:
    """In debug mode, ends the kernel with a message if the condition is false for an element whose mask is true."""

def static_print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """Prints at compile time."""

def static_assert(cond: Any, msg: str = "") -> None:
    """Makes the compilation fail with this message unless the compile-time condition holds."""
