"""Nothing is built here: launching needs no C compiler. Programs that build a module of their own are told so."""
from __future__ import annotations

from .. import knobs


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags=()):
    """Hands the build to `knobs.build.impl`, if there is one."""
    if knobs.build.impl is None:
        raise RuntimeError(f"Tessera builds no C modules ('{name}'); set triton.knobs.build.impl to a function that does")
    return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
