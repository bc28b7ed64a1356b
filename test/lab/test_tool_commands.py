"""The commands of `tessera lab` and the files that they write: list, check, JSON in and out, resuming, budget, report, watch, import."""
import json
import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab_tool import BUILD, environment, lab, lab_json, version, write, write_twice  # noqa: E402

QUICK = ["--device", "cpu", "--sizes", "Small", "--rounds", "2", "--random", "0", "--triton", "no", "--no-sanitize"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which `twice` was measured once."""
    made = tmp_path_factory.mktemp("lab")
    write_twice(made, {"v1_baseline": version("v1_baseline")})
    (made / "request.json").write_text(json.dumps({"ops": ["twice"], "versions": ["v1"], "seed": 5}))
    return made


@pytest.fixture(scope="module")
def first(folder):
    return lab_json(folder, *QUICK, "--request", "request.json")["twice"]


def test_request_and_record(folder, first):
    record = first["record"]
    assert record["seed"] == 5 and record["device"]["type"] == "cpu" and record["hash"]
    assert set(record["sizes"]["Small"]["contestants"]) == {"tessera:v1_baseline", "torch"}
    entry = record["sizes"]["Small"]["contestants"]["tessera:v1_baseline"]
    assert entry["median_us"] > 0 and entry["warm_us"] > 0 and entry["kernels"][0]["name"] == "kernel"
    assert json.loads((folder / "logs" / "twice.json").read_text())["records"] == [record]


def test_a_run_resumes(folder, first):
    """The same command measures nothing again and adds no record."""
    begin = time.monotonic()
    again = lab_json(folder, *QUICK, "--request", "request.json")["twice"]
    assert again["record"] == first["record"]
    assert len(json.loads((folder / "logs" / "twice.json").read_text())["records"]) == 1
    assert time.monotonic() - begin < 60


def test_a_spent_budget_measures_nothing(folder):
    told = lab_json(folder, *QUICK, "twice", "--seed", "9", "--budget", "0.001", status=1)["twice"]
    assert "record" not in told and told["failed"] == []


def test_list_and_report(folder, first):
    told = lab_json(folder, "list")
    assert told[0]["name"] == "twice" and told[0]["measured"]["choice"] == first["record"]["choice"]
    assert lab(folder, "report")[0] == "wrote logs/report.html: 1 operator\n"
    page = (folder / "logs" / "report.html").read_text()
    assert page.startswith("<!doctype html>") and "v1_baseline" in page and "<svg" in page and "http://" not in page.replace("http://www.w3.org", "")


def test_watch_shows_the_difference(folder, first):
    out, _ = lab(folder, "watch", "twice", "--once", "--sizes", "Small")
    assert "right in 4 cases" in out and "× the last record" in out


def test_check_says_what_is_missing(folder):
    found = {(each["file"], each["what"]) for each in lab_json(folder, "check", "twice", status=1)["twice"]}
    assert ("v2_tiling.py", "is missing: tiles, and autotunes their size") in found
    assert ("cases.toml", "there is no [sizes.Final]") in found
    assert any("unusual strides" in what for _, what in found)


def test_messages(folder):
    assert "there is no operator 'nothing'" in lab(folder, "nothing", status=1)[1]
    assert "there is no version 'v9' of twice; there are: v1_baseline" in lab(folder, "twice", "--versions", "v1,v9", status=1)[1]
    assert "there is no size 'Tiny' of twice; there are: Small, Medium" in lab(folder, "twice", "--device", "cpu", "--sizes", "Tiny", status=1)[1]
    assert "cannot be an operator's name" in lab(folder, "new", "My-Op", status=1)[1]
    assert "is there already" in lab(folder, "new", "twice", status=1)[1]
    assert "there is no option 'sizez'" in lab(folder, "--request", write_request(folder, {"sizez": 1}), status=2)[1]
    text = lab(folder, "--help")[0]
    assert text.startswith("usage: tessera lab OP") and "\nwhat to do:\n" in text
    assert max(map(len, text.split("\n\nwhat to do")[0].split("\n"))) <= 80, text


def write_request(folder, told):
    (folder / "bad.json").write_text(json.dumps(told))
    return "bad.json"


def test_python_without_torch(tmp_path):
    """`tessera lab` of the command line: which Python, and what if it is missing."""
    tessera = os.path.join(BUILD, "bin", "tessera")
    done = subprocess.run([tessera, "lab", "list"], env=environment(tmp_path, {"TESSERA_PYTHON": "no-such-python"}), capture_output=True, text=True)
    assert done.returncode == 3 and "TESSERA_PYTHON is 'no-such-python', and there is no such program" in done.stderr
    write(tmp_path / "python", {"python3": "#!/bin/sh\necho started \"$@\"\n"})
    os.chmod(tmp_path / "python" / "python3", 0o755)
    done = subprocess.run([tessera, "lab", "my_op", "--all"], env=environment(tmp_path, {"PATH": str(tmp_path / "python")}), capture_output=True, text=True)
    assert done.stdout == "started -m tessera.lab my_op --all\n"


PROBLEM = '''import torch
import torch.nn as nn


class Model(nn.Module):
    """Adds a bias and takes the maximum with 0."""

    def __init__(self, features):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))

    def forward(self, x):
        return torch.relu(x + self.bias)


batch_size = 128
features = 64


def get_inputs():
    return [torch.rand(batch_size, features)]


def get_init_inputs():
    return [features]
'''


def test_import_a_problem(tmp_path):
    write(tmp_path, {"19_BiasReLU.py": PROBLEM})
    told = lab_json(tmp_path, "import", "19_BiasReLU.py")
    assert told["op"] == "biasrelu"
    missing = lab_json(tmp_path, "check", "biasrelu", status=1)["biasrelu"]
    assert {"file": "v1_baseline.py", "what": "contains 'TODO'"} in missing
    answer = lab_json(tmp_path, "biasrelu", "--device", "cpu", "--check-only", "--no-sanitize", status=1)["biasrelu"]
    failed = answer["correctness"]["v1_baseline"]["failed"]
    assert failed["what"] == "no-kernel" and failed["message"].startswith("it launches no kernel"), answer  # it agrees with torch: it is torch
    lab(tmp_path, "export", "biasrelu", "-o", "again.py")
    assert (tmp_path / "again.py").read_text() == PROBLEM
    assert "batch_size = 16" in (tmp_path / "kernels" / "biasrelu" / "cases.toml").read_text()
    assert "no KernelBench problem" in lab(tmp_path, "import", "kernels/biasrelu/reference.py", status=1)[1]


def test_export_a_problem(folder):
    lab(folder, "export", "twice", "--size", "Small")
    code = "import torch, twice; out = twice.Model()(*twice.get_inputs()); assert torch.equal(out, 2 * twice.get_inputs()[0] + 1)"
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment(folder), check=True)
