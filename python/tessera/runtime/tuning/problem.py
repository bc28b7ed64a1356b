"""Describes one tuning problem, an autotuned kernel with one tuning key, so that `tessera tune` can solve it elsewhere.

    {"version": 1, "kernel": "matmul", "key": ["256", "'float32'"], "plain_key": [256, "float32"], "code": [...], "target": "cpu",
     "space": 0.2,                                               of a Space: the fraction to measure
     "parameters": [["a", 0], ["BM", 1], ...],                   names, and the flags of FLAGS
     "memory": [{"bytes": 196608, "align": 64, "type": "fp32"}, {"bytes": 64, "align": 0, "type": "i32", "data": "..."}],
     "values": [{"memory": 0, "offset": 0}, {"int": 256}, {"float": "0x1.8p+1"}, null, ...],
     "configs": [{"text": "BM: 32, ...", "kwargs": {"BM": 32}, "num_warps": 4, ..., "program": "matmul.5bd02c15.program",
                  "arguments": [...], "options": {"num_warps": 4}, "grid": [8, 1, 1]}]}

`tessera record` writes one to recorded/tuning/ for each key that autotune meets, without measuring anything by itself. The programs
(docs/program.md) hold the kernel's sources; everything that only the program's Python code knows is evaluated here for each
configuration: the grid, heuristics, early_config_prune, and descriptors' block shapes that a configuration's hook sets. So the
machine that tunes needs none of the program's modules.

Tensors are described by their memory: two arguments that share memory do so when they are tuned. Their contents are not recorded,
except for integers of at most MOST_DATA bytes: kernels take sizes, offsets and indices from such tensors.
"""
from __future__ import annotations

import base64
import hashlib
import json
import sys
import zlib

from ... import knobs
from .config import Space
from .store import code_of, config_text, is_lasting

VERSION = 1
MOST_DATA = 1 << 20
FLAGS = {"is_constexpr": 1, "do_not_specialize": 2, "do_not_specialize_on_alignment": 4, "annotation_type": 8}
_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
_DATA_TYPES = ("i1", "u1", "i16", "i32", "i64", "u16", "u32", "u64")


class Indescribable(Exception):
    """Why a problem cannot be recorded, in one line."""


def describe(tuner, key, configs, args, kwargs, device):
    """(the problem as data for JSON, {file: program}). A problem that cannot be described has "cannot", a sentence, in the place of
    its configurations."""
    from ..driver import target_of_device
    target = target_of_device(device)
    found = {"version": VERSION, "kernel": tuner.base_fn.__name__, "key": [repr(part) for part in key], "code": code_of(tuner),
             "target": target.backend if target.backend == "cpu" else f"{target.backend}:{target.arch}"}
    if all(part is None or isinstance(part, (bool, int, float, str)) for part in key):
        found["plain_key"] = list(key)
    if isinstance(tuner.configs, Space):
        found["space"] = tuner.configs.fraction
    programs = {}
    try:
        _check(tuner, key, found)
        call = _Call(tuner, args, kwargs)
        found["configs"] = [call.row(config, programs) for config in configs]
        found.update(parameters=call.parameters, memory=call.memories.described, values=call.values)
    except Indescribable as problem:
        found["cannot"] = str(problem)
        programs = {}
    except Exception as problem:  # a grid or a rule of the program's that fails; recording must not end the program
        found["cannot"] = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
        programs = {}
    if "cannot" in found:
        found.pop("configs", None)
    return found, programs


def file_name(problem):
    """The name of a problem's file: the same for the same kernel, key and target."""
    text = json.dumps([problem[name] for name in ("kernel", "key", "code", "target")])
    return f"{problem['kernel']}.{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"


def _check(tuner, key, found):
    if found["code"] is None:
        raise Indescribable("it is no jit function")
    if not is_lasting(repr(key)):
        raise Indescribable("its key has an object that another process would not recognise")
    if not tuner.measures_itself:
        raise Indescribable("a do_bench of the program's measures it")
    if tuner.user_defined_pre_hook or tuner.user_defined_post_hook:
        raise Indescribable("it has hooks, which are Python functions of the program")


class _Call:
    """One call of an autotuned kernel. `parameters`, `values` and `memories` are known after the first row."""

    def __init__(self, tuner, args, kwargs):
        self.tuner, self.args = tuner, args
        self.kwargs = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        self.grid = kwargs.get("grid")
        self.parameters, self.values, self.memories = None, None, _Memories()

    def row(self, config, programs):
        from . import search
        if config.pre_hook is not None and not any(hasattr(value, "block_shape") for value in (*self.args, *self.kwargs.values())):
            raise Indescribable("its configurations have hooks, which are Python functions of the program")
        args, kwargs = search._as_the_hook_leaves_them(self.tuner, config, self.args, self.kwargs)
        kwargs = {**kwargs, **config.all_kwargs()}
        fn = self._innermost(args, kwargs)
        bound, specialization, options, device = fn._classify(args, kwargs)
        request = fn._request(bound, specialization, options, device)
        file, program, arguments, symbol = _program_of(fn, request)
        programs[file] = program
        if self.values is None:
            self.parameters = [[param.name, sum(flag for name, flag in FLAGS.items() if getattr(param, name))] for param in fn.params]
            self.values = [self.memories.value(argument, value) for argument, value in zip(arguments, bound.values())]
        return {"text": config_text(config), "kwargs": dict(config.kwargs), **{name: getattr(config, name) for name in _OPTIONS},
                "program": file, "arguments": arguments, **({"symbol": symbol} if symbol else {}), "grid": _extents(self.grid, bound),
                "options": {name: value for name, value in request.options.items() if value is not None}}

    def _innermost(self, args, kwargs):
        """The jit function below heuristics, whose values are added to `kwargs`."""
        from ..autotuner import Heuristics
        from ..jit import JITFunction
        fn = self.tuner.fn
        while isinstance(fn, Heuristics):
            named = {**dict(zip(fn.arg_names, args)), **kwargs}
            for name, rule in fn.values.items():
                named[name] = kwargs[name] = rule(dict(named))
            fn = fn.fn
        if not isinstance(fn, JITFunction):
            raise Indescribable(f"its kernel is a {type(fn).__name__}")
        return fn


def _program_of(fn, request):
    from ...compiler import ASTSource
    from ..program import Program
    from ..record import split_program
    source = ASTSource(fn, request.signature, request.constants, request.attrs)
    with fn._global_guards.lock:
        text = Program(fn, request.signature, source.constants, request.attrs,
                       plain_globals=knobs.compilation.allow_non_constexpr_globals).text
    file, program, arguments, symbol = split_program(fn.__name__, text)
    return file, {**program, "arguments": arguments, **({"symbol": symbol} if symbol else {})}, arguments, symbol


def _extents(grid, bound):
    grid = grid(dict(bound)) if callable(grid) else grid
    extents = [int(each) for each in (grid if isinstance(grid, (tuple, list)) else (grid,))]
    return extents + [1] * (3 - len(extents))


class _Memories:
    """The memory of tensors, in the order of their first use."""

    def __init__(self):
        self.described, self._places = [], {}  # {address: index}

    def value(self, argument, value):
        """How a run-time argument is made; None for a constant. `argument` is the ARGUMENT of docs/program.md."""
        if isinstance(argument, dict):
            if "tuple" in argument:
                return {"tuple": [self.value(each, part) for each, part in zip(argument["tuple"], value)]}
            return None
        if argument.startswith("*"):
            return self._tensor(argument[1:].split(":")[0], value)
        if argument.startswith("tensordesc<"):
            place = self._tensor(argument[len("tensordesc<"):].split("[")[0], value.base)
            return {"descriptor": place, "shape": [int(each) for each in value.shape], "strides": [int(each) for each in value.strides]}
        value = getattr(value, "value", value)
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, (bool, int)):
            return {"int": int(value)}
        raise Indescribable(f"an argument is a {type(value).__name__}")

    def _tensor(self, kind, value):
        if kind.startswith("*"):
            raise Indescribable("an argument is an array of addresses")
        while hasattr(value, "base") and not hasattr(value, "__array_interface__") and not hasattr(value, "untyped_storage"):
            value = value.base  # a reinterpreted tensor
        address, base, size, read = _storage_of(value)
        if base not in self._places:
            self._places[base] = len(self.described)
            memory = {"bytes": size, "align": base % 256, "type": kind.lstrip("k")}
            if memory["type"] in _DATA_TYPES and size <= MOST_DATA:
                memory["data"] = base64.b64encode(zlib.compress(read())).decode()
            self.described.append(memory)
        return {"memory": self._places[base], "offset": address - base}


def _storage_of(value):
    """(the address of a tensor, the address and the bytes of the memory that it is a view of, a function that reads it)"""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        from .guard import _TorchBuffer
        buffer = _TorchBuffer(torch, value)
        return value.data_ptr(), buffer.address, buffer.size, lambda: buffer.bytes.cpu().numpy().tobytes()
    if numpy is not None and isinstance(value, numpy.ndarray):
        owner = value
        while isinstance(owner.base, numpy.ndarray):
            owner = owner.base
        return value.ctypes.data, owner.ctypes.data, owner.nbytes, owner.tobytes
    raise Indescribable(f"an argument is a {type(value).__name__}, and only tensors of torch and NumPy are recorded")
