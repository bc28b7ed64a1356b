"""Stubs of Gluon: programs can import it and define Gluon kernels, but not launch them.

    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl

    @gluon.jit
    def kernel(x_ptr, layout: gl.constexpr): ...    # defined

    kernel[grid](x, gl.BlockedLayout([4], [32], [4], [0]))   # UnsupportedLanguageConstruct: Tessera does not compile Gluon

Packages import Gluon at their top for kernels that few users launch; without these names their other kernels could not be
imported. The modules below `language`, `nvidia` and `amd` are created from the table in _names.py. They have exactly Triton's
names, so that importing a newer one fails.
"""
from __future__ import annotations

from ...runtime.jit import constexpr_function, must_use_result
from . import _names
from ._runtime import GluonJITFunction, jit

_names.make_modules(__name__)

from . import amd, language, nvidia  # noqa: E402  (created above)

__all__ = ["GluonJITFunction", "amd", "constexpr_function", "jit", "language", "must_use_result", "nvidia"]
