#!/usr/bin/python3
"""Measures what explaining costs, and how quickly its pages open and scroll. Prints tables; nothing here fails.

    test/explain/measure.py              all kernels, and a module of 10 MB
    test/explain/measure.py add matmul   some kernels

Times are the best of several runs: of the command `tessera compile`, and as multiples of it of the table, the JSON and the page of
`tessera explain`, without and with a disassembly, if there is a disassembler. "paint" is Chromium's first paint, "drawn" when the
report is complete.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import features  # noqa: E402
from browser import CHROMIUM, Browser  # noqa: E402
from command import ADD, ROOT, TESSERA  # noqa: E402

KERNELS = ["add", "softmax", "matmul", "attention", "conv3d", "msda"]
TARGETS = {"cuda:90": "cubin" if features.ptxas() else "ptx", "cpu": "obj"}
RUNS = 5
FIRST_PAINT = "new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime)).observe({type: 'paint', buffered: true}))"
# The times of frames while a list is scrolled to its end in steps of many screens.
FRAMES = """new Promise(done => {
    const view = [...document.querySelectorAll('.lines')].sort((a, b) => b.scrollHeight - a.scrollHeight)[0];
    let frame = 0, last = performance.now(), times = [];
    const step = now => {
      times.push(now - last); last = now; view.scrollTop = (frame++ * 65537) % view.scrollHeight;
      if (frame < 120) requestAnimationFrame(step); else done(times.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(step); })"""


def arguments_of(kernel):
    """The first kernel of an example, with its signature."""
    if kernel == "add":
        return [ADD[0], "-n", "add_kernel", *ADD[1:]]
    with open(os.path.join(ROOT, "examples", kernel + ".py"), encoding="utf-8") as file:
        signature, flags, name = re.search(r"# signature: (\S+)(.*)\n(?:.*\n){0,4}?def (\w+)", file.read()).groups()
    return [f"examples/{kernel}.py", "-n", name, "-s", signature, *flags.split()]


def best_times(commands):
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(RUNS):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run([TESSERA, *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - begin)
    return best


def measure_kernels(names, folder, browser):
    print("| kernel | compile | table | JSON | page | page with SASS | size | paint | drawn |\n|---|---|---|---|---|---|---|---|---|")
    for kernel in names:
        for target, extension in TARGETS.items():
            given, page = [*arguments_of(kernel), "-t", target], os.path.join(folder, "page.html")
            commands = {"compile": ["compile", *given, "--no-cache", "--emit", extension, "-o", os.path.join(folder, "x")],
                        "table": ["explain", *given], "JSON": ["explain", *given, "--json"], "page": ["explain", *given, "--html", page, "--no-sass"]}
            if features.nvdisasm() and target != "cpu":
                commands["SASS"] = ["explain", *given, "--html", page]
            best = best_times(commands)
            ratios = [f"{best[name] / best['compile']:.2f} x" if name in best else "" for name in ("table", "JSON", "page", "SASS")]
            drawn = browser.open(page) if browser else None
            paint = f"{browser.run(FIRST_PAINT):.0f} ms | {drawn * 1e3:.0f} ms" if browser else " | "
            print(f"| {kernel}, {target} | {best['compile'] * 1e3:.0f} ms | {' | '.join(ratios)} | {os.path.getsize(page) / 1024:.0f} KiB | {paint} |", flush=True)


def write_long_module(path):
    """TTIR of 10 MB: one function of many sums."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("module {\n  tt.func public @long(%p: !tt.ptr<f32>, %x0: f32) {\n")
        for i in range(200_000):
            file.write(f"    %x{i + 1} = arith.addf %x{i}, %x0 : f32 // a comment\n")
        file.write("    tt.store %p, %x200000 : !tt.ptr<f32>\n    tt.return\n  }\n}\n")


def measure_long(folder, browser):
    source, page = os.path.join(folder, "long.ttir"), os.path.join(folder, "long.html")
    write_long_module(source)
    tool = os.path.join(folder, "ptxas")
    with open(tool, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 1\n")
    os.chmod(tool, 0o755)
    begin = time.perf_counter()
    subprocess.run([TESSERA, "explain", source, "--ptxas", tool, "--html", page, "--no-sass"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"\na module of {os.path.getsize(source) / 2**20:.1f} MiB: explained in {time.perf_counter() - begin:.1f} s, page {os.path.getsize(page) / 2**20:.1f} MiB", flush=True)
    print(f"drawn after {browser.open(page):.1f} s, first paint after {browser.run(FIRST_PAINT):.0f} ms")
    for key, tab in ("1", "Passes"), ("2", "Code"):
        browser.key(key)
        times = browser.run(FRAMES)
        print(f"{tab}: frames of {times[len(times) // 2]:.0f} ms (median), {times[len(times) * 9 // 10]:.0f} ms (90 %), {times[-1]:.0f} ms (longest); "
              f"{browser.run('document.querySelectorAll(`.row`).length')} rows are elements")


def main(names):
    with tempfile.TemporaryDirectory() as folder:
        if not CHROMIUM:
            return measure_kernels(names or KERNELS, folder, None)
        with Browser() as browser:
            measure_kernels(names or KERNELS, folder, browser)
            if not names:
                measure_long(folder, browser)


if __name__ == "__main__":
    main(sys.argv[1:])
