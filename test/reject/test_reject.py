"""Each command of each transcript prints, returns and leaves behind exactly what the transcript says."""
import difflib

import pytest

import transcript

CASES = [pytest.param(t, step, id=f"{t.place}-{number}") for t in transcript.load_all()
         for number, step in enumerate(t.steps, 1)]


@pytest.mark.parametrize("case,step", CASES)
def test_transcript(tmp_path, case, step):
    actual = transcript.run(case, step, str(tmp_path))
    if actual != step.expected:
        difference = "\n".join(difflib.unified_diff(step.expected, actual, "expected", "printed", lineterm="", n=99))
        pytest.fail(f"{case.path}\n$ {step.command}\n{difference}\nscripts/bless rewrites the expectation", pytrace=False)


@pytest.mark.parametrize("case", transcript.load_all(), ids=lambda t: t.place)
def test_says_nothing_internal(case):
    """No expectation, however blessed, may hold a crash or a failure that a user should not see."""
    for step in case.steps:
        for line in step.expected:
            for word in ("Stack dump", "PLEASE submit a bug report", "Assertion", "Segmentation", "LLVM ERROR",
                         "UNREACHABLE", "terminate called", "= 134", "= 139", "= 70", "= timeout", "(stopped after"):
                assert word not in line, f"{step.command}: {line}"


def test_overview_fits_a_terminal():
    """`tessera --help` in 80 columns: its lines are not wrapped to the terminal's width, as those of the subcommands are."""
    case = next(t for t in transcript.load_all() if t.place == "command_line/help.py")
    overview = next(step for step in case.steps if step.command == "tessera --help")
    assert max(len(line.removeprefix("| ")) for line in overview.expected) <= 80
