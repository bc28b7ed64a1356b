#!/usr/bin/env python3
"""Source to TTIR in a warm process: Tessera against Triton 3.6.0, in one run; and the memory that stays.

    bench/frontend.py                     matmul, attention and conv3d; prints a table
    bench/frontend.py --pattern .         every kernel of examples/ and test/ (test/signatures.py)
    bench/frontend.py --out FOLDER        also writes frontend.json and frontend.md there
    TRITON_PYTHON=/path/to/python bench/frontend.py

What is measured, for the first signature of each kernel:
  Triton    ast_to_ttir and make_ttir. Not counted: importing the kernel's file, making the MLIR context.
  Tessera   the frontend (lexing, parsing, loading dialects, translating) and make_ttir, by its own clock. The last
            column is a whole call of tessera_compile: with reading the file, making and freeing the MLIR context,
            the metadata and the printed text.

Each compiler has a process of its own, and they take turns: a turn compiles every kernel --burst times with the
one, then with the other; the first of a burst warms the caches and does not count. Medians are printed, and
the ratio of the fastest.
Memory: the resident size of a third process while it compiles --compilations kernels, each from a file that it has
not seen before. Without a Triton only Tessera's numbers are printed.
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
COLUMNS = {"triton": ["ast_to_ttir", "make_ttir"], "tessera": ["frontend", "make_ttir", "whole call"]}


def first_cases(pattern):
    """One case for each kernel: its first signature."""
    found = {}
    for case in signatures.cases(pattern):
        found.setdefault((case.file, case.kernel), case)
    return list(found.values())


# ---- one compiler's process: reads a kernel's number and a count, answers with times -------------------------------


def tessera_worker(cases):
    tessera = peers.Tessera()
    requests = [tessera.request(case) for case in cases]

    def compile_one(number):
        start = time.perf_counter()
        status, kernel, message = tessera.compile(requests[number])
        whole = time.perf_counter() - start
        times = [tessera.seconds(kernel, "frontend"), tessera.seconds(kernel, "make_ttir"), whole] if status == 0 else None
        tessera.free(kernel, message)
        return times
    return compile_one


def triton_worker(cases):
    triton = peers.Triton()

    def compile_one(number):
        source, context = triton.source(cases[number]), triton.context()
        start = time.perf_counter()
        module = triton.frontend(source, context)
        middle = time.perf_counter()
        triton.make_ttir(source, module)
        return [middle - start, time.perf_counter() - middle]
    return compile_one


def serve(worker, cases):
    compile_one = worker(cases)
    for line in sys.stdin:
        number, count = json.loads(line)
        print(json.dumps([compile_one(number) for _ in range(count)]), flush=True)


# ---- the memory's process -------------------------------------------------------------------------------------------


def resident_kib():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def grow(cases, compilations):
    """Compiles texts that differ and prints [compilations so far, resident KiB] pairs as JSON."""
    tessera = peers.Tessera()
    sources = []
    for case in cases:
        with open(os.path.join(ROOT, case.file)) as file:
            sources.append((case, file.read()))
    failed, points = 0, []
    marks = {compilations * tenths // 10 for tenths in range(1, 11)} | {compilations // 100}
    for number in range(1, compilations + 1):
        case, text = sources[number % len(sources)]
        # Another file's name, so that no location was seen before, and another text.
        status, kernel, message = tessera.compile(tessera.request(case, f"{text}\n# {number:08}\n", f"-{number:08}"))
        tessera.free(kernel, message)
        failed += status != 0
        if number in marks:
            points.append([number, resident_kib()])
    print(json.dumps({"failed": failed, "points": points}))


# ---- measuring ------------------------------------------------------------------------------------------------------


def start(role, arguments):
    python = sys.executable if role == "triton" else "/usr/bin/python3"
    command = [python, "-B", __file__, "--role", role, "--pattern", arguments.pattern, "--compilations",
               str(arguments.compilations)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process, question):
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        sys.exit("bench/frontend.py: a compiler's process ended; its message is above")
    return json.loads(answer)


def measure(cases, roles, arguments):
    """{kernel: {"tessera": [[frontend, make_ttir, whole call], ...], "triton": ...}} in seconds."""
    processes = {role: start(role, arguments) for role in roles}
    times = {case.kernel: {role: [] for role in roles} for case in cases}
    for turn in range(arguments.repeats + 1):
        for role, process in processes.items():
            for number, case in enumerate(cases):
                answers = ask(process, [number, arguments.burst + 1])[1:]
                if turn:  # the first turn imports and warms
                    times[case.kernel][role] += [answer for answer in answers if answer]
    for process in processes.values():
        process.stdin.close()
        process.wait()
    return times


def measure_memory(arguments):
    process = start("grow", arguments)
    output, _ = process.communicate()
    return json.loads(output) if process.returncode == 0 else {"failed": arguments.compilations, "points": []}


# ---- reporting ------------------------------------------------------------------------------------------------------


def milliseconds(samples, columns, which=statistics.median):
    return which([sum(sample[column] for column in columns) for sample in samples]) * 1e3


def report_times(times):
    """A row a kernel. Where a machine is shared, the two ratios differ: a long sample meets more disturbance."""
    lines = ["| kernel | Triton: ast_to_ttir | make_ttir | both, ms | Tessera: frontend | make_ttir | both, ms | whole call, ms "
             "| ratio of medians | of the fastest |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for kernel, samples in times.items():
        ours, theirs = samples["tessera"], samples.get("triton", [])
        cells = [f"{milliseconds(theirs, columns):.2f}" if theirs else "-" for columns in ([0], [1], [0, 1])]
        cells += [f"{milliseconds(ours, columns):.2f}" if ours else "-" for columns in ([0], [1], [0, 1], [2])]
        cells += [f"{milliseconds(theirs, [0, 1], which) / milliseconds(ours, [0, 1], which):.1f}" if ours and theirs else "-"
                  for which in (statistics.median, min)]
        lines.append(f"| {kernel} | " + " | ".join(cells) + (" |" if ours else " | does not compile |"))
    return lines


def report_memory(memory):
    if not memory["points"]:
        return ["Memory was not measured: the process failed."]
    lines = ["| compilations | resident MiB |", "|---:|---:|"]
    lines += [f"| {count} | {kib / 1024:.1f} |" for count, kib in memory["points"]]
    (early, first), (late, last) = memory["points"][1], memory["points"][-1]
    lines += ["", f"From compilation {early} to {late}: {(last - first) / 1024:+.2f} MiB, "
              f"{(last - first) * 1024 / (late - early):+.1f} bytes a compilation."]
    if memory["failed"]:
        lines.append(f"{memory['failed']} compilations failed.")
    return lines


def machine(arguments, has_triton):
    with open("/proc/cpuinfo") as file:
        processor = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    return {"processor": processor, "cores": os.cpu_count(), "python": sys.version.split()[0],
            "triton": peers.VERSION if has_triton else "none", "tessera": peers.Tessera().version(),
            "repeats": arguments.repeats, "burst": arguments.burst}


def write_results(folder, about, times, memory, lines, arguments):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "frontend.json"), "w") as file:
        json.dump({"machine": about, "columns": COLUMNS, "seconds": times, "memory": memory}, file)
    with open(os.path.join(folder, "frontend.md"), "w") as file:
        file.write(f"# Source to TTIR in a warm process\n\n{about['processor']}, {about['cores']} cores, Python {about['python']}, "
                   f"Triton {about['triton']}, Tessera {about['tessera']}.\n"
                   f"Command: `bench/frontend.py --repeats {arguments.repeats} --burst {arguments.burst} "
                   f"--compilations {arguments.compilations}`; medians.\n\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pattern", default=DEFAULT, help="a regular expression over FILE:KERNEL SIGNATURE")
    parser.add_argument("--repeats", type=int, default=15, help="turns")
    parser.add_argument("--burst", type=int, default=4, help="compilations of a kernel in a turn")
    parser.add_argument("--compilations", type=int, default=10000, help="for the memory; 0 leaves it out")
    parser.add_argument("--out", help="a folder for frontend.json and frontend.md")
    parser.add_argument("--role", choices=["triton", "tessera", "grow"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    cases = first_cases(arguments.pattern)
    if arguments.role == "grow":
        return grow(cases, arguments.compilations)
    if arguments.role:
        return serve({"triton": triton_worker, "tessera": tessera_worker}[arguments.role], cases)
    reason = peers.find_triton()
    if reason:
        print(f"Tessera alone: {reason}\n")
    times = measure(cases, ["tessera"] + ([] if reason else ["triton"]), arguments)
    lines = report_times(times)
    print("\n".join(lines), flush=True)
    memory = None
    if arguments.compilations:
        memory = measure_memory(arguments)
        more = ["", f"Resident memory over {arguments.compilations} compilations, each of another file:", "", *report_memory(memory)]
        print("\n".join(more))
        lines += more
    if arguments.out:
        write_results(arguments.out, machine(arguments, not reason), times, memory, lines, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
