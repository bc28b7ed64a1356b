"""The part of Triton's extension that programs outside of Triton use: torch.compile looks at the IR of users' kernels, to see
which arguments they write to. Compiling itself is `tessera.compile`; there is no builder here, and there are no passes."""
from . import ir
from ...runtime.parameters import native_specialize_impl

__all__ = ["ir", "native_specialize_impl"]
