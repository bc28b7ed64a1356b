"""tl.extra: functions of one vendor's devices. `libdevice` is the current target's."""

__tessera_language__ = "triton.language.extra"

__all__ = ["cuda", "hip", "libdevice"]


def __getattr__(name):
    """Loads a vendor's names when somebody asks for them; few kernels do."""
    if name in __all__:
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__():
    return sorted(list(globals()) + __all__)
