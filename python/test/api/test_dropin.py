"""`python -m tessera` and install_as_triton(): programs written for Triton, unchanged."""
import os
import re
import textwrap
import zipfile

import pytest

from places import HERE, ROOT

DROP_IN = ["-m", "tessera"]
ADD = textwrap.dedent('''
    import numpy
    import triton
    import triton.language as tl

    @triton.jit
    def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)

    def add(x, y):
        out = numpy.empty_like(x)
        add_kernel[lambda meta: (triton.cdiv(x.size, meta["BLOCK"]),)](x, y, out, x.size, BLOCK=64)
        return out

    def check(n=1000):
        x, y = numpy.arange(n, dtype="float32"), numpy.ones(n, "float32")
        return bool((add(x, y) == x + y).all())
    ''')


# ---- one package under two names ------------------------------------------------------------------

def test_modules_are_the_same_objects(snippet):
    snippet('''if True:
        import sys
        import triton.language as tl, tessera.language
        from triton.runtime.jit import JITFunction
        from triton.language.extra.cuda import libdevice
        import triton.language.extra.libdevice, triton.compiler.errors, triton.testing, triton.tools.tensor_descriptor
        import tessera, triton
        assert tl is tessera.language and sys.modules["triton.language"] is sys.modules["tessera.language"]
        assert tl.__spec__.name == "tessera.language" and triton.language.core is tessera.language.core
        assert triton.jit is tessera.jit and triton.runtime.jit.JITFunction is tessera.runtime.jit.JITFunction
        assert triton.compiler.errors.CompilationError is tessera.compiler.errors.CompilationError
        assert triton.tools.tensor_descriptor is tessera.tools.tensor_descriptor
        @triton.jit
        def kernel(x): pass
        assert isinstance(kernel, tessera.runtime.jit.JITFunction)
        # Nothing was run twice.
        assert not [name for name in sys.modules if name.startswith("triton.")
                    and sys.modules[name] is not sys.modules["tessera" + name[len("triton"):]]]
        ''', flags=DROP_IN)


def test_versions(snippet):
    done = snippet('''if True:
        import importlib.metadata, tessera, triton
        assert triton.__version__ == importlib.metadata.version("triton") == "3.6.0"
        assert tessera.__version__ != triton.__version__
        print(triton, tessera.__version__ in dir(triton), "jit" in dir(triton))
        ''', flags=DROP_IN)
    assert "Tessera" in done.stdout and done.stdout.endswith("False True\n")


def test_attributes_are_shared(snippet):
    snippet('''if True:
        import tessera, triton, unittest.mock
        triton.mine = 5
        assert tessera.mine == 5 and "mine" in dir(triton)
        del triton.mine
        assert not hasattr(tessera, "mine") and not hasattr(triton, "mine")
        old = tessera.cdiv
        with unittest.mock.patch("triton.cdiv", 7):
            assert tessera.cdiv == 7
        assert tessera.cdiv is triton.cdiv is old
        ''', flags=DROP_IN)


def test_missing_modules_are_missing(snippet):
    snippet('''if True:
        import importlib.util
        assert importlib.util.find_spec("triton.no_such_module") is None
        try:
            import triton.no_such_module
        except ModuleNotFoundError as error:
            assert error.name == "triton.no_such_module"
        else:
            raise SystemExit(1)
        try:
            from triton import no_such_name
        except ImportError:
            pass
        else:
            raise SystemExit(1)
        ''', flags=DROP_IN)


def test_nothing_is_installed_unasked(snippet):
    snippet("import tessera, sys; assert 'triton' not in sys.modules and not [p for p in sys.path if '_as_triton' in p]")


# ---- from code ------------------------------------------------------------------------------------

def test_install_and_undo(snippet):
    snippet('''if True:
        import importlib.util, sys, tessera
        before = list(sys.path), list(sys.meta_path), importlib.util.find_spec("triton")
        drop_in = tessera.install_as_triton()
        assert tessera.install_as_triton() is drop_in
        import triton.language
        assert triton.language is tessera.language
        drop_in.undo()
        drop_in.undo()
        assert not [name for name in sys.modules if name.split(".")[0] == "triton"]
        assert (list(sys.path), list(sys.meta_path)) == before[:2]
        assert (importlib.util.find_spec("triton") is None) == (before[2] is None)
        with tessera.install_as_triton() as again:
            import triton
            assert again is not drop_in and triton.jit is tessera.jit
        assert "triton" not in sys.modules
        ''')


def test_a_triton_that_is_already_imported(snippet, tmp_path):
    other = tmp_path / "other" / "triton"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("__version__ = '2.0.0'\n")
    (other / "language.py").write_text("")
    snippet('''if True:
        import sys, tessera, triton.language
        theirs = triton
        try:
            tessera.install_as_triton()
        except RuntimeError as error:
            assert "Triton 2.0.0 is already imported" in str(error) and "python -m tessera" in str(error), error
        else:
            raise SystemExit("no error")
        assert sys.modules["triton"] is theirs
        with tessera.install_as_triton(replace=True):
            import triton.language
            assert triton.language is tessera.language and triton is not theirs
        import triton.language
        assert triton is theirs and triton.language is theirs.language and triton.__version__ == "2.0.0"
        ''', env={"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(other.parent), *path_of_tessera()])})


def path_of_tessera():
    import tessera
    return [os.path.dirname(os.path.dirname(os.path.abspath(tessera.__file__)))]


def test_beside_real_triton(snippet, triton, numpy):
    snippet(ADD.replace("import triton\n", "import tessera as triton\n").replace("import triton.l", "import tessera.l") + '''if True:
        import triton as real, triton.language, triton.runtime.jit, tessera
        assert check() and real.jit is not tessera.jit and real.language is not tessera.language
        @real.jit
        def other(x): pass
        assert not isinstance(other, tessera.runtime.jit.JITFunction) and isinstance(other, real.runtime.jit.JITFunction)
        ''')


def test_hides_real_triton(snippet, triton, numpy):
    snippet(ADD + "import tessera; assert triton.jit is tessera.jit and check()", flags=DROP_IN)


# ---- programs -------------------------------------------------------------------------------------

def test_add(snippet, numpy):
    snippet(ADD + "assert check()", flags=DROP_IN)


def test_add_through_pytest(python_process, tmp_path, numpy):
    (tmp_path / "test_mine.py").write_text(ADD + "def test_it():\n    assert check()\n")
    done = python_process(*DROP_IN, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py")
    assert "1 passed" in done.stdout


TOUR = os.path.join(HERE, "programs", "tour.py")


def test_a_program_with_torch(python_process, torch):
    done = python_process(*DROP_IN, TOUR, timeout=600)
    assert "Triton" in done.stdout and done.stdout.split()[-2] == "3.6.0"


def test_the_same_program_with_triton(python_process, torch, triton):
    """What it asks of Tessera it may ask of Triton."""
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    python_process(TOUR, timeout=600)


EXAMPLES = sorted(name for name in os.listdir(os.path.join(ROOT, "examples")) if name.endswith(".py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(python_process, torch, name):
    """Each compares its kernels with torch when it is run, on a GPU where there is one."""
    done = python_process(*DROP_IN, os.path.join(ROOT, "examples", name), status=None, timeout=600)
    if "not implemented for 'Half'" in done.stderr:
        pytest.skip("this torch cannot compute the reference: " + done.stderr.strip().split("\n")[-1])
    assert done.returncode == 0, done.stderr
    differences = re.findall(r"largest difference from torch: (\S+)", done.stdout)
    assert done.stdout and all(float(number) < 0.05 for number in differences), done.stdout


STATE = textwrap.dedent('''
    import json, sys
    spec = __spec__ and __spec__.name
    names = sorted(name for name in globals() if name.startswith("__"))
    print(json.dumps([sys.argv, sys.path[0], __name__, globals().get("__file__"), spec, __package__, names,
                      type(__loader__).__name__, sys.modules["__main__"].__dict__ is globals(), __doc__, __builtins__.__name__]))
    ''')


def same_both_ways(python_process, *arguments, **options):
    plain, ours = (python_process(*flags, *arguments, **options) for flags in ([], DROP_IN))
    assert ours.stdout == plain.stdout
    return plain, ours


@pytest.mark.parametrize("how", ["script", "symlink", "module", "package", "folder", "zip", "code", "stdin"])
def test_state_is_that_of_plain_python(python_process, tmp_path, how):
    script = '"""The doc."""\n' + STATE
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "state.py").write_text(script)
    (tmp_path / "sub" / "__main__.py").write_text(script)
    (tmp_path / "sub" / "__init__.py").write_text("")
    os.symlink(tmp_path / "sub" / "state.py", tmp_path / "link.py")
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("__main__.py", script)
    arguments = {"script": ["sub/state.py"], "symlink": ["link.py"], "module": ["-m", "sub.state"], "package": ["-m", "sub"],
                 "folder": ["sub"], "zip": ["app.zip"], "code": ["-c", script], "stdin": ["-"]}[how]
    plain, _ = same_both_ways(python_process, *arguments, "one", "-m", "--two", input=script if how == "stdin" else None)
    assert "--two" in plain.stdout


def test_tracebacks_begin_with_the_program(python_process, tmp_path):
    (tmp_path / "fails.py").write_text("def inner():\n    raise ValueError('this')\n\n\ninner()\n")
    (tmp_path / "syntax.py").write_text("y = 1\nx = = 1\n")
    for name in ("fails.py", "syntax.py"):
        plain, ours = same_both_ways(python_process, name, status=1)
        assert ours.stderr == plain.stderr and len(plain.stderr.split("\n")) > 3


def test_a_program_s_own_excepthook(python_process, tmp_path):
    (tmp_path / "hook.py").write_text("import sys\nsys.excepthook = lambda kind, error, trace: print(kind.__name__, trace.tb_frame.f_code"
                                      ".co_filename)\n1 / 0\n")
    plain, _ = same_both_ways(python_process, "hook.py", status=1)
    assert plain.stdout.startswith("ZeroDivisionError") and "hook.py" in plain.stdout


@pytest.mark.parametrize("ending", ["sys.exit(7)", "sys.exit('said')", "raise SystemExit", "raise KeyboardInterrupt", "os._exit(3)", ""])
def test_exit_statuses(python_process, ending):
    code = f"import atexit, os, sys; atexit.register(print, 'end'); {ending}"
    plain, ours = (python_process(*flags, "-c", code, status=None) for flags in ([], DROP_IN))
    assert (plain.returncode, plain.stdout) == (ours.returncode, ours.stdout)
    if "said" in ending:
        assert ours.stderr == "said\n"


def test_usage(python_process, tmp_path):
    assert "usage: python -m tessera script.py" in python_process(*DROP_IN, "--help").stdout
    assert "Triton 3.6.0" in python_process(*DROP_IN, "--version").stdout
    assert "usage" in python_process(*DROP_IN, status=2).stderr
    assert "no such option: --wrong" in python_process(*DROP_IN, "--wrong", status=2).stderr
    assert "-m asks for" in python_process(*DROP_IN, "-m", status=2).stderr
    assert "can't open file" in python_process(*DROP_IN, "missing.py", status=2).stderr
    assert "No module named missing" in python_process(*DROP_IN, "-m", "missing", status=1).stderr


# ---- child processes ------------------------------------------------------------------------------

@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(snippet, numpy, method):
    """Functions of the script itself, so the child imports it under another name than __main__."""
    done = snippet(ADD + textwrap.dedent(f'''
        def work(n):
            import sys, tessera
            assert sys.modules["triton.language"] is tessera.language
            return check(n)
        if __name__ == "__main__":
            import multiprocessing
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                print(pool.map(work, [10, 2000]))
        '''), flags=DROP_IN)
    assert done.stdout == "[True, True]\n"


def test_spawn_after_install(snippet, numpy):
    """Without `python -m tessera`: the kernels are in a module that only imports triton."""
    done = snippet(textwrap.dedent('''
        if __name__ == "__main__":
            import sys, tessera
            tessera.install_as_triton()
            with open("kernels.py", "w") as file:
                file.write(sys.stdin.read())
            sys.path.insert(0, ".")
            import kernels, multiprocessing
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(kernels.check, [10]))
        '''), input=ADD)
    assert done.stdout == "[True]\n"


def test_other_python_processes(snippet, numpy):
    """As torchrun and pytest-xdist start theirs: another program, another folder, the same interpreter."""
    done = snippet('''if True:
        import subprocess, sys
        code = "import importlib.metadata as m; print(m.version('triton')); import triton, tessera; print(triton.jit is tessera.jit); " \\
               "tessera.install_as_triton().undo(); import sys; print('triton' in sys.modules)"
        subprocess.run([sys.executable, "-c", code], cwd="/", check=True)
        ''', flags=DROP_IN)
    assert done.stdout == "3.6.0\nTrue\nFalse\n"


# ---- torch ----------------------------------------------------------------------------------------

def test_torch_imports(snippet, torch):
    """torch asks for triton in places of its own; whichever of them this torch has must find what it wants."""
    snippet('''if True:
        import torch, sys
        import triton
        try:
            import torch.utils._triton as asks
        except ImportError:
            raise SystemExit  # an old torch
        assert not hasattr(asks, "has_triton_package") or asks.has_triton_package()
        asks.has_triton()
        import torch._inductor.runtime.triton_compat as compat
        assert compat.triton is None or compat.triton is triton
        import torch._inductor.runtime.triton_heuristics
        ''', flags=DROP_IN, timeout=300)


def test_where_the_language_comes_from(snippet):
    """torch.compile writes `from {f.__module__} import {f.__name__}` for functions, and the modules of annotations."""
    snippet("""
import pickle, sys
import tessera, tessera.language as ours
assert ours.load.__module__ == ours.constexpr.__module__ == "tessera.language.core"
drop_in = tessera.install_as_triton()
import triton, triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as other
from triton.language.math import rsqrt
named = {tl.load: "core", tl.sum: "standard", rsqrt: "math", tl.rand: "random", tl.constexpr: "core", tl.tensor: "core",
         tl.dtype: "core", tl.static_range: "core", libdevice.tanh: "extra.libdevice", other.tanh: "extra.cuda.libdevice",
         tl.PropagateNan: "core", tl.target_info.is_cuda: "target_info"}
for value, module in named.items():
    assert value.__module__ == "triton.language." + module, (value, value.__module__)
    found = {}
    exec(f"from {value.__module__} import {value.__name__} as found", found)
    assert found["found"] is value and pickle.loads(pickle.dumps(value)) is value, value
assert tl.float32.__module__ == "triton.language.core" and "pointer" in tl.load.__doc__ and tl.load.__signature__
drop_in.undo()
assert ours.load.__module__ == ours.constexpr.__module__ == "tessera.language.core"
assert libdevice.tanh.__module__ == "tessera.language.extra.libdevice"
""")


def test_where_the_language_comes_from_when_it_comes_later(snippet):
    snippet("""
import triton.language as tl
from triton.language.extra import libdevice
for value in (tl.load, tl.sum, tl.constexpr, tl.dtype, tl.PropagateNan, libdevice.tanh):
    assert value.__module__.startswith("triton.language."), (value, value.__module__)
""", flags=["-m", "tessera"])


def test_files_of_the_package(snippet):
    snippet("""
import importlib.resources, pkgutil, triton
assert "def cdiv" in importlib.resources.files("triton").joinpath("__init__.py").read_text()
assert importlib.resources.files(triton).joinpath("language", "core.pyi").is_file()
assert b"def load" in pkgutil.get_data("triton", "language/core.pyi") and pkgutil.get_data("triton.language", "math.pyi")
""", flags=["-m", "tessera"])
