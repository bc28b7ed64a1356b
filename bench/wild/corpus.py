"""What an operator of the corpus is: a function that makes inputs and returns a Case.

    @operator(suspect=True, variants=[dict(D=64), dict(D=128)])
    def attention(w, D):
        q = w.randn(4, 16, w.pick(2048, 128), D)
        return Case(lambda: forward(q), reference=lambda: torch_forward(q.double()))

A module of programs/ or packages/ has any number of them; the full name is MODULE.OPERATOR, with the values of the variant
behind it. `w` (World) says where the tensors live and how large they are: `w.pick(large, small)` gives the second value on a
CPU. A case's `call` launches the kernels and returns tensors (nested in tuples, lists and dicts); its `reference` returns what
they should be, from torch in higher precision.
"""
import dataclasses
import importlib
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("programs", "packages")
REGISTERED = {}  # full name: Operator; filled by importing modules


class LazyTorch:
    """torch, imported when it is first used: the static half compiles kernels where there is none."""

    def __getattr__(self, name):
        return getattr(importlib.import_module("torch"), name)


torch = LazyTorch()


@dataclasses.dataclass
class Case:
    call: object
    reference: object = None
    tolerance: float = 0.0  # 0: chosen by the type of the result
    exact: bool = False
    allowed: float = 0.0    # the share of elements that may differ, as roundings of a quantised result do


@dataclasses.dataclass
class Operator:
    name: str
    make: object
    variant: dict
    suspect: bool = False
    limit: int = 120  # seconds for the whole program, compilation included
    gpu_only: str = ""  # why it does not run on the CPU

    def case(self, world):
        return self.make(world, **self.variant)


def operator(suspect=False, variants=({},), limit=120, gpu_only=""):
    def register(make):
        stem = make.__module__.rpartition(".")[2]
        for variant in variants:
            words = [stem + "." + make.__name__, *(value_word(key, value) for key, value in variant.items())]
            name = "-".join(words)
            if name in REGISTERED:
                raise ValueError(f"two operators are named {name}")
            REGISTERED[name] = Operator(name, make, dict(variant), suspect, limit, gpu_only)
        return make
    return register


def value_word(key, value):
    text = str(value).replace("torch.", "").replace(" ", "").replace("(", "").replace(")", "").replace(",", "x").replace("/", "_")
    return text if isinstance(value, str) or text.startswith(("float", "bfloat", "int")) else f"{key}{text}"


class World:
    """Where tensors live. `hollow`: nothing reads their contents, so floating-point ones are left as they are."""

    def __init__(self, device, hollow=False, small=None):
        self.device, self.hollow = device, hollow
        self.small = (device == "cpu" and not hollow) if small is None else small

    def pick(self, large, small):
        return small if self.small else large

    def randn(self, *shape, dtype=None, scale=1.0):
        dtype = dtype or torch.float16
        if self.hollow:
            return torch.empty(shape, dtype=dtype, device=self.device)
        if dtype.itemsize == 1 and dtype.is_floating_point:
            return (torch.randn(shape, device=self.device) * scale).to(dtype)
        wide = torch.randn(shape, device=self.device, dtype=torch.float32 if dtype != torch.float64 else dtype)
        return (wide * scale).to(dtype)

    def rand(self, *shape, dtype=None):
        dtype = dtype or torch.float32
        return torch.empty(shape, dtype=dtype, device=self.device) if self.hollow else torch.rand(shape, device=self.device).to(dtype)

    def randint(self, low, high, shape, dtype=None):
        return torch.randint(low, high, shape, device=self.device, dtype=dtype or torch.int64)

    def arange(self, *bounds, dtype=None):
        return torch.arange(*bounds, device=self.device, dtype=dtype or torch.int64)

    def tensor(self, values, dtype=None):
        return torch.tensor(values, device=self.device, dtype=dtype)

    def empty(self, *shape, dtype=None):
        return torch.empty(shape, dtype=dtype or torch.float16, device=self.device)

    def zeros(self, *shape, dtype=None):
        return torch.zeros(shape, dtype=dtype or torch.float16, device=self.device)

    def processors(self):
        """How many programs a persistent kernel starts."""
        if self.device == "cpu":
            return 132 if self.hollow else 4
        return torch.cuda.get_device_properties(0).multi_processor_count


def module_names(folder):
    path = os.path.join(HERE, folder)
    return sorted(name[:-3] for name in os.listdir(path) if name.endswith(".py") and not name.startswith("_"))


def load(folder, module):
    """Imports a module of operators; returns its operators."""
    if HERE not in sys.path:
        sys.path.insert(0, HERE)
    sys.modules.setdefault("corpus", sys.modules[__name__])
    loaded = importlib.import_module(f"{folder}.{module}")
    return {name: op for name, op in REGISTERED.items() if op.make.__module__ == loaded.__name__}


def flatten(value):
    """The tensors in a nested result, each with a path."""
    import numbers
    if isinstance(value, dict):
        return list(itertools.chain.from_iterable([(f"{k}{p}", t) for p, t in flatten(v)] for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return list(itertools.chain.from_iterable([(f"[{i}]{p}", t) for p, t in flatten(v)] for i, v in enumerate(value)))
    if isinstance(value, torch.Tensor):
        return [("", value.detach())]
    if isinstance(value, numbers.Number):
        return [("", torch.tensor(value, dtype=torch.float64))]
    return []
