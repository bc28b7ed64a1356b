"""Compiling kernels: `compile`, its sources, its result, its errors."""
from .compiler import ASTSource, AsmDict, CompiledKernel, IRSource, LazyDict, compile, get_cache_key, make_backend

_ERRORS = ("CompilationError", "CompileTimeAssertionFailure", "InternalError", "UnsupportedLanguageConstruct")

__all__ = [
    "ASTSource", "AsmDict", "CompiledKernel", "IRSource", "LazyDict", "compile", "get_cache_key", "make_backend", *_ERRORS
]


def __getattr__(name):
    """Errors are imported when there is one."""
    if name not in _ERRORS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from . import errors
    return getattr(errors, name)
