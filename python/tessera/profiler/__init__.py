"""triton.profiler (Proton) for programs that use it beside other things: all as Proton does it under TRITON_PROTON_DISABLE=1.

    import triton.profiler as proton
    proton.start("matmul", hook="triton")           RuntimeWarning: nothing is recorded; no session
    with proton.scope("cublas"): ...                runs its body
    proton.finalize()                               writes no file

Tessera has no profiler of its own. Nsight Systems and torch.profiler see its kernels by their names, with their lines; hooks
(knobs.runtime.launch_enter_hook) get what `launch_metadata` says.
"""
import contextlib
import functools
import warnings

DEFAULT_PROFILE_NAME = "proton"


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """None, where Proton gives the number of a session; a warning, unless TRITON_PROTON_DISABLE says that it is wanted so."""
    from .. import knobs
    if not knobs.proton.disable:
        warnings.warn("Tessera has no profiler: proton.start() records nothing, and finalize() writes no file. Nsight Systems and "
                      "torch.profiler see the kernels. TRITON_PROTON_DISABLE=1 silences this.", RuntimeWarning, stacklevel=2)


def activate(session=None):
    """Of a session; there is none."""


def deactivate(session=None):
    """Of a session; there is none."""


def finalize(session=None, output_format=""):
    """Of all sessions; there is none."""


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Decorator: start() before each call of the function."""
    if func is None:
        return functools.partial(profile, name=name, context=context, data=data, backend=backend, mode=mode, hook=hook)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
        return func(*args, **kwargs)

    return wrapper


class _Block(contextlib.ContextDecorator):
    """A `with` block or a decorator."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


class scope(_Block):
    """A part of the program."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics


class cpu_timed_scope(scope):
    """The same, for what runs on the CPU."""


class state(_Block):
    """What the program is about."""

    def __init__(self, name):
        self.name = name


def enter_scope(name, *, metrics=None):
    """The number of the scope; without a session it has none."""


def exit_scope(name=None, *, metrics=None):
    """The number of the scope; without a session it has none."""


def enter_state(name):
    """The same as `with state(name):`, in two calls."""


def exit_state():
    """The same as the end of `with state(name):`."""
