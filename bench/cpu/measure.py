"""One benchmark's process: measures cases in turns and prints a line of JSON for each.

bench/cpu/run starts `operators.py` and `products.py` once for each number of threads, with the environment variables
that hold the peers to it; a module calls `main` with a function that yields its cases.
"""
import argparse
import ctypes
import dataclasses
import json
import re
import time

import device
import timing


@dataclasses.dataclass
class Case:
    name: str
    shape: str
    peers: dict  # name of the way -> function; the fastest is what we are compared with
    ours: object  # a function that compiles and returns {name of the configuration: function}
    error: object  # a function: how far the results are apart, after both have run
    tolerance: float
    work: float = 0  # bytes or flops of a call
    unit: str = ""  # "GB/s" or "GFLOP/s"
    others: dict = dataclasses.field(default_factory=dict)  # measured, not what we are compared with


def keep_freed_memory(keep):
    """An operator without out= allocates its result; fresh pages from the system would cost it more than its work.
    With these settings glibc keeps freed memory and gives the same pages again. Arguments are allocated without them,
    as anybody's are: each large array by itself, not next to each other on the heap."""
    libc = ctypes.CDLL("libc.so.6")
    M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
    libc.mallopt(M_MMAP_THRESHOLD, 1 << 30 if keep else 128 << 10)
    libc.mallopt(M_TRIM_THRESHOLD, 1 << 30)


def without_hopeless(ways):
    """The ways that a first look does not show to be several times as slow as the fastest: measuring them takes minutes."""
    seconds = {}
    for name, function in ways.items():
        start = time.perf_counter()
        function()
        seconds[name] = time.perf_counter() - start
    return {name: function for name, function in ways.items() if seconds[name] < 3 * min(seconds.values())}


def measure(case, rounds, seconds):
    record = {"name": case.name, "shape": case.shape, "work": case.work, "unit": case.unit}
    try:
        ours = case.ours()
        next(iter(ours.values()))()
    except device.Failure as failure:
        return dict(record, failed=str(failure).strip())
    next(iter(case.peers.values()))()
    error = case.error()
    case.peers = without_hopeless(case.peers)
    if not error <= case.tolerance:
        return dict(record, failed=f"wrong result: off by {error:.1e}")
    roles = [("peer", case.peers), ("tessera", ours), ("other", case.others)]
    functions = {f"{role}: {name}": function for role, ways in roles for name, function in ways.items()}
    times = timing.compare(functions, rounds, seconds)
    record["error"] = error
    for role, ways in roles:
        record[role] = {name: {"best": timing.best(times[f"{role}: {name}"]), "median": timing.median(times[f"{role}: {name}"]),
                               "calls": len(times[f"{role}: {name}"])} for name in ways}
    return record


def main(cases, versions):
    """`cases(device, threads)` yields; `versions()` names what the peers are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--case", default="", help="a regular expression")
    arguments = parser.parse_args()
    print(json.dumps({"versions": versions()}), flush=True)
    for make in cases(device.Device(arguments.threads), arguments.threads):
        keep_freed_memory(False)
        case = make()
        keep_freed_memory(True)
        if re.search(arguments.case, f"{case.name} {case.shape}"):
            print(json.dumps(measure(case, arguments.rounds, arguments.seconds)), flush=True)
    return 0
