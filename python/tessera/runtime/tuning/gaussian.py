"""A Gaussian process over points of several parameters, without NumPy: what guided.py predicts times with.

    lengths = fit(points, values, noise)
    model = Process(points, values, lengths, noise)
    mean, deviation = model.predict(point)

A point has a tuple of coordinates for each parameter. The covariance is the sum of two Matern kernels of order 5/2: one of all
parameters together, and the average of one for each parameter alone. The second learns from a few points what a parameter does whatever the others are (that unrolling costs 5 %, that
small blocks are slow); the first what depends on several of them.

Cost: that of solving a triangular system for each prediction.
"""
from __future__ import annotations

import math

_ALONE = 0.3  # the share of the parameters alone
_LENGTHS = (0.3, 0.6, 1.2)  # over which a time changes, as fractions of a parameter's range


class Process:
    """The process with a length for each parameter. `values` have mean 0 and variance 1."""

    def __init__(self, points, values, lengths, noise):
        self.points, self.lengths, self.noise = [], lengths, noise
        self.rows, self.weights = [], []  # the Cholesky factor L, and the solution of L w = values
        for point, value in zip(points, values):
            self.add(point, value)

    def _solve(self, point):
        """(L^-1 k, the variance that is left) for the covariances k of a point."""
        found = []
        for row, other in zip(self.rows, self.points):
            rest = _covariance(point, other, self.lengths) - sum(map(_times, row, found))
            found.append(rest / row[-1])
        return found, 1.0 - sum(map(_times, found, found))

    def add(self, point, value):
        found, left = self._solve(point)
        pivot = math.sqrt(max(left + self.noise, 1e-9))
        self.weights.append((value - sum(map(_times, found, self.weights))) / pivot)
        self.rows.append([*found, pivot])
        self.points.append(point)

    def predict(self, point):
        """(the mean, the standard deviation)"""
        found, left = self._solve(point)
        return sum(map(_times, found, self.weights)), math.sqrt(max(left, 1e-9))

    def likelihood(self):
        """The logarithm of the likelihood of the values, up to a constant."""
        return -0.5 * sum(map(_times, self.weights, self.weights)) - sum(math.log(row[-1]) for row in self.rows)


def _times(a, b):
    return a * b


def _matern(r):
    return (1.0 + r + r * r / 3.0) * math.exp(-r)


def _covariance(left, right, lengths):
    """Of two points: 1 if they are the same."""
    squares, alone = 0.0, 0.0
    for a, b, length in zip(left, right, lengths):
        z = 5.0 * sum((x - y) * (x - y) for x, y in zip(a, b)) / (length * length) if a != b else 0.0
        squares += z
        alone += _matern(math.sqrt(z)) if z else 1.0
    together = _matern(math.sqrt(squares))
    return together if not lengths else _ALONE * alone / len(lengths) + (1.0 - _ALONE) * together


def fit(points, values, noise):
    """The lengths under which the values are most likely: one for all parameters, then each on its own."""
    def likelihood(lengths):
        return Process(points, values, lengths, noise).likelihood()
    best, lengths = max((likelihood([length] * len(points[0])), [length] * len(points[0])) for length in _LENGTHS)
    for place in range(len(lengths)):
        for factor in (0.5, 2.0, 4.0):
            other = [*lengths[:place], lengths[place] * factor, *lengths[place + 1:]]
            found = likelihood(other)
            if found > best + 0.2:
                best, lengths = found, other
    return lengths


def improvement(best, mean, deviation):
    z = (best - mean) / deviation
    return (best - mean) * 0.5 * (1.0 + math.erf(z / math.sqrt(2.0))) + deviation * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
