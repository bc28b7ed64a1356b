"""Where Triton keeps its extension. What programs ask of it is in libtriton."""
from . import libtriton  # noqa: F401
