"""A kernel that never ends is killed and named: in bench/gpu, in scripts/test-gpu, and in the sessions of test/run."""
import argparse
import importlib.machinery
import importlib.util
import os
import sys
import time

import pytest
from places import ROOT

sys.path[:0] = [os.path.join(ROOT, "bench", "gpu"), os.path.join(ROOT, "test", "run")]


def script(path):
    """A program without .py as a module."""
    loader = importlib.machinery.SourceFileLoader(os.path.basename(path).replace("-", "_") + "_script", os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


# ---- bench/gpu ------------------------------------------------------------------------------------

class FakeCase:
    kernel = "attention_kernel"

    def __init__(self, name, configs, steps=()):
        self.name, self.configs, self.steps = name, configs, steps


def serve_fake(options, group, hung, connection):
    """As serve_group does; a configuration called "endless" is a kernel that does not end."""
    for case in group.cases:
        why = {}
        for config in case.configs:
            step = (case.name, "Tessera", config)
            if step in hung:
                why[config] = hung[step]
                continue
            connection.send(("step", step))
            if config == "endless":
                time.sleep(1000)
            if config == "fatal":
                os._exit(3)
        row = {"case": case.name, "unit": "TFLOP/s", "why": {"Tessera": why, "Triton": {}, "library": {}}}
        connection.send(("row", row))
    connection.send(("end", None))


def run_fake(*cases):
    bench = script("bench/gpu/run")
    return bench.run_group(argparse.Namespace(limit=1), bench.cases.Group("fake", cases), serve_fake)


def test_benchmark_kills_and_names_a_kernel(capsys):
    rows = run_fake(FakeCase("first", ["a", "endless", "b"]), FakeCase("second", ["a"]))
    said = "hung: Tessera's attention_kernel, endless was killed after 1 s"
    assert [row["case"] for row in rows] == ["first", "second"]
    assert rows[0]["why"]["Tessera"] == {"endless": said} and not rows[1]["why"]["Tessera"]
    assert said in capsys.readouterr().out


def test_benchmark_goes_on_after_a_process_that_died():
    rows = run_fake(FakeCase("first", ["fatal"]), FakeCase("second", ["a"]))
    assert rows[0]["error"] == "the process died: Tessera's attention_kernel, fatal"
    assert rows[1]["case"] == "second" and "error" not in rows[1]


# ---- scripts/test-gpu -----------------------------------------------------------------------------

TESTS = """
import time

def test_before():
    pass

def test_endless():
    launch_endless_kernel()

def launch_endless_kernel():
    time.sleep(1000)

def test_after():
    assert False, "it was run"
"""


def test_gpu_tests_kill_and_name_a_test(tmp_path, capsys, monkeypatch):
    for name in ("PATTERN", "DEVICE"):  # of this run
        monkeypatch.delenv(f"TESSERA_TEST_{name}", raising=False)
    (tmp_path / "test_fake.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(f"import sys; sys.path.insert(0, {os.path.join(ROOT, 'test')!r})\nfrom selection import *\n")
    options = argparse.Namespace(folder=str(tmp_path), k=None, sanitizer=None, build="build", jobs=1, limit=4, timeout=60,
                                 deadline=time.monotonic() + 60, ended=False)
    results, logs = script("scripts/test-gpu").run_all(options, "")
    status = {result.name.split("::")[-1]: result for result in results}
    assert {name: result.status for name, result in status.items()} == {"test_before": "passed", "test_endless": "failed", "test_after": "failed"}
    assert status["test_endless"].detail.startswith("hung: killed after 4 s")
    assert "it was run" in status["test_after"].detail and len(results) == 3
    assert "launch_endless_kernel" in logs[0]  # pytest says where it was
    assert "test_endless hung: killed after 4 s" in capsys.readouterr().out


# ---- the sessions of test/run ---------------------------------------------------------------------

def serve_nothing(connection):
    connection.recv()
    time.sleep(1000)


def test_session_kills_and_names_a_kernel(monkeypatch):
    pytest.importorskip("numpy")
    from gpu_session import GPUSession
    from session import Refused

    class Endless(GPUSession):
        start_method, serve, seconds = "fork", staticmethod(serve_nothing), 1

        def stop(self):  # the fake has no process group of its own
            self.process.kill()
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    with pytest.raises(Refused, match=r"add_kernel of kernel\.py, \*fp32, grid \(1,\), num-warps=8: hung: killed after 1 s"):
        Endless().launch("def add_kernel(x):\n  pass\n", "add_kernel", "*fp32", (1,), {}, "num-warps=8")
