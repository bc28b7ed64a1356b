#!/usr/bin/env python3
"""Source to TTIR in a warm process: Tessera against Triton 3.6.0, in turns, in one run; and the memory that stays.

    bench/frontend.py                     matmul, attention and conv3d; prints a table
    bench/frontend.py --pattern .         every kernel of examples/ and test/ (test/signatures.py)
    bench/frontend.py --out FOLDER        also writes frontend.json and frontend.md there
    TRITON_PYTHON=/path/to/python bench/frontend.py

What is measured, for the first signature of each kernel:
  Triton    ast_to_ttir and make_ttir; making its MLIR context and importing the kernel's file are not counted
  Tessera   one call of tessera_compile that stops at TTIR: reading the file, lexing, parsing, a fresh MLIR
            context, the frontend, make_ttir and printing the text

Each turn compiles every kernel once with each compiler; the medians of --repeats turns are printed. Memory: the
process's resident size while it compiles --compilations kernels, each a text that it has not seen before; in a
process of its own, without Triton. Without a Triton only Tessera's numbers are printed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
import peers  # noqa: E402
import signatures  # noqa: E402

DEFAULT = r"^examples/(matmul|attention|conv3d)\.py:"


def first_cases(pattern):
    """One case for each kernel: its first signature."""
    found = {}
    for case in signatures.cases(pattern):
        found.setdefault((case.file, case.kernel), case)
    return list(found.values())


def time_tessera(tessera, request):
    start = time.perf_counter()
    status, kernel, message = tessera.compile(request)
    elapsed = time.perf_counter() - start
    tessera.free(kernel, message)
    return elapsed if status == 0 else None


def time_triton(triton, case):
    """(frontend, make_ttir) in seconds."""
    source, context = triton.source(case), triton.context()
    start = time.perf_counter()
    module = triton.frontend(source, context)
    middle = time.perf_counter()
    triton.make_ttir(source, module)
    return middle - start, time.perf_counter() - middle


def measure(cases, tessera, triton, repeats):
    """{kernel: {"tessera": seconds, "frontend": …, "make_ttir": …}}, lists of one number a turn."""
    times = {case.kernel: {"tessera": [], "frontend": [], "make_ttir": []} for case in cases}
    requests = {case.kernel: tessera.request(case) for case in cases}
    for turn in range(-3, repeats):
        for case in cases:
            ours = time_tessera(tessera, requests[case.kernel])
            theirs = time_triton(triton, case) if triton else (None, None)
            if turn >= 0:  # the first turns warm both
                for name, value in zip(("tessera", "frontend", "make_ttir"), (ours, *theirs)):
                    if value is not None:
                        times[case.kernel][name].append(value)
    return times


def resident_kib():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def grow(pattern, compilations):
    """Compiles texts that differ and prints [compilations so far, resident KiB] pairs as JSON."""
    tessera = peers.Tessera()
    sources = []
    for case in first_cases(pattern):
        with open(os.path.join(ROOT, case.file)) as file:
            sources.append((case, file.read()))
    failed, points = 0, []
    marks = {compilations * tenths // 10 for tenths in range(1, 11)} | {compilations // 100}
    for number in range(1, compilations + 1):
        case, text = sources[number % len(sources)]
        # A comment of the same length with another number: no cache can know the text.
        status, kernel, message = tessera.compile(tessera.request(case, f"{text}\n# {number:08}\n"))
        tessera.free(kernel, message)
        failed += status != 0
        if number in marks:
            points.append([number, resident_kib()])
    print(json.dumps({"failed": failed, "points": points}))


def measure_memory(pattern, compilations):
    command = ["/usr/bin/python3", __file__, "--pattern", pattern, "--compilations", str(compilations), "--grow"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"failed": compilations, "points": [], "error": done.stderr.strip()[-500:]}
    return json.loads(done.stdout)


def milliseconds(values):
    return f"{statistics.median(values) * 1e3:.2f}" if values else "-"


def report_times(times):
    lines = ["| kernel | Triton ast_to_ttir ms | make_ttir | both | Tessera, all | times as fast |", "|---|---:|---:|---:|---:|---:|"]
    for kernel, values in times.items():
        both = [a + b for a, b in zip(values["frontend"], values["make_ttir"])]
        ratio = f"{statistics.median(both) / statistics.median(values['tessera']):.1f}" if both and values["tessera"] else "-"
        lines.append(f"| {kernel} | {milliseconds(values['frontend'])} | {milliseconds(values['make_ttir'])} | {milliseconds(both)} "
                     f"| {milliseconds(values['tessera']) if values['tessera'] else 'does not compile'} | {ratio} |")
    return lines


def report_memory(memory):
    if not memory["points"]:
        return [f"Memory was not measured: {memory.get('error', '')}"]
    lines = ["| compilations | resident MiB |", "|---:|---:|"]
    lines += [f"| {count} | {kib / 1024:.1f} |" for count, kib in memory["points"]]
    (early, first), (late, last) = memory["points"][1], memory["points"][-1]
    lines += ["", f"From compilation {early} to {late}: {(last - first) / 1024:+.2f} MiB, "
              f"{(last - first) * 1024 / (late - early):+.1f} bytes a compilation."]
    if memory["failed"]:
        lines.append(f"{memory['failed']} compilations failed.")
    return lines


def machine():
    with open("/proc/cpuinfo") as file:
        processor = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    return {"processor": processor, "cores": os.cpu_count(), "python": sys.version.split()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pattern", default=DEFAULT, help="a regular expression over FILE:KERNEL SIGNATURE")
    parser.add_argument("--repeats", type=int, default=31)
    parser.add_argument("--compilations", type=int, default=10000, help="for the memory; 0 leaves it out")
    parser.add_argument("--out", help="a folder for frontend.json and frontend.md")
    parser.add_argument("--grow", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.grow:
        return grow(arguments.pattern, arguments.compilations)
    reason = peers.find_triton()
    if reason:
        print(f"Tessera alone: {reason}\n")
    tessera, triton = peers.Tessera(), None if reason else peers.Triton()
    about = {**machine(), "tessera": tessera.version(), "triton": "none" if reason else peers.VERSION}
    times = measure(first_cases(arguments.pattern), tessera, triton, arguments.repeats)
    lines = report_times(times)
    print("\n".join(lines), flush=True)
    memory = None
    if arguments.compilations:
        memory = measure_memory(arguments.pattern, arguments.compilations)
        more = ["", f"Resident memory over {arguments.compilations} compilations of texts that differ:", "", *report_memory(memory)]
        print("\n".join(more))
        lines += more
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        with open(os.path.join(arguments.out, "frontend.json"), "w") as file:
            json.dump({"machine": about, "seconds": times, "memory": memory}, file, indent=1)
        with open(os.path.join(arguments.out, "frontend.md"), "w") as file:
            file.write(f"# Source to TTIR in a warm process\n\n{about['processor']}, {about['cores']} cores, Python {about['python']}, "
                       f"Triton {about['triton']}, Tessera {about['tessera']}.\n"
                       f"Command: `bench/frontend.py --repeats {arguments.repeats} --compilations {arguments.compilations}`; "
                       f"medians, the compilers in turn.\n\n" + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
