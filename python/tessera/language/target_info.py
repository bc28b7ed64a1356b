"""tl.target_info: the target that a kernel is compiled for; in host code, the target of the current device."""

from ._functions import CompileTimeFunction as _CompileTimeFunction

__tessera_language__ = "triton.language.target_info"

__all__ = ["cuda_capability_geq", "current_target", "is_cuda", "is_hip", "is_hip_cdna3", "is_hip_cdna4"]


def _current_target():
    from ..runtime import driver

    try:
        return driver.active.get_current_target()
    except RuntimeError:  # no device: the same answer as Triton's without an active driver
        return None


def _is_backend(name, *archs):
    target = _current_target()
    return target is not None and target.backend == name and (not archs or target.arch in archs)


def _capability_geq(major, minor=0):
    target = _current_target()
    return target is not None and target.backend == "cuda" and target.arch >= major * 10 + minor


def _define(**functions):
    for name, function in functions.items():
        globals()[name] = _CompileTimeFunction(name, "%s.%s" % (__tessera_language__, name), __name__, function)


_define(
    current_target=_current_target,
    cuda_capability_geq=_capability_geq,
    is_cuda=lambda: _is_backend("cuda"),
    is_hip=lambda: _is_backend("hip"),
    is_hip_cdna3=lambda: _is_backend("hip", "gfx942"),
    is_hip_cdna4=lambda: _is_backend("hip", "gfx950"),
)
