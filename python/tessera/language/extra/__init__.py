"""tl.extra: functions of one vendor's devices. `libdevice` is that of the current target."""

__tessera_language__ = "triton.language.extra"

__all__ = ["cuda", "hip", "libdevice"]


def __getattr__(name):
    """Imports a vendor's names at first use, because few kernels need them."""
    if name in __all__:
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__():
    return sorted(list(globals()) + __all__)
