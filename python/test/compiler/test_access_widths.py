"""bench/wild/access_widths.py: what it reads in PTX, and what it calls narrower."""
import os
import sys

from conftest import ROOT

sys.path.insert(0, os.path.join(ROOT, "bench", "wild"))
import access_widths  # noqa: E402
from access_widths import Access  # noqa: E402

PTX = """
.visible .entry k()
{
    .loc 1 3 0
    ld.param.b64 %rd1, [k_param_0];
    .loc 1 5 9
    @%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
    ld.global.L1::evict_last.b16 %rs1, [%rd2];
    .loc 1 0 9
    @!%p2 ld.global.nc.v2.b64 { %rd5, %rd6 }, [ %rd3 + 0 ];
    ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r9];
    .loc 2 7 1
    cp.async.cg.shared.global [ %r1 + 0 ], [ %rd4 + 0 ], 0x10, 0x8;
    @%p3 cp.async.ca.shared.global [%r2], [%rd5], 4;
    .loc 1 8 1
    @%p1 st.global.v2.f16 [%rd1], {%rs1, %rs2};
    st.global.b8 [%rd1], %rs1;
    atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;
    red.global.gpu.relaxed.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};
    .file 1 "/somewhere" "kernel.py"
    .file 2 "/somewhere/inner.py"
}
"""


def test_every_access_to_global_memory():
    assert access_widths.read(PTX) == [
        Access("load", 16, "kernel.py", 5, "ld"), Access("load", 2, "kernel.py", 5, "ld"), Access("load", 16, "kernel.py", 5, "ld"),
        Access("load", 16, "inner.py", 7, "cp.async"), Access("load", 4, "inner.py", 7, "cp.async"),
        Access("store", 4, "kernel.py", 8, "st"), Access("store", 1, "kernel.py", 8, "st"),
        Access("atomic", 4, "kernel.py", 8, "atom"), Access("atomic", 16, "kernel.py", 8, "red")]


def load(width, line, count=1, kind="load"):
    return [Access(kind, width, "k.py", line, "ld")] * count


def test_fewer_bytes_an_instruction_are_narrower():
    rows = access_widths.compare(load(4, 1, 8) + load(16, 2), load(16, 1, 2) + load(16, 2))
    assert [(kind, line, access_widths.text(ours), access_widths.text(theirs)) for kind, _, line, ours, theirs in rows] == [
        ("load", 1, "8x4", "2x16")]
    assert not access_widths.wider(load(4, 1, 8), load(16, 1, 2))
    assert len(access_widths.wider(load(16, 1, 2), load(4, 1, 8))) == 1


def test_more_accesses_of_the_same_width_are_not():
    assert not access_widths.compare(load(16, 1, 3), load(16, 1, 2))


def test_a_small_tile_without_repetition_is_not():
    assert not access_widths.compare(load(2, 1), load(16, 1))
    copies = [Access("load", 16, "k.py", 1, "cp.async")] * 2
    assert len(access_widths.compare(load(8, 1, 2), copies)) == 1


def test_lines_of_one_side_alone_are_compared_together():
    assert not access_widths.compare(load(4, 1), load(4, 9))
    assert len(access_widths.compare(load(2, 1, 2), load(4, 9))) == 1
    assert not access_widths.compare(load(2, 1, 2), load(4, 9, kind="store"))


def test_report_of_the_assembler():
    report = """ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    936 bytes stack frame, 1624 bytes spill stores, 1632 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 936 bytes cumulative stack size, 4096 bytes smem"""
    assert access_widths.resources(report) == access_widths.Resources(255, 936, 1624, 1632, 4096)
