"""`tessera explain --json`: the fields, and that they agree with each other."""
import collections
import json
import os
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import features  # noqa: E402
import schema  # noqa: E402
from command import ADD, MATMUL, ROOT, TESSERA, TOO_LARGE, explain, read  # noqa: E402

KERNELS = {"add": ADD, "matmul": MATMUL, "softmax": ["examples/softmax.py"], "msda": ["examples/msda.py"],
           "conv3d": ["examples/conv3d.py"]}


@pytest.mark.parametrize("target", ["cuda:90", "cuda:80", "cpu"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_schema_holds(kernel, target):
    out, _ = explain(*KERNELS[kernel], "-t", target, "--json")
    value = json.loads(out)
    assert schema.problems(value, schema.load()) == []
    for each in value["kernels"]:
        check_consistency(each)


def check_consistency(kernel):
    texts = kernel["texts"]
    for text in texts:
        assert text["text"].count("\n") == len(text["lines"])
        assert len(text.get("files", text["lines"])) == len(text["lines"])
    previous = None
    for step in kernel["steps"]:
        if previous is not None:
            assert step["before"] == previous
        assert step["changed"] == (step["before"] != step["after"]) if "before" in step and "bytes" not in step else True
        previous = step["after"]
    assert {stage["name"] for stage in kernel["stages"]} == {step["stage"] for step in kernel["steps"]}
    used = {step[key] for step in kernel["steps"] for key in ("before", "after") if key in step}
    assert used == set(range(len(texts)))


def test_steps_of_add_in_order():
    kernel, = read(*ADD)
    names = [step["name"] for step in kernel["steps"] if step["stage"] in ("frontend", "make_ttir")]
    assert names == ["frontend", "tt-inliner", "tt-rewrite-tensor-pointer", "tt-verify-phase", "tt-canonicalizer", "tt-flatten-branches",
                     "tt-combine", "tt-reorder-broadcast", "cse", "tt-symbol-dce", "tt-loop-unroll"]
    assert kernel["kernel"] == "add_kernel" and kernel["outcome"] == "done" and kernel["line"] == 13
    coalesce, = [step for step in kernel["steps"] if step["name"] == "ttg-coalesce"]
    assert coalesce["changed"] and coalesce["summary"] and "max-vector-bits=128" in coalesce["options"]
    assert [remark["line"] for remark in coalesce["remarks"]] == [20, 21, 23]
    before, after = (kernel["texts"][coalesce[key]]["ops"] for key in ("before", "after"))
    assert after["ttg.convert_layout"] - before.get("ttg.convert_layout", 0) == 9


def test_lines_lead_to_the_python_line():
    """At every level, what a load becomes is marked with the load's line."""
    kernel, = read(*ADD)
    source = kernel["sources"][0]["text"].split("\n")
    loads = {"source": "tt.load", "ttir": "tt.load", "ttgir": "tt.load", "llir": "ld.global", "ptx": "ld.global"}
    last = {text["level"]: text for text in kernel["texts"]}
    for level, word in loads.items():
        lines = {line for text, line in zip(last[level]["text"].split("\n"), last[level]["lines"]) if word in text}
        if level == "ptx" and 0 in lines:
            lines.discard(0)
        assert lines and all("tl.load" in source[line - 1] for line in lines), (level, lines)


def test_ops_are_counted():
    kernel, = read(*ADD)
    for text in kernel["texts"]:
        if text["syntax"] == "mlir" and text["level"] == "ttir":
            printed = collections.Counter(re.findall(r"(?:^|= )\s*((?:tt|arith)\.\w+)", text["text"], re.M))
            assert printed == {name: count for name, count in text["ops"].items()}


def test_a_pass_that_fails_is_the_last_step():
    kernel, = read(*TOO_LARGE, status=3)
    assert kernel["outcome"] == "unsupported" and "shared memory" in kernel["diagnostics"][0]["message"]
    last = kernel["steps"][-1]
    assert last["name"] == "ttg-allocate-shared-memory" and last["failed"] and not last["changed"]
    assert last["before"] == last["after"] and "cf.br" in kernel["texts"][last["after"]]["text"]
    assert kernel["stages"][-1] == {**kernel["stages"][-1], "name": "make_llir", "failed": True}
    assert "record" not in kernel


def test_a_frontend_error_has_no_steps():
    kernel, = read("examples/add.py", "-s", "*fp32", status=1)
    assert kernel["outcome"] == "error" and kernel["steps"] == [] and kernel["diagnostics"]


def test_an_assembler_that_fails(tmp_path):
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho 'ptxas fatal   : no' >&2\nexit 255\n")
    tool.chmod(0o755)
    kernel, = read(*ADD, "--ptxas", tool, status=70, env={"TMPDIR": str(tmp_path)})
    last = kernel["steps"][-1]
    assert last["name"] == "make_cubin" and last["failed"] and kernel["texts"][last["after"]]["level"] == "ptx"


@pytest.mark.skipif("ptxas" not in features.available(), reason=features.WHY_NOT["ptxas"])
@pytest.mark.parametrize("level", ["ttir", "ttgir", "llir", "ptx"])
def test_every_level_is_an_entry(level, tmp_path):
    path = tmp_path / f"add.{level}"
    subprocess.run([TESSERA, "compile", *ADD, "--emit", level, "-o", str(tmp_path / "add"), "--no-cache"], cwd=ROOT, check=True)
    kernel, = read(path)
    assert schema.problems(kernel, schema.load()["properties"]["kernels"]["items"]) == []
    assert kernel["steps"][0]["name"] == "input" and kernel["outcome"] == "done"
    assert kernel["texts"][0]["level"] == level
    check_consistency(kernel)


@pytest.mark.skipif(not {"ptxas", "libdevice"} <= features.available(), reason=features.WHY_NOT["ptxas"])
def test_another_attempt_replaces_the_first():
    """A kernel that spills is compiled again: the trace is that of the attempt that is kept."""
    kernel, = read("examples/attention.py")
    stages = [stage["name"] for stage in kernel["stages"]]
    assert len(stages) == len(set(stages))


def test_an_override_is_a_step(tmp_path):
    subprocess.run([TESSERA, "compile", *ADD, "--emit", "ttgir", "-o", str(tmp_path / "add"), "--no-cache"], cwd=ROOT, check=True)
    path = tmp_path / "add.ttgir"
    path.write_text(path.read_text().replace("arith.addf", "arith.subf"))
    kernel, = read(*ADD, "--ir-override", path)
    step, = [step for step in kernel["steps"] if step["name"] == "ir-override"]
    assert step["changed"] and "arith.subf" in kernel["texts"][step["after"]]["text"]


def test_hostile_names(tmp_path):
    """Names of files, kernels and constants reach the terminal without control characters, and JSON as they are."""
    path = tmp_path / "<script>\x1b[31m'\" \u202e.py"
    path.write_text("import triton\nimport triton.language as tl\n@triton.jit\ndef k(p, s: tl.constexpr):\n"
                    "    \u05d0\u05d1 = tl.load(p)\n    tl.store(p, \u05d0\u05d1)\n", encoding="utf-8")
    arguments = [path, "-s", "*i32,1", "-t", "cpu"]
    kernel, = read(*arguments)
    assert schema.problems(kernel, schema.load()["properties"]["kernels"]["items"]) == []
    assert kernel["file"] == str(path) and kernel["outcome"] == "done"
    for view in [], ["--diff"], ["--at", "llir"], ["--line", 5]:
        out, err = explain(*arguments, *view)
        assert "\x1b" not in out + err
