"""The type stubs say what is there: every name, every parameter, every default of tessera.language, and nothing else.

Functions of the language take their signatures from the stubs (test_language_namespace.py compares those with the compiler),
so here it is names and classes. What only checkers need is listed. Where there is a checker, it reads a kernel with mistakes:
    mypy --check-untyped-defs kernels.py        pyright kernels.py
"""
import ast
import glob
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess

import pytest

import tessera.language
from places import ROOT

PACKAGE = os.path.dirname(tessera.language.__file__)
STUBS = sorted(os.path.relpath(path, PACKAGE)[:-len(".pyi")].replace(os.sep, ".").replace("__init__", "").rstrip(".")
               for path in glob.glob(os.path.join(PACKAGE, "**", "*.pyi"), recursive=True))

# Names of stubs that exist for checkers: aliases, type variables, how constexpr is declared.
FOR_CHECKERS = {"Value", "DType", "Shape", "Axes", "Numbers", "Extents", "Subscript", "MYPY", "_F", "_C", "_V", "_accepts_anything",
                "_dtype", "_block_type"}
# Members likewise, and why.
MEMBERS_FOR_CHECKERS = {
    "tensor.__index__": "for i in range(n): Python's range takes a tensor in kernels",
    "dtype.element_ty": "an attribute of pointers and blocks, which x.dtype may be",
}
# Members of classes that stubs leave out: Python's own machinery, which checkers know or do not ask for.
MACHINERY = {"__module__", "__doc__", "__dict__", "__weakref__", "__init__", "__repr__", "__str__", "__reduce__", "__copy__",
             "__deepcopy__", "__hash__", "__eq__", "__ne__", "__tessera_dtype__", "__qualname__", "__firstlineno__",
             "__static_attributes__", "__slotnames__", "__annotations__", "_language_name"}


def runtime(name):
    return importlib.import_module(("tessera.language." + name).rstrip("."))


def parsed(name):
    base = os.path.join(PACKAGE, *name.split("."))
    path = os.path.join(base, "__init__.pyi") if os.path.isdir(base) else base + ".pyi"
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    # `from .cuda.libdevice import *` offers what is defined there.
    package = name.split(".") if os.path.isdir(base) else name.split(".")[:-1]
    for statement in list(tree.body):
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            home = package[:len(package) - statement.level + 1]
            tree.body += [each for each in parsed(".".join([*home, statement.module])).body if isinstance(each, ast.FunctionDef)]
    return tree


def statements(body):
    """The statements of a stub; of `if MYPY: ... else: ...` those for everybody else."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from statements(statement.orelse)
        else:
            yield statement


def bound_names(body):
    found = set()
    for statement in statements(body):
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found.add(statement.name)
        elif isinstance(statement, ast.AnnAssign):
            found.add(statement.target.id)
        elif isinstance(statement, ast.Assign):
            found.update(target.id for target in statement.targets)
        elif isinstance(statement, ast.ImportFrom):
            # `import x as x` offers x to others; `import x` does not.
            found.update(alias.asname for alias in statement.names if alias.asname == alias.name)
    return found


def is_private_import(module, name):
    """`from ._functions import define as _define`: a module's own tools."""
    path = getattr(getattr(module, name), "__tessera_language__", "")
    return name.startswith("_") and path.rsplit(".", 1)[-1] != name and name != "_unwrap_if_constexpr"


def test_every_module_has_a_stub():
    modules = {os.path.relpath(path, PACKAGE)[:-len(".py")].replace(os.sep, ".").replace("__init__", "").rstrip(".")
               for path in glob.glob(os.path.join(PACKAGE, "**", "*.py"), recursive=True)}
    assert {name for name in modules if not name.rsplit(".", 1)[-1].startswith("_")} == set(STUBS)
    assert os.path.exists(os.path.join(os.path.dirname(PACKAGE), "py.typed"))


@pytest.mark.parametrize("name", STUBS)
def test_stubs_name_what_is_there(name):
    module, declared = runtime(name), bound_names(parsed(name).body)
    for each in declared - FOR_CHECKERS:
        assert hasattr(module, each), each
    defined = {each for each in dir(module) if not each.startswith("__") and not is_private_import(module, each)}
    assert defined - declared == set()


@pytest.mark.parametrize("name", STUBS)
def test_everything_declared_has_a_text(name):
    for statement in statements(parsed(name).body):
        if isinstance(statement, ast.ClassDef):
            assert ast.get_docstring(statement), statement.name
    functions = {}
    for statement in statements(parsed(name).body):
        if isinstance(statement, ast.FunctionDef) and statement.name not in FOR_CHECKERS:
            functions.setdefault(statement.name, []).append(ast.get_docstring(statement))
    for function, texts in functions.items():
        assert any(texts), function


def shape(definition):
    """(positional names, *name, keyword-only names, defaults as text) of a function in a stub."""
    arguments = definition.args
    return ([each.arg for each in arguments.posonlyargs + arguments.args], arguments.vararg and arguments.vararg.arg,
            [each.arg for each in arguments.kwonlyargs], [ast.unparse(each) for each in arguments.defaults])


def runtime_shape(function):
    positional, star, only, defaults = [], None, [], []
    for each in inspect.signature(function).parameters.values():
        if each.name == "_semantic":  # what Triton's frontend hands on
            continue
        if each.kind is each.VAR_POSITIONAL:
            star = each.name
        elif each.kind is each.KEYWORD_ONLY:
            only.append(each.name)
        elif each.kind is not each.VAR_KEYWORD:
            positional.append(each.name)
            if each.default is not each.empty:
                defaults.append(repr(each.default))
    return positional, star, only, defaults


def members(definition):
    found = {}
    for statement in definition.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found[statement.name] = statement
        elif isinstance(statement, ast.AnnAssign):
            found[statement.target.id] = statement
        elif isinstance(statement, ast.Assign):
            found[statement.targets[0].id] = statement
    return found


def is_class(name, class_name):
    """tl.float32 and its like are objects, and classes in the stub, so that they can be annotations."""
    return isinstance(getattr(runtime(name), class_name), type)


DECLARED = [(name, statement.name) for name in STUBS for statement in statements(parsed(name).body)
            if isinstance(statement, ast.ClassDef)]
CLASSES = [each for each in DECLARED if is_class(*each)]


def test_objects_are_of_the_classes_that_their_stubs_name():
    objects = [each for each in DECLARED if not is_class(*each)]
    assert len(objects) == 18
    for name, object_name in objects:
        definition = [each for each in statements(parsed(name).body) if getattr(each, "name", None) == object_name][0]
        assert isinstance(getattr(runtime(name), object_name), getattr(runtime(name), definition.bases[0].id))
        assert len(definition.body) == 1  # a text


@pytest.mark.parametrize("name, class_name", CLASSES)
def test_classes_have_the_members_of_their_stubs(name, class_name):
    definition = [each for each in statements(parsed(name).body) if getattr(each, "name", None) == class_name][0]
    declared, actual = members(definition), getattr(runtime(name), class_name)
    for member, statement in declared.items():
        if not isinstance(statement, ast.FunctionDef) or "%s.%s" % (class_name, member) in MEMBERS_FOR_CHECKERS:
            continue
        assert hasattr(actual, member), member
        found = inspect.getattr_static(actual, member)
        found = getattr(found, "__func__", found)
        if inspect.isfunction(found) and not member.startswith("__r") and "operands" not in inspect.signature(found).parameters:
            assert runtime_shape(found) == shape(statement), member
    if not issubclass(actual, int):  # an enumeration has its own
        inherited = {each for base in actual.__mro__[1:] for each in vars(base)}
        own = {each for each in vars(actual) if not (each.startswith("_") and not each.startswith("__"))}
        assert own - set(declared) - MACHINERY - inherited == set()


def test_bases_are_those_of_the_stubs():
    for name, class_name in CLASSES:
        definition = [each for each in statements(parsed(name).body) if getattr(each, "name", None) == class_name][0]
        bases = [ast.unparse(base).rsplit(".", 1)[-1] for base in definition.bases]
        actual = [base.__name__ for base in getattr(runtime(name), class_name).__mro__[1:]]
        assert all(base in actual for base in bases), class_name


# ---- what stands around kernels -------------------------------------------------------------------

API = ["", "runtime", "runtime.jit", "runtime.autotuner", "testing"]
# Names of these stubs that exist for checkers.
FOR_CHECKERS_OF_API = {"Grid", "Launcher", "ReturnMode", "_P", "_R", "_T", "_F"}


def api_stub(name):
    base = os.path.join(os.path.dirname(PACKAGE), *name.split("."))
    with open(os.path.join(base, "__init__.pyi") if os.path.isdir(base) else base + ".pyi", encoding="utf-8") as file:
        return ast.parse(file.read())


@pytest.mark.parametrize("name", API)
def test_stubs_of_the_api(name):
    module, body = importlib.import_module(("tessera." + name).rstrip(".")), api_stub(name).body
    for each in bound_names(body) - FOR_CHECKERS_OF_API:
        assert hasattr(module, each), each
    if name in ("", "runtime"):
        assert set(module.__all__) <= bound_names(body)
    definitions = [(None, each) for each in body if isinstance(each, ast.FunctionDef)]
    for each in body:
        if isinstance(each, ast.ClassDef) and each.name not in FOR_CHECKERS_OF_API:
            definitions += [(each.name, member) for member in each.body if isinstance(member, ast.FunctionDef)]
    for owner, definition in definitions:
        found = inspect.getattr_static(getattr(module, owner), definition.name) if owner else getattr(module, definition.name)
        found = getattr(found, "fn", found)
        if not inspect.isfunction(found) or any(ast.unparse(each) == "overload" for each in definition.decorator_list):
            continue
        assert runtime_shape(found) == shape(definition), definition.name


def test_the_general_overload_of_jit():
    definitions = [each for each in api_stub("runtime.jit").body if getattr(each, "name", None) == "jit"]
    assert shape(definitions[-1]) == runtime_shape(importlib.import_module("tessera.runtime.jit").jit)


# ---- what checkers say, where there is one --------------------------------------------------------

WRONG = '''
import triton
import triton.language as tl

@triton.jit
def helper(x, BLOCK: tl.constexpr = 4):
    return tl.sum(x, axis=0)

@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr = 64):
    pid = tl.program_id("x")                    # wrong
    offsets = tl.arange(0, BLOCK, 2)            # wrong
    x = tl.load(x_ptr + pid * BLOCK, mask=pid < n)
    y = tl.load(x_ptr, msk=True)                # wrong
    x.summ()                                    # wrong
    value, index = tl.max(x, axis=0, return_indices=True)
    scale: tl.constexpr = tl.float32
    for k in range(0, tl.cdiv(n, BLOCK)):
        x += helper(x[:, None] + index[None, :], BLOCK).to(scale) * k
    helper(x, 3, 4)                             # wrong
    tl.lod(x_ptr)                               # wrong
    tl.dot(x, 3)                                # wrong
    tl.full((4,), 0, "fp32")                    # wrong
    tl.store(x_ptr + tl.arange(0, BLOCK), x)

@triton.jit
def annotated(x_ptr, n: tl.int64, factor: tl.float32, BLOCK: tl.constexpr):
    dtype = tl.float16 if BLOCK > 16 else tl.bfloat16
    if x_ptr.dtype.element_ty == tl.float16:
        tl.store(x_ptr + n, tl.zeros((BLOCK,), dtype).to(tl.float16) * factor)
    tl.floot16                                  # wrong

@triton.jit
def calls_it(x_ptr):
    annotated(x_ptr, 3, 1, 32)
    annotated(x_ptr, tl.program_id(0), tl.load(x_ptr), 32)

kernel[(1,)](None, 2, BLOCK=64, num_warps=8)
triton.runtime.driver.active.get_current_target()
triton.install_as_triton().undo()
kernel[lambda meta: (triton.cdiv(3, meta["BLOCK"]),)](None, 2, num_warps="x")     # wrong
'''
CHECKERS = {  # mypy reads stubs, and skips modules without: it would need minutes for all of torch
    "mypy": ["mypy", "--check-untyped-defs", "--follow-imports=skip", "--ignore-missing-imports", "--cache-dir", os.devnull],
    "pyright": ["pyright"],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_find_what_is_wrong(checker, tmp_path, monkeypatch):
    if not shutil.which(checker):
        pytest.skip(f"no {checker} here")
    os.symlink(os.path.dirname(os.path.realpath(PACKAGE)), tmp_path / "triton")
    (tmp_path / "kernels.py").write_text(WRONG)
    monkeypatch.setenv("MYPYPATH", str(tmp_path))
    done = subprocess.run([*CHECKERS[checker], "kernels.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    found = {int(line) for line in re.findall(r"kernels\.py:(\d+)(?::\d+)?(?: -|:) error", done.stdout)}
    expected = {number for number, line in enumerate(WRONG.split("\n"), 1) if line.endswith("# wrong")}
    assert found == expected, done.stdout + done.stderr


# ---- import triton ----------------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def triton_stubs(tmp_path_factory):
    from tessera.tools import stubs
    return stubs.write(str(tmp_path_factory.mktemp("typings")))


def test_every_name_of_the_stubs_for_triton_exists(triton_stubs):
    files = glob.glob(os.path.join(triton_stubs, "**", "*.pyi"), recursive=True)
    assert len(files) > 40
    for path in files:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            assert isinstance(node, ast.ImportFrom)
            if node.level or node.names[0].name == "*":
                continue
            base = os.path.join(os.path.dirname(tessera.__file__), *node.module.split(".")[1:])
            source = next(each for each in (base + ".pyi", os.path.join(base, "__init__.pyi"), base + ".py",
                                            os.path.join(base, "__init__.py")) if os.path.exists(each))
            with open(source, encoding="utf-8") as file:
                assert re.search(rf"\b{re.escape(node.names[0].name)}\b", file.read()), (path, node.names[0].name)


def test_the_stubs_for_triton_have_what_programs_use(triton_stubs):
    def text(*parts):
        with open(os.path.join(triton_stubs, *parts), encoding="utf-8") as file:
            return file.read()
    assert "from tessera import jit as jit\n" in text("__init__.pyi") and "from . import language as language\n" in text("__init__.pyi")
    language = text("language", "__init__.pyi")
    assert all(f"import {name} as {name}\n" in language or "import *" in language for name in ("load", "store", "constexpr", "dot"))
    assert "as do_bench" in text("testing", "__init__.pyi") and "as Autotuner" in text("runtime", "autotuner.pyi")


@pytest.mark.skipif(shutil.which("mypy") is None, reason="no mypy")
def test_mypy_reads_unchanged_programs(triton_stubs, tmp_path):
    (tmp_path / "k.py").write_text("import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x):\n    tl.lod(x)\n")
    env = {**os.environ, "MYPYPATH": os.path.dirname(triton_stubs) + os.pathsep + os.path.dirname(os.path.dirname(tessera.__file__))}
    done = subprocess.run([*CHECKERS["mypy"], "k.py"], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert 'Module has no attribute "lod"' in done.stdout


@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_find_nothing_in_a_right_program(checker, triton_stubs, tmp_path):
    if not shutil.which(checker):
        pytest.skip(f"no {checker} here")
    with open(os.path.join(ROOT, "python", "test", "programs", "typed.py"), encoding="utf-8") as file:
        text = file.read()
    (tmp_path / "program.py").write_text(text + "\ntriton.cdiv(1, 2, 3)\n")  # so that a checker that finds no stubs fails
    paths = [os.path.dirname(triton_stubs), os.path.dirname(os.path.dirname(tessera.__file__))]
    settings = {"extraPaths": paths, "stubPath": paths[0], "reportMissingImports": False, "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run([*CHECKERS[checker], "program.py"], cwd=tmp_path, env={**os.environ, "MYPYPATH": os.pathsep.join(paths)},
                          capture_output=True, text=True, timeout=300)
    errors = [line for line in done.stdout.split("\n") if re.search(r"program\.py:\d+(:\d+)?( -|:) error", line)]
    assert len(errors) == 1 and f":{text.count(chr(10)) + 2}:" in errors[0], done.stdout + done.stderr


def test_the_command_writes_them(python_process, tmp_path):
    done = python_process("-m", "tessera", "--stubs", "typings")
    assert done.stdout == "wrote typings/triton\nwrote typings/tessera\n" and (tmp_path / "typings" / "triton" / "__init__.pyi").exists()
    assert "asks for one folder" in python_process("-m", "tessera", "--stubs", status=2).stderr


@pytest.mark.skipif(shutil.which("mypy") is None, reason="no mypy")
def test_mypy_needs_only_the_folder_that_the_command_writes(python_process, tmp_path):
    python_process("-m", "tessera", "--stubs", "typings")
    (tmp_path / "k.py").write_text("import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x):\n    tl.load(x, msk=x)\n")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*CHECKERS["mypy"], "k.py"], cwd=tmp_path, env={**env, "MYPYPATH": "typings"}, capture_output=True, text=True)
    assert [line for line in done.stdout.split("\n") if ": error:" in line] == [
        'k.py:6: error: Unexpected keyword argument "msk" for "load"; did you mean "mask"?  [call-arg]'], done.stdout
