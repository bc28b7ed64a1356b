"""@tessera.jit: makes a Python function a kernel, or a function that kernels call.

    @tessera.jit
    def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr): ...

    add[(tessera.cdiv(n, 1024),)](x, y, n, BLOCK=1024, num_warps=8)

Every launch runs in C (_native.Launchable): it binds and classifies the arguments, compares the guards, looks up the variant and
launches it. The code here runs once per variant (`_make_variant`): kernel_builder.py compiles and loads it, global_guards.py
decides which globals launches must check.

A variant depends on the argument types, the values of compile-time arguments, the options, the device, and everything that the
kernel's source reads. When a global, a called function or a module's attribute changes, a guard fails and the next launch compiles
a new variant. When the old value comes back, launches find the old variant again.

Threads: any number may launch and compile at once; equal variants are compiled once. A forked child has no loaded kernels.
"""
from __future__ import annotations

import os
import sys
import types
import weakref

from . import forks  # noqa: F401  (first, so that its handler is the last of ours that runs before a fork)
from .. import _native, knobs
from .._lazily import lazily
from ..errors import without_frames
from . import jit_hooks, source, specialize
from .callables import (BoundConstexprFunction, ConstexprFunction, JITCallable, constexpr_function, get_full_name,  # noqa: F401
                        must_use_result)
from .global_guards import GlobalGuards
from .jit_hooks import JitFunctionInfo, compute_cache_key, serialize_specialization_data  # noqa: F401
from .kernel_builder import KernelBuilder
from .parameters import DO_NOT_SPECIALIZE, KernelParam, native_specialize_impl, read_parameters  # noqa: F401  (for clients)
from .monkey_patching import PreRunHooks, Run, WatchedClass, has_quick_launches
from .mock_tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401

_live_functions = weakref.WeakSet()
WITHOUT_HOOKS = 1  # a value for `warmup` of a run that is true, but not True: autotune compiles with it, without calling hooks


def live_functions():
    """All jit functions. The set is copied in one step, because other threads may create functions meanwhile."""
    return [fn for fn in [reference() for reference in list(_live_functions.data)] if fn is not None]


class KernelInterface(metaclass=WatchedClass):
    """An object that is launched with kernel[grid](...): a jit function, or one inside autotune and heuristics."""

    def __class_getitem__(cls, item):
        """KernelInterface[T], for annotations."""
        return types.GenericAlias(cls, item)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    def warmup(self, *args, grid, **kwargs):
        """Compiles the variant that a launch with these arguments would need, without launching it."""
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    _own_getitem, _own_warmup = __getitem__, warmup

    def explain(self, *args, grid=(1, ), **kwargs):
        """Reports what every pass does to the variant that a launch with these arguments would need: a Report (compiler/explain.py). Of an
        autotuned kernel, a list of them, one for each configuration. A kernel that does not compile has a report, too: of the passes up
        to the one that failed, with the messages in `errors`."""
        try:
            made = self.warmup(*args, grid=grid, **kwargs)
        except Exception as error:
            job = getattr(error, "_tessera_job", None)
            if job is None or job.src.program is None:  # the compiler has seen nothing
                raise
            return job.explain()
        return [each.explain() for each in made] if isinstance(made, list) else made.explain()

    def precompile(self, *args, **kwargs):
        """Compiles variants in advance: see JITFunction.precompile."""
        return self.fn.precompile(*args, **kwargs)

    def specializations(self):
        """The variants that exist, and why each was compiled; prints as a table."""
        return self.fn.specializations()


@has_quick_launches
class JITFunction(_native.Launchable, JITCallable, KernelInterface):
    """The result of `jit`: a kernel, launched with kernel[grid](...), or a function that kernels call."""

    # Overridden by the functions of TRITON_INTERPRET (interpreter.py).
    _fixed_options = {}
    _fixed_device = None

    _pre_run_hooks = ()  # for a subclass that sets `run` before it is initialized

    def __init__(self, fn, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None, noinline=None,
                 repr=None, launch_metadata=None):
        JITCallable.__init__(self, fn)
        fn = self.fn
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = list(do_not_specialize or ())
        self.do_not_specialize_on_alignment = list(do_not_specialize_on_alignment or ())
        self._repr = repr
        self.launch_metadata = launch_metadata
        self.debug = debug
        self._noinline = noinline
        self.params = read_parameters(source.innermost(fn), self.do_not_specialize, self.do_not_specialize_on_alignment)
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        _register_argument_types()
        if knobs.runtime.pack:
            from . import packs
            packs.get_ready()
        self._set_parameters(fn.__name__, [param.for_launches() for param in self.params])
        self.kernel = None
        self.pre_run_hooks = ()
        self._reset()
        _live_functions.add(self)

    def _reset(self):
        """Forgets every variant."""
        self._question_memory = {}  # program.py: the compiler's questions by the program's key
        self._call_memory = {}  # program.py: results of compile-time calls
        self._global_guards = GlobalGuards(self)
        self._builder = KernelBuilder(self, self._global_guards)
        self._clear_variants()

    def _start_in_child(self):
        """After a fork."""
        self._global_guards.start_in_child()
        self._builder.start_in_child()
        self._clear_variants()

    # ---- attributes that clients use --------------------------------------------------------------

    @property
    def noinline(self):
        return self._noinline

    @noinline.setter
    def noinline(self, value):
        self._noinline = value
        self.hash = None

    @property
    def _fn_name(self):
        """The function's name in files of variants; programs that generate kernels may set it."""
        return self._told.get("_fn_name") or get_full_name(self.fn)

    @_fn_name.setter
    def _fn_name(self, name):
        self._told = {**self._told, "_fn_name": name}

    @property
    def device_caches(self):
        """{device: (kernels by key, keys, target, backend, binder)}; the device as a number or as "cpu", "cuda:0"."""
        return jit_hooks.DeviceCaches(self)

    def create_binder(self):
        """(kernels by key, keys, target, backend, binder) of the current device."""
        return self.device_caches[_native.current_device()]

    @lazily
    def ASTSource(self):
        """tessera.compiler.ASTSource, which Triton's own tools/compile.py reads here; so is `compile`."""
        from ..compiler import ASTSource
        return ASTSource

    @lazily
    def compile(self):
        from ..compiler import compile
        return compile

    def is_gluon(self):
        return False

    def repr(self, proxy):
        """The kernel's name in the binary for one variant; `proxy` has `constants` and `signature`."""
        return self.__name__ if self._repr is None else self._repr(proxy)

    def add_pre_run_hook(self, hook):
        """`hook(*args, **kwargs)` is called before every run."""
        if not callable(hook):
            raise TypeError(f"a pre-run hook is called, and an object of type {type(hook).__name__} cannot be")
        self.pre_run_hooks.append(hook)

    @property
    def pre_run_hooks(self):
        return self._pre_run_hooks

    @pre_run_hooks.setter
    def pre_run_hooks(self, hooks):
        self._pre_run_hooks = PreRunHooks(self, hooks)
        self._choose_path()

    def _choose_path(self):
        """Decides whether launches call `run` in Python: if there are hooks, or another `run` than this class's."""
        own = type(self) is JITFunction or next(c for c in type(self).__mro__ if "run" in vars(c)) is JITFunction
        self._uses_slow_path = bool(self._pre_run_hooks) or "run" in vars(self) or not own

    __call__ = _native.Launchable.__call__  # raises: a kernel is launched with a grid

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"

    def _repr_html_(self):
        """For notebooks: the parameters, and the table of variants."""
        from html import escape
        names = ", ".join(f"{param.name}: constexpr" if param.is_constexpr else param.name for param in self.params)
        records = self.specializations()
        return f"<p><code>{escape(self.__name__)}({escape(names)})</code></p>" + (records._repr_html_() if records else "")

    # ---- launching --------------------------------------------------------------------------------

    @Run
    def run(self, *args, grid, warmup, **kwargs):
        """A launch that cannot use the fast path in C, or a warm-up."""
        if knobs.runtime.debug:
            kwargs["debug"] = True
        if warmup is not WITHOUT_HOOKS:
            for hook in self.pre_run_hooks:
                hook(*args, **kwargs)
        if warmup:
            return self._warm_up(args, kwargs)  # implemented in C, as `warmup` is
        if grid is None:
            raise TypeError(f"'{self.__name__}' is launched without a grid: {self.__name__}[(programs,)](...)")
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        if not getattr(enter, "calls", enter) and not getattr(leave, "calls", leave):
            return self._launch(grid, args, kwargs)
        return jit_hooks.launch(self, grid, args, kwargs, enter, leave)

    # `warmup` itself is implemented in C (Launchable), so that a compiled kernel is found as quickly as by a launch.
    _warm_up_by_run = KernelInterface.warmup

    def _compile_for_warmup(self, bound, specialization, options, device):
        """(kernel, the state that it belongs to), or a future of the kernel under AsyncCompileMode."""
        from . import _async_compile
        target = self._target_of_program()
        request = self._request(bound, specialization, options, device if target is None else "", target)
        mode = _async_compile.active_mode.get()
        if mode is None:
            return self._compile_with_state(request, is_warmup=True)
        return mode.submit((self._fn_name, request.key), lambda: self._compile_with_state(request, is_warmup=True)[0],
                           lambda kernel: None)

    def _target_of_program(self):
        from .driver import driver
        return None if self._fixed_device else driver.target_of_program()

    def precompile(self, *args, all_variants=True, target=None, device=None, max_variants=1024, threads=None, **kwargs):
        """Compiles variants in advance; returns a list of Specialization that prints as a table.

        add.precompile(x, y, out, n, BLOCK=1024)      the variant of this launch, and all that similar launches may need:
                                                      n equal to 1, divisible by 16 or neither, pointers aligned or not
        add.precompile("*fp32", "*fp32", "*fp32", "i32", BLOCK=[512, 1024], num_warps=[4, 8])     types; of a list each value

        all_variants  True: all variants that launches with these types can need; a list of names: only these parameters vary;
                      False: only this variant
        target        "cuda:90", "cpu" or a GPUTarget: compiles for a device of another machine
        device        "cuda:1": compiles for, and loads onto, this device
        max_variants  the largest number of variants; more are an error
        threads       the number of compilations at once; all cores by default
        """
        from .precompile import precompile
        return precompile(self, args, kwargs, all_variants, target, device, max_variants, threads)

    def specializations(self):
        """The variants that exist, and why each was compiled; prints as a table."""
        return self._builder.records

    def preload(self, specialization_data):
        """Compiles the variant that the `specialization_data` of a hook describes."""
        return self._compile_with_state(jit_hooks.read_specialization_data(self, specialization_data), is_warmup=True)[0]

    # ---- called by the fast path ------------------------------------------------------------------

    def _make_variant(self, bound, specialization, options, device):
        request = self._request(bound, specialization, options, device)
        kernel, state = self._compile_with_state(request)
        return None if kernel is None else (self._builder.load(kernel, request.device), state)

    def _guards_changed(self):
        """A guard does not hold: a global has changed."""
        self._global_guards.update()

    # ---- compiling --------------------------------------------------------------------------------

    def _request(self, bound, specialization, options, device, target=None):
        return specialize.Request(self, specialization, bound, options, self._fixed_device or device, target)

    def _all_options(self, options):
        """The options of a launch, with the function's own."""
        if not self.debug and not self._fixed_options:
            return options
        own = {"debug": True} if self.debug and "debug" not in options else {}
        return {**options, **own, **self._fixed_options}

    def _compile_with_state(self, request, is_warmup=False):
        """(kernel, the state that it belongs to): KernelBuilder.compile."""
        return self._builder.compile(request, is_warmup)


_registered_cores = set()


def _register_argument_types():
    """Registers the class of constexpr objects with the launch path: ours, and Triton's own if it is imported."""
    for name in ("tessera.language.core", "triton.language.core"):
        core = sys.modules.get(name)
        if core is not None and name not in _registered_cores and hasattr(core, "constexpr"):
            _registered_cores.add(name)
            _native.register_type("constexpr", core.constexpr)


def _start_in_child():
    for function in live_functions():
        function._start_in_child()


os.register_at_fork(after_in_child=_start_in_child)


# ---- decorators -------------------------------------------------------------------------------------

def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, do_not_specialize_on_alignment=None,
        debug=None, noinline=None):
    """Makes a function a kernel, with or without arguments: @jit, @jit(do_not_specialize=["n"]).

    version                          ignored
    repr                             f(proxy) -> the kernel's name in the binary; proxy has .constants and .signature
    launch_metadata                  f(grid, kernel, args) -> dict for launch hooks
    do_not_specialize                names or indices of parameters whose values do not select a variant
    do_not_specialize_on_alignment   the same for divisibility by 16 alone
    debug                            checks device assertions and integer overflow
    noinline                         is not inlined into kernels that call it
    """
    options = dict(version=version, repr=repr, launch_metadata=launch_metadata, do_not_specialize=do_not_specialize,
                   do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug, noinline=noinline)

    def decorate(function):
        if knobs.runtime.interpret:
            from .interpreter import InterpretedFunction
            return InterpretedFunction(function, **options)
        return JITFunction(function, **options)

    if fn is None:
        return decorate
    try:
        return decorate(fn)
    except (TypeError, ValueError) as error:
        raise without_frames(error)


def mangle_type(arg, specialize=False):
    """The type of an argument, as signatures spell it."""
    probe = _native.Launchable()
    probe._set_parameters("mangle_type", [("arg", 0 if specialize else DO_NOT_SPECIALIZE, None, False, None)])
    return probe._classify((arg, ), {})[1][0][0]


def get_jit_fn_file_line(fn):
    """(file, line of the `def`) of a jit function, inside autotune and heuristics or not."""
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    return fn.fn.__code__.co_filename, fn._function_text().source.line
