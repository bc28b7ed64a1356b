"""@tessera.jit: a Python function as a kernel, and as a function that kernels call.

    @tessera.jit
    def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr): ...

    add[(tessera.cdiv(n, 1024),)](x, y, n, BLOCK=1024, num_warps=8)

What happens at every launch is in C (_native.Launchable): bind, classify, compare the guards, find the variant, launch. Here is
what happens once per variant (`_make_variant`): hooks, the program (program.py), compiling, the record of it (specialize.py).

A variant belongs to the argument types, the values of compile-time arguments, the options, the device, and everything that the
kernel's text reads. When a global, a callee or a module's attribute changes, the guards notice, and the next launch compiles
what is new; going back to an old value finds the old variant.

Threads: any number may launch and compile at once; equal variants compile once. A forked child starts without loaded kernels.
"""
from __future__ import annotations

import os
import sys
import threading
import time
import types
import weakref

from .. import _native, knobs
from . import collect, jit_hooks, program, source, specialize, values
from .jit_hooks import JitFunctionInfo  # noqa: F401
from .parameters import DO_NOT_SPECIALIZE, KernelParam, read_parameters  # noqa: F401  (clients import KernelParam from here)
from .stand_ins import MockTensor, TensorWrapper, reinterpret  # noqa: F401

_live_functions = weakref.WeakSet()
# A module that one thread is importing stays locked for ever in a child that another thread forks. So what compiling imports is
# imported under this lock, for which forks wait. Taken after a function's own lock, never before.
_no_fork = threading.RLock()


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


class KernelInterface:
    """Whatever is launched with kernel[grid](...): a jit function, or one inside autotune and heuristics."""

    def __class_getitem__(cls, item):
        """KernelInterface[T], for annotations."""
        return types.GenericAlias(cls, item)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    def warmup(self, *args, grid, **kwargs):
        """Compiles what a launch with these arguments would need, and launches nothing."""
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def precompile(self, *args, **kwargs):
        """Builds variants before anybody waits for them: JITFunction.precompile."""
        return self.fn.precompile(*args, **kwargs)

    def specializations(self):
        """The variants that exist, and why each was compiled; prints as a table."""
        return self.fn.specializations()


class JITCallable:
    """A function whose text the compiler reads: of jit and of constexpr_function."""

    _must_use_result = None

    def __init__(self, fn):
        if not isinstance(fn, types.FunctionType):
            fn = _python_function(fn)
        self.fn = fn
        # Found when the function is made: a later edit of the file must not slip in. Cut and read when first needed.
        self._location = self._locate(source.innermost(fn))
        self._text = None
        self._new_text = None
        self._digest = None
        self.__name__, self.__qualname__, self.__module__ = fn.__name__, fn.__qualname__, fn.__module__
        self.__doc__ = fn.__doc__
        self.__globals__ = fn.__globals__
        self.__wrapped__ = fn

    # ---- the text ---------------------------------------------------------------------------------

    @staticmethod
    def _locate(fn):
        return source.locate(fn)

    def _function_text(self):
        """What program.py needs: the text and the names that it reads."""
        if self._text is None:
            self._text = collect.FunctionText(source.innermost(self.fn), *self._location)
            if self._new_text is not None:
                self._text.replace(self._new_text)
        return self._text

    @property
    def src(self):
        """The text from `def` on, without indentation and decorators. Read-only; see _unsafe_update_src."""
        if self._new_text is not None:
            return self._new_text
        import textwrap
        return textwrap.dedent(self._function_text().source.text)

    @src.setter
    def src(self, text):
        raise AttributeError("src is read-only; _unsafe_update_src(text) replaces the text of a jit function")

    def _unsafe_update_src(self, new_src):
        """Replaces the text; kernels that call the function compile anew at their next launch."""
        self._new_text, self._text = new_src, None
        self.hash = None

    @property
    def raw_src(self):
        """The lines of the file from the first decorator to the end."""
        text = self._function_text().source
        first = self.starting_line_number
        return self._location[1][first - 1:text.line - 1] + text.text.splitlines(keepends=True)

    @property
    def starting_line_number(self):
        """Of the first decorator."""
        return source.innermost(self.fn).__code__.co_firstlineno

    def parse(self):
        import ast
        return ast.parse(self.src)

    @property
    def signature(self):
        import inspect
        return inspect.signature(self.fn)

    # ---- what the text depends on -----------------------------------------------------------------

    def _collect(self):
        with _no_fork:
            return collect.collect_function(self)

    @property
    def cache_key(self):
        """Stands for the text, and for all that it reads as it is now; equal in every process, and in every folder."""
        epoch = collect.EPOCH["functions"]
        if self._digest is None or self._digest[0] is not epoch or not _hold(self._digest[1]):
            collected = self._collect()
            self._digest = (epoch, tuple(collected.guards.values()), collected.digest())
        return self._digest[2]

    @property
    def hash(self):
        return self._digest and self._digest[2]

    @hash.setter
    def hash(self, value):
        """Clients set it to None when they have changed a function behind our back."""
        self._digest = None
        collect.functions_have_changed()

    @property
    def used_global_vals(self):
        """{(name, id of its dictionary): (value, dictionary)} of the globals that the function and its callees read, but for
        modules, functions and what belongs to the language."""
        collected, used = self._collect(), {}
        for where, name, value in collected.guards.values():
            if id(where) in collected.scopes and value is not _native.absent and value is not None \
                    and not isinstance(value, (types.ModuleType, JITCallable)) and values.language_path(value) is None:
                used[name, id(where)] = (value, where)
        return dict(sorted(used.items()))

    @used_global_vals.setter
    def used_global_vals(self, value):
        """Clients empty it before they pickle a function (emptied.py), and put it back; it is found anew when it is read."""

    def get_capture_scope(self):
        """The names that the function sees: its globals, then its closure."""
        fn = source.innermost(self.fn)
        cells = zip(fn.__code__.co_freevars, fn.__closure__ or ())
        held = {name: collect.cell_contents(cell) for name, cell in cells}
        return {**fn.__globals__, **{name: value for name, value in held.items() if value is not _native.absent}}

    @property
    def type(self):
        from ..language.core import constexpr_type
        return constexpr_type(self)

    # ---- as an object -----------------------------------------------------------------------------

    def __reduce__(self):
        if self.fn is None:
            from .emptied import reduce_emptied
            return reduce_emptied(self)
        if "<locals>" in self.__qualname__:
            import pickle
            raise pickle.PicklingError(f"'{self.__qualname__}' is defined inside a function, where unpickling cannot find it; "
                                       "define it at the top of a module")
        return _find_by_name, (self.__module__, self.__qualname__, type(self).__name__)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _python_function(fn):
    """The Python function in what jit was given."""
    if isinstance(fn, (staticmethod, classmethod)):
        return fn.__func__
    if isinstance(fn, JITCallable):
        return fn.fn
    inner = getattr(fn, "__wrapped__", None) or getattr(fn, "fn", None) or getattr(fn, "__func__", None)
    if isinstance(inner, types.FunctionType):
        return inner
    raise TypeError(f"jit needs a function made with def, not an object of type {type(fn).__name__}")


def _find_by_name(module, qualname, kind):
    """Unpickles: the function of that name, out of whatever autotune and heuristics have wrapped around it."""
    import importlib
    import inspect
    found = importlib.import_module(module)
    for part in qualname.split("."):
        found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
    while type(found).__name__ != kind:
        found = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found.fn
    return found


def _hold(guards):
    for where, name, value in guards:
        now = where.get(name, _native.absent) if isinstance(where, dict) else getattr(where, name, _native.absent)
        if now is not value:
            return False
    return True


class JITFunction(_native.Launchable, JITCallable, KernelInterface):

    # TRITON_INTERPRET's functions (interpreter.py) fix these.
    _fixed_options = {}
    _fixed_device = None

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
        self._set_parameters(fn.__name__, [param.for_launches() for param in self.params])
        self.kernel = None
        self.pre_run_hooks = []
        self._reset()
        _live_functions.add(self)

    def _reset(self):
        """Forgets every variant."""
        self._lock = threading.RLock()
        self._building = {}  # key of a kernel -> the lock of who compiles it
        self._kernels = {}  # (program text, target, options) -> CompiledKernel
        self._loaded = {}  # (id of a kernel, device) -> _native.Variant
        self._records = specialize.Specializations(self.__name__)
        self._changed_names = ()
        self._question_memory = {}
        self._call_memory = {}
        self._recomputed = set()  # (id, name) of attributes whose values are equal and never the same
        self._last_digest = None
        self._extra_guards = {}
        self._generation = 0
        self._guards = ()
        self._state = None
        self._clear_variants()

    def _start_in_child(self):
        """After a fork: devices and their threads are the parent's, compiled code is ours too."""
        self._lock = threading.RLock()
        self._building = {}
        self._loaded = {}
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
        return get_full_name(self.fn)

    @property
    def device_caches(self):
        """{device: (kernels by key, keys, target, backend, binder)}; the device as a number or as "cpu", "cuda:0"."""
        return jit_hooks.DeviceCaches(self)

    def create_binder(self):
        """(kernels by key, keys, target, backend, binder) of the current device."""
        return self.device_caches[_native.current_device()]

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
        self._uses_slow_path = True

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"'{self.__name__}' is a jit function: launch it with {self.__name__}[grid](...), or call it from "
                           "another jit function")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"

    # ---- launching --------------------------------------------------------------------------------

    def run(self, *args, grid, warmup, **kwargs):
        """A launch that cannot take the fast path, and warmup."""
        if knobs.runtime.debug:
            kwargs["debug"] = True
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        if warmup:
            return self._warm_up(args, kwargs)
        if grid is None:
            raise TypeError(f"'{self.__name__}' is launched without a grid: {self.__name__}[(programs,)](...)")
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        if not getattr(enter, "calls", enter) and not getattr(leave, "calls", leave):
            return self._launch(grid, args, kwargs)
        return self._launch_with_hooks(grid, args, kwargs, enter, leave)

    def _launch_with_hooks(self, grid, args, kwargs, enter, leave):
        bound, _, _, device = self._classify(args, kwargs)
        grid = grid(bound) if callable(grid) else grid
        variant = self._find_variant(args, kwargs)
        if variant is None:
            return None
        number = int(device.partition(":")[2] or 0)
        stream = _native.current_stream(number) if device.startswith("cuda") else 0
        metadata = variant.result.launch_metadata(tuple(grid), stream, *bound.values())
        if enter is not None:
            enter(metadata)
        try:
            return self._launch(grid, args, kwargs)
        finally:
            if leave is not None:
                leave(metadata)

    def _warm_up(self, args, kwargs):
        from . import _async_compile
        bound, specialization, options, device = self._classify(args, kwargs)
        request = self._request(bound, specialization, options, device)
        mode = _async_compile.active_mode.get()
        if mode is None:
            return self._compile(request, is_warmup=True)
        return mode.submit((self._fn_name, request.key), lambda: self._compile(request, is_warmup=True), lambda kernel: None)

    def precompile(self, *args, all_variants=True, target=None, device=None, max_variants=1024, threads=None, **kwargs):
        """Builds variants before anybody waits for them; returns a list of Specialization that prints as a table.

        add.precompile(x, y, out, n, BLOCK=1024)      as a launch with these arguments, and all that its siblings may need:
                                                      n equal to 1, divisible by 16 or neither, pointers aligned or not
        add.precompile("*fp32", "*fp32", "*fp32", "i32", BLOCK=[512, 1024], num_warps=[4, 8])     types; lists: each of these

        all_variants  True: every way in which launches with these types can differ; a list of names: of those parameters
                      alone; False: just this one
        target        "cuda:90", "cpu" or a GPUTarget: compile for a device that is not here. device="cuda:1" for one that is
        max_variants  more than that many is an error: then name the parameters that do vary
        threads       so many compilations at once; all cores by default
        """
        from .precompile import precompile
        return precompile(self, args, kwargs, all_variants, target, device, max_variants, threads)

    def specializations(self):
        """The variants that exist, and why each was compiled; prints as a table."""
        return self._records

    def preload(self, specialization_data):
        """Compiles the variant that hooks described by this text (`specialization_data`)."""
        return self._compile(jit_hooks.read_specialization_data(self, specialization_data), is_warmup=True)

    # ---- called by the fast path ------------------------------------------------------------------

    def _make_variant(self, bound, specialization, options, device):
        request = self._request(bound, specialization, options, device)
        kernel, state = self._compile_with_state(request)
        return None if kernel is None else (self._load(kernel, request.device), state)

    def _load(self, kernel, device):
        known = self._loaded.get((id(kernel), device))
        if known is None:
            known = self._loaded[id(kernel), device] = _native.Variant(kernel.load(device), kernel)
            self._records.loaded(kernel, known)
        return known

    # The guards are what the function reads, and what single variants have read besides (`_extra_guards`). `_state` stands for
    # their values, as part of the key of each variant: a digest of the first, and a number that goes up when one of the others
    # changes. So a variant is found again when an old value comes back, and never with a value that it was not made from.

    def _guards_changed(self):
        """Something that a variant's text reads is not what it was."""
        with self._lock:
            changed = {(id(guard[0]), guard[1]): guard for guard in self._guards if not _hold((guard, ))}
            collected = self._collect()
            digest = collected.digest()
            if digest == self._last_digest:
                # New objects that mean the same, and will be new at the next launch too if an attribute makes them.
                self._recomputed.update(key for key, guard in changed.items() if not isinstance(guard[0], dict))
            if any(not _hold((guard, )) for guard in self._extra_guards.values()):
                self._extra_guards, self._generation = {}, self._generation + 1
            self._changed_names = tuple(name for where, name, _ in changed.values() if where is not collect.EPOCH)
            self._call_memory.clear()
            self._set_state(digest, collected.guards)

    def _set_state(self, digest, base_guards):
        guards = [*base_guards.values(), *self._extra_guards.values()]
        self._guards = tuple((collect.Recomputed(*guard), "same", True) if (id(guard[0]), guard[1]) in self._recomputed else guard
                             for guard in guards)
        self._last_digest = digest
        self._state = (digest, self._generation)

    def _adopt(self, variant):
        """Lets launches check what the program of a variant has read; returns the state that it belongs to."""
        with self._lock:
            self._extra_guards.update(variant.own_guards)
            self._set_state(variant.digest, variant.base_guards)
            return self._state

    def _refresh_guards(self):
        """As a launch does first."""
        if not _hold(self._guards):
            self._guards_changed()

    # ---- compiling --------------------------------------------------------------------------------

    def _request(self, bound, specialization, options, device):
        return specialize.Request(self, specialization, bound, options, self._fixed_device or device)

    def _all_options(self, options):
        """The options of a launch with those that the function itself brings."""
        own = {"debug": True} if self.debug and "debug" not in options else {}
        return {**options, **own, **self._fixed_options}

    def _compile(self, request, is_warmup=False):
        """The CompiledKernel of a request, from memory if it is there; None if a hook does not want it compiled."""
        return self._compile_with_state(request, is_warmup)[0]

    def _compile_with_state(self, request, is_warmup=False):
        """(kernel, the state that it belongs to)."""
        _import_compiler(request.device)
        from ..compiler import ASTSource
        self._check_parameters()
        src = ASTSource(self, request.signature, request.constants, request.attrs)
        with self._lock, _no_fork:
            src.program = program.Program(self, request.signature, src.constants, request.attrs,
                                          plain_globals=knobs.compilation.allow_non_constexpr_globals)
        key = (src.program.text, str(request.target), request.options_key)
        with self._turn(key):
            known = self._kernels.get(key)
            if known is None:
                kernel = self._compile_anew(request, src, is_warmup)
                if kernel is None:
                    return None, None
                known = self._kernels[key] = kernel
        return known, self._adopt(src.program)

    def _check_parameters(self):
        for param in self.params:
            if param.is_constexpr and (param.do_not_specialize or param.do_not_specialize_on_alignment):
                from ..compiler.errors import CompilationError
                path, line = get_jit_fn_file_line(self)
                text = (f"{path}:{line}: error: '{param.name}' of '{self.__name__}' is a constexpr, and every value of it makes a variant; "
                        "take it out of do_not_specialize and do_not_specialize_on_alignment, or drop the annotation")
                raise CompilationError(self.src, None, text, text=text)

    def _compile_anew(self, request, src, is_warmup):
        from ..compiler import compile
        if jit_hooks.call(self, knobs.runtime.jit_cache_hook, request, is_warmup):
            return None
        reason = self._records.reason_for(request, self._changed_names)
        specialize.before_recompiling(self, reason, is_warmup)
        began = time.perf_counter()
        kernel = compile(src, target=request.target, options=request.options)
        seconds = time.perf_counter() - began
        self._records.add(request, kernel, reason, seconds)
        self._changed_names = ()
        specialize.after_recompiling(self, reason, seconds, is_warmup)
        jit_hooks.call(self, knobs.runtime.jit_post_compile_hook, request, is_warmup)
        return kernel

    def _turn(self, key):
        return _Turn(self, key)


_native.register_type("function", JITCallable)
_registered_cores = set()


def _register_argument_types():
    """Tells the launch path what a constexpr among the arguments looks like: ours, and Triton's own if somebody uses it."""
    for name in ("tessera.language.core", "triton.language.core"):
        core = sys.modules.get(name)
        if core is not None and name not in _registered_cores and hasattr(core, "constexpr"):
            _registered_cores.add(name)
            _native.register_type("constexpr", core.constexpr)


class _Turn:
    """Lets one thread at a time build what `key` stands for."""
    __slots__ = ("function", "key", "lock")

    def __init__(self, function, key):
        self.function, self.key = function, key

    def __enter__(self):
        with self.function._lock:
            self.lock = self.function._building.setdefault(self.key, threading.RLock())
        self.lock.acquire()

    def __exit__(self, *_):
        with self.function._lock:
            self.function._building.pop(self.key, None)
        self.lock.release()


_imported_for = set()


def _import_compiler(device):
    """Imports all that compiling for a device needs: once, and not when somebody merely imports tessera."""
    kind = device.partition(":")[0]
    if kind in _imported_for:
        return
    with _no_fork:
        import hashlib  # noqa: F401
        import json  # noqa: F401
        from . import _async_compile  # noqa: F401
        from .driver import target_of_device
        from ..compiler import make_backend
        if kind:
            make_backend(target_of_device(device)).parse_options({})
        _imported_for.add(kind)


def _start_in_child():
    _no_fork.release()
    for function in list(_live_functions):
        function._start_in_child()


os.register_at_fork(before=_no_fork.acquire, after_in_parent=_no_fork.release, after_in_child=_start_in_child)


# ---- decorators -------------------------------------------------------------------------------------

def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, do_not_specialize_on_alignment=None,
        debug=None, noinline=None):
    """Makes a function a kernel, with or without arguments: @jit, @jit(do_not_specialize=["n"]).

    version                          kept, not used
    repr                             f(proxy) -> the kernel's name in the binary; proxy has .constants and .signature
    launch_metadata                  f(grid, kernel, args) -> dict for launch hooks
    do_not_specialize                names or indices of parameters of which no value makes a variant of its own
    do_not_specialize_on_alignment   the same for divisibility by 16 alone
    debug                            device asserts and overflow checks
    noinline                         stays a function of its own where kernels call it
    """
    options = dict(version=version, repr=repr, launch_metadata=launch_metadata, do_not_specialize=do_not_specialize,
                   do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug, noinline=noinline)

    def decorate(function):
        if knobs.runtime.interpret:
            from .interpreter import InterpretedFunction
            return InterpretedFunction(function, **options)
        return JITFunction(function, **options)

    return decorate if fn is None else decorate(fn)


_PLAIN_TYPES = frozenset((int, float, bool, str, type(None)))


class BoundConstexprFunction(JITCallable):
    """A constexpr function as a method of an object."""

    def __init__(self, instance, fn):
        self.__self__, self.__func__ = instance, fn

    @property
    def cache_key(self):
        return self.__func__.cache_key

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


class ConstexprFunction(JITCallable):
    """A function that runs while kernels are compiled, and on the host like any other."""

    @staticmethod
    def _locate(fn):
        if fn.__module__ == "tessera":
            return fn.__code__.co_filename, []  # the compiler knows it by its name
        # Without its text Python itself runs it, for kernels too.
        try:
            return source.locate(fn)
        except ValueError:
            return fn.__code__.co_filename, []

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        # Grids call cdiv at every launch, with plain numbers.
        if not kwargs:
            for value in args:
                if value.__class__ not in _PLAIN_TYPES:
                    break
            else:
                return self.fn(*args)
        unwrapped = [value.value if values.is_constexpr(value) else value for value in args]
        named = {name: value.value if values.is_constexpr(value) else value for name, value in kwargs.items()}
        return self.fn(*unwrapped, **named)

    def __repr__(self):
        return f"ConstexprFunction({self.__module__}:{self.__qualname__})"


def constexpr_function(fn):
    """Makes a Python function callable in kernels: it gets compile-time values and its result is one."""
    return ConstexprFunction(fn)


def must_use_result(value, message=True):
    """Marks a jit function whose result must not be dropped: @must_use_result, or @must_use_result("say why")."""
    if isinstance(value, str):
        return lambda fn: must_use_result(fn, value)
    value._must_use_result = message
    return value


def mangle_type(arg, specialize=False):
    """The type of an argument as signatures spell it."""
    probe = _native.Launchable()
    probe._set_parameters("mangle_type", [("arg", 0 if specialize else DO_NOT_SPECIALIZE, None, False, None)])
    return probe._classify((arg, ), {})[1][0][0]


def get_jit_fn_file_line(fn):
    """(file, line of the `def`) of a jit function, inside autotune and heuristics or not."""
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    return fn.fn.__code__.co_filename, fn._function_text().source.line
