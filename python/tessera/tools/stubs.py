"""Writes type stubs for programs that say `import triton`, so that editors and type checkers find Tessera's types for them.

    python -m tessera --stubs typings        writes typings/triton, typings/tessera; pyright reads typings/, mypy $MYPYPATH=typings

An installed stub-only package is called triton-stubs (PEP 561); checkers look for that name among installed packages only, so the
folder for $MYPYPATH is called triton. Each file names what the module of Tessera has, and takes it from there:
`from tessera.language import load as load`. The wheel contains these files, so that nothing has to be done where it is installed.
typings/tessera is for machines where it is not: checkers then find a build's package nowhere else, or report errors in its sources.
"""
from __future__ import annotations

import ast
import os

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_OF_TRITON = ("lab", "kernels")  # folders of the package that programs for Triton do not know


def modules():
    """(dotted name below the package, "" for itself; its file; whether it is a package), stubs instead of sources where there are both."""
    for home, folders, files in os.walk(PACKAGE, followlinks=True):  # a build tree has links
        folders[:] = sorted(name for name in folders if name.isidentifier() and not name.startswith("_") and name not in NOT_OF_TRITON)
        relative = os.path.relpath(home, PACKAGE)
        prefix = "" if relative == "." else relative.replace(os.sep, ".")
        stems = sorted({name.rpartition(".")[0] for name in files if name.endswith((".py", ".pyi"))})
        for stem in stems:
            if stem.startswith("_") and stem != "__init__":
                continue
            path = os.path.join(home, stem + ".pyi")
            path = path if os.path.exists(path) else os.path.join(home, stem + ".py")
            is_package = stem == "__init__"
            yield (prefix if is_package else ".".join(filter(None, (prefix, stem)))), path, is_package


def names_in(path):
    """The public names that a module defines or imports at its top level, in their order; "*" if it imports all of another one."""
    with open(path, encoding="utf-8") as file:
        body = ast.parse(file.read()).body
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = None
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = None
        elif isinstance(node, ast.Assign):
            found.update((target.id, None) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            found["*"] = None
        elif isinstance(node, ast.ImportFrom) and node.level and node.module:  # `from . import x` names a module
            # In a stub only `x as x` is public.
            found.update((alias.asname or alias.name, None) for alias in node.names
                         if alias.asname == alias.name or not path.endswith(".pyi"))
    return [name for name in found if not name.startswith("_") or name == "__version__"]


def stub_of(name, path, is_package, submodules):
    """The text of one file of the stub package."""
    source = ".".join(filter(None, ("tessera", name)))
    own = names_in(path)
    lines = [f"from {source} import {each}" + ("" if each == "*" else f" as {each}") for each in own]
    if is_package:
        # An object hides the module of its name: runtime.driver.
        lines += [f"from . import {each} as {each}" for each in submodules if each not in own]
    return "\n".join(lines) + "\n"


def write(folder, package="triton"):
    """Writes the package below a folder; returns its path. An installed one is called triton-stubs."""
    known = list(modules())
    root = os.path.join(folder, package)
    for name, path, is_package in known:
        parts = name.split(".") if name else []
        submodules = sorted(other.split(".")[-1] for other, _, _ in known
                            if other and other.rpartition(".")[0] == name and other != name) if is_package else []
        target = os.path.join(root, *parts, "__init__.pyi") if is_package else os.path.join(root, *parts[:-1], parts[-1] + ".pyi")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(stub_of(name, path, is_package, submodules))
    return root


def write_types(folder):
    """Writes the package's own types below a folder: its stubs, and the outlines of sources that have none; returns its path."""
    root = os.path.join(folder, "tessera")
    for home, folders, files in os.walk(PACKAGE, followlinks=True):
        folders[:] = sorted(name for name in folders if name.isidentifier() and name not in (*NOT_OF_TRITON, "__pycache__"))
        target = os.path.normpath(os.path.join(root, os.path.relpath(home, PACKAGE)))
        os.makedirs(target, exist_ok=True)
        for name in files:
            if name.endswith(".pyi") or (name.endswith(".py") and name + "i" not in files):
                with open(os.path.join(home, name), encoding="utf-8") as file:
                    text = file.read()
                with open(os.path.join(target, name), "w", encoding="utf-8") as file:
                    file.write(text if name.endswith(".pyi") else outline_of(text))
    return root


def outline_of(text):
    """A source without the bodies of functions, __init__ excepted, which defines attributes. Checkers report no errors in it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name != "__init__":
            node.body = [ast.Expr(ast.Constant(...))]
    return "# mypy: ignore-errors\n" + ast.unparse(tree) + "\n"
