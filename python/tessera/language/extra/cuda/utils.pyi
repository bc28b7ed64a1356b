"""Clocks, identities and conversions of NVIDIA's devices."""

from typing import Optional

from ... import core as core
from ...core import DType, tensor

def globaltimer() -> tensor:
    """The device's clock in nanoseconds, int64."""

def smid() -> tensor:
    """The number of the multiprocessor that runs this program, int32."""

def num_threads() -> int:
    """Threads of a program: 32 for each warp."""

def num_warps() -> int:
    """Warps of a program, as the launch asked for."""

def convert_custom_float8_sm70(arg: tensor, dst_ty: DType, fp_downcast_rounding: Optional[str] = None) -> tensor:
    """To or from float8e4b15 with the instructions of compute capability 7.0."""

def convert_custom_float8_sm80(arg: tensor, dst_ty: DType, fp_downcast_rounding: Optional[str] = None) -> tensor:
    """To or from float8e4b15 with the instructions of compute capability 8.0."""
