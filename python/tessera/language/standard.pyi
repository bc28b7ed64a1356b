"""tl.standard: functions of the language that are written as kernels."""

from typing import Any, Literal, Optional, Tuple, overload

from ..runtime.jit import constexpr_function as constexpr_function
from ..runtime.jit import jit as jit
from . import core as core
from . import math as math
from .core import DType, Shape, Value, tensor

def cdiv(x: Value, div: Value) -> tensor:
    """x / div rounded up, of non-negative run-time integers; triton.cdiv is for compile time."""

def sigmoid(x: Value) -> tensor:
    """1 / (1 + exp(-x))"""

def softmax(x: tensor, dim: Optional[int] = None, keep_dims: bool = False, ieee_rounding: bool = False) -> tensor:
    """exp(x) divided by its sum along an axis, by default the first. For the last axis of a matrix, pass keep_dims=True."""

def ravel(x: tensor, can_reorder: bool = False) -> tensor:
    """Flattens the tensor to one axis."""

def swizzle2d(i: Value, j: Value, size_i: Value, size_j: Value, size_g: Value) -> Tuple[tensor, tensor]:
    """Reorders the indices of a size_i x size_j grid into bands of size_g rows, so that neighbouring programs share data."""

def zeros(shape: Shape, dtype: DType) -> tensor:
    """A block of zeros."""

def zeros_like(input: tensor) -> tensor:
    """A tensor of zeros with the shape and type of another one."""

def interleave(a: Value, b: Value) -> tensor:
    """Interleaves a and b along the last axis: a0 b0 a1 b1 ..."""

def squeeze(x: tensor, dim: int) -> tensor:
    """Removes an axis of size 1."""

def unsqueeze(x: tensor, dim: int) -> tensor:
    """Inserts an axis of size 1."""

@overload
def max(input: tensor, axis: Optional[int] = None, return_indices: Literal[False] = False,
        return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The largest element along an axis (None: of all). NaN is ignored.

    With return_indices also where it is, the leftmost unless return_indices_tie_break_left is false; give an axis
    then.
    """
@overload
def max(input: tensor, axis: int, return_indices: Literal[True], return_indices_tie_break_left: bool = True,
        keep_dims: bool = False) -> Tuple[tensor, tensor]: ...
@overload
def max(input: tensor, axis: Optional[int] = None, return_indices: bool = False,
        return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> Any: ...

@overload
def min(input: tensor, axis: Optional[int] = None, return_indices: Literal[False] = False,
        return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The smallest element along an axis (None: of all). NaN is ignored.

    With return_indices also where it is, the leftmost unless return_indices_tie_break_left is false; give an axis
    then.
    """
@overload
def min(input: tensor, axis: int, return_indices: Literal[True], return_indices_tie_break_left: bool = True,
        keep_dims: bool = False) -> Tuple[tensor, tensor]: ...
@overload
def min(input: tensor, axis: Optional[int] = None, return_indices: bool = False,
        return_indices_tie_break_left: bool = True, keep_dims: bool = False) -> Any: ...

def argmax(input: tensor, axis: int, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The index of the largest element along an axis, int32."""

def argmin(input: tensor, axis: int, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The index of the smallest element along an axis, int32."""

def sum(input: tensor, axis: Optional[int] = None, keep_dims: bool = False, dtype: Optional[DType] = None) -> tensor:
    """The sum along an axis (None: of all). Narrow integers are added in int32, or in `dtype`."""

def xor_sum(input: tensor, axis: Optional[int] = None, keep_dims: bool = False) -> tensor:
    """The exclusive or along an axis (None: of all); integers."""

def reduce_or(input: tensor, axis: Optional[int], keep_dims: bool = False) -> tensor:
    """The bitwise or along an axis (None: of all); integers."""

def cumsum(input: tensor, axis: int = 0, reverse: bool = False, dtype: Optional[DType] = None) -> tensor:
    """Running sums along an axis, by default the first."""

def cumprod(input: tensor, axis: int = 0, reverse: bool = False) -> tensor:
    """Running products along an axis, by default the first."""

def sort(x: tensor, dim: Optional[int] = None, descending: bool = False) -> tensor:
    """Sorts along the last axis, which is the only one that `dim` may name."""

def topk(x: tensor, k: int, dim: Optional[int] = None) -> tensor:
    """The k largest elements along the last axis, the largest first; k is a power of two."""

def sort_impl(x: tensor, k: Optional[int] = None, dim: Optional[int] = None, descending: bool = False) -> tensor:
    """Implements `sort` and `topk`: sorts along the last axis and keeps the first k elements, by default all."""

def bitonic_merge(x: tensor, dim: Optional[int] = None, descending: bool = False) -> tensor:
    """Sorts bitonic rows: those that rise and then fall, or fall and then rise."""

def flip(x: tensor, dim: Optional[int] = None) -> tensor:
    """Reverses the elements along an axis, by default the last."""
# Parts that kernels borrow: combine functions for tl.reduce, sizes.

def _sum_combine(a: Value, b: Value) -> tensor:
    """a + b"""

def _prod_combine(a: Value, b: Value) -> tensor:
    """a * b"""

def _elementwise_max(a: Value, b: Value) -> tensor:
    """The larger of two"""

def _elementwise_min(a: Value, b: Value) -> tensor:
    """The smaller of two"""

def _xor_combine(a: Value, b: Value) -> tensor:
    """a ^ b"""

def _or_combine(x: Value, y: Value) -> tensor:
    """x | y"""

def _argmax_combine_tie_break_left(value1: Value, index1: Value, value2: Value, index2: Value) -> Tuple[tensor, tensor]:
    """The larger value and its index; of equal values the lower index."""

def _argmax_combine_tie_break_fast(value1: Value, index1: Value, value2: Value, index2: Value) -> Tuple[tensor, tensor]:
    """The larger value and its index; of equal values either."""

def _argmin_combine_tie_break_left(value1: Value, index1: Value, value2: Value, index2: Value) -> Tuple[tensor, tensor]:
    """The smaller value and its index; of equal values the lower index."""

def _argmin_combine_tie_break_fast(value1: Value, index1: Value, value2: Value, index2: Value) -> Tuple[tensor, tensor]:
    """The smaller value and its index; of equal values either."""

def _log2(i: int) -> int:
    """The logarithm of a power of two; rounded down for other positive ints. Also callable in host code."""

def _is_power_of_two(i: int) -> bool:
    """Also callable in host code."""

def _indicator(n_dims: int, j: int) -> tensor:
    """Bit j of every position, as a cube of n_dims axes that is 1 wide along all others."""

def _compare_and_swap(x: tensor, flip: Value, i: int) -> tensor:
    """Compares and swaps elements whose positions differ in bit i: ascending where `flip` is 0, descending where it is 1."""

def _bitonic_merge_hypercube(x: tensor, stage: int, order: int) -> tensor:
    """Sorts bitonic runs of 2^stage elements; order 0: ascending, 1: descending, 2: alternating."""

def _bitonic_merge(x: tensor, stage: int, order: int, n_dims: int) -> tensor:
    """The same for a tensor of any shape."""
