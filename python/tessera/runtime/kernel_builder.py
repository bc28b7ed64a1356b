"""Compiles the variants of one jit function, and loads them onto devices.

    builder.compile(request)            (CompiledKernel, the state that it belongs to); (None, None) if a hook refused
    builder.load(kernel, "cuda:0")      the _native.Variant that launches look up
    builder.records                     what was compiled, and why: Specializations (specialize.py)

Kernels are kept by the key of their program, the target and the options, so equal variants are compiled once, by one thread;
other threads that want the same one wait for it.
"""
from __future__ import annotations

import sys
import time
import weakref
from _thread import RLock

from .. import _native, knobs
from . import jit_hooks, program, specialize


class KernelBuilder:
    """The compiled and the loaded kernels of a jit function. `guards` is the function's GlobalGuards."""

    def __init__(self, fn, guards):
        self._function = weakref.ref(fn)  # which owns this object
        self._guards = guards
        self.records = specialize.Specializations(fn.__name__)
        self._kernels = {}  # (key of the program, target, options) -> CompiledKernel
        self._loaded = {}  # (id of a kernel, device) -> _native.Variant
        self._building = {}  # for _Turn
        self._has_checked = False  # the parameters

    def compile(self, request, is_warmup=False):
        """(kernel, the state that it belongs to), from memory if it is there; (None, None) if a hook does not want it compiled."""
        fn = request.fn
        compiler = _compilers.get(request.device) or _compiler_for(request.device)
        if not self._has_checked:
            _check_parameters(fn)
            self._has_checked = True
        with self._guards.lock:
            collected = program.Program(fn, request.signature, request.constants, request.attrs,
                                        plain_globals=knobs.compilation.allow_non_constexpr_globals)
        src = compiler.ASTSource.of_program(collected)
        target = request.target
        key = (collected.key, target.backend, target.arch, target.warp_size, request.options_key if request.options else ())
        with _Turn(self._building, key):
            known = self._kernels.get(key)
            if known is None:
                kernel = self._compile_anew(compiler, fn, request, src, is_warmup)
                if kernel is None:
                    return None, None
                known = self._kernels[key] = kernel
        return known, self._guards.adopt(collected)

    def _compile_anew(self, compiler, fn, request, src, is_warmup):
        if knobs.runtime.jit_cache_hook and jit_hooks.call(fn, knobs.runtime.jit_cache_hook, request, is_warmup):
            return None
        reason = self.records.reason_for(request, src.program.base_text, self._guards.changed_names)
        if knobs.runtime.on_recompile:
            specialize.before_recompiling(fn, reason, is_warmup)
        began = time.perf_counter()
        kernel = compiler.compile_for_launch(src, target=request.target, options=request.options)
        seconds = time.perf_counter() - began
        self.records.add(request, kernel, src.program.base_text, reason, seconds)
        if knobs.runtime.on_recompile:
            specialize.after_recompiling(fn, seconds, is_warmup)
        path = knobs.runtime.record
        if path or "tessera.runtime.record" in sys.modules:
            from . import record
            record.note(fn, self.records[-1], path)
        if knobs.runtime.jit_post_compile_hook:
            jit_hooks.call(fn, knobs.runtime.jit_post_compile_hook, request, is_warmup)
        return kernel

    def load(self, kernel, device):
        known = self._loaded.get((id(kernel), device))
        if known is None:
            known = self._loaded[id(kernel), device] = _native.Variant(kernel.load(device), kernel)
            self.records.loaded(kernel, known)
        return known

    def start_in_child(self):
        """After a fork: loaded kernels and the threads that compile are the parent's; compiled kernels are ours too."""
        self._building, self._loaded = {}, {}


class _Turn:
    """Lets one thread at a time build the kernel of a key. Not a generator: those leave frames in tracebacks."""
    __slots__ = ("owners", "key", "lock")

    def __init__(self, owners, key):
        self.owners, self.key = owners, key  # key of a kernel -> the lock of the thread that compiles it

    def __enter__(self):
        self.lock = self.owners.setdefault(self.key, RLock())  # one step for other threads
        self.lock.acquire()

    def __exit__(self, *_):
        self.owners.pop(self.key, None)
        self.lock.release()


def _check_parameters(fn):
    for param in fn.params:
        if param.is_constexpr and (param.do_not_specialize or param.do_not_specialize_on_alignment):
            from ..compiler.errors import CompilationError
            from .jit import get_jit_fn_file_line
            path, line = get_jit_fn_file_line(fn)
            text = (f"{path}:{line}: error: '{param.name}' of '{fn.__name__}' is a constexpr, and every value of it "
                    "makes a variant; take it out of do_not_specialize and do_not_specialize_on_alignment, or drop the "
                    "annotation")
            raise CompilationError(fn.src, None, text, text=text)


_compilers: dict = {}  # a device -> the module, with all that compiling for it needs


def _compiler_for(device):
    """The module compiler/compiler.py. All modules that compiling for a device needs are imported at the first compilation, so that
    `import tessera` stays quick."""
    known = _compilers.get(device)
    if known is None:
        import json  # noqa: F401
        from .driver import target_of_device
        from ..compiler import compiler
        if device:
            compiler.make_backend(target_of_device(device)).parse_options({})
        known = _compilers[device] = compiler
    return known
