#!/usr/bin/python3
"""The vector add on the CPU against numpy.add with out=, in one run.

    bench/cpu/add.py                       2^26 and 2^16 elements, one thread and all
    bench/cpu/add.py --elements 22,26 --block 4096
    bench/cpu/add.py --out FOLDER          also write cpu-add.json and cpu-add.md there

numpy.add uses one core whatever the machine has. The programs take turns, so that a busy moment hits
both; the fastest of all launches counts, and ratios are numpy's time over ours: above 1 we are faster.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESSERA = os.path.join(ROOT, os.environ.get("BUILD", "build"), "bin", "tessera")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def tessera_seconds(elements, block, threads, launches):
    """The fastest of `launches`, as `tessera run --time` prints it."""
    command = [TESSERA, "run", os.path.join(ROOT, "examples", "add.py"), "--kernel-name", "add_kernel",
               "--signature", f"*fp32,*fp32,*fp32,i32,{block}", "--grid", str((elements + block - 1) // block),
               "--device", "cpu", "--arg", f"x_ptr=rand:{elements}", "--arg", f"y_ptr=rand:{elements}",
               "--arg", f"output_ptr=zeros:{elements}", "--arg", f"n_elements={elements}",
               "--time", str(launches)] + (["--threads", str(threads)] if threads else [])
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"best ([0-9.]+) (ns|us|ms|s)\b", done.stdout)
    if done.returncode or not found:
        sys.exit(f"bench/cpu/add.py: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return float(found.group(1)) * UNITS[found.group(2)]


def numpy_seconds(elements, launches):
    x = numpy.random.rand(elements).astype(numpy.float32)
    y = numpy.random.rand(elements).astype(numpy.float32)
    out = numpy.zeros_like(x)
    best = float("inf")
    for _ in range(launches + 3):
        start = time.perf_counter()
        numpy.add(x, y, out=out)
        best = min(best, time.perf_counter() - start)
    return best


def measure(elements, block, rounds):
    launches = max(5, min(1000, (1 << 28) // elements))
    best = {"numpy": float("inf"), "one thread": float("inf"), "all threads": float("inf")}
    for _ in range(rounds):
        best["numpy"] = min(best["numpy"], numpy_seconds(elements, launches))
        best["one thread"] = min(best["one thread"], tessera_seconds(elements, block, 1, launches))
        best["all threads"] = min(best["all threads"], tessera_seconds(elements, block, 0, launches))
    return best


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


def report(results, block):
    lines = [f"f32, BLOCK_SIZE {block}; GB/s counts each array once", "",
             "| elements | numpy GB/s | one thread | ratio | all threads | ratio |", "|---:|---:|---:|---:|---:|---:|"]
    for elements, best in results.items():
        rate = {name: 12 * elements / seconds / 1e9 for name, seconds in best.items()}
        lines.append(f"| 2^{elements.bit_length() - 1} | {rate['numpy']:.1f} | {rate['one thread']:.1f} | "
                     f"{rate['one thread'] / rate['numpy']:.2f} | {rate['all threads']:.1f} | "
                     f"{rate['all threads'] / rate['numpy']:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--elements", default="26,16", help="powers of two, as 26,16")
    parser.add_argument("--block", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", help="folder for cpu-add.json and cpu-add.md")
    arguments = parser.parse_args()
    if not os.path.exists(TESSERA):
        sys.exit(f"bench/cpu/add.py: there is no {TESSERA}; run make build")
    sizes = [1 << int(power) for power in arguments.elements.split(",")]
    results = {elements: measure(elements, arguments.block, arguments.rounds) for elements in sizes}
    text = report(results, arguments.block)
    print(text)
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        machine = {"processor": processor(), "cores": os.cpu_count(), "numpy": numpy.__version__}
        with open(os.path.join(arguments.out, "cpu-add.json"), "w") as file:
            json.dump({"machine": machine, "block": arguments.block, "seconds": results}, file, indent=1)
        with open(os.path.join(arguments.out, "cpu-add.md"), "w") as file:
            file.write(f"# The vector add on the CPU\n\n{machine['processor']}, {machine['cores']} cores, "
                       f"NumPy {machine['numpy']}.\nCommand: `bench/cpu/add.py --elements {arguments.elements} "
                       f"--block {arguments.block}`\n\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
