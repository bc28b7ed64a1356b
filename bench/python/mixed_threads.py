#!/usr/bin/env python3
"""torch operators and kernels in turns on the CPU, with 1, 2 and 16 threads: do they slow each other down?

    bench/python/mixed_threads.py --build build                      prints a table, takes about 30 s
    bench/python/mixed_threads.py --threads 1,4 --out FOLDER         other numbers; also writes mixed_threads.md and .json

Needs a Python with torch; --build is a build folder or an unpacked archive of `make dist`. More threads than the machine has
cores take turns on them: the table's last line says how many cores there were. For each number a fresh process measures three
pairs of a torch operator and a kernel that computes the same, with torch.set_num_threads as the only setting:

  alone     calls of the operator only, then of the kernel only. Both write to the two results in turns, as the mixed
            program does, so that the caches hold as much of each
  in turns  operator, kernel, operator, kernel, ... as in a program that mixes them
  own pool  the same, but the kernel is launched from a second Python thread, where Tessera uses a thread pool of its own

The column "in turns / alone" should be near 1: launches of the main thread run in torch's OpenMP threads. "own pool" shows
what two pools would cost. Each cell is the fastest of many calls, the median stands beside it in the JSON file.
"""
import argparse
import concurrent.futures
import datetime
import importlib
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECONDS = 0.5  # of each measured loop


# ---- one process: one number of threads ------------------------------------------------------------------------------


def load(path):
    """A module of this repository whose kernels are written for `import triton`."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_cases(torch):
    """{name: (operator, kernel, two tensors for their results)}; both are called with the tensor to write to."""
    kernels, products = load("bench/cpu/kernels.py"), load("examples/matmul.py")

    x = torch.randn(4096, 1024)
    n = 1 << 22
    v = torch.randn(n)
    size = 1024
    a, b = torch.randn(size, size), torch.randn(size, size)
    blocks = (128, 128, 64, 8, 0)
    tiles = ((size // blocks[0]) * (size // blocks[1]),)

    def softmax(out):
        torch.ops.aten._softmax.out(x, -1, False, out=out)

    def softmax_kernel(out):
        kernels.softmax_kernel[(4096,)](x, out, 1024, BLOCK_SIZE=1024)

    def gelu(out):
        torch.ops.aten.gelu.out(v, approximate="none", out=out)

    def gelu_kernel(out):
        kernels.gelu_erf_kernel[(n // 8192,)](v, out, n, BLOCK_SIZE=8192)

    def product(out):
        torch.mm(a, b, out=out)

    def product_kernel(out):
        products.matmul_kernel[tiles](a, b, out, size, size, size, size, 1, size, 1, size, 1, *blocks)

    return {
        "softmax 4096 x 1024": (softmax, softmax_kernel, torch.empty(4096, 1024), torch.empty(4096, 1024)),
        "gelu (erf) 2^22": (gelu, gelu_kernel, torch.empty(n), torch.empty(n)),
        "matmul 1024^3 fp32": (product, product_kernel, torch.empty(size, size), torch.empty(size, size)),
    }


def timed(*functions):
    """Calls the functions one after the other for SECONDS; the times of each."""
    for function in functions * 3:
        function()
    times, end = [[] for _ in functions], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times[0]) < 5:
        for function, found in zip(functions, times):
            start = time.perf_counter()
            function()
            found.append(time.perf_counter() - start)
    return [{"best": 1e3 * min(found), "median": 1e3 * statistics.median(found), "calls": len(found)} for found in times]


def measure(build, threads):
    sys.path.insert(0, os.path.join(build, "python"))
    import torch
    import tessera
    tessera.install_as_triton()
    torch.set_num_threads(threads)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(1) as second:
        for name, (operator, kernel, theirs, ours) in make_cases(torch).items():
            operator(theirs)
            kernel(ours)
            difference = (ours - theirs).abs().max().item()
            if difference > 1e-3:
                sys.exit(f"mixed_threads.py: {name}: the kernel's result differs from torch's by {difference}")
            row = {"name": name, "threads": threads}
            row["operator, alone"], _ = timed(lambda: operator(theirs), lambda: operator(ours))
            time.sleep(0.05)  # OpenMP's threads spin for some milliseconds after their last loop
            row["kernel, alone"], _ = timed(lambda: kernel(ours), lambda: kernel(theirs))
            row["operator, in turns"], row["kernel, in turns"] = timed(lambda: operator(theirs), lambda: kernel(ours))
            row["operator, own pool"], row["kernel, own pool"] = timed(lambda: operator(theirs),
                                                                       lambda: second.submit(kernel, ours).result())
            rows.append(row)
    return {"rows": rows, "torch": torch.__version__, "tessera": tessera.__version__}


# ---- the table -------------------------------------------------------------------------------------------------------


def line(row):
    def best(what):
        return row[what]["best"]
    cells = [row["name"], str(row["threads"])]
    for who in ("operator", "kernel"):
        cells += [f"{best(f'{who}, alone'):.2f}", f"{best(f'{who}, in turns'):.2f}",
                  f"{best(f'{who}, in turns') / best(f'{who}, alone'):.2f}", f"{best(f'{who}, own pool'):.2f}"]
    cells.append(f"{best('operator, in turns') / best('kernel, in turns'):.2f}")
    return f"| {' | '.join(cells)} |"


HEAD = ["| what | threads | torch alone, ms | in turns | in turns / alone | own pool | kernel alone, ms | in turns | in turns / alone | "
        "own pool | kernel × faster than torch, in turns |",
        "|---|" + "---:|" * 10]


def child(options, threads):
    command = [sys.executable, os.path.abspath(__file__), "--build", options.build, "--child", str(threads)]
    environment = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "TESSERA_NUM_THREADS")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"mixed_threads.py: the process with {threads} threads ended with status {done.returncode}")
    return json.loads(done.stdout.strip().split("\n")[-1])


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"), help="a folder with python/tessera (default: build)")
    parser.add_argument("--threads", default="1,2,16", help="numbers of threads (default: 1,2,16)")
    parser.add_argument("--out", help="folder for mixed_threads.md and mixed_threads.json")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.build = os.path.abspath(os.path.join(ROOT, options.build))
    return options


def main():
    options = read_options()
    if options.child:
        print(json.dumps(measure(options.build, options.child)))
        return
    cores = len(os.sched_getaffinity(0))
    print("\n".join(HEAD), flush=True)
    found = []
    for count in map(int, options.threads.split(",")):
        found.append(child(options, count))
        print("\n".join(line(row) for row in found[-1]["rows"]), flush=True)
    place = f"{cores} cores, torch {found[0]['torch']}, Tessera {found[0]['tessera']}, {datetime.date.today()}, load {os.getloadavg()[0]:.1f}"
    print(place)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        rows = [row for one in found for row in one["rows"]]
        with open(os.path.join(options.out, "mixed_threads.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(["# torch operators and kernels in turns", "", place + ".", "", *HEAD, *map(line, rows), ""]))
        with open(os.path.join(options.out, "mixed_threads.json"), "w", encoding="utf-8") as file:
            json.dump({"machine": place, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
