#!/usr/bin/env python3
"""Searches that are replayed from tables of exhaustive measurements: the same at every run, on every machine.

    bench/tuning/replay.py --searches 20                  # how good the choices are, without measuring anything

A Plan of autotune's search (runtime/tuning/guided.py) suggests configurations, and gets their times from a table (tables.json), with
noise that is drawn as the table tells. The first measurement of a configuration is the median of 3 to 20 samples, as LOOK_MS allows;
then the fastest are measured in turns as in search.py, and the choice is judged by its time in the table relative to the best.
"""
import argparse
import itertools
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The kernels of held_out_anchors.py: no constant of the search was chosen with them.
HELD_OUT = ("row_dot", "rms_norm", "stencil", "argmax", "swiglu_product")
_FRACTIONS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)


class Table:
    """All configurations of a kernel for one key: `times` in milliseconds, and `facts` of compilation."""

    def __init__(self, data):
        self.kernel, self.key, self.space, self.noise = data["kernel"], data["key"], data["space"], data["noise"]
        self.configs = [dict(zip(self.space, chosen)) for chosen in itertools.product(*self.space.values())]
        self.times = [each / 1e3 for each in data["us"]]
        self.facts = [{"code": str(code), "bytes": size, "grid": grid} for code, size, grid in zip(data["code"], data["bytes"], data["grid"])]
        self.best = min(self.times)

    def sample(self, index, source):
        """A time that could have been measured."""
        low, *_, high = self.noise
        values = (2 * low - self.noise[1], *self.noise, 1.5 * high)
        place = source.random()
        upper = next(i for i in range(1, len(_FRACTIONS)) if place <= _FRACTIONS[i])
        share = (place - _FRACTIONS[upper - 1]) / (_FRACTIONS[upper] - _FRACTIONS[upper - 1])
        return self.times[index] * (values[upper - 1] + share * (values[upper] - values[upper - 1]))


def read_tables(path=os.path.join(HERE, "tables.json")):
    with open(path, encoding="utf-8") as file:
        return [Table(each) for each in json.load(file)]


class _Trial:
    """As search.py's: what `halve` and `still_racing` read."""

    def __init__(self, index, samples, quantiles_of):
        self.index, self.samples, self.quantiles_of = index, samples, quantiles_of

    @property
    def median(self):
        return self.quantiles_of(self.samples, (0.5,))[0]


def replay(table, seed, is_noisy=True, fraction=None):
    """One search, which measures a fraction on average (None: autotune's): (the index of the choice in the table, {index in the table: the first
    measurement}). Values of parameters come in another order for each seed, as a programmer might write them."""
    from tessera.runtime.tuning import guided, search
    source = random.Random(f"{table.kernel} {table.key} {seed}")
    space = {name: source.sample(values, len(values)) for name, values in table.space.items()}
    configs = [dict(zip(space, chosen)) for chosen in itertools.product(*space.values())]
    places = [table.configs.index(config) for config in configs]
    plan, trials = guided.Plan(configs, guided.trials_of(len(configs), fraction or guided.FRACTION)), []
    take = (lambda place: table.sample(place, source)) if is_noisy else (lambda place: table.times[place])
    while batch := plan.suggest(2):
        for index in batch:
            place = places[index]
            if reason := plan.pass_over(index, table.facts[place]):
                plan.skip(index, reason)
                continue
            count = 2 + max(1, min(20, int(search.LOOK_MS / table.times[place])))
            trials.append(_Trial(index, [take(place) for _ in range(count)], search.quantiles_of))
            plan.tell(index, search.promise(search.quantiles_of(trials[-1].samples, search.QUANTILES)))
    chosen = race(trials, lambda trial, count: [take(places[trial.index]) for _ in range(count)], table, places, search)
    return places[chosen.index], {places[index]: time for index, time in plan.times.items()}


def race(trials, more, table, places, search):
    """The last part of search.Search, with its functions."""
    fastest = min(min(trial.samples) for trial in trials)
    contenders = [trial for trial in trials if min(trial.samples) <= fastest * search.CONTENDER_RATIO]
    raced = contenders
    for _ in range(search.TURNS):
        if len(contenders) < 2:
            break
        for trial in contenders:
            trial.samples = trial.samples + more(trial, max(1, min(2000, int(search.TURN_MS / table.times[places[trial.index]]))))
        contenders = search.halve(search.still_racing(contenders))
    for trial in raced:
        trial.timing = search.quantiles_of(trial.samples, search.QUANTILES)
    return search.choose(sorted(raced, key=lambda trial: trial.index), True)


def random_ratio(table, seed, fraction=None):
    """What as many trials at random as a search has on average would choose, knowing the true times."""
    from tessera.runtime.tuning import guided
    source = random.Random(f"random {table.kernel} {table.key} {seed}")
    return min(source.sample(table.times, guided.trials_of(len(table.times), fraction or guided.FRACTION))) / table.best


def summary(ratios):
    """(searches within 2 %, as a fraction; the median; the worst)"""
    ordered = sorted(ratios)
    return sum(each <= 1.02 for each in ordered) / len(ordered), ordered[len(ordered) // 2], ordered[-1]


def table_of(tables, searches, is_noisy, fraction=None):
    lines = ["| kernel, key | configurations | of these within 2 % | measured, mean | most | searches within 2 % | choice, median | worst "
             "| random, within 2 % | worst |", "|---|" + "---:|" * 9]
    halves = {"all others": ([], [], []), "held out": ([], [], [])}
    for table in tables:
        ratios, parts = [], []
        for seed in range(searches):
            chosen, measured = replay(table, seed, is_noisy, fraction)
            ratios.append(table.times[chosen] / table.best)
            parts.append(len(measured) / len(table.times))
        others = [random_ratio(table, seed, fraction) for seed in range(10 * searches)]
        half = halves["held out" if table.kernel in HELD_OUT else "all others"]
        half[0].extend(ratios)
        half[1].extend(parts)
        half[2].extend(others)
        good = sum(time <= 1.02 * table.best for time in table.times)
        lines.append(_line(f"{table.kernel}, {table.key}", len(table.times), good, ratios, parts, others))
    return "\n".join(lines + [_line(f"**{name}**", "", "", *half) for name, half in halves.items()]) + "\n"


def _line(name, count, good, ratios, parts, others):
    (part, middle, worst), (random_part, _, random_worst) = summary(ratios), summary(others)
    return f"| {name} | {count} | {good} | {sum(parts) / len(parts):.1%} | {max(parts):.0%} | {part:.0%} | {middle:.3f} | {worst:.3f} | {random_part:.0%} | {random_worst:.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--fraction", type=float, help="of the configurations that a search measures on average; autotune's if left out")
    parser.add_argument("--exact", action="store_true", help="without noise")
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(os.path.abspath(options.build), "python"))
    print(table_of(read_tables(), options.searches, not options.exact, options.fraction), end="")


if __name__ == "__main__":
    main()
