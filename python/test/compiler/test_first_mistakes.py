"""Messages for programs that are wrong: exactly those that were read and found clear (first_mistakes.py, further_mistakes.py)."""
import difflib
import os

import pytest

FOLDER = os.path.dirname(os.path.abspath(__file__))


@pytest.mark.parametrize("name", ["first_mistakes", "further_mistakes"])
def test_messages(python_process, numpy, name):
    said = python_process(os.path.join(FOLDER, name + ".py"), env={"CUDA_VISIBLE_DEVICES": ""}).stdout
    with open(os.path.join(FOLDER, name + ".txt"), encoding="utf-8") as file:
        expected = file.read()
    assert said == expected, "".join(difflib.unified_diff(expected.splitlines(True), said.splitlines(True)))
    assert said.count("== ") >= 40 and "nothing is wrong" not in said
