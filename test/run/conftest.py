"""`run` launches kernels on the test's device, many in one process: session.py on the CPU, gpu_session.py on a GPU,
emulated_session.py where there is none."""
import os

import pytest

import features
from emulated_session import EmulatedSession
from gpu_session import GPUSession
from launch import gpu_options, is_amd
from session import Refused, Session, Unsupported, note_request, why_not_here
from unsupported_amd import is_listed

_cpu, _gpu = Session(), EmulatedSession() if os.environ.get("TESSERA_TEST_DEVICE") == "emulated" else GPUSession()
# Without a GPU its tests can still say what they would compile; compile_requests.py does so for every chip.
_only_noting = bool(os.environ.get("TESSERA_TEST_REQUESTS")) and not features.has_gpu()


@pytest.fixture
def run(device):
    """run(source, kernel, signature, grid, arguments): the arrays afterwards, on the CPU the same for any number of
    threads. `options` such as "num-warps=8" are for GPUs. Skips what a GPU target cannot do."""
    def on_cpu(source, kernel, signature, grid, arguments, threads=(1, 2, 7), options=""):
        return _cpu.launch(source, kernel, signature, grid, arguments, threads)

    def on_gpu(source, kernel, signature, grid, arguments, threads=(), options=""):
        try:
            return _gpu.launch(source, kernel, signature, grid, arguments, gpu_options(options))
        except (Unsupported, Refused) as problem:
            reason = why_not_here(str(problem))
            if reason is None or (is_amd(device) and not is_listed(reason)):
                raise
            pytest.skip(reason)

    def noted(source, kernel, signature, grid, arguments, threads=(), options=""):
        """A test may launch several kernels, each with what came of the one before: the CPU stands in."""
        note_request(source, kernel, signature, gpu_options(options))
        return _cpu.launch(source, kernel, signature, grid, arguments)

    return on_cpu if device == "cpu" else noted if _only_noting else on_gpu


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A GPU's test that is only noted is skipped, whatever the CPU's values look like to it."""
    if not _only_noting or not hasattr(pyfuncitem, "callspec") or pyfuncitem.callspec.params.get("device") != "cuda:0":
        return None
    try:
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames})
    except Exception:  # but not the test's own skip
        pass
    pytest.skip(features.WHY_NOT["gpu"])
