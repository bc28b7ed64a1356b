"""The files that record.py writes: kernels.toml, which people read and edit, programs/ and tuning/.

    with Manifest.locked("recorded") as manifest:        other processes wait; written at the end, in one step
        kernel = manifest.kernel("add", "add.5bd02c15.program", "serve.py:12")
        kernel.add(["*fp32:16", "i32"], {"num-warps": 4}, "cuda:90", launches=3)

A row's `signature` is that of `tessera compile`. Constants that it cannot express are in `arguments`, the JSON of docs/program.md.
The reader below understands what the writer writes, with comments and other spacing: TOML's tables, strings, numbers and arrays.
"""
from __future__ import annotations

import contextlib
import json
import os
import re

_HEAD = """\
# The kernels that a program launched, written by `tessera record`; docs/shipping.md describes it.
# Rows with `because` were not launched: other values of the same types would need them.
"""


class Manifest:
    def __init__(self, folder):
        self.folder, self.kernels, self.tuned = folder, [], {}
        self.path = os.path.join(folder, "kernels.toml")
        self._programs, self._problems = {}, {}

    @staticmethod
    @contextlib.contextmanager
    def locked(folder):
        import fcntl
        os.makedirs(os.path.join(folder, "programs"), exist_ok=True)
        with open(os.path.join(folder, ".lock"), "w") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            manifest = Manifest(folder)
            manifest._read()
            yield manifest
            manifest._write()

    @staticmethod
    def read(folder):
        manifest = Manifest(folder)
        if not os.path.exists(manifest.path):
            raise FileNotFoundError(f"there is no {manifest.path}; `tessera record` writes one")
        manifest._read()
        return manifest

    def kernel(self, name, file, source):
        program = f"programs/{file}"
        found = next((each for each in self.kernels if each.program == program), None)
        if found is None:
            found = Kernel(name, program, source)
            self.kernels.append(found)
        return found

    def add_choice(self, kernel, choice):
        """Adds what autotune chose for a key on a device, in the place of an earlier choice."""
        place = {name: choice[name] for name in ("key", "device")}
        kept = [each for each in self.tuned.get(kernel, ()) if {name: each.get(name) for name in place} != place]
        self.tuned[kernel] = [*kept, choice]

    def keep_program(self, file, program):
        self._programs[file] = program

    def keep_problem(self, problem, programs):
        """Adds a problem of `tessera tune`, unless its kernel and key are there already with the same configurations."""
        from .tuning.problem import file_name
        for file, program in programs.items():
            self.keep_program(file, program)
        self._problems[file_name(problem)] = problem

    def _read(self):
        if not os.path.exists(self.path):
            return
        with open(self.path, encoding="utf-8") as file:
            for table in read_tables(file.read(), self.path):
                if "kernel" in table:
                    self.tuned[table["kernel"]] = list(map(json.loads, table.get("choices", [])))
                    continue
                found = Kernel(table["name"], table["program"], table.get("source", ""), table.get("note", ""))
                found.rows = table.get("variants", [])
                self.kernels.append(found)

    def _write(self):
        for name, program in self._programs.items():
            path = os.path.join(self.folder, "programs", name)
            if not os.path.exists(path):
                _replace(path, json.dumps(program, indent=1, sort_keys=True) + "\n")
        for name, problem in self._problems.items():
            os.makedirs(os.path.join(self.folder, "tuning"), exist_ok=True)
            path = os.path.join(self.folder, "tuning", name)
            if not _has_configs(path, problem):
                _replace(path, json.dumps(problem) + "\n")
        self.kernels.sort(key=lambda kernel: (kernel.name, kernel.program))
        tuned = "".join(_tuned_text(kernel, choices) for kernel, choices in sorted(self.tuned.items()))
        _replace(self.path, _HEAD + "".join(kernel.text() for kernel in self.kernels) + tuned)


def _has_configs(path, problem):
    """Returns whether a problem's file has its configurations, and maybe more."""
    try:
        with open(path, encoding="utf-8") as file:
            known = {row["text"] for row in json.load(file)["configs"]}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return known >= {row["text"] for row in problem.get("configs", ())}


def _tuned_text(kernel, choices):
    """What autotune chose, one line for each tuning key."""
    lines = sorted(f"  {_value(json.dumps(choice))},\n" for choice in choices)
    return f"\n[[tuned]]\nkernel = {_value(kernel)}\nchoices = [\n{''.join(lines)}]\n"


class Kernel:
    """A kernel with one program. `rows` are dicts, as the manifest has them."""

    def __init__(self, name, program, source, note=""):
        self.name, self.program, self.source, self.note, self.rows = name, program, source, note, []

    def add(self, arguments, options, target, launches=0, is_tuned=False, because=""):
        written = signature_of(arguments)
        wanted = {"signature": written} if written is not None else {"arguments": json.dumps(arguments)}
        if options:
            wanted["options"] = {name: value if isinstance(value, (bool, int, str)) else json.dumps(value, default=str)
                                 for name, value in options.items()}
        row = next((each for each in self.rows if all(each.get(key) == wanted.get(key) for key in ("signature", "arguments", "options"))),
                   None)
        if row is None:
            row = {**wanted, "targets": []}
            self.rows.append(row)
        if target not in row["targets"]:
            row["targets"] = sorted([*row["targets"], target])
        if because:
            if "launches" not in row:
                row["because"] = because
            return
        row.pop("because", None)
        row["launches"] = row.get("launches", 0) + launches
        if is_tuned:
            row["tuned"] = True

    def text(self):
        rows = sorted(self.rows, key=lambda row: ("because" in row, -row.get("launches", 0)))
        note = f"note = {_value(self.note)}\n" if self.note else ""
        lines = "".join(f"  {_value(row)},\n" for row in rows)
        return (f"\n[[kernel]]\nname = {_value(self.name)}\nprogram = {_value(self.program)}\nsource = {_value(self.source)}\n{note}"
                f"variants = [\n{lines}]\n")


def signature_of(arguments):
    """The signature of `tessera compile` for these ARGUMENTs (docs/program.md), or None if it cannot express a constant."""
    parts = []
    for argument in arguments:
        part = argument if isinstance(argument, str) else _constant(argument)
        if part is None:
            return None
        parts.append(part)
    return ",".join(parts)


def _constant(argument):
    value = argument.get("constant", {}) if "tuple" not in argument else {}
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return f"'{value}'" if re.fullmatch(r"[\w .+-]*", value) else None
    if set(value) == {"int"}:
        return value["int"]
    if set(value) == {"float"} and value["float"] not in ("inf", "-inf", "nan"):
        return repr(float.fromhex(value["float"]))
    return None


def _replace(path, text):
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


# ---- TOML -------------------------------------------------------------------------------------------------------------------------

def _value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f"'{value}'" if '"' in value and "'" not in value else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"


_TOKEN = re.compile(r"""\s+|\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\[\[\s*(?:kernel|tuned)\s*\]\]|[\w.:+-]+|[\[\]{}=,]""")


def read_tables(text, path):
    """[the keys of a [[kernel]] or [[tuned]] table as a dict]. Raises ValueError with the line for anything else."""
    reader = _Reader(text, path)
    tables = []
    while reader.token is not None:
        if reader.token.startswith("[["):
            reader.take(reader.token)
            tables.append({})
        elif not tables:
            reader.fail()
        else:
            key = reader.key()
            reader.take("=")
            tables[-1][key] = reader.value()
    for table in tables:
        if isinstance(table.get("kernel"), str):  # of [[tuned]]
            continue
        if not isinstance(table.get("name"), str) or not isinstance(table.get("program"), str):
            raise ValueError(f"{path}: a [[kernel]] has no 'name' or no 'program'; `tessera record` adds to manifests that it wrote")
    return tables


class _Reader:
    def __init__(self, text, path):
        self._text, self._path, self._end, self.token = text, path, 0, ""
        self._next()

    def _next(self):
        while True:
            start = self._end
            match = _TOKEN.match(self._text, start)
            if match is None:
                if start < len(self._text):
                    self.fail()
                self.token = None
                return
            self._end, self.token = match.end(), match.group()
            if self.token.strip() and not self.token.startswith("#"):
                return

    def fail(self):
        line = self._text.count("\n", 0, self._end) + 1
        raise ValueError(f"{self._path}:{line}: `tessera record` cannot read this manifest, so it does not add to it")

    def take(self, token):
        if self.token != token:
            self.fail()
        self._next()

    def key(self):
        key = self.token
        if key is None or not re.fullmatch(r"[\w.:-]+|\"[^\"]*\"", key):
            self.fail()
        self._next()
        return key.strip('"')

    def value(self):
        token = self.token
        if token == "[":
            return self._array()
        if token == "{":
            return self._table()
        self._next()
        if token is not None and token[0] == '"':
            return json.loads(token)
        if token is not None and token[0] == "'":
            return token[1:-1]
        if token in ("true", "false"):
            return token == "true"
        if token is None or not re.fullmatch(r"[+-]?\d+", token):
            self.fail()
        return int(token)

    def _array(self):
        found = []
        self._next()
        while self.token != "]":
            found.append(self.value())
            if self.token != "]":
                self.take(",")
        self._next()
        return found

    def _table(self):
        found = {}
        self._next()
        while self.token != "}":
            key = self.key()
            self.take("=")
            found[key] = self.value()
            if self.token != "}":
                self.take(",")
        self._next()
        return found
