"""Gluon, as far as programs need it that have Gluon kernels beside others: it can be imported, and its kernels be defined.

    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl

    @gluon.jit
    def kernel(x_ptr, layout: gl.constexpr): ...    # defined

    kernel[grid](x, gl.BlockedLayout([4], [32], [4], [0]))   # UnsupportedLanguageConstruct: Tessera does not compile Gluon

Tessera compiles no Gluon. Packages import it at their top for kernels that few of their users launch; without these names none
of their other kernels could run. The modules below `language`, `nvidia` and `amd` are made from the table in _names.py: they have
Triton's names and no others, so that a program that asks for a newer one hears that it is not there.
"""
from __future__ import annotations

from ...runtime.jit import constexpr_function, must_use_result
from . import _names
from ._runtime import GluonJITFunction, jit

_names.make_modules(__name__)

from . import amd, language, nvidia  # noqa: E402  (made just now)

__all__ = ["GluonJITFunction", "amd", "constexpr_function", "jit", "language", "must_use_result", "nvidia"]
