"""What every pytest module of test/ shares: the devices of this machine, and which of the tests the scripts ask for
(selection.py)."""
import os
import sys

import pytest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "run"), os.path.join(HERE, "run", "random_programs")]
import features  # noqa: E402
from selection import pytest_collection_modifyitems, pytest_runtest_logreport, pytest_runtest_logstart  # noqa: E402, F401


def pytest_generate_tests(metafunc):
    """A test that takes `device` runs on each: the CPU always, a GPU where there is one."""
    if "device" in metafunc.fixturenames and os.environ.get("TESSERA_TEST_DEVICE") == "emulated":
        # Only what launches through `run`: see run/emulated_session.py.
        metafunc.parametrize("device", ["emulated"] if "run" in metafunc.fixturenames else [])
    elif "device" in metafunc.fixturenames and os.environ.get("TESSERA_TEST_DEVICE", "").startswith("hip"):
        no_gpu = pytest.mark.skipif(not features.has_amd_gpu(), reason=features.WHY_NOT["amd-gpu"])
        devices = [pytest.param(os.environ["TESSERA_TEST_DEVICE"], marks=no_gpu)]
        metafunc.parametrize("device", devices if "run" in metafunc.fixturenames else [])
    elif "device" in metafunc.fixturenames:
        # With $TESSERA_TEST_REQUESTS a test notes what it would launch and skips itself (run/conftest.py).
        runs = features.has_gpu() or ("run" in metafunc.fixturenames and os.environ.get("TESSERA_TEST_REQUESTS"))
        no_gpu = pytest.mark.skipif(not runs, reason=features.WHY_NOT["gpu"])
        metafunc.parametrize("device", ["cpu", pytest.param("cuda:0", marks=no_gpu)])
