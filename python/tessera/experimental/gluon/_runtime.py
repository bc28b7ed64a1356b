"""gluon.jit: a function that has everything a jit function has, and is refused when it would be compiled."""
from __future__ import annotations

from ...runtime.jit import JITFunction, constexpr_function, get_jit_fn_file_line  # noqa: F401


class GluonJITFunction(JITFunction):

    def is_gluon(self):
        return True

    def _compile_with_state(self, request, is_warmup=False):
        from ...compiler.errors import UnsupportedLanguageConstruct
        path, line = get_jit_fn_file_line(self)
        text = (f"{path}:{line}: unsupported: '{self.__name__}' is written in Gluon, which Tessera does not compile; "
                "run this kernel with Triton, or write it in triton.language")
        raise UnsupportedLanguageConstruct(self.src, None, text, text=text)


def jit(fn=None, **options):
    """Decorator, with the options of tessera.jit."""
    def decorate(function):
        return GluonJITFunction(function, **options)
    return decorate if fn is None else decorate(fn)
