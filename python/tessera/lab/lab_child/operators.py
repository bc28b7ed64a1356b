"""Loads an operator's folder: its reference, its cases' inputs and its versions.

The folder that holds the operators becomes the package `lab_kernels`, so that their relative imports work wherever it lies.
"""
import importlib
import sys
import types

PACKAGE = "lab_kernels"


def kernels_package(folder):
    """Makes `folder` the package lab_kernels."""
    package = types.ModuleType(PACKAGE, "The folder of operators.")
    package.__path__ = [folder]
    sys.modules[PACKAGE] = package
    return package


class Operator:
    """An operator, and the one of its versions that this process runs."""

    def __init__(self, kernels, name):
        if PACKAGE not in sys.modules:
            kernels_package(kernels)
        self.name = name
        self.reference_module = importlib.import_module(f"{PACKAGE}.{name}.reference")
        self.reference = self.reference_module.reference
        self.version, self.module, self.function = None, None, None

    def choose(self, version):
        """Imports a version; `function` is its wrapper."""
        self.version = version
        self.module = importlib.import_module(f"{PACKAGE}.{self.name}.{version}")
        self.function = getattr(self.module, "triton_" + self.name, None)
        if self.function is None:
            raise AttributeError(f"{version}.py has no function triton_{self.name}")

    def choose_torch(self, compiled, rival=""):
        """torch's own function, torch.compile's version of it, or the rival of that name."""
        import torch
        function = self.option("rivals")[rival] if rival else self.reference
        self.function = torch.compile(function, dynamic=False) if compiled else function

    def option(self, name, default=None):
        """An optional setting of reference.py."""
        return getattr(self.reference_module, name, default)

    def inputs(self, case, device, seed):
        """(args, kwargs) of a case. The seed decides all random values."""
        import torch
        from . import inputs
        generator = torch.Generator().manual_seed(seed)
        torch.manual_seed(seed)  # for functions of torch that take no generator
        args, kwargs = self.reference_module.make_inputs(dict(case), device, generator)
        return inputs.adapt(tuple(args), dict(kwargs), case, generator)

    def large_inputs(self, case, device, seed):
        """The same for sizes that are timed: on a GPU, random numbers are made there, which saves seconds."""
        from . import inputs
        if device != "cuda":
            return self.inputs(case, device, seed)
        try:
            with inputs.random_on_device(device):
                return self.inputs(case, device, seed)
        except (RuntimeError, TypeError, ValueError):  # make_inputs mixes them with tensors of the CPU
            return self.inputs(case, device, seed)

    def facts(self, case):
        return dict(self.reference_module.facts(dict(case)))

    def tolerance(self, dtype):
        """(rtol, atol) for a torch dtype."""
        given = self.option("tolerance")
        found = given(dtype) if given else None
        if found is not None:
            return tuple(found)
        name = str(dtype).removeprefix("torch.")
        size = {"float64": 1e-7, "float32": 1e-5, "float16": 1e-3, "bfloat16": 1.6e-2}.get(name, 0.0)
        return size, size

    def high_precision(self, args, kwargs):
        """The result in float64."""
        from . import inputs
        given = self.option("high_precision")
        if given:
            return given(*args, **kwargs)
        return self.reference(*inputs.in_float64(args), **inputs.in_float64(kwargs))
