"""Parts of the lab that need no process: comparison, judging, records, cases, the words of the analysis."""
import json
import math
import os
import sys
import threading
import time

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab_tool import PACKAGES, ROOT  # noqa: E402

sys.path.insert(0, PACKAGES)
from tessera.lab import analysis, drawing, judging, log, measuring, operators, preparing, records, schedule, screen, settings, summary  # noqa: E402
from tessera.lab.lab_child import agree, inputs  # noqa: E402

CEILINGS = {"copy": 4e12, "read": 4.2e12, "matmul": {"float32": 400e12, "float16": 800e12}}


def entry(us, **more):
    return {"median_us": us, "spread": 0.01, "least_us": us, "samples": 30, "warm_us": us, "kernels": [], "config": {}, **more}


def size(facts, contestants, steady=True):
    clocks = {"steady": steady, "why": None if steady else "the clocks moved"}
    told = {"case": {"dtype": "float32"}, "facts": facts, "contestants": contestants, "clocks": clocks}
    for each in contestants.values():
        if "failed" not in each:
            told["bound"] = judging.judge(each, told, CEILINGS, "cuda", 50 << 20)
    told["best"] = judging.choice(told)
    return told


def record(**sizes):
    return {"kind": "time", "date": "2026-11-16T00:00:00Z", "device": {"type": "cuda", "name": "a GPU"}, "versions": {"tessera": "1", "torch": "2", "triton": "3"},
            "ceilings": CEILINGS, "correctness": {}, "sizes": sizes, "choice": {name: told["best"] for name, told in sizes.items()}}


# ---- judging

def test_above_the_roofline_is_refused():
    facts = {"bytes": 4e9, "flops": 1e9}  # a copy takes 1 ms
    told = size(facts, {"tessera:v1_baseline": entry(1100.0), "tessera:v2_tiling": entry(500.0), "torch": entry(1200.0)})
    assert told["bound"] == "memory" and told["best"] == "v1_baseline"
    assert told["contestants"]["tessera:v2_tiling"]["refused"].startswith("above the roofline: 200%")
    assert told["contestants"]["tessera:v1_baseline"]["ceiling"] == pytest.approx(0.9091)


def test_moving_clocks_are_refused():
    told = size({"bytes": 4e9, "flops": 1e9}, {"tessera:v1_baseline": entry(1100.0)}, steady=False)
    assert told["contestants"]["tessera:v1_baseline"]["refused"] == "the clocks moved" and told["best"] is None


def test_rounds_between_steady_beats_count():
    assert judging.steady_rounds([100, 101, 130, 100, 99], 4, 1.05) == [0, 3]
    assert judging.steadiness([100, 101, 130, 100, 99], [0, 3], 4) == (True, None)
    is_steady, why = judging.steadiness([100, 140, 100, 140, 99], [], 4)
    assert not is_steady and "between 99.0 and 140.0 us" in why


def test_arithmetic_is_the_bound_of_a_matmul():
    assert judging.least_seconds({"bytes": 1e8, "flops": 1e12}, CEILINGS, "float16")[1] == "arithmetic"
    assert judging.least_seconds({"bytes": 1e8, "flops": 1e7}, {"copy": 1e12, "matmul": {"float32": 1e6}}, "float32")[1] == "memory"


def test_medians_and_spreads():
    told = judging.summary({"cold": [1.0, 2.0, 3.0, 4.0, 100.0], "warm": [1.0]})
    assert told["median_us"] == 3.0 and told["least_us"] == 1.0 and told["spread"] == pytest.approx(1 / 3, abs=1e-3)


# ---- analysis and pictures

def full_record():
    facts = {"bytes": 4e9, "flops": 1e9}
    slow = entry(2000.0, kernels=[{"name": "k", "registers": 40, "spills": 0, "shared": 0, "num_warps": 4, "occupancy": 0.5, "constants": {"BLOCK": 256}}])
    fast = entry(1050.0, kernels=[{"name": "k", "registers": 64, "spills": 0, "shared": 0, "num_warps": 8, "occupancy": 1.0, "constants": {"BLOCK": 1024}}])
    return record(Small=size(facts, {"tessera:v1_baseline": dict(slow), "torch": entry(1500.0)}),
                  Large=size(facts, {"tessera:v1_baseline": slow, "tessera:v2_tiling": fast, "torch": entry(1100.0), "torch.compile": {"failed": "no"},
                                     "triton:v2_tiling": entry(1000.0)}))


def test_analysis_names_facts():
    said = " ".join(analysis.sentences(full_record()))
    assert "v1_baseline at Small; v2_tiling at Large" in said
    assert "v2_tiling is 1.90 × as fast as v1_baseline (registers 40 -> 64, warps 4 -> 8, occupancy 50% -> 100%, BLOCK 256 -> 1024)" in said
    assert "bound by memory: v2_tiling reaches 3.81 TB/s, 95% of a copy's bandwidth" in said
    assert "It loses to torch at Small: 0.75 × its speed; it moves data at 50% of a copy's bandwidth" in said
    assert "Triton is faster for v2_tiling at Large (0.95 ×)" in said and "Not counted at Large: torch.compile: no" in said


def test_a_rate_far_below_the_ceiling_is_bound_by_something_else():
    told = full_record()
    told["sizes"]["Large"]["contestants"]["tessera:v2_tiling"]["ceiling"] = 0.03
    said = " ".join(analysis.sentences(told))
    assert "At Large neither memory nor arithmetic is the limit: v2_tiling reaches 3.81 TB/s, 3% of a copy's bandwidth." in said


def test_picture_is_well_formed():
    import xml.etree.ElementTree as tree
    picture = tree.fromstring(drawing.picture("softmax", full_record()))
    assert "v2_tiling" in "".join(picture.itertext())


# ---- records

def test_records_are_chained(tmp_path):
    for value in (1, 2, 3):
        records.append(str(tmp_path), "op", {"kind": "time", "value": value})
    found = records.read(str(tmp_path), "op")
    assert [each["value"] for each in found] == [1, 2, 3] and records.verify(found) == []
    path = tmp_path / "op.json"
    path.write_text(path.read_text().replace('"value": 2', '"value": 7'))
    assert records.verify(records.read(str(tmp_path), "op")) == [1]
    path.write_text(json.dumps({"format": 99}))
    with pytest.raises(records.Damaged, match="format 99"):
        records.read(str(tmp_path), "op")


# ---- cases

def test_random_cases_repeat_by_seed():
    operator = operators.Operator("op", "", {"dtype": "float16"}, {}, {}, [{"n": 3}], {"n": [1, 5000], "dtype": ["float32", "float16"]}, [])
    cases = operator.cases(20, 7)
    assert cases == operator.cases(20, 7) != operator.cases(20, 8)
    assert cases[0] == ("n 3", {"dtype": "float16", "n": 3}, 7)
    assert all(1 <= case["n"] <= 5000 for _, case, _ in cases) and {case["dtype"] for _, case, _ in cases[1:]} == {"float32", "float16"}


def test_numbers():
    assert [screen.duration(us) for us in (1.234, 45.67, 999.7, 12345.0, 2.5e6)] == ["1.23 µs", "45.7 µs", "1.00 ms", "12.3 ms", "2.50 s"]
    assert screen.amount(2.1e9, "B") == "2.10 GB" and screen.amount(0, "B") == "0 B"


# ---- comparison

def test_comparison_names_the_first_wrong_element():
    torch = pytest.importorskip("torch")
    right = torch.arange(12.0).reshape(3, 4)
    wrong = right.clone()
    wrong[1, 2] = 99.0
    problem, _ = agree.compare(wrong, right.double(), right, lambda dtype: (1e-5, 1e-5))
    assert problem["message"] == "the result[1, 2] is 99 instead of 6; 1 of 12 elements are wrong"
    assert agree.compare(right, right.double(), right, lambda dtype: (1e-5, 1e-5)) == (None, 0.0)


def test_comparison_of_nan_and_infinity():
    torch = pytest.importorskip("torch")
    wanted = torch.tensor([math.nan, math.inf, -math.inf, 1.0], dtype=torch.float64)
    assert agree.compare(wanted.float(), wanted, None, lambda dtype: (1e-5, 1e-5))[0] is None
    for bad in ([0.0, math.inf, -math.inf, 1.0], [math.nan, 3e38, -math.inf, 1.0], [math.nan, math.inf, math.inf, 1.0], [math.nan, math.inf, -math.inf, math.nan]):
        assert agree.compare(torch.tensor(bad), wanted, None, lambda dtype: (1e-5, 1e-5))[0] is not None, bad


def test_the_smallest_numbers_of_a_type_may_differ_by_one():
    torch = pytest.importorskip("torch")
    wanted = torch.tensor([1.0848e-05, 0.5], dtype=torch.float64)
    for value, right in ((1.07884e-05, True), (1.0729e-05, False)):
        found = torch.tensor([value, 0.5], dtype=torch.float16)
        assert (agree.compare(found, wanted, None, lambda dtype: (1e-3, 1e-9))[0] is None) == right


def test_large_results_are_compared_in_parts(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(agree, "CHUNK", 10)
    right = torch.arange(60.0).reshape(6, 10)
    wrong = right.clone()
    wrong[4, 7] = 0.0
    assert agree.compare(wrong, right, right, lambda dtype: (1e-5, 1e-5))[0]["index"] == "[4, 7]"


@pytest.mark.parametrize("layout", ["strided", "transposed", "offset"])
def test_layouts_keep_values(layout):
    torch = pytest.importorskip("torch")
    x = torch.randn(5, 6)
    other = inputs.with_layout(x, layout)
    assert torch.equal(other, x) and (other.stride() != x.stride() or other.storage_offset() == 1)


# ---- a budget, rivals and clocks

def test_rivals_are_named_and_compared():
    told = full_record()
    told["sizes"]["Large"]["contestants"]["torch:cuDNN"] = entry(900.0)
    assert [name for name, _, _ in summary.time_rows(told)][-3:] == ["torch", "torch:cuDNN", "torch.compile"]
    assert "It loses to cuDNN at Large: 0.86 × its speed." in analysis.sentences(told)
    assert screen.shown_name("torch:cuDNN") == "cuDNN" and screen.shown_name("triton:v2_tiling") == "v2_tiling (Triton)"
    assert log.rivals(told) == "torch, cuDNN, Triton" and ">cuDNN<" in drawing.picture("twice", told)


def test_a_rival_computes_what_the_reference_does():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "_addmm_activation"):
        pytest.skip("this torch has no fused addmm")
    from tessera.lab.lab_child.operators import Operator
    operator = Operator(os.path.join(ROOT, "kernels"), "matmul")
    args, kwargs = operator.inputs({"a": [5, 7], "b": [7, 3], "bias": True, "activation": "relu", "dtype": "float32"}, "cpu", 0)
    operator.choose_torch(False, "cuBLASLt")
    assert operator.function is not operator.reference
    assert torch.allclose(operator.function(*args, **kwargs), operator.reference(*args, **kwargs))


def test_what_a_budget_left_out_is_said():
    told = full_record()
    told.update(left_out={"Final": "the budget of 9 s was spent", "Medium": "the budget of 9 s was spent"},
                correctness={"v3_coalesced": {"ok": False, "left_out": "it was not checked"}})
    assert analysis.sentences(told)[-2:] == ["Not measured: Final, Medium: the budget of 9 s was spent.", "Not measured: v3_coalesced: it was not checked."]


def test_sizes_in_the_order_of_importance():
    given = dict.fromkeys(["Tiny", *operators.SIZES])
    assert list(schedule.by_importance(given)) == ["Large", "Small", "Final", "Medium", "Tiny"]


def test_turns_are_shorter_if_time_is_short():
    class Lab:
        settings = settings.Settings(kernels="", device="cuda")
    usual = Lab.settings.turn
    measured = measuring.Measuring(Lab, None, None)
    assert measured.turn(10) == usual
    measured.until = time.monotonic() - 1
    assert measured.turn(10) == usual / 4
    measured.until = time.monotonic() + Lab.settings.rounds * 2 * 10 * usual / 2
    assert measured.turn(10) == pytest.approx(usual / 2, rel=0.1)


def test_room_is_waited_for():
    room, order = preparing.Room(10), []

    def later():
        with room.of(7):
            order.append("second")
    with room.of(99):  # more than there is: alone
        thread = threading.Thread(target=later)
        thread.start()
        time.sleep(0.05)
        order.append("first")
    thread.join(5)
    assert order == ["first", "second"] and room.free == 10


def test_clocks_are_told():
    sizes = {"Small": {"clocks": {"before": {"clocks.sm": 1905.0, "power.draw": 300.0}, "after": {"clocks.sm": 1980.0, "power.draw": 300.0}, "rounds": [6, 7]}}}
    assert log.clocks_text(sizes, {"highest_clock": 1980.0}) == (
        "While measuring: SM clock 1905 to 1980 MHz of at most 1980 MHz, 300 W, 6 of 7 rounds had steady clocks.")


def test_what_nvidia_smi_says():
    reader = measuring.ClockReader("cpu")
    reader.know("570.86.15, 143771, 1980\n")
    assert reader.driver == {"driver": "570.86.15", "highest_clock": 1980.0} and reader.memory == 143771 << 20
    reader.know("no devices were found")
    assert reader.memory == 143771 << 20
