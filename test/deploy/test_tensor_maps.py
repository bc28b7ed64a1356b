"""Kernels with tensor maps in generated C and in libraries: calls build the maps, and take the other binary where there are none."""
import json
import os
import textwrap

import pytest

import features

needs_ptxas = pytest.mark.skipif(features.ptxas() is None, reason=features.WHY_NOT["ptxas"])
KERNEL = textwrap.dedent("""\
    import triton
    import triton.language as tl

    @triton.jit
    def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        rm = tl.program_id(0) * BM + tl.arange(0, BM)
        rn = tl.program_id(1) * BN + tl.arange(0, BN)
        sum = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            rk = k + tl.arange(0, BK)
            x = tl.load(a + rm[:, None] * sa + rk[None, :], (rm[:, None] < M) & (rk[None, :] < K), 0.0)
            y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K) & (rn[None, :] < N), 0.0)
            sum = tl.dot(x, y, sum)
        tl.store(c + rm[:, None] * sc + rn[None, :], sum, (rm[:, None] < M) & (rn[None, :] < N))
    """)
SIGNATURE = "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,128,128,64"
GRID = "cdiv(M, BM), cdiv(N, BN)"

# Twice the same, a base that the driver refuses, and K = 0, for which there is no map.
CALLS = [(0x10000, 100), (0x10000, 100), (0x100000, 100), (0x10000, 0), (0x10000, 100)]


def main_of(header, call):
    lines = "\n".join(f'  status |= (int){call.format(a=f"{a:#x}", k=k)};' for a, k in CALLS)
    return f'#include "{header}"\n#include <stdio.h>\nint main(void) {{\n  int status = 0;\n{lines}\n  return status;\n}}\n'


def check(text, record, plain):
    """The maps are built once for the same arguments; a launch without maps has the other binary's shared memory."""
    lines = [line for line in text.splitlines() if "attribute" not in line]
    one, two, three, four, five = (number for number, line in enumerate(lines) if "grid 8 4 1" in line)
    assert [line for line in lines if line.startswith("map")][:2] == [
        "map of type 6, rank 2, at 0x10000, 100 x 1024, stride 2048, box 64 x 128, 3 2 0",
        "map of type 6, rank 2, at 0x20000, 512 x 100, stride 1024, box 64 x 64, 3 2 0"], text
    assert (one, two) == (2, 3) and lines[three - 1].startswith("map of type 6, rank 2, at 0x100000") and four == three + 1
    shared = [lines[number].split(" bytes")[0].split()[-1] for number in (one, two, three, four, five)]
    assert shared == [str(each) for each in (record["shared"], record["shared"], plain["shared"], plain["shared"], record["shared"])]


@pytest.fixture
def sources(tessera, tmp_path):
    (tmp_path / "matmul.py").write_text(KERNEL)
    for name, mode in (("auto", "auto"), ("off", "off")):
        tessera("compile", "matmul.py", "-s", SIGNATURE, "-t", "cuda:90", "--tma", mode, "-e", "ptx,json", "-o", name)
    record, plain = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("auto", "off"))
    assert len(record["tensor_maps"]) == 2 and "tensor_maps" not in plain and record["shared"] != plain["shared"]
    return record, plain


@needs_ptxas
def test_generated_c(sources, tessera, program, driver, tmp_path):
    tessera("compile", "matmul.py", "-s", SIGNATURE, "-g", GRID, "-t", "cuda:90", "--tma", "auto", "-e", "c,json", "-on", "mm", "-o", "mm")
    function = json.loads((tmp_path / "mm.json").read_text())["function"]
    call = function + "(NULL, {a}, 0x20000, 0x30000, 1024, 512, {k}, 1024, 512, 512)"
    run = program(main_of("mm.h", call), "mm.c", os.path.join(driver, "libcuda.so.1"))
    check(run(LD_LIBRARY_PATH=driver, FAKE_CHIP="90"), *sources)


def test_library(sources, tessera, program, driver, tmp_path):
    (tmp_path / "kernels.toml").write_text(textwrap.dedent(f"""\
        name = "mine"
        targets = ["cuda:90"]
        [[kernel]]
        file = "matmul.py"
        name = "matmul"
        grid = "{GRID}"
        signature = "{SIGNATURE}"
        options = {{ tma = "auto" }}
        """))
    tessera("build", "kernels.toml", "-o", "out")
    index = json.loads((tmp_path / "out" / "mine.json").read_text())
    binaries = index["kernels"][0]["variants"][0]["binaries"]
    assert [("plain" in each["file"], each["record"]["options"]["tma"], "tensor_maps" in each["record"]) for each in binaries] == [
        (False, "auto", True), (True, "off", False)]
    call = "matmul(0, (void *){a}, (void *)0x20000, (void *)0x30000, 1024, 512, {k}, 1024, 512, 512)"
    run = program(main_of("out/mine.h", call), "out/libmine.a")
    check(run(LD_LIBRARY_PATH=driver, FAKE_CHIP="90"), *sources)
    assert "up to date" in tessera("build", "kernels.toml", "-o", "out")  # the binary without maps, too
