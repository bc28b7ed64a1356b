"""`tessera explain --step`, `--grid-journey` and `--against`."""
import os
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import ADD, MATMUL, ROOT, TESSERA, TOO_LARGE, explain, shown  # noqa: E402


def step(*commands, arguments=ADD, status=0):
    """What is printed for these lines of input, without the greeting, one text for each."""
    done = subprocess.run([TESSERA, "explain", *arguments, "--step"], cwd=ROOT, input="\n".join(commands) + "\n", text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == status, done.stderr
    assert "\x1b" not in done.stdout
    return re.split(r"^\(\d+/\d+ \S+\) ", done.stdout, flags=re.M)[1:]


def test_next_and_back():
    texts = step("next", "", "b", "b", "b", "quit")
    assert [text.split()[0] for text in texts[:4]] == ["tt-canonicalizer", "convert-ttir-to-ttgir", "tt-canonicalizer", "frontend"]
    assert texts[4] == "this is the first\n"


def test_each_stops_at_passes_that_change_nothing():
    texts = step("e", "e", "q")
    assert texts[0].startswith("tt-inliner") and "changed nothing" in texts[0] and texts[1].startswith("tt-rewrite-tensor-pointer")


def test_go_to_a_pass():
    texts = step("go coalesce", "g 1", "g canonicalize", "g canonicalize", "g 999", "g nothing", "g", "q")
    assert texts[0].startswith("ttg-coalesce") and texts[1].startswith("frontend")
    assert texts[2].startswith("canonicalize  make_ttgir") and texts[3].startswith("canonicalize  make_ttgir")
    assert len(texts) == 8
    assert "there are steps 1 to" in texts[4] and "no pass has 'nothing'" in texts[5] and "no pass has ''" in texts[6]


def test_find_show_diff_remarks_list_help():
    texts = step("go coalesce", "find tt.load", "show 22", "show", "show x", "diff all", "remarks", "list", "help", "find", "find zzz",
                 "nonsense", "q")
    assert texts[1].count("tt.load") == 2 and "is the next to change it: 2 -> 0" in texts[1]
    assert "arith.addf" in texts[2] and "tt.load" not in texts[2] and "tt.func" in texts[3]
    assert "number of a line" in texts[4] and "..." not in texts[5] and "neighbouring" in texts[6]
    assert " > * ttg-coalesce" in texts[7] and "g, go NAME" in texts[8] and "find what?" in texts[9]
    assert "does not occur here" in texts[10] and "is no command" in texts[11]


def test_the_end_of_the_input_ends_it():
    assert step("next")[-1].strip() == ""


def test_a_compilation_that_fails_can_be_stepped_through():
    texts = step("go ttg-allocate-shared-memory", "n", "q", arguments=TOO_LARGE, status=3)
    assert "failed" in texts[0] and "no further pass" in texts[1]
    done = subprocess.run([TESSERA, "explain", "examples/add.py", "-s", "i32", "--step"], cwd=ROOT, input="n\ns\nq\n", text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 1 and "ended before the first pass" in done.stdout


def stations(text):
    return re.findall(r"^\d+\. (.*)$", text, re.M)


def test_the_grid_on_a_gpu():
    text = shown(*ADD, "--grid-journey", "--grid", "96")
    assert stations(text) == ["the definition in Python", "three numbers", "launch metadata", "compile metadata",
                              "the CTA's layout in TTGIR", "program ids in LLVM IR", "special registers in PTX", "launch bounds", "the launch"]
    assert 'grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)' in text and "(96, 1, 1), 96 programs" in text
    assert re.search(r"^   15 \| mov.u32 +%\w+, %ctaid.x;", text, re.M) and ".reqntid 128" in text and "block = (128, 1, 1)" in text


def test_the_grid_on_a_cpu():
    text = shown(*ADD, "--grid-journey", "-t", "cpu")
    assert stations(text)[4:] == ["program ids in TTIR", "the loop over programs in LLVM IR", "the function in the object file", "the launch"]
    assert "tt.get_program_id x" in text and "urem" in text and "int32_t add_kernel(" in text


def test_the_grid_on_an_amd_gpu():
    text = shown(*ADD, "--grid-journey", "-t", "hip:gfx942")
    assert stations(text)[4:] == ["the workgroup's layout in TTGIR", "program ids in LLVM IR", "scalar registers in AMDGCN", "launch bounds",
                                  "the launch"]
    assert "amdgcn.workgroup.id.x" in text and ".amdhsa_system_sgpr_workgroup_id_x 1" in text and "workgroups of 256" in text


def test_the_grid_in_clusters():
    text = shown(*MATMUL, "--num-ctas", "2", "--grid-journey", "--grid", "n // 2,3")
    assert "x * 2, y, z" in text and "clusters of" in text and "cluster of 2 CTAs" in text and "(n // 2, 3, 1)" in text


def test_a_wrong_grid():
    assert "--grid: one to three" in explain(*ADD, "--grid-journey", "--grid", "1,2,3,4", status=2)[1]


def test_against_other_options():
    text = shown(*MATMUL, "--against", "--num-warps 4", "--num-stages", "2")
    assert "num-warps 8" in text.split("\n")[0] and "num-stages 2" in text.split("\n")[1]
    rows = {line.split()[0]: line for line in text.split("\n") if line[:1].isalpha()}
    assert "the same" in rows["ttir"] and "the same" not in rows["ttgir"]
    assert re.search(r"^registers \d+ -> \d+", text, re.M)


def test_against_another_version_aligns_by_source_lines(tmp_path):
    with open(os.path.join(ROOT, "examples", "add.py"), encoding="utf-8") as file:
        source = file.read()
    other = tmp_path / "add.py"
    other.write_text(source.replace("import torch\n", "import torch\n\n# a comment\n\n").replace("x + y", "x - y"))
    text = shown(*ADD, "--against", other, "--at", "ttir")
    assert re.search(r"^ttir +20 +-1 \+1  ", text, re.M)
    changed = [line for line in text.split("\n") if re.match(r"^ *\d* [-+~] ", line)]
    assert len(changed) <= 2 and any("subf" in line for line in changed), changed


def test_against_what_does_not_compile(tmp_path):
    other = tmp_path / "add.py"
    other.write_text("import triton\n@triton.jit\ndef add_kernel(a, b, c, d, e):\n    nothing\n")
    out, err = explain(*ADD, "--against", other, status=1)
    assert "ttir        only in the first" in out and "nothing" in err


@pytest.mark.parametrize("arguments, message", [
    ([*ADD, "--against", "--num-wraps 4"], "--against: unknown option"),
    (["examples/softmax.py", "--step"], "take one kernel"),
    (["examples/softmax.py", "--against", "-w 4"], "take one kernel"),
])
def test_wrong_usage(arguments, message):
    assert message in explain(*arguments, status=2)[1]
