"""`run` launches kernels on the test's device, many in one process: session.py on the CPU, gpu_session.py on a GPU."""
import pytest

from gpu_session import GPUSession
from launch import gpu_options
from session import Session, Unsupported

_cpu, _gpu = Session(), GPUSession()


def why_unsupported(message):
    return next((line for line in message.split("\n") if "unsupported" in line), message)


@pytest.fixture
def run(device):
    """run(source, kernel, signature, grid, arguments): the arrays afterwards, on the CPU the same for any number of
    threads. `options` such as "num-warps=8" are for GPUs. Skips what a GPU target cannot do."""
    def on_cpu(source, kernel, signature, grid, arguments, threads=(1, 2, 7), options=""):
        return _cpu.launch(source, kernel, signature, grid, arguments, threads)

    def on_gpu(source, kernel, signature, grid, arguments, threads=(), options=""):
        try:
            return _gpu.launch(source, kernel, signature, grid, arguments, gpu_options(options))
        except Unsupported as reason:
            pytest.skip(why_unsupported(str(reason)))

    return on_cpu if device == "cpu" else on_gpu
