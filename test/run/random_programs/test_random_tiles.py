"""Products whose tiles tensor maps may copy do what NumPy says, drawn at random (random_tiles.py)."""
import os

import pytest

from random_tiles import Draw

DRAWS = int(os.environ.get("TESSERA_RANDOM_TILES", 40))  # people who look for bugs ask for more
GROUP = 5


@pytest.mark.parametrize("first", range(0, DRAWS, GROUP))
def test_random_tiles(run, first):
    problems = [Draw(seed).check(run) for seed in range(first, min(first + GROUP, DRAWS))]
    assert not any(problems), "\n".join(filter(None, problems)) + "\n(test/run/random_programs/random_tiles.py --show N prints one)"
