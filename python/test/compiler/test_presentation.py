"""How messages look: colours on a terminal, cells of notebooks, tables that fit, lines about long work."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import types

import pytest

from places import child_environment
from tessera.compiler import presentation
from tessera.runtime.specialize import Specializations

MESSAGE = """k.py:4:9: error: bad
    x = 1
        ^
k.py:2:1: note: here
note: and there"""

KERNEL = """
import numpy, sys, tessera
import tessera.language as tl

@tessera.jit
def fill(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, n, offsets < n)

out = numpy.zeros(16, "int32")
"""


def on_terminal(arguments, cwd, env=None, interrupt_after=None, interrupt_on=None):
    """Runs a command on a pseudo terminal: (what it wrote, its status). SIGINT goes to the process alone, as kill(1) sends it."""
    main, child = pty.openpty()
    process = subprocess.Popen(arguments, stdin=child, stdout=child, stderr=child, cwd=cwd, env=child_environment(env or {}))
    os.close(child)
    text, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([main], [], [], 0.05)[0]:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        if interrupt_on and re.search(interrupt_on, text):
            process.send_signal(signal.SIGINT)
            interrupt_on = None
    os.close(main)
    return text.decode().replace("\r\n", "\n"), process.wait(30)


def test_colours_are_those_of_the_command_line():
    assert presentation.colored(MESSAGE) == (
        "\x1b[1mk.py:4:9: \x1b[0m\x1b[1;31merror: \x1b[0m\x1b[1mbad\x1b[0m\n    x = 1\n        \x1b[1;31m^\x1b[0m\n"
        "\x1b[1mk.py:2:1: \x1b[0m\x1b[1;36mnote: \x1b[0m\x1b[1mhere\x1b[0m\n\x1b[1;36mnote: \x1b[0m\x1b[1mand there\x1b[0m")
    assert re.sub(r"\x1b\[[\d;]*m", "", presentation.colored(MESSAGE)) == MESSAGE


def test_uncaught_errors_are_coloured_on_a_terminal(tmp_path, numpy):
    (tmp_path / "k.py").write_text(KERNEL + "fill[(1,)](out, 3, BLOCK=3)")
    text, status = on_terminal([sys.executable, "k.py"], tmp_path)
    assert status == 1 and "\x1b[1;31merror: \x1b[0m\x1b[1marange's length must be" in text and text.count("Traceback") == 1
    text, status = on_terminal([sys.executable, "k.py"], tmp_path, {"NO_COLOR": "1"})
    assert status == 1 and "error: arange's length" in text and "\x1b[1;31merror" not in text


def test_a_hook_of_the_program_stays(snippet, numpy):
    text = "sys.excepthook = lambda *_: print('mine')\nfill[(1,)](out, 3, BLOCK=3)"
    assert snippet(KERNEL + text, status=1, env={"FORCE_COLOR": "1"}).stdout == "mine\n"


def test_cells_of_notebooks_are_named(monkeypatch):
    shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map={"/tmp/ipykernel_7/12.py": 3}))
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    text = "/tmp/ipykernel_7/12.py:4:30: error: bad\n    x\n/other.py:1:1: note: here"
    assert presentation.with_cells(text, ["/tmp/ipykernel_7/12.py", "/other.py"]) == (
        "Cell In[3], line 4: error: bad\n    x\n/other.py:1:1: note: here")


# ---- tables --------------------------------------------------------------------------------------------------------------------------

class Leaf:
    def __init__(self, name, is_constant):
        self.name, self.is_constant = name, is_constant


def record(index, launches=0, trials=0, **types_):
    return types.SimpleNamespace(
        types={"x_ptr": "*fp32:16", **types_}, options={"num_warps": 4}, device="cpu", launches=launches, trials=trials, seconds=0.0312,
        from_cache=index % 2 == 1, why="n is 17: not divisible by 16, unlike before, and more words" if index else "first call",
        _leaves=[Leaf("x_ptr", False), Leaf("BLOCK", True)], _request=types.SimpleNamespace(where="cpu"))


def test_a_table_of_variants():
    records = [record(0, 12, 30, n="i32:16", BLOCK="64"), record(1, 3, n="i32", BLOCK="64")]
    assert Specializations("add", records, records[:1]).table(width=70) == """\
add: 2 variants on cpu, 62 ms of compiling
in all: x_ptr: *fp32:16, BLOCK=64, num_warps=4
    n       launches  trials  time           why
*0  i32:16        12      30  31 ms          first call
 1  i32            3       0  31 ms (cache)  n is 17: not divisible…
* chosen by autotune"""


def test_a_long_table_is_cut():
    text = Specializations("add", [record(i, n=f"i{i}", BLOCK="64") for i in range(50)]).table(width=80)
    assert text.endswith("\n... and 10 more: .table(max_rows=None) shows all") and max(map(len, text.split("\n"))) <= 80
    assert len(Specializations("add", [record(i, n=f"i{i}", BLOCK="64") for i in range(50)]).table(max_rows=None).split("\n")) == 53


def test_reprs_for_notebooks(numpy):
    import tessera
    import tessera.language as tl

    @tessera.jit
    def add(x_ptr, BLOCK: tl.constexpr):
        tl.store(x_ptr + tl.arange(0, BLOCK), 1)

    assert add._repr_html_() == "<p><code>add(x_ptr, BLOCK: constexpr)</code></p>"
    add[(1, )](numpy.zeros(8, "int32"), BLOCK=8)
    assert "first call" in add._repr_html_() and "<table>" in add._repr_html_()
    tuned = tessera.autotune([tessera.Config({"BLOCK": 8}), tessera.Config({"BLOCK": 4})], key=[])(add)
    tuned[(1, )](numpy.zeros(8, "int32"))
    assert repr(tuned).endswith("test_reprs_for_notebooks.<locals>.add, 2 configurations)")
    assert tuned._repr_html_().count(" us<") == 2 and "BLOCK: 8, num_warps: 4" in tuned._repr_html_()


# ---- long work ----------------------------------------------------------------------------------------------------------------------

COMPILE = KERNEL + """
source = tessera.compiler.ASTSource(fn=fill, signature={"out_ptr": "*i32", "n": "i32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 16})
def compile():
    tessera.compile(source, target="cuda:90")
"""


@pytest.fixture
def slow_assembler(tmp_path):
    path = tmp_path / "ptxas"
    path.write_text("#!/bin/sh\nexec sleep 50\n")
    path.chmod(0o755)
    return {"TRITON_PTXAS_PATH": str(path), "TRITON_CACHE_DIR": str(tmp_path / "cache")}


@pytest.mark.parametrize("call", ["compile()", "fill.precompile('*i32, i32, 16', target='cuda:90', all_variants=False)"])
def test_an_interrupt_ends_the_assembler(tmp_path, slow_assembler, call):
    """On the main thread, which says after two seconds what it waits for; and on others."""
    (tmp_path / "k.py").write_text(COMPILE + f"print('begin', flush=True)\n{call}\n")
    begin = time.monotonic()
    is_main = call == "compile()"
    text, status = on_terminal([sys.executable, "k.py"], tmp_path, slow_assembler,
                               interrupt_on=rb"waiting for ptxas" if is_main else rb"begin")
    assert status == -signal.SIGINT and "KeyboardInterrupt" in text and time.monotonic() - begin < 15, (status, text)
    if is_main:
        assert re.search(r"tessera: waiting for ptxas, on fill \(\d+ bytes of PTX\); Ctrl-C ends it\n", text)


# ---- small things -------------------------------------------------------------------------------------------------------------------

def test_warnings_are_kept_with_cached_kernels(snippet, tmp_path, numpy):
    text = KERNEL.replace("offsets < n", "(offsets < n) and (offsets < 7)") + "fill[(1,)](out, 3, BLOCK=16)"
    env = {"TRITON_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (snippet(text, name="k.py", env=env).stderr for _ in range(2))
    assert "k.py:8: UserWarning: " in first and first == second


def test_a_configuration_that_fails_is_one_line(snippet, numpy):
    text = KERNEL + """
tuned = tessera.autotune([tessera.Config({"BLOCK": size}) for size in (16, 12)], key=["n"])(fill)
tuned[(1,)](out, 3)
tuned[(1,)](out, 3)
table = str(tuned.specializations())
print(table.split("\\n")[3].split()[:2], table.split("\\n")[-1])
"""
    done = snippet(text, name="k.py", env={"COLUMNS": "100"})
    warned = [line for line in done.stderr.split("\n") if "Warning" in line]
    assert len(warned) == 1 and re.search(
        r"k\.py:13: TuningWarning: autotune leaves 1 of 2 configurations of fill out: BLOCK: 12, num_warps: 4, num_stages: 3: k\.py:7:15: "
        r"error: arange's length must be a power of two, got 12; next_power_of_2\(12\) is 16", warned[0])
    assert done.stdout == "['*0', '2'] * chosen by autotune\n"


def test_dumps_name_the_kernel_and_come_once(snippet, tmp_path, numpy):
    text = KERNEL + "kernel = fill[(1,)](out, 3, BLOCK=16)\nkernel.asm['ttir'], kernel.asm['llir']"
    said = snippet(text, env={"MLIR_ENABLE_DUMP": "1", "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": str(tmp_path / "c")}).stderr
    heads = re.findall(r"^// kernel (\w+), (\w+)\n// -----// IR Dump After (\w+)", said, re.M)
    assert len(heads) > 1 and {name for name, _, _ in heads} == {"fill"} and said.count("IR Dump After") == len(heads)
    assert {stage for _, stage, _ in heads} == {"make_ttir", "make_llir"} and len(heads) < 20


def test_names_of_exceptions_are_public(snippet, numpy):
    text = KERNEL.replace("    tl.store", "    tl.device_assert(n == 4, 'four')\n    tl.store") + "fill[(1,)](out, 3, BLOCK=16, debug=True)"
    assert "\ntessera.DeviceAssertError: kernel fill stopped at a failed assertion" in snippet(text, status=1).stderr
    import pickle

    import tessera
    assert issubclass(tessera.DeviceAssertError, tessera.DeviceError) and issubclass(tessera.DeviceError, RuntimeError)
    assert str(pickle.loads(pickle.dumps(tessera.DeviceAssertError("no")))) == "no"


def test_static_print_ends_its_line_once(snippet, numpy):
    text = KERNEL.replace("    tl.store", "    tl.static_print('size', BLOCK)\n    tl.static_print(1, end='.')\n    tl.store")
    assert snippet(text + "fill[(1,)](out, 3, BLOCK=16)").stdout == "size 16\n1."


def test_static_print_is_no_part_of_an_error(snippet, numpy):
    text = KERNEL.replace("    offsets", "    tl.static_print('size', BLOCK)\n    offsets")
    done = snippet(text + "fill[(1,)](out, 3, BLOCK=15)", status=1)
    assert done.stdout == "size 15\n" and "size 15" not in done.stderr and "got 15; next_power_of_2(15) is 16" in done.stderr


def test_a_key_that_is_no_parameter_is_a_warning(snippet, numpy):
    done = snippet(KERNEL + "tessera.autotune([tessera.Config({'BLOCK': 16})], key=['m'])(fill)[(1,)](out, 3)")
    assert "TuningWarning: the key of autotune names 'm', which is no parameter of the kernel and changes nothing; it has out_ptr, n, BLOCK\n" in done.stderr
    assert "snippet0.py:" in done.stderr


def test_a_missing_plot_is_said(snippet, tmp_path, numpy):
    (tmp_path / "matplotlib.py").write_text("raise ImportError")
    done = snippet("""
import tessera
@tessera.testing.perf_report(tessera.testing.Benchmark(x_names=["n"], x_vals=[1], line_arg="p", line_vals=[2], line_names=["two"],
                                                       plot_name="speed", args={}))
def bench(n, p):
    return float(n)
bench.run(save_path="out")
""")
    assert done.stderr == "speed: no plot, because matplotlib is not installed\n"


def test_misspelt_parameters_are_suggested(snippet, numpy):
    said = snippet(KERNEL + "fill[(1,)](out, 3, BLOK=16)", status=1).stderr
    assert said.endswith("'BLOK' is neither a parameter nor an option; did you mean 'BLOCK'?\n")


def test_a_call_without_a_grid_shows_the_program_alone(snippet, numpy):
    said = snippet(KERNEL + "fill(out, 3)", status=1).stderr
    assert re.findall(r'File "(\S+)"', said) == re.findall(r'File "(\S*snippet0\.py)"', said)
    assert said.endswith("RuntimeError: 'fill' is a jit function: launch it with fill[grid](...), or call it from another jit function\n")
