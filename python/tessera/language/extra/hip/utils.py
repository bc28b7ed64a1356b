"""The clock of AMD's devices."""

from ... import core
from ..._functions import define as _define

__tessera_language__ = "triton.language.extra.hip"

_define(globals(), "memrealtime", path=__tessera_language__)
