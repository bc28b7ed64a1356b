"""Compiles every kernel of the tree twice, from live objects and as the command line does, and tells where the two differ.

    python3 corpus_worker.py cases.json          cases: [[file, kernel, signature, target, flags], ...]

Live means: the file is imported as a module, with `import triton` meaning Tessera, and what its kernel reads is looked up in
the running objects. As the command line does means: the compiler reads the file and evaluates its top level by itself. Both
must give the same TTIR, but for locations. Prints a JSON list: "" for a case that is fine, "refused: ..." for one that the
target takes neither way, for the same reason, else what is wrong.
"""
import importlib.util
import json
import os
import re
import sys

import tessera

tessera.install_as_triton()

from tessera import _native  # noqa: E402
from tessera.compiler import ASTSource  # noqa: E402

SCALAR = r"(?:i|u)(?:1|8|16|32|64)|fp(?:16|32|64)|bf16|fp8e\w+"
modules = {}  # path -> module
taken = set()  # names of modules that are ours


def load(path):
    """The module of a file under its own name, imported once, its folder being the first place to look for what it imports."""
    if path not in modules:
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        if name not in sys.modules or name in taken:  # a test's builtins.py is not Python's
            taken.add(name)
            sys.modules[name] = module
        sys.path.insert(0, os.path.dirname(path))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.pop(0)
        modules[path] = module
    return modules[path]


def constant(entry):
    """What a signature's entry stands for if it is no type."""
    if entry in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[entry]
    for convert in (int, float):
        try:
            return convert(entry)
        except ValueError:
            pass
    return entry.strip("'\"")


def is_type(entry):
    return re.fullmatch(r"\**k?(?:%s)(?::\d*S?)?" % SCALAR, entry)


def quoted(signature):
    """As the command line takes it: texts among the constants in quotes, which the list of cases has not."""
    entries = [entry.strip() for entry in signature.split(",")]
    return ",".join(f'"{constant(entry)}"' if not is_type(entry) and isinstance(constant(entry), str) else entry for entry in entries)


def source_of(kernel, signature):
    types, constants, promises = {}, {}, {}
    for index, (name, entry) in enumerate(zip(kernel.arg_names, map(str.strip, signature.split(",")))):
        if is_type(entry):
            types[name], _, hint = entry.partition(":")
            promises[index,] = [["tt.divisibility", 16]] * hint.startswith("16") + [["tt.pointer_range", 32]] * hint.endswith("S")
            if hint == "1":  # an int that is 1 is a constant
                types[name], constants[name] = "constexpr", 1
        else:
            types[name], constants[name] = "constexpr", constant(entry)
    return ASTSource(kernel, types, constants, promises)


def comparable(ttir):
    """MLIR's text without locations, and with symbols as live functions have them: any `module.qualname` that Python has
    becomes one that assemblers take."""
    lines = [line for line in ttir.decode().split("\n") if not line.startswith("#loc")]
    text = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", "\n".join(lines)).strip()
    return re.sub(r'@"([^"]*)"', lambda symbol: "@" + re.sub(r"[^\w.]", "_", symbol[1]), text)


def attempt(compile):
    """(TTIR, "") or ("", what is wrong)."""
    try:
        return comparable(compile().artifact("ttir")), ""
    except _native.CompileFailure as failure:
        return "", str(failure).strip() or f"status {failure.status}"


def difference(path, kernel_name, signature, target, flags):
    kernel = getattr(load(path), kernel_name)
    while not isinstance(kernel, tessera.JITFunction):
        kernel = kernel.fn  # autotune, heuristics
    expected, why = attempt(lambda: session.compile_file(path, None, kernel_name, quoted(signature), target, flags, "ttir"))
    found, problem = attempt(lambda: source_of(kernel, signature).compile_with(session, target, flags, "ttir"))
    if why and why == problem:
        return f"refused: {why}"
    if why or problem:
        return f"from live objects: {problem or 'compiles'}\nfrom the file: {why or 'compiles'}"
    if expected == found:
        return ""
    pairs = zip(expected.split("\n") + [""], found.split("\n") + [""])
    line, (theirs, mine) = next((number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return f"line {line} from live objects: {mine.strip()}\nfrom the file: {theirs.strip()}"


def verdict(case):
    try:
        return difference(*case)
    except ModuleNotFoundError as error:
        return f"skip: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    session = _native.Session({})
    with open(sys.argv[1], encoding="utf-8") as file:
        print(json.dumps([verdict(case) for case in json.load(file)]))
