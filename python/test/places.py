"""Where the repository and the build under test are, and an environment for tests alone. $BUILD names another build folder, or an
unpacked archive. Imported before tessera, by conftest.py: tests read neither the user's cache nor what the shell says about dumps."""
import os
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
PACKAGES = os.path.join(BUILD, "python")

KEPT = ("TRITON_PYTHON", "TRITON_PTXAS_PATH", "TRITON_LIBDEVICE_PATH", "TRITON_CUOBJDUMP_PATH")  # where things are on this machine
for variable in [name for name in os.environ if name.startswith(("TRITON_", "TESSERA_", "MLIR_"))]:
    if not variable.startswith("TESSERA_TEST_") and variable not in KEPT:
        del os.environ[variable]
CACHE = os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="tessera-test-cache.")


def child_environment(more=None):
    """A child finds the tessera of this process; a variable whose value is None is left out."""
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    if not os.environ.get("TESSERA_TEST_INSTALLED"):
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [PACKAGES, os.environ.get("PYTHONPATH", "")]))
    environment.update(more or {})
    return {name: str(value) for name, value in environment.items() if value is not None}
