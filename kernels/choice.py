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

from .loading import FOLDER, load

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
    return max(total + (0 if operator in WITHOUT_RESULT else first), 1)


@functools.lru_cache(maxsize=None)
def device_name(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else ""


def choose(operator, device, moved):
    """Returns (version, {kernel: configuration})."""
    candidates = sizes_measured(operator, device.type, device_name(device))
    if not candidates:
        return DEFAULT, {}
    _, version, config = min(candidates, key=lambda c: abs(math.log(c[0] / moved)))
    return version, config


def function_for(operator, device, args, kwargs):
    """Returns the wrapper of the chosen version, with the chosen configuration."""
    version, config = choose(operator, device, bytes_moved(operator, args, kwargs))
    return getattr(load(operator, version, json.dumps(config, sort_keys=True)), f"triton_{operator}")


def chosen(operator, *args, **kwargs):
    """Returns (version, configuration) that a call of an operator with these arguments would use."""
    device = next(a.device for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor))
    return choose(operator, device, bytes_moved(operator, args, kwargs))
