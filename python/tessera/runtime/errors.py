"""Exceptions of loading, launching and tuning kernels."""
from __future__ import annotations

from .. import _native
from ..errors import TritonError

DeviceError = _native.DeviceFailure  # a device cannot be opened, or a kernel cannot be loaded or launched
DeviceAssertError = _native.DeviceAssertion  # a tl.device_assert failed


class OutOfResources(TritonError):
    """The kernel needs more of a resource than the device has: `required` of `name`, but at most `limit` is available.

    `explanation` is the compiler's message, if there is one: the lines of the kernel that need the most.
    """

    def __init__(self, required, limit, name) -> None:
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name
        self.explanation = ""

    def __str__(self) -> str:
        return (f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
                "Smaller blocks or a smaller `num_stages` need less." + self.explanation)


class _WithMessage(TritonError):
    prefix = ""

    def __init__(self, error_message: str | None = None) -> None:
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self) -> str:
        return self.prefix + (self.error_message or "")


class InterpreterError(_WithMessage):
    """A kernel failed under TRITON_INTERPRET=1."""


class PTXASError(_WithMessage):
    """ptxas rejected the kernel's PTX."""
    prefix = "PTXAS error: "


class AutotunerError(_WithMessage):
    """Autotuning found no configuration that works."""
    prefix = "Autotuner error: "
