"""Loops with chains of products do what NumPy says, drawn at random (random_chains.py)."""
import os

import pytest

from random_chains import Draw

DRAWS = int(os.environ.get("TESSERA_RANDOM_CHAINS", 16))  # people who look for bugs ask for more


@pytest.mark.parametrize("seed", range(DRAWS))
def test_random_chains(run, seed):
    problem = Draw(seed).check(run)
    assert not problem, f"{problem}\n(test/run/random_programs/random_chains.py --show {seed} prints it)"
