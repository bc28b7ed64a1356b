"""Loops whose loads take their addresses from other loads do what NumPy says, drawn at random (random_indirect.py)."""
import os

import pytest

from launch import is_amd
from random_indirect import Draw

DRAWS = int(os.environ.get("TESSERA_RANDOM_INDIRECT", 60))  # people who look for bugs ask for more
GROUP = 5


@pytest.mark.parametrize("first", range(0, DRAWS, GROUP))
def test_random_chains(run, device, first):
    in_step = device != "cuda:0" and not is_amd(device)  # or else threads race for what an iteration has stored
    problems = [Draw(seed, overwrites=in_step).check(run) for seed in range(first, min(first + GROUP, DRAWS))]
    assert not any(problems), "\n".join(filter(None, problems)) + "\n(test/run/random_programs/random_indirect.py --show N prints one)"
