"""Packs: recorded programs that run in a place without compilers and caches, from one file."""
import os
import shutil

import pytest

from pack_programs import run, tessera

PROGRAM = """
import sys, warnings, numpy as np
import triton, triton.language as tl

@triton.jit
def helper(x, SCALE: tl.constexpr):
    return x * SCALE

@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = 3.0):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + o, helper(tl.load(x_ptr + o, mask=o < n), SCALE), mask=o < n)

@triton.autotune([triton.Config({"BLOCK": b}) for b in (16, 32, 64, 128)], key=["n"])
@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + o, tl.load(x_ptr + o, mask=o < n) * 2, mask=o < n)

compiled = []
triton.knobs.compilation.listener = lambda src, cache_hit, **_: cache_hit or compiled.append(src.name)
x, y = np.arange(256, dtype="float32"), np.zeros(256, "float32")

def launch(n):
    y[:] = 0
    scale[(4,)](x, y, n, BLOCK=64)
    assert np.array_equal(y[:n], 3 * x[:n]) and not y[n:].any()
    double[lambda meta: (triton.cdiv(256, meta["BLOCK"]),)](x, y, n)
    assert np.array_equal(y[:n], 2 * x[:n])
"""
MAIN = """
for n in map(int, sys.argv[1].split(",")):
    launch(n)
print("compiled", len(compiled), "measured", len(getattr(double, "configs_timings", {})))
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The program, what it launched, and a pack of that, made once."""
    place = tmp_path_factory.mktemp("packs")
    (place / "serve.py").write_text(PROGRAM + MAIN)
    run(place, "256,250", TESSERA_RECORD=place / "recorded")
    said = tessera("pack", place / "recorded" / "kernels.toml", "--targets", "cpu", "-o", place / "model.tpack", "--cache-dir", place / "build")
    assert "2 choices of autotune" in said, said
    return place


@pytest.fixture
def place(recorded, tmp_path):
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def pack(place):
    return place / "model.tpack"


def test_a_program_runs_from_a_pack_without_compiling_or_tuning(place, pack):
    shutil.rmtree(place / "cache")
    done = run(place, "256,250,1,16", TESSERA_PACK=pack, TESSERA_ON_COMPILE="error", cache="none", TESSERA_AUTOTUNE_CHOICE="stored")
    assert done.stdout == "compiled 0 measured 0\n" and done.stderr == ""
    assert not (place / "none").exists()
    # What autotune chose needs no search, either, in the mode that would search.
    assert run(place, "256,250", TESSERA_PACK=pack, TESSERA_ON_COMPILE="error", cache="none").stdout == "compiled 0 measured 0\n"


def test_the_program_may_lie_elsewhere(place, pack):
    other = place / "other"
    other.mkdir()
    (other / "moved.py").write_text("# a line more\n" + PROGRAM + MAIN)
    done = run(place, program="other/moved.py", TESSERA_PACK=pack, TESSERA_ON_COMPILE="error", cache="none")
    assert done.stdout == "compiled 0 measured 0\n"


def test_what_is_missing_is_named_with_the_row_to_add(place, pack):
    edited = (PROGRAM + MAIN).replace("BLOCK=64", "BLOCK=32, num_warps=8")
    (place / "edited.py").write_text(edited)
    said = run(place, program="edited.py", status=1, TESSERA_PACK=pack, TESSERA_ON_COMPILE="error", cache="none").stderr
    assert "'scale' for cpu is not compiled, as TESSERA_ON_COMPILE=error forbids it" in said
    assert "it has the kernel with other options" in said
    row = "{ signature = \"*fp32:16,*fp32:16,i32:16,32,3.0\", options = { num-warps = 8 }, targets = [\"cpu\"] },"
    assert row in said, said
    # The row does what it says.
    manifest = place / "recorded" / "kernels.toml"
    text = manifest.read_text()
    place_of = text.index("variants = [\n", text.index('name = "scale"')) + len("variants = [\n")
    manifest.write_text(text[:place_of] + "  " + row + "\n" + text[place_of:])
    tessera("pack", manifest, "--targets", "cpu", "-o", pack, "--cache-dir", place / "build")
    run(place, program="edited.py", TESSERA_PACK=pack, TESSERA_ON_COMPILE="warn", cache="none", status=1)  # the grid is too small now


def test_changed_sources_are_told(place, pack):
    (place / "edited.py").write_text((PROGRAM + MAIN).replace("return x * SCALE", "return SCALE * x"))
    said = run(place, program="edited.py", TESSERA_PACK=pack, TESSERA_ON_COMPILE="warn", cache="none").stderr
    assert "edited.py:" in said.partition(": UserWarning: 'scale' for cpu was compiled")[0] and "it has the kernel with another source" in said
    run(place, "256", program="edited.py", TESSERA_RECORD=place / "again", cache="none")
    said = tessera("pack", "explain-miss", pack, place / "again" / "kernels.toml", status=1)
    assert "it has the kernel with another source" in said and "scale  cpu  *fp32:16,*fp32:16,i32:16,64,3.0" in said
    assert "double" not in said
    assert "0 of" in tessera("pack", "explain-miss", pack, place / "recorded" / "kernels.toml", "--targets", "cpu")


def test_load_pack_in_a_program(place, pack):
    (place / "loads.py").write_text("import tessera\ntessera.load_pack('model.tpack')\n" + PROGRAM + MAIN)
    assert run(place, program="loads.py", TESSERA_ON_COMPILE="error", cache="none").stdout == "compiled 0 measured 0\n"
    (place / "model.tpack").write_bytes(b"TPACK")
    said = run(place, program="loads.py", status=1).stderr
    assert "ValueError: the pack" in said and "it is too short for a pack" in said


def test_signatures_are_verified_before_anything_is_loaded(place, pack):
    tessera("pack", "keygen", place / "key")
    assert (place / "key").stat().st_mode & 0o077 == 0
    tessera("pack", "keygen", place / "other")
    manifest = place / "recorded" / "kernels.toml"
    said = run(place, status=1, TESSERA_PACK=pack, TESSERA_PACK_KEY=place / "key.pub").stderr
    assert "it is not signed, and a signature is asked for" in said
    tessera("pack", manifest, "--targets", "cpu", "-o", pack, "--sign", place / "key", "--cache-dir", place / "build")
    run(place, TESSERA_PACK=pack, TESSERA_PACK_KEY=place / "key.pub", TESSERA_ON_COMPILE="error", cache="none")
    said = run(place, status=1, TESSERA_PACK=pack, TESSERA_PACK_KEY=place / "other.pub").stderr
    assert "it was signed with another key" in said
    assert "signed by" in tessera("pack", "verify", pack, "--key", place / "key.pub")
    tessera("pack", "verify", pack, "--key", place / "other.pub", status=1)


def test_a_damaged_kernel_is_compiled_with_a_warning(place, pack):
    data = bytearray(pack.read_bytes())
    start = int.from_bytes(data[40:48], "little")
    data[start + 64:] = bytes(byte ^ 1 for byte in data[start + 64:])
    pack.write_bytes(data)
    done = run(place, TESSERA_PACK=pack, cache="none")
    assert "UserWarning: the pack" in done.stderr and "is damaged" in done.stderr and "compiled 2" in done.stdout
    assert "is damaged" in tessera("pack", "verify", pack, status=1)


def test_ls_diff_merge(place, pack):
    manifest = place / "recorded" / "kernels.toml"
    text = tessera("pack", "ls", pack)
    assert "scale  cpu  *fp32:16,*fp32:16,i32:16,64,3.0  obj" in text and "double  choices" in text and "not signed" in text
    assert tessera("pack", "diff", pack, pack) == "no difference\n"
    text = manifest.read_text()
    half = text[:text.index("[[kernel]]")] + text[text.index("[[kernel]]", text.index("[[kernel]]") + 1):]
    (place / "recorded" / "half.toml").write_text(half)
    tessera("pack", place / "recorded" / "half.toml", "--targets", "cpu", "--cache-dir", place / "build")
    said = tessera("pack", "diff", pack, place / "recorded" / "half.tpack", status=1)
    assert all(line.startswith("- double") for line in said.splitlines()) and said
    tessera("pack", "merge", "-o", place / "both.tpack", place / "recorded" / "half.tpack", pack)
    assert tessera("pack", "diff", pack, place / "both.tpack") == "no difference\n"
    import json
    listed = json.loads(tessera("pack", "ls", "--json", pack))
    assert {entry["kind"] for entry in listed["entries"]} == {"kernel", "choices"}


def test_a_second_build_compiles_nothing_and_gives_the_same_file(place, pack):
    before = pack.read_bytes()
    arguments = ("pack", place / "recorded" / "kernels.toml", "--targets", "cpu", "-o", pack)
    assert ", 0 compiled" in tessera(*arguments, "--no-cache")  # from the pack itself
    assert pack.read_bytes() == before
    pack.unlink()
    assert ", 0 compiled" in tessera(*arguments, "--cache-dir", place / "build")  # an interrupted build goes on from the cache
    assert pack.read_bytes() == before


def test_targets_without_a_gpu(place, pack):
    said = tessera("pack", place / "recorded" / "kernels.toml", "--targets", "cuda:90,cuda:80", "-o", place / "gpu.tpack",
                   "--cache-dir", place / "build", "-q")
    assert said == ""
    listed = tessera("pack", "ls", place / "gpu.tpack")
    assert "scale  cuda:80  *fp32:16,*fp32:16,i32:16,64,3.0" in listed and "scale  cuda:90  " in listed and "ptx" in listed


def test_wrong_packs_and_manifests(place, pack):
    assert "it is not a pack" in tessera("pack", "ls", place / "serve.py", status=1)
    assert "pack needs a MANIFEST" in tessera("pack", status=2)
    assert "'lss' is none of ls, diff" in tessera("pack", "lss", "m.tpack", status=2)
    assert "'lss' is neither a manifest nor one of ls, diff" in tessera("pack", "lss", status=2)
    assert "holds no secret key" in tessera("pack", place / "recorded" / "kernels.toml", "--sign", place / "serve.py", status=2)
    (place / "recorded" / "wrong.toml").write_text(
        '[[kernel]]\nname = "k"\nprogram = "programs/none.program"\nvariants = [{ signature = "i32", targets = ["cpu"] }]\n')
    assert "there is no file" in tessera("pack", place / "recorded" / "wrong.toml", status=1)
    assert "on-compile is error, warn or allow, not 'never'" in run(place, status=1, TESSERA_ON_COMPILE="never").stderr


def test_the_same_manifest_makes_a_c_library(place):
    manifest = place / "recorded" / "kernels.toml"
    said = tessera("build", manifest, "--target", "cpu", "-o", place / "out", status=1)
    assert "'double' cannot be a function's name in C" in said and "choose another with 'function'" in said
    manifest.write_text(manifest.read_text().replace('name = "double"', 'name = "double"\nfunction = "twice"'))
    said = tessera("build", manifest, "--target", "cpu", "--name", "mine", "--no-archive", "-o", place / "out",
                   "--cache-dir", place / "build")
    assert "2 kernels" in said and "int32_t scale(" in (place / "out" / "mine.h").read_text()


# ---- GPUs ----------------------------------------------------------------------------------------

ON_GPU = """
import ctypes, sys
import tessera as triton, tessera.language as tl

@triton.jit
def fill(x_ptr, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x_ptr + o, 1.0, mask=o < n)

class Memory:
    dtype = "float32"
    def data_ptr(self):
        return 4096

compiled = []
triton.knobs.compilation.listener = lambda src, cache_hit, **_: cache_hit or compiled.append(src.name)
handle = fill[(3,)](Memory(), 16, BLOCK=64)
notes = ctypes.CDLL("libcuda.so.1")
notes.fakeNotes.restype = ctypes.c_char_p
loads = [line for line in notes.fakeNotes().decode().splitlines() if line.startswith(("load", "launch"))]
print(len(compiled), *loads, sep=", ")
"""
FAKE_PTXAS = """#!/usr/bin/env python3
import sys
if "--version" in sys.argv:
    print("Cuda compilation tools, release 12.8, V12.8.61")
    sys.exit()
out = next(b for a, b in zip(sys.argv, sys.argv[1:]) if a in ("-o", "--output-file"))
open(out, "wb").write(b"\\x7fELF machine code")
"""


def test_code_for_earlier_chips_serves_later_ones(tmp_path, fake_gpu):
    (tmp_path / "serve.py").write_text(ON_GPU)
    (tmp_path / "ptxas").write_text(FAKE_PTXAS)
    (tmp_path / "ptxas").chmod(0o755)
    run(tmp_path, TESSERA_RECORD=tmp_path / "recorded", **fake_gpu)
    manifest, pack = tmp_path / "recorded" / "kernels.toml", tmp_path / "model.tpack"
    for targets in ("cuda:80", "cuda:90"):
        tessera("pack", manifest, "--targets", targets, "-o", tmp_path / f"{targets[5:]}.tpack", "--ptxas", tmp_path / "ptxas", "--no-cache")
    tessera("pack", "merge", "-o", pack, tmp_path / "80.tpack", tmp_path / "90.tpack")

    def launch(chip, pack="80.tpack", **variables):
        done = run(tmp_path, TESSERA_PACK=tmp_path / pack, TESSERA_ON_COMPILE="error", FAKE_CUDA_CHIP=chip, cache="none", **fake_gpu, **variables)
        assert done.stderr == ""
        return done.stdout.strip().split(", launch")[0]
    assert launch(86) == "0, load cubin" and launch(90) == "0, load ptx" and launch(90, "model.tpack") == "0, load cubin"
    assert launch(120, "model.tpack") == "0, load ptx"  # a chip that this version does not know
    refused = {"TESSERA_PACK": tmp_path / "90.tpack", "TESSERA_ON_COMPILE": "error", "cache": "none", "status": 1, **fake_gpu}
    assert "it has the kernel for other targets: cuda:90" in run(tmp_path, FAKE_CUDA_CHIP=89, **refused).stderr
    assert "cuda:120" in run(tmp_path, FAKE_CUDA_CHIP=120, **refused).stderr  # sm_90a: for this chip alone
    # The commands say what is taken.
    assert "it runs the cubin for cuda:80" in tessera("pack", "explain-miss", tmp_path / "80.tpack", manifest, "--targets", "cuda:86")
    said = tessera("pack", "explain-miss", pack, manifest, "--targets", "cuda:89,cuda:90")
    assert "fill  cuda:89  " in said and "fill  cuda:90  " not in said and "0 of" in said
    assert "0 of 1" not in tessera("pack", "explain-miss", tmp_path / "90.tpack", manifest, "--targets", "cuda:89", status=1)
    assert "as cubin" in tessera("pack", "ls", pack, "--targets", "cuda:89") and "cuda:80" in tessera("pack", "ls", pack, "--targets", "cuda:120")
    tessera("pack", "ls", tmp_path / "90.tpack", "--targets", "cuda:120", status=1)


ON_ROCM = """
import sys, types
sys.modules["torch"] = torch = types.ModuleType("torch")
sys.modules["torch.version"] = torch.version = types.SimpleNamespace(hip="7.0")
torch.cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0)
import triton, triton.language as tl

@triton.jit
def fill(out, n, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), n)

class Tensor:
    is_cuda, dtype, shape = True, "torch.int32", (64,)
    def data_ptr(self):
        return 4096
    def untyped_storage(self):
        return types.SimpleNamespace(size=lambda: int(sys.argv[1]))

print(fill[(1,)](Tensor(), 7, 64).asm["ttgir"].count("amdg.buffer_store"))
"""


def test_small_tensors_of_amd(tmp_path, fake_gpu):
    """Code for tensors of any size serves small ones; code for small tensors does not serve large ones."""
    (tmp_path / "serve.py").write_text(ON_ROCM)
    os.rename(tmp_path / "fake" / "libcuda.so.1", tmp_path / "fake" / "libamdhip64.so.7")
    for numbers, stores in (("256", "1"), (str(2**31), "0")):
        recorded, pack = tmp_path / numbers, tmp_path / f"{numbers}.tpack"
        assert run(tmp_path, numbers, TESSERA_RECORD=recorded, **fake_gpu).stdout.strip() == stores
        assert ("*i32:16S" in (recorded / "kernels.toml").read_text()) == (stores == "1")
        tessera("pack", recorded / "kernels.toml", "--targets", "hip:gfx942", "-o", pack, "--no-cache")
    served = {"TESSERA_ON_COMPILE": "error", "cache": "none", **fake_gpu}
    program = (tmp_path / "serve.py").read_text().replace('.asm["ttgir"].count("amdg.buffer_store")', ".hash is not None")
    (tmp_path / "serve.py").write_text(program)
    for pack, numbers, status in [("256", "256", 0), (str(2**31), "256", 0), (str(2**31), str(2**31), 0), ("256", str(2**31), 1)]:
        done = run(tmp_path, numbers, TESSERA_PACK=tmp_path / f"{pack}.tpack", status=status, **served)
        assert status == 0 or "'fill' for hip:gfx942 is not compiled" in done.stderr
