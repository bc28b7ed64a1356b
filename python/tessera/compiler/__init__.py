"""`compile`, its sources, its result and its errors."""
from .compiler import ASTSource, AsmDict, CompiledKernel, IRSource, LazyDict, compile, get_cache_key, make_backend

_ERRORS = ("CompilationError", "CompileTimeAssertionFailure", "InternalError", "UnsupportedLanguageConstruct")

__all__ = [
    "ASTSource", "AsmDict", "CompiledKernel", "IRSource", "LazyDict", "compile", "get_cache_key", "make_backend", *_ERRORS
]


def __getattr__(name):
    """Imports the errors at first use."""
    if name not in _ERRORS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from . import errors
    return getattr(errors, name)
