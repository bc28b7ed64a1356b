"""What the fuzzers found (scripts/fuzz), reduced: each kernel compiles or gets an error, and never anything else."""
import os
import subprocess

import pytest

import signatures
import transcript

FOLDER = os.path.join(transcript.FOLDER, "findings")
SECONDS = 120  # far more than any of them takes


def cases():
    for name in sorted(os.listdir(FOLDER)):
        # As bytes that survive: some findings are no UTF-8.
        with open(os.path.join(FOLDER, name), encoding="utf-8", errors="surrogateescape") as file:
            for case in signatures.commented(name, file.read()):
                yield pytest.param(case, id=f"{case.file}:{case.kernel}")


@pytest.mark.parametrize("case", cases())
def test_finding(tmp_path, case):
    command = [os.path.join(transcript.BIN, "tessera"), "compile", os.path.join(FOLDER, case.file), "--kernel-name", case.kernel,
               "--signature", case.signature, *case.options, "--emit", "ttir", "-o", "-"]
    done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS)
    text = done.stdout.decode(errors="replace")
    assert done.returncode in (0, 1, 3), text[-4000:]
    assert done.returncode == 0 or "error: " in text or "unsupported: " in text, text[-4000:]
