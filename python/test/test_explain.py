"""Tests kernel.explain and TESSERA_EXPLAIN: reports of what every pass did."""
import json

PROGRAM = """
import numpy, tessera, tessera.language as tl
@tessera.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1.0, mask=i < n)
x = numpy.zeros(64, "float32")
"""


def test_a_report(snippet, numpy, tmp_path):
    snippet(PROGRAM + f"""
report = add.explain(x, 64, BLOCK=64)
assert (x == 0).all()                                    # nothing was launched
assert ("tt-combine", False) in report.passes and report.passes[0] == ("frontend", True)
kernel = report.kernel
assert kernel["kernel"] == "add" and kernel["outcome"] == "done" and kernel["file"].endswith("p.py") and kernel["line"] == 4
assert "tl.load(x_ptr" in kernel["sources"][0]["text"]
lines = {{line for text in kernel["texts"] for line in text["lines"]}}
assert {{5, 6}} <= lines
assert report.save({str(tmp_path / "a.html")!r}).endswith("a.html")
page = open({str(tmp_path / "a.html")!r}).read()
assert page.startswith("<!DOCTYPE html>") and report.html == page
assert report._repr_html_().startswith("<iframe srcdoc=")
assert "add for cpu" in repr(report)
assert add.warmup(x, 64, BLOCK=64, grid=(1,)).explain().passes == report.passes
""", name="p.py")


def test_a_target_without_its_device(snippet, numpy):
    snippet(PROGRAM + """
source = tessera.compiler.ASTSource(add, {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64})
report = tessera.compile(source, target=tessera.backends.compiler.GPUTarget("cuda", 90, 32)).explain()
assert "ttg-coalesce" in dict(report.passes) and report.kernel["layouts"]
""", name="p.py")


def test_an_autotuned_kernel_has_a_report_for_each_configuration(snippet, numpy):
    snippet(PROGRAM + """
tuned = tessera.autotune([tessera.Config({"BLOCK": 64}), tessera.Config({"BLOCK": 128})], key=["n"])(add)
assert [report.kernel["outcome"] for report in tuned.explain(x, 64)] == ["done", "done"]
""", name="p.py")


def test_the_variable_writes_a_page_for_each_kernel(snippet, numpy, tmp_path, fresh_cache):
    folder = tmp_path / "reports"
    program = PROGRAM + """
add[(1,)](x, 64, BLOCK=64)
add[(1,)](x, 64, BLOCK=128)
assert (x == 2).all()
@tessera.jit
def wrong(x_ptr):
    tl.store(x_ptr, tl.arange(0, 3))
try:
    wrong[(1,)](x)
except tessera.CompilationError:
    pass
else:
    raise SystemExit("compiled")
"""
    snippet(program, name="p.py", env={"TESSERA_EXPLAIN": folder})
    pages = sorted(path.name for path in folder.glob("*.html"))
    assert len(pages) == 4 and "index.html" in pages and sum(page.startswith("add-") for page in pages) == 2
    index = (folder / "index.html").read_text()
    assert all(f'href="{page}"' in index for page in pages if page != "index.html") and "BLOCK: 128" in index and ">error<" in index
    rows = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    assert sorted(row["outcome"] for row in rows) == ["done", "done", "error"]
    snippet(program, name="p.py", env={"TESSERA_EXPLAIN": folder})  # from the cache: the same pages
    assert sorted(path.name for path in folder.glob("*.html")) == pages


def test_an_edited_file_takes_the_place_of_the_original(snippet, numpy, tmp_path, fresh_cache):
    program = PROGRAM + "add[(1,)](x, 64, BLOCK=64)\nprint(x[0])\n"

    def run():
        return float(snippet(program, name="p.py", env={"TESSERA_EXPLAIN": tmp_path}).stdout)
    assert run() == 1
    [ttir] = tmp_path.glob("add-*.ttir")
    [llir] = tmp_path.glob("add-*.llir")
    original, lowered = ttir.read_text(), llir.read_text()
    assert "arith.addf" in original
    ttir.write_text(original.replace("arith.addf", "arith.subf"))
    assert run() == -1 and run() == -1  # the edit stays
    assert "arith.subf" in ttir.read_text() and llir.read_text() != lowered
    [row] = [json.loads(path.read_text()) for path in tmp_path.glob("add-*.json")]
    assert row["outcome"] == "done, edited"
    llir.write_text(llir.read_text().replace("fadd", "fmul").replace("fsub", "fmul"))  # the later stage wins
    assert run() == 0 and "fmul" in llir.read_text()
    llir.unlink()
    assert run() == -1
    ttir.unlink()
    assert run() == 1 and ttir.read_text() == original
    ttir.write_text("nonsense")
    assert "nonsense" in snippet(program, name="p.py", env={"TESSERA_EXPLAIN": tmp_path}, status=1).stderr


def test_a_folder_that_cannot_be_written_to_stops_nothing(snippet, numpy, tmp_path):
    (tmp_path / "file").write_text("")
    done = snippet(PROGRAM + "add[(1,)](x, 64, BLOCK=64)\nassert (x == 1).all()\n", name="p.py", env={"TESSERA_EXPLAIN": tmp_path / "file"})
    assert "TESSERA_EXPLAIN: no report was written" in done.stderr


def test_names_do_not_become_markup(snippet, numpy, tmp_path):
    attack = "<img src=x onerror=alert(1)>"
    snippet(PROGRAM.replace("BLOCK: tl.constexpr", "BLOCK: tl.constexpr, NAME: tl.constexpr") + f"add[(1,)](x, 64, BLOCK=64, NAME={attack!r})\n",
            name="p.py", env={"TESSERA_EXPLAIN": tmp_path})
    for path in tmp_path.glob("*.html"):
        assert "<img" not in path.read_text()


def test_a_kernel_that_does_not_compile_has_a_report(snippet, numpy, tmp_path):
    snippet(PROGRAM + f"""
@tessera.jit
def wrong(x_ptr, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), 0.0)
report = wrong.explain(x, N=3)
assert report.kernel["outcome"] == "error" and "power of two" in report.errors[0] and "does not compile" in repr(report)
assert report.save({str(tmp_path / "wrong.html")!r}) and "<iframe" in report._repr_html_()
assert add.explain(x, 64, BLOCK=64).errors == []
try:
    add.explain(x, 64, BLOK=64)                          # a mistake in the call has nothing to show
except TypeError:
    pass
else:
    raise SystemExit("explained")
""", name="p.py")


def test_the_index_marks_the_choice_of_autotune(snippet, numpy, tmp_path, fresh_cache):
    folder = tmp_path / "reports"
    program = PROGRAM + """
tuned = tessera.autotune([tessera.Config({"BLOCK": 64}), tessera.Config({"BLOCK": 128}), tessera.Config({"BLOCK": 100})], key=["n"])(add)
tuned[(1,)](x, 64)
print(tuned.best_config.kwargs["BLOCK"])
"""
    chosen = snippet(program, name="p.py", env={"TESSERA_EXPLAIN": folder}).stdout.strip()
    rows = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    marks = {row["arguments"].split("BLOCK: ")[-1]: [each["chosen"] for each in row["tuning"].values()] for row in rows if row["tuning"]}
    assert marks[chosen] == [True] and [False] in marks.values() and len(marks) == 2
    index = (folder / "index.html").read_text()
    assert index.count("chosen, ") == 1 and index.count("class=best") == 1
    for path in folder.glob("*"):
        path.unlink()
    assert snippet(program, name="p.py", env={"TESSERA_EXPLAIN": folder}).stdout.strip() == chosen  # timings are stored now
    assert (folder / "index.html").read_text().count("chosen") == 1
