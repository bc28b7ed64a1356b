"""Hooks around compilations and launches, the JSON of a variant, and the caches as clients see them.

    knobs.runtime.jit_cache_hook = f         before: f(key=, repr=, fn=, compile=, is_manual_warmup=, already_compiled=);
                                             a true result prevents the compilation
    knobs.runtime.jit_post_compile_hook = f  after
    kernel.preload(compile["specialization_data"])    in another process: compiles the variant without arguments
"""
from __future__ import annotations

from .. import _native
from . import values
from .specialize import Request, compute_cache_key  # noqa: F401


class JitFunctionInfo:
    """The argument `fn` of hooks."""

    def __init__(self, module, name, jit_function):
        self.module, self.name, self.jit_function = module, name, jit_function


# The options that hooks get by name.
_SHOWN_OPTIONS = ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid")


def call(fn, hook, request, is_warmup):
    """Calls a hook; returns its result, or None without a hook."""
    if not hook:
        return None
    from ..compiler import make_backend
    options = make_backend(request.target).parse_options(dict(request.options))
    shown = {name: getattr(options, name, None) for name in _SHOWN_OPTIONS}
    arguments = ", ".join(f"{param.name}: {kind}" for param, kind in zip(fn.params, request.signature.values()))
    compilation = {
        "key": request.key, "signature": request.signature, "device": _device_number(request.device),
        "constants": request.constants, **shown, "extern_libs": getattr(options, "extern_libs", None),
        "configs": [request.attrs], "specialization_data": write_specialization_data(fn, request), "is_warmup": is_warmup,
    }
    return hook(key=request.key, repr=f"{fn.fn.__qualname__}[{', '.join(f'{k}={v}' for k, v in shown.items())}]({arguments})",
                fn=JitFunctionInfo(fn.fn.__module__, fn.fn.__qualname__, fn), compile=compilation, is_manual_warmup=is_warmup,
                already_compiled=False)


def launch(fn, grid, args, kwargs, enter, leave):
    """Launches a jit function between the launch hooks of knobs.runtime, which get the kernel's launch metadata."""
    found = fn._find_call(args, kwargs)
    if found is None:
        return None
    variant, bound, device = found
    grid = grid(bound) if callable(grid) else grid
    stream = 0 if device == "cpu" else _native.current_stream(int(device[5:]))
    metadata = variant.result.launch_metadata(tuple(grid), stream, *bound.values())
    if enter is not None:
        enter(metadata)
    try:
        return fn._launch(grid, args, kwargs)
    finally:
        if leave is not None:
            leave(metadata)


def _device_number(device):
    return int((device or "").partition(":")[2] or 0)


# ---- specialization_data ------------------------------------------------------------------------------

def write_specialization_data(fn, request):
    """The JSON from which `preload` compiles the variant. Values that JSON cannot represent are marked."""
    import json
    data = _variant_data(fn._fn_name, request.signature, request.constants, request.attrs, request.options, request.key)
    return json.dumps({
        **data,
        # In addition to Triton's fields: the options and keys by which launches find this variant.
        "launch_options": sorted(set(request.launch_options) & set(data["options"])), "device": request.device,
        "keys": [_write_keys(kind, key) for kind, key in request.specialization],
        "classes": [_write(type(kind)) if hasattr(kind, "_fields") else None for kind in request.signature.values()],
    })


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """The same JSON under Triton's name, for programs that write it themselves, or replace this function."""
    import json
    return json.dumps(_variant_data(name, signature, constants, attrs, vars(options), key))


def _variant_data(name, signature, constants, attrs, options, key):
    return {
        "name": name, "signature": signature,
        "constant_keys": [list(path) for path in constants], "constant_vals": [_write(value) for value in constants.values()],
        "attrs_keys": [list(path) for path in attrs], "attrs_vals": list(attrs.values()),
        "options": {name: value for name, value in options.items() if _is_plain(value)}, "key": key,
    }


def _is_plain(value):
    return value is None or isinstance(value, (bool, int, float, str, list, tuple, dict))


def _write_keys(kind, key):
    if isinstance(kind, tuple):
        return [_write_keys(*each) for each in zip(kind, key)]
    return None if kind == "constexpr" else key


def _write(value):
    if values.is_constexpr(value):
        return {"constexpr": _write(value.value)}
    if values.is_dtype(value):
        return {"dtype": values.dtype_text(value)}
    if isinstance(value, tuple):
        return {"tuple": [_write(each) for each in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "__qualname__") and "<locals>" not in value.__qualname__:
        return {"named": [value.__module__, value.__qualname__]}
    return {"lost": values.describe(value)}


def can_be_restored(request):
    """Returns whether JSON can represent all constants and classes of a variant."""
    classes = [type(kind) for kind in request.signature.values() if hasattr(kind, "_fields")]
    return not any(_is_lost(_write(value)) for value in (*request.constants.values(), *classes))


def _is_lost(written):
    """Returns whether a result of _write has a part that JSON cannot represent."""
    if isinstance(written, list):
        return any(map(_is_lost, written))
    return isinstance(written, dict) and ("lost" in written or any(map(_is_lost, written.values())))


def _read(value):
    if not isinstance(value, dict):
        return value
    (kind, inner), = value.items()
    if kind == "constexpr":
        from ..language import constexpr
        return constexpr(_read(inner))
    if kind == "dtype":
        return values.find("dtype", inner)
    if kind == "tuple":
        return tuple(_read(each) for each in inner)
    if kind == "named":
        import importlib
        found = importlib.import_module(inner[0])
        for part in inner[1].split("."):
            found = getattr(found, part)
        return found
    raise ValueError(f"a variant has a constant that text cannot hold: {inner}")


def read_specialization_data(fn, text):
    """The Request of a JSON of write_specialization_data: for the CPU if the variant was, else for the current device."""
    import json
    data = json.loads(text)
    if data["name"] != fn._fn_name:
        raise RuntimeError(f"the specialization is of {data['name']}, and this function is {fn._fn_name}")
    constants = {tuple(path): _read(value) for path, value in zip(data["constant_keys"], data["constant_vals"])}
    attrs = {tuple(path): value for path, value in zip(data["attrs_keys"], data["attrs_vals"])}
    count = len(data["signature"])
    keys, classes = data.get("keys") or [_UNKNOWN] * count, data.get("classes") or [None] * count
    specialization, bound = [], {}
    for index, (name, kind) in enumerate(data["signature"].items()):
        kind, key, bound[name] = _read_argument((index, ), kind, keys[index], constants, attrs)
        specialization.append((_read(classes[index])._make(kind) if classes[index] else kind, key))
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in data["options"].items()}
    given = data.get("launch_options", options)
    device = "cpu" if data.get("device") == "cpu" else _native.current_device()
    return Request(fn, specialization, bound, {name: options[name] for name in given}, fn._fixed_device or device)


_UNKNOWN = object()


def _read_argument(path, kind, key, constants, attrs):
    """(type, key, value) of the argument at a path; JSON's lists become tuples."""
    if isinstance(kind, list):
        keys = key if isinstance(key, list) else [_UNKNOWN] * len(kind)
        parts = [_read_argument(path + (i, ), *each, constants, attrs) for i, each in enumerate(zip(kind, keys))]
        return tuple(p[0] for p in parts), tuple(p[1] for p in parts), tuple(p[2] for p in parts)
    if kind == "constexpr":
        return kind, constants.get(path), constants.get(path)
    if key is _UNKNOWN:
        promises = attrs.get(path, ())
        key = "D" * (["tt.divisibility", 16] in promises) + "S" * (["tt.pointer_range", 32] in promises)
    return kind, key, None


# ---- device_caches ------------------------------------------------------------------------------------

class KernelCache(dict):
    """The kernels of one function on one device by their keys; clear() removes them from the function."""

    def __init__(self, fn, kernels):
        super().__init__(kernels)
        self._fn = fn

    def clear(self):
        super().clear()
        self._fn._reset()


class DeviceCaches:
    """kernel.device_caches[device] -> (kernels by key, keys, target, backend, binder)."""

    def __init__(self, fn):
        self._fn = fn

    def _name(self, device):
        from .driver import driver
        if isinstance(device, str):
            return device
        if driver.target_of_program() is not None:
            return ""  # kernels for the program's own target belong to no device
        return f"cuda:{device}" if _native.current_device().startswith(("cuda", "hip")) else "cpu"

    def __getitem__(self, device):
        from ..compiler import make_backend
        from .driver import driver, target_of_device
        name = self._name(device)
        own = None if name else driver.target_of_program()
        target = target_of_device(name) if name else own or driver.active.get_current_target()
        # Kernels that precompile made for other targets belong to no device either.
        kernels = {record.key: record.kernel for record in self._fn.specializations()
                   if record.device == name and (own is None or record.target == str(own))}
        return KernelCache(self._fn, kernels), {}, target, make_backend(target), self._bind

    def _bind(self, *args, **kwargs):
        return self._fn._classify(args, kwargs)[:3]

    def keys(self):
        return list(dict.fromkeys(record.device for record in self._fn.specializations()))

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, device):
        return self._name(device) in self.keys()

    def values(self):
        return [self[device] for device in self.keys()]

    def items(self):
        return [(device, self[device]) for device in self.keys()]

    def clear(self):
        self._fn._reset()
