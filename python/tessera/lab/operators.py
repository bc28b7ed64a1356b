"""Reads an operator's folder without importing it: versions, cases, what is missing. torch is not needed here.

    kernels/softmax/
      __init__.py, reference.py, cases.toml
      v1_baseline.py, v2_tiling.py, v3_coalesced.py, v4_optimized.py
"""
import ast
import dataclasses
import hashlib
import os
import random
import re

SIZES = ("Small", "Medium", "Large", "Final")
USUAL = ("v1_baseline", "v2_tiling", "v3_coalesced", "v4_optimized")
VERSION = re.compile(r"v[0-9]+_\w+\.py$")


class Missing(Exception):
    """The operator's folder is not complete enough; a message for the user."""


def read_toml(path):
    try:
        import tomllib
    except ImportError:  # Python before 3.11
        try:
            import tomli as tomllib
        except ImportError:
            from pip._vendor import tomli as tomllib
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError:
        raise Missing(f"there is no {path}") from None
    except tomllib.TOMLDecodeError as error:
        raise Missing(f"{path}: {error}") from None


def kernels_folder(given):
    """The folder that holds the operators: the given one, ./kernels, or those that came with the package."""
    if given:
        if not os.path.isdir(given):
            raise Missing(f"there is no folder {given}")
        return os.path.abspath(given)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in ("kernels", os.path.join(package, "kernels")):
        if os.path.isdir(folder):
            return os.path.abspath(folder)
    raise Missing("there is no folder kernels/ here; `tessera lab new my_op` makes one, and --kernels DIR names another")


def names(kernels):
    """The operators of a folder."""
    return sorted(name for name in os.listdir(kernels) if os.path.isfile(os.path.join(kernels, name, "cases.toml")))


@dataclasses.dataclass
class Operator:
    name: str
    folder: str
    about: dict        # [op] of cases.toml
    sizes: dict        # name: case, on a GPU
    sizes_cpu: dict
    correctness: list  # cases
    random: dict       # ranges that random cases are drawn from
    versions: list     # file names without .py, in order

    def sizes_for(self, device):
        """{size: case} on a device; without [sizes_cpu] the CPU has the two smallest."""
        found = self.sizes if device == "cuda" else self.sizes_cpu or dict(list(self.sizes.items())[:2])
        return {name: self.complete(case) for name, case in found.items()}

    def complete(self, case):
        return {"dtype": self.about.get("dtype", "float32"), **case}

    def cases(self, count, seed):
        """All correctness cases, and `count` random ones: [(label, case, seed)]."""
        found = [(label(case), self.complete(case), seed + i) for i, case in enumerate(self.correctness)]
        for i in range(count if self.random else 0):
            case = self.complete(drawn(self.random, random.Random(seed * 1000 + i)))
            found.append((f"random {i + 1}: {label(case)}", case, seed * 1000 + i))
        return found

    def source_hash(self, version=None):
        """A hash of the files that decide what a version does: its own, the shared ones, reference and cases."""
        digest = hashlib.sha256()
        for path in source_files(self.folder):
            stem = os.path.basename(path)[:-3]
            if version is None or stem == version or not VERSION.match(stem + ".py"):
                with open(path, "rb") as file:
                    digest.update(os.path.basename(path).encode() + b"\0" + file.read() + b"\0")
        return digest.hexdigest()[:16]


def source_files(folder):
    here = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith((".py", ".toml"))]
    above = os.path.dirname(folder)
    return here + [os.path.join(above, name) for name in sorted(os.listdir(above)) if name.endswith(".py")]


def label(case):
    """A case in one line: what differs from the usual."""
    parts = []
    for name, value in case.items():
        if name == "dtype":
            parts.append(str(value))
        elif isinstance(value, list):
            parts.append(f"{name} {'x'.join(map(str, value)) or '[]'}")
        else:
            parts.append(f"{name} {value}")
    return ", ".join(parts) or "default"


def drawn(ranges, source):
    """A random case: integers log-uniformly from [lo, hi], one of a list of anything else."""
    case = {}
    for name, given in ranges.items():
        choice = given.get("choice") if isinstance(given, dict) else None
        if choice is None and len(given) == 2 and all(type(x) is int for x in given):
            low, high = given
            case[name] = min(high, max(low, int(2 ** source.uniform(_log(low), _log(high + 1)))))
        else:
            case[name] = source.choice(choice or given)
    return case


def _log(value):
    import math
    return math.log2(max(1, value))


def load(kernels, name):
    folder = os.path.join(kernels, name)
    if not os.path.isdir(folder):
        known = ", ".join(names(kernels)) or "none"
        raise Missing(f"there is no operator '{name}' in {kernels}; there are: {known}")
    told = read_toml(os.path.join(folder, "cases.toml"))
    versions = sorted((file[:-3] for file in os.listdir(folder) if VERSION.match(file)), key=version_order)
    return Operator(name, folder, told.get("op", {}), told.get("sizes", {}), told.get("sizes_cpu", {}), told.get("correctness", []),
                    told.get("random", {}), versions)


def version_order(name):
    return int(re.match(r"v(\d+)", name)[1]), name


# ---- tessera lab check ------------------------------------------------------------------------------

def problems(kernels, name):
    """What is missing in an operator's folder: [(file, what)], most important first."""
    try:
        operator = load(kernels, name)
    except Missing as error:
        return [("", str(error))]
    found = []
    found += [(f"{v}.py", "is missing: " + PURPOSE[v]) for v in USUAL if v not in operator.versions]
    found += check_cases(operator)
    found += check_reference(os.path.join(operator.folder, "reference.py"))
    found += check_module(os.path.join(operator.folder, "__init__.py"), None)
    for version in operator.versions:
        found += check_module(os.path.join(operator.folder, version + ".py"), "triton_" + name)
    return found


PURPOSE = {"v1_baseline": "a one-to-one translation of the definition", "v2_tiling": "tiles, and autotunes their size",
           "v3_coalesced": "neighbouring threads access neighbouring addresses",
           "v4_optimized": "all that, and what the operator needs (fusion, split reductions, persistent programs)"}


def check_cases(operator):
    found = [("cases.toml", f"[op] has no '{key}'") for key in ("name", "torch", "definition") if key not in operator.about]
    found += [("cases.toml", f"there is no [sizes.{size}]") for size in SIZES if size not in operator.sizes]
    found += [("cases.toml", f"there is no [sizes_cpu.{size}]") for size in SIZES if size not in operator.sizes_cpu]
    if not operator.correctness:
        found.append(("cases.toml", "there is no [[correctness]] case"))
        return found
    cases = operator.correctness
    wanted = {"two dtypes": len({operator.complete(case)["dtype"] for case in cases}) > 1,
              "special values (special = \"nan\")": any("special" in case for case in cases),
              "unusual strides (layout = \"transposed\")": any("layout" in case or "strides" in case for case in cases),
              "a size of 0 and one of 1": {0, 1} <= {n for case in cases for n in numbers(case)}}
    return found + [("cases.toml", f"no [[correctness]] case has {what}") for what, is_there in wanted.items() if not is_there]


def numbers(case):
    for value in case.values():
        for each in value if isinstance(value, list) else [value]:
            if type(each) is int:
                yield each


def check_reference(path):
    tree = parsed(path)
    if tree is None:
        return [("reference.py", "is missing: torch's function, inputs and facts")]
    if isinstance(tree, str):
        return [("reference.py", tree)]
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} | {
        target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)} | {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return [("reference.py", f"has no function {name}") for name in ("reference", "facts", "make_inputs") if name not in defined]


def check_module(path, wrapper):
    file = os.path.basename(path)
    tree = parsed(path)
    if tree is None:
        return [(file, "is missing")]
    if isinstance(tree, str):
        return [(file, tree)]
    found = [] if ast.get_docstring(tree) else [(file, "has no docstring: what it does, and why")]
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    if wrapper and wrapper not in functions:
        found.append((file, f"has no function {wrapper}"))
    if wrapper and not any(is_jit(node) for node in functions.values()):
        found.append((file, "has no @triton.jit kernel"))
    if wrapper:
        found += [(file, "contains 'TODO'")] if "TODO" in open(path, encoding="utf-8").read() else []
    imported = {alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    if "tessera" in imported:
        found.append((file, "imports tessera; with `import triton` real Triton can run it, too"))
    return found


def is_jit(node):
    return any("jit" in ast.dump(decorator) for decorator in node.decorator_list)


def parsed(path):
    """The tree of a Python file, None without the file, or a syntax error's message."""
    try:
        with open(path, encoding="utf-8") as file:
            return ast.parse(file.read())
    except OSError:
        return None
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
