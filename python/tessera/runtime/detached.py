"""Jit functions without their Python function: as torch.compile's workers send them to the parent process.

A worker defines a kernel in a module that the parent cannot import, compiles it, takes the live parts away
(fn.fn = None, fn.__globals__ = None) and pickles the rest. What arrives has a name, a text and parameters; it can be asked
about them and cannot be launched.
"""
from __future__ import annotations

from . import parameters

_KEPT = ("__name__", "__qualname__", "__module__", "__doc__", "module", "version", "do_not_specialize",
         "do_not_specialize_on_alignment", "debug", "_noinline", "arg_names", "constexprs", "_new_text", "repr")


def reduce_detached(function):
    """What pickle needs to make the function again; for one whose `fn` is None."""
    state = {name: function.__dict__[name] for name in _KEPT if name in function.__dict__}
    state["_text"] = function._text
    described = [(param.num, param.name, param.annotation, param.has_default, param.default if param.has_default else None,
                  param.do_not_specialize, param.do_not_specialize_on_alignment) for param in function.params]
    return restore_detached, (state, described)


def restore_detached(state, described):
    from .jit import JITFunction
    function = JITFunction.__new__(JITFunction)
    function.__dict__.update(state, fn=None, __globals__=None, __wrapped__=None, launch_metadata=None, kernel=None,
                             _repr=None, _digest=None, _location=None)
    function.pre_run_hooks = ()
    function.params = [
        parameters.KernelParam(num, name, annotation, default if has_default else parameters._nothing, *unspecialized)
        for num, name, annotation, has_default, default, *unspecialized in described
    ]
    function._set_parameters(function.__name__, [param.for_launches() for param in function.params])
    function._reset()
    return function
