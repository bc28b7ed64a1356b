"""Programmatic dependent launch: kernels that overlap with the one before them in a stream."""

from ... import core as core

def gdc_wait() -> None:
    """Waits until the kernel before this one is done and its writes are visible."""

def gdc_launch_dependents() -> None:
    """Lets the next kernel start; it waits for this one's results with gdc_wait."""
