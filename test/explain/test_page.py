"""`tessera explain --html`: reports are opened in a headless Chromium, clicked through and measured."""
import os
import re
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, WHY_NOT, Browser  # noqa: E402
from command import ADD, MATMUL, TOO_LARGE, explain, read, shown  # noqa: E402

pytestmark = pytest.mark.skipif(not CHROMIUM, reason=WHY_NOT)
KERNELS = {"add": ADD, "softmax": ["examples/softmax.py"], "matmul": MATMUL, "attention": ["examples/attention.py"],
           "conv3d": ["examples/conv3d.py"], "msda": ["examples/msda.py"], "add on the CPU": [*ADD, "-t", "cpu"],
           "attention on the CPU": ["examples/attention.py", "-t", "cpu"]}
FIRST_PAINT = """new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime)).observe({type: 'paint', buffered: true}))"""
MANY = "document.querySelectorAll"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The path of a kernel's report, which is written once."""
    folder, made = tmp_path_factory.mktemp("reports"), {}

    def report(name, arguments=None, status=0):
        if name not in made:
            made[name] = folder / (re.sub(r"\W", "-", name) + ".html")
            explain(*(arguments or KERNELS[name]), "--html", made[name], status=status)
        return made[name]
    return report


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


@pytest.fixture
def page(browser):
    browser.errors.clear()
    browser.resize(1280, 800)
    yield browser
    assert browser.errors == []


@pytest.mark.parametrize("name", KERNELS)
def test_every_tab_of_a_report_opens(name, reports, page):
    path = reports(name)
    assert os.path.getsize(path) < 5 << 20
    paints = []
    for _ in range(3):  # other tests may take the machine's cores meanwhile
        page.open(path)
        paints.append(page.run(FIRST_PAINT))
        if paints[-1] < 1000:
            break
    assert min(paints) < 1000
    for key, tab in zip("12345", ["passes", "code", "layouts", "resources", "remarks"]):
        page.key(key)
        assert page.run("document.querySelector('#tabs [aria-selected=true]').dataset.tab") == tab
        assert page.run("document.getElementById('main').textContent.length") > 20
    assert page.run("document.title").endswith("Tessera explain")


def test_the_diff_is_that_of_the_terminal(reports, page):
    page.open(reports("add"))
    for name in "ttg-coalesce", "ttg-remove-layout-conversions", "convert-ttir-to-ttgir", "instcombine":
        text = shown(*ADD, "--pass", name, "--whole")
        marks = re.findall(r"^ {0,4}[\d+]* {1,6}([-+~<>]) ", text, re.M)
        counts = page.run(f"""(() => {{
            const step = state.kernel.steps.find(each => each.name === '{name}'), count = {{}};
            for (const row of diffTexts(textOf(step.before), textOf(step.after)))
              if (row.kind !== 'same') count[row.kind + (row.moved ? ' moved' : '')] = (count[row.kind + (row.moved ? ' moved' : '')] || 0) + 1;
            return count; }})()""")
        edited = counts.get("edit", 0)
        both = marks.count("~")  # an edit with many parts is shown as two lines
        assert counts.get("add", 0) + counts.get("del", 0) + 2 * (edited - both) == marks.count("+") + marks.count("-"), name
        assert counts.get("add moved", 0) == marks.count(">") and counts.get("del moved", 0) == marks.count("<"), name


def test_keys_walk_through_the_passes(reports, page):
    page.open(reports("add"))
    names = []
    for key in "jjk":
        page.key(key)
        names.append(page.run("document.querySelector('.pass.at .p').textContent.split(' ')[0]"))
    assert names == ["convert-ttir-to-ttgir", "ttg-coalesce", "convert-ttir-to-ttgir"]
    before = page.run(f"{MANY}('.pass').length")
    page.key("h")
    assert page.run(f"{MANY}('.pass').length") < before and page.run(f"{MANY}('.pass.quiet').length") == 0
    page.key("h")
    assert page.run(f"{MANY}('.pass').length") == before
    assert page.run("location.hash").startswith("#passes/")


def test_any_two_points_can_be_compared(reports, page):
    page.open(reports("add"))
    page.key("j")
    page.key("j")
    rows = page.run(f"{MANY}('.row.add, .row.edit').length")
    page.run("(() => { const select = document.querySelector('.range select'); select.selectedIndex = 0; select.dispatchEvent(new Event('change')); })()")
    assert page.run("state.from") == 0 and page.run(f"{MANY}('.row.add, .row.edit').length") > rows


def test_folds_open(reports, page):
    page.open(reports("add"))
    page.key("j")
    page.key("j")
    folds = page.run(f"{MANY}('.row.fold').length")
    assert folds >= 1
    page.point_at(".row.fold", click=True)
    assert page.run(f"{MANY}('.row.fold').length") == folds - 1


def pinned(page, level):
    return page.run(f"[...{MANY}('.pane[data-level=\"{level}\"] .row.pinned')].map(row => row.textContent)")


def test_lines_lead_to_each_other(reports, page):
    page.open(reports("add"))
    page.key("2")
    page.point_at(".pane[data-level=python] .row[data-line='22']", click=True)
    assert "output = x + y" in pinned(page, "python")[0]
    assert len(pinned(page, "ttgir")) == 1 and "arith.addf" in pinned(page, "ttgir")[0]
    assert pinned(page, "ptx") and all("add.f32" in row for row in pinned(page, "ptx"))
    # And back from assembly.
    page.run("document.querySelectorAll('.pane[data-level=ptx] .row')[0].click()")
    page.run("[...document.querySelectorAll('.pane[data-level=ptx] .row')].find(row => row.textContent.includes('st.global')).click()")
    assert "tl.store" in pinned(page, "python")[0] and any("tt.store" in row for row in pinned(page, "ttgir"))
    page.point_at(".pane[data-level=python] .row[data-line='20']", click=True)
    assert "each thread gets 4 neighbouring elements" in page.run("document.querySelector('.said').textContent")
    page.point_at(".pane[data-level=python] .row[data-line='20']")
    assert page.run(f"{MANY}('.pane[data-level=ttgir] .row.linked').length") > 0


def test_levels_open_and_close(reports, page):
    page.open(reports("add"))
    page.key("2")
    page.run("[...document.querySelectorAll('.levels button')].find(button => button.textContent === 'llir').click()")
    assert page.run("!!document.querySelector('.pane[data-level=llir] .row')")
    page.run("[...document.querySelectorAll('.levels button')].find(button => button.textContent === 'ptx').click()")
    assert not page.run("!!document.querySelector('.pane[data-level=ptx]')")


def test_search(reports, page):
    page.open(reports("add"))
    page.key("2")
    page.key("/", text="")
    page.type("add.f32")
    assert re.match(r"\d+ lines", page.run("document.getElementById('found').textContent"))
    page.key("Enter", text="\r")
    assert page.run("document.getElementById('found').textContent").startswith("1 of ")
    assert "add.f32" in page.run("document.querySelector('.row.hit').textContent") and page.run(f"{MANY}('mark').length") > 0
    page.key("Escape")
    assert page.run(f"{MANY}('mark').length") == 0


def test_layouts_say_who_holds_an_element(reports, page):
    page.open(reports("add"))
    page.key("3")
    # #blocked1 has four neighbouring elements per thread: element 5 is register 1 of lane 1.
    box = page.run("(() => { const r = document.querySelector('canvas').getBoundingClientRect(); return [r.x, r.y, r.width / 32]; })()")
    page.point(box[0] + 5.5 * box[2], box[1] + box[2] / 2)
    assert page.run("document.querySelector('.tip').textContent") == "element (5): register 1, lane 1, warp 0"
    assert "(256)" in page.run("document.querySelector('.scroll table').textContent") or page.run("state.kernel.layouts.length") > 0


def test_resources(reports, page):
    page.open(reports("matmul"))
    page.key("4")
    text = page.run("document.getElementById('main').textContent")
    assert "Occupancy" in text and "Shared memory" in text and "Live registers" in text and "operations per byte" in text
    assert "The H100 SXM (other chips of cuda:90 have other rates)" in text and "per iteration of line 59" in text
    assert page.run(f"{MANY}('svg rect').length") > 3 and page.run(f"{MANY}('.bars i').length") > 3


LOOPS = """import triton, triton.language as tl
@triton.jit
def k(p, n, B: tl.constexpr):
    at = tl.arange(0, B)
    x = tl.load(p)
    for i in range(10):
        y = tl.load(p + at + i * B)
        for j in range(0, n, 2):
            tl.store(p + at + j, y)
    tl.store(p + at, at * x)
"""


def test_bytes_are_multiplied_by_trip_counts(tmp_path, page):
    source = tmp_path / "loops.py"
    source.write_text(LOOPS)
    explain(source, "-s", "*fp32,i32,128", "--html", tmp_path / "report.html")
    page.open(tmp_path / "report.html")
    found = {entry["line"]: entry for entry in page.run("traffic()")}
    assert (found[7]["bytes"], found[7]["times"], found[7]["loop"]) == (10 * 512, 10, 0)   # the bounds are constants
    assert (found[9]["bytes"], found[9]["loop"]) == (10 * 512, 8)                          # those of the inner loop are not
    assert (found[10]["bytes"], found[10]["loop"]) == (512, 0) and found[10]["flops"] >= 128


def test_bank_conflicts_are_shown(tmp_path, page):
    """Lanes that read a column of an unswizzled buffer use one bank."""
    source = tmp_path / "banks.ttgir"
    source.write_text("""#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %p0 = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #rows>
    %x = tt.load %p0 : tensor<32x32x!tt.ptr<f32>, #rows>
    %m = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> !ttg.memdesc<32x32xf32, #plain, #smem>
    %y = ttg.local_load %m : !ttg.memdesc<32x32xf32, #plain, #smem> -> tensor<32x32xf32, #columns>
    %p1 = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #columns>
    tt.store %p1, %y : tensor<32x32x!tt.ptr<f32>, #columns>
    tt.return
  }
}
""")
    [kernel] = read(source, "-t", "cuda:80")
    assert [(a["op"], a["bits"], a["wavefronts"], a["least_wavefronts"]) for a in kernel["accesses"]] == [
        ("ttg.local_alloc", 32, 8, 8), ("ttg.local_load", 32, 256, 8)]
    explain(source, "-t", "cuda:80", "--html", tmp_path / "report.html")
    page.open(tmp_path / "report.html")
    page.key("3")
    text = page.run("document.getElementById('main').textContent")
    assert "Accesses of shared memory" in text and "local_load" in text
    page.key("5")
    assert "32 times as often as without bank conflicts" in page.run("document.getElementById('main').textContent")
    assert "256 wavefronts for a warp, 8 without bank conflicts" in shown(source, "-t", "cuda:80", "--layout", "shared")


@pytest.mark.parametrize("width", [360, 760, 1280, 2560])
def test_no_width_scrolls_sideways(width, reports, page):
    page.open(reports("softmax"))
    page.resize(width, 700)
    for key in "12345":
        page.key(key)
        assert page.run("document.documentElement.scrollWidth <= window.innerWidth"), key
        assert page.run("document.documentElement.scrollHeight <= window.innerHeight"), key


def test_light_and_dark(reports, page):
    page.open(reports("add"))
    colour = "getComputedStyle(document.body).backgroundColor"
    first = page.run(colour)
    page.key("t")
    second = page.run(colour)
    page.key("t")
    assert first != second and page.run(colour) == first
    page.key("?")
    assert page.run("document.getElementById('keys').open")
    page.run("document.getElementById('keys').close()")


def test_several_kernels(reports, page):
    page.open(reports("softmax"))
    assert page.run("document.getElementById('kernel').options.length") == 2
    page.run("(() => { const select = document.getElementById('kernel'); select.selectedIndex = 1; select.dispatchEvent(new Event('change')); })()")
    assert page.run("document.getElementById('name').textContent") == "online_softmax_kernel"


def test_a_failed_compilation(reports, page):
    page.open(reports("failed", TOO_LARGE, status=3))
    assert page.run("document.querySelector('.pass.at').textContent").find("ttg-allocate-shared-memory") >= 0
    assert page.run("document.querySelector('.chip.bad').textContent") == "unsupported"
    assert "bytes of shared memory" in page.run("document.querySelector('.head .bad:not(b)').textContent")
    assert page.run("(() => { const row = document.querySelector('.pass.at').getBoundingClientRect(); return row.top > 0 && row.bottom <= innerHeight; })()")
    assert "cf.br" in page.run("textOf(state.kernel.steps[state.step].after).lines.join('\\n')")
    page.open(reports("no kernel", ["examples/add.py", "-s", "i32"], status=1))
    for key in "12345":
        page.key(key)


def assert_nothing_injected(page, report):
    """A report of hostile names holds their code only escaped, and no tab of it runs that code."""
    text = report.read_text(encoding="utf-8")
    assert "hacked" not in text and "onerror" not in text
    page.open(report)
    for key in "12345":
        page.key(key)
    page.run("new Promise(done => setTimeout(done, 300))")
    assert page.run("window.hacked === undefined && document.querySelectorAll('img, script[src]').length === 0")


def test_hostile_names(tmp_path, page):
    """Nothing that a user names becomes markup."""
    attack = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    source = tmp_path / "<img src=x onerror=alert(1)>'\"\u202e.py"
    source.write_text(f"import triton\nimport triton.language as tl\n# {attack}\n@triton.jit\ndef k(p, S: tl.constexpr):\n"
                      f"    \u05d0 = tl.load(p)  # {attack}\n    tl.static_assert(S == {attack!r})\n    tl.device_print({attack!r}, \u05d0)\n    tl.store(p, \u05d0)\n",
                      encoding="utf-8")
    report = tmp_path / "report.html"
    explain(source, "-s", f"*i32,{attack!r}", "-t", "cpu", "--html", report, status=None)
    assert_nothing_injected(page, report)
    assert attack in page.run("sourceText()") or page.run("state.kernel.steps.length") == 0


def test_hostile_names_of_ir(tmp_path, page):
    """IR may name kernels, variables and files in quotes, with any character."""
    attack = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    quoted = attack + "\\22\\00\\1B[31m\\0A\u202e"
    source = tmp_path / "k.ttir"
    source.write_text(f"""module {{
  tt.func public @"{quoted}"(%p: !tt.ptr<f32> loc("{quoted}")) {{
    %i = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32> loc("{quoted}"("{attack}":3:1))
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>> loc("{quoted}")
    %q = tt.addptr %s, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32> loc("{attack}":4:1)
    %x = tt.load %q : tensor<128x!tt.ptr<f32>> loc("{attack}"("{attack}":5:1))
    tt.store %q, %x : tensor<128x!tt.ptr<f32>>
    tt.return
  }}
}}
""", encoding="utf-8")
    for target in "cpu", "cuda:90":
        report = tmp_path / "report.html"
        explain(source, "-t", target, "--html", report, status=None)
        assert_nothing_injected(page, report)
        assert page.run("state.kernel.steps.length") > 5 and attack in page.run("document.getElementById('name').textContent")
        for view in [], ["--at", "ttir"], ["--diff"]:
            out, err = explain(source, "-t", target, *view, status=None)
            assert "\x1b" not in out + err and "\0" not in out + err


def test_ten_megabytes_scroll(tmp_path, page):
    """A module of 10 MB: only the lines on the screen are elements."""
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\nexit 1\n")
    tool.chmod(0o755)
    line = "\tadd.s32 \t%r1, %r2, 12345;  // a line of a long program, {}\n"
    source = tmp_path / "long.ptx"
    source.write_text(".version 8.1\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n" + "".join(line.format(i) for i in range(180_000)) + "}\n")
    assert source.stat().st_size > 10 << 20
    report = tmp_path / "report.html"
    explain(source, "--ptxas", tool, "--html", report, status=None)
    page.open(report)
    page.key("2")
    assert page.run("document.querySelectorAll('.row').length") < 500
    slowest = page.run("""new Promise(done => {
        const view = document.querySelector('.pane[data-level=ptx] .lines');
        let frame = 0, last = performance.now(), times = [];
        const step = now => {
          times.push(now - last); last = now; view.scrollTop = (frame++ * 65537) % view.scrollHeight;
          if (frame < 60) requestAnimationFrame(step); else { times.sort((a, b) => a - b); done(times[Math.floor(times.length * 0.9)]); }
        };
        requestAnimationFrame(step); })""")
    assert slowest < 100, f"{slowest} ms for a frame"
    assert page.run("document.querySelectorAll('.row').length") < 500
