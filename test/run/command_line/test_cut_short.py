"""Compilations that cannot go on: ended by a signal while the assembler runs, or without memory."""
import os
import resource
import signal
import subprocess
import time

import pytest

from launch import EXAMPLES, TESSERA


def wait_for(path):
    for _ in range(600):
        if os.path.exists(path):
            return
        time.sleep(0.05)
    pytest.fail("the assembler was not started")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGKILL"])
def test_nothing_is_left(tmp_path, name):
    temporary, started, tool = tmp_path / "tmp", tmp_path / "started", tmp_path / "ptxas"
    temporary.mkdir()
    # Stays until its standard error, which the compiler reads, is closed.
    tool.write_text(f"#!/bin/sh\ntest \"$1\" = --version && exit\ntouch {started}\nwhile echo waiting >&2; do sleep 0.05; done\n")
    tool.chmod(0o755)
    command = [TESSERA, "compile", os.path.join(EXAMPLES, "add.py"), "-n", "add_kernel", "-s", "*fp32,*fp32,*fp32,i32,1024",
               "--target", "cuda:90", "--emit", "cubin", "-o", str(tmp_path / "out"), "--no-cache", "--ptxas", str(tool)]

    def stop_ignoring():  # what a shell in the background, or nohup, ignores for its children
        for ignored in (signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_DFL)

    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}, stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=stop_ignoring)
    try:
        wait_for(started)
        process.send_signal(getattr(signal, name))
        assert process.wait(timeout=60) != 0
    finally:
        process.kill()
        process.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ptxas", "started", "tmp"]
    assert not list(temporary.iterdir())


def test_an_assembler_that_does_not_see_files_in_memory(tmp_path):
    """As in another container: it gets files in a private folder, which is gone afterwards."""
    temporary, tool = tmp_path / "tmp", tmp_path / "ptxas"
    temporary.mkdir()
    tool.write_text("#!/bin/sh\ntest \"$1\" = --version && exit\n"
                    "case $3 in /proc/*) echo \"ptxas fatal   : Input file '$3' could not be opened\" >&2; exit 255;; esac\n"
                    f"grep -q 'entry add_kernel' $3 && printf '\\177ELF made' > $5\necho $3 > {tmp_path}/seen\n")
    tool.chmod(0o755)
    out = tmp_path / "out"
    subprocess.run([TESSERA, "compile", os.path.join(EXAMPLES, "add.py"), "-n", "add_kernel", "-s", "*fp32,*fp32,*fp32,i32,1024",
                    "--target", "cuda:90", "--emit", "cubin", "-o", str(out), "--no-cache", "--ptxas", str(tool)],
                   env={**os.environ, "TMPDIR": str(temporary)}, check=True)
    assert (tmp_path / "out.cubin").read_bytes() == b"\x7fELF made"
    assert (tmp_path / "seen").read_text().startswith(str(temporary)) and not list(temporary.iterdir())


@pytest.mark.parametrize("target", ["cpu", "cuda:90"])
def test_little_memory_is_no_bug(tmp_path, target):
    """Whatever the limit, the compiler ends with a result or says that there is too little; it is never called a crash."""
    command = [TESSERA, "compile", os.path.join(EXAMPLES, "attention.py"), "--no-cache", "--target", target, "--emit", "llir",
               "-o", str(tmp_path / "out"), "-n", "attention_kernel", "-s", "*bf16,*bf16,*bf16,*bf16,*fp32,fp32" + 14 * ",i32" + ",64,64,32,0"]
    statuses = set()
    for megabytes in (400, *range(120, 40, -8)):
        limit = megabytes << 20
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        assert done.returncode != 70 and "bug in Tessera" not in done.stderr, f"{megabytes} MB: {done.stderr}"
        statuses.add(done.returncode)
    assert 0 in statuses
