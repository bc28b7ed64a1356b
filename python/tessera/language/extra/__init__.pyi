"""tl.extra: functions of one vendor's devices. `libdevice` is the current target's."""

from typing import List

from . import cuda as cuda
from . import hip as hip
from . import libdevice as libdevice

__all__: List[str]
