"""Searches on tables of exhaustive measurements (bench/tuning/replay.py): nothing is measured here, so the outcome is always the same."""
import importlib.util
import os

import pytest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench", "tuning")


@pytest.fixture(scope="module")
def replay():
    spec = importlib.util.spec_from_file_location("replay", os.path.join(FOLDER, "replay.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("is_noisy", [False, True])
def test_searches_find_what_random_trials_do_not(replay, is_noisy):
    """With a fifth of the trials on average, on kernels of fifteen kinds. The bounds have room below what the search reaches."""
    tables = replay.read_tables()
    assert len(tables) == 30 and len({table.kernel for table in tables}) == 15
    searches = [(table, *replay.replay(table, seed, is_noisy)) for table in tables for seed in range(4)]
    found = [table.times[chosen] / table.best for table, chosen, _ in searches]
    parts = [len(measured) / len(table.times) for table, _, measured in searches]
    assert 0.17 <= sum(parts) / len(parts) <= 0.215 and max(parts) <= 0.36 and min(parts) >= 0.1
    by_chance = [replay.random_ratio(table, seed) for table in tables for seed in range(40)]
    assert replay.summary(found)[0] >= 0.87 and replay.summary(found)[1] <= 1.002
    assert replay.summary(found)[2] < 1.25 < replay.summary(by_chance)[2]
    assert replay.summary(by_chance)[0] < 0.6


def test_replays_are_deterministic(replay):
    table = next(table for table in replay.read_tables() if table.kernel == "matmul")
    first, second = (replay.replay(table, 3) for _ in range(2))
    assert first == second
