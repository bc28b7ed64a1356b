"""The package of Triton's extension; `libtriton` has the parts that other programs use."""
from . import libtriton  # noqa: F401
