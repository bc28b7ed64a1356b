"""Planted mistakes: each is found by the phase that should find it, named with its first wrong element, and left out of the times."""
import os
import sys

import pytest

pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab_tool import lab_json, version, write_twice  # noqa: E402

WRAPPER = "    n = x.numel()\n    out = torch.empty_like(x)\n"

# name: (text, the phase that finds it, the kind of mistake, words of the message)
PLANTED = {
    "v2_timing": (version("v2_timing", "all programs write element 0", ("mask=mask)\n\n\ndef", "mask=mask)\n    tl.store(out_ptr, 1.0 + tl.program_id(0))\n\n\ndef")),
                "sanitizer", "race", "both write element 0 of 'out_ptr'"),
    "v3_outside": (version("v3_outside", "reads one element too many", ("offsets < n", "offsets <= n")), "sanitizer", "memory", "1 element past the end"),
    "v4_off_by_one": (version("v4_off_by_one", "leaves the last element out", ("offsets < n", "offsets < n - 1")), "sanitizer", "value",
                      "[999] is nan instead of"),
    "v5_mutates": (version("v5_mutates", "changes its input", ("    return out", "    x += 0 if n < 2 else 1\n    return out")), "sanitizer", "mutated", "tensor 0 at [0]"),
    "v6_cached": (version("v6_cached", "keeps results by shape", (WRAPPER, "    n = x.numel()\n    if n > 1 and n in kept:\n        return kept[n]\n"
                                                                  "    out = kept[n] = torch.empty_like(x)\n"), ("def triton_twice", "kept = {}\n\n\ndef triton_twice")),
                  "sanitizer", "cached", "an earlier call"),
    "v7_nan": (version("v7_nan", "loses NaN", ("out = 2 * x + 1", "out = 2 * tl.maximum(x, -100.0) + 1")), "sanitizer", "value", "instead of nan"),
    "v8_uninitialized": (version("v8_uninitialized", "adds what torch.empty left", ("    return out", "    return out + torch.empty_like(out).nan_to_num(0.0)")),
                         "sanitizer", None, None),
    "v9_dtype": (version("v9_dtype", "returns float64", ("    return out", "    return out.double()")), "sanitizer", "dtype", "float64 instead of torch.float32"),
    "v10_hangs": (version("v10_hangs", "never ends", (WRAPPER, WRAPPER + "    import time\n    time.sleep(600)\n")), "sanitizer", "hung", "hung"),
    "v11_faults": (version("v11_faults", "reads address 0", (WRAPPER, WRAPPER + "    import ctypes\n    ctypes.string_at(0)\n")), "sanitizer", "died", "died"),
    "v12_import": ("import not_a_module\n", "import", "raised", "not_a_module"),
    "v13_random": (version("v13_random", "two calls differ", ("    return out", "    return out * (1 + 5e-6 * torch.rand(()).item())")), "sanitizer", "nondeterministic",
                   "different bits"),
    "v15_torch": (version("v15_torch", "torch computes it", ("        kernel[(triton.cdiv(n, 256),)](x, out, n, BLOCK=256)\n", "        out = x * 2 + 1\n")),
                  "sanitizer", "no-kernel", "it launches no kernel"),
    "v14_aliased": (version("v14_aliased", "all results share memory", (WRAPPER, "    n = x.numel()\n    out = memory.setdefault(n, torch.empty_like(x))\n"),
                            ("def triton_twice", "memory = {}\n\n\ndef triton_twice")), "sanitizer", None, None),
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    write_twice(folder, {"v1_baseline": version("v1_baseline"), **{name: text for name, (text, *_) in PLANTED.items()}})
    told = lab_json(folder, "twice", "--device", "cpu", "--check-only", "--limit", "10", "--random", "0", status=1)
    return told["twice"]


def test_right_version_passes(outcome):
    assert outcome["correctness"]["v1_baseline"] == {"ok": True}
    assert sorted(outcome["failed"]) == sorted(PLANTED)


@pytest.mark.parametrize("name", list(PLANTED))
def test_mistake_is_found(outcome, name):
    _, phase, kind, words = PLANTED[name]
    found = outcome["correctness"][name]
    assert not found["ok"] and found["phase"] == phase
    if kind:
        assert found["failed"]["what"] == kind, found
        assert words in found["failed"]["message"], found


def test_kept_results_are_found(outcome):
    """A result whose memory a later call reuses, and one that depends on uninitialized memory."""
    assert outcome["correctness"]["v14_aliased"]["failed"]["what"] in ("aliased", "cached")
    assert outcome["correctness"]["v8_uninitialized"]["failed"]["what"] in ("uninitialized", "value")


def test_wrong_at_one_size(tmp_path):
    """A version that only the timed size Medium shows to be wrong has no time there, and is not chosen."""
    wrong = version("v2_tiling", "wrong for 5000 elements", ("    return out", "    return out.fill_(7.0) if n == 5000 else out"))
    write_twice(tmp_path, {"v1_baseline": version("v1_baseline"), "v2_tiling": wrong})
    told = lab_json(tmp_path, "twice", "--device", "cpu", "--rounds", "2", "--random", "0", "--no-sanitize", "--triton", "no")
    sizes = told["twice"]["record"]["sizes"]
    assert "median_us" in sizes["Small"]["contestants"]["tessera:v2_tiling"]
    failed = sizes["Medium"]["contestants"]["tessera:v2_tiling"]["failed"]
    assert failed.startswith("wrong at Medium: the result[0] is 7 instead of"), failed
    assert sizes["Medium"]["best"] in ("v1_baseline", None)
    log = (tmp_path / "logs" / "twice_log.md").read_text()
    assert "| v2_tiling |" in log and "failed" in log and "wrong at Medium" in log


def test_a_case_that_is_wrong_is_not_the_versions_fault(tmp_path):
    write_twice(tmp_path, {"v1_baseline": version("v1_baseline")})
    cases = tmp_path / "kernels" / "twice" / "cases.toml"
    cases.write_text(cases.read_text().replace("n = 1000", "m = 1000"))
    failed = lab_json(tmp_path, "twice", "--device", "cpu", "--check-only", "--random", "0", "--no-sanitize", status=1)["twice"]["correctness"]["v1_baseline"]["failed"]
    assert failed["what"] == "inputs" and failed["message"] == "make_inputs of reference.py, with this case of cases.toml: KeyError: 'n'", failed


def test_no_kernel_at_one_size(tmp_path):
    """A version that leaves the size that is timed to torch has no time there."""
    wrong = version("v2_tiling", "torch computes 5000 elements", ("    n = x.numel()\n", "    n = x.numel()\n    if n == 5000:\n        return 2 * x + 1\n"))
    write_twice(tmp_path, {"v1_baseline": version("v1_baseline"), "v2_tiling": wrong})
    told = lab_json(tmp_path, "twice", "--device", "cpu", "--rounds", "1", "--random", "0", "--no-sanitize", "--triton", "no", "--sizes", "Medium")
    assert "launches no kernel" in told["twice"]["record"]["sizes"]["Medium"]["contestants"]["tessera:v2_tiling"]["failed"]
