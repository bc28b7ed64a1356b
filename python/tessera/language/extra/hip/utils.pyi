"""The clock of AMD's devices."""

from ... import core as core
from ...core import tensor

def memrealtime() -> tensor:
    """The device's clock at 100 MHz, int64."""
