"""Imports the versions of the operators with Tessera in the place of Triton, whether Triton is installed or not."""
import functools
import importlib
import json
import os
import sys
import threading
import types

from .. import dropin

FOLDER = os.path.dirname(os.path.realpath(__file__))
FIRST = "first"
_lock = threading.RLock()


def _import(name):
    """The files say `import triton`. The drop-in is undone afterwards: the rest of the program keeps its Triton."""
    if dropin.is_installed():
        return importlib.import_module(name)
    with dropin.install_as_triton(replace=True):
        return importlib.import_module(name)


def _package(name):
    """A package with the folder's modules under another name. `tessera.kernels.softmax` is a function; and modules that differ in their
    configurations need a name each."""
    full = f"{__package__}.{name}"
    if full not in sys.modules:
        package = types.ModuleType(full)
        package.__path__, package.__package__ = [FOLDER], full
        sys.modules[full] = package
    return full


@functools.lru_cache(maxsize=None)
def load(operator, module, config="{}"):
    """Imports a module of an operator's folder. `config`, in JSON, is {kernel: configuration}: each autotuned kernel that it names has
    that configuration alone, if it is one of the kernel's. Or it is "first": each has its first configuration alone."""
    configs = json.loads(config)
    with _lock:
        package = _package("versions" if not configs else f"versions_{abs(hash(config)):x}")
        loaded = _import(f"{package}.{operator}.{module}")
        for tuner in vars(loaded).values():
            if type(tuner).__name__ == "Autotuner":
                if configs == FIRST:
                    tuner.configs = tuner.configs[:1]
                else:
                    _prefer(tuner, _matching(tuner, configs.get(tuner.base_fn.__name__)))
        return loaded


def _matching(tuner, wanted):
    """The configurations that have all values that are wanted."""
    if not wanted:
        return []
    return [c for c in tuner.configs if getattr(c, "maxnreg", None) == wanted.get("maxnreg")
            and all(c.all_kwargs().get(name) == value for name, value in wanted.items() if name in c.all_kwargs())]


def _prefer(tuner, wanted):
    """Gives a kernel these configurations alone. Where its own rule leaves none of them for the arguments, it has the others: a record of
    rows of one length must not decide for rows of any length."""
    rule = tuner.early_config_prune
    if wanted and rule is None:
        tuner.configs = wanted
    elif wanted:
        def prune(configs, arguments, **constants):
            fitting = rule(configs, arguments, **constants)
            return [c for c in fitting if c in wanted] or fitting
        tuner.early_config_prune = prune
