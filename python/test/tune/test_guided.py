"""Which configurations of a space are measured: plans, spaces, and autotune with them."""
import itertools
import math

import pytest
from tuning_fakes import FakeKernel, own_cache, timing  # noqa: F401  (a fixture)

import tessera
from tessera import Config, Space
from tessera.runtime.tuning import guided
from tessera.runtime.tuning.guided import Plan, Process, trials_of


def product(**values):
    return [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]


def solve(parameters, time_of, usual=None, batch=2):
    """(the indices that were tried, in order; the plan)"""
    plan, order = Plan(parameters, usual), []
    while found := plan.suggest(batch):
        for index in found:
            order.append(index)
            plan.tell(index, time_of(**parameters[index]))
    return order, plan


def bowl(best, steep=0.15, tilt=0.1):
    """A time that grows with the distance from a configuration, with interactions and a trace of unevenness."""
    def time_of(**given):
        steps = [math.log2(given[name]) - math.log2(value) for name, value in best.items() if name in given]
        uneven = 0.01 * math.sin(sum(31.7 * value for value in given.values() if isinstance(value, (int, float))))
        return math.exp(steep * sum(step * step for step in steps) + tilt * abs(steps[0] + steps[-1])) * (1 + uneven)
    return time_of


TILES = product(BM=[16, 32, 64, 128, 256], BN=[16, 32, 64, 128, 256], BK=[16, 32, 64], num_warps=[2, 4, 8])


@pytest.mark.parametrize("best", [dict(BM=128, BN=64, BK=32, num_warps=8), dict(BM=16, BN=256, BK=64, num_warps=2),
                                  dict(BM=64, BN=64, BK=32, num_warps=4), dict(BM=32, BN=16, BK=16, num_warps=8)])
def test_a_fifth_of_the_trials_finds_the_best_within_two_percent(best):
    time_of = bowl(best)
    usual = trials_of(len(TILES))
    assert usual == len(TILES) // 5
    order, plan = solve(TILES, time_of, usual)
    assert plan.least <= len(order) == len(set(order)) <= usual  # such a smooth time leaves little to doubt
    assert min(time_of(**TILES[index]) for index in order) <= 1.02 * min(time_of(**each) for each in TILES)


def test_a_cliff_is_not_crossed_in_vain():
    """Half of the configurations fail."""
    def time_of(**given):
        return None if given["BM"] * given["BN"] > 8192 else bowl(dict(BM=64, BN=64, BK=64, num_warps=4))(**given)
    order, _ = solve(TILES, time_of, trials_of(len(TILES)))
    times = [time for time in (time_of(**TILES[index]) for index in order) if time]
    assert min(times) <= 1.02 * min(filter(None, (time_of(**each) for each in TILES)))


def test_the_first_configuration_is_tried_first_and_plans_are_deterministic():
    first, second = (solve(TILES, bowl(TILES[100]), 30)[0] for _ in range(2))
    assert first == second and first[0] == 0


def test_lists_are_tried_as_a_whole_in_order():
    assert solve(TILES[:7], lambda **given: 1.0)[0] == list(range(7))
    assert trials_of(guided.FEWEST) == guided.FEWEST


def test_choices_that_are_no_numbers():
    kinds = product(MODE=["plain", "split", "stream"], FLAG=[False, True], BLOCK=[16, 32, 64, 128, 256, 512])
    order, _ = solve(kinds, lambda MODE, FLAG, BLOCK: (3.0 if MODE != "split" else 1.0) + 0.2 * FLAG + abs(math.log2(BLOCK) - 6), 12)
    assert any(kinds[index]["MODE"] == "split" and kinds[index]["BLOCK"] == 64 for index in order)


def test_searches_that_are_unsure_go_on_and_others_end():
    usual, steps = trials_of(len(TILES)), itertools.count()
    order, plan = solve(TILES, lambda **given: 0.98 ** next(steps), usual)  # each trial is the fastest so far
    assert len(order) == plan.most > 1.7 * usual
    flat, plan = solve(TILES, lambda **given: 1.0, usual)
    assert len(flat) == plan.least < usual


def test_when_nothing_works_all_trials_are_used():
    order, plan = solve(TILES, lambda **given: None, 20)
    assert len(order) == plan.tried == plan.most == 36


def test_one_is_unlike_other_numbers():
    """No unrolling is best here by far, which the other factors do not announce."""
    loops = product(ROWS=[2, 4, 8, 16], BLOCK=[32, 64, 128, 256, 512], UNROLL=[8, 4, 2, 1])
    order, plan = solve(loops, lambda ROWS, BLOCK, UNROLL: (1.0 if UNROLL == 1 else 2.0 - UNROLL / 20) + abs(math.log2(ROWS * BLOCK) - 9) / 10, 16)
    assert any(loops[index] in ({"ROWS": rows, "BLOCK": 512 // rows, "UNROLL": 1} for rows in (2, 4, 8, 16)) for index in order)


def test_trials_that_are_out_count_as_predicted():
    """Several devices ask before any outcome is there."""
    plan = Plan(TILES, 45)
    asked = [plan.suggest(1) for _ in range(60)]
    first = [each[0] for each in asked if each]
    assert len(first) == len(set(first)) >= 4  # those that are spread; the model has nothing to go by yet
    for index in first:
        plan.tell(index, bowl(TILES[70])(**TILES[index]))
    more = plan.suggest(8)
    assert len(set(more)) == 8 and not set(more) & set(first)


def test_facts_of_compilation_exclude():
    plan = Plan(TILES, 40)
    a, b, c, d, e = plan.suggest(5)
    assert plan.pass_over(a, {"code": "x", "spills": 0, "registers": 64, "bytes": 4000}) == ""
    plan.tell(a, 1.0)
    assert f"equal to that of configuration {a + 1}" in plan.pass_over(b, {"code": "x"})
    assert "spills 96 words" in plan.pass_over(c, {"code": "y", "spills": 96, "registers": 255})
    assert plan.pass_over(d, {"code": "z", "spills": 4, "registers": 255}) == ""
    assert "instruction cache" in plan.pass_over(e, {"code": "w", "bytes": 300_000})
    # Spills do not count where nothing does without them.
    other = Plan(TILES, 40)
    f, g = other.suggest(2)
    other.pass_over(f, {"code": "x", "spills": 50, "registers": 255})
    other.tell(f, 1.0)
    assert other.pass_over(g, {"code": "y", "spills": 96, "registers": 255}) == ""
    assert Plan(TILES[:5]).pass_over(0, {"code": "x", "spills": 96}) == ""  # a list is measured as a whole


def test_the_process_interpolates():
    points = [((x / 4,), (y / 4,)) for x in range(5) for y in range(5)]
    values = [math.sin(3 * x) + y for (x,), (y,) in points]
    model = Process(points, values, [0.6, 0.6], 1e-6)
    for point, value in zip(points, values):
        mean, deviation = model.predict(point)
        assert abs(mean - value) < 1e-2 and deviation < 1e-2
    mean, deviation = model.predict(((0.4,), (0.6,)))
    assert abs(mean - (math.sin(1.2) + 0.6)) < 0.05 and deviation > 1e-3


# ---- Space ----------------------------------------------------------------------------------------

def test_spaces():
    space = Space({"BM": [16, 32], "num_warps": [4, 8], "BN": (16, 64)}, where=lambda BM, BN: BM * BN < 2048)
    assert isinstance(space, list) and all(isinstance(each, Config) for each in space)
    assert [(each.kwargs, each.num_warps) for each in space[:2]] == [({"BM": 16, "BN": 16}, 4), ({"BM": 16, "BN": 64}, 4)]
    assert len(space) == 6
    for wrong, message in ((lambda: Space({"BM": 16}), "a list of values for 'BM'"), (lambda: Space({"BM": []}), "a list of values"),
                           (lambda: Space({"BM": [1]}, where=lambda BK: BK), "asks for 'BK'"), (lambda: Space({"A": [1]}, fraction=0), "fraction"),
                           (lambda: Space({"A": [1]}, where=lambda A: A > 1), "no combination")):
        with pytest.raises((TypeError, ValueError), match=message):
            wrong()


def tune_space(space, seconds=lambda block: 1e-3 * (1 + abs(block - 37) / 40)):
    """A new process's search: (the blocks that were compiled, the kernel)."""
    inner = FakeKernel(seconds=seconds)
    kernel = tessera.autotune(space, key=["n"])(inner)
    kernel[(1,)](None, 5)
    return inner.compiled, kernel


def test_autotune_measures_a_part_of_a_space_and_stores_what_it_passed_over():
    space = Space({"BLOCK": list(range(1, 101))})
    tried, kernel = tune_space(space)
    assert 15 <= len(tried) <= 36
    assert abs(kernel.best_config.kwargs["BLOCK"] - 37) <= 2
    again, kernel = tune_space(space)
    assert again == [] and abs(kernel.best_config.kwargs["BLOCK"] - 37) <= 2
    more, _ = tune_space(Space({"BLOCK": list(range(1, 101))}, fraction=0.5))
    assert len(more) + len(tried) >= 37 and not set(more) & set(tried)


def test_a_list_of_the_same_configurations_is_measured_as_a_whole():
    tried, _ = tune_space([Config({"BLOCK": size}) for size in range(1, 31)])
    assert sorted(tried) == list(range(1, 31))


@pytest.mark.parametrize("choice", ["frozen", "first"])
def test_frozen_and_first_never_measure(monkeypatch, choice):
    """Whatever the space; the first configuration that works is the same on every machine."""
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", choice)
    inner = FakeKernel(compile_fails=lambda block: ValueError("no") if block < 3 else None)
    kernel = tessera.autotune(Space({"BLOCK": list(range(1, 101))}), key=["n"])(inner)
    kernel[(1,)](None, 5)
    assert inner.compiled == [3] and inner.launched == [3] and kernel.best_config.kwargs == {"BLOCK": 3}
