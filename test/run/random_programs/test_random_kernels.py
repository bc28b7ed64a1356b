"""Random kernels of all kinds of operations do what NumPy says, to the last bit (random_kernels.py)."""
import os

import pytest

from random_kernels import HEAD, check, write_program
from session import Session

KERNELS = int(os.environ.get("TESSERA_RANDOM_KERNELS", 240))  # scripts and people who look for bugs ask for more
GROUP = 20
session = Session()


@pytest.mark.parametrize("first", range(0, KERNELS, GROUP))
def test_random_kernels(first):
    problems = []
    for seed in range(first, min(first + GROUP, KERNELS)):
        program = write_program(seed)
        problem = check(session, program, seed, threads=(1, 2) if seed % 4 == 0 else (1,))
        if problem:
            problems.append(f"seed {seed}: {problem}\n{program.text()[len(HEAD):]}")
    assert not problems, "\n".join(problems) + "\n(test/run/random_programs/random_kernels.py --count 1 --seed N makes them small)"
