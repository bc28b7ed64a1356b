"""bench/gpu: its cases fit their kernels, and attention backward computes the gradients."""
import ast
import os
import sys

import pytest
from conftest import run_python
from places import ROOT

FOLDER = os.path.join(ROOT, "bench", "gpu")
sys.path.insert(0, FOLDER)
import cases  # noqa: E402
from compilers import POINTERS  # noqa: E402

GROUPS = cases.groups()


def parameters():
    """{kernel: its parameters} of kernels.py."""
    with open(os.path.join(FOLDER, "kernels.py"), encoding="utf-8") as file:
        return {node.name: [a.arg for a in node.args.args] for node in ast.parse(file.read()).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_cases_fit_their_kernels(group):
    known = parameters()
    for case in group.cases:
        for config in case.configs:
            names = known[case.kernel][len(case.arguments):]
            assert names == [name for name, _ in config.constants], case.name
            assert all(isinstance(extent, int) and extent > 0 for extent in case.grid(config)), (case.name, config)
        for step in case.steps:
            assert known[step.kernel][len(step.arguments):] == [name for name, _ in step.config.constants]
            assert len(step.pointers) == sum(argument in POINTERS for argument in step.arguments)


def test_case_names_are_unique():
    names = [case.name for group in GROUPS for case in group.cases]
    assert len(set(names)) == len(names)


BACKWARD = """
import sys
sys.path.insert(0, {folder!r})
import torch
import cases, kernels
torch.manual_seed(0)
for causal in (0, 1):
    S, heads, D, block, step = 256, 2, 64, 128, 32
    tensors, gradients, check = cases.backward_tensors(S, causal, heads, D, device="cpu")(torch)
    gradients.fill_(9)
    delta = cases.attention_backward_case(S, causal, D).steps[0]
    kernels.attention_delta_kernel[(S // 128, heads)](*[tensors[i] for i in delta.pointers], S * D, S, D, 128)
    kernels.attention_backward_kernel[(S // block, heads)](*tensors[:9], D ** -0.5, S * D, S, D, block, step, causal)
    wrong = check()
    assert wrong is None, wrong
"""


def test_attention_backward_on_the_cpu(torch, tmp_path):
    program = tmp_path / "backward.py"
    program.write_text(BACKWARD.format(folder=FOLDER))
    assert run_python(["-m", "tessera", program], tmp_path).returncode == 0
