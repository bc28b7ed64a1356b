"""docs/lab.md, tried literally: the commands of its ```sh blocks, in an empty folder, print what the page shows (`...` is any text)."""
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab_tool import BUILD, ROOT, environment  # noqa: E402


def commands():
    """[(command, expected output)] of the page, in order."""
    with open(os.path.join(ROOT, "docs", "lab.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.M | re.S)
    found = []
    for line in "".join(blocks).split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(said).strip("\n")) for command, said in found]


def as_pattern(text):
    return r"\s*".join(".*".join(re.escape(part) for part in line.split("...")) for line in text.split("\n"))


def test_ten_minutes(tmp_path):
    more = {"PATH": os.path.join(BUILD, "bin") + os.pathsep + os.environ["PATH"], "TESSERA_PYTHON": sys.executable}
    tried = commands()
    assert len(tried) > 6
    for command, expected in tried:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(tmp_path, more), stdin=subprocess.DEVNULL, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert re.fullmatch(as_pattern(expected), done.stdout.strip("\n"), re.S), f"$ {command}\n{done.stdout}"
    log = (tmp_path / "logs" / "my_op_log.md").read_text()
    for words in ("## Phase 1", "## Phase 2", "## Phase 3a", "## Phase 3b", "## Phase 4", "| Kernel | Small | Medium | Speedup |", "sigmoid(1.702 * x)"):
        assert words in log, words
    assert (tmp_path / "logs" / "my_op.svg").read_text().startswith("<svg")
