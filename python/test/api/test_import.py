"""Which modules `import tessera` and `import triton` import: a program that only defines kernels starts quickly.

The list is what a launch needs. A new module belongs here only if every program that launches a kernel uses it; others are
imported where they are used."""
import os

import tessera

PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(tessera.__file__)))

MODULES = {f"tessera.{name}" for name in (
    "_lazily _native errors knobs runtime runtime.callables runtime.collect runtime.errors runtime.forks runtime.global_guards "
    "runtime.jit runtime.jit_hooks runtime.kernel_builder runtime.mock_tensors runtime.monkey_patching runtime.parameters runtime.program "
    "runtime.source runtime.specialize runtime.values").split()} | {"tessera"}

# Modules of Python's library that take a millisecond or more with the modules that they import in turn.
SLOW = set("ast asyncio collections concurrent contextlib ctypes dataclasses datetime enum functools hashlib importlib.resources "
           "importlib.util inspect json logging multiprocessing pathlib pickle random re shutil socket subprocess tempfile "
           "textwrap threading traceback typing urllib zipfile".split())


def imported(python_process, program):
    """Returns the modules that a program imports in an interpreter which has imported nothing: without `site`, whose .pth files
    import other packages."""
    program = f"import sys; before = set(sys.modules); {program}; print(*sorted(set(sys.modules) - before))"
    return set(python_process("-S", "-c", program, env={"PYTHONPATH": PACKAGES}).stdout.split())


def test_importing_tessera(python_process):
    modules = imported(python_process, "import tessera")
    assert {name for name in modules if name.partition(".")[0] == "tessera"} == MODULES
    assert not modules & SLOW


def test_importing_triton(python_process):
    modules = imported(python_process, "import tessera; tessera.install_as_triton(); import triton")
    ours = {name for name in modules if name.partition(".")[0] == "tessera"}
    assert ours == MODULES | {"tessera.dropin"}
    assert not modules & SLOW


def test_nothing_else_is_imported(python_process):
    modules = imported(python_process, "import tessera")
    assert not {name.partition(".")[0] for name in modules} & {"numpy", "torch", "triton"}
