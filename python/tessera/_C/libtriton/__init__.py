"""The part of Triton's extension that other programs use: torch.compile inspects the IR of users' kernels, to find the arguments
that they write to. There are no builders and no passes here; `tessera.compile` compiles."""
from . import ir
from ...runtime.parameters import native_specialize_impl

__all__ = ["ir", "native_specialize_impl"]
