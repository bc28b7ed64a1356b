"""What the tests of ahead-of-time compilation share: the command line, a C compiler, and a GPU's driver that only prints."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from machine import STRICT, TESSERA, compiler  # noqa: E402


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """A folder of compiled kernels for these tests alone."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def tessera(tmp_path, cache):
    """tessera("build", ..., status=0) runs the command line in the test's folder and returns what it printed."""
    def run(*arguments, status=0, **variables):
        environment = dict(os.environ, TESSERA_CACHE_DIR=cache, NO_COLOR="1", **variables)
        done = subprocess.run([TESSERA, *map(str, arguments)], cwd=str(tmp_path), text=True,
                              capture_output=True, env=environment, errors="replace")
        assert done.returncode == status, f"status {done.returncode}, not {status}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr
    return run


@pytest.fixture
def program(tmp_path):
    """program(text, *objects) compiles and links a C program; the result runs it and returns what it printed."""
    def build(text, *objects, language="c", flags=()):
        source = tmp_path / f"main.{'cpp' if language == 'c++' else 'c'}"
        source.write_text(text)
        path = str(tmp_path / f"main-{language}")
        subprocess.run([compiler("c++" if language == "c++" else "cc"), *STRICT, *flags, str(source), *map(str, objects), "-lm",
                        "-ldl", "-pthread", "-o", path], check=True, cwd=str(tmp_path))

        def run(status=0, **variables):
            done = subprocess.run([path], capture_output=True, text=True, cwd=str(tmp_path), env=dict(os.environ, **variables))
            assert done.returncode == status, f"status {done.returncode}\n{done.stdout}{done.stderr}"
            return done.stdout
        return run
    return build


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """The folder of a libcuda.so.1 that prints launches (fake_driver.c); LD_LIBRARY_PATH takes it."""
    folder = tmp_path_factory.mktemp("driver")
    subprocess.run([compiler(), "-shared", "-fPIC", *STRICT, os.path.join(HERE, "fake_driver.c"), "-o", str(folder / "libcuda.so.1")],
                   check=True)
    return str(folder)


@pytest.fixture(scope="session")
def hip(tmp_path_factory):
    """The folder of a libamdhip64.so.6 that prints launches (fake_hip.c); LD_LIBRARY_PATH takes it."""
    folder = tmp_path_factory.mktemp("hip")
    subprocess.run([compiler(), "-shared", "-fPIC", *STRICT, os.path.join(HERE, "fake_hip.c"), "-o", str(folder / "libamdhip64.so.6"),
                    "-Wl,-soname,libamdhip64.so.6"], check=True)
    return str(folder)
