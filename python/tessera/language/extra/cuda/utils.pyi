"""Clocks, SM ids and conversions of NVIDIA's devices."""

from typing import Optional

from ... import core as core
from ...core import DType, tensor

def globaltimer() -> tensor:
    """The device's clock in nanoseconds, int64."""

def smid() -> tensor:
    """The number of the multiprocessor that runs this program, int32."""

def num_threads() -> int:
    """The number of threads of a program: 32 for each warp."""

def num_warps() -> int:
    """The number of warps of a program."""

def convert_custom_float8_sm70(arg: tensor, dst_ty: DType, fp_downcast_rounding: Optional[str] = None) -> tensor:
    """Converts to or from float8e4b15 with the instructions of compute capability 7.0."""

def convert_custom_float8_sm80(arg: tensor, dst_ty: DType, fp_downcast_rounding: Optional[str] = None) -> tensor:
    """Converts to or from float8e4b15 with the instructions of compute capability 8.0."""
