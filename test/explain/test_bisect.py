"""`tessera explain --bisect`: a wrong pass is planted in each stage (--wrong-pass), or a wrong program after it, and found.

On a machine with a GPU, from an unpacked archive:

    tar xf build/dist/tessera-*.tar.xz -C /tmp
    BUILD=$(echo /tmp/tessera-*-linux-x86_64) python3 -m pytest -q -rs -p no:cacheprovider test/explain/test_bisect.py -k the_gpu
"""
import ctypes
import os
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import features  # noqa: E402
from command import ADD, ROOT, TESSERA, explain, shown  # noqa: E402

ARRAYS = ["--arg", "x_ptr=randn:2000", "--arg", "y_ptr=randn:2000", "--arg", "output_ptr=zeros:2000", "--arg", "n_elements=2000", "--grid", "2"]
MATRICES = [word for name in "abc" for word in ("--arg", f"{name}_ptr={'zeros' if name == 'c' else 'randn'}:64x64")]
SIZES = [word for name in ("M", "N", "K", "stride_am", "stride_bk", "stride_cm") for word in ("--arg", f"{name}=64")]
MATMUL = ["examples/matmul.py", "-n", "matmul_kernel", "-s", "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,32,32,32,8,0",
          *MATRICES, *SIZES, "--grid", "4"]
SOFTMAX = ["examples/softmax.py", "-n", "softmax_kernel", "--arg", "output_ptr=zeros:8x100", "--arg", "input_ptr=randn:8x100", "--grid", "3",
           *[word for name, value in (("output_row_stride", 100), ("input_row_stride", 100), ("n_rows", 8), ("n_cols", 100)) for word in ("--arg", f"{name}={value}")]]


@pytest.mark.parametrize("target", ["cpu", "cuda:80", "cuda:90"])
@pytest.mark.parametrize("arguments", [[*ADD, *ARRAYS], MATMUL, SOFTMAX], ids=["add", "matmul", "softmax"])
def test_right_passes_are_not_blamed(arguments, target):
    text = shown(*arguments, "-t", target, "--bisect")
    assert "no pass changes a value" in text and re.search(r"^ +1  frontend +source +the reference, on the CPU$", text, re.M)
    assert text.count("the same, on the CPU") >= 3, text
    if target == "cpu":
        assert "not run" not in text and "would be in all of them: cpu-convert-ttir-to-llir" in text
    else:
        assert re.search(r"convert-ttir-to-ttgir +ttgir +the same, on the CPU", text)


@pytest.mark.parametrize("target, level, right, wrong", [
    ("cpu", "ttir", "arith.addf", "arith.subf"), ("cpu", "llir", "fadd", "fsub"),
    ("cuda:90", "ttir", "arith.addf", "arith.subf"), ("cuda:90", "ttgir", "arith.addf", "arith.mulf")])
def test_a_wrong_program_is_found_in_its_stage(target, level, right, wrong, tmp_path):
    subprocess.run([TESSERA, "compile", *ADD, "-t", target, "--emit", level, "-o", str(tmp_path / "wrong"), "--no-cache"], cwd=ROOT, check=True)
    path = tmp_path / f"wrong.{level}"
    text = path.read_text()
    assert right in text
    path.write_text(text.replace(right, wrong))
    out, _ = explain(*ADD, *ARRAYS, "-t", target, "--bisect", "--ir-override", path, status=1)
    assert f"ir-override of make_{level} is the first pass whose program gives other values" in out
    assert re.search(r"ir-override .*output_ptr\[0\] is \S+ instead of \S+; \d+ of 2000 elements differ", out)


def test_a_wrong_element_is_named(tmp_path):
    """Only what lies behind a mask differs."""
    subprocess.run([TESSERA, "compile", *ADD, "-t", "cpu", "--emit", "ttir", "-o", str(tmp_path / "wrong"), "--no-cache"], cwd=ROOT, check=True)
    path = tmp_path / "wrong.ttir"
    path.write_text(path.read_text().replace("arith.cmpi slt", "arith.cmpi sle"))
    out, _ = explain(*ADD, *ARRAYS[:-3], "n_elements=1504", "--grid", "2", "-t", "cpu", "--bisect", "--ir-override", path, status=1)
    assert "output_ptr[1504] is" in out and "; 1 of 2000 elements differ" in out


@pytest.mark.parametrize("arguments, message", [
    ([*ADD, "--bisect"], "--bisect: say how many programs to run"), ([*ADD, "--bisect", "--grid", "x"], "--grid"),
    ([*ADD, "--bisect", "--grid", "1"], "x_ptr"), ([*ADD, *ARRAYS, "--bisect", "--arg", "nothing=1"], "nothing"),
    ([*ADD, *ARRAYS, "--bisect", "--arg", "x_ptr=zeros:4"], "given twice"),
    ([*ADD, *ARRAYS[:-3], "n_elements=1501", "--grid", "2", "--bisect"], "1501 is not divisible by 16"), ([*ADD, *ARRAYS, "--bisect", "--seed", "x"], "--seed"),
    (["examples/softmax.py", "--bisect"], "take one kernel")])
def test_wrong_usage(arguments, message):
    assert message in explain(*arguments, status=2)[1]


EMULATOR = ["--emulator", "test/emulator/launch"]


def test_operands_that_are_rounded_are_no_error():
    """The CPU computes with 24 significant bits what a GPU computes in tf32."""
    text = shown(*[word.replace("fp16", "fp32") for word in MATMUL], "-t", "cuda:80", "--bisect", *EMULATOR)
    assert "no pass changes a value" in text


ATTENTION = ["examples/attention.py", "-n", "attention_kernel", "-s", ",".join(["*fp16"] * 4 + ["*fp32", "fp32"] + ["i32"] * 14 + ["16,32,32,1"]),
             *[word for name in "qkv" for word in ("--arg", f"{name}_ptr=randn:1x1x64x16")], "--arg", "o_ptr=zeros:1x1x64x16", "--arg", "lse_ptr=zeros:64",
             *[word for name in "qkvo" for part, value in (("b", 1024), ("h", 1024), ("n", 16)) for word in ("--arg", f"stride_{name}{part}={value}")],
             "--arg", "scale=0.25", "--arg", "n_heads=1", "--arg", "n_ctx=64", "--grid", "2"]


@pytest.mark.parametrize("target", ["cuda:80", "cpu"])
def test_what_the_emulator_does_not_know_is_not_run(target):
    """The calls of libdevice before LLVM inlines them."""
    text = shown(*ATTENTION, "-t", target, "--bisect", *EMULATOR)
    assert "no pass changes a value" in text and text.count("the same") >= 20
    for line in re.findall(r".*not run.*", text):
        assert re.search(r"(translate-to-llvm-ir|nvvm-reflect) +llir +not run: the emulator: ", line), line


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90"])
@pytest.mark.parametrize("arguments", [[*ADD, *ARRAYS], MATMUL, SOFTMAX], ids=["add", "matmul", "softmax"])
def test_all_levels_run_on_the_emulator(arguments, target):
    text = shown(*arguments, "-t", target, "--bisect", *EMULATOR)
    assert "no pass changes a value" in text and "not run" not in text
    assert re.search(r"nvidia-convert-ttgir-to-llir +llir +the same, on the emulator", text), text
    assert re.search(r"make_ptx +ptx +the same, on the emulator", text) and re.search(r"instcombine +llir +the same, on the emulator", text), text


@pytest.mark.parametrize("level, right, wrong", [("llir", "fadd", "fsub"), ("ptx", "add.f32", "sub.f32")])
def test_a_wrong_gpu_program_is_found(level, right, wrong, tmp_path):
    subprocess.run([TESSERA, "compile", *ADD, "--emit", level, "-o", str(tmp_path / "wrong"), "--no-cache"], cwd=ROOT, check=True)
    path = tmp_path / f"wrong.{level}"
    text = path.read_text()
    assert right in text
    path.write_text(text.replace(right, wrong))
    out, _ = explain(*ADD, *ARRAYS, "--bisect", *EMULATOR, "--ir-override", path, status=1)
    assert f"ir-override of make_{level} is the first pass whose program gives other values" in out


def test_a_wrong_pipelined_loop_is_found(tmp_path):
    """TTGIR with buffers in shared memory, which only a GPU or the emulator can run."""
    subprocess.run([TESSERA, "compile", *MATMUL[:5], "-t", "cuda:80", "--emit", "ttgir", "-o", str(tmp_path / "wrong"), "--no-cache"], cwd=ROOT, check=True)
    path = tmp_path / "wrong.ttgir"
    text = path.read_text()
    assert "ttg.local_alloc" in text and "tt.dot" in text
    line = re.search(r"^.*arith\.truncf.*$", text, re.M)[0]  # of the accumulator, before the store
    value, kind = re.search(r"truncf (\S+) : (\S.*?) to ", line).groups()
    path.write_text(text.replace(line, f"    %broken = arith.addf {value}, {value} : {kind}\n" + line.replace(value, "%broken")))
    out, _ = explain(*MATMUL, "-t", "cuda:80", "--bisect", *EMULATOR, "--ir-override", path, status=1)
    assert "ir-override of make_ttgir is the first pass" in out and "c_ptr[0] is" in out


def test_an_emulator_that_cannot_run():
    assert "--emulator: '/nowhere' is not a program" in explain(*ADD, *ARRAYS, "--bisect", "--emulator", "/nowhere", status=2)[1]
    out, _ = explain(*ADD, *ARRAYS, "--bisect", "--emulator", "/bin/false", status=1)
    assert "it fails: the emulator" in out


def blamed(*arguments, status=1):
    """The pass that is blamed, and the lines that say so."""
    out, _ = explain(*arguments, "--bisect", status=status)
    found = re.search(r"^(\S+) of (\S+) is the first pass whose program gives other values$", out, re.M)
    assert found is None or re.search(rf"^ +\d+  {re.escape(found[1])} .*_ptr\[\d+\] is \S+ instead of \S+; \d+ of \d+ elements differ$", out, re.M), out
    return found and found.groups(), out


WRONG = [  # kernel, target, pass, stage
    ("add", "cpu", "tt-inliner", "make_ttir"), ("add", "cpu", "tt-combine", "make_ttir"), ("softmax", "cpu", "tt-canonicalizer", "make_ttir"),
    ("matmul", "cpu", "cpu-carry-offsets", "make_llir"), ("add", "cpu", "early-cse", "make_llir"), ("softmax", "cpu", "instcombine", "make_llir"),
    ("add", "cuda:90", "tt-reorder-broadcast", "make_ttir"), ("matmul", "cuda:80", "cse", "make_ttir"),
    ("add", "cuda:90", "convert-ttir-to-ttgir", "make_ttgir"), ("softmax", "cuda:80", "ttg-coalesce", "make_ttgir"),
    ("matmul", "cuda:80", "nvidia-accelerate-matmul", "make_ttgir"), ("add", "cuda:90", "ttg-remove-layout-conversions", "make_ttgir"),
    ("matmul", "cuda:80", "ttg-pipeline", "make_ttgir"), ("matmul", "cuda:80", "ttg-prefetch", "make_ttgir"),
    ("add", "cuda:90", "ttg-assign-access-width", "make_llir"), ("add", "cuda:90", "ttg-allocate-shared-memory", "make_llir"),
    ("add", "cuda:90", "instcombine", "make_llir"), ("add", "cuda:90", "reassociate", "make_llir"), ("softmax", "cuda:80", "early-cse", "make_llir")]
KERNELS = {"add": [*ADD, *ARRAYS], "matmul": MATMUL, "softmax": SOFTMAX}


@pytest.mark.parametrize("kernel, target, name, stage", WRONG)
def test_a_wrong_pass_is_found(kernel, target, name, stage):
    """The pass is wrong in every compilation of the search, too, so the search must do without it."""
    more = [] if target == "cpu" else EMULATOR
    assert blamed(*KERNELS[kernel], "-t", target, "--wrong-pass", name, *more)[0] == (name, stage)


@pytest.mark.parametrize("kernel, target, name", [
    ("add", "cpu", "cpu-convert-ttir-to-llir"), ("add", "cuda:90", "nvidia-convert-ttgir-to-llir"), ("matmul", "cuda:80", "ttg-insert-barriers")])
def test_a_wrong_pass_that_every_kernel_needs(kernel, target, name):
    """No program runs without it, so it can only be named beside others of its kind."""
    found, out = blamed(*KERNELS[kernel], "-t", target, "--wrong-pass", name, *EMULATOR)
    assert found is None
    names = re.search(r"^One of these gives other values: (.*)$", out, re.M)[1].split(", ")
    assert name in names and len(names) <= 7 and "instcombine" not in names


needs_gpu = pytest.mark.skipif(not features.has_gpu(), reason=features.WHY_NOT["gpu"])


def own_target():
    """The target of this machine's GPU."""
    cuda, device, parts = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(0), [ctypes.c_int(0), ctypes.c_int(0)]
    assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
    for part, attribute in zip(parts, (75, 76)):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
        assert cuda.cuDeviceGetAttribute(ctypes.byref(part), attribute, device) == 0
    return f"cuda:{parts[0].value}{parts[1].value}"


@needs_gpu
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_program_runs_on_the_gpu(kernel):
    text = shown(*KERNELS[kernel], "-t", own_target(), "--bisect")
    assert "no pass changes a value" in text and "not run" not in text, text
    assert re.search(r"make_ptx +ptx +the same, on (?!the CPU)", text) and re.search(r"instcombine +llir +the same, on (?!the CPU)", text), text


@needs_gpu
@pytest.mark.parametrize("kernel, name", [("add", "tt-canonicalizer"), ("add", "ttg-coalesce"), ("matmul", "ttg-pipeline"), ("add", "instcombine"), ("softmax", "early-cse")])
def test_a_wrong_pass_is_found_on_the_gpu(kernel, name):
    assert blamed(*KERNELS[kernel], "-t", own_target(), "--wrong-pass", name)[0][0] == name


@needs_gpu
def test_the_gpu_checks_the_cpu():
    found, out = blamed(*KERNELS["add"], "-t", "cpu", "--wrong-pass", "cpu-convert-ttir-to-llir")
    assert found is None and "One of these gives other values: cpu-convert-ttir-to-llir" in out
