"""Ahead-of-time compilation (compile, link), disassembly, tensor descriptors that the host creates, MX formats.

Each module is imported at first use: `tessera.tools.tensor_descriptor.TensorDescriptor` needs no import statement of its own.
"""
_MODULES = ("compile", "disasm", "link", "mxfp", "ragged_tma", "tensor_descriptor")


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module
    return import_module(f"{__name__}.{name}")


def __dir__():
    return sorted({*globals(), *_MODULES})
