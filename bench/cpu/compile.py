#!/usr/bin/python3
"""Compile time on the CPU target, in one warm process: from source text to a function that can be called.

    bench/cpu/compile.py                   every kernel of examples/, and a block of 4 x 64 against 4 x 65536
    bench/cpu/compile.py --case softmax
    bench/cpu/compile.py --json            a line of JSON a kernel, as bench/cpu/run reads it

A time is that of tessera_compile and tessera_load together, without a cache; medians. The stages are by Tessera's own
clock; what they leave is reading the file, making the MLIR context, the metadata and freeing it all.
"""
import argparse
import ctypes
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import device  # noqa: E402
import signatures  # noqa: E402

STAGES = ["frontend", "make_ttir", "make_llir", "make_obj"]
BLOCKS = [(4, 64), (4, 1024), (4, 65536)]


def cases():
    """(name, file, kernel, signature, options): examples/ as the tests compile it, then one kernel in three sizes."""
    for case in signatures.cases(r"^examples/"):
        options = ",".join(f"{flag[2:]}={value}" for flag, value in zip(case.options[::2], case.options[1::2]))
        yield f"{os.path.basename(case.file)}:{case.kernel}", case.file, case.kernel, case.signature, options
    for rows, cols in BLOCKS:
        yield f"block of {rows} x {cols}", "bench/cpu/kernels.py", "block_size_kernel", f"*fp32,*fp32,*fp32,i32,{rows},{cols}", ""


def compile_once(cpu, file, kernel, signature, options):
    """[whole, each stage, loading] in seconds, and the object's bytes"""
    start = time.perf_counter()
    compiled = cpu.compile(file, kernel, signature, options)
    middle = time.perf_counter()
    loaded = cpu.load(compiled)
    end = time.perf_counter()
    stages = [cpu.tessera.seconds(compiled, stage) for stage in STAGES]
    size = ctypes.c_size_t()
    cpu.lib.tessera_kernel_artifact(compiled, b"obj", ctypes.byref(size))
    cpu.lib.tessera_kernel_free(compiled)
    cpu.lib.tessera_loaded_kernel_free(loaded)
    return [end - start, *stages, end - middle, size.value]


def measure(cpu, case, repeats):
    name, file, kernel, signature, options = case
    record = {"name": name, "signature": signature}
    try:
        compile_once(cpu, file, kernel, signature, options)
    except device.Failure as failure:
        return dict(record, failed=str(failure).strip())
    columns = list(zip(*[compile_once(cpu, file, kernel, signature, options) for _ in range(repeats)]))
    names = ["whole", *STAGES, "load"]
    return dict(record, fastest=min(columns[0]), object=columns[-1][0],
                seconds={name: statistics.median(column) for name, column in zip(names, columns)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--case", default="", help="part of a kernel's name or signature")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    cpu = device.Device()
    for case in cases():
        if arguments.case not in f"{case[0]} {case[3]}":
            continue
        record = measure(cpu, case, arguments.repeats)
        if arguments.json:
            print(json.dumps(record), flush=True)
        elif "failed" in record:
            print(f"{record['name']:45} {record['failed'].splitlines()[0]}", flush=True)
        else:
            stages = " ".join(f"{name} {seconds * 1e3:.1f}" for name, seconds in record["seconds"].items())
            print(f"{record['name']:45} {stages}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
