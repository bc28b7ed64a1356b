"""Timing several ways of doing the same thing, in turns.

    times = compare({"torch": lambda: ..., "tessera": lambda: ...})
    best(times["torch"]) / best(times["tessera"])

Everybody has a burst of calls, then the next one; so a busy moment of the machine hits all. Before a burst the
others' threads get time to stop spinning, and the burst's first calls do not count: they find cold caches.
"""
import statistics
import time

PAUSE = 0.03  # OpenMP's threads spin for some milliseconds after their last loop


def burst(function, seconds, fewest):
    time.sleep(PAUSE)
    function()
    function()
    times, end = [], time.perf_counter() + seconds
    while len(times) < fewest or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return times


def compare(functions, rounds=5, seconds=0.1, fewest=3):
    """{name: seconds of each counted call}"""
    times = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            times[name] += burst(function, seconds, fewest)
    return times


def best(times):
    return min(times)


def median(times):
    return statistics.median(times)
