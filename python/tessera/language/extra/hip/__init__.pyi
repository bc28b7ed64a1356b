"""tl.extra.hip: what AMD's devices alone have."""

from typing import List

from . import libdevice as libdevice
from . import utils as utils
from .utils import memrealtime as memrealtime

__all__: List[str]
