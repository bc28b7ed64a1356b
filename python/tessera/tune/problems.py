"""The problems of a recorded manifest: recorded/tuning/*.json (runtime/tuning/problem.py describes them).

    problems, unsolvable = read("recorded")
    problem.bundle()                        the problem with its programs, as one dict that can be sent elsewhere
"""
from __future__ import annotations

import hashlib
import json
import os

from ..runtime.tuning.config import Config
from ..runtime.tuning.problem import VERSION
from ..runtime.tuning.store import TuningStore

_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


class Unusable(Exception):
    """A manifest or a problem that cannot be read, in one line."""


class Problem:
    """One kernel with one tuning key. `configs` are Configs without hooks, in the program's order."""

    def __init__(self, data, programs, inputs=""):
        self.data, self.programs = data, programs
        self.kernel, self.target, self.rows = data["kernel"], data["target"], data["configs"]
        self.inputs = inputs or data.get("inputs", "")
        self.configs = [Config(row["kwargs"], **{name: row.get(name) for name in _OPTIONS}) for row in self.rows]
        self.texts = [row["text"] for row in self.rows]

    @property
    def key_text(self):
        """The tuning key in short: "4096, 4096, fp16"."""
        short = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}
        parts = [part.strip("'").replace("torch.", "") for part in self.data["key"]]
        words = [short.get(part, part) for part in parts]
        numbers, types = [word for word in words if word not in short.values()], list(dict.fromkeys(word for word in words if word in short.values()))
        return ", ".join(numbers + types)

    def bundle(self):
        found = {"problem": self.data, "programs": self.programs, "inputs": self.inputs}
        return {**found, "id": hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]}

    @staticmethod
    def of_bundle(bundle):
        return Problem(bundle["problem"], bundle["programs"], bundle["inputs"])

    def store(self, folder, device, tools):
        return TuningStore(folder, self.kernel, self.data["code"], self.data["key"], device, tools)

    def program_text(self, index):
        row = self.rows[index]
        program = {**self.programs[row["program"]], "arguments": row["arguments"]}
        program.pop("symbol", None)
        if "symbol" in row:
            program["symbol"] = row["symbol"]
        return json.dumps(program)


def folder_of(path):
    """The folder of a manifest, given by its path or by its folder."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    if not os.path.exists(os.path.join(folder, "kernels.toml") if os.path.isdir(path) else path):
        raise Unusable(f"there is no '{path}'; `tessera record -o recorded -- python program.py` writes recorded/kernels.toml")
    return folder


def read(folder, pattern="", inputs=None):
    """([Problem], [(kernel, key, why it cannot be tuned)]) of the kernels whose names contain the pattern. `inputs` is
    {kernel: "module:function"}."""
    tuning = os.path.join(folder, "tuning")
    names = sorted(os.listdir(tuning)) if os.path.isdir(tuning) else []
    problems, unsolvable, programs, kernels = [], [], {}, set()
    for name in names:
        if not name.endswith(".json"):
            continue
        data = _read_json(os.path.join(tuning, name))
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise Unusable(f"{os.path.join(tuning, name)} is no problem that this version of Tessera reads; record it again")
        kernels.add(data["kernel"])
        if pattern not in data["kernel"]:
            continue
        if "cannot" in data:
            unsolvable.append((data["kernel"], ", ".join(data["key"]), data["cannot"]))
            continue
        for row in data["configs"]:
            if row["program"] not in programs:
                programs[row["program"]] = _read_json(os.path.join(folder, "programs", row["program"]))
        used = {row["program"]: programs[row["program"]] for row in data["configs"]}
        problems.append(Problem(data, used, (inputs or {}).get(data["kernel"], "")))
    if not problems and not unsolvable:
        has = f"problem of that name; it has {', '.join(sorted(kernels))}" if kernels else \
            "problem: `tessera record` writes one for each tuning key of the autotuned kernels that a program launches"
        raise Unusable(f"{tuning} has no {has}")
    return problems, unsolvable


def _read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Unusable(f"{path} cannot be read: {error}") from None
