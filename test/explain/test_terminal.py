"""What `tessera explain` prints: the table, diffs, levels, lines, and the matrix of several kernels."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import ADD, MATMUL, ROOT, TESSERA, TOO_LARGE, explain, shown  # noqa: E402


def rows(text):
    """The rows of the table: name -> (mark, rest)."""
    return {m[2]: (m[1], m[3]) for m in re.finditer(r"^  ([*.x]) (\S+)(.*)$", text, re.M)}


def test_the_table_shows_every_pass_also_those_that_change_nothing():
    table = rows(shown(*ADD))
    assert table["tt-combine"][0] == "." and table["tt-reorder-broadcast"][0] == "."
    assert table["ttg-coalesce"][0] == "*" and "layouts 1 -> 2" in table["ttg-coalesce"][1]
    assert re.search(r"\d+ -> \d+", table["ttg-coalesce"][1])


def test_the_table_has_remarks_and_totals():
    text = shown(*ADD)
    assert re.search(r"^      20: each thread gets 4 neighbouring elements", text, re.M)
    assert re.search(r"^\d+ passes, of which \d+ changed something; [\d.]+ m?s in all", text, re.M)
    assert all(len(line) <= 80 for line in text.split("\n")), max(text.split("\n"), key=len)


def test_a_pass_by_a_part_of_its_name():
    text = shown(*ADD, "--pass", "coalesce")
    assert text.startswith("ttg-coalesce  make_ttgir") and "choose layouts" in text
    assert re.search(r"^   20 : each thread gets 4 neighbouring", text, re.M)
    # The load takes the converted pointer: the words that change are in brackets.
    assert re.search(r"^ +~ +%x_6 = tt.load \[%x_3 -> %x_4\], .*\[#blocked -> #blocked1\]>", text, re.M)
    assert text.count("+     %") == 9 and "..." in text


def test_a_pass_that_changes_nothing_says_so():
    assert "changed nothing" in shown(*ADD, "--pass", "tt-combine")


def test_hoisting_is_shown_as_a_move():
    text = shown("examples/softmax.py", "-n", "softmax_kernel", "--pass", "tt-loop-invariant-code-motion")
    moved = re.findall(r"^ *\d* ([<>]) +(%\S+ = .*)$", text, re.M)
    assert len(moved) == 4 and {line for _, line in moved if _ == "<"} == {line for _, line in moved if _ == ">"}


def test_diff_of_all_passes_and_of_one_level():
    text = shown(*ADD, "--diff")
    assert "tt-canonicalizer" in text and "ttg-coalesce" in text and "tt-combine" not in text
    only = shown(*ADD, "--diff", "--at", "ttgir")
    assert "ttg-coalesce" in only and "tt-canonicalizer  make_ttir" not in only


def test_context_and_whole():
    short = shown(*ADD, "--pass", "ttg-coalesce", "--context", 0)
    normal = shown(*ADD, "--pass", "ttg-coalesce")
    whole = shown(*ADD, "--pass", "ttg-coalesce", "--whole")
    assert len(short) < len(normal) < len(whole) and "..." not in whole.split("\n", 12)[-1]


def test_at_a_level():
    assert "tt.load" in shown(*ADD, "--at", "source") and "#blocked" in shown(*ADD, "--at", "ttgir")
    assert "define ptx_kernel" in shown(*ADD, "--at", "llir") and "ld.global" in shown(*ADD, "--at", "ptx")
    assert "vaddps" in shown(*ADD, "--at", "asm", "-t", "cpu", "--mcpu", "haswell")


def test_a_line_through_all_levels():
    text = shown(*ADD, "--line", 22)
    assert text.startswith("examples/add.py:22  output = x + y")
    assert "arith.addf" in text and "fadd" in text and "add.f32" in text and "tt.load" not in text


def test_a_line_of_one_level_and_of_one_pass():
    text = shown(*ADD, "--at", "ttgir", "--line", 20)
    assert "tt.load" in text and "tt.store" not in text
    text = shown(*ADD, "--pass", "coalesce", "--line", 23, "--context", 0)
    assert "tt.store" in text and "tt.load" not in text


def test_several_kernels_give_a_matrix():
    text = shown("examples/softmax.py", "examples/histogram.py")
    assert re.search(r"^   1  softmax_kernel +examples/softmax.py", text, re.M) and "4  block_histogram_kernel" in text
    row = re.search(r"^  tt-loop-invariant-code-motion(.*)$", text, re.M)[1].split()
    assert row == ["*", "*", ".", "."]


def test_kernels_and_signatures_in_pairs():
    text = shown("examples/softmax.py", "-n", "softmax_kernel", "-s", "*fp32,*fp32,i32,i32,i32,i32,1024",
                 "-n", "online_softmax_kernel", "-s", "*fp32,*fp32,i32,i32,i32,256")
    assert "   2  online_softmax_kernel" in text


def test_a_failing_pass_and_the_last_good_ir():
    out, err = explain(*TOO_LARGE, status=3)
    assert re.search(r"^  x ttg-allocate-shared-memory .*failed$", out, re.M)
    assert "the last good IR, before ttg-allocate-shared-memory" in out and "ttg.local_alloc" in out
    assert "shared memory" in err
    last, _ = explain(*TOO_LARGE, "--at", "last", status=3)
    assert "cf.cond_br" in last


def test_a_kernel_that_does_not_compile_prints_its_error_alone():
    out, err = explain("examples/add.py", "-s", "*fp32", status=1)
    assert out == "" and "the signature has 1 entry" in err


@pytest.mark.parametrize("arguments, message", [
    (["--pass", "nothing"], "--pass: no pass 'nothing' ran"),
    (["--at", "nowhere"], "--at: there is no IR of the level 'nowhere'; there is source, ttir, ttgir"),
    (["--line", "0"], "--line: a whole number from 1"), (["--line", "x"], "--line: a whole number"),
    (["--context", "-1"], "--context: a whole number"), (["--dump-dir", "x"], "unknown option"),
    (["--sanitize"], "it is for tessera run"), (["-n", "a", "-n", "b", "-n", "c", "-s", "i32"], "explain got 2 of --signature for 3 kernels"),
])
def test_wrong_usage(arguments, message):
    _, err = explain(*ADD, *arguments, status=2)
    assert message in err


def test_no_file():
    assert "explain needs a FILE" in explain(status=2)[1]
    assert "there is no such file" in explain("nowhere.py", status=2)[1]


def on_a_terminal(arguments, columns):
    """What is printed to a terminal of that width."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen([TESSERA, "explain", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=side, stderr=side,
                               env={**os.environ, "TERM": "xterm", "NO_COLOR": ""})
    os.close(side)
    text = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    assert process.wait(timeout=300) == 0
    os.close(main)
    return text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [60, 80, 132])
@pytest.mark.parametrize("view", [[], ["--pass", "coalesce"], ["--at", "ttgir"], ["--line", "20"]])
def test_a_terminal_gets_colours_and_lines_that_fit(columns, view):
    text = on_a_terminal([*ADD, *view], columns)
    plain = re.sub(r"\x1b\[\d+m", "", text)
    assert "\x1b[" in text and "\x1b" not in plain
    assert max(map(len, plain.split("\n"))) <= columns


@pytest.mark.parametrize("name, words", [
    ("a", ["#shared", "64:b0 is the element at offset 64, in bank 0", "no bank conflicts"]), ("%acc", ["#mma", "registers 0 to 1", "t4:0-1"]),
    ("#mma", ["#mma", "(--whole)"]), ("mma", ["#mma"])])
def test_a_layout_is_drawn(name, words):
    text = shown(*MATMUL, "-t", "cuda:80", "--layout", name)
    assert all(word in text for word in words), text
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("  %")), max(text.splitlines(), key=len)


def test_a_vector_is_folded():
    """Element 5 of four neighbouring ones per thread is register 1 of thread 1."""
    text = shown(*ADD, "--layout", "x")
    assert re.search(r"^ +0  t0:0-3 +t1:0-3 ", text, re.M) and re.search(r"^ +16  t4:0-3 ", text, re.M)


def test_names_that_have_no_layout():
    assert "there is no value or layout 'nothing' in TTGIR; there is #" in explain(*ADD, "--layout", "nothing", status=2)[1]
    assert "has no layouts" in explain(*ADD, "-t", "cpu", "--layout", "x", status=2)[1]


def test_a_line_without_ops():
    assert "comes from line 1; ops come from" in explain(*ADD, "--line", 1, status=2)[1]
    assert "no op of add_kernel comes from line 9999; ops come from the lines 13, " in explain(*ADD, "--line", "9999", status=2)[1]
