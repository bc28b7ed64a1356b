"""The process that compiles and measures: `python -m tessera.tune.worker DEVICE`, or `compile` in the place of a device.

Reads requests from standard input, a line of JSON each, and answers each with a line:

    {"do": "look", "bundle": {...} or its id, "index": 3, "best": 0.41}     {"ok": true, "ms": [...], ...}

What kernels print goes to standard error. The process that started this one watches it (process.py).
"""
from __future__ import annotations

import base64
import json
import os
import signal
import sys


def end_with_parent():
    """Lets Linux end this process when the one that started it is gone, in whatever a kernel hangs."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass


def main(device):
    end_with_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the scheduler, which ends this process

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()
    try:
        from . import work
        from .problems import Problem
        bench = None if device == "compile" else work.Bench(device)
        answer(ok=True, pid=os.getpid(), **(bench.facts() if bench else {}))
    except Exception as error:
        answer(ok=False, reason=f"{type(error).__name__}: {error}")
        return 1
    problems = {}
    for line in sys.stdin:
        request = json.loads(line)
        if isinstance(request["bundle"], dict):
            bundle = request["bundle"]
            problems[bundle["id"]] = Problem.of_bundle(bundle)
        else:
            bundle = {"id": request["bundle"]}
        try:
            found = handle(work, bench, problems[bundle["id"]], request)
        except Exception as error:
            found = {"failure": f"{type(error).__name__}: {error}", "line": f"{type(error).__name__}: {error}".split("\n")[0][:200]}
        answer(ok=True, **found)
    return 0


def handle(work, bench, problem, request):
    if request["do"] == "compile":
        found = work.compile_one(problem, request["index"], request["target"], request.get("wants_binary", False))
        if "binary" in found:
            key, packed = found["binary"]
            found["binary"] = [key, base64.b64encode(packed).decode()]
        return found
    binaries = {int(index): (key, base64.b64decode(packed)) for index, (key, packed) in request.get("binaries", {}).items()}
    if request["do"] == "look":
        return bench.look(problem, request["index"], request.get("best"), binaries.get(request["index"]))
    return {"timings": bench.race(problem, request["indices"], {index: binaries.get(index) for index in request["indices"]})}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
