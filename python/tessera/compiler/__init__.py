"""Compiling kernels: `compile`, its sources, its result, its errors."""
from .compiler import ASTSource, AsmDict, CompiledKernel, IRSource, LazyDict, compile, get_cache_key, make_backend
from .errors import CompilationError, CompileTimeAssertionFailure, InternalError, UnsupportedLanguageConstruct

__all__ = [
    "ASTSource", "AsmDict", "CompilationError", "CompileTimeAssertionFailure", "CompiledKernel", "IRSource",
    "InternalError", "LazyDict", "UnsupportedLanguageConstruct", "compile", "get_cache_key", "make_backend"
]
