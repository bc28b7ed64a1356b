"""Waiting for the kernel before this one in a stream, and letting the next one start (programmatic dependent launch)."""

from ... import core
from ..._functions import define as _define

__tessera_language__ = "triton.language.extra.cuda"

_define(globals(), "gdc_launch_dependents gdc_wait", path=__tessera_language__)
