"""bench/wild: the corpus can be listed, the report continues where it stopped, results and PTX are read as they should be."""
import json
import os
import subprocess
import sys

import pytest
from places import ROOT, child_environment

WILD = os.path.join(ROOT, "bench", "wild")
sys.path.insert(0, WILD)

import loops  # noqa: E402
import report  # noqa: E402
import schedule  # noqa: E402


def run_wild(*options):
    command = [sys.executable, "-m", "tessera", os.path.join(WILD, "run"), *options]
    done = subprocess.run(command, capture_output=True, text=True, env=child_environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


def dry_run(folder, *options):
    return run_wild("--dry-run", "--work", str(folder / "work"), "--out", str(folder / "out"), *options)


def test_dry_run_writes_table_picture_and_json(tmp_path):
    said = dry_run(tmp_path)
    with open(tmp_path / "out" / "wild.json", encoding="utf-8") as file:
        written = json.load(file)
    assert written["summary"]["operators"] > 300
    ratios = [float(line.split("|")[4]) for line in said.split("\n") if line.startswith("| ") and line.split("|")[4].strip()[:1].isdigit()]
    assert len(ratios) == written["summary"]["timed"] and ratios == sorted(ratios, reverse=True)
    picture = (tmp_path / "out" / "wild.svg").read_text()
    assert picture.startswith("<svg") and picture.count("<title>") > 5


def test_second_run_continues(tmp_path):
    dry_run(tmp_path, "--only", "^norms")
    outcomes = tmp_path / "work-dry" / "outcomes-cuda"
    kept = next(iter(sorted(outcomes.glob("norms.*.tessera.time.json"))))
    kept.write_text(json.dumps({"ok": True, "kernels": [{"calls": [[["k", 1e6]]], "uneven": False, "of": 1}], "host": []}))
    said = dry_run(tmp_path, "--only", "^norms")
    assert "1000000.0" in said


def test_suspects_come_first():
    lines = run_wild("--list").split("\n")[:-2]
    marks = [line[0] for line in lines]
    assert marks == sorted(marks, reverse=True) and "*" in marks


def outcome(*calls):
    return {"ok": True, "kernels": [{"calls": list(calls), "uneven": False, "of": len(calls)}], "host": []}


def test_gpu_time_is_the_least_of_each_launch():
    assert report.gpu_us(outcome([["a", 5.0], ["b", 1.0]], [["a", 3.0], ["b", 2.0]])) == 4.0
    assert report.per_kernel(outcome([["a", 5.0], ["a", 1.0]]))["a"] == [2, 6.0]
    uneven = {"ok": True, "kernels": [{"calls": [[["a", 4.0], ["b", 2.0], ["a", 6.0]]], "uneven": True, "of": 2}]}
    assert report.gpu_us(uneven) == 6.0


@pytest.mark.parametrize("ours, theirs, word", [
    (dict(against_reference="agrees"), dict(against_reference="agrees"), "right"),
    (dict(against_reference="no"), dict(against_reference="agrees"), "wrong"),
    (dict(against_reference="no"), dict(against_reference="no"), "both differ"),
    (dict(against_reference="agrees"), dict(against_reference="no"), "Triton wrong"),
    (dict(against_other="no"), dict(), "differs"),
    (dict(against_other="agrees"), dict(), "same"),
    (dict(ok=False, error="it crashed"), dict(), "Tessera fails"),
    (dict(ok=False, error="it crashed"), dict(ok=False, error="so did it"), "neither"),
])
def test_verdicts(ours, theirs, word):
    checks = {"tessera": dict(dict(ok=True), **ours), "triton": dict(dict(ok=True), **theirs)}
    assert report.verdict(checks, {"tessera": None, "triton": None})[0] == word


def test_unstable_results_are_no_difference():
    checks = {"tessera": dict(ok=True, against_other="no"), "triton": dict(ok=True)}
    assert report.verdict(checks, {"tessera": dict(ok=True), "triton": dict(ok=True, against_itself="differs")})[0] == "unstable"


def test_store_ignores_half_written_files(tmp_path):
    store = schedule.Store(str(tmp_path))
    store.write("a", "triton", "check", {"ok": True})
    with open(store.stem("b", "triton", "check") + ".json", "w", encoding="utf-8") as file:
        file.write("{")
    assert store.read("a", "triton", "check") == {"ok": True} and store.read("b", "triton", "check") is None


PTX = """
.visible .entry kernel(.param .u64 a)
{
	.reg .b32 %r<9>;
	mov.u32 %r1, %tid.x;
$L__BB0_1:
	add.s32 %r2, %r2, 1;
$L__BB0_2:                              // %inner
	.loc	1 12 4
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};
	add.s32 %r3, %r3, 1;
	@%p1 bra $L__BB0_2;
	@%p2 bra $L__BB0_1;
	ret;
}
"""


def test_innermost_loop():
    assert loops.largest_loop(PTX) == (3, 7)
    assert loops.products_in_loop(PTX) == 1
    assert loops.largest_loop(PTX.replace("bra", "call"))[0] == 0


@pytest.fixture(scope="module")
def static():
    import importlib.machinery
    import importlib.util
    loader = importlib.machinery.SourceFileLoader("wild_static", os.path.join(WILD, "static"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("wild_static", loader))
    loader.exec_module(module)
    return module


def facts(spills=0, loop=100, width=16, count=1):
    return {"registers": 64, "spills": spills, "loop": loop, "total": 500, "mma": 0, "shared": 0, "accesses": [["load", width, "a.py", 7, "ld", count]]}


@pytest.mark.parametrize("ours, before, checks", [
    (facts(), facts(), []),
    (facts(spills=8), facts(spills=8), ["spills"]),
    (facts(spills=200), facts(spills=8), ["spills", "registers"]),
    (facts(width=2, count=8), facts(), ["width"]),
    (facts(loop=130), facts(), []),
    (facts(loop=140), facts(), ["loop"]),
    ("CompilationError: no", facts(), ["compile"]),
    (dict(facts(), spills=None), facts(spills=8), []),
])
def test_static_comparison(static, ours, before, checks):
    assert [check for check, _ in static.compare(ours, facts(), before)] == checks


def test_spills_that_triton_has_too_are_no_regression(static):
    assert static.compare(facts(spills=8), facts(spills=400), facts(spills=8)) == []


def test_every_launch_is_stored_for_both_compilers(static):
    stored, changed = static.launches.load_stored()
    assert not changed
    assert set(stored) == set(static.read_stored("triton.json")) == set(static.read_stored("tessera.json"))


def test_known_entries_name_launches_and_have_reasons(static):
    stored, _ = static.launches.load_stored()
    for (launch, check), reason in static.known_reasons().items():
        assert reason and check in ("spills", "width", "loop", "registers", "compile")
        assert any(key == launch or key.split("#")[0] == launch for key in stored), launch


def test_results_agree_by_size():
    torch = pytest.importorskip("torch")
    import agree
    import corpus

    def difference(a, b, **options):
        pairs = [("", torch.tensor(t), (len(t),)) for t in (a, b)]
        return agree.compare([pairs[0]], [pairs[1]], corpus.Case(None, **options))[0]
    assert difference([1.0, 100.0], [1.001, 100.0]) is None
    assert "differ" in difference([1.0, 2.0], [1.0, 3.0])
    assert difference([1.0, float("nan")], [1.0, float("nan")]) is None
    assert "differ" in difference([1.0, float("nan")], [1.0, 2.0])
    assert "differ" in difference([1, 2], [1, 3])
    assert "differ" in difference([1.0, 2.0], [1.0, 2.0001], exact=True)
    assert difference([1.0, 2.0, 3.0, 9.0], [1.0, 2.0, 3.0, 4.0], allowed=0.25) is None


def test_autotuning_is_cut_to_one_configuration():
    import child
    assert child.cut([1, 2, 3, 4, 5], "middle") == [3] and child.cut([1, 2, 3], "last") == [3] and child.cut([7], "first") == [7]
    assert child.cut(list(range(10)), "3") == [0, 3, 6] and child.cut([1, 2], "all") == [1, 2]
