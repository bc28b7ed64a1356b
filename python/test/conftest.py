"""What the tests of the Python package share.

    PYTHONPATH=build/python python3 -m pytest python/test          or scripts/test python; BUILD=folder tests another build
    TESSERA_TEST_INSTALLED=1 python3 -m pytest python/test         the tessera that this Python has installed

A test that takes `device` runs on "cpu" always, and on "cuda" where torch has a GPU. It gets its arrays there with `put` and
back with `get`, so one test serves both; kernels that must run on anything use nothing else:

    def test_add(device, put, get):
        out = put(numpy.zeros(64, "float32"))
        add_kernel[(1,)](put(x), put(y), out, 64, BLOCK=64)
        assert numpy.array_equal(get(out), x + y)

Other fixtures: `torch`, `numpy` and `triton` (the real one) skip where they are missing; `fresh_cache` is an empty cache folder
for one test; `snippet` runs a program in a process of its own. The cache of a whole run is a new folder, never the user's.
"""
import importlib.util
import os
import shutil
import signal
import subprocess
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import CACHE, PACKAGES, ROOT, child_environment  # noqa: E402

sys.path.insert(1, os.path.join(ROOT, "test"))
if not os.environ.get("TESSERA_TEST_INSTALLED") and os.path.isdir(os.path.join(PACKAGES, "tessera")):
    sys.path.insert(0, PACKAGES)
import features  # noqa: E402
from selection import pytest_collection_modifyitems, pytest_runtest_logreport, pytest_runtest_logstart  # noqa: E402, F401

# What a shell without job control starts in the background ignores interrupts, and so would all that this starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config):
    shutil.rmtree(CACHE, ignore_errors=True)


# ---- devices --------------------------------------------------------------------------------------

def why_no_gpu():
    """None where torch has a GPU. torch is imported only if the driver answers, which a bare machine's never does."""
    if not features.has_gpu():
        return features.WHY_NOT["gpu"]
    if importlib.util.find_spec("torch") is None:
        return "no torch in this Python"
    import torch
    return None if torch.cuda.is_available() else "torch sees no GPU"


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        no_gpu = why_no_gpu()
        marks = pytest.mark.skipif(no_gpu is not None, reason=str(no_gpu))
        metafunc.parametrize("device", ["cpu", pytest.param("cuda", marks=marks)])


def module_or_skip(name):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"no {name} in this Python")
    return importlib.import_module(name)


@pytest.fixture
def numpy():
    return module_or_skip("numpy")


@pytest.fixture
def torch():
    return module_or_skip("torch")


@pytest.fixture
def triton():
    """Triton itself, to compare with."""
    return module_or_skip("triton")


@pytest.fixture
def put(device):
    """put(array) is the array on the test's device: itself on the CPU, a torch tensor on a GPU."""
    if device == "cpu":
        return lambda array: array
    import torch
    return lambda array: torch.from_numpy(array).to(device)


@pytest.fixture
def get():
    """get(what put returned) is a NumPy array."""
    return lambda array: array.cpu().numpy() if hasattr(array, "cpu") else array


@pytest.fixture
def fake_gpu(tmp_path):
    """The environment of a process whose CUDA driver is the unit tests' own, which only keeps notes."""
    library = os.path.join(os.path.dirname(PACKAGES), "unittests", "libFakeDriver.so")
    if not os.path.exists(library):
        pytest.skip("the unit tests' CUDA driver is not built")
    folder = tmp_path / "fake"
    folder.mkdir()
    os.symlink(library, folder / "libcuda.so.1")
    return {"LD_LIBRARY_PATH": str(folder)}


# ---- caches and processes -------------------------------------------------------------------------

@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """The path of a cache folder that is empty and only this test's."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder))
    return folder


def run_python(arguments, folder, env=None, status=0, input=None, timeout=600, cwd=None):
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=child_environment(env), input=input, capture_output=True, text=True, timeout=timeout,
                          cwd=str(cwd or folder))
    if status is not None and done.returncode != status:
        pytest.fail(f"{' '.join(command)}\nended with status {done.returncode}, not {status}\n{done.stdout}{done.stderr}",
                    pytrace=False)
    return done


@pytest.fixture
def python_process(tmp_path):
    """python_process(*arguments, env=None, status=0, input=None, timeout=600, cwd=None) runs this Python with the arguments in
    a fresh process and returns it when it has ended, with .stdout and .stderr. The test fails if the exit status is another
    than `status` (None: any)."""
    return lambda *arguments, **options: run_python(arguments, tmp_path, **options)


@pytest.fixture
def snippet(tmp_path):
    """snippet(text, *arguments, flags=(), name=None, ...) writes the text to a file, for its kernels have a source, and runs
    that likewise. flags go before the file's name: ["-m", "tessera"] runs it under the drop-in."""
    def run(text, *arguments, flags=(), name=None, **options):
        path = tmp_path / (name or f"snippet{len(os.listdir(tmp_path))}.py")
        path.write_text(text, encoding="utf-8")
        return run_python([*flags, path, *arguments], tmp_path, **options)
    return run
