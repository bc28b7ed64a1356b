"""Programmatic dependent launch: waits for the previous kernel of a stream, and lets the next one start."""

from ... import core
from ..._functions import define as _define

__tessera_language__ = "triton.language.extra.cuda"

_define(globals(), "gdc_launch_dependents gdc_wait", path=__tessera_language__)
