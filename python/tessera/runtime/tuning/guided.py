"""Chooses which configurations of a large space to measure: a fifth of them on average, instead of all.

    plan = Plan([config.all_kwargs() for config in configs], usual=48)
    while batch := plan.suggest(2):             indices, in the order in which they should be tried
        for index in batch:
            reason = plan.pass_over(index, facts)       after compiling: why it is not worth a measurement, or ""
            plan.tell(index, milliseconds)              None if it failed or was passed over

1. The first configuration, which is the programmer's default, and configurations far apart from one another.
2. A Gaussian process (gaussian.py) over the parameters' values predicts the logarithm of the time of the others, with its uncertainty. The next
   one is that with the largest expected improvement over the best time so far (Jones, Schonlau, Welch 1998). The search ends when no
   configuration promises more than _WORTH and none of the last few was the fastest: after LEAST of the usual number of trials at
   the earliest, after MOST at the latest.
3. What compilation alone tells excludes some of them without a measurement (`pass_over`): code that is equal to that of a
   configuration with the same grid, spilled registers where others do without, code that exceeds the instruction cache by far.

Numbers are compared by their logarithms, because blocks double, and by whether they are 1: no unrolling, no pipeline and one row at a
time often make another kind of code. Other values are equal or not. Without `usual`, or if it is not less than the number of
configurations, all are suggested in order. Everything is deterministic.

Requires: neither NumPy nor torch. Cost: about 30 ms for a batch of a space of 200 configurations, at most two seconds for larger ones: the
process is fitted to the MOST_POINTS fastest, and chooses among MOST_CANDIDATES.
"""
from __future__ import annotations

import math

from .gaussian import Process, fit, improvement

FRACTION = 0.2  # of a space that is measured, on average
LEAST, MOST = 0.75, 1.8  # times as many: searches that are sure end early, and the others late
FEWEST = 10  # a smaller space is measured as a whole
MOST_POINTS = 96
MOST_CANDIDATES = 600
_WORTH = 0.0025  # an expected improvement, relative to the best time, for which a search goes on
_PATIENCE = 3  # trials after the fastest, at least
_ONE = 2.0  # how far 1 is from other numbers; the others are within 1
_SLOW = 2.5  # times the best; slower ones count as this slow
_NOISE = 0.02  # of a short measurement, relative
_SPILLS = 16  # 32-bit words per thread; fewer are as a rule outside of the loop
_CODE_BYTES = 64 << 10  # twice the instruction cache of most cores


def trials_of(count, fraction=FRACTION):
    """The number of configurations to measure of a space of so many, on average."""
    return count if count <= FEWEST else max(FEWEST, math.floor(count * fraction))


class Plan:
    """The order of the trials of one search. `parameters` are dicts, one for each configuration."""

    def __init__(self, parameters, usual=None):
        self.count = len(parameters)
        self.is_exhaustive = usual is None or usual >= self.count
        self.least, self.most = (self.count, self.count) if self.is_exhaustive else (int(LEAST * usual), min(self.count, int(MOST * usual)))
        self.points = _coordinates(parameters)
        self.times, self.reasons, self.facts = {}, {}, {}  # by index
        self.asked, self.order = set(), None
        self._lengths, self._fitted = None, 0

    @property
    def tried(self):
        """The number of configurations that were measured, or failed when they were."""
        return len(self.times)

    def ahead(self, devices, compilers):
        """How many configurations may be out at once: as many as can be compiled, as long as outcomes do not decide which."""
        wide = devices + 2 * compilers
        if self.is_exhaustive:
            return wide
        if self.order is None:
            self.order = self._spread()
        return max(2 * devices, min(wide, len(self.order)))

    def tell(self, index, milliseconds):
        """The outcome of a trial; None if it failed."""
        self.asked.add(index)
        self.times[index] = milliseconds

    def skip(self, index, reason):
        """A configuration that is not measured, and does not count as a trial."""
        self.asked.add(index)
        self.reasons[index] = reason

    def suggest(self, count=1):
        """The next indices to try, at most `count`; none if the trials are used up, or if outcomes have to come in first."""
        waiting = len(self.asked) - len(self.times) - len(self.reasons)
        count = min(count, self.most - len(self.times) - waiting)
        found = []
        while len(found) < count:
            index = self._next(waiting + len(found))
            if index is None:
                break
            self.asked.add(index)
            found.append(index)
        return found

    def _next(self, waiting):
        if self.is_exhaustive:
            return next((index for index in range(self.count) if index not in self.asked), None)
        if self.order is None:
            self.order = self._spread()
        while self.order:
            index = self.order.pop(0)
            if index not in self.asked:
                return index
        if sum(time is not None for time in self.times.values()) < 3:
            # Nothing works yet: go on with whatever is far from what was tried.
            return None if waiting else self._farthest(self.asked)
        return self._best_expected()

    # ---- what compilation tells ------------------------------------------------------------------

    def pass_over(self, index, facts):
        """Why a compiled configuration is not worth a measurement; "" if it is. `facts`: {"code": a digest of the code and the grid,
        "spills", "registers", "shared", "bytes"}, each where it is known."""
        self.facts[index] = facts
        if self.is_exhaustive:
            return ""
        code = facts.get("code")
        for other, known in self.facts.items():
            if other != index and code and known.get("code") == code and other not in self.reasons:
                return f"its code is equal to that of configuration {other + 1}"
        measured = [known for other, known in self.facts.items() if self.times.get(other) is not None]
        if not measured:
            return ""
        if (facts.get("spills") or 0) > _SPILLS and any(known.get("spills") == 0 for known in measured):
            return f"it spills {facts['spills']} words per thread, and others none"
        size, usual = facts.get("bytes") or 0, min((known["bytes"] for known in measured if known.get("bytes")), default=0)
        if not facts.get("registers") and usual and size > max(_CODE_BYTES, 4 * usual):
            return f"its code of {size >> 10} KiB exceeds the instruction cache"
        return ""

    # ---- the first trials -------------------------------------------------------------------------

    def _spread(self):
        """Indices far apart: each is the farthest from those before it, which begin with the first configuration."""
        chosen = [0] + [index for index in self.asked if index]
        known = len(chosen)
        distances = [min(_distance(point, self.points[other]) for other in chosen) for point in self.points]
        while len(chosen) - known < len(self.points[0]) + 1:
            index = max(range(self.count), key=lambda i: distances[i])
            if distances[index] <= 0:
                break
            chosen.append(index)
            for i, point in enumerate(self.points):
                distances[i] = min(distances[i], _distance(point, self.points[index]))
        return [0] + chosen[known:]

    def _farthest(self, chosen):
        rest = [index for index in range(self.count) if index not in chosen]
        return max(rest, key=lambda i: min((_distance(self.points[i], self.points[j]) for j in chosen), default=0.0), default=None)

    # ---- the model --------------------------------------------------------------------------------

    def _best_expected(self):
        """The configuration with the largest expected improvement, None if it is too small; those that are being tried count with their
        predicted times."""
        known = sorted((time, index) for index, time in self.times.items() if time is not None)[:MOST_POINTS]
        # Beyond that it does not matter how slow a configuration is, and a steep cliff would bend the model elsewhere.
        times = [math.log(min(time, known[0][0] * _SLOW)) for time, _ in known]
        inside = [index for _, index in known]
        mean = sum(times) / len(times)
        spread = math.sqrt(sum((time - mean) ** 2 for time in times) / len(times)) + 1e-6
        values = [(time - mean) / spread for time in times]
        noise = (_NOISE / spread) ** 2 + 1e-6
        points = [self.points[index] for index in inside]
        if self._lengths is None or len(inside) >= self._fitted * 1.05:
            self._lengths, self._fitted = fit(points, values, noise), len(inside)
        model = Process(points, values, self._lengths, noise)
        for index in sorted(self.asked - set(self.times) - set(self.reasons)):
            model.add(self.points[index], model.predict(self.points[index])[0])
        best, found, most = min(values), None, -1.0
        for index in self._candidates(inside[0]):
            expected = improvement(best, *model.predict(self.points[index]))
            if expected > most:
                found, most = index, expected
        is_early = len(self.asked) - len(self.reasons) < self.least or inside[0] in list(self.times)[-_PATIENCE:]
        return found if is_early or most * spread > _WORTH else None

    def _candidates(self, leader):
        """The configurations that were not asked for; of very many, those nearest to the leader and every so manieth of the others."""
        rest = [index for index in range(self.count) if index not in self.asked]
        if len(rest) <= MOST_CANDIDATES:
            return rest
        near = sorted(rest, key=lambda i: _distance(self.points[i], self.points[leader]))[:MOST_CANDIDATES // 2]
        step = -(-len(rest) // (MOST_CANDIDATES // 2))
        return near + rest[self.tried % step::step]


# ---- coordinates ----------------------------------------------------------------------------------

def _coordinates(parameters):
    """A point for each configuration: a tuple of coordinates for each parameter that is not the same everywhere."""
    names = list(dict.fromkeys(name for each in parameters for name in each))
    columns = [_column([each.get(name) for each in parameters]) for name in names]
    return list(zip(*filter(None, columns))) or [()] * len(parameters)


def _column(values):
    """The coordinates of one parameter's values; None if they are all the same."""
    kinds = sorted(set(map(repr, values)))
    if len(kinds) == 1:
        return None
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return [tuple(float(repr(value) == kind) for kind in kinds[1:]) for value in values]  # of two kinds one coordinate will do
    numbers = [math.log2(value) for value in values] if min(values) > 0 else [float(value) for value in values]
    low, high = min(numbers), max(numbers)
    return [((number - low) / (high - low), _ONE * (value == 1 and len(kinds) > 2)) for number, value in zip(numbers, values)]


def _distance(left, right):
    return sum(abs(a - b) for one, other in zip(left, right) for a, b in zip(one, other))
