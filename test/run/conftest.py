"""`run` launches kernels on the test's device: on the CPU many in one process (session.py), else through `tessera run`."""
import os

import pytest

from launch import launch
from session import Session

_session = Session()


@pytest.fixture
def run(device, tmp_path):
    """run(source, kernel, signature, grid, arguments): the arrays afterwards, on the CPU the same for any number of threads.
    Skips what a GPU target cannot do yet."""
    def on_cpu(source, kernel, signature, grid, arguments, threads=(1, 2, 7)):
        return _session.launch(source, kernel, signature, grid, arguments, threads)

    def on_gpu(source, kernel, signature, grid, arguments, threads=()):
        if "\n" in source:
            path = os.path.join(tmp_path, "kernel.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            source = path
        try:
            return launch(tmp_path, device, source, kernel, signature, grid, arguments)
        except AssertionError as problem:
            if not str(problem).startswith("status 3 "):
                raise
            pytest.skip(next((line for line in str(problem).split("\n") if "unsupported" in line), str(problem)))

    return on_cpu if device == "cpu" else on_gpu
