"""Chooses an operator's version and configuration from the records of the lab, by device and size.

Records lie in logs/OP.json, beside the kernels in an installed package and at the repository's root in a checkout. Of the records of times,
the newest one of the arguments' device (by type and name) counts. Of its sizes, the nearest one counts, by the number of bytes that the
operator moves. Its choice names the version; that version's entry names the configuration of each autotuned kernel.
"""
import functools
import json
import math
import os

import torch

from .loading import FIRST, FOLDER, load

DEFAULT = "v4_optimized"
WITHOUT_RESULT = ("cross_entropy",)  # whose result is small: the others have one of about the size of the first argument


@functools.lru_cache(maxsize=None)
def records(operator):
    """The records of times of an operator, oldest first."""
    for folder in (os.path.join(FOLDER, "logs"), os.path.join(os.path.dirname(FOLDER), "logs")):
        try:
            with open(os.path.join(folder, operator + ".json"), encoding="utf-8") as file:
                told = json.load(file)
        except (OSError, ValueError):
            continue
        if isinstance(told, dict) and told.get("format") == 1:
            return [record for record in told.get("records", []) if record.get("kind") == "time"]
    return []


@functools.lru_cache(maxsize=None)
def sizes_measured(operator, device_type, device_name):
    """[(bytes, version, {kernel: configuration}), ...] of the newest record of a device."""
    for record in reversed(records(operator)):
        device = record.get("device", {})
        if device.get("type") == device_type and (device_type == "cpu" or device.get("name") == device_name):
            return [measured(record, name, size) for name, size in record.get("sizes", {}).items() if measured(record, name, size)]
    return []


def measured(record, name, size):
    version = record.get("choice", {}).get(name) or size.get("best")
    entry = size.get("contestants", {}).get(f"tessera:{version}")
    if not version or entry is None or not size.get("facts", {}).get("bytes"):
        return None
    return size["facts"]["bytes"], version, entry.get("config") or {}


def bytes_moved(operator, args, kwargs):
    """About how many bytes the operator reads and writes."""
    tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
    total = sum(t.numel() * t.element_size() for t in tensors)
    first = tensors[0].numel() * tensors[0].element_size()
    return total + (0 if operator in WITHOUT_RESULT else first)


@functools.lru_cache(maxsize=None)
def device_name(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else ""


_functions = {}  # (operator, device, logarithm of the bytes): the wrapper


def function_for(operator, device, args, kwargs):
    """Returns the wrapper of the chosen version, with the chosen configuration."""
    key = operator, device, bytes_moved(operator, args, kwargs).bit_length()
    function = _functions.get(key)
    if function is None:
        version, config = choose(operator, device, 3 << key[2] >> 2)  # the middle of what has as many bits
        function = _functions[key] = getattr(load(operator, version, json.dumps(config, sort_keys=True)), f"triton_{operator}")
    return function


def forget():
    """Reads the records again."""
    _functions.clear()
    records.cache_clear()
    sizes_measured.cache_clear()


def choose(operator, device, moved):
    """Returns (version, {kernel: configuration}). Without a record a GPU's kernels search for their configurations; on the CPU, where these
    matter less than the time of a search, they use the first."""
    candidates = sizes_measured(operator, device.type, device_name(device))
    if not candidates:
        return DEFAULT, FIRST if device.type == "cpu" else {}
    _, version, config = min(candidates, key=lambda c: abs(math.log(c[0] / max(moved, 1))))
    return version, config


def chosen(operator, *args, **kwargs):
    """Returns (version, configuration) that a call of an operator with these arguments would use."""
    device = next(a.device for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor))
    return choose(operator, device, 3 << bytes_moved(operator, args, kwargs).bit_length() >> 2)
