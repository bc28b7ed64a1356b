"""Tables of choices, to be shipped with a program: what autotuning chose for each key on each device.

    {"version": 1, "kernel": "matmul_kernel",
     "choices": [{"key": [4096, "torch.float16"], "device": "NVIDIA H200", "kwargs": {"BM": 128}, "num_warps": 8, ...}]}
"""
from __future__ import annotations

import json
import math
import os

from ... import _native
from .config import Config
from .store import device_name

_VERSION = 1
_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


def choices_of(cache, devices):
    """The choices of a cache {key: Config} as data for JSON; `devices` are those that the keys were measured on. Choices whose
    key or parameters hold more than numbers, strings and None are left out."""
    names = {key: device_name(device) for key, device in devices.items()}
    return [_entry(key, names.get(key), config) for key, config in list(cache.items()) if _is_plain(key, config)]


def _is_plain(key, config):
    """Returns whether JSON gives back what it is given."""
    return all(part is None or isinstance(part, (bool, int, float, str)) for part in (*key, *config.kwargs.values()))


def entry_of(key, device, config):
    """A choice with the target of the device, for packs; None if JSON cannot hold it."""
    from ..driver import target_of_device
    if not _is_plain(key, config):
        return None
    target = target_of_device(device)
    name = target.backend if target.backend == "cpu" else f"{target.backend}:{target.arch}"
    return {**_entry(key, device_name(device), config), "target": name}


def packed(kernel, key, configs, device, nearest=False):
    """The Config that packs have for a key, measured on this device, else on one of the same target; None if they have none, or one
    that is not among `configs` any more. With `nearest`, that of the key whose numbers are most alike will do."""
    from ..packs import packed_choices
    choices = packed_choices(kernel)
    if not choices:
        return None
    from ..driver import target_of_device
    target = target_of_device(device)
    name = target.backend if target.backend == "cpu" else f"{target.backend}:{target.arch}"
    here = device_name(device)
    known = {tuple(config.all_kwargs().items()): config for config in configs}
    found = []
    for entry in choices:
        distance = _distance(entry.get("key"), key)
        config = _config(entry) if entry.get("device") == here or entry.get("target") == name else None
        if config is None or distance is None or (distance and not nearest):
            continue
        config = known.get(tuple(config.all_kwargs().items()))
        if config is not None:
            found.append((distance, entry.get("device") != here, len(found), config))
    return min(found)[-1] if found else None


def _distance(key, other):
    """How far two tuning keys are apart: 0 if they are equal, the sum of their numbers' ratios as logarithms; None if they differ in
    anything else, such as an element type."""
    if not isinstance(key, list) or len(key) != len(other):
        return None
    total = 0.0
    for left, right in zip(key, other):
        if left == right:
            continue
        numbers = all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in (left, right))
        if not numbers:
            return None
        total += abs(math.log2((1 + abs(left)) / (1 + abs(right)))) + 1e-9
    return total


def _config(entry):
    try:
        return Config(**{name: value for name, value in entry.items() if name not in ("key", "device", "target")})
    except TypeError:  # of another version
        return None


def _entry(key, device, config):
    options = {name: getattr(config, name) for name in _OPTIONS}
    return {"key": list(key), "device": device, "kwargs": dict(config.kwargs), **options}


def write(path, kernel, choices):
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"version": _VERSION, "kernel": kernel, "choices": choices}, file, indent=1)
    os.replace(temporary, path)


def read_json(path):
    """The content of a file that save_tuned or another program has written."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)} is not JSON ({error}); kernel.save_tuned(path) writes such files") from None


def read(path, kernel, configs, any_device=False):
    """[(key, Config)] of a file's choices for this device, or for any; a Config that is among `configs` is that one, with its
    hook."""
    content = read_json(path)
    if not isinstance(content, dict) or content.get("version") != _VERSION or content.get("kernel") != kernel:
        raise ValueError(f"{os.fspath(path)} holds no choices for {kernel}")
    known = {tuple(config.all_kwargs().items()): config for config in configs}
    devices = {None, device_name("cpu"), device_name(_native.current_device())}
    found = []
    for entry in content["choices"]:
        if any_device or entry["device"] in devices:
            config = Config(**{name: value for name, value in entry.items() if name not in ("key", "device", "target")})
            found.append((tuple(entry["key"]), known.get(tuple(config.all_kwargs().items()), config)))
    return found
