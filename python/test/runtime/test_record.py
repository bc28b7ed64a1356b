"""tessera record: the kernels that programs launch, as a manifest and programs."""
import json
import os
import subprocess

import pytest

from places import BUILD

TESSERA = os.path.join(BUILD, "bin", "tessera")
PROGRAM = """
import sys, numpy as np, tessera, tessera.language as tl
SCALE = tl.constexpr(3.0)

@tessera.jit
def helper(x):
    return x * SCALE

@tessera.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr, ACT: tl.constexpr = "relu"):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + o, helper(tl.load(x_ptr + o, mask=o < n)), mask=o < n)

x, y = np.ones(256, "float32"), np.zeros(256, "float32")
"""
LAUNCHES = """
for _ in range(5):
    scale[(4,)](x, y, 256, BLOCK=64)
scale[(4,)](x, y, 255, BLOCK=64, num_warps=8)
"""


@pytest.fixture
def run(snippet, tmp_path):
    def run(text, path="recorded", status=0):
        return snippet(PROGRAM + text, env={"TESSERA_RECORD": path and str(tmp_path / path)}, status=status)
    return run


def tables(tmp_path, name="recorded"):
    from tessera.runtime.recorded_manifest import read_tables
    path = tmp_path / name / "kernels.toml"
    return read_tables(path.read_text(), str(path))


def launched(table):
    return [row for row in table["variants"] if "because" not in row]


def test_a_program_s_launches(run, tmp_path):
    run(LAUNCHES)
    (kernel,) = tables(tmp_path)
    assert kernel["name"] == "scale" and kernel["source"].endswith(":10")
    assert launched(kernel) == [
        {"signature": "*fp32:16,*fp32:16,i32:16,64,'relu'", "targets": ["cpu"], "launches": 5},
        {"signature": "*fp32:16,*fp32:16,i32,64,'relu'", "options": {"num-warps": 8}, "targets": ["cpu"], "launches": 1}]
    program = json.loads((tmp_path / "recorded" / kernel["program"]).read_text())
    assert [function["name"] for function in program["functions"]] == ["scale", "helper"]
    assert program["arguments"][:2] == ["*fp32:16", "*fp32:16"]


def test_other_values_of_the_same_types(run, tmp_path):
    run("scale[(4,)](x, y, 256, BLOCK=64)")
    rows = {row["signature"]: row.get("because") for row in tables(tmp_path)[0]["variants"]}
    assert len(rows) == 2 * 2 * 3
    assert rows["*fp32:16,*fp32:16,i32:16,64,'relu'"] is None
    assert rows["*fp32:16,*fp32:16,i32,64,'relu'"] == "n may not be divisible by 16"
    assert rows["*fp32:16,*fp32:16,1,64,'relu'"] == "n may be 1"
    assert rows["*fp32,*fp32:16,1,64,'relu'"] == "x_ptr may not be aligned to 16 bytes and n may be 1"


def test_runs_add_up(run, tmp_path):
    run("scale[(4,)](x, y, 256, BLOCK=64)")
    before = (tmp_path / "recorded" / "kernels.toml").read_text()
    run(LAUNCHES)
    run("scale[(4,)](x, y, 1, BLOCK=64)")
    counts = {(row["signature"], str(row.get("options"))): row["launches"] for row in launched(tables(tmp_path)[0])}
    assert counts == {("*fp32:16,*fp32:16,i32:16,64,'relu'", "None"): 6, ("*fp32:16,*fp32:16,1,64,'relu'", "None"): 1,
                      ("*fp32:16,*fp32:16,i32,64,'relu'", "{'num-warps': 8}"): 1}
    assert "'relu'" in before and len(os.listdir(tmp_path / "recorded" / "programs")) == 1


def test_people_may_edit_the_file(run, tmp_path):
    run("scale[(4,)](x, y, 256, BLOCK=64)")
    path = tmp_path / "recorded" / "kernels.toml"
    lines = [line for line in path.read_text().split("\n") if "because" not in line]
    path.write_text("# ours\n" + "\n".join(lines).replace(", targets", ",   targets").replace("] }", "],  }"))
    run("scale[(4,)](x, y, 256, BLOCK=64)")
    assert launched(tables(tmp_path)[0])[0]["launches"] == 2


def test_a_file_of_something_else_is_left_alone(run, tmp_path):
    (tmp_path / "recorded").mkdir()
    path = tmp_path / "recorded" / "kernels.toml"
    for text in ("name = 'x'\n", "[[kernel]]\nfile = 'k.py'\nname = 'k'\n", "[[kernel]]\nname = ?\n"):
        path.write_text(text)
        said = run("scale[(4,)](x, y, 256, BLOCK=64)\nscale[(4,)](x, y, 255, BLOCK=64)").stderr
        assert said.count("RuntimeWarning: kernels are not recorded: ") == 1 and "kernels.toml" in said
        assert path.read_text() == text


def test_trials_of_autotune_are_left_out(run, tmp_path):
    run("""
tuned = tessera.autotune([tessera.Config({"BLOCK": b}) for b in (32, 64, 128)], key=["n"])(scale)
for _ in range(3):
    tuned[lambda meta: (tessera.cdiv(256, meta["BLOCK"]),)](x, y, 256)
""")
    (row,) = launched(tables(tmp_path)[0])
    assert row["launches"] == 3 and row["tuned"] is True and row["options"]["num-warps"] == 4


def test_constants_that_no_signature_expresses(run, tmp_path):
    run("""
@tessera.jit
def of(x_ptr, f: tl.constexpr, dtype: tl.constexpr):
    tl.store(x_ptr, f(tl.load(x_ptr)).to(dtype))

of[(1,)](x, helper, tl.float32)
""")
    (row,) = launched(tables(tmp_path)[0])
    assert json.loads(row["arguments"])[0] == "*fp32:16" and "signature" not in row


def test_a_part_of_a_program(run, tmp_path):
    run("""
scale[(4,)](x, y, 256, BLOCK=64)
with tessera.record(sys.path[0] + "/part"):
    scale[(4,)](x, y, 256, BLOCK=64)
    scale[(4,)](x, y, 256, BLOCK=64)
    scale[(4,)](x, y, 256, BLOCK=128)
scale[(4,)](x, y, 256, BLOCK=32)
print(sys.path[0])
""".replace("sys.path[0]", repr(str(tmp_path))), path="")
    rows = {row["signature"]: row["launches"] for row in launched(tables(tmp_path, "part")[0])}
    assert rows == {"*fp32:16,*fp32:16,i32:16,64,'relu'": 2, "*fp32:16,*fp32:16,i32:16,128,'relu'": 1}


def test_many_combinations_vary_one_at_a_time():
    from tessera.runtime.record import siblings

    class Parameter:
        is_constexpr = do_not_specialize = do_not_specialize_on_alignment = False
        annotation_type = ""

        def __init__(self, name):
            self.name = name
    parameters = [Parameter(f"p{i}") for i in range(10)]
    found, total = siblings(parameters, ["*fp32:16"] * 5 + ["i32"] * 5, 64)
    assert total == 2**5 * 3**5 and len(found) == 5 + 2 * 5
    assert all(" and " not in reason for _, reason in found)
    parameters[0].do_not_specialize = parameters[5].do_not_specialize_on_alignment = True
    assert len(siblings(parameters, ["*fp32:16"] * 5 + ["i32"] * 5, 64)[0]) == 4 + 1 + 2 * 4


def test_processes_that_a_program_starts(run, tmp_path):
    run("""
import multiprocessing
def work(n):
    scale[(4,)](x, y, n, BLOCK=64)
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, [256, 255, 1, 256])
        pool.close()
        pool.join()
""")
    assert {row["signature"].split(",")[2] for row in launched(tables(tmp_path)[0])} == {"i32:16", "i32", "1"}


def test_recorded_variants_are_compiled_before_they_are_launched(run, tmp_path):
    run(LAUNCHES)
    done = run(f"""
loaded = tessera.load_variants({str(tmp_path / "recorded")!r})
print(len(loaded), loaded.failed, loaded.unknown)
tessera.knobs.runtime.on_recompile = "error"
{LAUNCHES}
scale[(4,)](x, y, 1, BLOCK=64)
scale[(4,)](x[1:], y, 7, BLOCK=64)
print(sorted({{each.why for each in scale.specializations()}}))
""", path="")
    assert done.stdout == "24 [] []\n['loaded from a recorded manifest']\n"


def test_recorded_variants_of_other_programs(run, tmp_path):
    run("""
@tessera.jit
def of(x_ptr, f: tl.constexpr):
    tl.store(x_ptr, f(tl.load(x_ptr)))

of[(1,)](x, helper)
""" + LAUNCHES)
    folder = str(tmp_path / "recorded")
    done = run(f"""
@tessera.jit
def of(x_ptr, f: tl.constexpr):
    tl.store(x_ptr, f(tl.load(x_ptr)))

del scale
import gc
gc.collect()
print(tessera.load_variants({folder!r}))
""", path="")
    assert "of failed: a constant of a recorded variant has no signature" in done.stdout
    assert "scale is not here; is its module imported?" in done.stdout
    assert "there is no " in run("tessera.load_variants('.')", path="", status=1).stderr


# ---- the command -------------------------------------------------------------------------------------------------------------------

@pytest.fixture
def tessera_record(tmp_path):
    import sys
    from places import child_environment
    if not os.path.exists(TESSERA):
        pytest.skip("no command line")
    (tmp_path / "program.py").write_text(PROGRAM + LAUNCHES + "sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)\n")

    def call(*arguments):
        command = [each.replace("PYTHON", sys.executable) for each in arguments]
        return subprocess.run([TESSERA, "record", *command], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env=child_environment({"CUDA_VISIBLE_DEVICES": "", "TRITON_CACHE_DIR": str(tmp_path / "cache")}))
    return call


def test_the_command(tessera_record, tmp_path):
    done = tessera_record("-o", "here", "--", "PYTHON", "program.py", "7")
    assert (done.returncode, done.stdout) == (7, "")
    assert done.stderr == "here/kernels.toml: 1 kernel, 2 variants launched, 22 more that other values may need\n"
    program, = os.listdir(tmp_path / "here" / "programs")
    compiled = subprocess.run([TESSERA, "compile", f"here/programs/{program}", "--target", "cuda:90", "--emit", "ptx", "-o", "-"],
                              cwd=tmp_path, capture_output=True, text=True)
    assert compiled.returncode == 0 and ".entry scale" in compiled.stdout


def test_wrong_commands(tessera_record):
    for arguments in ([], ["PYTHON"], ["--"], ["program.py", "--", "PYTHON"]):
        done = tessera_record(*arguments)
        assert done.returncode == 2 and "record needs a program after --" in done.stderr
    done = tessera_record("--", "./nothing")
    assert done.returncode == 2 and "record: './nothing' cannot be run" in done.stderr
    done = tessera_record("--", "true")
    assert done.returncode == 0 and "no kernel was recorded; does the program import tessera?" in done.stderr
    assert "usage: tessera record [-o DIR] -- PROGRAM" in tessera_record("--help").stdout
