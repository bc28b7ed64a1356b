"""kernel.precompile(...): compiles, in advance, all variants that later launches may need.

    add.precompile(x, y, out, n, BLOCK=1024)                             the variant of this launch, and its siblings:
        n equal to 1, divisible by 16, neither; x, y, out aligned to 16 bytes or not                 3 * 2 * 2 * 2 = 24 kernels
    add.precompile("*fp32", "*fp32", "*fp32", "i32", BLOCK=[512, 1024], num_warps=[4, 8])            a list: each of its values
    add.precompile("*fp16, *fp16, *fp16, i32, 1024", target="cuda:90")                               a signature of `tessera compile`
    add.precompile({"x_ptr": "*fp32", "n": "i32", "BLOCK": 64}, all_variants=["n"])                  only n varies

Kernels compile in parallel on all cores, without the GIL; equal ones are compiled once. They are stored in the disk cache, and
loaded if the device is present, so that later launches neither compile nor load.

Types are written as in signatures. "*fp32:16" and "i32:16" mean divisible by 16, which only matters without `all_variants`. A
dtype stands for a pointer to it.
"""
from __future__ import annotations

import itertools
import os
import time

from . import values
from .parameters import is_type_name
from .specialize import Request, Specializations, _duration, expected_compilations


class Precompiled(Specializations):
    """The result of precompile, a list of Specialization. `seconds` is the wall time, `new` the number of new variants."""

    def __init__(self, name, records, seconds, new):
        super().__init__(name, records)
        self.seconds, self.new = seconds, new

    def _head(self):
        cached = sum(record.from_cache for record in self)
        count = f"{len(self)} kernel" if len(self) == 1 else f"{len(self)} kernels"
        return f"{self.name}: {count}{self._where()} in {_duration(self.seconds)}, {self.new} of them new here, {cached} from the disk"


def precompile(fn, args, kwargs, all_variants, target, device, max_variants, threads):
    """Implements JITFunction.precompile, which documents the arguments. A `grid` is ignored, so that the arguments of a launch can
    be passed unchanged."""
    kwargs.pop("grid", None)
    fn._global_guards.refresh()
    requests = _requests(fn, args, kwargs, all_variants, _parse_target(target), device, max_variants)
    before, began = len(fn.specializations()), time.perf_counter()
    built = _build(fn, requests, threads)
    if target is None:
        for request, (kernel, state) in zip(requests, built):
            keep(fn, request, kernel, state)
    seconds = time.perf_counter() - began
    made = {id(kernel) for kernel, _ in built}
    records = [record for record in fn.specializations() if id(record.kernel) in made]
    return Precompiled(fn.__name__, records, seconds, len(fn.specializations()) - before)


def _parse_target(target):
    if isinstance(target, str):
        from ..backends.compiler import GPUTarget
        return GPUTarget.parse(target)
    return target


# ---- requests ------------------------------------------------------------------------------------------

def _requests(fn, args, kwargs, all_variants, target, device, limit):
    """A Request for each variant."""
    given, options = _bind(fn, args, kwargs)
    strange = [name for name in all_variants if name not in given] if isinstance(all_variants, (list, tuple)) else []
    if strange:
        raise ValueError(f"all_variants names {', '.join(map(repr, strange))}, and the parameters of '{fn.__name__}' are "
                         f"{', '.join(given)}")
    requests = []
    choices = [value if isinstance(value, list) else [value] for value in options.values()]
    for chosen in itertools.product(*choices):
        these = dict(zip(options, chosen))
        alternatives = [_alternatives(fn, param, given[param.name], all_variants) for param in fn.params]
        _check_count(fn, alternatives, len(requests), limit)
        where = fn._fixed_device or device or ("" if target is not None else _device(fn, given))
        for combination in itertools.product(*alternatives):
            specialization = [(kind, key) for kind, key, _ in combination]
            bound = {param.name: value for param, (_, _, value) in zip(fn.params, combination)}
            requests.append(Request(fn, specialization, bound, these, where, target))
            requests[-1].why = "precompiled"
    return requests


def _check_count(fn, alternatives, already, limit):
    count = already
    product = 1
    for each in alternatives:
        product *= len(each)
    if count + product > limit:
        varying = [param.name for param, each in zip(fn.params, alternatives) if len(each) > 1]
        raise ValueError(f"'{fn.__name__}' has {count + product} such variants, more than max_variants={limit}; "
                         f"all_variants=[...] with the names that do vary in your launches, out of {', '.join(varying)}, "
                         "builds fewer")


def _bind(fn, args, kwargs):
    """({parameter: its value or type}, options). The first argument may be a whole signature."""
    names = fn.arg_names
    if len(args) == 1 and isinstance(args[0], dict):
        kwargs = {**args[0], **kwargs}
        args = ()
    elif len(args) == 1 and isinstance(args[0], str) and "," in args[0]:
        args = tuple(part.strip() for part in _split(args[0]))
    if len(args) > len(names):
        raise TypeError(f"'{fn.__name__}' has {len(names)} parameters, {len(args)} were given")
    given = dict(zip(names, args))
    for name in names:
        if name in kwargs and name in given:
            raise TypeError(f"'{fn.__name__}' got '{name}' twice")
        if name in kwargs:
            given[name] = kwargs[name]
    for param in fn.params:
        if param.name not in given:
            if not param.has_default:
                raise TypeError(f"'{fn.__name__}' needs a value or a type for '{param.name}'")
            given[param.name] = param.default
    return given, {name: value for name, value in kwargs.items() if name not in names}


def _split(signature):
    """Splits at the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in signature:
        depth += (letter in "[(<") - (letter in "])>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _device(fn, given):
    """The device that a launch with the tensors among the given values would use."""
    from .. import _native
    real = {name: value for name, value in given.items() if _is_tensor(value)}
    if not real:
        return _native.current_device()
    return fn._classify((), {**_stand_ins(fn), **real})[3]


def _stand_ins(fn):
    """Placeholder arguments for all parameters: None, or a number if the annotation requires one."""
    scalar = {param.name: param.annotation_type and not param.annotation_type.startswith("*") for param in fn.params}
    return {name: 0 if number else None for name, number in scalar.items()}


def _is_tensor(value):
    return any(hasattr(value, name) for name in ("data_ptr", "__cuda_array_interface__", "__array_interface__", "__dlpack__"))


def _alternatives(fn, param, given, all_variants):
    """[(type, key, value)] of one parameter."""
    found = []
    for value in given if isinstance(given, list) else [given]:
        one = _classify(fn, param, value)
        vary = all_variants is True or (all_variants and param.name in all_variants)
        found += _siblings(param, *one) if vary else [one]
    exact = {(repr(kind), type(key).__name__, repr(key)): (kind, key, value) for kind, key, value in found}
    return list(exact.values())


def _classify(fn, param, value):
    """(type, key, value) for a parameter's value, or for the name of a type."""
    value = value.value if values.is_constexpr(value) else value
    if param.is_constexpr:
        return "constexpr", _constant(value), _constant(value)
    if isinstance(value, str):
        return _from_text(fn, param, value)
    if values.is_dtype(value) or (type(value).__name__ == "dtype" and type(value).__module__ == "torch"):
        from .mock_tensors import MockTensor
        value = MockTensor(value)
    kind, key = fn._classify((), {**_stand_ins(fn), param.name: value})[1][param.num]
    return kind, key, None if _is_tensor(value) else value


def _constant(value):
    """The value of a number or True, False, None in a signature; any other str unchanged."""
    if not isinstance(value, str):
        return value
    import ast
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def _from_text(fn, param, text):
    kind, colon, hint = text.strip().rpartition(":") if ":" in text else (text.strip(), "", "")
    if colon and hint not in (("16", "S", "16S") if kind.startswith("*") else ("16", "1")):
        raise ValueError(f"'{text}' for '{param.name}' of '{fn.__name__}': only :16 and :1 may follow a type, and :16, :S and :16S "
                         "one of a pointer")
    if not is_type_name(kind.lstrip("*").lstrip("k")) and not kind.startswith("tensordesc<"):
        value = _constant(text)
        if isinstance(value, str):
            raise ValueError(f"'{text}' for '{param.name}' of '{fn.__name__}' is no type; types look like *fp32, i32, fp64")
        return "constexpr", value, value
    if hint == "1":
        return "constexpr", 1, 1
    has_key = kind.startswith(("*", "tensordesc<")) or kind[0] in "iu" and kind != "u1"
    if not has_key or param.do_not_specialize:
        return kind, None, None
    aligned = hint.startswith("16") and not param.do_not_specialize_on_alignment
    return kind, "D" * aligned + "S" * hint.endswith("S"), None


def _siblings(param, kind, key, value):
    """All specializations of a type: an int that is 1, divisible by 16 or neither; a pointer that is aligned or not."""
    if isinstance(kind, tuple):
        return _tuple_siblings(kind, key, value)
    one = kind == "constexpr" and not param.is_constexpr and type(key) is int and key == 1
    if param.is_constexpr or (kind == "constexpr" and not one):
        return [(kind, key, value)]
    if param.do_not_specialize and not isinstance(kind, tuple):
        return [(kind, key, value)]
    return _leaf_siblings("i32" if one else kind, key, value, not param.do_not_specialize_on_alignment,
                          bool(param.annotation_type))


def _leaf_siblings(kind, key, value, aligned, forced):
    pointer = kind.startswith(("*", "tensordesc<"))
    if not pointer and (kind[0] not in "iu" or kind == "u1"):
        return [(kind, key, value)]
    small = "S" * ("S" in str(key))
    keys = [small, f"D{small}"] if aligned else [small]
    found = [(kind, each, value if each == key else None) for each in keys]
    if not pointer:
        # An int that is 1 is a constant, unless the annotation forces a type; then it only has a key of its own.
        found.append((kind, 1, 1) if forced else ("constexpr", 1, 1))
    return found


def _tuple_siblings(kind, key, value):
    """The specializations of a tuple, whose elements follow the default rules."""
    elements = value if isinstance(value, tuple) else (None, ) * len(kind)
    parts = []
    for each, its_key, its_value in zip(kind, key, elements):
        if isinstance(each, tuple):
            parts.append(_tuple_siblings(each, its_key, its_value))
        elif each == "constexpr" and not (type(its_key) is int and its_key == 1):
            parts.append([(each, its_key, its_value)])
        else:
            parts.append(_leaf_siblings("i32" if each == "constexpr" else each, its_key, its_value, True, False))
    again = type(kind)._make if hasattr(kind, "_make") else tuple
    return [(again(p[0] for p in chosen), tuple(p[1] for p in chosen), tuple(p[2] for p in chosen))
            for chosen in itertools.product(*parts)]


# ---- compilation ------------------------------------------------------------------------------------------

def _build(fn, requests, threads):
    """Compiles all requests: [(kernel, state)]. Raises the first failure after all have been tried."""
    outcomes = compile_all([(fn, request) for request in requests], threads)
    first = next((outcome for outcome in outcomes if isinstance(outcome, BaseException)), None)
    if first is not None:
        raise first
    return outcomes


def compile_all(pairs, threads=None):
    """Compiles (function, request) pairs in parallel; returns (kernel, state) or an exception for each."""
    import contextvars
    from concurrent.futures import ThreadPoolExecutor, as_completed
    from .. import _native
    from ..compiler.waiting import Waiting
    count = min(threads or os.cpu_count() or 1, len(pairs)) or 1
    with expected_compilations(), ThreadPoolExecutor(max_workers=count) as pool:
        try:
            pending = [pool.submit(contextvars.copy_context().run, fn._compile_with_state, request, True)
                       for fn, request in pairs]
            with Waiting(pairs[0][0].__name__ if pairs else "", len(pairs)) as waiting:
                for _ in as_completed(pending):
                    waiting.done()
            return [future.exception() or future.result() for future in pending]
        except BaseException:  # an interrupt: cancel what has not begun, and end the assemblers that are running
            pool.shutdown(wait=False, cancel_futures=True)
            _native.interrupt_compilations()
            raise


def keep(fn, request, kernel, state):
    """Loads a kernel onto its device and adds it to the table of the launch path."""
    if kernel is None:
        return
    variant = fn._builder.load(kernel, request.device)
    for specialization in _launch_keys(fn, request.specialization):
        fn._add_variant(specialization, request.launch_options, request.device, variant, state)


def _launch_keys(fn, specialization):
    """The specializations by which launches look the kernel up; functions are replaced by their cache keys. An int whose type is
    forced has a key of its own if it is 1, although its code is that of other ints."""
    choices = []
    for param, (kind, key) in zip(fn.params, specialization):
        twins = param.annotation_type and isinstance(kind, str) and kind[0] in "iu" and (key == "" or type(key) is int)
        choices.append([(kind, ""), (kind, 1)] if twins else [(kind, _launch_key(kind, key))])
    return [list(chosen) for chosen in itertools.islice(itertools.product(*choices), 64)]


def _launch_key(kind, key):
    if isinstance(kind, tuple):
        return tuple(map(_launch_key, kind, key))
    return key.cache_key if kind == "constexpr" and hasattr(key, "cache_key") else key
