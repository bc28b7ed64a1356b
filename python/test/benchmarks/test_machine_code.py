"""The machine code of bench/gpu's products and attention: wgmma as planned, what runs beside it, nothing in local memory."""
import ctypes
import functools
import math
import os
import re
import sys

import features
import pytest
import sass
from places import ROOT

FOLDER = os.path.join(ROOT, "bench", "gpu")
sys.path.insert(0, FOLDER)
import cases  # noqa: E402
from compilers import Tessera  # noqa: E402

missing = [features.WHY_NOT[tool] for tool in ("ptxas", "nvdisasm") if getattr(features, tool)() is None]
needs_tools = pytest.mark.skipif(bool(missing), reason="; ".join(missing))

# ---- the reader -----------------------------------------------------------------------------------

LOOP = """
.L_x_1:
        /*1400*/                   WARPGROUP.ARRIVE ;
        /*1410*/                   HGMMA.64x128x16.F32 R24, gdesc[UR16], RZ, !UPT ;
        /*1420*/                   MUFU.EX2 R16, R16 ;
        /*1590*/                   HGMMA.64x128x16.F32 R24, gdesc[UR20], R24, gsb0 ;
        /*15b0*/                   WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
        /*2010*/                   MUFU.EX2 R16, R16 ;
        /*32f0*/                   HGMMA.64x128x16.F32 R88, R180, gdesc[UR16].tnspB, R88, gsb0 ;
        /*33e0*/              @!P0 BRA `(.L_x_1) ;
        /*33f0*/                   STL [R1], R2 ;
.L_x_3:
        /*82c0*/                   BRA `(.L_x_3);
"""


def test_reader_follows_groups_around_the_loop():
    code = sass.parse(LOOP)
    loop, = code.innermost_loops()
    assert code.count("HGMMA") == 3 and code.count("STL") == 1 and loop.count("STL") == 0
    assert loop.in_flight("MUFU.EX2") == (1, 2) and loop.left_in_flight() == 1


# ---- what is compiled -----------------------------------------------------------------------------

@functools.cache
def compiler():
    return Tessera(os.path.join(ROOT, os.environ.get("BUILD", "build")), os.path.join(FOLDER, "kernels.py"), "cuda:90",
                   {"ptxas": features.ptxas(), "libdevice": features.libdevice()})


@functools.cache
def compiled(name, config):
    """(TTGIR, machine code) of a case of bench/gpu with a configuration, as its table names them."""
    case = next(case for group in cases.groups() for case in group.cases if case.name == name)
    chosen = next(c for c in case.configs if str(c) == config)
    tessera, size = compiler(), ctypes.c_size_t()
    handle = tessera.compile_to(case.kernel, case.arguments, chosen, "cubin,ttgir")
    cubin = ctypes.string_at(tessera.kernel_artifact(handle, b"cubin", ctypes.byref(size)), size.value)
    ttgir = tessera.text(handle, "ttgir")
    tessera.kernel_free(handle)
    return ttgir, sass.disassemble(cubin)


def planned_products(ttgir):
    """wgmma instructions of one warp group: each warp_group_dot's tile, by the instruction's shape and the groups of warps."""
    layouts = {name: [list(map(int, re.search(rf"{key} = \[([\d, ]+)\]", text).group(1).split(","))) for key in ("warpsPerCTA", "instrShape")]
               for name, text in re.findall(r"^(#mma\d*) = (#ttg\.nvidia_mma<.*>)$", ttgir, re.M)}
    total = 0
    for line in ttgir.split("\n"):
        found = re.search(r"ttng\.warp_group_dot .* : (.*) \* (.*) -> tensor<(\d+)x(\d+)x\w+, (#mma\d*)>", line)
        if not found:
            continue
        inner = int(re.search(r"<\d+x(\d+)x", found.group(1)).group(1))
        rows, columns = int(found.group(3)), int(found.group(4))
        (warps_m, warps_n), (_, n, k) = layouts[found.group(5)]
        total += math.ceil(rows / (16 * warps_m)) * math.ceil(columns / (n * warps_n)) * (inner // k)
    return total


MATMULS = [(f"matmul {kind} 4096", config.format(inner)) for kind, inner in (("fp16", 64), ("bf16", 64), ("fp8", 128))
           for config in ("128×256×{}, 8 warps, 3 stages", "128×128×{}, 4 warps, 4 stages")]
FORWARD = [(f"attention{causal}{D} 4096", config) for causal in ("", " causal") for D, config in
           (("", "128×128, 8 warps, 3 stages"), (" D64", "128×64, 4 warps, 3 stages"), (" D256", "128×64, 8 warps, 2 stages"))]
BACKWARD = [(f"attention backward{causal}{D} 4096", "128×64, 8 warps, 3 stages") for causal in ("", " causal") for D in ("", " D64")]


def anchors(*lists):
    return pytest.mark.parametrize("name, config", [pytest.param(*anchor, id=f"{anchor[0]}, {anchor[1]}") for anchors in lists for anchor in anchors])


# ---- the checks -----------------------------------------------------------------------------------

@needs_tools
@anchors(MATMULS, FORWARD, BACKWARD)
def test_products_are_as_planned(name, config):
    ttgir, code = compiled(name, config)
    planned = planned_products(ttgir)
    assert planned > 0 and code.count(*sass.PRODUCTS) == planned
    assert code.count("HMMA", "IMMA", "QMMA") == 0


@needs_tools
@anchors(MATMULS, FORWARD, BACKWARD)
def test_nothing_is_in_local_memory(name, config):
    assert compiled(name, config)[1].count("LDL", "STL") == 0


@needs_tools
@anchors(MATMULS, FORWARD, BACKWARD)
def test_products_are_not_serialised(name, config):
    """ptxas that serialises waits after every instruction; we wait at most twice for a dot."""
    ttgir, code = compiled(name, config)
    assert code.count("WARPGROUP.DEPBAR") <= 2 * ttgir.count("ttng.warp_group_dot ")


@needs_tools
@anchors(MATMULS, FORWARD)
def test_a_product_crosses_the_back_edge(name, config):
    """The last product of an iteration runs while the next one's copies are awaited."""
    loops = [loop for loop in compiled(name, config)[1].innermost_loops() if loop.count(*sass.PRODUCTS)]
    assert loops and all(loop.left_in_flight() == 1 for loop in loops)


def exponentials(name, config):
    """[(during a product, all)] of each loop with products."""
    loops = [loop for loop in compiled(name, config)[1].innermost_loops() if loop.count(*sass.PRODUCTS)]
    assert loops
    return [loop.in_flight("MUFU.EX2") for loop in loops]


@needs_tools
@anchors(BACKWARD)
def test_exponentials_overlap_in_backwards_query_loop(name, config):
    """The last loop: ds waits for q·k and do·v, which are issued together, and exp2 needs the first alone."""
    during, total = exponentials(name, config)[-1]
    assert total > 0 and during == total


@needs_tools
@pytest.mark.xfail(strict=True, reason="exp2 does not overlap a product: attention's loop is not rotated by an iteration")
@anchors(FORWARD)
def test_exponentials_overlap_in_forward(name, config):
    assert all(during > total / 2 for during, total in exponentials(name, config))


@needs_tools
@pytest.mark.xfail(strict=True, reason="exp2 does not overlap a product: v·do is issued after it")
@anchors(BACKWARD)
def test_exponentials_overlap_in_backwards_key_loop(name, config):
    assert all(during > total / 2 for during, total in exponentials(name, config)[:-1])
