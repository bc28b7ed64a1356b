"""The interface of triton.profiler (Proton), which does nothing: it behaves like Proton under TRITON_PROTON_DISABLE=1.

    import triton.profiler as proton
    proton.start("matmul", hook="triton")           RuntimeWarning: nothing is recorded; no session
    with proton.scope("cublas"): ...                runs its body
    proton.finalize()                               writes no file

Tessera has no profiler. Nsight Systems and torch.profiler show its kernels with their names and lines, and hooks
(knobs.runtime.launch_enter_hook) get the values of `launch_metadata`.
"""
import contextlib
import functools
import warnings

DEFAULT_PROFILE_NAME = "proton"


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Returns None in the place of Proton's session number, and warns unless TRITON_PROTON_DISABLE is set."""
    from .. import knobs
    if not knobs.proton.disable:
        warnings.warn("Tessera has no profiler: proton.start() records nothing, and finalize() writes no file. Nsight Systems and "
                      "torch.profiler see the kernels. TRITON_PROTON_DISABLE=1 silences this.", RuntimeWarning, stacklevel=2)


def activate(session=None):
    """Does nothing: there are no sessions."""


def deactivate(session=None):
    """Does nothing: there are no sessions."""


def finalize(session=None, output_format=""):
    """Does nothing: there are no sessions."""


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
    """A context manager and decorator without effect."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


class scope(_Block):
    """Names a part of the program."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics


class cpu_timed_scope(scope):
    """Names a part of the program that runs on the CPU."""


class state(_Block):
    """Names the state of the program."""

    def __init__(self, name):
        self.name = name


def enter_scope(name, *, metrics=None):
    """Returns None: without a session a scope has no number."""


def exit_scope(name=None, *, metrics=None):
    """Returns None: without a session a scope has no number."""


def enter_state(name):
    """The same as `with state(name):`, in two calls."""


def exit_state():
    """The same as the end of `with state(name):`."""
