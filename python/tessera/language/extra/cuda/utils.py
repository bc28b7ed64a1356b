"""Clocks, SM ids and conversions of NVIDIA's devices."""

from ... import core
from ..._functions import define as _define

__tessera_language__ = "triton.language.extra.cuda"

_define(globals(), """
    convert_custom_float8_sm70 convert_custom_float8_sm80 globaltimer num_threads num_warps smid
""", path=__tessera_language__)
