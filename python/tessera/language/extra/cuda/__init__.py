"""tl.extra.cuda: functions that only NVIDIA's devices have."""

from . import gdc, utils
from .gdc import gdc_launch_dependents, gdc_wait
from .utils import convert_custom_float8_sm70, convert_custom_float8_sm80, globaltimer, num_threads, num_warps, smid

__tessera_language__ = "triton.language.extra.cuda"

__all__ = [
    "convert_custom_float8_sm70", "convert_custom_float8_sm80", "gdc_launch_dependents", "gdc_wait", "globaltimer",
    "libdevice", "num_threads", "num_warps", "smid",
]


def __getattr__(name):
    if name == "libdevice":
        import importlib

        return importlib.import_module(".libdevice", __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
