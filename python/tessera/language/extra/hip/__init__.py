"""tl.extra.hip: functions that only AMD's devices have."""

from . import utils
from .utils import memrealtime

__tessera_language__ = "triton.language.extra.hip"

__all__ = ["libdevice", "memrealtime"]


def __getattr__(name):
    if name == "libdevice":
        import importlib

        return importlib.import_module(".libdevice", __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
