"""Every version of every operator of kernels/ on the CPU, against torch in higher precision.

By default each version runs an operator's first cases and every fourth of the others, another fourth for each version, so that every case
runs; with TESSERA_LAB_ALL=1, or by `python -m tessera test/lab/operators.py`, all of them. test_operators_sanitized.py does the same under
the sanitizer.
"""
import os
import sys

import pytest

pytest.importorskip("torch")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, os.environ.get("BUILD", "build"), "python")]
import operators as lab  # noqa: E402

SANITIZED = os.environ.get("TRITON_INTERPRET") == "1"
FIRST = 1 if SANITIZED else 2


@pytest.fixture(scope="module", autouse=True)
def tessera_as_triton():
    import tessera
    os.environ["TESSERA_AUTOTUNE_CHOICE"] = "first"
    with tessera.install_as_triton(replace=True):
        yield


def chosen_cases(operator, version):
    everything = lab.cases(operator)
    if os.environ.get("TESSERA_LAB_ALL"):
        return everything
    turn = (lab.versions(operator).index(version) + 2 * SANITIZED) % 4
    return [case for i, case in enumerate(everything) if i < FIRST or i % 4 == turn]


@pytest.mark.filterwarnings("error::RuntimeWarning")  # the sanitizer reports data races so
@pytest.mark.parametrize("operator, version", [(o, v) for o in lab.operators() for v in lab.versions(o)])
def test_version_agrees_with_torch(operator, version):
    wrong = []
    for case in chosen_cases(operator, version):
        problem = lab.run_case(operator, version, case, "cpu")
        if problem:
            wrong.append(f"{lab.describe(case)}: {problem}")
    assert not wrong, "\n".join(wrong)
