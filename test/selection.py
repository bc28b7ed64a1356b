"""Which of pytest's tests the scripts ask for, and notes of how each went: shared by the conftests of test/ and python/test/.

    TESSERA_TEST_PATTERN=REGEX   tests whose name matches
    TESSERA_TEST_DEVICE=cuda:0   tests on that device only, and no others; hip:0 is an AMD GPU, `emulated` a GPU in NumPy
    TESSERA_TEST_SHARD=3/16      the fourth of sixteen parts of about equal size
    TESSERA_TEST_RESULTS=FILE    a line of JSON when a test begins and one when it has ended, for who may be stopped; tests that
                                 began according to the file are not run again
"""
import json
import os
import re


def note(**what):
    path = os.environ.get("TESSERA_TEST_RESULTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")


def read_notes(path):
    """The notes so far; a line that is being written is left out."""
    if not path or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def pytest_runtest_logstart(nodeid):
    note(begin=nodeid)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else report.longreprtext
        note(test=report.nodeid, status=report.outcome, detail=reason.removeprefix("Skipped: "), seconds=round(report.duration, 3))


def keep(config, items, wanted):
    kept = [item for item in items if wanted(item)]
    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = kept


def in_shard(items, shard):
    """Neighbours often share a kernel or a reference, so runs of eight stay together and are dealt out in turn."""
    part, parts = map(int, shard.split("/"))
    groups, sizes = {}, {}
    for item in items:
        function = item.nodeid.split("[")[0]
        sizes[function] = sizes.get(function, -1) + 1
        groups.setdefault((function, sizes[function] // 8), []).append(item.nodeid)
    return {name for number, names in enumerate(groups.values()) if number % parts == part for name in names}


def pytest_collection_modifyitems(config, items):
    pattern, device, shard = (os.environ.get(f"TESSERA_TEST_{name}") for name in ("PATTERN", "DEVICE", "SHARD"))
    if pattern:
        keep(config, items, lambda item: re.search(pattern, item.nodeid, re.I))
    if device:
        keep(config, items, lambda item: getattr(item, "callspec", None) and item.callspec.params.get("device") == device)
    if shard:
        chosen = in_shard(items, shard)
        keep(config, items, lambda item: item.nodeid in chosen)
    begun = {entry["begin"] for entry in read_notes(os.environ.get("TESSERA_TEST_RESULTS")) if "begin" in entry}
    if begun:
        keep(config, items, lambda item: item.nodeid not in begun)
