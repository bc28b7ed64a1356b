#!/usr/bin/env python3
"""The vector add on a GPU: Tessera's kernel against Triton's and torch.add, in one process.

    python3 bench/gpu_add.py --tessera tessera-0.1.0-linux-x86_64/bin/tessera --out bench/results/2026-11-15-h200

Needs a Python with torch and Triton, and a GPU. Tessera compiles examples/add.py to a CUBIN; the CUBIN
is launched through the driver API on torch's tensors and stream, so that all contestants use the same
memory and are timed by the same events. They take turns; the medians are printed as ratios.
"""
import argparse
import ctypes
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile

import torch
import triton

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "examples", "add.py")
BLOCK = 1024
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64,
         "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64}


class TesseraKernel:
    """A kernel that `tessera compile` wrote, loaded and launched through libcuda."""

    def __init__(self, tessera, folder, type_name, divisible, num_warps=4, block=BLOCK):
        hint = ":16"
        signature = ",".join([f"*{type_name}{hint}"] * 3 + ["i32:16" if divisible else "i32", str(block)])
        major, minor = torch.cuda.get_device_capability()
        base = os.path.join(folder, f"add_{type_name}_{divisible}_{num_warps}_{block}")
        command = [tessera, "compile", SOURCE, "--kernel-name", "add_kernel", "--signature", signature,
                   "--target", f"cuda:{major}{minor}", "--num-warps", str(num_warps), "--emit", "cubin,ptx,json", "-o", base]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        with open(base + ".json") as file:
            self.metadata = json.load(file)
        with open(base + ".ptx") as file:
            self.ptx = file.read()
        self.block = block
        self.threads = num_warps * 32
        self.cuda = ctypes.CDLL("libcuda.so.1")
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(base + ".cubin", "rb") as file:
            self.image = file.read()
        self.check(self.cuda.cuModuleLoadData(ctypes.byref(module), self.image), "load the cubin")
        self.check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, b"add_kernel"), "find add_kernel")
        self.function = function

    def check(self, status, what):
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            sys.exit(f"could not {what}: {(text.value or b'').decode()} ({status})")

    def prepare(self, x, y, out):
        """The launch as a closure, so that the timed part is one driver call."""
        n = out.numel()
        values = [ctypes.c_uint64(t.data_ptr()) for t in (x, y, out)] + [ctypes.c_int32(n)]
        values += [ctypes.c_uint64(0) for _ in self.metadata["hidden_arguments"]]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        grid = triton.cdiv(n, self.block)
        shared = self.metadata["shared"]

        def launch(keep=(values, pointers)):
            self.check(self.cuda.cuLaunchKernel(self.function, grid, 1, 1, self.threads, 1, 1, shared, stream, pointers, None),
                       "launch")
        return launch


def triton_kernel():
    spec = importlib.util.spec_from_file_location("add_example", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.add_kernel


def check_results(tessera, folder):
    """Bit for bit against torch, over types and sizes, with the bytes behind the mask untouched."""
    checked = 0
    for type_name, dtype in TYPES.items():
        kernels = {divisible: TesseraKernel(tessera, folder, type_name, divisible) for divisible in (False, True)}
        for n in [1, 2, 31, 97, 1023, 1024, 1025, 98432, 98427, 4194304]:
            for divisible, kernel in kernels.items():
                if divisible and n % 16:
                    continue
                if dtype.is_floating_point:
                    x, y = (torch.randn(n, device="cuda", dtype=torch.float32).to(dtype) for _ in range(2))
                else:
                    bounds = torch.iinfo(dtype)
                    x, y = (torch.randint(bounds.min, bounds.max, (n,), device="cuda", dtype=dtype) for _ in range(2))
                out = torch.full((n + 4096,), 77, device="cuda", dtype=dtype)
                kernel.prepare(x, y, out[:n])()
                torch.cuda.synchronize()
                if not torch.equal(out[:n], x + y) or not (out[n:] == 77).all():
                    sys.exit(f"wrong result: {type_name}, n = {n}, divisible = {divisible}")
                checked += 1
    return checked


def measure(contestants, repeats, launches):
    """Milliseconds a launch; a sample is `launches` of them between two events, contestants in turn."""
    samples = {name: [] for name in contestants}
    for launch in contestants.values():
        for _ in range(10):
            launch()
    torch.cuda.synchronize()
    for turn in range(repeats):
        order = list(contestants)
        order = order[turn % len(order):] + order[:turn % len(order)]
        for name in order:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(launches):
                contestants[name]()
            end.record()
            end.synchronize()
            samples[name].append(begin.elapsed_time(end) / launches)
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build", "bin", "tessera"))
    parser.add_argument("--elements", type=int, default=2**28)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--launches", type=int, default=10)
    parser.add_argument("--out", help="folder for gpu-add.json and gpu-add.md")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.cuda.init()
    torch.zeros(1, device="cuda")  # makes the context that the driver calls use

    with tempfile.TemporaryDirectory() as folder:
        checked = check_results(arguments.tessera, folder)
        print(f"{checked} launches over types and sizes equal torch's results bit for bit")
        n = arguments.elements
        x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        out = torch.empty_like(x)
        ours = TesseraKernel(arguments.tessera, folder, "fp32", n % 16 == 0)
        theirs = triton_kernel()
        grid = (triton.cdiv(n, BLOCK),)
        contestants = {
            "Tessera": ours.prepare(x, y, out),
            "Triton": lambda: theirs[grid](x, y, out, n, BLOCK_SIZE=BLOCK),
            "torch.add": lambda: torch.add(x, y, out=out),
        }
        expected = x + y
        for name, launch in contestants.items():
            out.fill_(float("nan"))
            launch()
            if not torch.equal(out, expected):
                sys.exit(f"{name}: wrong result at {n} elements")
        samples = measure(contestants, arguments.repeats, arguments.launches)

    median = {name: statistics.median(values) for name, values in samples.items()}
    rate = {name: 3 * 4 * n / (ms * 1e6) for name, ms in median.items()}
    lines = ["| kernel | median µs | GB/s | against Triton |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {median[name] * 1e3:.1f} | {rate[name]:.0f} | {rate[name] / rate['Triton']:.4f} |" for name in median]
    machine = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
               "tessera": ours.metadata.get("tessera_version"), "assembler": ours.metadata.get("assembler")}
    text = "\n".join(lines)
    print(text)
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        with open(os.path.join(arguments.out, "gpu-add.json"), "w") as file:
            json.dump({"machine": machine, "elements": n, "block": BLOCK, "milliseconds": samples}, file, indent=1)
        with open(os.path.join(arguments.out, "gpu-add.md"), "w") as file:
            file.write(f"# Vector add, fp32, {n} elements, BLOCK_SIZE {BLOCK}\n\n"
                       f"{', '.join(f'{k} {v}' for k, v in machine.items())}.\n"
                       f"Command: `python3 bench/gpu_add.py --elements {n} --repeats {arguments.repeats} --launches {arguments.launches}`; "
                       f"a sample is {arguments.launches} launches between two events, contestants in turn.\n"
                       f"{checked} launches over types and sizes equalled torch's results bit for bit.\n\n{text}\n")
        with open(os.path.join(arguments.out, "gpu-add.ptx"), "w") as file:
            file.write(ours.ptx.replace(ROOT + os.sep, ""))


if __name__ == "__main__":
    main()
