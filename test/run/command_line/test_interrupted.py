"""A compilation that is interrupted at any moment leaves whole files or none."""
import os
import signal
import subprocess
import time

import pytest

from launch import EXAMPLES, TESSERA

COMMAND = [TESSERA, "compile", os.path.join(EXAMPLES, "add.py"), "--kernel-name", "add_kernel",
           "--signature", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024", "--emit", "ttir,ttgir,llir,ptx,json"]


def contents(folder):
    return {name: (folder / name).read_bytes() for name in os.listdir(folder)}


def compile_into(folder, delay=None, kill=None):
    folder.mkdir()
    environment = dict(os.environ, TESSERA_CACHE_DIR=str(folder.parent / f"cache-{folder.name}"))
    process = subprocess.Popen(COMMAND + ["-o", str(folder / "add")], stdin=subprocess.DEVNULL, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if kill is not None:
        time.sleep(delay)
        process.send_signal(kill)
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_whole_files_or_none(tmp_path, kill):
    start = time.monotonic()
    status, errors = compile_into(tmp_path / "whole")
    assert status == 0, errors
    duration = time.monotonic() - start
    whole = contents(tmp_path / "whole")
    assert whole
    attempts = 12
    for attempt in range(attempts):
        folder = tmp_path / f"attempt{attempt}"
        status, errors = compile_into(folder, duration * attempt / attempts, kill)
        left = contents(folder)
        for name, data in left.items():
            if kill == signal.SIGKILL and name not in whole:
                continue  # nobody can clean up after SIGKILL; a temporary name misleads no one
            assert data == whole.get(name), f"{name} was left incomplete after {kill.name}"
        assert status in (0, -kill, 128 + kill), f"status {status}: {errors}"
