"""What every pytest module of test/ shares: the devices of this machine, and scripts/test's name filter."""
import os
import re
import sys

import pytest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "run")]
import features  # noqa: E402


def pytest_generate_tests(metafunc):
    """A test that takes `device` runs on each: the CPU always, a GPU where there is one."""
    if "device" in metafunc.fixturenames:
        no_gpu = pytest.mark.skipif(not features.has_gpu(), reason=features.WHY_NOT["gpu"])
        metafunc.parametrize("device", ["cpu", pytest.param("cuda:0", marks=no_gpu)])


def pytest_collection_modifyitems(config, items):
    pattern = os.environ.get("TESSERA_TEST_PATTERN")
    if pattern:
        kept = [item for item in items if re.search(pattern, item.nodeid, re.I)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
